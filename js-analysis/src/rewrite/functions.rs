//! Functions: room for temporaries and shadows, and the hooks of what is filled on entry.
//!
//! ```text
//! function h(x) { k(); }      function h(x) {var $Qp$x;$QpA&&(($Qp$x=$QpV(1,$Qp$x,x))); k(); }
//! g(x => f(x))                g(x => {var $Qp$x;$QpA&&(($Qp$x=$QpV(1,$Qp$x,x)));return f(x)})
//! g((y = (f().p = 1)) => 1)   g((y = (($Qp1)=>((($Qp1=f()).p = …))))()) => …})
//! ```
//! Directives stay first. A default value or a class field has no statement that could declare a temporary, so
//! there an arrow function of its own holds it (and shows up as one more frame on a stack taken there).
//! At the top of a classic script nothing may be declared; temporaries live in the agent's object `$QpT`.

use std::fmt::Write as _;
use std::rc::Rc;

use memchr::memmem;
use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{Expr, Pat, Stmt};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::function_room::{FunctionRoom, Top, after_directives};
use super::rewriter::Rewriter;
use super::watching::VariablePlace;
use crate::edits::Reserved;
use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, BindingKind, EvalVariables, ScopeIndex, ScopeKind};

/// The name of a parameter that is nothing but a name.
fn plain_name(parameter: &Pat) -> Option<&Atom> {
    match parameter {
        Pat::Ident(ident) => Some(&ident.sym),
        _ => None,
    }
}

/// Where the numbers of temporaries begin that default values with `eval` use: apart from those of the script.
const EVAL_TEMPORARIES: u32 = 64;

impl Rewriter<'_> {
    /// A temporary of the current function; give it back with [`Rewriter::release`].
    pub(super) fn temporary(&mut self) -> Rc<str> {
        let room = self.room();
        room.in_use += 1;
        room.most = room.most.max(room.in_use);
        let (number, is_script_top) = (room.in_use, room.top == Top::Script);
        let (prefix, script) = (self.prefix, self.instrumentation.script);
        // The same few names again and again.
        let names = &mut self.temporaries[usize::from(is_script_top)];
        while names.len() < number as usize {
            let next = names.len() + 1;
            names.push(if is_script_top {
                format!("{prefix}T.s{script}_{next}").into()
            } else {
                format!("{prefix}{next}").into()
            });
        }
        names[number as usize - 1].clone()
    }

    /// Gives the last `count` temporaries back.
    pub(super) fn release(&mut self, count: usize) {
        let count = ByteOffset::from_index(count).0;
        let room = self.room();
        room.in_use = room.in_use.saturating_sub(count);
    }

    /// A name for a declarator that only runs a hook.
    pub(super) fn dummy(&mut self) -> String {
        let prefix = self.prefix;
        self.dummies += 1;
        format!("{prefix}Z{}", self.dummies)
    }

    /// Runs `body` with an empty room, and says what it used.
    pub(super) fn with_room(&mut self, top: Top, body: impl FnOnce(&mut Self)) -> FunctionRoom {
        self.rooms.push(FunctionRoom {
            top,
            depth: self.lasting.len() + 1,
            ..FunctionRoom::default()
        });
        let lasting = self.with_lasting_names(body);
        let mut room = self.rooms.pop().unwrap_or_default();
        room.lasting = lasting;
        room
    }

    /// Runs `body` and gives the names that must last as long as the block or function that it is the inside of.
    pub(super) fn with_lasting_names(&mut self, body: impl FnOnce(&mut Self)) -> Vec<String> {
        self.lasting.push(Vec::new());
        body(self);
        self.lasting.pop().unwrap_or_default()
    }

    /// A name for a value that is read again whenever its block or function still runs, each time it was entered
    /// another one.
    pub(super) fn lasting_name(&mut self) -> String {
        self.dummies += 1;
        let (p, number, script) = (self.prefix, self.dummies, self.instrumentation.script);
        let depth = self.lasting.len();
        let room = self.room();
        let is_script_top = room.top == Top::Script && room.depth == depth;
        if is_script_top {
            return format!("{p}T.c{script}_{number}");
        }
        let name = format!("{p}C{number}");
        if let Some(names) = self.lasting.last_mut() {
            names.push(name.clone());
        }
        name
    }

    /// The parameters and body of a function whose scope is the current one.
    pub(super) fn function_body(&mut self, parameters: &[&Pat], body: FunctionBodyOf<'_>) {
        let makes_object = std::mem::take(&mut self.makes_object);
        let may_have_shadow = std::mem::take(&mut self.may_have_shadow);
        let scope = self.current;
        self.parameters_of.push(scope);
        for parameter in parameters {
            self.parameter(parameter);
        }
        self.parameters_of.pop();
        let (start, end, needs_semicolon) = match &body {
            FunctionBodyOf::Statements { statements, start } => {
                let (start, semicolon) = after_directives(self.source, statements, *start);
                (start, None, semicolon)
            }
            FunctionBodyOf::Expression(expression) => {
                let span = expression.span();
                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                (lo, Some(hi), false)
            }
        };
        let begin = Self::begin_of(&body);
        let opening = self.edits.reserve(start);
        let names: Option<Vec<&Atom>> = parameters
            .iter()
            .map(|parameter| plain_name(parameter))
            .collect();
        let mut text = if std::mem::take(&mut self.is_getter)
            && let Some(names) = &names
        {
            self.opening(&body, names)
        } else {
            String::new()
        };
        let first_entry_site = self.sites.len();
        // What is counted at the entry belongs to the call already.
        let mut entry = vec![
            self.activation_hook(begin, Top::Body),
            self.entry_hooks(scope, parameters),
            self.call_hooks(),
        ];
        entry.retain(|hooks| !hooks.is_empty());
        let entry = entry.join(",");
        let entry_sites = first_entry_site..self.sites.len();
        let mut room = self.with_room(Top::Body, |this| match body {
            FunctionBodyOf::Statements { statements, .. } => {
                this.statements(statements);
                this.end_hooks();
            }
            FunctionBodyOf::Expression(expression) => {
                this.expression_body(expression);
            }
        });
        room.sites.extend(entry_sites);
        self.declare_activation(begin, &mut room);
        text.push_str(&self.room_text(&room, scope));
        if let Some(anchor) = self.anchor(&room) {
            let _ = write!(text, "{anchor};");
        }
        if let Some(task) = self.task_hook(&room) {
            let _ = write!(text, "{task};");
        }
        if makes_object && self.is_live() && self.names_this.last() == Some(&true) {
            let p = self.prefix;
            let _ = match may_have_shadow {
                true => write!(text, "new.target&&{p}Sh(this);"),
                false if room.names_own_shadow.get() => {
                    write!(text, "new.target&&({p}Own={p}Sn(this));")
                }
                false => write!(text, "new.target&&{p}Sn(this);"),
            };
        }
        if !entry.is_empty() {
            let _ = write!(text, "{}A&&({entry});", self.prefix);
        }
        if text.is_empty() {
            return;
        }
        match end {
            Some(end) => {
                self.edits.fill(opening, &format!("{{{text}return "));
                self.edits.insert(end, "}");
            }
            None => {
                let separator = if needs_semicolon { ";" } else { "" };
                self.edits.fill(opening, &format!("{separator}{text}"));
            }
        }
    }

    /// `$QpA||$QpS(number)`: a call that armed code never makes, in a function that the question is about. Its
    /// sites are told the number.
    fn anchor(&mut self, room: &FunctionRoom) -> Option<String> {
        if !self.keeps_in_context() {
            return None;
        }
        let p = self.prefix;
        let mut calls: Vec<String> = Vec::new();
        if room.has_point {
            calls.push(format!("{p}S(0)"));
        }
        // Sites of parameters are seen from the function around too, and belong to the inner one.
        let own: Vec<usize> = room
            .sites
            .iter()
            .copied()
            .filter(|&index| {
                self.sites
                    .get(index)
                    .is_some_and(|site| site.anchor.is_none())
            })
            .collect();
        if let Some(&first) = own.iter().min() {
            let number = self.instrumentation.first_site + ByteOffset::from_index(first).0;
            for index in own {
                if let Some(site) = self.sites.get_mut(index) {
                    site.anchor = Some(number);
                }
            }
            calls.push(format!("{p}S({number})"));
        }
        match calls.as_slice() {
            [] => None,
            [call] => Some(format!("{p}A||{call}")),
            calls => Some(format!("{p}A||({})", calls.join(","))),
        }
    }

    /// `var` for the temporaries of `room` and the shadows of `scope`.
    pub(super) fn room_text(&self, room: &FunctionRoom, scope: ScopeIndex) -> String {
        let mut names: Vec<String> = Vec::new();
        if room.top != Top::Script {
            names.extend((1..=room.most).map(|number| format!("{}{number}", self.prefix)));
        }
        names.extend(room.lasting.iter().cloned());
        if room.names_own_shadow.get() {
            names.push(format!("{}Own", self.prefix));
        }
        let shadows = self.shadowed(scope);
        let (for_function, own): (Vec<_>, Vec<_>) = shadows
            .iter()
            .map(|(binding, _)| *binding)
            .partition(|&binding| self.belongs_to_caller(scope, binding));
        names.extend(own.iter().map(|&binding| self.shadow(binding)));
        // What an eval declares must end with it, except for the shadows of what it gives to its caller.
        let keyword = if room.top == Top::Eval { "let" } else { "var" };
        let mut text = String::new();
        if !for_function.is_empty() {
            let names = for_function.iter().map(|&binding| self.shadow(binding));
            let _ = write!(text, "var {};", names.collect::<Vec<_>>().join(","));
        }
        if !names.is_empty() {
            let _ = write!(text, "{keyword} {};", names.join(","));
        }
        let shadows: Vec<BindingIndex> = shadows.iter().map(|(index, _)| *index).collect();
        if let Some(kept) = self.kept(&shadows) {
            text.push_str(&self.without_value(room, &kept));
        }
        text
    }

    /// Whether a binding at the top of a text given to `eval` is a variable of the function that called.
    fn belongs_to_caller(&self, scope: ScopeIndex, binding: BindingIndex) -> bool {
        self.scopes.scope(scope).kind == ScopeKind::Eval(EvalVariables::Function)
            && matches!(
                self.scopes.binding(binding).kind,
                BindingKind::Var | BindingKind::Function
            )
    }

    /// An expression as a statement at the top of `room`, which gives no value where one is taken.
    fn without_value(&self, room: &FunctionRoom, expression: &str) -> String {
        if room.top == Top::Body {
            format!("{expression};")
        } else {
            format!("{{let {}Z={expression}}}", self.prefix)
        }
    }

    /// What keeps shadows where a debugger can find them from inner functions too: a function that nobody calls names
    /// them. Where the question is known it keeps their variables as well. Of live hooks only the shadows of variables
    /// are kept that the engine keeps anyway.
    pub(super) fn kept(&self, bindings: &[BindingIndex]) -> Option<String> {
        let mut kept = String::new();
        if self.is_live() {
            for &index in bindings {
                if self.captured.contains(&index) {
                    let _ = write!(kept, "{},", self.shadow(index));
                }
            }
            return (!kept.is_empty()).then(|| format!("0&&(()=>[{kept}])"));
        }
        if !self.keeps_in_context() {
            return None;
        }
        for &index in bindings {
            let name = &self.scopes.binding(index).name;
            let _ = write!(kept, "{name},{},", self.shadow(index));
        }
        (!kept.is_empty()).then(|| format!("{}A||(()=>[{kept}])", self.prefix))
    }

    /// Whether shadows must be found from inner functions: when the question is known.
    pub(super) fn keeps_in_context(&self) -> bool {
        matches!(self.instrumentation.watch, super::Watch::Names(_))
    }

    /// The hooks of what is filled when the function is entered: parameters, hoisted functions.
    fn entry_hooks(&mut self, scope: ScopeIndex, parameters: &[&Pat]) -> String {
        let mut hooks: Vec<String> = Vec::new();
        for parameter in parameters {
            let at = parameter.span().lo.0;
            let text = self.fill_hooks(parameter, at, SiteKind::Parameter);
            if !text.is_empty() {
                hooks.push(text);
            }
        }
        let functions = self.hoisted_hooks(scope);
        if !functions.is_empty() {
            hooks.push(functions);
        }
        hooks.join(",")
    }

    /// The hooks of the function declarations of `scope`, which are filled on entry.
    pub(super) fn hoisted_hooks(&mut self, scope: ScopeIndex) -> String {
        if !self.any_variable || self.muted() {
            return String::new();
        }
        let scopes = self.scopes;
        let mut hooks = String::new();
        for &index in &scopes.scope(scope).bindings {
            let binding = scopes.binding(index);
            if binding.kind != BindingKind::Function || !self.may_be_watched(&binding.name) {
                continue;
            }
            let (name, declared_at) = (binding.name.clone(), binding.declared_at);
            let start = self.function_start(declared_at);
            self.fill_hook(&name, declared_at, start, SiteKind::Definition, &mut hooks);
        }
        hooks
    }

    /// The hook of the variable that the function `name`, declared in this block, is copied to where its declaration is
    /// evaluated; empty if there is none.
    pub(super) fn copy_hook(&mut self, name: &Atom, start: ByteOffset) -> String {
        let mut hook = String::new();
        if !self.any_variable || self.muted() || !self.may_be_watched(name) {
            return hook;
        }
        let Some(outer) = self.scopes.copied_to(self.current, name) else {
            return hook;
        };
        let binding = self.scopes.binding(outer);
        let place = match self.scopes.scope(binding.scope).kind {
            ScopeKind::Script => VariablePlace::Global {
                lexical: false,
                or_shadow: false,
            },
            _ if self.binding_is_hooked(outer) => VariablePlace::Shadow(Some(outer)),
            _ => return hook,
        };
        if let Some(watching) = self.watched_variable_named(name, binding.declared_at) {
            let site = (start, SiteKind::Definition);
            self.filled(name, &place, watching, site, &mut hook);
        }
        hook
    }

    /// The start of the declaration whose name is at `name_at`: `function`, or `async` before it.
    fn function_start(&self, name_at: ByteOffset) -> ByteOffset {
        let before = self.source.get(..name_at.index()).unwrap_or("");
        let Some(keyword) = before.rfind("function") else {
            return name_at;
        };
        let start = before[..keyword].trim_end();
        let is_async = start.ends_with("async")
            && !start[..start.len() - 5]
                .ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        ByteOffset::from_index(if is_async { start.len() - 5 } else { keyword })
    }

    /// A parameter's own expressions: keys and default values.
    fn parameter(&mut self, parameter: &Pat) {
        match parameter {
            Pat::Assign(assign) => {
                self.parameter(&assign.left);
                let span = assign.right.span();
                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                self.initialiser(lo, hi, |this| assign.right.visit_with(this));
            }
            Pat::Array(array) => {
                for element in array.elems.iter().flatten() {
                    self.parameter(element);
                }
            }
            Pat::Object(object) => {
                for property in &object.props {
                    match property {
                        swc_ecma_ast::ObjectPatProp::KeyValue(pair) => {
                            if let swc_ecma_ast::PropName::Computed(key) = &pair.key {
                                let span = key.expr.span();
                                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                                self.initialiser(lo, hi, |this| key.expr.visit_with(this));
                            }
                            self.parameter(&pair.value);
                        }
                        swc_ecma_ast::ObjectPatProp::Assign(short) => {
                            if let Some(default) = &short.value {
                                let span = default.span();
                                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                                self.initialiser(lo, hi, |this| default.visit_with(this));
                            }
                        }
                        swc_ecma_ast::ObjectPatProp::Rest(rest) => self.parameter(&rest.arg),
                    }
                }
            }
            Pat::Rest(rest) => self.parameter(&rest.arg),
            Pat::Ident(_) | Pat::Expr(_) | Pat::Invalid(_) => {}
        }
    }

    /// An expression outside any statement list: its temporaries are parameters of an arrow function around
    /// it.
    pub(super) fn initialiser(
        &mut self,
        start: ByteOffset,
        end: ByteOffset,
        body: impl FnOnce(&mut Self),
    ) {
        // A function around `eval` would take the variables that it makes for the function's own; and one around
        // `yield`, which is an error among parameters, would make a name of it.
        let text = self.source.get(start.index()..end.index()).unwrap_or("");
        let is_open = !self.parameters_of.is_empty()
            && (self.scopes.scope(self.current).has_direct_eval
                || memmem::find(text.as_bytes(), b"yield").is_some());
        if is_open {
            self.with_room(Top::Script, |this| {
                this.room().in_use = EVAL_TEMPORARIES;
                body(this);
            });
            return;
        }
        let opening: Reserved = self.edits.reserve(start);
        let room = self.with_room(Top::Body, body);
        if room.most > 0 || !room.lasting.is_empty() || room.names_own_shadow.get() {
            let mut names: Vec<String> = (1..=room.most)
                .map(|number| format!("{}{number}", self.prefix))
                .collect();
            names.extend(room.lasting);
            if room.names_own_shadow.get() {
                names.push(format!("{}Own", self.prefix));
            }
            self.edits
                .fill(opening, &format!("(({})=>(", names.join(",")));
            self.edits.insert(end, "))()");
        }
    }

    /// The hooks of a whole script or module, at its start; `scope` is its root.
    pub(super) fn script_top(
        &mut self,
        statements_start: ByteOffset,
        needs_semicolon: bool,
    ) -> TopOpening {
        TopOpening {
            place: self.edits.reserve(statements_start),
            needs_semicolon,
        }
    }

    /// Fills what [`Rewriter::script_top`] kept free.
    pub(super) fn close_script_top(
        &mut self,
        opening: &TopOpening,
        room: &FunctionRoom,
        link: &str,
        hoisted: &str,
    ) {
        let mut text = String::new();
        if self.instrumentation.in_document && (!self.sites.is_empty() || room.has_point) {
            let _ = write!(text, "{}C();", self.prefix);
        }
        text.push_str(&self.room_text(room, ScopeIndex::ROOT));
        text.push_str(link);
        if let Some(anchor) = self.anchor(room) {
            text.push_str(&self.without_value(room, &anchor));
        }
        if let Some(task) = self.task_hook(room) {
            text.push_str(&self.without_value(room, &task));
        }
        if !hoisted.is_empty() {
            let hoisted = format!("{}A&&({hoisted})", self.prefix);
            text.push_str(&self.without_value(room, &hoisted));
        }
        if !text.is_empty() {
            let separator = if opening.needs_semicolon { ";" } else { "" };
            self.edits
                .fill(opening.place, &format!("{separator}{text}"));
        }
    }
}

/// A place at the top of a script, kept free.
pub(super) struct TopOpening {
    place: Reserved,
    needs_semicolon: bool,
}

/// The body of a function.
pub(super) enum FunctionBodyOf<'s> {
    /// Statements between braces; `start` is the place after the opening brace.
    Statements {
        statements: &'s [Stmt],
        start: ByteOffset,
    },
    /// An arrow function's expression.
    Expression(&'s Expr),
}
