//! What is read of the browser's own objects: requests, addresses, databases, dates, events.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, LoggedPlace, PathStep, Step, Value, Written};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::made_objects::is_event;
use super::writes::Write;
use super::{InLog, Next, Spot};

/// What a request has of its answer.
const OF_ANSWER: [&str; 7] = [
    "responseText",
    "response",
    "responseXML",
    "responseURL",
    "status",
    "statusText",
    "ok",
];

impl InLog<'_> {
    /// The property of an object that no write of the page made, and in it what a way leads to; `None`: it is of no
    /// such object.
    pub(super) fn of_host(
        &self,
        spot: Spot,
        object: u32,
        (key, behind): (&str, &[PathStep]),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let class = self.class_of(stream, object);
        let is_last = behind.is_empty();
        let is_element = self.is_element(stream, object);
        match (class, key) {
            ("XMLHttpRequest" | "Response", key) if OF_ANSWER.contains(&key) => {
                let address = match class {
                    "Response" => self.address_of(stream, object),
                    _ => self.opened(stream, object, spot.moment.at),
                };
                let detail = match address {
                    Some(address) => format!("{address}: {name}"),
                    None => name.to_owned(),
                };
                Some(Next::ended(EndKind::Network, Some(detail)))
            }
            ("IDBRequest", "result") => self.of_database(spot, object, behind, (name, seen), hops),
            (_, "textContent" | "innerText")
                if is_last
                    && is_element
                    && let Some(next) = self.of_node_text(spot, object, (name, seen), hops) =>
            {
                Some(next)
            }
            ("Text" | "Comment", "data" | "nodeValue" | "textContent")
            | ("HTMLOptionElement", "text" | "label")
                if is_last
                    && let Some(next) = self.of_node_text(spot, object, (name, seen), hops) =>
            {
                Some(next)
            }
            (_, _)
                if is_last
                    && is_element
                    && let Some(attribute) = attribute_of(key)
                    && let Some(set) =
                        self.of_set_attribute(spot, (object, attribute), (name, seen), hops) =>
            {
                set
            }
            (_, "dataset")
                if is_element
                    && let Some(part) = self.part_of_element(spot, object, key)
                    && let [PathStep::Into(step)] = behind
                    && let Some(own) = self.step_key(spot, step)
                    && self.property(stream, part, &own, spot.moment.at).is_some() =>
            {
                self.of_part(spot, part, behind, (name, seen), hops)
            }
            (class, _)
                if (is_element || class == "DocumentFragment" || class.ends_with("Document"))
                    && self.is_of_markup(key, behind)
                    && let Some(next) = self.of_markup(spot, (object, key), (name, seen), hops) =>
            {
                Some(next)
            }
            (_, "className") if is_last && is_element => {
                self.of_class_name(spot, object, (name, seen), hops)
            }
            (_, "style")
                if is_element
                    && let Some(next) = self.of_style(spot, object, behind, (name, seen), hops) =>
            {
                Some(next)
            }
            (_, "dataset" | "style") if is_element => {
                let part = self.part_of_element(spot, object, key)?;
                self.of_part(spot, part, behind, (name, seen), hops)
            }
            ("MessageEvent", "data") => {
                let way = behind.iter().map(|step| match step {
                    PathStep::Into(step) => match self.step_key(spot, step)? {
                        Key::Property(key) => Some(Step::Key(key)),
                        _ => None,
                    },
                    PathStep::Iterated(number) => Some(Step::Key(number.to_string())),
                    PathStep::Default(_) | PathStep::Rest(_) => None,
                });
                let way: Vec<Step> = way.collect::<Option<_>>()?;
                let named = (name.to_owned(), seen);
                self.of_message(stream, object, &way, named, hops)?
            }
            (class, "target" | "currentTarget") if is_event(class) && !is_last => {
                let (_, target) = self.target_of_task(self.given_first_to(stream, object)?)?;
                let target = Seen::Object(event_log::ids::ObjectId(target));
                let whole = self.with_way(spot, "", behind);
                let name = name.strip_suffix(whole.as_str()).unwrap_or(name);
                self.taken(spot, target, behind, name.to_owned(), seen, hops)
                    .0
            }
            ("URL", _) if is_last => self.of_address(spot, object, (name, seen), hops),
            (class, _) if is_last && is_event(class) => {
                // One that the page made has what it was made with.
                let is_own = self.maker(stream, object).is_some();
                let detail = format!("{name}, which the browser handed over");
                (!is_own).then(|| Next::ended(EndKind::Browser, Some(detail)))
            }
            (class, _) if is_last && class.ends_with("Array") && class != "Array" => {
                let filled = self.calls_of_method("getRandomValues").iter();
                let mut filled = filled.filter(|&&event| {
                    event < spot.moment.at
                        && self
                            .given_at(event, 0)
                            .and_then(Seen::object)
                            .map(|id| id.0)
                            == Some(object)
                });
                let detail = format!("{name}, which `crypto.getRandomValues` filled");
                filled
                    .next()
                    .map(|_| Next::ended(EndKind::Random, Some(detail)))
            }
            _ => None,
        }
    }

    /// What is in `element.dataset` or `element.style`.
    fn of_part(
        &self,
        spot: Spot,
        part: u32,
        behind: &[PathStep],
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let part = Seen::Object(event_log::ids::ObjectId(part));
        let whole = self.with_way(spot, "", behind);
        let name = name.strip_suffix(whole.as_str()).unwrap_or(name);
        self.taken(spot, part, behind, name.to_owned(), seen, hops)
            .0
    }

    /// Whether an object is an element: of the browser's classes, or of one of the page that extends one.
    pub(super) fn is_element(&self, stream: u16, object: u32) -> bool {
        let class = self.model.object(stream, object).map_or(0, |it| it.class);
        let tables = self.model.streams.get(usize::from(stream));
        let bases = tables.and_then(|tables| tables.bases.get(&class));
        let mut bases = bases.into_iter().flatten();
        self.model.text(stream, class).ends_with("Element")
            || bases.any(|base| base.ends_with("Element"))
    }

    /// `element.dataset`, `element.style`: the object, as it is known by the writes of its properties.
    pub(super) fn part_of_element(&self, spot: Spot, element: u32, part: &str) -> Option<u32> {
        let stream = spot.moment.stream;
        let class = match part {
            "dataset" => "DOMStringMap",
            _ => "CSSStyleDeclaration",
        };
        let step = Step::Property(part.to_owned());
        let is_part_of = |spot: Spot, value: &Value| {
            let Form::Reference(reference) = &value.form else {
                return false;
            };
            let Some((last, before)) = reference.steps.split_last() else {
                return false;
            };
            *last == step
                && self
                    .reference_value(spot, reference, before.len())
                    .and_then(Seen::object)
                    .is_some_and(|own| own.0 == element)
        };
        let mut seen = std::collections::BTreeSet::new();
        self.model.writes.iter().find_map(|write| {
            let is_it = write.stream == stream
                && write.event < spot.moment.at
                && self.class_of(stream, write.object) == class
                && seen.insert(write.object);
            if !is_it {
                return None;
            }
            // `const data = element.dataset`, before it is written.
            let (first, kind) = self.seen_first(stream, write.object)?;
            if kind == Kind::Assign
                && let Some((script, LoggedPlace::Written { written, .. })) =
                    self.place(self.event(first)?.site)
                && let Written::Value { value, path } = &written
                && path.is_empty()
            {
                let moment = self.moment(first)?;
                return is_part_of(Spot { script, moment }, value).then_some(write.object);
            }
            let event = self.event(write.event)?;
            let (script, LoggedPlace::Written { owner, .. }) = self.place(event.site)? else {
                return None;
            };
            let moment = self.moment(write.event)?;
            is_part_of(Spot { script, moment }, &*owner?).then_some(write.object)
        })
    }

    /// What a request was opened with.
    fn opened(&self, stream: u16, request: u32, before: u32) -> Option<String> {
        let (event, spot, call) = self
            .calls_on((stream, request), &["open"], before)
            .into_iter()
            .next()?;
        match self.given_at(event, 1) {
            Some(Seen::String(id)) => Some(self.model.text(stream, id.0).to_owned()),
            _ => self.key_text(spot, &call.arguments.get(1)?.value),
        }
    }

    /// `request.result` of `store.get(key)`: the call of `put` or `add` that may have stored it, if only one can be it.
    fn of_database(
        &self,
        spot: Spot,
        request: u32,
        behind: &[PathStep],
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let (asked, made, call) = self.first_given_by(stream, request)?;
        if !matches!(call.method.as_deref(), Some("get" | "getAll" | "getKey")) {
            return None;
        }
        let stored = || {
            let text = self.text(made, call.receiver.as_ref()?);
            let detail = format!(
                "the database, asked by `{text}.{}`",
                call.method.as_deref()?
            );
            Some(self.ended(EndKind::Storage, made, call.callee.as_ref()?, Some(detail)))
        };
        if call.method.as_deref() != Some("get") {
            return stored();
        }
        let mut way = Vec::new();
        for step in behind {
            match step {
                PathStep::Into(step) => match self.step_key(spot, step)? {
                    Key::Property(key) => way.push(Step::Key(key)),
                    _ => return stored(),
                },
                _ => return stored(),
            }
        }
        let wanted = self.given_at(asked, 0);
        let mut events: Vec<u32> = self.calls_of_method("put").to_vec();
        events.extend(self.calls_of_method("add"));
        let mut found = None;
        for event in events.into_iter().filter(|&event| event < spot.moment.at) {
            let Some((own, put)) = self.call_text(event) else {
                continue;
            };
            let store = put
                .receiver
                .as_ref()
                .and_then(|it| self.evaluated(own, it, 0));
            let is_store = store.and_then(Seen::object).is_none_or(|store| {
                let class = self.class_of(own.moment.stream, store.0);
                matches!(class, "IDBObjectStore" | "")
            });
            let key = self
                .given_at(event, 1)
                .filter(|key| *key != Seen::Undefined);
            let is_other = match (key, wanted) {
                (Some(key), Some(wanted)) => key.same(wanted) == Some(false),
                _ => false,
            };
            if !is_store || is_other || own.moment.stream != stream {
                continue;
            }
            let given = self.given_at(event, 0);
            // `element.classList.add(name)` stores nothing.
            let is_part = given.is_some_and(|given| given.object().is_none()) && !way.is_empty();
            let is_of_list = put.receiver.as_ref().is_some_and(|of| {
                let element = self.element_around(own, of, Some("classList"));
                element.is_some()
            });
            if is_part || is_of_list {
                continue;
            }
            let part = given.and_then(|given| self.behind(own, given, &way));
            if part.is_some_and(|part| self.shown(stream, part) != self.shown(stream, seen)) {
                continue;
            }
            if found.is_some() {
                return stored();
            }
            found = Some((own, put, given.zip(part)));
        }
        let Some((own, put, Some((given, part)))) = found else {
            return stored();
        };
        let argument = &put.arguments.first().filter(|it| !it.is_spread)?.value;
        let at = put.span.start;
        hops.extend(self.hop(
            HopKind::Storage,
            own.script,
            at,
            (stream, seen),
            name.to_owned(),
        ));
        if way.is_empty() {
            return Some(Next::Value {
                spot: own,
                value: Box::new(argument.clone()),
                way: Vec::new(),
                seen: given,
            });
        }
        let way: Vec<PathStep> = way.into_iter().map(PathStep::Into).collect();
        let name = self.named(own, argument);
        self.taken(own, given, &way, name, part, hops).0
    }

    /// A part of an address that was made of a text: `new URL(text).hash`.
    pub(super) fn of_address(
        &self,
        spot: Spot,
        object: u32,
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let (made, call, _) = self.maker(stream, object)?;
        if call.kind != CallKind::New || call.arguments.len() != 1 {
            return None;
        }
        let at = call.span.start;
        hops.extend(self.hop(
            HopKind::Url,
            made.script,
            at,
            (stream, seen),
            name.to_owned(),
        ));
        self.text_of_address(made, &call.arguments.first()?.value, seen, hops)
    }

    /// A text that an address is in: it must hold what was read of it.
    pub(super) fn text_of_address(
        &self,
        spot: Spot,
        of: &Value,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        if let Some(text) = self.key_text(spot, of) {
            let Seen::String(part) = seen else {
                return None;
            };
            let part = self.model.text(stream, part.0);
            if !text.contains(part) {
                return Some(self.computed(spot, of, &[of]));
            }
        }
        self.passed_on(HopKind::Conversion, spot, of, of, hops)
            .or_else(|| Some(self.computed(spot, of, &[of])))
    }

    /// Whether a value is this text.
    pub(super) fn is_text(&self, stream: u16, value: Seen, text: &str) -> bool {
        matches!(value, Seen::String(id) if self.model.text(stream, id.0) == text)
    }

    /// `element.getAttribute(name)`: the last call of `setAttribute` with that name.
    pub(super) fn of_attribute(
        &self,
        spot: Spot,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let receiver = call.receiver.as_ref()?;
        let key = self.key_text(spot, &call.arguments.first()?.value)?;
        let element = self.evaluated(spot, receiver, 0)?.object()?.0;
        let name = format!(
            "{}.getAttribute({})",
            self.named(spot, receiver),
            serde_json::Value::from(key.as_str())
        );
        if let Some(write) = self.reflecting_write(spot, element, &key)
            && write.value.same(seen) == Some(true)
        {
            return Some(Next::Write(write, name));
        }
        let set = self.of_set_attribute(spot, (element, &key), (&name, seen), hops);
        set.unwrap_or_else(|| self.of_markup(spot, (element, &key), (&name, seen), hops))
    }

    /// The write of the property that shows an attribute, where nothing has set or removed one since then.
    fn reflecting_write(&self, spot: Spot, element: u32, attribute: &str) -> Option<Write> {
        let (stream, at) = (spot.moment.stream, spot.moment.at);
        let (owner, key) = match attribute.strip_prefix("data-") {
            Some(name) => (
                self.part_of_element(spot, element, "dataset")?,
                camel_case(name),
            ),
            None => (element, property_of(attribute)?.to_owned()),
        };
        let write = self.property(stream, owner, &Key::Property(key), at)?;
        let methods = ["setAttribute", "removeAttribute", "toggleAttribute"];
        let calls = self.calls_on((stream, element), &methods, at);
        let since = calls.first().map_or(0, |(event, ..)| *event);
        (write.event > since).then_some(write)
    }

    /// The last call of `setAttribute` of an element with a name; `None`: there is none. `Some(None)`: it did not give
    /// this value.
    fn of_set_attribute(
        &self,
        spot: Spot,
        (element, key): (u32, &str),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Option<Next>> {
        let stream = spot.moment.stream;
        let methods = ["setAttribute", "removeAttribute", "toggleAttribute"];
        let calls = self.calls_on((stream, element), &methods, spot.moment.at);
        // Where it called a function of the page, the log does not tell what it was given.
        let text = |event: u32, own: Spot, set: &Call, number: usize| {
            let given = self.given_at(event, number);
            let given = given.map(|given| event_log::model::plain_text(self.model, stream, given));
            given.or_else(|| self.key_text(own, &set.arguments.get(number)?.value))
        };
        let (event, own, set) = calls
            .into_iter()
            .find(|(event, own, set)| text(*event, *own, set, 0).is_none_or(|own| own == key))?;
        let Some(value) = set.arguments.get(1).filter(|it| !it.is_spread) else {
            return Some(None);
        };
        let is_its = text(event, own, &set, 0).is_some();
        let given = text(event, own, &set, 1).filter(|given| self.is_text(stream, seen, given));
        if given.is_none() || !is_its {
            return Some(None);
        }
        let at = set.span.start;
        let name = name.to_owned();
        hops.extend(self.hop(HopKind::Dom, own.script, at, (stream, seen), name));
        Some(Some(Next::Value {
            spot: own,
            value: Box::new(value.value.clone()),
            way: Vec::new(),
            seen: self.given_at(event, 1).unwrap_or(seen),
        }))
    }

    /// A method of a date: of `new Date()` without arguments the time made it.
    pub(super) fn of_date(&self, spot: Spot, value: &Value, call: &Call) -> Option<Next> {
        let method = call.method.as_deref()?;
        if !method.starts_with("get") && !method.starts_with("to") && method != "valueOf" {
            return None;
        }
        let receiver = call.receiver.as_ref()?;
        let stream = spot.moment.stream;
        let date = self.evaluated(spot, receiver, 0)?.object()?.0;
        if self.class_of(stream, date) != "Date" {
            return None;
        }
        let (made, construction, _) = self.maker(stream, date)?;
        let is_set = self.calls_of_method_prefix("set", (stream, date), spot.moment.at);
        if is_set || construction.kind != CallKind::New {
            return Some(self.computed(spot, value, &[receiver]));
        }
        if construction.arguments.is_empty() {
            let callee = construction.callee.as_ref()?;
            let detail = format!("new {}()", self.text(made, callee));
            return Some(self.ended(EndKind::Time, made, callee, Some(detail)));
        }
        let arguments = construction.arguments.iter().map(|it| &it.value);
        let operands: Vec<&Value> = arguments.collect();
        Some(self.computed(made, construction.callee.as_ref()?, &operands))
    }

    /// Whether a method whose name begins so was called on an object.
    fn calls_of_method_prefix(&self, prefix: &str, object: (u16, u32), before: u32) -> bool {
        let names: Vec<&str> = self
            .method_names()
            .filter(|name| name.starts_with(prefix))
            .collect();
        !self.calls_on(object, &names, before).is_empty()
    }

    /// The object at which an event was dispatched in whose task a call runs.
    pub(super) fn target_of_task(&self, number: u32) -> Option<(u16, u32)> {
        let call = self.call_of(number)?;
        let task = self
            .event(call.task)
            .filter(|event| event.kind == Kind::Task)?;
        Some((call.stream, task.value.object()?.0))
    }
}

/// The attribute that a property of an element shows as it is; `None`: it shows none, or in another form.
fn attribute_of(key: &str) -> Option<&'static str> {
    Some(match key {
        "title" => "title",
        "id" => "id",
        "htmlFor" => "for",
        "alt" => "alt",
        "placeholder" => "placeholder",
        "name" => "name",
        "lang" => "lang",
        "label" => "label",
        _ => return None,
    })
}

/// The property that shows an attribute as it is: see [`attribute_of`].
fn property_of(attribute: &str) -> Option<&'static str> {
    const PROPERTIES: [&str; 8] = [
        "title",
        "id",
        "htmlFor",
        "alt",
        "placeholder",
        "name",
        "lang",
        "label",
    ];
    let is_it = |key: &&&str| attribute_of(key) == Some(attribute);
    match attribute {
        "class" => Some("className"),
        _ => PROPERTIES.iter().find(is_it).copied(),
    }
}

/// The key of a data set for `first-name`: `firstName`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('-');
    let mut key = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        key.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        key.push_str(letters.as_str());
    }
    key
}
