//! Whether others than the scripts' own calls may call a function: it, or what it is a member of, gets where it is not
//! followed.

use rustc_hash::FxHashSet;
use swc_atoms::Atom;

use super::holders::{ANY, Goes, Holder, Holders, Source};
use crate::call_graph::{CallFacts, FlowPlace, FunctionRef};
use crate::position::ByteSpan;

/// Through so many places something is followed.
const MOST_PLACES: usize = 400;

/// A script, as far as it says what it does with what it holds.
#[derive(Clone, Copy, Debug)]
pub struct HoldingScript<'a> {
    /// Where it is from.
    pub url: &'a str,
    /// What it says about calls.
    pub facts: &'a CallFacts,
    /// What it does with its functions, objects and variables.
    pub holders: &'a Holders,
}

/// Where something gets where its calls are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// At a place of a script.
    At(u32, ByteSpan),
    /// It is a variable of all scripts, and one was not read.
    Unread,
}

/// Where a function, or what it is a member of, gets where its calls are not followed. None: nobody has it who could
/// call it unseen. `has_unread`: whether a script is not among those that are given.
#[must_use]
pub fn way_out(
    scripts: &[HoldingScript<'_>],
    function: FunctionRef,
    has_unread: bool,
) -> Option<WayOut> {
    let own = scripts.get(function.script as usize)?;
    let fact = own.facts.functions.get(function.function as usize)?;
    let mut follow = Follow {
        scripts,
        has_unread,
        left: Vec::new(),
        known: FxHashSet::default(),
        sourced: FxHashSet::default(),
        out: None,
    };
    follow.add(function.script, Holder::Function(fact.body.0));
    while let (None, Some((script, holder))) = (follow.out, follow.left.pop()) {
        if follow.known.len() > MOST_PLACES {
            return Some(WayOut::At(function.script, fact.span));
        }
        follow.holder(script, &holder);
    }
    follow.out
}

/// Whether an address in a module may be that of a script: they end in the same name, or it is none.
fn may_name(text: &str, url: &str) -> bool {
    fn last(address: &str) -> Option<&str> {
        let path = address.split(['?', '#']).next()?;
        path.rsplit('/').next()
    }
    let is_address = text.starts_with(['.', '/']) || text.contains("://");
    !is_address || last(text) == last(url)
}

struct Follow<'a> {
    scripts: &'a [HoldingScript<'a>],
    has_unread: bool,
    left: Vec<(u32, Holder)>,
    known: FxHashSet<(u32, Holder)>,
    /// The variables of which it was looked at what is put into them.
    sourced: FxHashSet<(u32, Holder)>,
    out: Option<WayOut>,
}

impl<'a> Follow<'a> {
    fn add(&mut self, script: u32, holder: Holder) {
        // What has a name in all scripts is one.
        let script = match holder {
            Holder::Global(_) | Holder::Property(_) => u32::MAX,
            _ => script,
        };
        let known = (script, holder);
        if self.known.insert(known.clone()) {
            self.left.push(known);
        }
    }

    fn gets_out(&mut self, script: u32, at: ByteSpan) {
        self.out.get_or_insert(WayOut::At(script, at));
    }

    /// The scripts that may name something.
    fn naming(&self, script: u32) -> impl Iterator<Item = (u32, &'a HoldingScript<'a>)> + use<'a> {
        let scripts = self.scripts;
        let all = (0..).zip(scripts);
        all.filter(move |(number, _)| script == u32::MAX || *number == script)
    }

    fn holder(&mut self, script: u32, holder: &Holder) {
        if self.has_unread && matches!(holder, Holder::Global(_)) {
            self.out = Some(WayOut::Unread);
            return;
        }
        for (number, own) in self.naming(script) {
            match holder {
                Holder::Binding(_) => {
                    if let Some(at) = own.holders.eval {
                        self.gets_out(number, at);
                    }
                }
                Holder::Global(_) => {
                    let seen = [own.holders.eval, own.holders.computed_global];
                    for at in seen.into_iter().flatten() {
                        self.gets_out(number, at);
                    }
                }
                _ => {}
            }
            for goes in own.holders.goes.get(holder).into_iter().flatten() {
                match goes {
                    Goes::Out(at) => self.gets_out(number, *at),
                    Goes::Into(into) => self.add(number, into.clone()),
                    Goes::Made(span) => self.add(number, Holder::Object(*span)),
                    Goes::Member(of, name) => self.member(number, of, name),
                    Goes::Exported(name) => self.exported(number, name),
                }
            }
        }
    }

    /// It is a member of what is held there, under a name.
    fn member(&mut self, script: u32, of: &Holder, name: &Atom) {
        if &**name != ANY {
            self.add(script, Holder::Property(name.clone()));
        }
        self.add(script, of.clone());
        if !matches!(of, Holder::Binding(_) | Holder::Global(_)) {
            return;
        }
        // Whoever gave the object has it.
        let of_script = match of {
            Holder::Global(_) => u32::MAX,
            _ => script,
        };
        if !self.sourced.insert((of_script, of.clone())) {
            return;
        }
        let mut is_known = false;
        for (number, own) in self.naming(of_script) {
            for source in own.holders.sources.get(of).into_iter().flatten() {
                is_known = true;
                match source {
                    Source::Created(holder) => self.add(number, holder.clone()),
                    Source::Made(span, class) => {
                        self.add(number, Holder::Object(*span));
                        self.member(number, class, &Atom::from(ANY));
                    }
                    Source::Unknown(at) => self.gets_out(number, *at),
                }
            }
        }
        if !is_known {
            let whole = self.scripts.get(script as usize);
            let whole = whole.and_then(|own| own.facts.functions.first());
            if let Some(whole) = whole {
                self.gets_out(script, whole.span);
            }
        }
    }

    /// Other modules may import it under a name.
    fn exported(&mut self, script: u32, name: &Atom) {
        let Some(own) = self.scripts.get(script as usize) else {
            return;
        };
        let mut names = vec![FlowPlace::Export(name.clone())];
        if &**name == "default" {
            let flows = own.facts.exports();
            let defaults = flows.filter(|name| name.starts_with("default of "));
            names.extend(defaults.map(|name| FlowPlace::Export(name.clone())));
        }
        for (number, other) in (0..).zip(self.scripts) {
            let mut whole = other.holders.whole_imports.iter();
            let is_it =
                |text: &Option<Atom>| text.as_deref().is_none_or(|it| may_name(it, own.url));
            if let Some((at, _)) = whole.find(|(_, text)| is_it(text)) {
                self.gets_out(number, *at);
            }
            for binding in &other.holders.namespaces {
                let goes = other.holders.goes.get(&Holder::Binding(*binding));
                let mut goes = goes.into_iter().flatten();
                if let Some(Goes::Out(at)) = goes.next() {
                    self.gets_out(number, *at);
                } else if let (Some(_), Some(whole)) = (goes.next(), other.facts.functions.first())
                {
                    self.gets_out(number, whole.span);
                }
            }
            for (from, to) in other.facts.flows_from_exports() {
                if !names.contains(from) {
                    continue;
                }
                match to {
                    FlowPlace::Variable(variable) => self.add(number, Holder::Binding(*variable)),
                    FlowPlace::Export(name) => self.exported_again(number, name),
                    _ => {}
                }
            }
        }
        // By `import * as m`: `m.save`.
        self.add(script, Holder::Property(name.clone()));
    }

    /// A module hands on what another one exports.
    fn exported_again(&mut self, script: u32, name: &Atom) {
        let mark = Holder::Property(Atom::from(format!("export {name}")));
        if self.known.insert((script, mark)) {
            self.exported(script, name);
        }
    }
}
