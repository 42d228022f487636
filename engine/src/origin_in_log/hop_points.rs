//! Where a hop is, as a point at which everything else can be asked: its place, which hit of it, and its realm.

use std::collections::HashMap;

use event_log::catalogue::{reaching, reproduction_point_of};
use event_log::ids::ScriptId;
use event_log::model::{Model, NONE};
use event_log::tables::Stream;
use querypoint::answer::{Hop, Location};
use querypoint::session::excerpt::short_name;

use super::{InLog, Next};

/// How many events before a moment are looked through for the line of a hop.
const MOST_BEFORE: usize = 100_000;
/// Of how many hops of a chain it is looked for which hit they are: each is counted through the log.
const MOST_COUNTED: usize = 50;
/// The object that is a realm's global one: the page's side gives it the first number.
const GLOBAL_OBJECT: u32 = 1;
/// The end of the name of a class of a global object that is of a worker, or of a worklet.
const OF_WORKER: &str = "GlobalScope";
/// The name of that of a document.
const OF_DOCUMENT: &str = "Window";

/// Where a step of a chain is.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepMoment {
    /// The call and the event; [`NONE`]: that is not known.
    call: u32,
    at: u32,
    /// Whether the step is that event.
    is_event: bool,
}

impl StepMoment {
    /// Where `next` is that is in this call, at this event.
    pub(super) fn of(next: &Next, (call, at): (u32, u32)) -> Self {
        let (call, at) = match next {
            Next::Settled { .. } => (NONE, NONE),
            _ => (call, at),
        };
        let is_event = matches!(next, Next::Write(..));
        Self { call, at, is_event }
    }
}

impl InLog<'_> {
    /// Gives the hops of a step their points and realms: which hit of its line each is, where that is known.
    pub(super) fn place_hops(&self, moment: StepMoment, hops: &mut [Hop], before: usize) {
        let Some(new) = hops.get_mut(before..) else {
            return;
        };
        let realms = self.realms.get_or_init(|| RealmNames::of(self.model));
        for (hop, number) in new.iter_mut().zip(before..) {
            if hop.point.is_some() {
                continue;
            }
            let hit = (number < MOST_COUNTED)
                .then(|| hit_of(self.model, moment, &hop.location))
                .flatten();
            let counted = hit.and_then(|hit| reproduction_point_of(self.model, hit));
            hop.point = Some(counted.unwrap_or_else(|| crate::origin::hop_place(hop)));
            let ran_in = hit.and_then(|hit| Some(self.event(hit)?.stream));
            let ran_in = ran_in.or_else(|| realms.only_one_of(&hop.location.url));
            hop.realm = ran_in.and_then(|stream| realms.names.get(&stream).cloned());
        }
    }
}

/// What realms are called, and which of them ran what.
pub(super) struct RealmNames {
    /// Those that are not documents of the page's own tab, as far as it is known what they are: each with what it is,
    /// and the file that ran first in it.
    names: HashMap<u16, String>,
    /// By file, the realm in which it ran; `None`: in several.
    only: HashMap<String, Option<u16>>,
}

impl RealmNames {
    fn of(model: &Model) -> Self {
        let mut first: HashMap<u16, u32> = HashMap::new();
        let mut only: HashMap<u32, Option<u16>> = HashMap::new();
        for (call, number) in model.calls.iter().zip(0..) {
            first.entry(call.stream).or_insert(number);
            if let Some(function) = model.tables.function(call.function) {
                let known = only.entry(function.script.0).or_insert(Some(call.stream));
                *known = known.filter(|stream| *stream == call.stream);
            }
        }
        let mut by_file: HashMap<String, Option<u16>> = HashMap::new();
        for (script, stream) in only {
            if let Some(script) = model.tables.script(ScriptId(script)) {
                let known = by_file.entry(script.url.clone()).or_insert(stream);
                *known = known.filter(|known| Some(*known) == stream);
            }
        }
        let names = first
            .into_iter()
            .filter_map(|(stream, call)| Some((stream, realm_name(model, stream, call)?)));
        Self {
            names: names.collect(),
            only: by_file,
        }
    }

    /// The realm in which a file ran, where that is only one.
    fn only_one_of(&self, url: &str) -> Option<u16> {
        self.only.get(url).copied().flatten()
    }
}

/// The event of a step that is one; else the only time that a line was reached in the call of the step, up to there, or
/// in the call around it.
fn hit_of(model: &Model, moment: StepMoment, location: &Location) -> Option<u32> {
    let StepMoment { call, at, is_event } = moment;
    if is_event && column_on(model, at, location).is_some() {
        return Some(at);
    }
    let call_of = |number: u32| model.calls.get(number as usize);
    let around = call_of(call)?.parent;
    // All of both calls, or nothing is known of how often the line was reached.
    let begin = call_of(around).or_else(|| call_of(call))?.enter as usize;
    let near = model.events.get(begin..=at as usize)?;
    if near.len() > MOST_BEFORE {
        return None;
    }
    let mut hits: HashMap<u32, (u32, u32)> = HashMap::new();
    for (event, number) in near.iter().zip(u32::try_from(begin).ok()?..) {
        let is_near = event.call == call || event.call == around && around != NONE;
        let column = column_on(model, number, location).filter(|_| is_near);
        if let Some(column) = column
            && hits.insert(event.site.0, (column, number)).is_some()
        {
            // A line has several places: one that is reached twice says that the line is.
            return None;
        }
    }
    let mut hits: Vec<(u32, u32)> = hits.into_values().collect();
    hits.sort_unstable();
    // The last place of the line that is not behind the hop; else the first one.
    let behind = hits.partition_point(|(column, _)| *column <= location.column);
    let (_, hit) = hits.get(behind.saturating_sub(1))?;
    Some(*hit)
}

/// The column of an event with which a place of that line is reached.
fn column_on(model: &Model, number: u32, location: &Location) -> Option<u32> {
    let event = model.events.get(number as usize)?;
    let site = model.site(event.site)?;
    let is_it = site.line == location.line
        && reaching(site.kind) == event.kind
        && model.tables.script(site.script)?.url == location.url;
    is_it.then_some(site.column)
}

/// What a realm is called in which that call is the first.
fn realm_name(model: &Model, stream: u16, call: u32) -> Option<String> {
    let kind = realm_kind(model, stream)?;
    let call = model.calls.get(call as usize);
    let function = call.and_then(|call| model.tables.function(call.function));
    let script = function.and_then(|it| model.tables.script(it.script));
    let file = script.map(|it| short_name(&it.url));
    Some(file.map_or_else(|| kind.to_owned(), |file| format!("{kind} {file}")))
}

fn realm_kind(model: &Model, stream: u16) -> Option<&'static str> {
    let told = model.tables.streams.get(usize::from(stream));
    match told.map_or("", |it| it.kind.as_str()) {
        Stream::PAGE => return None,
        Stream::TAB => return Some("tab"),
        _ => {}
    }
    // No script has run when the log gets to know it.
    let class = model.class_of(stream, GLOBAL_OBJECT);
    if class.ends_with(OF_WORKER) {
        return Some("worker");
    }
    let is_inner = told.is_some_and(|it| it.kind == Stream::INNER);
    (is_inner && class == OF_DOCUMENT).then_some("frame")
}

#[cfg(test)]
mod tests {
    use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
    use event_log::ids::{FunctionId, SiteId, StreamId, StringId};
    use event_log::record::Record;
    use event_log::tables::{Function, Script, Site, SiteKind, Tables};
    use event_log::wire::Encoder;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    /// A realm in which `file` runs first, whose global object has that class.
    struct Told {
        kind: &'static str,
        class: &'static str,
        file: &'static str,
    }

    fn model(realms: &[Told]) -> Model {
        let mut writer = LogWriter::new(Vec::new(), &LogInfo::default()).unwrap();
        let streams = realms.iter().map(|it| Stream {
            kind: it.kind.to_owned(),
            url: String::new(),
        });
        let scripts = realms.iter().map(|it| Script {
            url: format!("http://h/{}", it.file),
            ..Script::default()
        });
        let functions = (1..).zip(realms).map(|(script, _)| Function {
            script: ScriptId(script),
            ..Function::default()
        });
        // Two places of line 3.
        let sites = [5, 9].map(|column| Site {
            script: ScriptId(1),
            line: 3,
            column,
            kind: SiteKind::Call,
            ..Site::default()
        });
        writer
            .add(&Tables {
                streams: streams.collect(),
                scripts: scripts.collect(),
                functions: functions.collect(),
                sites: sites.to_vec(),
                ..Tables::default()
            })
            .unwrap();
        for (number, realm) in (1..).zip(realms) {
            let mut encoder = Encoder::new(StreamId(number));
            let class: Vec<u16> = realm.class.encode_utf16().collect();
            if !class.is_empty() {
                encoder.record(&Record::Text(&class));
                encoder.record(&Record::Object { class: StringId(1) });
            }
            encoder.record(&Record::Enter(FunctionId(number)));
            for site in [1, 2, 1] {
                encoder.record(&Record::Step(SiteId(site)));
            }
            encoder.record(&Record::Return(FunctionId(number)));
            writer.batch_words(&encoder.finish()).unwrap();
        }
        let (bytes, _) = writer.finish(&LogEnd::default()).unwrap();
        Model::read(&LogFile::open(bytes.as_slice()).unwrap()).unwrap()
    }

    fn names(realms: &[Told]) -> Vec<Option<String>> {
        let names = RealmNames::of(&model(realms)).names;
        let streams = 0..u16::try_from(realms.len()).unwrap();
        streams.map(|stream| names.get(&stream).cloned()).collect()
    }

    const fn told(kind: &'static str, class: &'static str, file: &'static str) -> Told {
        Told { kind, class, file }
    }

    /// A frame may be the first that runs scripts, or the only one: the page's own document is known by what it says.
    #[test]
    fn a_frame_is_called_one_also_where_it_runs_first() {
        let frame = || told(Stream::INNER, "Window", "inner.js");
        let named = || Some("frame inner.js".to_owned());
        let page = told(Stream::PAGE, "Window", "app.js");
        assert_eq!(names(&[frame(), page]), [named(), None]);
        assert_eq!(names(&[frame()]), [named()]);
    }

    #[test]
    fn a_realm_is_called_what_it_is_known_to_be() {
        let realms = [
            told(Stream::PAGE, "Window", "app.js"),
            // A document that came after it in the same tab.
            told(Stream::PAGE, "Window", "next.js"),
            told(Stream::TAB, "Window", "opened.js"),
            told(Stream::INNER, "DedicatedWorkerGlobalScope", "sum.js"),
            told(Stream::INNER, "AudioWorkletGlobalScope", "audio.js"),
            told(Stream::INNER, "", "unknown.js"),
            // Logs of before: that may be the page's own.
            told("realm", "Window", "app.js"),
            told("realm", "SharedWorkerGlobalScope", "shared.js"),
        ];
        let expected = [
            None,
            None,
            Some("tab opened.js"),
            Some("worker sum.js"),
            Some("worker audio.js"),
            None,
            None,
            Some("worker shared.js"),
        ];
        assert_eq!(names(&realms), expected.map(|it| it.map(str::to_owned)));
    }

    /// A message is shown as its receiver has it, and its place is where it was sent.
    #[test]
    fn a_file_is_of_the_only_realm_that_ran_it() {
        let worker = |file| told(Stream::INNER, "DedicatedWorkerGlobalScope", file);
        let realms = RealmNames::of(&model(&[
            told(Stream::PAGE, "Window", "both.js"),
            worker("both.js"),
            worker("sum.js"),
        ]));
        let only =
            ["both", "sum", "other"].map(|it| realms.only_one_of(&format!("http://h/{it}.js")));
        assert_eq!(only, [None, Some(2), None]);
    }

    #[test]
    fn a_hit_is_said_where_the_line_was_reached_once_or_the_step_is_the_event() {
        let model = model(&[told(Stream::PAGE, "Window", "app.js")]);
        let step = |number: usize| {
            let mut steps = (0_u32..)
                .zip(&model.events)
                .filter(|(_, event)| event.site.0 != 0);
            steps.nth(number).unwrap().0
        };
        let location = Location {
            url: "http://h/app.js".to_owned(),
            line: 3,
            column: 10,
            generated: None,
            eval_origin: None,
            library: false,
        };
        let hit = |number: usize, is_event: bool| {
            let (call, at) = (0, step(number));
            let hit = hit_of(&model, StepMoment { call, at, is_event }, &location);
            hit.and_then(|hit| reproduction_point_of(&model, hit))
        };
        assert_eq!(hit(0, false).as_deref(), Some("app.js:3:5#0"));
        assert_eq!(hit(1, false).as_deref(), Some("app.js:3:9#0"));
        // The first place of the line is reached once more.
        assert_eq!(hit(2, false), None);
        assert_eq!(hit(2, true).as_deref(), Some("app.js:3:5#1"));
        let other = Location {
            line: 4,
            ..location.clone()
        };
        let moment = StepMoment {
            call: 0,
            at: step(2),
            is_event: true,
        };
        assert_eq!(hit_of(&model, moment, &other), None);
    }
}
