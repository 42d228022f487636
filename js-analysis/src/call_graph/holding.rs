//! What a function is a part of, and which calls are given that: a component is an object or a class, of which only the
//! framework calls the functions.
//!
//! ```js
//! const Badge = { setup() { … } };
//! open.value ? h(Badge) : null;
//! ```
//!
//! That `setup` did not run was decided where `Badge` was not handed over.

use swc_atoms::Atom;

use super::facts::{CallFact, CallFacts, ELEMENT, FlowPlace, LiteralFact};
use super::graph::{CallRef, FunctionRef, is_shared};
use crate::position::ByteSpan;

/// Through so many places what holds a function is followed.
const MOST_PLACES: usize = 40;

impl CallFacts {
    /// What a function is a part of and nothing of which ran: its class, or the object literals around it.
    fn whole_of(&self, function: u32, ran: &dyn Fn(u32) -> bool) -> Vec<FlowPlace> {
        let Some(own) = self.functions.get(function as usize) else {
            return Vec::new();
        };
        let numbers = || (0_u32..).zip(&self.functions);
        if let Some(class) = own.class {
            let is_made = numbers().any(|(number, it)| it.class == Some(class) && ran(number));
            return match is_made {
                true => Vec::new(),
                false => vec![FlowPlace::Class(class)],
            };
        }
        let is_made = |span: &ByteSpan| {
            numbers().any(|(number, it)| {
                span.start <= it.span.start && it.span.end <= span.end && ran(number)
            })
        };
        let around = self.literals_around(function).into_iter();
        let unmade = around.take_while(|(_, span)| !is_made(span));
        unmade
            .map(|(number, _)| FlowPlace::Literal(number))
            .collect()
    }

    /// The literals that a function is a member of, the innermost first: not those of which it is an argument.
    fn literals_around(&self, function: u32) -> Vec<(u32, ByteSpan)> {
        let mut around: Vec<(u32, ByteSpan)> = Vec::new();
        let mut member = FlowPlace::Function(function);
        // `const onSave = () => …; h(Form, { onSave })`
        let into = self
            .flows
            .iter()
            .filter(|(from, to)| *from == member && (to.is_variable() || to.is_global()));
        let variables: Vec<FlowPlace> = into.map(|(_, to)| to.clone()).collect();
        loop {
            let literals = (0_u32..).zip(&self.literals);
            let is_in = |literal: &LiteralFact| {
                let mut members = literal.members.iter();
                members.any(|it| *it == member || around.is_empty() && variables.contains(it))
            };
            let holder = literals
                .filter(|(number, _)| around.iter().all(|(known, _)| known != number))
                .find(|(_, literal)| !literal.is_list && is_in(literal));
            let Some((number, literal)) = holder else {
                return around;
            };
            around.push((number, literal.span));
            member = FlowPlace::Literal(number);
        }
    }

    /// The calls that are given an object that a function is in, or a function that gives such an object, by number.
    #[must_use]
    pub fn given_object_of(&self, function: u32) -> Vec<u32> {
        let Some(own) = self.functions.get(function as usize) else {
            return Vec::new();
        };
        let around = self.literals_around(function).into_iter();
        let literals: Vec<FlowPlace> = around
            .map(|(number, _)| FlowPlace::Literal(number))
            .collect();
        let is_given = |call: &CallFact| {
            let mut given = call.given.iter().flatten();
            given.any(|place| literals.contains(place))
        };
        let calls = (0..).zip(&self.calls);
        let directly = calls.filter(|(_, call)| is_given(call));
        let mut found: Vec<u32> = directly.map(|(number, _)| number).collect();
        let parent = FlowPlace::Returned(own.parent);
        let mut flows = self.flows.iter();
        if flows.any(|(from, to)| *to == parent && literals.contains(from)) {
            found.extend(self.hand_over_directly(own.parent));
        }
        found
    }
}

/// The calls that are given what a function is a part of, by any of the names that it has. `ran`: whether a function of
/// the same script was called. Where something of it ran, it was made, and there are none. Beside each: whether the
/// argument is a variable of a script that holds it, and not a property of that name.
#[must_use]
pub fn given_whole(
    scripts: &[&CallFacts],
    function: FunctionRef,
    ran: &dyn Fn(u32) -> bool,
) -> Vec<(CallRef, bool)> {
    let Some(own) = scripts.get(function.script as usize) else {
        return Vec::new();
    };
    let mut held = Held {
        places: Vec::new(),
        found: Vec::new(),
    };
    for place in own.whole_of(function.function, ran) {
        held.add(function.script, place);
    }
    let mut next = 0;
    while let Some((script, place)) = held.places.get(next).cloned() {
        next += 1;
        for (number, facts) in (0_u32..).zip(scripts) {
            if number == script || is_shared(&place) {
                held.flow(number, facts, &place);
            }
        }
        if let FlowPlace::Property(name) = &place {
            held.by_name(scripts, name);
        }
    }
    held.found
}

/// The places that hold it, and the calls that are given it.
struct Held {
    places: Vec<(u32, FlowPlace)>,
    found: Vec<(CallRef, bool)>,
}

impl Held {
    fn add(&mut self, script: u32, place: FlowPlace) {
        let known = (script, place);
        if self.places.len() < MOST_PLACES && !self.places.contains(&known) {
            self.places.push(known);
        }
    }

    fn flow(&mut self, script: u32, facts: &CallFacts, place: &FlowPlace) {
        for (from, to) in &facts.flows {
            if from == place && is_followed(to) {
                self.add(script, to.clone());
            }
        }
        for (call, fact) in (0..).zip(&facts.calls) {
            if !fact.given.iter().any(|given| given.contains(place)) {
                continue;
            }
            let call = CallRef { script, call };
            let is_known = self.found.iter().any(|(known, _)| *known == call);
            if !is_known {
                self.found.push((call, !is_shared(place)));
            }
            // `const Badge = memo({ … })`
            if fact.given.first().is_some_and(|it| it.contains(place)) {
                self.add(script, FlowPlace::Result(call.call));
            }
            // `app.component("user-badge", Badge)`
            let name = fact.text.as_deref().map(Atom::from);
            if let Some(name) = name.map(FlowPlace::Property).filter(is_followed) {
                self.add(script, name);
            }
        }
    }

    /// What a template names is looked up: `resolveComponent("user-badge")`.
    fn by_name(&mut self, scripts: &[&CallFacts], name: &str) {
        for (script, facts) in (0..).zip(scripts) {
            for (call, fact) in (0..).zip(&facts.calls) {
                let is_it = |text: &str| words(text) == words(name);
                if looks_up(fact) && fact.text.as_deref().is_some_and(is_it) {
                    self.add(script, FlowPlace::Result(call));
                }
            }
        }
    }
}

/// Whether a call gives the component that its text names.
fn looks_up(fact: &CallFact) -> bool {
    fact.name.ends_with("resolveComponent") && fact.receiver.is_none()
}

/// Whether what holds a component is followed there. A property is one place for all objects: only those whose names
/// are those of components.
fn is_followed(place: &FlowPlace) -> bool {
    match place {
        FlowPlace::Variable(_) | FlowPlace::Global(_) => true,
        FlowPlace::Export(name) => &**name != "default",
        FlowPlace::Property(name) => {
            let first = name.chars().next();
            &**name != ELEMENT && (first.is_some_and(char::is_uppercase) || name.contains('-'))
        }
        _ => false,
    }
}

/// `UserBadge`, `userBadge` and `user-badge` are one name.
fn words(name: &str) -> String {
    let mut found = String::new();
    for letter in name.chars().filter(|letter| *letter != '-') {
        found.extend(letter.to_lowercase());
    }
    found
}
