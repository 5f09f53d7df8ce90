//! What is driven, `let`s, and values that are an `if`, a `match`, a block or a struct.

use super::body::{only_typed, Body, Code, Local};
use super::place::What;
use super::structure::Kind;
use super::value::Form;
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprIf, ExprMatch, ExprStruct, Ident, Member, Pat, Result, Stmt};

/// Where a value goes: the words before it.
#[derive(Clone)]
pub struct Target(String);

impl Target {
    /// A whole signal.
    pub fn signal(name: &str) -> Self {
        Self(format!("A s {name}"))
    }
}

impl Body<'_> {
    /// `place = value`.
    pub fn assignment(&mut self, assignment: &ExprAssign) -> Result<Code> {
        if let Expr::Struct(ports) = &*assignment.right {
            if ports.path.is_ident("In") {
                return self.ports(&assignment.left, ports);
            }
        }
        if let Expr::Struct(ports) = &*assignment.left {
            if ports.path.is_ident("Out") {
                return self.taken(ports, &assignment.right);
            }
        }
        self.drive(&assignment.left, &assignment.right)
    }

    /// `child = In { a, b: c }`.
    fn ports(&mut self, child: &Expr, ports: &ExprStruct) -> Result<Code> {
        if let Some(rest) = &ports.dot2_token {
            return refuse(rest, "what is not named is not driven: leave `..` away");
        }
        match self.place(child)?.map(|place| place.what) {
            Some(What::Field(Kind::Child | Kind::Interface | Kind::Register | Kind::Reg)) => {}
            Some(What::Member | What::MemberAt) => {}
            _ => return refuse(child, "`In { .. }` drives the inputs of a child or an interface"),
        }
        let mut out = Code::default();
        for port in &ports.fields {
            let member = &port.member;
            let left: Expr = syn::parse_quote!(#child.#member);
            out.push(self.drive(&left, &port.expr)?);
        }
        Ok(out)
    }

    /// `Out { a, b: c } = child`.
    fn taken(&mut self, ports: &ExprStruct, child: &Expr) -> Result<Code> {
        if let Some(rest) = &ports.dot2_token {
            return refuse(rest, "what is not named is not taken: leave `..` away");
        }
        match self.place(child)?.map(|place| place.what) {
            Some(What::Field(Kind::Child | Kind::Interface)) => {}
            Some(What::Member | What::MemberAt) => {}
            _ => return refuse(child, "`Out { .. }` takes the outputs of a child or an interface"),
        }
        let mut out = Code::default();
        for port in &ports.fields {
            let member = &port.member;
            let right: Expr = syn::parse_quote!(#child.#member);
            out.push(self.drive(&port.expr, &right)?);
        }
        Ok(out)
    }

    /// A statement that drives `left`, or gives a `let mut` a new value.
    pub fn drive(&mut self, left: &Expr, right: &Expr) -> Result<Code> {
        if let Expr::Path(path) = left {
            if let Some(name) = path.path.get_ident() {
                if let Some(local) = self.local(&name.to_string()).cloned() {
                    return self.drive_local(name, &local, right);
                }
            }
        }
        if let Some(place) = self.place(left)? {
            let (rust, name) = match place.what {
                What::Field(Kind::Reg | Kind::Register) => {
                    let rust = place.rust;
                    (quote!(#rust.d), format!("{}$d", place.name))
                }
                What::Field(Kind::Input) => return refuse(left, "an input of the block is only read"),
                What::Field(Kind::Constant) => return refuse(left, "a constant is only read"),
                What::Field(Kind::Interface | Kind::Child) => {
                    return refuse(left, "drive one port, `x.port = ..`, or several, `x = In { port: .. }`")
                }
                What::Array(_) => return refuse(left, "this is an array: say which element, `x[0]`"),
                What::Field(_) | What::Member | What::MemberAt => (place.rust, place.name),
            };
            self.connect(quote!(logic::logic_connect_fn(&mut #rust);));
            let value = self.give(&Target::signal(&format!("{name}$next")), right)?;
            let value_rust = value.rust;
            return Ok(Code::new(quote_spanned!(left.span()=> #rust.next = #value_rust;), value.words));
        }
        match left {
            Expr::Field(field) => self.drive_field(field, right),
            Expr::Path(path) => refuse(path, "the block has no field or `let mut` of this name"),
            Expr::Index(index) => {
                refuse(index, "one bit is not driven by itself: `x = x.with(i, bit)` of a `let mut`")
            }
            other => refuse(other, "this cannot be driven"),
        }
    }

    fn drive_local(&mut self, name: &Ident, local: &Local, right: &Expr) -> Result<Code> {
        let Local::Let { mutable, signal } = local else {
            return refuse(name, "this cannot be given a value");
        };
        if !mutable {
            return refuse(name, format_args!("`{name}` has one value: write `let mut {name}` for several"));
        }
        let value = self.give(&Target::signal(signal), right)?;
        let rust = value.rust;
        Ok(Code::new(quote!(#name = #rust;), value.words))
    }

    /// `x.field = value` for a packed struct that is driven or a `let mut`.
    fn drive_field(&mut self, field: &syn::ExprField, right: &Expr) -> Result<Code> {
        let Member::Named(name) = &field.member else { return refuse(&field.member, "name the field") };
        let path = [name.clone()];
        let (target, place, words) = match self.place(&field.base)? {
            Some(place) => match place.what {
                What::Field(Kind::Output | Kind::Local) => {
                    let rust = place.rust;
                    self.connect(quote!(logic::logic_connect_fn(&mut #rust);));
                    (quote!(#rust.next.#name), quote!(#rust.next), place.name)
                }
                What::Field(Kind::Reg | Kind::Register) => {
                    let rust = place.rust;
                    self.connect(quote!(logic::logic_connect_fn(&mut #rust.d);));
                    (quote!(#rust.d.next.#name), quote!(#rust.d.next), format!("{}$d", place.name))
                }
                _ => {
                    return refuse(
                        field,
                        "only a field of an output, register, local signal or `let mut` is driven",
                    )
                }
            },
            None => {
                let base = match &*field.base {
                    Expr::Path(path) => path.path.get_ident(),
                    _ => None,
                };
                match base.map(|base| (base, self.local(&base.to_string()).cloned())) {
                    Some((base, Some(Local::Let { mutable: true, signal }))) => {
                        (quote!(#base.#name), quote!(#base), signal)
                    }
                    _ => {
                        return refuse(
                            field,
                            "only a field of an output, register, local signal or `let mut` is driven",
                        )
                    }
                }
            }
        };
        let (width, low) = self.field_bits(&place, &path);
        let value = self.give(&Target(format!("S s {words} {width} {low}")), right)?;
        let rust = value.rust;
        Ok(Code::new(quote_spanned!(field.span()=> #target = #rust;), value.words))
    }

    /// A value that goes to `target`: as an expression of Rust, and as the statements that bring it there.
    pub fn give(&mut self, target: &Target, value: &Expr) -> Result<Code> {
        match value {
            Expr::If(conditional) => self.give_if(target, conditional),
            Expr::Match(choice) => self.give_match(target, choice),
            Expr::Block(block) => {
                let code = self.give_block(target, &block.block)?;
                let rust = code.rust;
                Ok(Code::new(quote!({ #rust }), code.words))
            }
            Expr::Struct(fields) => self.give_struct(target, fields),
            other => {
                let value = self.assigned(other)?;
                Ok(Code::new(value.rust, format!("{} {}", target.0, value.words)))
            }
        }
    }

    fn give_block(&mut self, target: &Target, block: &syn::Block) -> Result<Code> {
        let Some((Stmt::Expr(last, None), statements)) = block.stmts.split_last() else {
            return refuse(block, "this block is a value: it ends with an expression without `;`");
        };
        self.scoped(|body| {
            let mut out = Code::default();
            for statement in statements {
                match statement {
                    Stmt::Local(_) => out.push(body.statement(statement)?),
                    other => return refuse(other, "a block that is a value has `let`s and the value"),
                }
            }
            let value = body.with_before(|body| body.give(target, last))?;
            out.push(value);
            Ok(out)
        })
    }

    fn branch(&mut self, target: &Target, block: &syn::Block) -> Result<Code> {
        self.conditions += 1;
        let code = self.give_block(target, block);
        self.conditions -= 1;
        code
    }

    fn give_if(&mut self, target: &Target, conditional: &ExprIf) -> Result<Code> {
        let test = self.condition(&conditional.cond)?;
        let then = self.branch(target, &conditional.then_branch)?;
        let Some((_, otherwise)) = &conditional.else_branch else {
            return refuse(conditional, "an `if` that is a value needs an `else`");
        };
        let (test_rust, then_rust) = (test.rust, then.rust);
        let (otherwise, word, end) = match &**otherwise {
            Expr::If(next) => (self.give_if(target, next)?, "J", ""),
            Expr::Block(block) => (self.branch(target, &block.block)?, "E", " }"),
            other => return refuse(other, "`else` is followed by a block or by `if`"),
        };
        let rust = otherwise.rust;
        Ok(Code::new(
            quote!(if #test_rust { #then_rust } else { #rust }),
            format!("I {} {} }} {word} {}{end}", test.words, then.words, otherwise.words),
        ))
    }

    fn give_match(&mut self, target: &Target, choice: &ExprMatch) -> Result<Code> {
        let (test, integers) = self.selector(choice)?;
        let (mut arms, mut words) = (TokenStream::new(), format!("M {}", test.words));
        for arm in &choice.arms {
            let cases = self.cases(arm, integers)?;
            self.conditions += 1;
            let code = self.scoped(|body| body.with_before(|body| body.give(target, &arm.body)));
            self.conditions -= 1;
            let code = code?;
            let (pattern, rust) = (cases.rust, code.rust);
            arms.extend(quote!(#pattern => { #rust }));
            for case in cases.words.split(' ') {
                words.push_str(&format!(" {case} {} }}", code.words));
            }
        }
        let test = test.rust;
        Ok(Code::new(quote!(match #test { #arms }), words + " }"))
    }

    /// `Type { a, b: c }`, or `Type { a, ..base }`.
    fn give_struct(&mut self, target: &Target, fields: &ExprStruct) -> Result<Code> {
        let (path, mut rust) = (&fields.path, TokenStream::new());
        let mut parts = vec![];
        for field in &fields.fields {
            let Member::Named(name) = &field.member else { return refuse(&field.member, "name the field") };
            let value = self.assigned(&field.expr)?;
            let value_rust = value.rust;
            rust.extend(quote!(#name: #value_rust,));
            parts.push((name.clone(), value.words));
        }
        if let Some(rest) = &fields.dot2_token {
            let Some(base) = &fields.rest else {
                return refuse(rest, "say what the other fields are: `..x`");
            };
            let Some(signal) = target.0.strip_prefix("A s ") else {
                return refuse(base, "a field of a field is not driven: bind the value to a `let` first");
            };
            let base_value = self.value(base)?;
            if base_value.form != Form::Signal {
                return refuse(base, "`..` is followed by a signal or a `let`");
            }
            let base_rust = base_value.rust;
            let mut words = format!("{} {}", target.0, base_value.words);
            for (name, value) in parts {
                let (width, low) = self.field_bits(&base_rust, &[name]);
                words.push_str(&format!(" S s {signal} {width} {low} {value}"));
            }
            return Ok(Code::new(quote!(#path { #rust ..#base_rust }), words));
        }
        let default = quote!(<#path as ::core::default::Default>::default());
        let total = self.width(&default);
        let mut words = format!("{} P {total} {}", target.0, parts.len());
        for (name, value) in parts {
            let (width, low) = self.field_bits(&default, &[name]);
            words.push_str(&format!(" {width} {low} {value}"));
        }
        Ok(Code::new(quote!(#path { #rust }), words))
    }

    /// `let x = value;`.
    pub fn let_local(&mut self, local: &syn::Local) -> Result<Code> {
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&typed.ty)),
            other => (other, None),
        };
        let Pat::Ident(binding) = pattern else { return refuse(pattern, "a `let` has one name") };
        if let Some(by) = &binding.by_ref {
            return refuse(by, "a `let` is a signal: it has no `ref`");
        }
        let name = &binding.ident;
        let Some(init) = local.init.as_ref() else { return refuse(local, "a `let` has a value") };
        if let Some((token, _)) = &init.diverge {
            return refuse(token, "a `let` of a block has no `else`");
        }
        let literal = matches!(&*init.expr, Expr::Lit(literal) if !matches!(literal.lit, syn::Lit::Bool(_)));
        if ty.is_none() && (literal || self.is_constant(&init.expr)) {
            return refuse(
                &init.expr,
                format_args!("a number has no width of its own: `let {name}: Bits<8> = ..`"),
            );
        }
        check_before_use(self, name)?;
        let wanted = match self.inlining.last() {
            Some(function) => format!("{function}_{name}"),
            None => name.to_string(),
        };
        let signal = self.signal(&wanted);
        let value = self.give(&Target::signal(&signal), &init.expr)?;
        self.declare(name, Local::Let { mutable: binding.mutability.is_some(), signal: signal.clone() })?;
        let (rust, mutability) = (value.rust, &binding.mutability);
        match ty {
            Some(ty) => {
                self.describe.extend(quote!(let #mutability #name: #ty = __described.typed(#signal);))
            }
            None => {
                let value = only_typed(&rust);
                self.describe.extend(quote!(let #mutability #name = __described.of(#signal, #value);));
            }
        }
        self.has_a_value(&signal);
        let annotation = ty.map(|ty| quote!(: #ty));
        Ok(Code::new(quote!(let #mutability #name #annotation = #rust;), value.words))
    }
}

/// Refuses a name that is taken before the value is read.
fn check_before_use(body: &Body, name: &Ident) -> Result<()> {
    super::structure::check_name(name)?;
    if body.structure.field(&name.to_string()).is_some() {
        return refuse(name, format_args!("`{name}` is a field of the block: use another name"));
    }
    if body.local(&name.to_string()).is_some() {
        return refuse(name, format_args!("`{name}` is there already: a signal has one meaning"));
    }
    Ok(())
}
