//! What decides whether a library calls a function: functions beside it that were handed to the library, too, ran, and
//! gave what a test can test.
//!
//! ```js
//! { guard: ({ context }) => context.total > 100, actions: () => pay() }
//! ```
//!
//! Why `pay` was not called is decided in the library, but by what the guard gave. How a library goes from the one to
//! the other is not followed; near is what is in one expression, or in expressions that are connected through variables
//! (`const router = new Router(); router.before(guard); router.on("/cart", show);`).

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::beside::{
    Beside, Choice, ChoiceSite, HandedFunction, Returned, Site, Target, TestOutcome,
};
use super::coverage::Coverage;
use super::gate::{Gate, GateKind};
use super::gates::way_to;
use crate::control_flow::{Condition, ConditionKind};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;

/// How far apart two expressions are that a variable connects, beside the levels within one.
pub(super) const HOP: u32 = 100;
/// Through more variables nothing is connected.
const MOST_HOPS: u32 = 3;
/// A variable that more expressions use connects nothing.
const MOST_USES: usize = 60;
/// More are not looked at.
const MOST_DECIDERS: usize = 6;

/// A decision in a function that was handed over beside another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decider {
    /// The decision.
    pub gate: Gate,
    /// Whether it is what the function gives, not a test in it: then how it came out is known only when it is read.
    pub is_result: bool,
    /// Of a value that is handed over beside the function: whether by `true` it keeps something from being done.
    pub option: Option<bool>,
    /// How far the function is from the other one.
    pub distance: u32,
}

/// See [`Script::deciders`].
pub(super) fn deciders(
    script: &Script<'_>,
    beside: &Beside,
    coverage: &Coverage,
    body: ByteOffset,
) -> Vec<Decider> {
    let Some(own) = beside.functions.iter().find(|it| it.body == body) else {
        return Vec::new();
    };
    let near = Near::new(beside, own);
    let mut near_by = near.chosen(script, coverage);
    let mut others: Vec<(u32, &HandedFunction)> = beside
        .functions
        .iter()
        .filter(|other| beside.may_decide(other) && !own.is_around_or_in(other))
        .filter_map(|other| Some((near.distance(other)?, other)))
        .collect();
    others.sort_by_key(|(distance, other)| (*distance, other.body));
    let mut parts = others.split(|(distance, _)| *distance >= HOP);
    let within = parts.next().unwrap_or_default();
    near_by.extend(of_functions(script, coverage, within));
    if !near_by.is_empty() {
        // What is further away, and said that something is wrong, decides as well.
        let refused = |(distance, other): &&(u32, &HandedFunction)| {
            *distance >= HOP && other.has_refused(coverage) == Some(true)
        };
        let refused: Vec<(u32, &HandedFunction)> = others.iter().filter(refused).copied().collect();
        near_by.extend(of_functions(script, coverage, &refused));
        return near_by;
    }
    of_functions(script, coverage, &others)
}

/// See [`Script::deciders_in`].
pub(super) fn deciders_in(
    script: &Script<'_>,
    beside: &Beside,
    coverage: &Coverage,
    span: ByteSpan,
) -> Vec<Decider> {
    let spans = super::derived::made_of(script, beside, span);
    let is_within = |other: &&HandedFunction| {
        let is_in = |span: &ByteSpan| span.start <= other.span.start && other.span.end <= span.end;
        spans.iter().any(is_in) && beside.may_decide(other)
    };
    let mut others: Vec<(u32, &HandedFunction)> = Vec::new();
    for other in beside.functions.iter().filter(is_within) {
        // What is in a function that is handed over is not.
        if !others.iter().any(|(_, outer)| outer.is_around_or_in(other)) {
            others.push((1, other));
        }
    }
    of_functions(script, coverage, &others)
}

/// See [`Script::decided_by`].
pub(super) fn decided_by(
    script: &Script<'_>,
    beside: &Beside,
    coverage: &Coverage,
    body: ByteOffset,
) -> Vec<Decider> {
    let mut own = beside.functions.iter();
    let decides = |it: &HandedFunction| it.answers() || !it.throws.is_empty();
    let own = own.find(|it| it.body == body && it.entered > 0 && decides(it));
    let own: Vec<(u32, &HandedFunction)> = own.map(|own| (0, own)).into_iter().collect();
    of_functions(script, coverage, &own)
}

fn of_functions(
    script: &Script<'_>,
    coverage: &Coverage,
    functions: &[(u32, &HandedFunction)],
) -> Vec<Decider> {
    let mut found: Vec<Decider> = Vec::new();
    for (distance, function) in functions {
        let refused = function.has_refused(coverage);
        for (gate, is_result) in decisions(script, coverage, function) {
            let is_known = found.iter().any(|it| it.gate.decision == gate.decision);
            if !is_known && found.len() < MOST_DECIDERS {
                found.push(Decider {
                    gate,
                    is_result,
                    option: None,
                    // What could have said what is wrong, and never did, is behind the others.
                    distance: match refused {
                        Some(false) => *distance + HOP / 2,
                        _ => *distance,
                    },
                });
            }
        }
    }
    found.sort_by_key(|decider| decider.distance);
    found
}

/// Where a method or a property that holds a function is named in what is handed over, by a text: `{ click: "save" }`.
pub(super) fn named(beside: &Beside, body: ByteOffset) -> Vec<ByteSpan> {
    /// A word that is in more places is no name.
    const MOST_PLACES: usize = 3;
    let own = beside.functions.iter().find(|it| it.body == body);
    let Some(name) = own.and_then(|own| own.property.as_ref()) else {
        return Vec::new();
    };
    let is_it = |site: &&Site| {
        !site.path.is_empty() && matches!(&site.target, Target::Name(text) if text == name)
    };
    let found: Vec<ByteSpan> = beside.sites.iter().filter(is_it).map(|it| it.at).collect();
    match found.len() > MOST_PLACES {
        true => Vec::new(),
        false => found,
    }
}

/// What decided in a function what it gives.
fn decisions(
    script: &Script<'_>,
    coverage: &Coverage,
    function: &HandedFunction,
) -> Vec<(Gate, bool)> {
    let mut found = Vec::new();
    let way = |at: ByteOffset| way_to(script.program(), coverage, at);
    let blocking = |at: ByteOffset| {
        let gates = way(at).gates.into_iter();
        let mut gates = gates.filter(|gate| gate.before > 0 && gate.after == 0);
        gates.next()
    };
    if !function.throws.is_empty() {
        // What it throws, a library may swallow.
        let end = ByteOffset(function.span.end.0.saturating_sub(1));
        let threw = way(end)
            .gates
            .into_iter()
            .filter(|gate| gate.kind == GateKind::Throw && gate.before > 0 && gate.after == 0);
        found.extend(threw.map(|gate| (gate, false)));
        // Behind its last statement a browser counts nothing.
        let count = |at: &ByteSpan| coverage.evaluated(at.start);
        let thrown = function.throws.iter().filter(|at| count(at) > 0);
        if found.is_empty() && thrown.clone().map(count).sum::<u64>() >= function.entered {
            found.extend(thrown.filter_map(|at| {
                let (gate, is_result) = led_to(way(at.start).gates, *at, count(at))?;
                let kind = GateKind::Throw;
                Some((Gate { kind, ..gate }, is_result))
            }));
        }
    }
    let has_refused = function.has_refused(coverage) == Some(true);
    for returned in &function.returns {
        let count = coverage.evaluated(returned.at);
        match returned.outcome {
            // Where it said what is wrong, that it gives nothing elsewhere is no refusal.
            TestOutcome::No if has_refused => {}
            _ if count == 0 => found.extend(blocking(returned.at).map(|gate| (gate, false))),
            TestOutcome::Test => {
                found.push((result(returned, count), true));
                if function.may_end {
                    // `if (!user) return redirect("/login");`
                    found.extend(led_to(way(returned.at).gates, returned.statement, count));
                }
                let fills = returned.fills.iter();
                found.extend(fills.filter_map(|fill| {
                    let count = coverage.evaluated(fill.start);
                    let gates = (count > 0).then(|| way(fill.start).gates)?;
                    led_to(gates, *fill, count)
                }));
            }
            TestOutcome::No => {
                found.extend(led_to(way(returned.at).gates, returned.statement, count));
            }
            TestOutcome::Instead if function.refuses() => {
                found.extend(led_to(way(returned.at).gates, returned.statement, count));
            }
            TestOutcome::Yes | TestOutcome::Instead | TestOutcome::Other => {}
        }
    }
    for call in &function.own_calls {
        let count = coverage.evaluated(call.span.start);
        if count == 0 {
            let last = ByteOffset(call.span.end.0.saturating_sub(1));
            found.extend(blocking(last).map(|gate| (gate, false)));
        } else if let Some(given) = &call.given {
            found.push((result(given, count), true));
        }
    }
    found.retain(|(gate, _)| !matches!(gate.kind, GateKind::Await | GateKind::Yield));
    found
}

/// What a function gives, as a decision.
fn result(returned: &Returned, count: u64) -> Gate {
    let mut operands = vec![returned.value];
    operands.extend(returned.operands.iter().filter(|it| **it != returned.value));
    Gate {
        kind: GateKind::Branch,
        decision: returned.value,
        pause: returned.value.start,
        before: count,
        after: 0,
        held: false,
        jump: None,
        operands,
        flip: Some((
            Condition {
                span: returned.value,
                kind: ConditionKind::Test,
            },
            true,
        )),
        tried: Vec::new(),
    }
}

/// What a value decides, if it may have kept something from being done.
fn chosen(script: &Script<'_>, coverage: &Coverage, site: &ChoiceSite) -> Option<Decider> {
    let count = coverage.evaluated(site.at.start);
    if count == 0 {
        return None;
    }
    let itself = Gate {
        kind: GateKind::Branch,
        decision: site.at,
        pause: site.at.start,
        before: count,
        after: 0,
        held: false,
        jump: None,
        operands: Vec::new(),
        flip: None,
        tried: Vec::new(),
    };
    let (gate, is_result, stops) = match &site.choice {
        Choice::Given(given) if coverage.evaluated(*given) > 0 => return None,
        Choice::Given(given) => {
            let gates = way_to(script.program(), coverage, *given).gates;
            let mut gates = gates.into_iter().rev();
            (
                gates.find(|gate| gate.before > 0 && gate.after == 0)?,
                false,
                false,
            )
        }
        Choice::Fixed { value } => (
            Gate {
                held: *value,
                ..itself
            },
            false,
            *value,
        ),
        Choice::Switch { stops, operands } => {
            let mut parts = vec![site.at];
            parts.extend(operands.iter().filter(|it| **it != site.at));
            let condition = Condition {
                span: site.at,
                kind: ConditionKind::Test,
            };
            let gate = Gate {
                operands: parts,
                flip: Some((condition, !stops)),
                ..itself
            };
            (gate, true, *stops)
        }
    };
    Some(Decider {
        gate,
        is_result,
        option: Some(stops),
        distance: 0,
    })
}

/// The test that led to `return false`, or to `errors.name = "required"`.
fn led_to(gates: Vec<Gate>, jump: ByteSpan, count: u64) -> Option<(Gate, bool)> {
    let around = gates.into_iter().rev();
    let mut around = around.filter(|gate| {
        gate.jump.is_none() && matches!(gate.kind, GateKind::Branch | GateKind::Case)
    });
    let gate = around.next()?;
    Some((
        Gate {
            kind: GateKind::Return,
            held: !gate.held,
            before: count,
            after: 0,
            jump: Some(jump),
            flip: gate.flip.map(|(condition, wanted)| (condition, !wanted)),
            ..gate
        },
        false,
    ))
}

/// What is near to one function.
struct Near<'b> {
    beside: &'b Beside,
    /// Where the function itself is handed over.
    own: Vec<&'b Site>,
    /// Over how many variables each expression is connected with one of these.
    hops: FxHashMap<u32, u32>,
}

impl<'b> Near<'b> {
    fn new(beside: &'b Beside, own: &HandedFunction) -> Self {
        let own = sites_of(beside, own);
        let mut hops: FxHashMap<u32, u32> = FxHashMap::default();
        let mut left: VecDeque<u32> = VecDeque::new();
        for site in &own {
            hops.entry(site.tree).or_insert(0);
            left.push_back(site.tree);
        }
        let mut by_variable: FxHashMap<_, Vec<u32>> = FxHashMap::default();
        for (tree, of_tree) in (0..).zip(&beside.trees) {
            for variable in &of_tree.variables {
                if beside.connecting.contains(variable) {
                    by_variable.entry(variable).or_default().push(tree);
                }
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(tree) = left.pop_front() {
            let so_far = hops.get(&tree).copied().unwrap_or_default();
            if so_far >= MOST_HOPS {
                continue;
            }
            let variables = beside.trees.get(tree as usize);
            for variable in variables.into_iter().flat_map(|it| &it.variables) {
                let Some(users) = by_variable.get(variable).filter(|it| it.len() <= MOST_USES)
                else {
                    continue;
                };
                if !seen.insert(variable) {
                    continue;
                }
                for &user in users {
                    if let std::collections::hash_map::Entry::Vacant(new) = hops.entry(user) {
                        new.insert(so_far + 1);
                        left.push_back(user);
                    }
                }
            }
        }
        Self { beside, own, hops }
    }

    /// What values decide in the literals that the function is in, and beside it in a call.
    fn chosen(&self, script: &Script<'_>, coverage: &Coverage) -> Vec<Decider> {
        let is_beside = |choice: &&ChoiceSite| {
            self.own.iter().any(|own| {
                let (inner, outer) = match own.path.len() >= choice.path.len() {
                    true => (&own.path, &choice.path),
                    false => (&choice.path, &own.path),
                };
                let is_in = inner.starts_with(outer) && inner.len() - outer.len() <= 1;
                own.tree == choice.tree && is_in && !outer.is_empty()
            })
        };
        let choices = self.beside.choices.iter().filter(is_beside);
        let found = choices.filter_map(|site| chosen(script, coverage, site));
        found.take(MOST_DECIDERS).collect()
    }

    /// How far a function is; `None`: nothing connects the two.
    fn distance(&self, other: &HandedFunction) -> Option<u32> {
        let theirs = sites_of(self.beside, other);
        let of = |site: &Site| {
            let hops = self.hops.get(&site.tree).copied()?;
            let levels = |own: &&Site| {
                let pairs = own.path.iter().zip(&site.path);
                let common = pairs.take_while(|(one, two)| one == two).count();
                ByteOffset::from_index(own.path.len() + site.path.len() - 2 * common).0
            };
            let same = self.own.iter().filter(|own| own.tree == site.tree);
            let within = same.map(levels).min();
            let length = ByteOffset::from_index(site.path.len()).0;
            Some(within.unwrap_or(hops * HOP + length))
        };
        theirs.into_iter().filter_map(of).min()
    }
}

/// Where a function is handed over: itself, by its variable, or by the name of the property that it is in.
fn sites_of<'b>(beside: &'b Beside, function: &HandedFunction) -> Vec<&'b Site> {
    let is_it = |site: &&Site| match &site.target {
        Target::Itself(body) => *body == function.body,
        Target::Variable(variable) => {
            function.variable.as_ref() == Some(variable)
                || function.holder.as_ref() == Some(variable)
        }
        Target::Name(name) => function.property.as_ref() == Some(name),
    };
    beside.sites.iter().filter(is_it).collect()
}
