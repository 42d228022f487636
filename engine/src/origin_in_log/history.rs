//! The address and the state of the page's history, and cookies: what the page itself put there.

use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{PathStep, Reference, Root, Step};
use querypoint::answer::{Hop, HopKind};

use super::writes::{Target, Write};
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// What a reference to the browser's own state has, where the page wrote it.
    pub(super) fn of_browser_state(
        &self,
        spot: Spot,
        reference: &Reference,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let Root::Variable {
            name,
            is_declared: false,
            ..
        } = &reference.root
        else {
            return None;
        };
        let mut names = vec![name.as_str()];
        for step in &reference.steps {
            match step {
                Step::Property(name) | Step::Key(name) => names.push(name),
                _ => break,
            }
        }
        let mut skipped = 0;
        while names.len() > 1
            && matches!(names[0], "window" | "self" | "globalThis" | "document")
            && names[1] != "cookie"
        {
            names.remove(0);
            skipped += 1;
        }
        let whole = self.reference_text(spot, reference);
        match names.as_slice() {
            ["history", "state", ..] => {
                let way = reference.steps.get(skipped + 1..)?;
                self.of_state(spot, way, (seen, whole), hops)
            }
            ["location", key @ ("hash" | "search" | "pathname" | "href")] => {
                self.of_location(spot, key, (seen, whole), hops)
            }
            ["document", "cookie"] => self.of_cookie(spot, (seen, whole), hops),
            _ => None,
        }
    }

    /// `history.state`: the only call of `pushState` or `replaceState` that can have made it.
    fn of_state(
        &self,
        spot: Spot,
        way: &[Step],
        (seen, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let keys = way.iter().map(|step| match self.step_key(spot, step)? {
            Key::Property(key) => Some(Step::Key(key)),
            _ => None,
        });
        let way: Vec<Step> = keys.collect::<Option<_>>()?;
        let mut events = self.calls_of_method("pushState").to_vec();
        events.extend(self.calls_of_method("replaceState"));
        let shown = self.shown(stream, seen);
        let mut found = None;
        for event in events {
            let (own, call) = self.call_text(event)?;
            if event > spot.moment.at || own.moment.stream != stream {
                continue;
            }
            let state = self.given_at(event, 0)?;
            let inner = self.behind(own, state, &way)?;
            if self.shown(stream, inner) != shown {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some((own, call, state, inner));
        }
        let (own, call, state, inner) = found?;
        let argument = call.arguments.first().filter(|it| !it.is_spread)?;
        let at = call.span.start;
        hops.extend(self.hop(HopKind::Url, own.script, at, (stream, seen), name));
        if way.is_empty() {
            return Some(Next::Value {
                spot: own,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen: state,
            });
        }
        let way: Vec<PathStep> = way.into_iter().map(PathStep::Into).collect();
        let name = self.named(own, &argument.value);
        self.taken(own, state, &way, name, inner, hops).0
    }

    /// A part of the address that the page assigned last, if nothing else can have changed it since.
    fn of_location(
        &self,
        spot: Spot,
        key: &str,
        (seen, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let Seen::String(text) = seen else {
            return None;
        };
        let text = self.model.text(stream, text.0).to_owned();
        let (write, written) = self.last_on_class(spot, "Location", key)?;
        let changes = [
            "pushState",
            "replaceState",
            "back",
            "forward",
            "go",
            "assign",
            "replace",
        ];
        let is_changed = changes
            .iter()
            .flat_map(|method| self.calls_of_method(method))
            .any(|&event| event > write.event && event < spot.moment.at);
        let own = written.trim_start_matches(['#', '?']);
        let is_it =
            !is_changed && !own.is_empty() && text.trim_start_matches(['#', '?']).ends_with(own);
        if !is_it {
            return None;
        }
        let before = hops.len();
        let next = self.written(write, name, hops);
        if let Some(hop) = hops.get_mut(before) {
            hop.kind = HopKind::Url;
        }
        Some(next)
    }

    /// `document.cookie`, where the page wrote one cookie only.
    fn of_cookie(
        &self,
        spot: Spot,
        (seen, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let (write, written) = self.last_on_class(spot, "HTMLDocument", "cookie")?;
        let pair = written.split(';').next()?.trim();
        if !self.is_text(stream, seen, pair) {
            return None;
        }
        let before = hops.len();
        let next = self.written(write, name, hops);
        if let Some(hop) = hops.get_mut(before) {
            hop.kind = HopKind::Storage;
        }
        Some(next)
    }

    /// The last write of a key of the object of a class of which there is one, and its text.
    fn last_on_class(&self, spot: Spot, class: &str, key: &str) -> Option<(Write, String)> {
        let stream = spot.moment.stream;
        let number = self.model.key(&Key::Property(key.to_owned()))?;
        let writes = self.model.writes.iter().filter(|write| {
            write.key == number
                && write.stream == stream
                && write.event < spot.moment.at
                && self.class_of(stream, write.object) == class
        });
        let last = writes.max_by_key(|write| write.event)?;
        let value = self.model.written(last);
        let Seen::String(text) = value else {
            return None;
        };
        let write = Write {
            stream,
            event: last.event,
            value,
            target: Target::Key {
                object: last.object,
                key: number,
                is_listed: last.listed != NONE,
            },
        };
        Some((write, self.model.text(stream, text.0).to_owned()))
    }
}
