//! What `macro_rules!` puts around its arguments: groups without a sign. Blocks may be written in such macros.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Type};

/// An expression without groups: what an attribute says is not visited with its item.
pub fn ungrouped(mut expression: Expr) -> Expr {
    Ungroup.visit_expr_mut(&mut expression);
    expression
}

/// Takes the groups away. An expression of several parts gets parentheses for its group.
pub struct Ungroup;

impl VisitMut for Ungroup {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Group(group) = expression {
            let inner = (*group.expr).clone();
            *expression = match inner {
                Expr::Lit(_)
                | Expr::Path(_)
                | Expr::Field(_)
                | Expr::Index(_)
                | Expr::Paren(_)
                | Expr::Group(_) => inner,
                other => Expr::Paren(syn::ExprParen {
                    attrs: vec![],
                    paren_token: syn::token::Paren(group.group_token.span),
                    expr: Box::new(other),
                }),
            };
            return self.visit_expr_mut(expression);
        }
        visit_mut::visit_expr_mut(self, expression);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Group(group) = ty {
            *ty = (*group.elem).clone();
            return self.visit_type_mut(ty);
        }
        visit_mut::visit_type_mut(self, ty);
    }
}
