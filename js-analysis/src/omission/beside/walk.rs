//! The walk over a script that finds what it hands over.

mod functions;

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, AssignExpr, AssignTarget, BinaryOp, CallExpr, Callee, Class, ClassDecl, ClassMember,
    Constructor, Expr, FnDecl, FnExpr, Function, GetterProp, MemberExpr, MemberProp, MethodProp,
    ModuleDecl, NewExpr, Pat, Prop, ReturnStmt, SeqExpr, SetterProp, SimpleAssignTarget, Stmt,
    ThrowStmt, TryStmt, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::choices::{Choice, ChoiceSite, given_or_not, of_option};
use super::outcome::{TestOutcome, given, last_of, outcome_of, text_of};
use super::roots::{is_of_platform, name_of, root};
use super::{Beside, HandedFunction, OwnCall, Returned, Site, Target, Tree, Variable};
use crate::call_graph::InnermostScopes;
use crate::omission::coverage::Coverage;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{Script, condition_operands};
use crate::scopes::{ScopeIndex, Scopes, unparenthesized};

/// What a script hands over.
pub(super) fn walked(script: &Script<'_>, coverage: &Coverage) -> Beside {
    let mut walk = Walk {
        innermost: InnermostScopes::new(script.scopes()),
        scopes: script.scopes(),
        coverage,
        found: Beside::default(),
        tree: 0,
        path: Vec::new(),
        nodes: 0,
        inside: Vec::new(),
        caught: false,
        property: None,
        holder: None,
        aliases: FxHashMap::default(),
        properties: FxHashMap::default(),
        empty: FxHashSet::default(),
    };
    walk.in_tree(|walk| script.program().visit_with(walk));
    let Walk {
        mut found,
        properties,
        empty,
        aliases,
        ..
    } = walk;
    for site in &mut found.sites {
        if let Target::Variable(variable) = &mut site.target
            && let Some(other) = aliases.get(variable)
        {
            *variable = other.clone();
        }
    }
    for function in &mut found.functions {
        for returned in &mut function.returns {
            let is_it = |(variable, _): &&(Variable, ByteSpan)| {
                returned.variable.as_ref() == Some(variable) && empty.contains(variable)
            };
            let fills = function.fills.iter().filter(is_it);
            returned.fills = fills.map(|(_, span)| *span).collect();
        }
        if let (None, Some(variable)) = (&function.property, &function.variable) {
            function.property = properties.get(variable).cloned();
        }
    }
    // Only what is a function is handed over by its variable or its name.
    let own = found.functions.iter();
    let variables = own.flat_map(|it| it.variable.iter().chain(&it.holder));
    let variables: FxHashSet<&Variable> = variables.collect();
    let own = found.functions.iter();
    let names: FxHashSet<&Atom> = own.filter_map(|it| it.property.as_ref()).collect();
    found.sites.retain(|site| match &site.target {
        Target::Itself(_) => true,
        Target::Variable(variable) => variables.contains(variable),
        Target::Name(name) => names.contains(name),
    });
    found
}

struct Walk<'s> {
    innermost: InnermostScopes<'s>,
    scopes: &'s Scopes,
    coverage: &'s Coverage,
    found: Beside,
    /// The expression being visited, and the literals and calls around in it.
    tree: u32,
    path: Vec<u32>,
    nodes: u32,
    /// The functions around, by number.
    inside: Vec<usize>,
    /// Whether what is thrown is caught in the function around.
    caught: bool,
    /// The property that the next function is in.
    property: Option<Atom>,
    /// The variable of the object or class that the next function is a member of.
    holder: Option<Variable>,
    /// Of a variable that holds what another one does, that one.
    aliases: FxHashMap<Variable, Variable>,
    /// The properties that variables are put into.
    properties: FxHashMap<Variable, Atom>,
    /// The variables that are an empty literal first.
    empty: FxHashSet<Variable>,
}

fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

impl Walk<'_> {
    /// Visits an expression that is not part of another one.
    fn in_tree(&mut self, visit: impl FnOnce(&mut Self)) {
        let tree = ByteOffset::from_index(self.found.trees.len()).0;
        self.found.trees.push(Tree::default());
        let outer = std::mem::replace(&mut self.tree, tree);
        let path = std::mem::take(&mut self.path);
        visit(self);
        self.tree = outer;
        self.path = path;
    }

    /// Visits what is in a literal or a call.
    fn in_node(&mut self, visit: impl FnOnce(&mut Self)) {
        self.nodes += 1;
        self.path.push(self.nodes);
        visit(self);
        self.path.pop();
    }

    fn variable(&self, name: &Atom, at: u32) -> Variable {
        match self.innermost.resolve(name, at).binding() {
            Some(binding) => Variable::Own(binding.0),
            None => Variable::Global(name.clone()),
        }
    }

    /// A variable holds what another one does: `Cart_default = Cart`.
    fn is_also(&mut self, variable: &Variable, value: &Expr) {
        if let Expr::Ident(ident) = value {
            let other = self.variable(&ident.sym, ident.span.lo.0);
            self.aliases.insert(variable.clone(), other);
        }
    }

    fn uses(&mut self, variable: Variable) {
        if let Some(tree) = self.found.trees.get_mut(self.tree as usize) {
            tree.variables.insert(variable);
        }
    }

    fn site(&mut self, target: Target, at: Span) {
        self.found.sites.push(Site {
            target,
            at: bytes(at),
            tree: self.tree,
            path: self.path.clone(),
        });
    }

    /// A value that may decide.
    fn choice(&mut self, choice: Option<Choice>, at: Span) {
        if let Some(choice) = choice {
            self.found.choices.push(ChoiceSite {
                choice,
                at: bytes(at),
                tree: self.tree,
                path: self.path.clone(),
            });
        }
    }

    /// A function; `variable`: what it is declared as.
    fn function(
        &mut self,
        span: Span,
        (body, entered): (ByteOffset, u64),
        parameters: Vec<Atom>,
        variable: Option<Variable>,
        visit: impl FnOnce(&mut Self),
    ) {
        let number = self.found.functions.len();
        self.found.functions.push(HandedFunction {
            span: bytes(span),
            body,
            entered,
            variable,
            property: self.property.take(),
            holder: self.holder.clone(),
            returns: Vec::new(),
            own_calls: Vec::new(),
            parameters,
            throws: Vec::new(),
            may_end: false,
            fills: Vec::new(),
        });
        self.site(Target::Itself(body), span);
        self.inside.push(number);
        let caught = std::mem::take(&mut self.caught);
        let holder = self.holder.take();
        self.in_tree(visit);
        self.holder = holder;
        self.caught = caught;
        self.inside.pop();
    }

    /// The statements of the current function: whether it may end without a `return`.
    fn may_end(&mut self, statements: &[Stmt]) {
        let last = statements.last();
        let leaves = last.is_some_and(|last| matches!(last, Stmt::Return(_) | Stmt::Throw(_)));
        if let Some(current) = self.current() {
            current.may_end = !leaves;
        }
    }

    fn current(&mut self) -> Option<&mut HandedFunction> {
        let number = *self.inside.last()?;
        self.found.functions.get_mut(number)
    }

    fn returned(&mut self, statement: Span, at: u32, value: &Expr) {
        // As minifiers put statements before it: `return a || (errors.a = "none"), errors`.
        let value = last_of(value);
        // As minifiers join two of them.
        if let Expr::Cond(two) = unparenthesized(value) {
            for one in [&two.cons, &two.alt] {
                self.returned(statement, one.span().lo.0, one);
            }
            return;
        }
        // `value > 17 || "too young"`: what is before it decides.
        if let Expr::Bin(or) = unparenthesized(value)
            && or.op == BinaryOp::LogicalOr
            && text_of(unparenthesized(&or.right)).is_some()
        {
            return self.returned(statement, or.left.span().lo.0, &or.left);
        }
        let variable = match unparenthesized(value) {
            Expr::Ident(ident) => Some(self.variable(&ident.sym, ident.span.lo.0)),
            _ => None,
        };
        let returned = Returned {
            variable,
            fills: Vec::new(),
            statement: bytes(statement),
            at: ByteOffset(at),
            value: bytes(value.span()),
            has_value: true,
            outcome: outcome_of(value),
            operands: condition_operands(value),
        };
        if let Some(current) = self.current() {
            current.returns.push(returned);
        }
    }

    /// Something is put into an object.
    fn fills(&mut self, object: &Expr, span: Span) {
        let Expr::Ident(ident) = unparenthesized(object) else {
            return;
        };
        let variable = self.variable(&ident.sym, ident.span.lo.0);
        if let Some(current) = self.current() {
            current.fills.push((variable, bytes(span)));
        }
    }

    /// A call connects what it is handed with what it is called on, and with the variable that it is put into.
    fn connects(&mut self, expression: &Expr) {
        let Some(root) = root(expression).filter(|root| !is_of_platform(&root.sym)) else {
            return;
        };
        let variable = self.variable(&root.sym, root.span.lo.0);
        self.found.connecting.insert(variable);
    }
}

impl Visit for Walk<'_> {
    fn visit_stmt(&mut self, statement: &Stmt) {
        self.in_tree(|walk| {
            if let Stmt::Expr(expression) = statement {
                walk.connects(&expression.expr);
            }
            statement.visit_children_with(walk);
        });
    }

    fn visit_module_decl(&mut self, declaration: &ModuleDecl) {
        self.in_tree(|walk| declaration.visit_children_with(walk));
    }

    fn visit_seq_expr(&mut self, sequence: &SeqExpr) {
        // As minifiers join statements.
        for expression in &sequence.exprs {
            self.in_tree(|walk| {
                walk.connects(expression);
                expression.visit_with(walk);
            });
        }
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let Some(value) = &declarator.init else {
            return;
        };
        let mut declared = Vec::new();
        crate::scopes::for_each_binding(&declarator.name, &mut |name, at| {
            declared.push((name.clone(), at.0));
        });
        let variables: Vec<Variable> = declared
            .iter()
            .map(|(name, at)| self.variable(name, *at))
            .collect();
        let value = unparenthesized(value);
        let only = variables.first().cloned();
        if let (Some(only), Pat::Ident(_)) = (&only, &declarator.name) {
            self.is_also(only, value);
        }
        match value {
            Expr::Arrow(arrow) => self.arrow(arrow, only),
            Expr::Fn(function) => self.plain(&function.function, only),
            _ => self.in_tree(|walk| {
                let before = walk.found.functions.len();
                // `const Cart = { setup() { … } }`, `const Cart = class { … }`
                let is_holder = matches!(value, Expr::Object(_) | Expr::Class(_));
                let outer = std::mem::replace(&mut walk.holder, only.clone().filter(|_| is_holder));
                value.visit_with(walk);
                walk.holder = outer;
                let made_of_functions = walk.found.functions.len() > before;
                // `const rules = { name: required, password: strong }`
                let is_made = matches!(
                    value,
                    Expr::Call(_)
                        | Expr::New(_)
                        | Expr::Await(_)
                        | Expr::Object(_)
                        | Expr::Array(_)
                );
                let by_platform = root(value).is_none_or(|root| is_of_platform(&root.sym));
                let is_empty = match value {
                    Expr::Object(object) => object.props.is_empty(),
                    Expr::Array(array) => array.elems.is_empty(),
                    _ => false,
                };
                if is_empty {
                    walk.empty.extend(only.clone());
                }
                for variable in variables {
                    if made_of_functions || is_made && !by_platform {
                        let own = (variable.clone(), bytes(value.span()));
                        walk.found.made.push(own);
                    }
                    if made_of_functions || is_made && !by_platform {
                        walk.found.connecting.insert(variable.clone());
                    }
                    walk.uses(variable);
                }
                walk.connects(value);
            }),
        }
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        if let AssignTarget::Simple(SimpleAssignTarget::Member(member)) = &assign.left {
            self.fills(&member.obj, assign.span);
        }
        if let AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) = &assign.left {
            let variable = self.variable(&ident.sym, ident.span.lo.0);
            self.is_also(&variable, &assign.right);
            // Bundlers declare first what they fill later: `Cart = class { … }`.
            if matches!(&*assign.right, Expr::Object(_) | Expr::Class(_)) {
                let outer = self.holder.replace(variable);
                assign.right.visit_with(self);
                self.holder = outer;
                return;
            }
        }
        assign.visit_children_with(self);
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        if let Some(value) = &statement.arg {
            self.returned(statement.span, statement.span.lo.0, value);
            value.visit_with(self);
        } else {
            let span = bytes(statement.span);
            let returned = Returned {
                statement: span,
                at: span.start,
                value: span,
                has_value: false,
                outcome: TestOutcome::No,
                operands: Vec::new(),
                variable: None,
                fills: Vec::new(),
            };
            if let Some(current) = self.current() {
                current.returns.push(returned);
            }
        }
    }

    fn visit_throw_stmt(&mut self, statement: &ThrowStmt) {
        let is_caught = self.caught;
        if let Some(current) = self.current().filter(|_| !is_caught) {
            current.throws.push(bytes(statement.span));
        }
        statement.visit_children_with(self);
    }

    fn visit_try_stmt(&mut self, statement: &TryStmt) {
        let outer = self.caught;
        self.caught |= statement.handler.is_some();
        statement.block.visit_with(self);
        self.caught = outer;
        statement.handler.visit_with(self);
        statement.finalizer.visit_with(self);
    }

    fn visit_fn_decl(&mut self, declaration: &FnDecl) {
        // The name is declared around the function.
        let at = declaration.function.span.lo.0;
        let scope = self.innermost.at(at);
        let outer = self.scopes.scope(scope);
        let around = match outer.start.0 == at {
            true => outer.parent.unwrap_or(ScopeIndex::ROOT),
            false => scope,
        };
        let name = &declaration.ident.sym;
        let variable = match self.scopes.resolve(around, name).binding() {
            Some(binding) => Variable::Own(binding.0),
            None => Variable::Global(name.clone()),
        };
        self.plain(&declaration.function, Some(variable));
    }

    fn visit_fn_expr(&mut self, expression: &FnExpr) {
        self.plain(&expression.function, None);
    }

    fn visit_function(&mut self, function: &Function) {
        self.plain(function, None);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.arrow(arrow, None);
    }

    fn visit_method_prop(&mut self, method: &MethodProp) {
        method.key.visit_with(self);
        self.property = name_of(&method.key);
        self.plain(&method.function, None);
        self.property = None;
    }

    fn visit_getter_prop(&mut self, getter: &GetterProp) {
        self.uncounted(getter.span, |walk| getter.visit_children_with(walk));
    }

    fn visit_setter_prop(&mut self, setter: &SetterProp) {
        self.uncounted(setter.span, |walk| setter.visit_children_with(walk));
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        Walk::constructor(self, constructor);
    }

    fn visit_class_decl(&mut self, declaration: &ClassDecl) {
        let at = declaration.ident.span.lo.0;
        let variable = self.variable(&declaration.ident.sym, at);
        self.found.connecting.insert(variable.clone());
        self.uses(variable.clone());
        let outer = self.holder.replace(variable);
        declaration.class.visit_with(self);
        self.holder = outer;
    }

    fn visit_class(&mut self, class: &Class) {
        self.in_node(|walk| {
            for member in &class.body {
                if let ClassMember::Method(method) = member {
                    walk.property = name_of(&method.key);
                }
                member.visit_with(walk);
                walk.property = None;
            }
        });
    }

    fn visit_prop(&mut self, property: &Prop) {
        match property {
            Prop::KeyValue(pair) => {
                let value = unparenthesized(&pair.value);
                let name = name_of(&pair.key);
                if let (Expr::Ident(ident), Some(name)) = (value, &name) {
                    let variable = self.variable(&ident.sym, ident.span.lo.0);
                    self.properties
                        .entry(variable)
                        .or_insert_with(|| name.clone());
                }
                if let Some(name) = &name {
                    self.choice(of_option(name, value), value.span());
                }
                self.property = name.filter(|_| matches!(value, Expr::Fn(_) | Expr::Arrow(_)));
                value.visit_with(self);
                self.property = None;
            }
            Prop::Shorthand(ident) => {
                let variable = self.variable(&ident.sym, ident.span.lo.0);
                let name = ident.sym.clone();
                self.properties.entry(variable.clone()).or_insert(name);
                self.uses(variable.clone());
                self.site(Target::Variable(variable), ident.span);
            }
            other => other.visit_children_with(self),
        }
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        let callee = match &call.callee {
            Callee::Expr(callee) => Some(unparenthesized(callee)),
            _ => None,
        };
        if let Some(Expr::Ident(ident)) = callee {
            let name = ident.sym.clone();
            let variable = self.variable(&name, ident.span.lo.0);
            self.found.called.insert(variable.clone());
            self.uses(variable);
            if let Some(current) = self.current()
                && current.parameters.contains(&name)
            {
                current.own_calls.push(OwnCall {
                    span: bytes(call.span),
                    given: given(call),
                });
            }
        }
        if let Some(Expr::Member(member)) = callee
            && let MemberProp::Ident(name) = &member.prop
            && matches!(&*name.sym, "push" | "unshift" | "set" | "add")
        {
            self.fills(&member.obj, call.span);
        }
        self.in_node(|walk| {
            if let Some(callee) = callee.filter(|callee| !matches!(callee, Expr::Ident(_))) {
                callee.visit_with(walk);
            }
            for argument in &call.args {
                let given = given_or_not(&argument.expr).map(Choice::Given);
                walk.choice(given, argument.expr.span());
            }
            call.args.visit_with(walk);
        });
    }

    fn visit_new_expr(&mut self, new: &NewExpr) {
        if let Expr::Ident(ident) = unparenthesized(&new.callee) {
            let variable = self.variable(&ident.sym, ident.span.lo.0);
            self.uses(variable);
        }
        self.in_node(|walk| new.args.visit_with(walk));
    }

    fn visit_member_expr(&mut self, member: &MemberExpr) {
        match unparenthesized(&member.obj) {
            // What a property is read of is not handed over.
            Expr::Ident(ident) => {
                let variable = self.variable(&ident.sym, ident.span.lo.0);
                self.uses(variable);
            }
            other => other.visit_with(self),
        }
        if let MemberProp::Computed(computed) = &member.prop {
            computed.expr.visit_with(self);
        }
    }

    fn visit_expr(&mut self, expression: &Expr) {
        if let Some(text) = text_of(expression) {
            return self.site(Target::Name(Atom::from(text)), expression.span());
        }
        match expression {
            Expr::Ident(ident) => {
                let variable = self.variable(&ident.sym, ident.span.lo.0);
                self.uses(variable.clone());
                self.site(Target::Variable(variable), ident.span);
            }
            Expr::Object(_) | Expr::Array(_) => {
                self.in_node(|walk| expression.visit_children_with(walk));
            }
            _ => expression.visit_children_with(self),
        }
    }
}
