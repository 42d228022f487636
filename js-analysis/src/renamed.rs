//! Built-in functions that a script calls by names of its own.
//!
//! ```js
//! const { isArray } = Array, same = typeof Object.is === "function" ? Object.is : polyfill;
//! isArray(list);   // calls `Array.isArray`
//! same(a, b);      // calls `Object.is`
//! ```
//!
//! A variable counts that is declared once, with such a value, and that nothing else writes.

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    AssignExpr, AssignTarget, BinaryOp, CallExpr, Callee, Expr, ForHead, ForInStmt, ForOfStmt,
    Ident, Lit, MemberExpr, MemberProp, ObjectPatProp, Pat, PropName, SimpleAssignTarget, UnaryOp,
    UpdateExpr, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::Goal;
use crate::call_graph::InnermostScopes;
use crate::log::short_text;
use crate::position::ByteOffset;
use crate::rewrite::{RewriteError, with_script};
use crate::scopes::{BindingIndex, for_each_binding, unparenthesized};

/// A call of a built-in function by another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Where the call begins.
    pub at: ByteOffset,
    /// The callee as it is written.
    pub written: String,
    /// The built-in by its own name.
    pub name: String,
}

/// So many names in a row are followed.
const MOST_NAMES: usize = 8;

/// The calls of a script whose callee is a variable that holds a built-in function, or a method of one.
///
/// # Errors
/// [`RewriteError`] if the script does not parse.
pub fn renamed_built_ins(source: &str, goal: Goal) -> Result<Vec<Renamed>, RewriteError> {
    with_script(source, goal, |script| {
        let mut finder = Finder {
            scopes: InnermostScopes::new(script.scopes()),
            values: FxHashMap::default(),
            changed: FxHashSet::default(),
            calls: Vec::new(),
        };
        script.program().visit_with(&mut finder);
        let calls = finder.calls.iter();
        calls
            .filter_map(|call| {
                let name = finder.name_of(&call.callee)?;
                Some(Renamed {
                    at: call.at,
                    written: short_text(
                        source.get(call.written.0.index()..call.written.1.index())?,
                    ),
                    name: format!("{name}{}", call.method),
                })
            })
            .collect()
    })
}

/// What a variable is given where it is declared.
#[derive(Clone, Debug)]
enum Given {
    /// A global variable, or a property of one, by its name.
    Global(String),
    /// What another variable holds, and the properties behind it.
    Variable(BindingIndex, String),
}

struct Call {
    at: ByteOffset,
    /// Where its callee is written.
    written: (ByteOffset, ByteOffset),
    callee: Given,
    /// `.call` and the like.
    method: String,
}

struct Finder<'s> {
    scopes: InnermostScopes<'s>,
    values: FxHashMap<BindingIndex, Given>,
    /// Variables that something else writes.
    changed: FxHashSet<BindingIndex>,
    calls: Vec<Call>,
}

impl Finder<'_> {
    fn binding(&self, name: &Atom, at: u32) -> Option<BindingIndex> {
        self.scopes.resolve(name, at).binding()
    }

    /// What a name, or properties of what it holds, is.
    fn given(&self, expression: &Expr) -> Option<Given> {
        match unparenthesized(expression) {
            Expr::Ident(ident) => Some(match self.binding(&ident.sym, ident.span.lo.0) {
                Some(binding) => Given::Variable(binding, String::new()),
                None => Given::Global(ident.sym.to_string()),
            }),
            Expr::Member(MemberExpr {
                obj,
                prop: MemberProp::Ident(key),
                ..
            }) => Some(self.given(obj)?.of(&key.sym)),
            // What a browser has is there, whatever is asked before.
            Expr::Cond(condition) => {
                let known = self.global(&condition.cons)?;
                (self.asked_for(&condition.test)? == known).then_some(Given::Global(known))
            }
            Expr::Bin(either)
                if matches!(either.op, BinaryOp::LogicalOr | BinaryOp::NullishCoalescing) =>
            {
                Some(Given::Global(self.global(&either.left)?))
            }
            _ => None,
        }
    }

    /// The property of a global variable that an expression is, by its name.
    fn global(&self, expression: &Expr) -> Option<String> {
        match self.given(expression)? {
            Given::Global(name) if name.contains('.') => Some(name),
            _ => None,
        }
    }

    /// The function that a condition asks for: `typeof Object.is === "function"`.
    fn asked_for(&self, test: &Expr) -> Option<String> {
        let Expr::Bin(comparison) = unparenthesized(test) else {
            return None;
        };
        if !matches!(comparison.op, BinaryOp::EqEq | BinaryOp::EqEqEq) {
            return None;
        }
        let sides = [&comparison.left, &comparison.right].map(|it| unparenthesized(it));
        let is_function =
            |it: &Expr| matches!(it, Expr::Lit(Lit::Str(text)) if text.value == *"function");
        let asked = sides.iter().find_map(|it| match it {
            Expr::Unary(unary) if unary.op == UnaryOp::TypeOf => self.global(&unary.arg),
            _ => None,
        });
        asked.filter(|_| sides.iter().any(|it| is_function(it)))
    }

    fn declare(&mut self, name: &Atom, at: u32, value: Option<Given>) {
        let Some(binding) = self.binding(name, at) else {
            return;
        };
        let Some(value) = value else {
            self.changed.insert(binding);
            return;
        };
        if self.values.insert(binding, value).is_some() {
            self.changed.insert(binding);
        }
    }

    /// All variables of a pattern are written.
    fn change(&mut self, pattern: &Pat) {
        let mut names = Vec::new();
        for_each_binding(pattern, &mut |name, at| names.push((name.clone(), at.0)));
        for (name, at) in names {
            self.declare(&name, at, None);
        }
    }

    fn change_ident(&mut self, ident: &Ident) {
        self.declare(&ident.sym, ident.span.lo.0, None);
    }

    /// The name of the built-in that is called; `None`: it is none, or called by its own name.
    fn name_of(&self, callee: &Given) -> Option<String> {
        let mut behind = String::new();
        let mut given = callee;
        for _ in 0..MOST_NAMES {
            match given {
                Given::Global(name) => {
                    let name = format!("{name}{behind}");
                    let of_window = ["window.", "globalThis.", "self."];
                    let plain = of_window.iter().find_map(|it| name.strip_prefix(it));
                    return Some(plain.map_or(name.clone(), str::to_owned));
                }
                Given::Variable(binding, properties) => {
                    if self.changed.contains(binding) {
                        return None;
                    }
                    behind = format!("{properties}{behind}");
                    given = self.values.get(binding)?;
                }
            }
        }
        None
    }
}

impl Given {
    /// A property of it.
    fn of(self, key: &str) -> Self {
        match self {
            Self::Global(name) => Self::Global(format!("{name}.{key}")),
            Self::Variable(binding, properties) => {
                Self::Variable(binding, format!("{properties}.{key}"))
            }
        }
    }
}

impl Visit for Finder<'_> {
    fn visit_var_declarator(&mut self, it: &VarDeclarator) {
        it.visit_children_with(self);
        let Some(init) = &it.init else {
            // `var name;` of a variable that something writes later is found there.
            return;
        };
        match (&it.name, self.given(init)) {
            (Pat::Ident(ident), value) => self.declare(&ident.id.sym, ident.id.span.lo.0, value),
            (Pat::Object(pattern), Some(of)) => {
                for property in &pattern.props {
                    match property {
                        ObjectPatProp::Assign(own) if own.value.is_none() => {
                            let value = of.clone().of(&own.key.id.sym);
                            self.declare(&own.key.id.sym, own.key.id.span.lo.0, Some(value));
                        }
                        ObjectPatProp::KeyValue(own) => match (&own.key, &*own.value) {
                            (PropName::Ident(key), Pat::Ident(name)) => {
                                let value = of.clone().of(&key.sym);
                                self.declare(&name.id.sym, name.id.span.lo.0, Some(value));
                            }
                            (_, pattern) => self.change(pattern),
                        },
                        ObjectPatProp::Assign(own) => self.change_ident(&own.key.id),
                        ObjectPatProp::Rest(rest) => self.change(&rest.arg),
                    }
                }
            }
            (pattern, _) => self.change(pattern),
        }
    }

    fn visit_assign_expr(&mut self, it: &AssignExpr) {
        it.visit_children_with(self);
        match &it.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => self.change_ident(&ident.id),
            AssignTarget::Simple(_) => {}
            AssignTarget::Pat(pattern) => self.change(&pattern.clone().into()),
        }
    }

    fn visit_update_expr(&mut self, it: &UpdateExpr) {
        it.visit_children_with(self);
        if let Expr::Ident(ident) = &*it.arg {
            self.change_ident(ident);
        }
    }

    fn visit_for_in_stmt(&mut self, it: &ForInStmt) {
        it.visit_children_with(self);
        self.change_head(&it.left);
    }

    fn visit_for_of_stmt(&mut self, it: &ForOfStmt) {
        it.visit_children_with(self);
        self.change_head(&it.left);
    }

    fn visit_call_expr(&mut self, it: &CallExpr) {
        it.visit_children_with(self);
        let Callee::Expr(callee) = &it.callee else {
            return;
        };
        let written = callee.span();
        let (callee, method) = match &**callee {
            Expr::Member(MemberExpr {
                obj,
                prop: MemberProp::Ident(key),
                ..
            }) => (&**obj, format!(".{}", key.sym)),
            callee => (callee, String::new()),
        };
        if let Some(callee @ Given::Variable(..)) = self.given(callee) {
            self.calls.push(Call {
                at: ByteOffset(it.span.lo.0),
                written: (ByteOffset(written.lo.0), ByteOffset(written.hi.0)),
                callee,
                method,
            });
        }
    }
}

impl Finder<'_> {
    fn change_head(&mut self, head: &ForHead) {
        match head {
            ForHead::Pat(pattern) => self.change(pattern),
            ForHead::VarDecl(declaration) => {
                for declarator in &declaration.decls {
                    self.change(&declarator.name);
                }
            }
            ForHead::UsingDecl(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn names(source: &str) -> Vec<String> {
        let found = renamed_built_ins(source, Goal::Module).unwrap();
        found.into_iter().map(|it| it.name).collect()
    }

    #[test]
    fn built_ins_are_known_by_the_names_that_hold_them() {
        for (source, expected) in [
            ("const same = Object.is; same(1, 2)", "Object.is"),
            ("const { isArray } = Array; isArray(1)", "Array.isArray"),
            (
                "const { is: a, keys } = Object; function f() { a(keys(1)) }",
                "Object.keys Object.is",
            ),
            (
                "var has = Object.prototype.hasOwnProperty; var own = (a, b) => has.call(a, b)",
                "Object.prototype.hasOwnProperty.call",
            ),
            (
                "const same = \"function\" == typeof Object.is ? Object.is : other; same(1)",
                "Object.is",
            ),
            (
                "const now = window.performance || other; now.now()",
                "performance.now",
            ),
            (
                "const proto = Array.prototype, { slice } = proto; slice.call(a)",
                "Array.prototype.slice.call",
            ),
            // It is no built-in, and said to be what it is.
            (
                "const Object = mine; const same = Object.is; same(1)",
                "mine.is",
            ),
            (
                "const m = Math; const { floor } = m; floor(1); m.max(1)",
                "Math.floor Math.max",
            ),
        ] {
            assert_eq!(names(source).join(" "), expected, "{source}");
        }
        let found = renamed_built_ins("const m = Math; f(m.max(1))", Goal::Module).unwrap();
        let expected = Renamed {
            at: ByteOffset(18),
            written: "m.max".to_owned(),
            name: "Math.max".to_owned(),
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn what_may_hold_something_else_has_no_other_name() {
        for source in [
            "let same = Object.is; same = other; same(1)",
            "let same = Object.is; [same] = others; same(1)",
            "let { is } = Object; for (is of others) is(1)",
            "var same = Object.is; var same = other; same(1)",
            "function f(same) { same(1) } const same = Object.is",
            "const same = other ? Object.is : different; same(1)",
            "const { is = mine } = Object; is(1)",
            "const same = mine.is; const mine = make(); same(1)",
            "Object.is(1, 2)",
        ] {
            assert_eq!(names(source), [""; 0], "{source}");
        }
    }
}
