//! Who has the object that a function is in, and may call the function by a name that no script has: one in markup, in
//! a text, or one that is computed.
//!
//! ```js
//! data("menu", () => ({ pick() { … } }));
//! ```
//!
//! `<button @click="pick()">` calls that `pick`.

use super::facts::{CallFact, CallFacts, FlowPlace};
use super::platform::is_called_by_platform;

/// Through so many places an object is followed.
const MOST_PLACES: usize = 60;

impl CallFacts {
    /// A call that is given an object that a function is in, by number; or that is given a function which gives or
    /// fills such an object.
    #[must_use]
    pub fn call_that_has_object_of(&self, function: u32) -> Option<u32> {
        let mut held = Escaping {
            facts: self,
            places: Vec::new(),
        };
        held.objects_around(function);
        let mut next = 0;
        while let Some(place) = held.places.get(next).cloned() {
            next += 1;
            if let Some(call) = held.call_with(&place) {
                return Some(call);
            }
            held.follow(&place);
        }
        None
    }

    /// The calls of a function by a name that it has in the script.
    fn calls_of(&self, function: u32) -> Vec<u32> {
        let itself = FlowPlace::Function(function);
        let flows = self.flows.iter().filter(|(from, _)| *from == itself);
        let names: Vec<&FlowPlace> = flows.map(|(_, to)| to).collect();
        let is_of_it = |call: &CallFact| {
            call.callee
                .iter()
                .any(|it| *it == itself || names.contains(&it))
        };
        let calls = (0..).zip(&self.calls);
        let calls = calls.filter(|(_, call)| is_of_it(call));
        calls.map(|(number, _)| number).collect()
    }
}

/// The places of the objects that a function is in.
struct Escaping<'f> {
    facts: &'f CallFacts,
    places: Vec<FlowPlace>,
}

impl Escaping<'_> {
    fn add(&mut self, place: &FlowPlace) {
        // A property is one place for the properties of all objects.
        let is_followed = !matches!(place, FlowPlace::Property(_) | FlowPlace::Function(_));
        if is_followed && self.places.len() < MOST_PLACES && !self.places.contains(place) {
            self.places.push(place.clone());
        }
    }

    /// The class or the literals that have a function, and the objects of which it becomes a property.
    fn objects_around(&mut self, function: u32) {
        let facts = self.facts;
        let Some(own) = facts.functions.get(function as usize) else {
            return;
        };
        if let Some(class) = own.class {
            self.add(&FlowPlace::Class(class));
        }
        let itself = FlowPlace::Function(function);
        let mut values = vec![itself.clone()];
        let flows = facts.flows.iter().filter(|(from, _)| *from == itself);
        values.extend(
            flows
                .map(|(_, to)| to.clone())
                .filter(|to| to.is_variable()),
        );
        for value in values {
            self.literals_with(&value);
        }
        for write in &facts.writes {
            if write.span.start < own.span.start && write.span.end == own.span.end {
                write.objects.iter().for_each(|object| self.add(object));
            }
        }
    }

    fn literals_with(&mut self, member: &FlowPlace) {
        let facts = self.facts;
        for (number, literal) in (0..).zip(&facts.literals) {
            if literal.members.contains(member) || literal.elements.contains(member) {
                self.add(&FlowPlace::Literal(number));
            }
        }
    }

    /// A call that is given what is at a place, and may keep it.
    fn call_with(&self, place: &FlowPlace) -> Option<u32> {
        let given = match place {
            FlowPlace::Returned(function) | FlowPlace::Parameter(function, _) => {
                let mut calls = self.facts.hand_over_directly(*function);
                return calls.find(|call| self.may_keep(*call));
            }
            place => place,
        };
        let calls = (0_u32..).zip(&self.facts.calls);
        let with_it = calls.filter(|(_, call)| call.given.iter().flatten().any(|it| it == given));
        with_it
            .map(|(number, _)| number)
            .find(|call| self.may_keep(*call))
    }

    fn may_keep(&self, call: u32) -> bool {
        let call = self.facts.calls.get(call as usize);
        call.is_some_and(|call| !is_called_by_platform(call) && !is_of_platform(call))
    }

    /// Where what is at a place gets.
    fn follow(&mut self, place: &FlowPlace) {
        let facts = self.facts;
        for (from, to) in &facts.flows {
            if from == place {
                self.add(to);
            }
            // `function ($scope) { $scope.save = … }`: who gave the object has it.
            if to == place && matches!(from, FlowPlace::Parameter(..)) {
                self.add(from);
            }
        }
        self.literals_with(place);
        for (number, call) in (0..).zip(&facts.calls) {
            let is_given = call.given.iter().flatten().any(|given| given == place);
            if is_given && is_of_platform(call) {
                self.add(&FlowPlace::Result(number));
                // `Object.assign(state, { pick() {} })`
                call.given
                    .iter()
                    .flatten()
                    .for_each(|given| self.add(given));
            }
            if call.is_new && call.callee.contains(place) {
                self.add(&FlowPlace::Result(number));
            }
        }
        match *place {
            FlowPlace::Returned(function) => {
                for call in facts.calls_of(function) {
                    self.add(&FlowPlace::Result(call));
                }
            }
            FlowPlace::This(function) => {
                self.objects_around(function);
                let calls = facts.calls_of(function).into_iter();
                let new = |call: &u32| facts.calls.get(*call as usize).is_some_and(|it| it.is_new);
                for call in calls.filter(new) {
                    self.add(&FlowPlace::Result(call));
                }
            }
            _ => {}
        }
    }
}

/// Whether a call is one of the platform's that keeps nothing: `Object.freeze(api)`, `console.log(api)`.
fn is_of_platform(call: &CallFact) -> bool {
    call.receivers.iter().any(|receiver| match receiver {
        FlowPlace::Global(name) => matches!(&**name, "Object" | "Reflect" | "console" | "JSON"),
        _ => false,
    })
}
