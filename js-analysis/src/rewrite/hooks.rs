//! The texts of hooks: which writes are watched, how a value is named twice, and what a hook hands over.

use std::fmt::{self, Write as _};

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{Expr, Lit, UnaryOp};

use super::walk::Rewriter;
use super::{
    Dependent, DependentRoot, OriginalNames, Site, SiteKind, UnhookedSite, VariableAt, Watch,
    WatchedName, WatchedTarget,
};
use crate::position::ByteOffset;
use crate::scopes::{
    BindingIndex, BindingKind, Resolution, ScopeIndex, ScopeKind, Scopes, unparenthesized,
};

/// Where a watched variable's last change is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VariablePlace {
    /// In the shadow of this binding.
    Shadow(BindingIndex),
    /// In the agent's table of globals.
    Global {
        /// Whether it is certainly no property of the global object.
        lexical: bool,
    },
}

/// What a hook on a name reports: the watched slots that hang on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watching<'a> {
    /// Indices into the dependents that the hook must be able to resolve.
    pub(super) dependents: &'a [usize],
    /// Which of the watched names it is, where one name only is meant.
    pub(super) slot: Option<usize>,
}

/// Whether a key can be an index of an array.
fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Rewriter<'a> {
    /// Whether writes of the property `key` are hooked.
    pub(super) fn watches_property(&self, key: &str) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return (!self.muted()).then_some(Watching::default());
        };
        names
            .iter()
            .enumerate()
            .find_map(|(slot, name)| match &name.target {
                WatchedTarget::Property(watched) if watched == key => Some(Watching {
                    dependents: &name.dependents,
                    slot: Some(slot),
                }),
                _ => None,
            })
            .or_else(|| self.watches_with_element(key, names))
    }

    /// A write of `length` may delete an asked element, and one of an element may change an asked `length`.
    fn watches_with_element(&self, key: &str, names: &[WatchedName]) -> Option<Watching<'a>> {
        let is_concerned: fn(&str) -> bool = match key {
            "length" => is_index,
            _ if is_index(key) => |watched| watched == "length",
            _ => return None,
        };
        let concerns = names.iter().any(
            |name| matches!(&name.target, WatchedTarget::Property(watched) if is_concerned(watched)),
        );
        concerns.then_some(Watching {
            dependents: self.property_dependents,
            slot: None,
        })
    }

    /// Whether writes of properties whose key is known only at run time are hooked.
    pub(super) fn watches_any_property(&self) -> Option<Watching<'a>> {
        match &self.instrumentation.watch {
            Watch::Everything | Watch::Standby => (!self.muted()).then_some(Watching::default()),
            Watch::Names(_) => self.any_property.then_some(Watching {
                dependents: self.property_dependents,
                slot: None,
            }),
        }
    }

    /// Whether elements of array literals are hooked: an index or `length` is watched.
    pub(super) fn watches_elements(&self) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return (!self.muted()).then_some(Watching::default());
        };
        let is_element = |key: &str| key == "length" || is_index(key);
        let watched = names
            .iter()
            .any(|name| matches!(&name.target, WatchedTarget::Property(key) if is_element(key)));
        watched.then_some(Watching {
            dependents: self.property_dependents,
            slot: None,
        })
    }

    /// Whether writes of the variable `name`, met at `at` in the current scope, are hooked, and where its last
    /// change is kept.
    pub(super) fn watches_variable(
        &self,
        name: &Atom,
        at: ByteOffset,
    ) -> Option<(VariablePlace, Watching<'a>)> {
        if !self.any_variable || self.muted() || !self.may_be_watched(name) {
            return None;
        }
        let resolution = self.scopes.resolve(self.current, name);
        let (place, declared_at) = match resolution {
            Resolution::Local(binding) => {
                if !self.binding_is_hooked(binding) {
                    return None;
                }
                (
                    VariablePlace::Shadow(binding),
                    self.scopes.binding(binding).declared_at,
                )
            }
            Resolution::GlobalVar(binding) => (
                VariablePlace::Global { lexical: false },
                self.scopes.binding(binding).declared_at,
            ),
            Resolution::ScriptLexical(binding) => (
                VariablePlace::Global { lexical: true },
                self.scopes.binding(binding).declared_at,
            ),
            Resolution::Unresolved => (VariablePlace::Global { lexical: false }, at),
        };
        let watching = self.watched_variable_named(name, declared_at)?;
        Some((place, watching))
    }

    /// Whether a variable of this name can be one that is asked for.
    fn may_be_watched(&self, name: &Atom) -> bool {
        self.watched_names
            .as_ref()
            .is_none_or(|names| names.contains(name))
    }

    /// Whether writes of a binding can be hooked, and whether dormant hooks are worth it.
    ///
    /// A variable that no closure can see is gone with the call that wrote it. Its dormant hooks would be most of all
    /// hooks, and what they cost is the engine's inlining, whose budget counts bytecode that never runs.
    fn binding_is_hooked(&self, binding: BindingIndex) -> bool {
        let binding = self.scopes.binding(binding);
        !matches!(binding.kind, BindingKind::SelfName | BindingKind::Import)
            && self
                .outliving
                .as_ref()
                .is_none_or(|outliving| outliving[binding.scope.0 as usize])
    }

    /// Whether the variable declared at `declared_at` as `name` is asked for, by the name its author gave it.
    pub(super) fn watched_variable_named(
        &self,
        name: &str,
        declared_at: ByteOffset,
    ) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return Some(Watching::default());
        };
        let original = self.names.original_name(declared_at);
        let name = original.as_deref().unwrap_or(name);
        names
            .iter()
            .enumerate()
            .find_map(|(slot, watched)| match &watched.target {
                WatchedTarget::Variable(variable) if variable == name => Some(Watching {
                    dependents: &watched.dependents,
                    slot: Some(slot),
                }),
                _ => None,
            })
    }

    /// The bindings of `scope` that have a shadow.
    pub(super) fn shadowed(&self, scope: ScopeIndex) -> Vec<(BindingIndex, Watching<'a>)> {
        if !self.any_variable || self.muted() || self.scopes.scope(scope).kind == ScopeKind::Script
        {
            return Vec::new();
        }
        let bindings = &self.scopes.scope(scope).bindings;
        let mut found = Vec::new();
        for &index in bindings {
            let binding = self.scopes.binding(index);
            if self.binding_is_hooked(index)
                && self.may_be_watched(&binding.name)
                && let Some(watching) =
                    self.watched_variable_named(&binding.name, binding.declared_at)
            {
                found.push((index, watching));
            }
        }
        found
    }

    /// In the body of `with`, dormant hooks would look their names up in the object, which a proxy sees; so
    /// there are none there unless a question needs them.
    pub(super) fn muted(&self) -> bool {
        self.with_depth > 0 && !matches!(self.instrumentation.watch, Watch::Names(_))
    }

    /// The number of a new site.
    pub(super) fn site(&mut self, at: ByteOffset, kind: SiteKind) -> u32 {
        let function = self.scopes.function_name(self.current).map(|(name, at)| {
            self.names
                .original_name(*at)
                .unwrap_or_else(|| name.to_string())
        });
        let index = self.sites.len();
        self.room().sites.push(index);
        self.sites.push(Site {
            at,
            kind,
            function,
            anchor: None,
            calls: None,
        });
        self.instrumentation.first_site + ByteOffset::from_index(self.sites.len() - 1).0
    }

    /// Says that a site could not be hooked.
    pub(super) fn unhooked(&mut self, at: ByteOffset, reason: &'static str) {
        self.unhooked.push(UnhookedSite { at, reason });
    }

    /// Source text of an expression.
    pub(super) fn text(&self, expression: &Expr) -> &'a str {
        let span = expression.span();
        self.source
            .get(span.lo.0 as usize..span.hi.0 as usize)
            .unwrap_or("")
    }

    /// Whether evaluating `value` twice in a row is the same as once, and writing it twice is short and moves no
    /// line.
    pub(super) fn is_simple_value(&self, value: &Expr) -> bool {
        const LONGEST_REPEATED_TEXT: usize = 40;
        let value = unparenthesized(value);
        let span = value.span();
        if (span.hi.0 - span.lo.0) as usize > LONGEST_REPEATED_TEXT
            || self
                .text(value)
                .contains(['\n', '\r', '\u{2028}', '\u{2029}'])
        {
            return false;
        }
        match value {
            Expr::This(_) => true,
            Expr::Lit(literal) => !matches!(literal, Lit::Regex(_) | Lit::JSXText(_)),
            Expr::Unary(unary) => {
                matches!(
                    unary.op,
                    UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Bang | UnaryOp::Void
                ) && matches!(unparenthesized(&unary.arg), Expr::Lit(Lit::Num(_)))
            }
            Expr::Ident(ident) => self.is_plain_variable(&ident.sym),
            _ => false,
        }
    }

    /// Whether `object` can be named again after `value` was evaluated and still means the same. Before a
    /// compound write the page's getters and `valueOf` may run too.
    pub(super) fn is_stable_object(&self, object: &Expr, value: &Expr, compound: bool) -> bool {
        match unparenthesized(object) {
            Expr::This(_) => true,
            Expr::Ident(ident) => {
                self.is_plain_variable(&ident.sym)
                    && ((!compound && self.is_simple_value(value))
                        || !self.is_reassigned(&ident.sym))
            }
            _ => false,
        }
    }

    /// Whether `object` is `this`, or a variable that no assignment changes.
    pub(super) fn is_never_reassigned(&self, object: &Expr) -> bool {
        match unparenthesized(object) {
            Expr::Ident(ident) => !self.is_reassigned(&ident.sym),
            Expr::This(_) => true,
            _ => false,
        }
    }

    fn is_reassigned(&self, name: &Atom) -> bool {
        match self.scopes.resolve(self.current, name) {
            Resolution::Local(binding) => {
                let scope = self.scopes.scope(self.scopes.binding(binding).scope);
                self.scopes.binding(binding).reassigned || scope.has_direct_eval
            }
            _ => true,
        }
    }

    /// A variable whose evaluation runs nobody's code: declared in this script, with no `with` or `eval` that
    /// could come between.
    fn is_plain_variable(&self, name: &Atom) -> bool {
        let resolution = self.scopes.resolve(self.current, name);
        match resolution {
            Resolution::Local(_) | Resolution::ScriptLexical(_) => {
                self.with_depth == 0 || !self.scopes.crosses_with(self.current, resolution)
            }
            Resolution::GlobalVar(_) => false,
            Resolution::Unresolved => {
                self.with_depth == 0 && matches!(&**name, "undefined" | "NaN" | "Infinity")
            }
        }
    }

    /// The shadow's name of a binding.
    pub(super) fn shadow(&self, binding: BindingIndex) -> String {
        format!("{}${}", self.prefix, self.scopes.binding(binding).name)
    }

    /// What a hook hands over besides the write itself: `,()=>({d:[…],…})`, or nothing.
    pub(super) fn context(&self, watching: Watching<'_>) -> String {
        let mut text = String::new();
        self.write_context(watching.dependents, &mut text);
        match (text.strip_suffix("})"), watching.slot) {
            (Some(open), Some(slot)) => format!(",{open},n:{slot}}})"),
            (Some(_), None) => format!(",{text}"),
            (None, _) => String::new(),
        }
    }

    /// [`Rewriter::context`] without the comma.
    pub(super) fn write_context(&self, dependents: &[usize], out: &mut String) {
        let capture = self.instrumentation.capture.as_ref();
        if dependents.is_empty() && capture.is_none() {
            return;
        }
        out.push_str("()=>({d:[");
        for (index, dependent) in self.instrumentation.dependents.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            if dependents.contains(&index) {
                out.push_str(&self.dependent(dependent));
            } else {
                out.push('0');
            }
        }
        out.push(']');
        if let Some(capture) = capture {
            out.push_str(",s:[");
            self.write_scopes(out);
            out.push_str("],w:[");
            for watch in &capture.watches {
                let _ = write!(out, "()=>({}),", watch.replace(['\n', '\r'], " "));
            }
            out.push(']');
        }
        out.push_str("})");
    }

    fn dependent(&self, dependent: &Dependent) -> String {
        let name = match &dependent.root {
            DependentRoot::EventObject => return "0".to_owned(),
            DependentRoot::This => return "()=>this".to_owned(),
            DependentRoot::Name(name) => name,
        };
        match variable_at(self.scopes, self.current, name, self.names) {
            VariableAt::Local { name: local } if dependent.is_variable => {
                let p = self.prefix;
                let Some(caught) = self.caught_by_with(name, &local) else {
                    return "()=>0".to_owned();
                };
                format!("()=>{caught}{p}P({p}${local},()=>{local})")
            }
            VariableAt::Global { name: global } if dependent.is_variable => {
                let Some(caught) = self.caught_by_with(name, &global) else {
                    return "()=>0".to_owned();
                };
                let p = self.prefix;
                format!("()=>{caught}{p}Q({},()=>{global})", quote(&global))
            }
            // Anything but a place says that there is no hook on it.
            VariableAt::Unwatched { .. } if dependent.is_variable => "()=>0".to_owned(),
            VariableAt::Local { name }
            | VariableAt::Global { name }
            | VariableAt::Unwatched { name, .. } => format!("()=>{name}"),
        }
    }

    /// `$QpH(object,"name")?object:` for every `with` between here and the variable that its author calls `name`;
    /// `None` where there is one whose object has no name.
    fn caught_by_with(&self, name: &str, here: &str) -> Option<String> {
        let resolution = resolve_by_author(self.scopes, self.current, name, self.names);
        if !self.scopes.crosses_with(self.current, resolution) {
            return Some(String::new());
        }
        if self.with_objects.is_empty() {
            return None;
        }
        let (p, key) = (self.prefix, quote(here));
        let tests = self
            .with_objects
            .iter()
            .rev()
            .map(|object| format!("{p}H({object},{key})?{object}:"));
        Some(tests.collect())
    }

    /// All variables in sight, scope by scope, as thunks (a variable may not be initialised yet).
    fn write_scopes(&self, out: &mut String) {
        let function_scope = self.scopes.function_around(self.current);
        let mut seen: Vec<&Atom> = Vec::new();
        let mut within_function = true;
        for scope in self.scopes.chain(self.current) {
            let kind = match self.scopes.scope(scope).kind {
                ScopeKind::Script => "script",
                ScopeKind::Module => "module",
                ScopeKind::Catch => "catch",
                ScopeKind::Function if scope == function_scope => "local",
                ScopeKind::Block if within_function => "block",
                _ => "closure",
            };
            let mut names = String::new();
            for &index in &self.scopes.scope(scope).bindings {
                let binding = self.scopes.binding(index);
                if binding.kind != BindingKind::SelfName && !seen.contains(&&binding.name) {
                    seen.push(&binding.name);
                    let _ = write!(names, "{0}:()=>{0},", binding.name);
                }
            }
            if !names.is_empty() {
                let _ = write!(out, "[\"{kind}\",{{__proto__:null,{names}}}],");
            }
            if scope == function_scope {
                within_function = false;
            }
        }
    }

    /// The hook for a value written to a watched variable: `($Qp$x=$QpX(site,x,$Qp$x,value))` for an
    /// assignment, `…V(site,$Qp$x,value)` where the binding is filled.
    pub(super) fn variable_hook(
        &self,
        site: u32,
        written: WrittenVariable<'_>,
        value: &str,
        out: &mut String,
    ) {
        let p = self.prefix;
        let WrittenVariable {
            name,
            place,
            watching,
            write,
        } = written;
        let context = self.context(watching);
        let in_with = self.with_depth > 0 && {
            let resolution = self.scopes.resolve(self.current, name);
            self.scopes.crosses_with(self.current, resolution)
        };
        if in_with {
            out.push('(');
            for object in self.with_objects.iter().rev() {
                let key = Quoted(name);
                let _ = write!(out, "{p}H({object},{key})?{p}W({site},{object},{key},");
                let _ = match write {
                    VariableWrite::Update => write!(out, "{p}J({object},{key},{value})"),
                    VariableWrite::Assign | VariableWrite::Fill => write!(out, "{value}"),
                };
                let _ = write!(out, "{context}):");
            }
        }
        let _ = match (place, write) {
            (VariablePlace::Shadow(_), VariableWrite::Assign) => write!(
                out,
                "({p}${name}={p}X({site},{name},{p}${name},{value}{context}))"
            ),
            (VariablePlace::Shadow(_), VariableWrite::Fill) => {
                write!(out, "({p}${name}={p}V({site},{p}${name},{value}{context}))")
            }
            (VariablePlace::Shadow(_), VariableWrite::Update) => write!(
                out,
                "({p}${name}={p}U({site},{name},{p}${name},{value}{context}))"
            ),
            (VariablePlace::Global { .. }, VariableWrite::Update) => {
                write!(out, "{p}N({site},{},{value}{context})", Quoted(name))
            }
            (VariablePlace::Global { lexical }, _) => {
                // A binding that is filled with itself has been written by the language already.
                let after = write == VariableWrite::Fill && value == &**name;
                let how = u8::from(*lexical) | (u8::from(after) << 1);
                write!(out, "{p}G({site},{},{value},{how}{context})", Quoted(name))
            }
        };
        if in_with {
            out.push(')');
        }
    }
}

/// A watched variable that is written.
#[derive(Clone, Copy)]
pub(super) struct WrittenVariable<'w> {
    pub(super) name: &'w Atom,
    pub(super) place: &'w VariablePlace,
    pub(super) watching: Watching<'w>,
    pub(super) write: VariableWrite,
}

/// How a variable is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableWrite {
    /// By an assignment; the hook comes before.
    Assign,
    /// By the language itself, or for the first time.
    Fill,
    /// By `++` (value `1`) or `--` (value `-1`); the hook comes before.
    Update,
}

fn resolve_by_author(
    scopes: &Scopes,
    scope: ScopeIndex,
    name: &str,
    names: &dyn OriginalNames,
) -> Resolution {
    scopes.resolve_by(scope, |binding| {
        names
            .original_name(binding.declared_at)
            .map_or(&*binding.name == name, |original| original == name)
    })
}

/// Resolves the variable that its author calls `name`, seen from `scope`.
pub(super) fn variable_at(
    scopes: &Scopes,
    scope: ScopeIndex,
    name: &str,
    names: &dyn OriginalNames,
) -> VariableAt {
    match resolve_by_author(scopes, scope, name, names) {
        Resolution::Local(index) => {
            let binding = scopes.binding(index);
            let name = binding.name.to_string();
            match binding.kind {
                BindingKind::Import => VariableAt::Unwatched {
                    name,
                    reason: "it is imported: its writes are in the module that exports it",
                },
                BindingKind::SelfName => VariableAt::Unwatched {
                    name,
                    reason: "it is the own name of a function or class and cannot be written",
                },
                _ => VariableAt::Local { name },
            }
        }
        Resolution::GlobalVar(index) | Resolution::ScriptLexical(index) => VariableAt::Global {
            name: scopes.binding(index).name.to_string(),
        },
        Resolution::Unresolved => VariableAt::Global {
            name: name.to_owned(),
        },
    }
}

/// A function or class without a name, which takes the name of what it is assigned to.
pub(super) fn is_anonymous_function(value: &Expr) -> bool {
    match unparenthesized(value) {
        Expr::Fn(function) => function.ident.is_none(),
        Expr::Class(class) => class.ident.is_none(),
        Expr::Arrow(_) => true,
        _ => false,
    }
}

/// What stands around a value that is assigned to a temporary of ours, whose name a function must not take.
pub(super) fn without_name(value: &Expr) -> (&'static str, &'static str) {
    if is_anonymous_function(value) {
        ("(0,", ")")
    } else {
        ("", "")
    }
}

/// What keeps an anonymous function from taking the name of a temporary of ours, in parentheses before it.
pub(super) fn unnamed(value: &Expr) -> &'static str {
    if is_anonymous_function(value) {
        "0,"
    } else {
        ""
    }
}

/// A JavaScript string literal of a text.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'t>(pub(super) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        out.write_char('"')?;
        if self.0.bytes().all(is_plain) {
            out.write_str(self.0)?;
            return out.write_char('"');
        }
        for character in self.0.chars() {
            match character {
                '"' => out.write_str("\\\"")?,
                '\\' => out.write_str("\\\\")?,
                '\0'..='\u{1f}' => write!(out, "\\u{:04x}", u32::from(character))?,
                '<' => out.write_str("\\x3c")?,
                _ if character.is_ascii() => out.write_char(character)?,
                _ => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        write!(out, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        out.write_char('"')
    }
}

/// [`Quoted`] as a text of its own.
pub(super) fn quote(text: &str) -> String {
    Quoted(text).to_string()
}

/// The two halves of text that give an anonymous function in between the name it would have had:
/// `{x:` and `}.x`.
pub(super) fn naming(name: &str) -> (String, String) {
    if name == "__proto__" {
        (
            "{[\"__proto__\"]:".to_owned(),
            "}[\"__proto__\"]".to_owned(),
        )
    } else {
        (format!("{{{name}:"), format!("}}.{name}"))
    }
}
