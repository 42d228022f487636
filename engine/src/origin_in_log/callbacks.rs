//! What a built-in handed over to a function that it called: elements of its list, what the call before returned.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, PathStep};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::writes::any_key_behind;
use super::{InLog, Next, Spot};
use crate::origin::OF_EACH;

impl InLog<'_> {
    /// A built-in called the function: what it handed over.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a parameter is, and the call"
    )]
    pub(super) fn by_callback(
        &self,
        number: u32,
        index: usize,
        (name, way): (String, &[PathStep]),
        spot: Spot,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("what called the function is not followed");
        let by_name = self.as_method_call(spot, call, &[number]);
        let call = by_name.as_ref().unwrap_or(call);
        let method = call.method.as_deref().unwrap_or_default();
        let Some(own) = self.call_of(number) else {
            return unknown();
        };
        let stream = own.stream;
        let is_callback = call
            .arguments
            .iter()
            .take(2)
            .any(|argument| self.is_function(spot, &argument.value, number));
        if method == "dispatchEvent" && way.is_empty() {
            let given = (index, name);
            return self
                .dispatched(spot, call, given, seen, hops)
                .unwrap_or_else(unknown);
        }
        if method == "setAttribute" && way.is_empty() {
            let argument = match (self.own_name(number), index) {
                (Some("attributeChangedCallback"), 0) => call.arguments.first(),
                (Some("attributeChangedCallback"), 2) => call.arguments.get(1),
                _ => None,
            };
            let Some(argument) = argument.filter(|it| !it.is_spread) else {
                return unknown();
            };
            let at = argument.value.span.start;
            hops.extend(self.hop(HopKind::Callback, spot.script, at, (stream, seen), name));
            return Next::Value {
                spot,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen,
            };
        }
        if !is_callback {
            let pushed = match way {
                [] => self
                    .set_by_built_in((number, index), spot, call, (seen, &name), hops)
                    .or_else(|| {
                        self.pushed_to_proxy(number, index, spot, call, (seen, name), hops)
                    }),
                _ => None,
            };
            return pushed.unwrap_or_else(unknown);
        }
        if call.global.as_deref() == Some("JSON.parse") && index == 1 && way.is_empty() {
            let given = (seen, name);
            return self
                .given_to_reviver(number, spot, call, given, hops)
                .unwrap_or_else(unknown);
        }
        let Some(step) = self.last_at(own.site, Kind::Step, spot.moment) else {
            return unknown();
        };
        // Which of the calls of the built-in it is.
        let made = self.calls_at(own.parent, own.site, step, own.enter).len();
        let list = match (method, call.global.as_deref()) {
            ("from", Some("Array.from")) => call.arguments.first().map(|argument| &argument.value),
            ("from", _) => None,
            _ => call.receiver.as_ref(),
        };
        let Some(list) = list else {
            return unknown();
        };
        let is_reduce = matches!(method, "reduce" | "reduceRight");
        let has_first = call.arguments.len() > 1;
        // Of those that begin at the end of the list.
        let from_end = |made: usize| {
            let list = self.evaluated(spot, list, 0)?;
            let key = Key::Property("length".to_owned());
            match self.length(spot, list, &key)? {
                Seen::Number(length) => (length as usize).checked_sub(made + 1),
                _ => None,
            }
        };
        let element = match (method, index) {
            ("findLast" | "findLastIndex", 0) => from_end(made),
            ("reduceRight", 0) if made == 0 && !has_first => from_end(0),
            ("reduceRight", 1) => from_end(made + usize::from(!has_first)),
            ("findLast" | "findLastIndex" | "reduceRight", _) => None,
            (_, 0) if OF_EACH.contains(&method) => Some(made),
            ("reduce", 0) if made == 0 && !has_first => Some(0),
            ("reduce", 1) => Some(made + usize::from(!has_first)),
            _ => None,
        };
        let at = call.span.start;
        let hop = self.hop(
            HopKind::Callback,
            spot.script,
            at,
            (stream, seen),
            name.clone(),
        );
        if is_reduce && index == 0 && made > 0 {
            let before = self.calls_at(own.parent, own.site, step, own.enter);
            let Some(&before) = before.last() else {
                return unknown();
            };
            hops.extend(hop);
            return Next::Return {
                call: before,
                name,
                way: way.to_vec(),
                seen,
            };
        }
        if is_reduce && index == 0 && has_first {
            hops.extend(hop);
            return Next::Value {
                spot,
                value: Box::new(call.arguments[1].value.clone()),
                way: way.to_vec(),
                seen,
            };
        }
        let Some(object) = self.evaluated(spot, list, 0).and_then(Seen::object) else {
            hops.extend(hop);
            return Next::unobserved("the list is not in the log");
        };
        let list_name = self.named(spot, list);
        let class = self.class_of(stream, object.0);
        if matches!(class, "Map" | "Set") || self.iterator_of(stream, object.0).is_some() {
            hops.extend(hop);
            let at = own.enter;
            let found = match (class, method, index, way) {
                ("Map", "forEach", 0, []) => {
                    self.part_of_entry(stream, (object.0, &list_name), (1, at), seen, hops)
                }
                ("Map", "forEach", 0, way) => {
                    let entries = self.entries_before(stream, object.0, at);
                    entries.get(made).and_then(|(entry, key)| {
                        let Key::Entry(key) = key else { return None };
                        let key = serde_json::Value::from(key.as_str());
                        let name = format!("{list_name}.get({key})");
                        self.taken(spot, entry.value, way, name, seen, hops).0
                    })
                }
                ("Map", "forEach", 1, []) => self.entry_name(stream, object.0, at, seen, hops),
                (_, "from", 0, [PathStep::Iterated(part)]) => {
                    self.source_of_entries(spot, object.0).and_then(|map| {
                        let entry = (map, list_name.as_str());
                        self.part_of_entry(stream, entry, (*part, at), seen, hops)
                    })
                }
                (_, "from", 0, []) | ("Set", "forEach", 0 | 1, []) => {
                    let place = (made, at);
                    self.iterated_in(spot, (object.0, &list_name), place, seen, hops)
                }
                _ => None,
            };
            return found.unwrap_or_else(unknown);
        }
        let position = match method {
            "reduce" | "reduceRight" => 2,
            _ => 1,
        };
        let has_position = OF_EACH.contains(&method) || is_reduce;
        if class == "Array" && has_position && index == position && way.is_empty() {
            hops.extend(hop);
            return self.position(spot, list);
        }
        if let Some(element) = element {
            let key = Key::Property(element.to_string());
            let moment_at = own.enter;
            let passed = self.model.arguments_of(own).unwrap_or_default();
            // An arrow function that takes it apart does not tell what was passed.
            let passed = passed.get(index).copied();
            let passed = passed.or((way.is_empty()).then_some(seen));
            let write = self.property(stream, object.0, &key, moment_at);
            let write = write
                .filter(|write| passed.is_none_or(|passed| write.value.same(passed) == Some(true)));
            hops.extend(hop);
            let element_name = format!("{list_name}[{element}]");
            let Some(write) = write else {
                let next = match way.is_empty() {
                    true => self.born(spot, object.0, &key, &element_name, seen, hops),
                    false => self.born_value(stream, object.0, &key).and_then(|element| {
                        self.taken(spot, element, way, element_name.clone(), seen, hops)
                            .0
                    }),
                };
                return next.unwrap_or_else(|| {
                    Next::unobserved(format!("{element_name} is not in the log"))
                });
            };
            if way.is_empty() {
                return Next::Write(write, element_name);
            }
            let (next, _) = self.taken(spot, write.value, way, element_name, seen, hops);
            return next.unwrap_or_else(unknown);
        }
        if !way.is_empty() {
            return unknown();
        }
        // Of `sort`, `forEach` of a map, and others: the only element that has the value.
        match self.only_with(stream, object.0, own.enter, seen) {
            Some((write, key))
                if matches!(
                    method,
                    "sort" | "toSorted" | "forEach" | "findLast" | "findLastIndex" | "reduceRight"
                ) =>
            {
                hops.extend(hop);
                let behind = any_key_behind(&key);
                Next::Write(write, format!("{list_name}{behind}"))
            }
            _ => {
                hops.extend(hop);
                if matches!((method, index), ("replace" | "replaceAll", 0)) {
                    return self.ended(EndKind::Computation, spot, list, Some(list_name));
                }
                Next::unobserved("several elements of the list have that value, or none has")
            }
        }
    }
}
