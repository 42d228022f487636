//! The dotted ways to functions: under which names a trace query may ask for a method.
//!
//! ```text
//! class Cart { add() {} }                       Cart.prototype.add
//! class Cart { static of() {}; run = () => {} }   Cart.of, Cart.run
//! shop.Cart = function () { this.add = g => {} }   shop.Cart, shop.Cart.add, and shop.add: of this
//! Cart.prototype = { add() {} }                 Cart.prototype.add
//! const cart = { add() {}, sub: { f() {} } }      cart.add, cart.sub.f
//! ```
//!
//! A query means every function whose way ends as it says; `prototype` may be left out. What is computed, or put there
//! by a call (`Object.assign(Cart.prototype, …)`), has no such way. (The ways are found only where a query has a dot.)

use rustc_hash::FxHashMap;
use swc_atoms::{Atom, atom};
use swc_ecma_ast::{
    AssignExpr, AssignTarget, BinaryOp, Class, ClassDecl, ClassExpr, ClassMember, Constructor,
    DefaultDecl, ExportDefaultDecl, Expr, FnDecl, Function, Lit, MemberExpr, MemberProp, Pat,
    Program, Prop, PropName, PropOrSpread, SimpleAssignTarget, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::OriginalNames;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// The names of a way, each with where it is.
type Path = Vec<(Atom, ByteOffset)>;

/// The ways to the functions of a script, by where the functions begin.
#[derive(Debug, Default)]
pub(super) struct FunctionPaths {
    paths: FxHashMap<ByteOffset, Vec<Path>>,
}

impl FunctionPaths {
    pub(super) fn of(program: &Program) -> Self {
        let mut walk = Walk::default();
        program.visit_with(&mut walk);
        Self { paths: walk.paths }
    }

    /// Whether the function that begins at `start` may be asked for as `asked`, a dotted name.
    pub(super) fn is_called(
        &self,
        start: ByteOffset,
        asked: &str,
        names: &dyn OriginalNames,
    ) -> bool {
        let paths = self.paths.get(&start).into_iter().flatten();
        let mut paths = paths.map(Vec::as_slice);
        paths.any(|path| ends_with(path, asked, names))
    }
}

/// Whether `callee` may be asked for as `asked`, a dotted name.
pub(super) fn is_reached(callee: &Expr, asked: &str, names: &dyn OriginalNames) -> bool {
    let paths = paths_to(callee, &[]);
    paths.iter().any(|path| ends_with(path, asked, names))
}

fn ends_with(path: &[(Atom, ByteOffset)], asked: &str, names: &dyn OriginalNames) -> bool {
    let path: Vec<String> = path
        .iter()
        .map(|(name, at)| match name.as_str() {
            // No bundler renames it; where a class says it without the word, another name is there.
            "prototype" => name.to_string(),
            _ => names.original_name(*at).unwrap_or_else(|| name.to_string()),
        })
        .collect();
    let asked: Vec<&str> = asked.split('.').collect();
    let without_prototype: Vec<&String> = path.iter().filter(|name| *name != "prototype").collect();
    let whole: Vec<&String> = path.iter().collect();
    [whole, without_prototype].iter().any(|path| {
        let skipped = path.len().checked_sub(asked.len());
        skipped.is_some_and(|skipped| path[skipped..].iter().eq(asked.iter()))
    })
}

/// The ways that an expression says. What is before an unknown part is left out.
fn paths_to(expression: &Expr, this: &[Path]) -> Vec<Path> {
    match unparenthesized(expression) {
        Expr::Ident(ident) => vec![vec![(ident.sym.clone(), ByteOffset(ident.span.lo.0))]],
        Expr::This(_) => this.to_vec(),
        Expr::Member(member) => paths_to_member(member, this),
        _ => Vec::new(),
    }
}

fn paths_to_member(member: &MemberExpr, this: &[Path]) -> Vec<Path> {
    let name = match &member.prop {
        MemberProp::Ident(ident) => (ident.sym.clone(), ByteOffset(ident.span.lo.0)),
        MemberProp::PrivateName(private) => (
            Atom::from(format!("#{}", private.name)),
            ByteOffset(private.span.lo.0),
        ),
        MemberProp::Computed(computed) => match unparenthesized(&computed.expr) {
            Expr::Lit(Lit::Str(string)) => match string.value.as_str() {
                Some(name) => (Atom::from(name), ByteOffset(string.span.lo.0)),
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        },
    };
    let mut paths = paths_to(&member.obj, this);
    if paths.is_empty() {
        paths.push(Path::new());
    }
    for path in &mut paths {
        path.push(name.clone());
    }
    paths
}

/// Where the name of a member of a literal or class is, and the name.
fn key(name: &PropName) -> Option<(Atom, ByteOffset)> {
    match name {
        PropName::Ident(ident) => Some((ident.sym.clone(), ByteOffset(ident.span.lo.0))),
        PropName::Str(string) => {
            let name = string.value.as_str().map(Atom::from)?;
            Some((name, ByteOffset(string.span.lo.0)))
        }
        _ => None,
    }
}

fn longer(paths: &[Path], names: &[(Atom, ByteOffset)]) -> Vec<Path> {
    let longer = paths.iter().map(|path| [path.as_slice(), names].concat());
    longer.collect()
}

/// Without the last name, and without the `prototype` before it: what `this` is in a method.
fn owners(paths: &[Path]) -> Vec<Path> {
    let owners = paths.iter().filter_map(|path| {
        let (_, mut owner) = path.split_last()?;
        if let Some((last, before)) = owner.split_last()
            && last.0 == atom!("prototype")
        {
            owner = before;
        }
        (!owner.is_empty()).then(|| owner.to_vec())
    });
    owners.collect()
}

#[derive(Default)]
struct Walk {
    paths: FxHashMap<ByteOffset, Vec<Path>>,
    /// The ways to what the expression about to be visited is put into.
    into: Vec<Path>,
    /// The ways to what `this` is.
    this: Vec<Path>,
}

impl Walk {
    fn record(&mut self, at: swc_common::Span, paths: &[Path]) {
        if !paths.is_empty() {
            let known = self.paths.entry(ByteOffset(at.lo.0)).or_default();
            known.extend_from_slice(paths);
        }
    }

    fn with_this(&mut self, this: Vec<Path>, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.this, this);
        inside(self);
        self.this = outer;
    }

    /// A function that is reached as `paths` say; as a constructor it makes what it is called by, as a method it is of
    /// an object.
    fn function(&mut self, function: &Function, paths: &[Path]) {
        self.record(function.span, paths);
        let this = [paths, &owners(paths)].concat();
        self.with_this(this, |walk| function.visit_children_with(walk));
    }

    fn put_into(&mut self, paths: Vec<Path>, value: &Expr) {
        self.into = paths;
        value.visit_with(self);
        self.into.clear();
    }

    fn class(&mut self, class: &Class, paths: &[Path]) {
        class.super_class.visit_with(self);
        class.decorators.visit_with(self);
        for member in &class.body {
            self.with_this(paths.to_vec(), |walk| walk.class_member(member, paths));
        }
    }

    fn class_expression(&mut self, class: &ClassExpr, mut paths: Vec<Path>) {
        if let Some(ident) = &class.ident {
            paths.push(vec![(ident.sym.clone(), ByteOffset(ident.span.lo.0))]);
        }
        self.class(&class.class, &paths);
    }

    fn class_member(&mut self, member: &ClassMember, class: &[Path]) {
        let of_class = |key: Option<(Atom, ByteOffset)>, is_method: bool| match key {
            Some((name, at)) if is_method => longer(class, &[(atom!("prototype"), at), (name, at)]),
            Some(key) => longer(class, &[key]),
            None => Vec::new(),
        };
        match member {
            ClassMember::Method(method) => {
                method.key.visit_with(self);
                let paths = of_class(key(&method.key), !method.is_static);
                self.function(&method.function, &paths);
            }
            ClassMember::PrivateMethod(method) => {
                let name = Atom::from(format!("#{}", method.key.name));
                let at = ByteOffset(method.key.span.lo.0);
                let paths = of_class(Some((name, at)), false);
                self.function(&method.function, &paths);
            }
            ClassMember::ClassProp(property) => {
                property.key.visit_with(self);
                if let Some(value) = &property.value {
                    self.put_into(of_class(key(&property.key), false), value);
                }
            }
            ClassMember::PrivateProp(property) => {
                let name = Atom::from(format!("#{}", property.key.name));
                let at = ByteOffset(property.key.span.lo.0);
                if let Some(value) = &property.value {
                    self.put_into(of_class(Some((name, at)), false), value);
                }
            }
            ClassMember::Constructor(constructor) => self.constructor(constructor, class),
            other => other.visit_children_with(self),
        }
    }

    fn constructor(&mut self, constructor: &Constructor, class: &[Path]) {
        self.record(constructor.span, class);
        constructor.visit_children_with(self);
    }

    fn property(&mut self, property: &Prop, object: &[Path]) {
        let of_object = |name: &PropName| match key(name) {
            Some(key) => longer(object, &[key]),
            None => Vec::new(),
        };
        match property {
            Prop::KeyValue(pair) => {
                pair.key.visit_with(self);
                self.put_into(of_object(&pair.key), &pair.value);
            }
            Prop::Method(method) => {
                method.key.visit_with(self);
                self.function(&method.function, &of_object(&method.key));
            }
            Prop::Getter(getter) => {
                getter.key.visit_with(self);
                self.function(&getter.function, &of_object(&getter.key));
            }
            Prop::Setter(setter) => {
                setter.key.visit_with(self);
                self.function(&setter.function, &of_object(&setter.key));
            }
            other => other.visit_children_with(self),
        }
    }

    fn assignment(&mut self, assign: &AssignExpr, into: Vec<Path>) {
        let mut paths = match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                vec![vec![(ident.sym.clone(), ByteOffset(ident.span.lo.0))]]
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                paths_to_member(member, &self.this)
            }
            AssignTarget::Simple(SimpleAssignTarget::Paren(paren)) => {
                paths_to(&paren.expr, &self.this)
            }
            _ => Vec::new(),
        };
        assign.left.visit_with(self);
        paths.extend(into);
        self.put_into(paths, &assign.right);
    }
}

impl Visit for Walk {
    fn visit_expr(&mut self, expression: &Expr) {
        let into = std::mem::take(&mut self.into);
        match expression {
            Expr::Paren(paren) => self.put_into(into, &paren.expr),
            Expr::Fn(function) => self.function(&function.function, &into),
            Expr::Arrow(arrow) => {
                self.record(arrow.span, &into);
                arrow.visit_children_with(self);
            }
            Expr::Class(class) => self.class_expression(class, into),
            Expr::Object(object) => {
                // Of one that is put nowhere that has a name, what is in its objects still has a way.
                let into = match into.as_slice() {
                    [] => vec![Path::new()],
                    _ => into,
                };
                for property in &object.props {
                    match property {
                        PropOrSpread::Prop(property) => self.property(property, &into),
                        PropOrSpread::Spread(spread) => spread.visit_with(self),
                    }
                }
            }
            Expr::Assign(assign) => self.assignment(assign, into),
            Expr::Cond(cond) => {
                cond.test.visit_with(self);
                self.put_into(into.clone(), &cond.cons);
                self.put_into(into, &cond.alt);
            }
            Expr::Bin(binary)
                if matches!(
                    binary.op,
                    BinaryOp::LogicalOr | BinaryOp::LogicalAnd | BinaryOp::NullishCoalescing
                ) =>
            {
                binary.left.visit_with(self);
                self.put_into(into, &binary.right);
            }
            other => other.visit_children_with(self),
        }
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        declarator.name.visit_with(self);
        let paths = match &declarator.name {
            Pat::Ident(ident) => vec![vec![(ident.sym.clone(), ByteOffset(ident.span.lo.0))]],
            _ => Vec::new(),
        };
        if let Some(value) = &declarator.init {
            self.put_into(paths, value);
        }
    }

    fn visit_fn_decl(&mut self, function: &FnDecl) {
        let name = (
            function.ident.sym.clone(),
            ByteOffset(function.ident.span.lo.0),
        );
        self.function(&function.function, &[vec![name]]);
    }

    fn visit_class_decl(&mut self, class: &ClassDecl) {
        let name = (class.ident.sym.clone(), ByteOffset(class.ident.span.lo.0));
        self.class(&class.class, &[vec![name]]);
    }

    fn visit_export_default_decl(&mut self, export: &ExportDefaultDecl) {
        match &export.decl {
            DefaultDecl::Class(class) => self.class_expression(class, Vec::new()),
            DefaultDecl::Fn(function) => {
                let name = function.ident.iter();
                let name = name.map(|ident| vec![(ident.sym.clone(), ByteOffset(ident.span.lo.0))]);
                self.function(&function.function, &name.collect::<Vec<Path>>());
            }
            DefaultDecl::TsInterfaceDecl(_) => {}
        }
    }

    fn visit_function(&mut self, function: &Function) {
        self.function(function, &[]);
    }
}
