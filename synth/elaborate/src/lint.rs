//! A lint of Rust source for what rust-hdl's syntax tree does not contain, so that no later stage can find it:
//! functions whose names begin like a cast, arithmetic on `.index()`, match guards.
//!
//! A crate of blocks keeps itself clean with a test of one line:
//!
//! ```
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../hdl")).unwrap();
//! assert_eq!(flitforge_elaborate::lint::sources(&["src"]), []);
//! ```

use crate::check::{Kind, Problem};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Expr, UnOp};

/// Names that rust-hdl takes for casts by their beginning.
const PREFIXES: [&str; 6] = ["bits", "Bits", "bit_cast", "signed_cast", "signed_bit_cast", "unsigned_cast"];
/// The functions that are casts.
const CASTS: [&str; 5] = ["bits", "bit_cast", "signed_cast", "signed_bit_cast", "unsigned_cast"];

/// Problems in one source file; `file` is for the messages. Only `#[hdl_gen]` functions are looked at, and not
/// those inside `macro_rules!`. A file that does not parse is one problem.
pub fn source(text: &str, file: &str) -> Vec<Problem> {
    let parsed = match syn::parse_file(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let path = format!("{file}:{}", error.span().start().line);
            return vec![Problem::error(Kind::Source, path, format!("is not Rust: {error}"))];
        }
    };
    let mut fields = Fields::default();
    fields.visit_file(&parsed);
    let mut linter = Linter { file, fields: fields.by_struct, own: HashSet::new(), problems: vec![] };
    linter.visit_file(&parsed);
    linter.problems
}

/// Problems in all Rust files at `paths`: files, or folders with all below them. A path is taken from the folder that the
/// program runs in, which for a test is that of its crate. What cannot be read, or holds no Rust file, is a problem too.
pub fn sources<P: AsRef<Path>>(paths: &[P]) -> Vec<Problem> {
    let mut problems = vec![];
    for path in paths.iter().map(AsRef::as_ref) {
        let (mut files, mut unreadable) = (vec![], vec![]);
        collect_files(path, true, &mut files, &mut unreadable);
        if files.is_empty() && unreadable.is_empty() {
            unreadable.push(unread(path, "holds no Rust file; give the folder of the sources"));
        }
        problems.append(&mut unreadable);
        for file in files {
            match std::fs::read_to_string(&file) {
                Ok(text) => problems.extend(source(&text, &file.to_string_lossy())),
                Err(error) => problems.push(unread(&file, &format!("cannot be read: {error}"))),
            }
        }
    }
    problems
}

/// Adds `path`, or the Rust files below it in the order of their names.
fn collect_files(path: &Path, named: bool, files: &mut Vec<PathBuf>, unreadable: &mut Vec<Problem>) {
    if !path.is_dir() {
        if named || path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path.into());
        }
        return;
    }
    let entries = std::fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>());
    match entries {
        Ok(mut entries) => {
            entries.sort();
            entries.iter().for_each(|entry| collect_files(entry, false, files, unreadable));
        }
        Err(error) => unreadable.push(unread(path, &format!("cannot be read: {error}"))),
    }
}

fn unread(path: &Path, reason: &str) -> Problem {
    Problem::error(Kind::Source, path.to_string_lossy(), reason)
}

/// Field names by struct.
#[derive(Default)]
struct Fields {
    by_struct: HashMap<String, HashSet<String>>,
}

impl<'ast> Visit<'ast> for Fields {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let names = item.fields.iter().filter_map(|field| Some(field.ident.as_ref()?.to_string()));
        self.by_struct.entry(item.ident.to_string()).or_default().extend(names);
    }
}

struct Linter<'a> {
    file: &'a str,
    fields: HashMap<String, HashSet<String>>,
    /// Fields of the struct whose impl is visited.
    own: HashSet<String>,
    problems: Vec<Problem>,
}

impl<'ast> Visit<'ast> for Linter<'_> {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let syn::Type::Path(path) = &*item.self_ty {
            let name = path.path.segments.last().map(|segment| segment.ident.to_string());
            self.own = name.and_then(|name| self.fields.get(&name).cloned()).unwrap_or_default();
        }
        syn::visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.attrs.iter().any(|attribute| attribute.path().is_ident("hdl_gen")) {
            let mut body = Body { linter: self };
            body.visit_block(&item.block);
        }
    }
}

/// Visits the body of an `#[hdl_gen]` function.
struct Body<'a, 'b> {
    linter: &'a mut Linter<'b>,
}

impl Body<'_, '_> {
    fn report(&mut self, at: &impl Spanned, reason: String) {
        let path = format!("{}:{}", self.linter.file, at.span().start().line);
        self.linter.problems.push(Problem::error(Kind::Source, path, reason));
    }
}

impl<'ast> Visit<'ast> for Body<'_, '_> {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let name = call.func.to_token_stream().to_string().replace(' ', "");
        if PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !is_cast(&name) {
            let reason = format!(
                "rust-hdl takes `{name}` for a cast because of how its name begins, and drops the call; rename it"
            );
            self.report(call, reason);
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let offset = ["get_bit", "get_bits", "replace_bit"].iter().any(|name| call.method == name);
        self.visit_expr(&call.receiver);
        for (number, argument) in call.args.iter().enumerate() {
            match offset && number == 0 {
                true => self.visit_offset(argument),
                false => self.visit_expr(argument),
            }
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let arithmetic = is_arithmetic(&binary.op);
        if arithmetic && (is_index(&binary.left) || is_index(&binary.right)) {
            self.report(binary, index_reason(&binary.to_token_stream().to_string()));
        }
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if matches!(unary.op, UnOp::Not(_)) && is_index(&unary.expr) {
            self.report(unary, index_reason(&unary.to_token_stream().to_string()));
        }
        syn::visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.report(guard, "rust-hdl drops match guards; use an `if` inside the arm".into());
        }
        syn::visit::visit_arm(self, arm);
    }

    fn visit_expr_for_loop(&mut self, repeat: &'ast syn::ExprForLoop) {
        if let syn::Pat::Ident(variable) = &*repeat.pat {
            let name = variable.ident.to_string();
            if self.linter.own.contains(&name) {
                let reason = format!(
                    "loop variable `{name}` has the name of a field; rust-hdl cannot tell them apart, rename it"
                );
                self.report(variable, reason);
            }
        }
        syn::visit::visit_expr_for_loop(self, repeat);
    }
}

impl Body<'_, '_> {
    /// An offset is a `usize` as a whole, so arithmetic at its top is unambiguous.
    fn visit_offset(&mut self, offset: &Expr) {
        match offset {
            Expr::Binary(binary) if is_arithmetic(&binary.op) => {
                self.visit_offset(&binary.left);
                self.visit_offset(&binary.right);
            }
            other => self.visit_expr(other),
        }
    }
}

fn index_reason(text: &str) -> String {
    let text = text.replace(" . ", ".").replace(" ()", "()");
    format!(
        "`{text}`: rust-hdl drops `.index()`, so this arithmetic in `usize` looks like arithmetic in `Bits`; \
         widen with `bit_cast` and calculate there"
    )
}

fn is_cast(name: &str) -> bool {
    let base = name.split("::").next().unwrap_or(name);
    let conversion = base == "Bits" && name.ends_with("::from");
    CASTS.contains(&name) || (CASTS.contains(&base) && name[base.len()..].starts_with("::<")) || conversion
}

fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Shl(_) | BinOp::Shr(_))
}

/// True if the expression is a `usize` made of `.index()`.
fn is_index(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => call.method == "index",
        Expr::Paren(paren) => is_index(&paren.expr),
        Expr::Binary(binary) => {
            let bitwise = matches!(binary.op, BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_));
            (bitwise || is_arithmetic(&binary.op)) && (is_index(&binary.left) || is_index(&binary.right))
        }
        Expr::Unary(unary) => is_index(&unary.expr),
        _ => false,
    }
}
