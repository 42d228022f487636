//! What a hook hands over besides the write: references that are resolved there, the variables in sight, watches.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;
use swc_atoms::Atom;

use super::author_names::{self, Meaning, Nearness, PlaceInScope};
use super::hooks::{Member, quote};
use super::rewriter::Rewriter;
use super::watched_expression::with_running_names;
use super::watching::Watching;
use super::{Dependent, DependentRoot, OuterName, VariableAt};
use crate::scopes::{BindingIndex, BindingKind, Resolution, ScopeIndex, ScopeKind};

impl Rewriter<'_> {
    /// What a hook hands over besides the write itself: `,()=>({d:[…],…})`, or nothing.
    pub(super) fn context(&self, watching: Watching<'_>) -> String {
        let mut text = String::new();
        self.write_context(watching.dependents, &mut text);
        let is_counted = |slot| self.instrumentation.traced_variables.contains(&slot);
        if text.is_empty() && watching.slot.is_some_and(is_counted) {
            text.push_str("()=>({d:[]})");
        }
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
                let _ = match self.running_expression(watch) {
                    Ok(watch) => write!(out, "()=>({}),", watch.replace(['\n', '\r'], " ")),
                    Err(why) => write!(out, "{},", thrown(&why)),
                };
            }
            out.push(']');
        }
        out.push_str("})");
    }

    /// A watched expression with the names that run here.
    fn running_expression(&self, expression: &str) -> Result<String, String> {
        if !self.names.gives_names() {
            return Ok(expression.to_owned());
        }
        let place = self.place();
        let running = with_running_names(expression, &|name| match variable_at(&place, name) {
            VariableAt::Unknown { why } => Err(why),
            VariableAt::Local { name }
            | VariableAt::Global { name }
            | VariableAt::Unwatched { name, .. } => Ok(name),
        });
        running.map(|running| running.text)
    }

    fn dependent(&self, dependent: &Dependent) -> String {
        let name = match &dependent.root {
            DependentRoot::EventObject | DependentRoot::Element => return "0".to_owned(),
            DependentRoot::This => return "()=>this".to_owned(),
            DependentRoot::Condition(slot) => {
                let record = self.condition_record(*slot);
                return format!(
                    "()=>{}P(typeof {record}===\"object\"?{record}:void 0,()=>0)",
                    self.prefix
                );
            }
            DependentRoot::Name(name) => name,
        };
        let place = self.place();
        match variable_at(&place, name) {
            VariableAt::Unknown { why } => thrown(&why),
            VariableAt::Local { name: local } if dependent.is_variable => {
                let p = self.prefix;
                let Some(caught) = self.caught_by_with(name, &local) else {
                    return "()=>0".to_owned();
                };
                let shadow = match resolve_by_author(&place, name) {
                    Resolution::Local(binding) if self.is_watched(binding) => self.shadow(binding),
                    _ => return "()=>0".to_owned(),
                };
                format!("()=>{caught}{p}P({shadow},()=>{local})")
            }
            VariableAt::Global { name: global } if dependent.is_variable => {
                let Some(caught) = self.caught_by_with(name, &global) else {
                    return "()=>0".to_owned();
                };
                let p = self.prefix;
                let in_shadow = format!("{p}P({p}${global},()=>{global})");
                let resolution = resolve_by_author(&self.place(), name);
                let outer = match resolution {
                    Resolution::Unresolved => self.outer_name(&global),
                    _ => None,
                };
                match outer {
                    Some(OuterName::Shadowed { .. }) => format!("()=>{caught}{in_shadow}"),
                    Some(OuterName::Unwatched) => "()=>0".to_owned(),
                    None => {
                        let or_shadow = if self.may_be_declared_by_eval(resolution) {
                            format!("typeof {p}${global}===\"object\"?{in_shadow}:")
                        } else {
                            String::new()
                        };
                        let key = quote(&global);
                        format!("()=>{caught}{or_shadow}{p}Q({key},()=>{global})")
                    }
                }
            }
            // What cannot be written has no record, and needs none.
            VariableAt::Unwatched { name: own, .. }
                if dependent.is_variable && self.is_own_name(name) =>
            {
                format!("()=>{}P(void 0,()=>{own})", self.prefix)
            }
            VariableAt::Unwatched { name: local, .. }
                if let Some(imported) = self.imported(&local, dependent.is_variable) =>
            {
                imported
            }
            // Anything but a place says that there is no hook on it.
            VariableAt::Unwatched { .. } if dependent.is_variable => "()=>0".to_owned(),
            VariableAt::Local { name }
            | VariableAt::Global { name }
            | VariableAt::Unwatched { name, .. } => format!("()=>{name}"),
        }
    }

    /// Where the hook is that is being written.
    pub(super) fn place(&self) -> PlaceInScope<'_> {
        PlaceInScope {
            scopes: self.scopes,
            scope: self.current,
            at: self.here,
            names: self.names,
            known: &self.known_names,
        }
    }

    /// Whether the author's `name` means the own name of a function or class here.
    fn is_own_name(&self, name: &str) -> bool {
        let resolution = resolve_by_author(&self.place(), name);
        matches!(resolution, Resolution::Local(index)
            if self.scopes.binding(index).kind == BindingKind::SelfName)
    }

    /// `$QpH(object,"name")?object:` for every `with` between here and the variable that its author calls `name`;
    /// `None` where there is one whose object has no name.
    fn caught_by_with(&self, name: &str, here: &str) -> Option<String> {
        let resolution = resolve_by_author(&self.place(), name);
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

    /// The variables of a scope that are shown of it: of many those that are declared near to the hook.
    fn nearest_variables(&self, scope: ScopeIndex) -> Vec<BindingIndex> {
        const MOST: usize = 200;
        let mut all = self.scopes.scope(scope).bindings.clone();
        if all.len() <= MOST {
            return all;
        }
        let here = self.names.file_at(self.here);
        all.sort_by_cached_key(|&index| {
            let file = self.names.file_at(self.scopes.binding(index).declared_at);
            let is_of_library = file.is_some_and(|file| self.names.is_of_library(file));
            Nearness::of(file, here, is_of_library)
        });
        all.truncate(MOST);
        all
    }

    /// The variables in sight, scope by scope, as thunks (a variable may not be initialised yet).
    fn write_scopes(&self, out: &mut String) {
        let function_scope = self.scopes.function_around(self.current);
        let place = self.place();
        let mut seen: FxHashSet<&Atom> = FxHashSet::default();
        let mut within_function = true;
        for scope in self.scopes.chain(self.current) {
            let kind = match self.scopes.scope(scope).kind {
                ScopeKind::Script => "script",
                ScopeKind::Module => "module",
                ScopeKind::Catch => "catch",
                ScopeKind::Function if scope == function_scope => "local",
                ScopeKind::Block | ScopeKind::Eval(_) if within_function => "block",
                _ => "closure",
            };
            let mut names = String::new();
            for index in self.nearest_variables(scope) {
                let binding = self.scopes.binding(index);
                if binding.kind != BindingKind::SelfName && seen.insert(&binding.name) {
                    let given = author_names::shown(&place, index);
                    let _ = match &given {
                        Some(given) => write!(names, "{}:()=>{},", Member(given), binding.name),
                        None if binding.name == "__proto__" => {
                            write!(names, "{}:()=>{},", Member(&binding.name), binding.name)
                        }
                        None => write!(names, "{0}:()=>{0},", binding.name),
                    };
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
}

/// What a thunk is that cannot give a variable, and says why.
fn thrown(why: &str) -> String {
    format!("()=>{{throw{{message:{}}}}}", quote(why))
}

fn resolve_by_author(place: &PlaceInScope<'_>, name: &str) -> Resolution {
    let PlaceInScope { scopes, scope, .. } = *place;
    if !place.names.gives_names() {
        return scopes.resolve_by(scope, |binding| &*binding.name == name);
    }
    match author_names::meaning(place, name) {
        Meaning::Variable(binding) => scopes.resolution_of(binding),
        _ => Resolution::Unresolved,
    }
}

/// Resolves the variable that its author calls `name` at a place.
pub(super) fn variable_at(place: &PlaceInScope<'_>, name: &str) -> VariableAt {
    let scopes = place.scopes;
    if place.names.gives_names() {
        let meaning = author_names::meaning(place, name);
        if let Some(why) = author_names::why_not(place, name, &meaning) {
            return VariableAt::Unknown { why };
        }
    }
    match resolve_by_author(place, name) {
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
