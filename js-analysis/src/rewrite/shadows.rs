//! Live hooks: each write leaves one small number in the shadow of what it wrote.
//!
//! ```text
//! x = v      x = (((x===v?v!==0||$QpIs(x,v):v!==v&&x!==x)||($Qp$x=$QpNow|1)),v)
//! let x = v  let x = ((($Qp$x=$QpNow|1)),v)
//! x++        ((($Qp$x=$QpNow|1)),x++)
//! o.p = v    o.p = (($Qp1=$QpSh(o),($Qp1.v$p===v?…:…)||($Qp1.v$p=v,$Qp1.s$p=$QpNow|1)),v)
//! {p: v}     ($Qp1={p: v},($Qp2=$QpSn($Qp1),$Qp2.v$p=$Qp1.p,$Qp2.s$p=$QpNow|1),$Qp1)
//! ```
//! `$QpNow` has the number of the task in its upper bits and the site's number goes into the lower ones, so the number is
//! a small integer. The shadow of an object has the value beside it (`v$p`): a write that changes nothing leaves the
//! number as it is, and what was written without a hook shows, because the value is another one. A variable needs none:
//! all its writes are in sight, or it is left out ([`observable_bindings`]).
//!
//! Left out are elements of arrays, `length`, `lastIndex` and private fields: built-ins write them without a hook, or one
//! name stands for several fields.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_ecma_ast::{AssignExpr, ForHead, Stmt, UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator};
use swc_ecma_visit::{Visit, VisitWith};

use super::Watch;
use super::function_room::FunctionRoom;
use super::hooks::{Quoted, VariableWrite};
use super::rewriter::Rewriter;
use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, BindingKind, ScopeIndex, ScopeKind, Scopes};

/// How many bits of a shadow's number are the site's.
pub(super) const SITE_BITS: u32 = 18;

/// The largest number of a site that a shadow holds.
pub(super) const LARGEST_SITE: u32 = (1 << SITE_BITS) - 1;

/// Whether a property of this name has a place in its object's shadow.
pub(super) fn may_be_in_shadow(key: &str) -> bool {
    !key.starts_with(|first: char| first == '\0' || first.is_ascii_digit())
        && key != "length"
        && key != "lastIndex"
}

/// For each binding, whether all its writes can be seen.
///
/// They cannot where a direct `eval` may write it, where `arguments` may (parameters of sloppy functions), where a
/// function in a block is copied to a variable around it, and where code in the body of `with` may, which has no hooks.
pub(super) fn observable_bindings(source: &str, scopes: &Scopes) -> Vec<bool> {
    let copied: FxHashSet<&Atom> = scopes
        .bindings
        .iter()
        .filter(|binding| binding.is_copied_out || binding.is_copy)
        .map(|binding| &binding.name)
        .collect();
    let mut names_arguments: Vec<Option<bool>> = vec![None; scopes.scopes.len()];
    let mut is_tied = |index: usize| {
        *names_arguments[index].get_or_insert_with(|| {
            let scope = &scopes.scopes[index];
            let text = source.get(scope.start.index()..scope.end.index());
            !scope.strict
                && text.is_none_or(|text| text.contains("arguments") || text.contains("\\u"))
        })
    };
    let mut seen_by_with = vec![false; scopes.scopes.len()];
    for (index, scope) in scopes.scopes.iter().enumerate() {
        let index = ScopeIndex(ByteOffset::from_index(index).0);
        let is_inside = scope
            .parent
            .is_some_and(|parent| seen_by_with[parent.0 as usize] && is_in_with(scopes, parent));
        if scope.kind == ScopeKind::With || is_inside {
            for around in scopes.chain(index) {
                seen_by_with[around.0 as usize] = true;
            }
        }
    }
    scopes
        .bindings
        .iter()
        .map(|binding| {
            !seen_by_with[binding.scope.0 as usize]
                && !scopes.scope(binding.scope).has_direct_eval
                && !copied.contains(&binding.name)
                && !(binding.kind == BindingKind::Parameter && is_tied(binding.scope.0 as usize))
        })
        .collect()
}

fn is_in_with(scopes: &Scopes, scope: ScopeIndex) -> bool {
    scopes
        .chain(scope)
        .any(|around| scopes.scope(around).kind == ScopeKind::With)
}

/// Whether anything in a statement may write a property or variable that is there already.
pub(super) fn writes(statement: &Stmt) -> bool {
    struct Writes(bool);
    impl Visit for Writes {
        fn visit_assign_expr(&mut self, _assign: &AssignExpr) {
            self.0 = true;
        }
        fn visit_update_expr(&mut self, _update: &UpdateExpr) {
            self.0 = true;
        }
        fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
            self.0 |= declarator.init.is_some();
            declarator.visit_children_with(self);
        }
        fn visit_for_head(&mut self, _head: &ForHead) {
            self.0 = true;
        }
        fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
            self.0 |= unary.op == UnaryOp::Delete;
            unary.visit_children_with(self);
        }
    }
    let mut found = Writes(false);
    statement.visit_with(&mut found);
    found.0
}

/// A name in an object's shadow: `.v$p`.
struct InShadow<'k>(char, &'k str);

impl std::fmt::Display for InShadow<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(kind, key) = self;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        if key.bytes().all(is_plain) {
            return write!(out, ".{kind}${key}");
        }
        write!(out, "[{}]", Quoted(&format!("{kind}${key}")))
    }
}

/// Whether a value with this text is neither a zero nor `NaN`.
fn is_compared_by_identity(text: &str) -> bool {
    let number = text.trim_start_matches(['-', '+']);
    match number.chars().next() {
        Some('"' | '\'' | '1'..='9') => {
            !number.contains(|c: char| c.is_alphabetic()) || number == text
        }
        _ => matches!(
            text,
            "true" | "false" | "null" | "this" | "undefined" | "void 0" | "!0" | "!1"
        ),
    }
}

impl Rewriter<'_> {
    /// Whether each write leaves its number in a shadow.
    pub(super) fn is_live(&self) -> bool {
        matches!(self.instrumentation.watch, Watch::Live)
    }

    /// The number that a write at `site` leaves; -1: nothing is known of it.
    fn number(&self, site: &str) -> String {
        if self.next_site() > LARGEST_SITE || site.starts_with('-') {
            return "-1".to_owned();
        }
        format!("{}Now|{site}", self.prefix)
    }

    /// What a function with hooks begins with: a task that has no number is given one.
    pub(super) fn task_hook(&self, room: &FunctionRoom) -> Option<String> {
        let p = self.prefix;
        (self.is_live() && !room.sites.is_empty()).then(|| format!("{p}Now||{p}Be()"))
    }

    /// Whether `old` and `new`, two texts that can be evaluated again, are the same value, as `Object.is` has it.
    fn is_same(&self, old: &str, new: &str) -> String {
        let p = self.prefix;
        if is_compared_by_identity(new) {
            return format!("({old}==={new})");
        }
        format!("({old}==={new}?{new}!==0||{p}Is({old},{new}):{new}!=={new}&&{old}!=={old})")
    }

    /// The hook of a variable whose shadow is `shadow`.
    pub(super) fn live_variable_hook(
        &self,
        site: &str,
        (name, binding): (&str, Option<BindingIndex>),
        shadow: &str,
        write: VariableWrite,
        value: &str,
    ) -> String {
        let number = self.number(site);
        match write {
            VariableWrite::Assign => {
                format!("({}||({shadow}={number}))", self.is_same(name, value))
            }
            VariableWrite::Update => format!("({shadow}={number})"),
            VariableWrite::Fill => {
                let kind = binding.map(|index| self.scopes.binding(index).kind);
                let is_missed = binding.is_some_and(|index| self.missed.contains(&index));
                match kind {
                    _ if is_missed => format!("({shadow}=-1)"),
                    // What it held before is gone.
                    None | Some(BindingKind::Var | BindingKind::Function) => {
                        format!("({shadow}={shadow}===void 0?{number}:-1)")
                    }
                    Some(_) => format!("({shadow}={number})"),
                }
            }
        }
    }

    /// The hook of a property with the key `key` of `object`, to which `value` is being assigned; `place` is a temporary.
    pub(super) fn live_property_hook(
        &self,
        site: &str,
        object: &str,
        key: &str,
        value: &str,
        place: &str,
    ) -> String {
        let p = self.prefix;
        let (kept, site_of) = (InShadow('v', key), InShadow('s', key));
        let number = self.number(site);
        let old = format!("{place}{kept}");
        let is_same = self.is_same(&old, value);
        format!("({place}={p}Sh({object}),{is_same}||({old}={value},{place}{site_of}={number}))")
    }

    /// The hook of an object literal that is in `literal`, with the known keys `keys` from the site `first` on.
    pub(super) fn live_literal_hook(
        &self,
        literal: &str,
        keys: &[(u32, String)],
        place: &str,
    ) -> String {
        let p = self.prefix;
        let mut text = format!("({place}={p}Sn({literal})");
        for (site, key) in keys {
            let (kept, site_of) = (InShadow('v', key), InShadow('s', key));
            let number = self.number(&site.to_string());
            let quoted = Quoted(key);
            let _ = write!(
                text,
                ",{place}{kept}={literal}[{quoted}],{place}{site_of}={number}"
            );
        }
        text.push(')');
        text
    }
}
