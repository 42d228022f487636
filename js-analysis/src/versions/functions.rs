//! The functions of a script, each with what is inside it.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignExpr, AssignTarget, ClassDecl, ClassExpr, ClassMethod,
    ClassProp, Constructor, Expr, FnDecl, FnExpr, Function, FunctionBody, GetterProp, Ident,
    KeyValueProp, MemberProp, MethodKind, MethodProp, Pat, PrivateMethod, PrivateProp, Program,
    PropName, SetterProp, SimpleAssignTarget, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::after_directives;

/// What kind of function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Script,
    Function,
    Arrow,
    Method,
    Getter,
    Setter,
    Constructor,
}

/// What a function does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// The expression of an arrow.
    Expression(ByteSpan),
    /// A block, with its braces.
    Block {
        span: ByteSpan,
        /// What is inside, behind directives.
        inside: ByteSpan,
        directives: String,
    },
}

impl Body {
    pub(super) const fn span(&self) -> ByteSpan {
        match self {
            Self::Expression(span) | Self::Block { span, .. } => *span,
        }
    }

    pub(super) const fn inside(&self) -> ByteSpan {
        match self {
            Self::Expression(span) => *span,
            Self::Block { inside, .. } => *inside,
        }
    }

    pub(super) fn directives(&self) -> &str {
        match self {
            Self::Expression(_) => "",
            Self::Block { directives, .. } => directives,
        }
    }
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FunctionNode {
    pub(super) span: ByteSpan,
    pub(super) kind: Kind,
    /// With its class; empty: it has none.
    pub(super) name: String,
    pub(super) body: Body,
    /// Those directly inside, by index.
    pub(super) children: Vec<usize>,
}

/// The functions of a script, the script itself first, then in the order of their beginnings. `author` gives what the
/// author calls the variable that a name means at a place.
pub(super) fn functions(
    program: &Program,
    source: &str,
    author: &dyn Fn(&str, ByteOffset) -> String,
) -> Vec<FunctionNode> {
    let whole = ByteSpan {
        start: ByteOffset(0),
        end: ByteOffset::from_index(source.len()),
    };
    let mut finder = Finder {
        source,
        author,
        found: vec![FunctionNode {
            span: whole,
            kind: Kind::Script,
            name: String::new(),
            body: Body::Block {
                span: whole,
                inside: whole,
                directives: String::new(),
            },
            children: Vec::new(),
        }],
        around: vec![0],
        class: String::new(),
        name: String::new(),
    };
    program.visit_with(&mut finder);
    finder.found
}

struct Finder<'s> {
    source: &'s str,
    author: &'s dyn Fn(&str, ByteOffset) -> String,
    found: Vec<FunctionNode>,
    around: Vec<usize>,
    class: String,
    /// What the next function or class is called, if it has no name of its own.
    name: String,
}

fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

impl Finder<'_> {
    fn block(&self, block: &FunctionBody) -> Body {
        let span = bytes(block.span);
        let start = ByteOffset(span.start.0 + 1);
        let (inside, _) = after_directives(self.source, &block.stmts, start);
        let directives = self.source.get(start.index()..inside.index());
        Body::Block {
            span,
            inside: ByteSpan {
                start: inside,
                end: ByteOffset(span.end.0.saturating_sub(1)),
            },
            directives: directives.unwrap_or_default().trim().to_owned(),
        }
    }

    fn enter(
        &mut self,
        span: Span,
        kind: Kind,
        name: String,
        body: Body,
        visit: impl FnOnce(&mut Self),
    ) {
        let index = self.found.len();
        self.found.push(FunctionNode {
            span: bytes(span),
            kind,
            name,
            body,
            children: Vec::new(),
        });
        let parent = self.around.last().copied().unwrap_or(0);
        self.found[parent].children.push(index);
        self.around.push(index);
        let class = std::mem::take(&mut self.class);
        self.name.clear();
        visit(self);
        self.class = class;
        self.around.pop();
    }

    fn function(&mut self, span: Span, kind: Kind, name: String, function: &Function) {
        match &function.body {
            Some(body) => {
                let body = self.block(body);
                self.enter(span, kind, name, body, |it| {
                    function.visit_children_with(it)
                });
            }
            None => function.visit_children_with(self),
        }
    }

    /// What the author calls a variable.
    fn variable(&self, ident: &Ident) -> String {
        (self.author)(&ident.sym, ByteOffset(ident.span.lo.0))
    }

    /// The name of a member, with its class.
    fn member(&self, key: &str) -> String {
        format!("{}.{key}", self.class)
    }

    fn key(&self, key: &PropName) -> String {
        self.text(key.span())
    }

    fn text(&self, span: Span) -> String {
        let span = bytes(span);
        let text = self.source.get(span.start.index()..span.end.index());
        text.unwrap_or_default().to_owned()
    }

    fn named(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.name = name;
        visit(self);
        self.name.clear();
    }

    fn class(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.class, name);
        self.name.clear();
        visit(self);
        self.class = around;
    }
}

impl Visit for Finder<'_> {
    fn visit_fn_decl(&mut self, it: &FnDecl) {
        let name = self.variable(&it.ident);
        self.function(it.function.span, Kind::Function, name, &it.function);
    }

    fn visit_fn_expr(&mut self, it: &FnExpr) {
        let hint = std::mem::take(&mut self.name);
        let name = it.ident.as_ref().map_or(hint, |ident| self.variable(ident));
        self.function(it.function.span, Kind::Function, name, &it.function);
    }

    fn visit_arrow_expr(&mut self, it: &ArrowExpr) {
        let name = std::mem::take(&mut self.name);
        let body = match &*it.body {
            ArrowFunctionBody::FunctionBody(block) => self.block(block),
            ArrowFunctionBody::Expr(expression) => Body::Expression(bytes(expression.span())),
        };
        self.enter(it.span, Kind::Arrow, name, body, |finder| {
            it.visit_children_with(finder)
        });
    }

    fn visit_class_method(&mut self, it: &ClassMethod) {
        let kind = match it.kind {
            MethodKind::Method => Kind::Method,
            MethodKind::Getter => Kind::Getter,
            MethodKind::Setter => Kind::Setter,
        };
        let name = self.member(&self.key(&it.key));
        it.key.visit_with(self);
        self.function(it.function.span, kind, name, &it.function);
    }

    fn visit_private_method(&mut self, it: &PrivateMethod) {
        let kind = match it.kind {
            MethodKind::Method => Kind::Method,
            MethodKind::Getter => Kind::Getter,
            MethodKind::Setter => Kind::Setter,
        };
        let name = self.member(&self.text(it.key.span));
        self.function(it.function.span, kind, name, &it.function);
    }

    fn visit_constructor(&mut self, it: &Constructor) {
        let name = self.class.clone();
        match &it.body {
            Some(body) => {
                let body = self.block(body);
                self.enter(it.span, Kind::Constructor, name, body, |finder| {
                    it.visit_children_with(finder);
                });
            }
            None => it.visit_children_with(self),
        }
    }

    fn visit_method_prop(&mut self, it: &MethodProp) {
        let name = self.key(&it.key);
        it.key.visit_with(self);
        self.function(it.function.span, Kind::Method, name, &it.function);
    }

    fn visit_getter_prop(&mut self, it: &GetterProp) {
        let name = self.key(&it.key);
        it.key.visit_with(self);
        self.function(it.function.span, Kind::Getter, name, &it.function);
    }

    fn visit_setter_prop(&mut self, it: &SetterProp) {
        let name = self.key(&it.key);
        it.key.visit_with(self);
        self.function(it.function.span, Kind::Setter, name, &it.function);
    }

    fn visit_class_decl(&mut self, it: &ClassDecl) {
        let name = self.variable(&it.ident);
        self.class(name, |finder| it.class.visit_with(finder));
    }

    fn visit_class_expr(&mut self, it: &ClassExpr) {
        let hint = std::mem::take(&mut self.name);
        let name = it.ident.as_ref().map_or(hint, |ident| self.variable(ident));
        self.class(name, |finder| it.class.visit_with(finder));
    }

    fn visit_class_prop(&mut self, it: &ClassProp) {
        let name = self.member(&self.key(&it.key));
        self.named(name, |finder| it.visit_children_with(finder));
    }

    fn visit_private_prop(&mut self, it: &PrivateProp) {
        let name = self.member(&self.text(it.key.span));
        self.named(name, |finder| it.visit_children_with(finder));
    }

    fn visit_key_value_prop(&mut self, it: &KeyValueProp) {
        let name = self.key(&it.key);
        it.key.visit_with(self);
        self.named(name, |finder| it.value.visit_with(finder));
    }

    fn visit_var_declarator(&mut self, it: &VarDeclarator) {
        it.name.visit_with(self);
        let name = match &it.name {
            Pat::Ident(ident) => self.variable(ident),
            _ => String::new(),
        };
        self.named(name, |finder| it.init.visit_with(finder));
    }

    fn visit_assign_expr(&mut self, it: &AssignExpr) {
        it.left.visit_with(self);
        let name = match &it.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => self.variable(ident),
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => match &member.prop {
                MemberProp::Ident(name) => name.sym.to_string(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        self.named(name, |finder| it.right.visit_with(finder));
    }

    fn visit_expr(&mut self, it: &Expr) {
        // A name is for the function or class itself, not for what is deeper.
        if !matches!(
            it,
            Expr::Fn(_) | Expr::Arrow(_) | Expr::Class(_) | Expr::Paren(_)
        ) {
            self.name.clear();
        }
        it.visit_children_with(self);
    }
}
