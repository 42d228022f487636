//! Classes and styles of an element, where a method of its list of classes, or of its style, set them:
//! `element.classList.add(name)`, `element.style.setProperty(name, value)`. Which classes an element of the server's
//! document had before, the log does not say, so of these nothing is said.

use event_log::model::{Key, plain_text};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, PathStep, Step};
use querypoint::answer::{Hop, HopKind};

use super::{InLog, Next, Spot};

/// How many calls are looked through.
const MOST_CALLS: usize = 10_000;

/// A call that changed an element's state: the event behind it, the spot, its text.
type Changed = (u32, Spot, Box<Call>);

impl InLog<'_> {
    /// `element.className` behind calls of `add`, `toggle` or `replace`; `None`: it is from something else.
    pub(super) fn of_class_name(
        &self,
        spot: Spot,
        element: u32,
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let Seen::String(text) = seen else {
            return None;
        };
        let text = self.model.text(stream, text.0).to_owned();
        let calls = self.changed_by(
            spot,
            element,
            &["add", "toggle", "replace", "remove"],
            "classList",
        );
        let (last, _, _) = calls.first()?;
        let own = Key::Property("className".to_owned());
        let written = self.property(stream, element, &own, spot.moment.at);
        let set = self.calls_on((stream, element), &["setAttribute"], spot.moment.at);
        let since = written.map(|write| write.event);
        let since = since
            .max(set.first().map(|(event, ..)| *event))
            .unwrap_or(0);
        if since > *last || !self.is_made_here(stream, element) {
            return None;
        }
        // Of several names the calls that put them there are a computation.
        let mut found = Vec::new();
        for (event, own, call) in calls.iter().take_while(|(event, ..)| *event > since) {
            let numbers = match call.method.as_deref()? {
                "add" => 0..call.arguments.len(),
                "toggle" => 0..1,
                "replace" => 1..2,
                _ => continue,
            };
            for number in numbers {
                let given = self.given_at(*event, number)?;
                let argument = call.arguments.get(number).filter(|it| !it.is_spread)?;
                if plain_text(self.model, stream, given) == text {
                    found.push((*own, call, argument, given));
                }
            }
        }
        // The first call that put it there: a further one changes nothing.
        let (own, call, argument, given) = found.pop()?;
        let is_removed = calls.iter().any(|(event, _, call)| {
            matches!(
                call.method.as_deref(),
                Some("remove" | "toggle" | "replace")
            ) && *event > own.moment.at
        });
        if is_removed {
            return None;
        }
        hops.extend(self.hop(
            HopKind::Dom,
            own.script,
            call.span.start,
            (stream, seen),
            name.to_owned(),
        ));
        Some(Next::Value {
            spot: own,
            value: Box::new(argument.value.clone()),
            way: Vec::new(),
            seen: given,
        })
    }

    /// `element.style.color` behind a call of `setProperty`; `None`: it is from something else.
    pub(super) fn of_style(
        &self,
        spot: Spot,
        element: u32,
        behind: &[PathStep],
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let [PathStep::Into(step)] = behind else {
            return None;
        };
        let Key::Property(key) = self.step_key(spot, step)? else {
            return None;
        };
        let stream = spot.moment.stream;
        let methods = ["setProperty", "removeProperty"];
        for (event, own, call) in self.changed_by(spot, element, &methods, "style") {
            let given = self.given_at(event, 0)?;
            if css_name(&plain_text(self.model, stream, given)) != css_name(&key) {
                continue;
            }
            // What was written to the property since then, or to all of the style, counts.
            let part = self.part_of_element(spot, element, "style");
            let since = part.and_then(|style| {
                let writes = [key.as_str(), "cssText"].into_iter().filter_map(|key| {
                    self.property(
                        stream,
                        style,
                        &Key::Property(key.to_owned()),
                        spot.moment.at,
                    )
                });
                writes.map(|write| write.event).max()
            });
            if since.is_some_and(|since| since > event)
                || call.method.as_deref() != Some("setProperty")
            {
                return None;
            }
            let argument = call.arguments.get(1).filter(|it| !it.is_spread)?;
            let given = self.given_at(event, 1)?;
            if plain_text(self.model, stream, given) != plain_text(self.model, stream, seen) {
                return None;
            }
            hops.extend(self.hop(
                HopKind::Dom,
                own.script,
                call.span.start,
                (stream, seen),
                name.to_owned(),
            ));
            return Some(Next::Value {
                spot: own,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen: given,
            });
        }
        None
    }

    /// The calls of these methods of a part of an element before a moment, the last one first.
    fn changed_by(&self, spot: Spot, element: u32, methods: &[&str], part: &str) -> Vec<Changed> {
        let mut events: Vec<u32> = Vec::new();
        for method in methods {
            let known = self.calls_of_method(method).iter().copied();
            events.extend(known.filter(|&event| event < spot.moment.at));
        }
        events.sort_unstable();
        let events = events.into_iter().rev().take(MOST_CALLS);
        let calls = events.filter_map(|event| {
            let (own, call) = self.call_text(event)?;
            let of = self.element_around(own, call.receiver.as_ref()?, Some(part))?;
            (own.moment.stream == spot.moment.stream && of.0 == element)
                .then_some((event, own, call))
        });
        calls.collect()
    }

    /// Whether a script of the page made an element, so that it had no classes or styles.
    fn is_made_here(&self, stream: u16, element: u32) -> bool {
        let made = self.first_given_by(stream, element);
        made.is_some_and(|(_, _, call)| {
            matches!(
                call.method.as_deref(),
                Some("createElement" | "createElementNS")
            )
        })
    }
}

/// The name of a style as CSS has it: `background-color` of `backgroundColor`.
fn css_name(name: &str) -> String {
    if name.starts_with("--") {
        return name.to_owned();
    }
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Whether a step is a part of an element that has methods of its own.
pub(super) fn is_part(step: &Step, part: Option<&str>) -> bool {
    matches!(step, Step::Property(name)
        if matches!(name.as_str(), "style" | "classList") && part.is_none_or(|part| part == name))
}
