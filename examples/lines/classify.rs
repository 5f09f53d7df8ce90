//! What each line of a source is for.

use quote::quote;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Block, Expr, ExprAssign, Fields, ImplItem, Item, ItemImpl, ReturnType, Stmt};

/// What a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Ports, registers and children of blocks with what is said of each; bundles, packed structs and enums.
    Ports,
    /// What a block computes, with the comments inside it.
    Logic,
    /// What makes a block and its power-on values.
    Constructors,
    /// Clocks, children and outputs that only pass a name or a constant on.
    Wiring,
    /// Labels, drive lists, registry entries, builders.
    Registry,
    /// Comments on whole items and files.
    Comments,
    /// Imports, configuration, blank lines.
    Rest,
}

impl Class {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 7] = [
        Self::Ports,
        Self::Logic,
        Self::Constructors,
        Self::Wiring,
        Self::Registry,
        Self::Comments,
        Self::Rest,
    ];

    /// Head of its column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ports => "ports, registers",
            Self::Logic => "logic",
            Self::Constructors => "constructors",
            Self::Wiring => "wiring",
            Self::Registry => "labels, registry",
            Self::Comments => "comments",
            Self::Rest => "imports, configuration",
        }
    }
}

/// The class of every line.
pub fn classify(text: &str) -> syn::Result<Vec<Class>> {
    let count = text.lines().count();
    let mut lines = Lines { classes: vec![Class::Rest; count], inside: vec![false; count] };
    for item in syn::parse_file(text)?.items {
        lines.item(&item);
    }
    let Lines { mut classes, inside } = lines;
    for ((class, inside), line) in classes.iter_mut().zip(inside).zip(text.lines()) {
        if inside {
            continue;
        }
        if line.trim_start().starts_with("//") {
            *class = Class::Comments;
        } else if line.trim().is_empty() {
            *class = Class::Rest;
        }
    }
    Ok(classes)
}

struct Lines {
    classes: Vec<Class>,
    /// In a field or the body of a function: comments and blank lines there belong to it.
    inside: Vec<bool>,
}

impl Lines {
    fn mark(&mut self, spanned: &impl Spanned, class: Class) {
        for line in lines_of(spanned) {
            self.classes[line - 1] = class;
        }
    }

    fn is_inside(&mut self, spanned: &impl Spanned) {
        for line in lines_of(spanned) {
            self.inside[line - 1] = true;
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Struct(item) if of_hardware(&item.attrs) => {
                self.mark(item, Class::Ports);
                self.fields(&item.fields);
            }
            Item::Enum(item) if of_hardware(&item.attrs) => self.mark(item, Class::Ports),
            Item::Impl(item) => self.implementation(item),
            Item::Const(item) if item.ident.to_string().ends_with("ENTRY") => {
                self.mark(item, Class::Registry)
            }
            Item::Const(item) if item.ident == "ENTRIES" => self.mark(item, Class::Registry),
            Item::Static(item) => self.mark(item, Class::Registry),
            Item::Fn(item) if item.sig.ident.to_string().starts_with("build") => {
                self.mark(item, Class::Registry)
            }
            Item::Macro(item) if names(&item.mac.path, &["drive_ports", "driven", "shapes"]) => {
                self.mark(item, Class::Registry);
            }
            Item::Mod(item) => {
                item.content.iter().flat_map(|(_, items)| items).for_each(|item| self.item(item))
            }
            _ => (),
        }
    }

    /// What a field's attributes say stands on lines of its own.
    fn fields(&mut self, fields: &Fields) {
        fields.iter().for_each(|field| self.is_inside(field));
        for attribute in fields.iter().flat_map(|field| &field.attrs) {
            if names(attribute.path(), &["wire"]) {
                self.mark(attribute, Class::Wiring);
            } else if names(attribute.path(), &["init"]) {
                self.mark(attribute, Class::Constructors);
            }
        }
    }

    fn implementation(&mut self, item: &ItemImpl) {
        let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        let of_trait = of_trait.map(|segment| segment.ident.to_string());
        let is_logic = of_hardware(&item.attrs) || of_trait.as_deref() == Some("Logic");
        match of_trait.as_deref() {
            Some("Default") => return self.mark(item, Class::Constructors),
            Some("Drive" | "DriveBlock") => return self.mark(item, Class::Registry),
            _ if is_logic => self.mark(item, Class::Logic),
            _ => (),
        }
        for function in &item.items {
            let ImplItem::Fn(function) = function else { continue };
            self.is_inside(&function.block);
            match function.sig.ident.to_string().as_str() {
                "timing" => self.mark(function, Class::Registry),
                "connect" => self.mark(function, Class::Wiring),
                "hdl" => self.mark(function, Class::Logic),
                "update" if is_logic => self.body(&function.block),
                // A step of the body.
                _ if is_logic && function.sig.receiver().is_some_and(|me| me.mutability.is_some()) => {
                    self.body(&function.block);
                }
                _ if is_logic && makes_self(&function.sig.output) => self.mark(function, Class::Constructors),
                "new" | "build" if makes_self(&function.sig.output) => {
                    self.mark(function, Class::Constructors)
                }
                _ => (),
            }
        }
    }

    fn body(&mut self, body: &Block) {
        let mut driven = Driven::default();
        driven.visit_block(body);
        body.stmts.iter().for_each(|one| self.statement(one, &driven));
    }

    /// A statement of `update`. What is in an `if` or `match` is logic, what is in a `for` stands by itself.
    fn statement(&mut self, statement: &Stmt, driven: &Driven) {
        match statement {
            Stmt::Expr(Expr::ForLoop(each), _) => {
                each.body.stmts.iter().for_each(|one| self.statement(one, driven));
            }
            Stmt::Expr(Expr::Assign(assign), _) if driven.passes_on(assign) => {
                self.mark(statement, Class::Wiring);
            }
            Stmt::Expr(Expr::Call(call), _) if is_connection(&call.func) => {
                self.mark(statement, Class::Wiring);
            }
            Stmt::Macro(call) if is_setup(&call.mac.path) => self.mark(statement, Class::Wiring),
            _ => (),
        }
    }
}

/// How many assignments of a body drive each place.
#[derive(Default)]
struct Driven(BTreeMap<String, usize>);

impl Driven {
    /// Whether it drives its place alone, with names and constants. The default before an `if` is logic.
    fn passes_on(&self, assign: &ExprAssign) -> bool {
        let alone = places(assign).iter().all(|place| self.0.get(place) == Some(&1));
        alone && is_name(&assign.left) && is_name(&assign.right)
    }
}

impl<'a> Visit<'a> for Driven {
    fn visit_expr_assign(&mut self, assign: &'a ExprAssign) {
        for place in places(assign) {
            *self.0.entry(place).or_default() += 1;
        }
        syn::visit::visit_expr_assign(self, assign);
    }
}

/// What an assignment drives; `child = In { a, b }` drives two ports, `Out { a, b } = child` two places.
fn places(assign: &ExprAssign) -> Vec<String> {
    let left = &assign.left;
    match (&*assign.left, &*assign.right) {
        (Expr::Struct(outputs), _) => {
            outputs.fields.iter().map(|field| &field.expr).map(|expr| quote!(#expr).to_string()).collect()
        }
        (_, Expr::Struct(inputs)) if inputs.path.is_ident("In") => inputs
            .fields
            .iter()
            .map(|field| &field.member)
            .map(|port| quote!(#left.#port).to_string())
            .collect(),
        _ => vec![quote!(#left).to_string()],
    }
}

fn lines_of(spanned: &impl Spanned) -> RangeInclusive<usize> {
    let span = spanned.span();
    span.start().line..=span.end().line
}

fn names(path: &syn::Path, names: &[&str]) -> bool {
    path.segments.last().is_some_and(|segment| names.iter().any(|name| segment.ident == name))
}

/// `dff_setup!`, `clock!` and their like.
fn is_setup(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|segment| segment.ident.to_string());
    last.is_some_and(|name| name.ends_with("_setup") || name == "clock")
}

/// `link` and `join` of two interfaces.
fn is_connection(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if names(&path.path, &["link", "join"]))
}

fn makes_self(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else { return false };
    quote!(#ty).to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "Self")
}

/// A block, an interface, a struct or enum of bits.
fn of_hardware(attributes: &[Attribute]) -> bool {
    const MARKS: [&str; 6] = ["block", "logic", "packed", "interface", "register_page", "bundle"];
    const DERIVES: [&str; 4] = ["LogicBlock", "LogicInterface", "LogicStruct", "LogicState"];
    attributes.iter().any(|attribute| {
        let derive = names(attribute.path(), &["derive"]);
        let text = quote!(#attribute).to_string();
        names(attribute.path(), &MARKS) || (derive && DERIVES.iter().any(|name| text.contains(name)))
    })
}

/// A name, a part or element of one, `.val()` or `.into()` of one, or `In`, `Out` and the like with nothing but names: it computes nothing.
fn is_name(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(field) => is_name(&field.base),
        Expr::Index(index) => is_name(&index.expr) && is_name(&index.index),
        Expr::MethodCall(call) => {
            (call.method == "val" || call.method == "into") && call.args.is_empty() && is_name(&call.receiver)
        }
        Expr::Struct(fields) => fields.fields.iter().all(|field| is_name(&field.expr)),
        Expr::Paren(inner) => is_name(&inner.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Class::{self, *};

    fn classes(text: &str) -> Vec<Class> {
        super::classify(text).expect("Rust")
    }

    #[test]
    fn a_block_in_the_block_language() {
        let text = "use a::b;\n\n/// A block.\n#[block]\npub struct B {\n    clock: In<Clock>,\n    #[wire(clock)]\n    child: C,\n    #[init(3)]\n    \
                    kept: Reg<Bit>,\n}\n#[logic]\nimpl B {\n    fn update(&mut self) {\n        child = In { a, b: x.y };\n        let z = a & b;\n        \
                    kept = z;\n    }\n    fn timing(&self) -> Vec<T> {\n        vec![]\n    }\n}\n";
        let expected = [
            Rest,
            Rest,
            Comments,
            Ports,
            Ports,
            Ports,
            Wiring,
            Ports,
            Constructors,
            Ports,
            Ports,
            Logic,
            Logic,
            Logic,
            Wiring,
            Logic,
            Wiring,
            Logic,
            Registry,
            Registry,
            Registry,
            Logic,
        ];
        assert_eq!(classes(text), expected);
    }

    #[test]
    fn a_block_of_rust_hdl() {
        let text = "#[derive(LogicBlock, Default)]\nstruct B {\n    pub a: Signal<In, Bit>,\n}\nimpl B {\n    fn new() -> Self {\n        \
                    Self::default()\n    }\n}\nimpl Logic for B {\n    #[hdl_gen]\n    fn update(&mut self) {\n        \
                    dff_setup!(self, clock, q);\n        self.child.a.next = self.a.val();\n        self.q.d.next = !self.a.val();\n        \
                    if self.a.val() {\n            self.b.next = self.c.val();\n        }\n    }\n}\n\
                    pub const ENTRY: BlockEntry = BlockEntry {\n    name: \"b\",\n};\n";
        let expected = [
            Ports,
            Ports,
            Ports,
            Ports,
            Rest,
            Constructors,
            Constructors,
            Constructors,
            Rest,
            Logic,
            Logic,
            Logic,
            Wiring,
            Wiring,
            Logic,
            Logic,
            Logic,
            Logic,
            Logic,
            Logic,
            Registry,
            Registry,
            Registry,
        ];
        assert_eq!(classes(text), expected);
    }

    /// The classes of the lines of a body of `update`.
    fn body(lines: &str) -> Vec<Class> {
        let all = classes(&format!("#[logic]\nimpl B {{\nfn update(&mut self) {{\n{lines}\n}}\n}}\n"));
        all[3..all.len() - 2].to_vec()
    }

    #[test]
    fn a_default_before_an_if_is_logic() {
        assert_eq!(body("y = a;\nz = a;\nif b {\ny = c;\n}"), [Logic, Wiring, Logic, Logic, Logic]);
        assert_eq!(
            body("child = In { a: false };\nchild.b = c;\nif b {\nchild.a = c;\n}")[..2],
            [Logic, Wiring]
        );
        assert_eq!(body("child = In { a };\nchild = In { b };"), [Wiring, Wiring]);
        assert_eq!(body("child = In { a };\nchild = In { b: a & b };"), [Wiring, Logic]);
    }

    #[test]
    fn outputs_and_interfaces_that_are_connected_are_wiring() {
        assert_eq!(
            body("link(own, child.port);\njoin(a, b);\nOut { y, z: q } = child;\nlet c = a;"),
            [Wiring, Wiring, Wiring, Logic]
        );
        assert_eq!(body("for i in 0..2 {\nmany[i].d = row[i];\n}"), [Logic, Wiring, Logic]);
    }

    #[test]
    fn comments_belong_to_what_they_stand_in() {
        assert_eq!(body("// Why.\n\ny = a & b;"), [Logic; 3]);
        let text =
            "//! File.\n/// Block.\n#[block]\nstruct B {\n    /// Port.\n    a: In<Bit>,\n}\n// Aside.\n";
        assert_eq!(classes(text), [Comments, Comments, Ports, Ports, Ports, Ports, Ports, Comments]);
    }

    #[test]
    fn an_error_names_what_is_no_rust() {
        assert!(super::classify("fn f( {").is_err());
    }
}
