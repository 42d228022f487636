//! Which binding a name means at a place: the scopes of one script, found in one walk over its tree.
//!
//! The walk records declarations only; a name is resolved when somebody asks, because few names are ever
//! asked about. Scopes are numbered in the order in which the walk enters them, and every later walk that
//! enters the same nodes in the same order ([`ScopeCursor`]) meets the same numbers.

mod collector;

use rustc_hash::FxHashMap;
use swc_atoms::{Atom, atom};
use swc_ecma_ast::{Expr, ObjectPatProp, Pat};

use crate::parse::{Goal, Parsed};
use crate::position::{ByteOffset, ByteSpan};

/// One scope of one script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeIndex(pub(crate) u32);

impl ScopeIndex {
    /// The script's or module's outermost scope.
    pub(crate) const ROOT: ScopeIndex = ScopeIndex(0);
}

/// What made a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// The top of a classic script: declarations here are global.
    Script,
    /// The top of a module.
    Module,
    /// The top of a text given to `eval`.
    Eval(EvalVariables),
    /// A function, method, accessor, constructor or static block: parameters and body together.
    Function,
    /// A class field's initialiser: behaves as a method of its own.
    FieldInitialiser,
    /// A block, a `switch` body or the head of a loop.
    Block,
    /// A `catch` clause.
    Catch,
    /// A class: the class's own name seen from inside.
    Class,
    /// The name of a function expression seen from inside.
    FunctionName,
    /// The body of `with (object)`.
    With,
}

/// Where `var` and functions at the top of a text given to `eval` go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvalVariables {
    /// They end with the call: the text is strict.
    Own,
    /// To the function that called.
    Function,
    /// To the global object.
    Global,
}

/// What declared a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingKind {
    /// `var`.
    Var,
    /// `let`.
    Let,
    /// `const` and `using`.
    Const,
    /// A parameter.
    Parameter,
    /// A function declaration.
    Function,
    /// A class declaration.
    Class,
    /// A catch parameter.
    Catch,
    /// An imported name.
    Import,
    /// The own name of a function or class expression, or a class's name inside the class: cannot be
    /// written.
    SelfName,
}

#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) name: Atom,
    pub(crate) kind: BindingKind,
    pub(crate) scope: ScopeIndex,
    /// Where the name is in its (first) declaration.
    pub(crate) declared_at: ByteOffset,
    /// Whether an assignment expression writes it. Declarations do not count, even repeated ones: they are
    /// statements, so none runs while an expression is evaluated.
    pub(crate) reassigned: bool,
    /// A function in a block of sloppy code, which is also a variable of the function around.
    pub(crate) is_copied_out: bool,
    /// That variable, where nothing else declares it.
    pub(crate) is_copy: bool,
}

/// A binding's index in [`Scopes::bindings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BindingIndex(pub(crate) u32);

#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    pub(crate) parent: Option<ScopeIndex>,
    pub(crate) start: ByteOffset,
    pub(crate) end: ByteOffset,
    pub(crate) bindings: Vec<BindingIndex>,
    /// One bit for every 64th name: those of the names declared here. What has no bit there is not looked up.
    declared: u64,
    /// A direct `eval` in it, however deep, may write what is declared here.
    pub(crate) has_direct_eval: bool,
    /// A sloppy direct `eval` may declare variables of this function that no walk can see.
    pub(crate) eval_declares: bool,
    /// Whether the code in it is strict.
    pub(crate) strict: bool,
    /// The function's name as a stack would show it; functions only.
    pub(crate) function_name: Option<(Atom, ByteOffset)>,
}

/// A statement with nothing in it that could be hooked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuietStatement {
    /// Where it begins.
    pub(crate) at: u32,
    /// How many scopes there are up to its end.
    pub(crate) scopes: usize,
}

/// What a name means at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// A binding of this script that is not global.
    Local(BindingIndex),
    /// A `var` or function at the top of a classic script: a property of the global object.
    GlobalVar(BindingIndex),
    /// A `let`, `const` or class at the top of a classic script.
    ScriptLexical(BindingIndex),
    /// Not declared in this script: a global of another script, or nothing.
    Unresolved,
}

impl Resolution {
    /// The binding of this script that was found.
    pub(crate) fn binding(self) -> Option<BindingIndex> {
        match self {
            Resolution::Local(binding)
            | Resolution::GlobalVar(binding)
            | Resolution::ScriptLexical(binding) => Some(binding),
            Resolution::Unresolved => None,
        }
    }
}

/// All scopes and bindings of one script.
#[derive(Debug)]
pub(crate) struct Scopes {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) bindings: Vec<Binding>,
    /// A number for each declared name.
    names: FxHashMap<Atom, NameIndex>,
    by_name: FxHashMap<(ScopeIndex, NameIndex), BindingIndex>,
    /// Statements with nothing to hook, none in another, in the order of the text.
    pub(crate) quiet: Vec<QuietStatement>,
    /// The first syntax error that the parser lets pass: such a script does not run.
    pub(crate) early_error: Option<(ByteOffset, String)>,
    /// Where imported names come from: the specifier, and the name there; `None` for a namespace.
    pub(crate) imports: FxHashMap<Atom, (String, Option<Atom>)>,
}

/// A declared or assigned name's number: so that looking a name up hashes it once, not once a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct NameIndex(u32);

impl NameIndex {
    fn bit(self) -> u64 {
        1 << (self.0 % u64::BITS)
    }
}

impl Scopes {
    /// Walks `program`, which was parsed for `goal`, once.
    pub(crate) fn of(parsed: &Parsed, goal: Goal) -> Self {
        collector::collect(parsed, goal)
    }

    pub(crate) fn scope(&self, index: ScopeIndex) -> &Scope {
        &self.scopes[index.0 as usize]
    }

    pub(crate) fn binding(&self, index: BindingIndex) -> &Binding {
        &self.bindings[index.0 as usize]
    }

    /// The scopes from `from` outwards, itself first.
    pub(crate) fn chain(&self, from: ScopeIndex) -> impl Iterator<Item = ScopeIndex> + '_ {
        std::iter::successors(Some(from), |&index| self.scope(index).parent)
    }

    /// The nearest function (or script, module, field initialiser) around `from`.
    pub(crate) fn function_around(&self, from: ScopeIndex) -> ScopeIndex {
        self.chain(from)
            .find(|&index| {
                matches!(
                    self.scope(index).kind,
                    ScopeKind::Function
                        | ScopeKind::FieldInitialiser
                        | ScopeKind::Script
                        | ScopeKind::Module
                        | ScopeKind::Eval(_)
                )
            })
            .unwrap_or(ScopeIndex::ROOT)
    }

    /// What `name` means, seen from `from`. A `with` in between is not decided here (see
    /// [`Scopes::withs_between`]).
    pub(crate) fn resolve(&self, from: ScopeIndex, name: &Atom) -> Resolution {
        self.names
            .get(name)
            .map_or(Resolution::Unresolved, |&name| {
                self.resolve_index(from, name)
            })
    }

    fn resolve_index(&self, from: ScopeIndex, name: NameIndex) -> Resolution {
        for scope in self.chain(from) {
            if self.scope(scope).declared & name.bit() != 0
                && let Some(&binding) = self.by_name.get(&(scope, name))
            {
                return self.classify(scope, binding);
            }
        }
        Resolution::Unresolved
    }

    /// As [`Scopes::resolve`], with `matches` deciding which binding is the one meant: the innermost
    /// binding for which it says yes. For names that a minifier changed.
    pub(crate) fn resolve_by(
        &self,
        from: ScopeIndex,
        mut matches: impl FnMut(&Binding) -> bool,
    ) -> Resolution {
        for scope in self.chain(from) {
            for &binding in &self.scope(scope).bindings {
                if matches(self.binding(binding)) {
                    return self.classify(scope, binding);
                }
            }
        }
        Resolution::Unresolved
    }

    /// How a binding is reached that a name was found to mean.
    pub(crate) fn resolution_of(&self, binding: BindingIndex) -> Resolution {
        self.classify(self.binding(binding).scope, binding)
    }

    fn classify(&self, scope: ScopeIndex, binding: BindingIndex) -> Resolution {
        let is_var = matches!(
            self.binding(binding).kind,
            BindingKind::Var | BindingKind::Function | BindingKind::Parameter
        );
        match (self.scope(scope).kind, is_var) {
            (ScopeKind::Script | ScopeKind::Eval(EvalVariables::Global), true) => {
                Resolution::GlobalVar(binding)
            }
            (ScopeKind::Script, false) => Resolution::ScriptLexical(binding),
            _ => Resolution::Local(binding),
        }
    }

    /// The variable that the function `name`, declared in the block `block` of sloppy code, is copied to when its
    /// declaration is evaluated (Annex B.3.3); `None` if something in between, or a parameter, has the name.
    pub(crate) fn copied_to(&self, block: ScopeIndex, name: &Atom) -> Option<BindingIndex> {
        let &name = self.names.get(name)?;
        let &inner = self.by_name.get(&(block, name))?;
        if !self.binding(inner).is_copied_out {
            return None;
        }
        let function = self.function_around(block);
        for scope in self.chain(block).skip(1) {
            let Some(&found) = self.by_name.get(&(scope, name)) else {
                continue;
            };
            let kind = self.binding(found).kind;
            if scope == function {
                let is_variable = matches!(kind, BindingKind::Var | BindingKind::Function);
                return is_variable.then_some(found);
            }
            if matches!(
                kind,
                BindingKind::Let | BindingKind::Const | BindingKind::Class | BindingKind::Function
            ) {
                return None;
            }
        }
        None
    }

    /// Whether a function is between `from` and what `resolution` found in which an `eval` may have declared the
    /// name anew.
    pub(crate) fn crosses_eval(&self, from: ScopeIndex, resolution: Resolution) -> bool {
        let until = resolution.binding().map(|found| self.binding(found).scope);
        self.chain(from)
            .take_while(|&scope| Some(scope) != until)
            .map(|scope| self.scope(scope))
            .any(|scope| match scope.kind {
                ScopeKind::Eval(variables) => variables == EvalVariables::Function,
                ScopeKind::Script | ScopeKind::Module => false,
                _ => scope.eval_declares,
            })
    }

    /// Whether `name` is `eval` and no variable of this script.
    pub(crate) fn is_global_eval(&self, from: ScopeIndex, name: &Atom) -> bool {
        *name == atom!("eval")
            && matches!(
                self.resolve(from, name),
                Resolution::Unresolved | Resolution::GlobalVar(_)
            )
    }

    /// Whether a `with` body is between `from` and the scope that declares what `resolution` found:
    /// then the object may catch the name first.
    pub(crate) fn crosses_with(&self, from: ScopeIndex, resolution: Resolution) -> bool {
        self.withs(from, resolution).next().is_some()
    }

    /// Where the bodies of these `with` are, the innermost first.
    pub(crate) fn with_bodies(&self, from: ScopeIndex, resolution: Resolution) -> Vec<ByteSpan> {
        let withs = self.withs(from, resolution);
        let spans = withs.map(|scope| ByteSpan {
            start: scope.start,
            end: scope.end,
        });
        spans.collect()
    }

    fn withs(&self, from: ScopeIndex, resolution: Resolution) -> impl Iterator<Item = &Scope> {
        let until = resolution.binding().map(|found| self.binding(found).scope);
        self.chain(from)
            .take_while(move |&scope| Some(scope) != until)
            .map(|scope| self.scope(scope))
            .filter(|scope| scope.kind == ScopeKind::With)
    }

    /// For each scope, whether its variables may be there after it was left: the outermost scope, and those that hold a
    /// function (or a direct `eval`, which may make one).
    pub(crate) fn outliving(&self) -> Vec<bool> {
        let mut outliving = vec![false; self.scopes.len()];
        let mut mark = |from: ScopeIndex| {
            for scope in self.chain(from) {
                let known = &mut outliving[scope.0 as usize];
                if *known {
                    break;
                }
                *known = true;
            }
        };
        mark(ScopeIndex::ROOT);
        for (index, scope) in self.scopes.iter().enumerate() {
            if scope.has_direct_eval {
                mark(ScopeIndex(ByteOffset::from_index(index).0));
            }
            let is_function = matches!(
                scope.kind,
                ScopeKind::Function | ScopeKind::FieldInitialiser
            );
            if let (true, Some(around)) = (is_function, scope.parent) {
                mark(around);
            }
        }
        outliving
    }

    /// The innermost scope that holds `offset`.
    pub(crate) fn innermost_at(&self, offset: ByteOffset) -> ScopeIndex {
        let mut best = ScopeIndex::ROOT;
        for (index, scope) in self.scopes.iter().enumerate() {
            // Scopes are numbered from the outside in, so the last one that holds the place is innermost.
            if scope.start <= offset && offset < scope.end {
                best = ScopeIndex(ByteOffset::from_index(index).0);
            }
        }
        best
    }

    /// The innermost scope around a place of the function that begins at `begins`. Hooks for what an arrow function
    /// without braces returns are right behind it, and are its own.
    pub(crate) fn innermost_in_function(&self, at: ByteOffset, begins: ByteOffset) -> ScopeIndex {
        let function = self.function_around(self.innermost_at(begins));
        let is_behind = self.scope(function).end == at && at.0 > 0;
        let last = self.innermost_at(ByteOffset(at.0.saturating_sub(1)));
        let mut within = self.chain(last).filter(|_| is_behind);
        within
            .find(|&scope| self.function_around(scope) == function)
            .unwrap_or_else(|| self.innermost_at(at))
    }

    /// The name of the function around `from` as a stack would show it; `None` at the top level and in
    /// functions without a name.
    pub(crate) fn function_name(&self, from: ScopeIndex) -> Option<&(Atom, ByteOffset)> {
        self.scope(self.function_around(from))
            .function_name
            .as_ref()
    }
}

/// Hands out the scope numbers of [`Scopes`] to a later walk over the same tree.
#[derive(Debug, Default)]
pub(crate) struct ScopeCursor {
    next: u32,
}

impl ScopeCursor {
    /// The number of the scope that this node opens. Call it once per opening node, in walk order.
    pub(crate) fn enter(&mut self) -> ScopeIndex {
        let index = ScopeIndex(self.next);
        self.next += 1;
        index
    }

    /// Goes on behind the scopes that were found up to a place; never back.
    pub(crate) fn skip_to(&mut self, scopes: usize) {
        self.next = self.next.max(ByteOffset::from_index(scopes).0);
    }

    /// How many numbers were handed out.
    pub(crate) fn count(&self) -> usize {
        self.next as usize
    }
}

/// Calls `found` for each name that a pattern binds (or, in an assignment pattern, writes), in order.
pub(crate) fn for_each_binding(pattern: &Pat, found: &mut dyn FnMut(&Atom, ByteOffset)) {
    match pattern {
        Pat::Ident(ident) => found(&ident.sym, ByteOffset(ident.span.lo.0)),
        Pat::Array(array) => {
            for element in array.elems.iter().flatten() {
                for_each_binding(element, found);
            }
        }
        Pat::Rest(rest) => for_each_binding(&rest.arg, found),
        Pat::Object(object) => for_each_object_binding(object, found),
        Pat::Assign(assign) => for_each_binding(&assign.left, found),
        Pat::Expr(expression) => {
            if let Expr::Ident(ident) = unparenthesized(expression) {
                found(&ident.sym, ByteOffset(ident.span.lo.0));
            }
        }
        Pat::Invalid(_) => {}
    }
}

/// [`for_each_binding`] for an object pattern.
pub(crate) fn for_each_object_binding(
    object: &swc_ecma_ast::ObjectPat,
    found: &mut dyn FnMut(&Atom, ByteOffset),
) {
    for property in &object.props {
        match property {
            ObjectPatProp::KeyValue(pair) => for_each_binding(&pair.value, found),
            ObjectPatProp::Assign(short) => found(&short.key.sym, ByteOffset(short.key.span.lo.0)),
            ObjectPatProp::Rest(rest) => for_each_binding(&rest.arg, found),
        }
    }
}

/// The expression inside any number of parentheses.
pub(crate) fn unparenthesized(mut expression: &Expr) -> &Expr {
    while let Expr::Paren(paren) = expression {
        expression = &paren.expr;
    }
    expression
}
