//! Texts that name what a function waits for, as an event or an action: where something is told by the same text, or by
//! one that is almost the same.
//!
//! ```js
//! takeLatest("cart/paid", thank);
//! if (method) dispatch({ type: "cart/paid", method });
//! ```
//!
//! That `thank` was not called was decided by `method`, however the library goes from the one to the other.

use rustc_hash::FxHashMap;
use swc_common::Spanned;
use swc_ecma_ast::{CallExpr, Callee, Expr, KeyValueProp, MemberProp, NewExpr, PropName, Str, Tpl};
use swc_ecma_visit::{Visit, VisitWith};

use super::candidates::{Candidate, Reason};
use super::gate::Gate;
use super::search::Search;
use super::untold::tells;
use crate::call_graph::{CallFact, CallRef};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;
use crate::scopes::unparenthesized;

/// What is told in more places is not looked at so.
const MOST_PLACES: usize = 8;
/// A shorter text is like too many others.
const SHORTEST: usize = 4;

/// The texts of a script that are in one piece, as names are.
#[derive(Debug, Default)]
pub struct Texts {
    /// How often each is there.
    counts: FxHashMap<String, u32>,
    /// Where something is told by it: `emit("add")`, `{ type: "add" }`.
    told: FxHashMap<String, Vec<ByteSpan>>,
}

impl Texts {
    /// Those of a script.
    pub(super) fn of(script: &Script<'_>) -> Self {
        let mut found = Self::default();
        script.program().visit_with(&mut found);
        found
    }

    /// How often a text is there.
    #[must_use]
    pub fn count(&self, text: &str) -> u32 {
        self.counts.get(text).copied().unwrap_or_default()
    }

    /// Where something is told by a text.
    #[must_use]
    pub fn told(&self, text: &str) -> &[ByteSpan] {
        self.told.get(text).map_or(&[], Vec::as_slice)
    }

    /// The texts by which something is told that are almost a text, and where.
    pub fn almost<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = (&'t str, &'t [ByteSpan])> + 't {
        let told = self.told.iter();
        let almost = told.filter(move |(other, _)| is_almost(text, other));
        almost.map(|(other, places)| (other.as_str(), places.as_slice()))
    }

    fn counts(&mut self, text: &str) {
        if is_name(text) {
            *self.counts.entry(text.to_owned()).or_default() += 1;
        }
    }

    fn tells(&mut self, value: &Expr) {
        let text = match unparenthesized(value) {
            Expr::Lit(swc_ecma_ast::Lit::Str(text)) => text.value.as_str(),
            Expr::Tpl(template) if template.exprs.is_empty() => text_of(template),
            _ => None,
        };
        if let Some(text) = text.filter(|text| is_name(text)) {
            let span = value.span();
            let place = ByteSpan {
                start: ByteOffset(span.lo.0),
                end: ByteOffset(span.hi.0),
            };
            self.told.entry(text.to_owned()).or_default().push(place);
        }
    }
}

fn text_of(template: &Tpl) -> Option<&str> {
    template.quasis.first()?.cooked.as_ref()?.as_str()
}

/// Whether a text is in one piece, as the names of events are.
fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "-_/:.@$".contains(letter);
    (SHORTEST..=60).contains(&text.len()) && text.chars().all(is_part)
}

impl Visit for Texts {
    fn visit_str(&mut self, text: &Str) {
        if let Some(text) = text.value.as_str() {
            self.counts(text);
        }
    }

    fn visit_tpl(&mut self, template: &Tpl) {
        if template.exprs.is_empty()
            && let Some(text) = text_of(template)
        {
            self.counts(text);
        }
        template.exprs.visit_with(self);
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let (Callee::Expr(callee), Some(first)) = (&call.callee, call.args.first()) {
            let name = match unparenthesized(callee) {
                Expr::Ident(ident) => Some(&ident.sym),
                Expr::Member(member) => match &member.prop {
                    MemberProp::Ident(name) => Some(&name.sym),
                    _ => None,
                },
                _ => None,
            };
            if name.is_some_and(|name| tells(name) || &**name == "commit") {
                self.tells(&first.expr);
            }
        }
        call.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, new: &NewExpr) {
        let is_event = matches!(&*new.callee, Expr::Ident(ident) if ident.sym.ends_with("Event"));
        if let (true, Some(first)) = (is_event, new.args.iter().flatten().next()) {
            self.tells(&first.expr);
        }
        new.visit_children_with(self);
    }

    fn visit_key_value_prop(&mut self, pair: &KeyValueProp) {
        let is_kind = match &pair.key {
            PropName::Ident(name) => matches!(
                &*name.sym,
                "type" | "event" | "action" | "kind" | "topic" | "channel"
            ),
            _ => false,
        };
        if is_kind {
            self.tells(&pair.value);
        }
        pair.visit_children_with(self);
    }
}

/// Whether two texts differ by so little that one is the other, misspelt: by a letter or two that are missing, doubled,
/// others or in another order.
fn is_almost(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let most = if one.len().min(other.len()) > 7 { 2 } else { 1 };
    if one == other || one.len().abs_diff(other.len()) > most {
        return false;
    }
    let same = one
        .iter()
        .zip(&other)
        .take_while(|(one, other)| one == other);
    let same = same.count();
    let rest = |text: &[char]| text.get(same..).unwrap_or_default().to_vec();
    let (one, other) = (rest(&one), rest(&other));
    let ends = one.iter().rev().zip(other.iter().rev());
    let ends = ends.take_while(|(one, other)| one == other).count();
    // What is between the part that both begin with and the one that both end with.
    let longest = one.len().max(other.len());
    let is_turned = match (one.as_slice(), other.as_slice()) {
        ([first, second, rest @ ..], [third, fourth, end @ ..]) => {
            first == fourth && second == third && rest == end
        }
        _ => false,
    };
    is_turned || longest.saturating_sub(ends) <= most
}

impl Search<'_, '_> {
    /// A function was handed over with a text: who tells something by that text, if none of them did; or that nobody
    /// does, but somebody by one that is almost the same.
    pub(super) fn not_told_by_text(&mut self, call: CallRef, calls: u32) {
        let (Some(own), Some(fact)) = (self.script(call.script), self.fact(call)) else {
            return;
        };
        // `pipe(ofType("add"), map(show))`: the operators of one call.
        let around = own.facts.calls.iter();
        let mut around = around.filter(|outer| outer.arguments.contains(&fact.span));
        let outer = around.next();
        let before: Vec<&CallFact> = outer.map_or_else(Vec::new, |outer| {
            let operators = own.facts.calls.iter();
            let operators = operators.filter(|one| one.span.end <= fact.span.start);
            let operators = operators.filter(|one| outer.arguments.contains(&one.span));
            operators.collect()
        });
        let is_own = |one: &&CallFact| one.span == fact.span;
        let with_text = before
            .into_iter()
            .chain(std::iter::once(fact).filter(is_own));
        for waiting in with_text {
            if let Some(text) = &waiting.text {
                let part = self.authored_part(call.script, waiting);
                self.told_by_none(call.script, (part, text), calls);
            }
        }
    }

    /// The same of what a generator gives: `yield take("payment/chosen")`.
    pub(super) fn not_told_to_generator(&mut self, script: u32, gate: &Gate, calls: u32) {
        let Some(own) = self.script(script) else {
            return;
        };
        let is_in = |call: &&CallFact| {
            gate.decision.start <= call.span.start && call.span.end <= gate.decision.end
        };
        let within = own.facts.calls.iter().filter(is_in);
        let texts = within.filter_map(|call| Some((call.span, call.text.as_ref()?)));
        for waiting in texts {
            self.told_by_none(script, waiting, calls);
        }
    }

    fn told_by_none(&mut self, script: u32, (span, text): (ByteSpan, &String), calls: u32) {
        let (mut telling, mut is_named) = (Vec::new(), false);
        for (other, place) in self.ways.told(text) {
            let is_own = other == script && span.start <= place.start && place.end <= span.end;
            is_named |= !is_own;
            if !is_own {
                telling.push((other, place));
            }
        }
        if !is_named {
            let almost = self.ways.almost_told(text);
            let mut almost = almost.into_iter();
            let said = almost.find(|(_, script, place)| {
                let way = self.ways.way_to(*script, place.start);
                way.count > 0
            });
            if let Some((other, ..)) = said {
                let hits = self.ways.way_to(script, span.start).count;
                let what = format!(
                    "nothing else in the page's code has the text \"{text}\"; something is told by \"{other}\""
                );
                self.push(Candidate {
                    pause: Some(span.start),
                    hits,
                    calls,
                    detail: Some(what),
                    is_misspelt: true,
                    ..Candidate::new(Reason::Callback, script, span)
                });
            }
            return;
        }
        if telling.len() > MOST_PLACES {
            return;
        }
        let ways = telling.into_iter().map(|(script, place)| {
            let way = self.ways.way_to(script, place.start);
            (script, place, way)
        });
        let ways: Vec<_> = ways.collect();
        if ways.iter().any(|(_, _, way)| way.count > 0) {
            return;
        }
        for (script, place, way) in ways {
            if way.entered > 0 {
                self.in_function(script, place.start, &way, calls, None);
            } else {
                self.not_entered(script, place.start, &way, calls);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_misspelt_is_almost_the_text() {
        for (one, other) in [
            ("user/loded", "user/loaded"),
            ("cart/chekout", "cart/checkout"),
            ("chnage", "change"),
            ("selected", "seleted"),
            ("row-selected", "row-selecetd"),
        ] {
            assert!(is_almost(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("open", "open"),
            ("open", "close"),
            ("user/add", "user/remove"),
        ] {
            assert!(!is_almost(one, other), "{one} {other}");
        }
    }
}
