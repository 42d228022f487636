//! What a rewriting walk knows while it is under way: the scopes it is in, the edits and sites made so far.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{Module, Program, Script, Stmt};

use super::author_names::KnownNames;
use super::captured::mentions;
use super::first_writes::first_writes;
use super::function_paths::FunctionPaths;
use super::function_room::{FunctionRoom, TOP, Top, after_directives};
use super::observable::observable_bindings;
use super::{
    Instrumentation, OriginalNames, OuterName, RewriteError, Rewritten, Site, TracedEvent,
    UnhookedSite, Watch, WatchedCondition, WatchedTarget,
};
use crate::control_flow::Condition;
use crate::edits::Edits;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{BindingIndex, ScopeCursor, ScopeIndex, ScopeKind, Scopes};

/// The state of one rewriting walk.
pub(super) struct Rewriter<'a> {
    pub(super) source: &'a str,
    pub(super) scopes: &'a Scopes,
    pub(super) instrumentation: &'a Instrumentation,
    pub(super) names: &'a dyn OriginalNames,
    pub(super) known_names: KnownNames<BindingIndex>,
    pub(super) prefix: &'a str,
    pub(super) any_property: bool,
    pub(super) any_variable: bool,
    pub(super) property_dependents: &'a [usize],
    /// The names that watched variables go by in this script; `None` if all are watched.
    pub(super) watched_names: Option<FxHashSet<Atom>>,
    /// For dormant hooks: which scopes' variables can outlive the call that made them; `None` if that does not matter.
    pub(super) outliving: Option<Vec<bool>>,
    /// For live hooks: which bindings have a last writer that can be told; `None` if all have.
    pub(super) in_shadow: Option<Vec<bool>>,
    /// For live hooks: bindings that an inner function names.
    pub(super) captured: FxHashSet<BindingIndex>,
    /// For live hooks: the declarations that are certainly the first to write their variable.
    pub(super) first_writes: FxHashSet<ByteOffset>,
    /// For live hooks: bindings of which a write had no hook.
    pub(super) missed: FxHashSet<BindingIndex>,
    pub(super) edits: Edits,
    pub(super) sites: Vec<Site>,
    pub(super) unhooked: Vec<UnhookedSite>,
    cursor: ScopeCursor,
    /// The first of the quiet statements that has not been passed yet.
    next_quiet: usize,
    pub(super) current: ScopeIndex,
    /// Where the hook is that is being written.
    pub(super) here: ByteOffset,
    pub(super) rooms: Vec<FunctionRoom>,
    spare_room: FunctionRoom,
    /// The names of temporaries: of functions, and of the top of a script.
    pub(super) temporaries: [Vec<Rc<str>>; 2],
    /// Room for the hook being written, kept to be used again.
    pub(super) hook_text: String,
    pub(super) dummies: u32,
    /// Names of the blocks and functions around that last as long as they do.
    pub(super) lasting: Vec<Vec<String>>,
    /// Whether the function about to be visited is a getter that is to say what it reads.
    pub(super) is_getter: bool,
    /// The functions around whose `arguments` can be named, arrow functions left out.
    pub(super) arguments_of: Vec<ScopeIndex>,
    /// For each of them, whether it names `this`.
    pub(super) names_this: Vec<bool>,
    /// Whether the class around extends another.
    pub(super) is_derived: bool,
    /// The private names that each of the classes around declares, the outermost first: as the text has them, with what
    /// their author wrote.
    pub(super) private_names: Vec<Vec<(Atom, String)>>,
    /// Whether it has fields.
    pub(super) has_fields: bool,
    /// Whether the function about to be visited may be called to make its `this`.
    pub(super) makes_object: bool,
    /// Whether that may have a shadow before, which its fields have given it.
    pub(super) may_have_shadow: bool,
    pub(super) with_depth: u32,
    pub(super) with_objects: Vec<String>,
    /// Hooks to be run after the statement of the list being visited; `None` outside lists.
    pub(super) pending_after: Option<String>,
    /// Ends of statements that an extra block was opened around.
    pub(super) close_after: Vec<u32>,
    /// Functions and catch clauses whose parameters are being visited.
    pub(super) parameters_of: Vec<ScopeIndex>,
    /// Where the labels of the loop about to be visited begin.
    pub(super) label_start: Option<u32>,
    /// Whether nobody takes the value of the expression about to be visited.
    pub(super) value_unused: bool,
    /// The conditions to be reported.
    pub(super) conditions: FxHashMap<Condition, &'a WatchedCondition>,
    /// The operands of conditions around, with the temporaries that take their values.
    pub(super) operands: FxHashMap<ByteSpan, Rc<str>>,
    /// The dotted ways to functions, where one is asked for by such a name.
    pub(super) function_paths: Option<FunctionPaths>,
    /// Where left operands of `??` begin.
    pub(super) nullish_tests: FxHashSet<ByteOffset>,
}

/// Places the hooks.
pub(super) fn rewrite(
    source: &str,
    program: &Program,
    scopes: &Scopes,
    instrumentation: &Instrumentation,
    names: &dyn OriginalNames,
) -> Result<Rewritten, RewriteError> {
    let mut property_dependents: Vec<usize> = Vec::new();
    let (mut any_property, mut any_variable) = (true, true);
    if let Watch::Names(watched) = &instrumentation.watch {
        any_property = false;
        any_variable = false;
        for name in watched {
            match name.target {
                WatchedTarget::Property(_) => {
                    any_property = true;
                    property_dependents.extend(&name.dependents);
                }
                WatchedTarget::Variable(_) => any_variable = true,
                WatchedTarget::Entries(_)
                | WatchedTarget::Conditions(_)
                | WatchedTarget::Events(_) => {}
            }
        }
    }
    let mut rewriter = Rewriter::new(source, scopes, instrumentation, &property_dependents, names);
    (rewriter.any_property, rewriter.any_variable) = (any_property, any_variable);
    if !matches!(instrumentation.watch, Watch::Names(_)) {
        rewriter.edits = Edits::with_capacity(source.len() / 2);
    }
    if matches!(instrumentation.watch, Watch::Standby) {
        rewriter.outliving = Some(scopes.outliving());
    }
    if rewriter.is_live() {
        rewriter.in_shadow = Some(observable_bindings(source, scopes));
        let mentions = mentions(program, scopes);
        rewriter.first_writes = first_writes(program, scopes, &mentions);
        rewriter.captured = mentions.captured;
    }
    rewriter.watched_names = watched_names(scopes, instrumentation, names);
    if let Some(name) = rewriter.declared_around() {
        return Err(RewriteError::DeclaredAround { name });
    }
    if instrumentation.traced.iter().any(TracedEvent::is_dotted) {
        rewriter.function_paths = Some(FunctionPaths::of(program));
    }
    rewriter.cursor.enter();
    match program {
        Program::Script(script) => rewriter.script(script),
        Program::Module(module) => rewriter.module(module),
    }
    if rewriter.cursor.count() != scopes.scopes.len() {
        return Err(RewriteError::ScopesDisagree);
    }
    let Rewriter {
        mut edits,
        sites,
        unhooked,
        ..
    } = rewriter;
    edits.mark(source);
    Ok(Rewritten {
        edits,
        sites,
        unhooked,
    })
}

/// The names that watched variables go by: the asked ones, and what a minifier made of them.
fn watched_names(
    scopes: &Scopes,
    instrumentation: &Instrumentation,
    names: &dyn OriginalNames,
) -> Option<FxHashSet<Atom>> {
    let Watch::Names(watched) = &instrumentation.watch else {
        return None;
    };
    let asked: Vec<&str> = watched
        .iter()
        .filter_map(|name| match &name.target {
            WatchedTarget::Variable(variable) => Some(variable.as_str()),
            WatchedTarget::Property(_)
            | WatchedTarget::Entries(_)
            | WatchedTarget::Conditions(_)
            | WatchedTarget::Events(_) => None,
        })
        .collect();
    let mut found: FxHashSet<Atom> = asked.iter().map(|&name| Atom::from(name)).collect();
    if asked.is_empty() {
        return Some(found);
    }
    // What a text for eval sees goes by the names that run.
    let outer = instrumentation.outer.as_deref();
    for variable in outer.into_iter().flat_map(|outer| &outer.variables) {
        if matches!(variable.kind, OuterName::Shadowed { .. }) {
            found.insert(Atom::from(variable.name.as_str()));
        }
    }
    for binding in &scopes.bindings {
        if let Some(original) = names.original_name(binding.declared_at)
            && asked
                .iter()
                .any(|&asked| asked == original || names.is_imported_as(binding.declared_at, asked))
        {
            found.insert(binding.name.clone());
        }
    }
    Some(found)
}

/// The watched conditions of a script, by what they are.
fn by_condition(conditions: &[WatchedCondition]) -> FxHashMap<Condition, &WatchedCondition> {
    let entries = conditions
        .iter()
        .map(|watched| (watched.condition, watched));
    entries.collect()
}

impl<'a> Rewriter<'a> {
    fn new(
        source: &'a str,
        scopes: &'a Scopes,
        instrumentation: &'a Instrumentation,
        property_dependents: &'a [usize],
        names: &'a dyn OriginalNames,
    ) -> Self {
        Self {
            source,
            scopes,
            instrumentation,
            names,
            prefix: &instrumentation.prefix,
            any_property: true,
            any_variable: true,
            property_dependents,
            watched_names: None,
            known_names: KnownNames::default(),
            outliving: None,
            in_shadow: None,
            captured: FxHashSet::default(),
            first_writes: FxHashSet::default(),
            missed: FxHashSet::default(),
            edits: Edits::default(),
            sites: Vec::new(),
            unhooked: Vec::new(),
            cursor: ScopeCursor::default(),
            next_quiet: 0,
            current: ScopeIndex::ROOT,
            here: ByteOffset(0),
            rooms: Vec::new(),
            spare_room: FunctionRoom::default(),
            temporaries: [Vec::new(), Vec::new()],
            hook_text: String::new(),
            dummies: 0,
            lasting: Vec::new(),
            is_getter: false,
            arguments_of: Vec::new(),
            names_this: Vec::new(),
            is_derived: false,
            private_names: Vec::new(),
            has_fields: false,
            makes_object: false,
            may_have_shadow: false,
            with_depth: 0,
            with_objects: Vec::new(),
            pending_after: None,
            close_after: Vec::new(),
            parameters_of: Vec::new(),
            label_start: None,
            value_unused: false,
            conditions: by_condition(&instrumentation.conditions),
            operands: FxHashMap::default(),
            function_paths: None,
            nullish_tests: FxHashSet::default(),
        }
    }

    fn script(&mut self, script: &Script) {
        let top = match self.scopes.scope(ScopeIndex::ROOT).kind {
            ScopeKind::Function => Top::Body,
            ScopeKind::Eval(_) => Top::Eval,
            _ => Top::Script,
        };
        let first = script.body.first().map_or(0, |first| first.span().lo.0);
        let start = ByteOffset(first);
        let (start, semicolon) = after_directives(self.source, &script.body, start);
        let opening = self.script_top(start, semicolon);
        let hoisted = self.top_hooks(top, script.body.is_empty());
        let mut room = self.with_room(top, |this| this.statements(&script.body));
        self.declare_activation(TOP, &mut room);
        self.close_script_top(&opening, &room, "", &hoisted);
    }

    fn module(&mut self, module: &Module) {
        let directives: Vec<Stmt> = Vec::new();
        let first = module.body.first().map_or(0, |first| first.span().lo.0);
        let (start, semicolon) = after_directives(self.source, &directives, ByteOffset(first));
        let opening = self.script_top(start, semicolon);
        let link = self.module_link(module);
        let hoisted = self.top_hooks(Top::Body, module.body.is_empty());
        let mut room = self.with_room(Top::Body, |this| this.module_items(&module.body));
        self.declare_activation(TOP, &mut room);
        self.close_script_top(&opening, &room, &link, &hoisted);
    }

    /// What runs when a script or module begins; nothing does where it has no statements.
    fn top_hooks(&mut self, top: Top, is_empty: bool) -> String {
        if is_empty {
            return String::new();
        }
        let mut hooks = vec![
            self.activation_hook(TOP, top),
            self.hoisted_hooks(ScopeIndex::ROOT),
        ];
        hooks.retain(|hooks| !hooks.is_empty());
        hooks.join(",")
    }

    /// The room of the function being visited.
    pub(super) fn room(&mut self) -> &mut FunctionRoom {
        // The walk always has a room; the spare one keeps a defect from being a panic.
        self.rooms.last_mut().unwrap_or(&mut self.spare_room)
    }

    /// The number that the next site will have.
    pub(super) fn next_site(&self) -> u32 {
        self.instrumentation.first_site + ByteOffset::from_index(self.sites.len()).0
    }

    /// Visits the inside of a node that opens a scope.
    pub(super) fn in_scope(&mut self, body: impl FnOnce(&mut Self)) {
        let index = self.cursor.enter();
        // Were there more here than were found, the count would tell in the end.
        let is_known = (index.0 as usize) < self.scopes.scopes.len();
        let index = if is_known { index } else { ScopeIndex::ROOT };
        let outer = std::mem::replace(&mut self.current, index);
        body(self);
        self.current = outer;
    }

    /// Goes on behind a statement in which there is nothing to hook; whether it is one.
    pub(super) fn passes_over(&mut self, statement: &Stmt) -> bool {
        let span = statement.span();
        let quiet = &self.scopes.quiet;
        while quiet
            .get(self.next_quiet)
            .is_some_and(|quiet| quiet.at < span.lo.0)
        {
            self.next_quiet += 1;
        }
        let found = quiet.get(self.next_quiet);
        let Some(found) = found.filter(|quiet| quiet.at == span.lo.0) else {
            return false;
        };
        let asked = &self.instrumentation;
        let has_point = asked
            .points
            .iter()
            .any(|point| (span.lo.0..=span.hi.0).contains(&point.place.at.0));
        // Calls by the name of a watched built-in are sites.
        // Functions that make an object give it its shadow.
        if has_point
            || self.is_live()
            || !asked.called.is_empty()
            || !asked.traced.is_empty()
            || self.has_condition(span)
            || self.has_try_block(span)
            || self.has_activation(span)
        {
            return false;
        }
        self.cursor.skip_to(found.scopes);
        true
    }
}

/// The context thunk `()=>({d:[…]})` as it would be handed over at `at`, for a debugger to evaluate there:
/// the references with the numbers `dependents`.
pub(super) fn context_at(
    scopes: &Scopes,
    at: ByteOffset,
    begins: Option<ByteOffset>,
    instrumentation: &Instrumentation,
    dependents: &[usize],
    names: &dyn OriginalNames,
) -> String {
    let mut rewriter = Rewriter::new("", scopes, instrumentation, &[], names);
    rewriter.current = match begins {
        Some(begins) => scopes.innermost_in_function(at, begins),
        None => scopes.innermost_at(at),
    };
    rewriter.here = at;
    let mut text = String::new();
    rewriter.write_context(dependents, &mut text);
    text
}
