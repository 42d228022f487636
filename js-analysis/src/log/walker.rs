//! What the transforms share: the sites and scopes that are numbered, temporaries, and the room for code around.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};
use swc_common::{Span, Spanned};
use swc_ecma_ast::{Expr, Program, PropName, Stmt};
use swc_ecma_visit::VisitWith;

use super::{
    Detail, LogOptions, LogRewritten, LoggedFunction, LoggedFunctionKind, LoggedKind, LoggedScope,
    LoggedScopeKind, LoggedSite, LoggedVariable,
};
use crate::edits::Edits;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{OriginalNames, Site, UnhookedSite};
use crate::scopes::{BindingIndex, Resolution, ScopeIndex, ScopeKind, Scopes, unparenthesized};

/// Places the hooks.
pub(super) fn rewrite(
    source: &str,
    program: &Program,
    scopes: &Scopes,
    options: &LogOptions,
    names: &dyn OriginalNames,
) -> LogRewritten {
    let mut walker = LogWalker::new(source, scopes, options, names);
    walker.program(program);
    let LogWalker {
        mut edits,
        functions,
        sites,
        variables,
        unlogged,
        scope_functions,
        code_sites,
        ..
    } = walker;
    edits.mark(source);
    let first = options.first;
    let around = options.outer.as_ref().and_then(|it| it.logged.as_ref());
    let around = around.map_or(0, |around| around.scope);
    let kind = |kind: ScopeKind| match kind {
        ScopeKind::Script => LoggedScopeKind::Script,
        ScopeKind::Module => LoggedScopeKind::Module,
        ScopeKind::Function => LoggedScopeKind::Function,
        ScopeKind::Catch => LoggedScopeKind::Catch,
        _ => LoggedScopeKind::Block,
    };
    let logged = scopes.scopes.iter().enumerate();
    let logged = logged.map(|(index, scope)| LoggedScope {
        parent: scope.parent.map_or(around, |parent| first.scope + parent.0),
        function: scope_functions.get(index).copied().unwrap_or(0),
        kind: kind(scope.kind),
    });
    LogRewritten {
        edits,
        functions,
        scopes: logged.collect(),
        variables,
        sites,
        unlogged,
        code_sites,
    }
}

/// What the code being visited is in.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// The number of the function.
    pub(super) function: u32,
    /// Whether the function's end is logged: its `return`s say which it was.
    pub(super) is_logged: bool,
    /// Whether it has an activation (`$Qpa`), because it is suspended.
    pub(super) is_suspended: bool,
    /// Where temporaries may be declared.
    pub(super) temporaries: Temporaries,
    pub(super) in_use: u32,
    pub(super) most: u32,
    pub(super) branches: u32,
    /// Whether it is an async generator, whose `return` waits for its value.
    pub(super) is_async_generator: bool,
}

/// Where temporaries may be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temporaries {
    /// In the function, or module.
    Own,
    /// In an object of the agent, by the script's number.
    Script,
    /// At the top of a text given to `eval`.
    Code,
    /// Nowhere: in a default value, or in a field of a class.
    None,
}

/// The state of one rewriting.
pub(super) struct LogWalker<'a> {
    pub(super) source: &'a str,
    pub(super) scopes: &'a Scopes,
    pub(super) names: &'a dyn OriginalNames,
    pub(super) options: &'a LogOptions,
    pub(super) prefix: &'a str,
    pub(super) edits: Edits,
    pub(super) functions: Vec<LoggedFunction>,
    pub(super) sites: Vec<LoggedSite>,
    pub(super) variables: Vec<LoggedVariable>,
    pub(super) unlogged: Vec<UnhookedSite>,
    pub(super) scope_functions: Vec<u32>,
    /// Global variables that this script does not declare, by name.
    pub(super) globals: FxHashMap<String, u32>,
    /// By where they begin and end.
    by_span: FxHashMap<(u32, u32, u8), ScopeIndex>,
    pub(super) outliving: Vec<bool>,
    pub(super) current: ScopeIndex,
    pub(super) rooms: Vec<Room>,
    /// The scopes whose number is in a variable that can be named here.
    pub(super) instances: FxHashSet<ScopeIndex>,
    /// Functions whose parameters are being visited: their variables have no scope yet.
    pub(super) parameters_of: Vec<ScopeIndex>,
    /// How many parameter lists, keys and heritages of functions and classes are around.
    pub(super) in_heads: u32,
    /// What the next function is.
    pub(super) next_kind: LoggedFunctionKind,
    /// The name of the key that the next function is under.
    pub(super) next_name: Option<String>,
    /// Where that name is, if a class is what comes next and it is a variable's or its own.
    pub(super) next_name_at: Option<ByteOffset>,
    pub(super) classes: Vec<ClassAround>,
    /// How many classes are around.
    pub(super) class_depth: u32,
    /// Where the statement begins that is in a list, so that another may follow.
    pub(super) listed: u32,
    /// Where nothing may be wrapped that begins there: what `new` calls.
    pub(super) callee_of_new: Option<u32>,
    /// Whether a chain with `?.` is around, in which nothing may be wrapped.
    pub(super) in_chain: bool,
    /// How many variables were put between others, for hooks.
    pub(super) between: u32,
    /// What the objects of the `with` statements around are called, the innermost last.
    pub(super) with_objects: Vec<WithObject>,
    /// Direct calls of `eval`.
    pub(super) code_sites: Vec<Site>,
    /// Where the call begins that is all that the function around does, if it is a direct one of `eval`.
    pub(super) only_eval: Option<u32>,
}

/// The object of a `with` statement around.
#[derive(Clone, Debug)]
pub(super) struct WithObject {
    pub(super) name: String,
    /// Whether a hook names it.
    pub(super) is_named: bool,
}

/// A class around.
#[derive(Clone, Debug)]
pub(super) struct ClassAround {
    pub(super) name: String,
    pub(super) is_derived: bool,
}

/// Where a node begins.
pub(super) fn at(span: Span) -> ByteOffset {
    ByteOffset(span.lo.0)
}

/// Where a node ends, behind its last character.
pub(super) fn end(span: Span) -> ByteOffset {
    ByteOffset(span.hi.0)
}

fn kind_code(kind: ScopeKind) -> u8 {
    match kind {
        ScopeKind::Function => 1,
        ScopeKind::FieldInitialiser => 2,
        ScopeKind::Block => 3,
        ScopeKind::Catch => 4,
        ScopeKind::Class => 5,
        ScopeKind::FunctionName => 6,
        ScopeKind::With => 7,
        ScopeKind::Script | ScopeKind::Module | ScopeKind::Eval(_) => 0,
    }
}

impl<'a> LogWalker<'a> {
    /// Numbers the scopes and variables of a script; nothing is rewritten yet.
    pub(super) fn new(
        source: &'a str,
        scopes: &'a Scopes,
        options: &'a LogOptions,
        names: &'a dyn OriginalNames,
    ) -> Self {
        let numbered = scopes.scopes.iter().enumerate();
        let by_span = numbered.map(|(index, scope)| {
            let key = (scope.start.0, scope.end.0, kind_code(scope.kind));
            (key, ScopeIndex(ByteOffset::from_index(index).0))
        });
        let bindings = scopes.bindings.iter().enumerate();
        let variables = bindings.map(|(index, binding)| LoggedVariable {
            name: names
                .original_name(binding.declared_at)
                .unwrap_or_else(|| binding.name.to_string()),
            scope: match scopes.resolution_of(BindingIndex(ByteOffset::from_index(index).0)) {
                Resolution::GlobalVar(_) | Resolution::ScriptLexical(_) => 0,
                _ => options.first.scope + binding.scope.0,
            },
        });
        Self {
            source,
            scopes,
            names,
            options,
            prefix: &options.prefix,
            edits: Edits::with_capacity(source.len()),
            functions: Vec::new(),
            sites: Vec::new(),
            variables: variables.collect(),
            unlogged: Vec::new(),
            scope_functions: vec![0; scopes.scopes.len()],
            globals: FxHashMap::default(),
            by_span: by_span.collect(),
            outliving: scopes.outliving(),
            current: ScopeIndex::ROOT,
            rooms: Vec::new(),
            instances: FxHashSet::default(),
            parameters_of: Vec::new(),
            in_heads: 0,
            next_kind: LoggedFunctionKind::Function,
            next_name: None,
            next_name_at: None,
            classes: Vec::new(),
            class_depth: 0,
            listed: u32::MAX,
            callee_of_new: None,
            in_chain: false,
            between: 0,
            with_objects: Vec::new(),
            code_sites: Vec::new(),
            only_eval: None,
        }
    }

    /// Whether values are recorded.
    pub(super) fn values(&self) -> bool {
        self.options.detail >= Detail::Values
    }

    /// Whether changes of the document are recorded.
    pub(super) fn watches_document(&self) -> bool {
        self.options.watches_document && self.values()
    }

    /// Whether everything is recorded.
    pub(super) fn all(&self) -> bool {
        self.options.detail >= Detail::All
    }

    /// The text of a node.
    pub(super) fn text(&self, span: Span) -> &'a str {
        self.source
            .get(span.lo.0 as usize..span.hi.0 as usize)
            .unwrap_or("")
    }

    /// A text for people: on one line, and not too long.
    pub(super) fn short(&self, span: Span) -> String {
        super::short_text(self.text(span))
    }

    /// What the code being visited is in.
    pub(super) fn room(&self) -> Room {
        self.rooms.last().cloned().unwrap_or(Room {
            function: 0,
            is_logged: false,
            is_suspended: false,
            temporaries: Temporaries::None,
            in_use: 0,
            most: 0,
            branches: 0,
            is_async_generator: false,
        })
    }

    /// Runs `body` in the scope that this node opens.
    pub(super) fn in_scope(&mut self, kind: ScopeKind, span: Span, body: impl FnOnce(&mut Self)) {
        let found = self.by_span.get(&(span.lo.0, span.hi.0, kind_code(kind)));
        let scope = found.copied().unwrap_or(self.current);
        let function = self.room().function;
        if let Some(of) = self.scope_functions.get_mut(scope.0 as usize)
            && *of == 0
        {
            *of = function;
        }
        let outer = std::mem::replace(&mut self.current, scope);
        body(self);
        self.current = outer;
    }

    /// A temporary of the function; `None` where none can be declared. Give it back with [`Self::release`].
    pub(super) fn temporary(&mut self) -> Option<String> {
        let (prefix, script) = (self.prefix, self.options.script);
        let room = self.rooms.last_mut()?;
        if room.temporaries == Temporaries::None {
            return None;
        }
        room.in_use += 1;
        room.most = room.most.max(room.in_use);
        Some(match room.temporaries {
            Temporaries::Script => format!("{prefix}T.s{script}_{}", room.in_use),
            _ => format!("{prefix}{}", room.in_use),
        })
    }

    /// Gives back the last `count` temporaries.
    pub(super) fn release(&mut self, count: u32) {
        if let Some(room) = self.rooms.last_mut() {
            room.in_use = room.in_use.saturating_sub(count);
        }
    }

    /// `var` for the temporaries of a room.
    pub(super) fn declared(&self, room: &Room) -> String {
        let mut text = String::new();
        let keyword = match room.temporaries {
            Temporaries::Own => "var ",
            Temporaries::Code => "let ",
            _ => return text,
        };
        if room.most > 0 {
            text.push_str(keyword);
            for number in 1..=room.most {
                let comma = if number > 1 { "," } else { "" };
                let _ = write!(text, "{comma}{}{number}", self.prefix);
            }
            text.push(';');
        }
        text
    }

    /// Runs `body` where nothing can be declared, and nothing begins a statement.
    pub(super) fn without_room(&mut self, body: impl FnOnce(&mut Self)) {
        let room = Room {
            temporaries: Temporaries::None,
            ..self.room()
        };
        self.rooms.push(room);
        body(self);
        let inner = self.rooms.pop();
        if let (Some(room), Some(inner)) = (self.rooms.last_mut(), inner) {
            room.branches = inner.branches;
        }
    }

    /// Hooks as statements. At the top of a script they are in blocks that declare something, which have no value: what
    /// the script's own statements give is its value.
    pub(super) fn as_statements(&self, hooks: &str) -> String {
        if !matches!(
            self.room().temporaries,
            Temporaries::Script | Temporaries::Code
        ) {
            return hooks.to_owned();
        }
        let mut text = String::new();
        for hook in hooks.split_terminator(';') {
            if hook.starts_with("const ") {
                let _ = write!(text, "{hook};");
            } else {
                let _ = write!(text, "{{let {}Z={hook}}}", self.prefix);
            }
        }
        text
    }

    /// Ends a statement without a semicolon, where something was inserted in it since there were `before` edits: what
    /// is on the next line might go on with it.
    pub(super) fn terminate(&mut self, span: Span, before: usize) {
        let is_ended = self.source.as_bytes().get(span.hi.0 as usize - 1) == Some(&b';');
        if !is_ended && self.edits.count() > before {
            self.edits.insert(end(span), ";");
        }
    }

    /// Wraps an expression: `before` it, `after` behind it.
    pub(super) fn wrap(
        &mut self,
        span: Span,
        before: &str,
        after: &str,
        visit: impl FnOnce(&mut Self),
    ) {
        self.edits.insert(at(span), before);
        visit(self);
        self.edits.insert(end(span), after);
    }

    /// Whether a call may be around what begins there.
    pub(super) fn may_wrap(&self, span: Span) -> bool {
        self.callee_of_new != Some(span.lo.0)
    }

    /// A condition: `$QpLf(site,test)`.
    pub(super) fn condition(&mut self, test: &Expr, hook: &str) {
        if !self.all() || !self.may_wrap(test.span()) {
            test.visit_with(self);
            return;
        }
        let site = self.site_by_text(at(test.span()), LoggedKind::Branch, test.span());
        // `if (a, b)`: without parentheses these would be two arguments.
        let (open, close) = match test {
            Expr::Seq(_) => ("(", "))"),
            _ => ("", ")"),
        };
        let before = format!("{}{hook}({site},{open}", self.prefix);
        self.wrap(test.span(), &before, close, |this| test.visit_with(this));
    }

    /// The name of a key; `None`: it is computed.
    pub(super) fn key_name(key: &PropName) -> Option<String> {
        match key {
            PropName::Ident(ident) => Some(ident.sym.to_string()),
            PropName::Str(string) => string.value.as_str().map(str::to_owned),
            PropName::Num(number) => Some(number.value.to_string()),
            _ => None,
        }
    }

    /// Visits what is in the head of a function or class: functions there are not what the text begins with.
    pub(super) fn head(&mut self, visit: impl FnOnce(&mut Self)) {
        self.in_heads += 1;
        visit(self);
        self.in_heads -= 1;
    }

    /// A statement that is the body of another, not in a list.
    pub(super) fn unlisted(&mut self, statement: &Stmt) {
        self.listed = u32::MAX;
        statement.visit_with(self);
    }

    /// The same span in offsets of the text.
    pub(super) fn span(span: Span) -> ByteSpan {
        ByteSpan {
            start: at(span),
            end: end(span),
        }
    }
}

/// Whether it is a function or class that takes its name from what it is assigned to.
pub(super) fn takes_name(value: &Expr) -> bool {
    match unparenthesized(value) {
        Expr::Fn(function) => function.ident.is_none(),
        Expr::Arrow(_) => true,
        Expr::Class(class) => class.ident.is_none(),
        _ => false,
    }
}
