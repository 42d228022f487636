//! Live hooks: each write leaves one small number in the shadow of what it wrote.
//!
//! ```text
//! x = v             x = ($QpA&&($QpIs(x,v)||($Qp$x=$QpNow|1)),v)
//! x = "s"           x = ($QpA&&((x==="s")||($Qp$x=$QpNow|1)),"s")
//! x++               ($QpA&&($Qp$x=$QpNow|1),x++)
//! let y = v;        …let y = ($QpA&&($Qp$y=$QpNow|1),v);
//! var y = v;        …var y = ($QpA&&(v===void 0||($Qp$y=$QpNow|1)),v);
//! o.p = v           o.p = ($QpA&&($Qp1=$QpSh…(o),$QpIs($Qp1.v$p,v)||($Qp1.v$p=v,$Qp1.s$p=$QpNow|1)),v)
//! this.p = v        this.p = ($QpA&&($QpOwn||($QpOwn=$QpSh…(this)),$QpIs($QpOwn.v$p,v)…),v)
//! o[k] = v          o[k] = ($QpA&&(typeof k=="number"||$QpW(1,o,k,v)),v)
//! f({ p: g })       f(($Qp1={ p: g },$QpA&&($Qp2=$QpSn($Qp1),$Qp2.v$p=$Qp1["p"],$Qp2.s$p=$QpNow|1),$Qp1))
//! f(function () { this.p = v })   f(function () {…$QpNow||$QpBe();new.target&&($QpOwn=$QpSn(this)); this.p = (…) })
//! with (o) x = v    with ($QpUn(o)) x = v
//! ```
//! `$QpNow` has the number of the task in its upper bits and the site's number goes into the lower ones, so the number
//! is a small integer. The shadow of an object has the value beside it (`v$p`): a write that changes nothing leaves the
//! number as it is, and what was written without a hook shows, because the value is another one. A variable needs none:
//! all its writes are in sight, or it is left out ([`super::observable`]). The first write of a `var` (`y`) has nothing
//! to compare with ([`super::first_writes`]). The numbers of global variables that the script declares are in `$QpWg`,
//! the shadow of the global object, and `$QpWl`.
//!
//! The engine remembers for a function which shapes of objects it has met. `$QpSha` to `$QpShp` do the same, and each
//! function of a script calls one of them, so that each meets few. The shadow of `this` is looked up once for each call
//! of a function.
//!
//! Left out are elements of arrays, `length`, `lastIndex` and private fields: built-ins write them without a hook, or
//! one name represents several fields.

use std::fmt::Write as _;

use super::Watch;
use super::function_room::{FunctionRoom, Top};
use super::hooks::{Quoted, VariableWrite};
use super::rewriter::Rewriter;
use crate::scopes::{BindingIndex, BindingKind};

/// How many bits of a shadow's number are the site's. The agent has it from here (`agent/js/constants.js`).
pub const SITE_BITS: u32 = 18;

/// The largest number of a site that a shadow holds.
pub(super) const LARGEST_SITE: u32 = (1 << SITE_BITS) - 1;

/// What looks up the shadow of an object: one of the agent's functions that do, with the prefix left open.
const LOOKS: [&str; 16] = [
    "{p}Sha(", "{p}Shb(", "{p}Shc(", "{p}Shd(", "{p}She(", "{p}Shf(", "{p}Shg(", "{p}Shh(",
    "{p}Shi(", "{p}Shj(", "{p}Shk(", "{p}Shl(", "{p}Shm(", "{p}Shn(", "{p}Sho(", "{p}Shp(",
];

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
        format!("{p}Is({old},{new})")
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
            VariableWrite::First if value == "void 0" || value == "undefined" => "0".to_owned(),
            VariableWrite::First if is_compared_by_identity(value) => {
                format!("({shadow}={number})")
            }
            VariableWrite::First => format!("({value}===void 0||({shadow}={number}))"),
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

    /// The hook of a property with the key `key` of `object`, to which `value` is being assigned; `place` is a
    /// temporary.
    pub(super) fn live_property_hook(
        &self,
        site: &str,
        object: &str,
        key: &str,
        value: &str,
        place: &str,
    ) -> String {
        let room = self.rooms.last().filter(|room| room.top == Top::Body);
        let own = room.filter(|_| object == "this");
        let own = own.map(|room| {
            room.names_own_shadow.set(true);
            format!("{}Own", self.prefix)
        });
        let written = self.written_to(own.as_deref().unwrap_or(place), key, site, value);
        let look = self.look(object);
        match own {
            Some(own) => format!("({own}||({own}={look}),{written})"),
            None => format!("({place}={look},{written})"),
        }
    }

    /// What looks up the shadow of `object`.
    fn look(&self, object: &str) -> String {
        let function = self.scopes.function_around(self.current).0 as usize;
        let look = LOOKS[function % LOOKS.len()].replace("{p}", self.prefix);
        format!("{look}{object})")
    }

    /// The write of `value` to `key` as `shadow` is told it.
    fn written_to(&self, shadow: &str, key: &str, site: &str, value: &str) -> String {
        let (kept, site_of) = (InShadow('v', key), InShadow('s', key));
        let number = self.number(site);
        let old = format!("{shadow}{kept}");
        let is_same = self.is_same(&old, value);
        format!("{is_same}||({old}={value},{shadow}{site_of}={number})")
    }

    /// The hook of a global variable that this script declares.
    pub(super) fn live_global_hook(
        &self,
        site: &str,
        (name, lexical): (&str, bool),
        value: &str,
    ) -> String {
        let p = self.prefix;
        let shadow = match lexical {
            true => format!("{p}Wl"),
            false => format!("{p}Wg"),
        };
        format!("({})", self.written_to(&shadow, name, site, value))
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
