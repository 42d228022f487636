//! What the panel knows: the session as the back end last told it, what is being done, and what the person looks at.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use querypoint::answer::{Answer, Hop, Location, PointAnswer, Scope, Value, Variable};
use querypoint::events::LoggedEvent;
use querypoint::execution_line::ExecutionLine;
use querypoint::session::differences::PointDifference;
use querypoint::session::element::Picked;
use querypoint::session::libraries::{first_own_frame, fold_own_libraries};
use querypoint::session::messages::{Doing, News, Refusal, RefusalCode};
use querypoint::session::results::TabRecorded;
use querypoint::session::stop::Stop;
use querypoint::session::tab::TabView;
use querypoint::session::{Laned, Session};

use crate::menu::Menu;
use crate::views::scopes::PAUSED;

/// Whether there is a back end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// It is looked for.
    Connecting,
    /// It is there.
    Open,
    /// It was there; it is looked for again.
    Lost,
    /// A person ended it.
    Ended,
    /// It is not to be had this way, in words.
    Refused(String),
}

/// How far something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) stage: String,
    pub(crate) parts: Option<(usize, usize)>,
}

/// All of it. Copies are of the same.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    pub(crate) link: RwSignal<Link>,
    /// Whether the back end works in a browser that it was connected to.
    pub(crate) connected: RwSignal<bool>,
    /// The version of the back end, and whether nobody sees it run.
    pub(crate) back_end: RwSignal<(String, bool)>,
    pub(crate) session: RwSignal<Session>,
    /// What it is called.
    pub(crate) name: RwSignal<String>,
    /// How its points are drawn.
    pub(crate) graph: RwSignal<Vec<Laned>>,
    pub(crate) doing: RwSignal<Option<Doing>>,
    /// Whether something can be undone, and whether something was.
    pub(crate) undo: RwSignal<(bool, bool)>,
    pub(crate) progress: RwSignal<Option<Progress>>,
    /// What the user does while they are recorded, by the number of the step.
    pub(crate) steps: RwSignal<BTreeMap<usize, String>>,
    /// The point that is looked at.
    pub(crate) chosen: RwSignal<String>,
    /// Source files by address, with the answer that was there when they came.
    pub(crate) sources: RwSignal<BTreeMap<String, SourceText>>,
    /// What objects have inside, by the point and the expression that gives them.
    pub(crate) expanded: RwSignal<BTreeMap<(String, String), Inside>>,
    /// What frames see, by the point and the number of the frame.
    pub(crate) frames: RwSignal<BTreeMap<(String, usize), FrameSeen>>,
    /// The frame that somebody chose, of this point; of another one it is the first of their own code.
    pub(crate) frame_chosen: RwSignal<(String, usize)>,
    /// The hop or the decision that somebody looks at, of this point: its number, as [`place_of`] has it.
    pub(crate) hop_chosen: RwSignal<Option<(String, usize)>>,
    /// A person's own list of files that are libraries, as [`querypoint::session::libraries`] has it.
    pub(crate) libraries: RwSignal<Vec<String>>,
    /// What the query of a point looked through, while that is shown.
    pub(crate) line: RwSignal<Option<Arc<ExecutionLine>>>,
    /// How many answers there were: another one may be of other files.
    pub(crate) answers: RwSignal<usize>,
    /// The points that the last replay has otherwise than before, until something else is done.
    pub(crate) differing: RwSignal<Vec<PointDifference>>,
    /// What the query field holds.
    pub(crate) query: RwSignal<String>,
    /// What was refused last, or what else is to be said of what the person did.
    pub(crate) said: RwSignal<Option<Said>>,
    /// The session that was worked at before the tab turned to another page, while there is a way back.
    pub(crate) came_from: RwSignal<Option<String>>,
    /// Where the tab that is debugged is paused.
    pub(crate) stop: RwSignal<Option<Stop>>,
    /// Where it was paused when the person asked from there.
    pub(crate) asked_from: RwSignal<Option<Stop>>,
    /// What the person asked about that tab.
    pub(crate) of_tab: RwSignal<OfTab>,
    /// Where that tab is to stop, by address and line, and by which it knows that.
    pub(crate) breakpoints: RwSignal<BTreeMap<(String, u32), String>>,
    /// What is recorded of that tab.
    pub(crate) recorded: RwSignal<Option<TabRecorded>>,
    /// Whether the tab tells who wrote last what is in sight.
    pub(crate) is_live: RwSignal<bool>,
    /// Why it is not known where that tab is paused.
    pub(crate) not_following: RwSignal<Option<String>>,
    /// Notes that the person has read.
    pub(crate) dismissed: RwSignal<Vec<String>>,
    /// What can be done with what the person points at, while that is offered.
    pub(crate) menu: RwSignal<Option<Menu>>,
    /// The element that is asked about, in the tab that is debugged.
    pub(crate) picked: RwSignal<Option<Picked>>,
    /// Whether the next press in that tab chooses one.
    pub(crate) is_picking: RwSignal<bool>,
    /// Whether everything that can be done is offered.
    pub(crate) palette: RwSignal<bool>,
    /// Whether everything that an execution did is shown.
    pub(crate) execution: RwSignal<bool>,
    /// The event that is looked at, and the number of its log.
    pub(crate) event: RwSignal<Option<(u32, LoggedEvent)>>,
}

/// A question about the tab that is debugged.
#[derive(Debug, Default)]
pub(crate) struct OfTab {
    /// What the tab showed then; none: that is not known, or the person has read how it differs from the answer.
    pub(crate) shown: Option<TabView>,
    /// The session that it was asked in.
    pub(crate) session: String,
    /// The point that was found; empty: none yet.
    pub(crate) point: String,
}

/// What an object has inside, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inside {
    pub(crate) variables: Vec<Variable>,
    /// How many there are.
    pub(crate) of: usize,
    /// What they have in their name or value; empty: they are all.
    pub(crate) filter: String,
}

/// What a frame sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrameSeen {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) this: Option<Value>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceText {
    /// `None`: there is none.
    pub(crate) text: Option<String>,
    /// What it came with.
    pub(crate) of: TextOf,
}

/// What a source file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextOf {
    /// Which of the [`Model::answers`].
    Answer(usize),
    /// The event log with this number.
    Log(u32),
}

/// Something that is said of what the person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// A shorter way to set what may be gone with its view.
pub(crate) trait Say<T> {
    /// Sets it.
    fn say(&self, value: T);
}

impl<T: Send + Sync + 'static> Say<T> for RwSignal<T> {
    fn say(&self, value: T) {
        self.try_set(value);
    }
}

impl Model {
    /// Nothing is known yet.
    pub(crate) fn new() -> Self {
        Self {
            link: RwSignal::new(Link::Connecting),
            connected: RwSignal::new(false),
            back_end: RwSignal::new((String::new(), false)),
            session: RwSignal::new(Session::default()),
            name: RwSignal::new(String::new()),
            graph: RwSignal::new(Vec::new()),
            doing: RwSignal::new(None),
            undo: RwSignal::new((false, false)),
            progress: RwSignal::new(None),
            steps: RwSignal::new(BTreeMap::new()),
            chosen: RwSignal::new("R".to_owned()),
            sources: RwSignal::new(BTreeMap::new()),
            expanded: RwSignal::new(BTreeMap::new()),
            frames: RwSignal::new(BTreeMap::new()),
            frame_chosen: RwSignal::new((String::new(), 0)),
            hop_chosen: RwSignal::new(None),
            libraries: RwSignal::new(kept_libraries()),
            line: RwSignal::new(None),
            answers: RwSignal::new(0),
            differing: RwSignal::new(Vec::new()),
            query: RwSignal::new(String::new()),
            said: RwSignal::new(None),
            came_from: RwSignal::new(None),
            stop: RwSignal::new(None),
            asked_from: RwSignal::new(None),
            of_tab: RwSignal::new(OfTab::default()),
            breakpoints: RwSignal::new(BTreeMap::new()),
            recorded: RwSignal::new(None),
            is_live: RwSignal::new(false),
            not_following: RwSignal::new(None),
            dismissed: RwSignal::new(Vec::new()),
            menu: RwSignal::new(None),
            picked: RwSignal::new(None),
            is_picking: RwSignal::new(false),
            palette: RwSignal::new(false),
            execution: RwSignal::new(false),
            event: RwSignal::new(None),
        }
    }

    /// Takes news in.
    pub(crate) fn hear(self, news: News) {
        match news {
            News::Welcome {
                connected,
                version,
                in_background,
                ..
            } => {
                self.link.say(Link::Open);
                self.back_end.say((version, in_background));
                self.connected.say(connected);
            }
            News::Session {
                session,
                graph,
                doing,
                name,
                undo,
                redo,
            } => {
                self.name.say(name);
                self.undo.say((undo, redo));
                self.graph.say(graph);
                self.is_now(*session, doing);
            }
            News::Progress { stage, done, of } => {
                let parts = done.zip(of);
                self.progress.say(Some(Progress { stage, parts }));
            }
            News::Recorded { recorded } => self.recorded.say(recorded),
            News::Stopped { stop } => {
                // What is inside may be otherwise where it pauses next.
                self.expanded
                    .update(|all| all.retain(|(place, _), _| !place.starts_with(PAUSED)));
                self.stop.say(stop.map(|stop| *stop));
            }
            // That is not for a person.
            News::Command { .. } | News::Selected { .. } => {}
            News::Step { number, step } => {
                self.steps.update(|steps| {
                    // It may take the place of one, or of all after it.
                    steps.split_off(&number);
                    steps.insert(number, step);
                });
            }
        }
    }

    fn is_now(self, session: Session, doing: Option<Doing>) {
        let before = self.session.get_untracked();
        if doing != self.doing.get_untracked() {
            if doing == Some(Doing::Recording) {
                self.steps.say(BTreeMap::new());
            }
            if doing.is_some() {
                self.differing.say(Vec::new());
            }
            self.progress.say(None);
            self.doing.say(doing);
        }
        if session == before {
            return;
        }
        if session.page != before.page {
            self.sources.say(BTreeMap::new());
        }
        if session.answer != before.answer {
            self.expanded.say(BTreeMap::new());
            self.frames.say(BTreeMap::new());
            self.answers.update(|answers| *answers += 1);
        }
        let of_line = self
            .line
            .with_untracked(|line| line.as_ref().map(|it| it.point.clone()));
        if of_line.is_some_and(|point| !has_line(&before, &session, &point)) {
            self.line.say(None);
        }
        let chosen = self.chosen.get_untracked();
        // While nothing is answered, what is asked will be there again.
        let is_asked = |query: &String| query.starts_with(&format!("{chosen} = "));
        let is_there = points(session.answer.as_ref()).any(|point| point.name == chosen)
            || session.answer.is_none() && session.queries.iter().any(is_asked);
        if !is_there {
            self.chosen.say("R".to_owned());
        }
        self.session.say(session);
    }

    /// The point that is looked at, if there is an answer.
    pub(crate) fn chosen_point(self) -> Option<PointAnswer> {
        let chosen = self.chosen.get();
        self.session.with(|session| {
            let mut points = points(session.answer.as_ref());
            points.find(|point| point.name == chosen).cloned()
        })
    }

    /// The frame that is looked at, of the point that is; 0 is the newest.
    pub(crate) fn frame(self) -> usize {
        let Some(point) = self.chosen_point() else {
            return 0;
        };
        match self.frame_chosen.get() {
            (of, frame) if of == point.name && frame < point.stack.len() => frame,
            _ => self
                .libraries
                .with(|own| first_own_frame(&point.stack, own)),
        }
    }

    /// Where the event is that is looked at; else where the frame is, or the hop.
    pub(crate) fn location(self) -> Option<Location> {
        if let Some(location) = self.event.with(|event| event.as_ref()?.1.location.clone()) {
            return Some(location);
        }
        let point = self.chosen_point()?;
        let hop = self.hop_chosen.get().filter(|(of, _)| *of == point.name);
        if let Some(location) = hop.and_then(|(_, number)| self.place_of(&point, number)) {
            return Some(location);
        }
        match self.frame() {
            0 => point.location,
            frame => point.stack.get(frame).map(|it| it.location.clone()),
        }
    }

    /// The hops of a point, with those in a person's own libraries folded.
    pub(crate) fn hops(self, point: &PointAnswer) -> Vec<Hop> {
        let hops = point.hops.clone();
        self.libraries.with(|own| match own.is_empty() {
            true => hops,
            false => fold_own_libraries(hops, own),
        })
    }

    /// A place that an answer leads to: a hop by its number; of a point without hops a decision by twice its number,
    /// and the operation that it kept from happening by the next one.
    fn place_of(self, point: &PointAnswer, number: usize) -> Option<Location> {
        if let Some(hop) = self.hops(point).get(number) {
            return Some(hop.location.clone());
        }
        let candidate = point.candidates.get(number / 2)?;
        match number % 2 {
            0 => Some(candidate.location.clone()),
            _ => candidate.operation.as_ref().map(|it| it.location.clone()),
        }
    }

    /// The lines of a file that did not run, as far as the answer counted them.
    pub(crate) fn not_run(self, url: &str) -> Vec<(u32, u32)> {
        self.session.with(|session| {
            let answer = session.answer.iter();
            let mut files = answer.flat_map(|answer| &answer.coverage.not_run);
            let lines = files.find(|file| file.url == url).map(|file| &file.lines);
            lines.cloned().unwrap_or_default()
        })
    }

    /// Whether a line ran, as far as the answer counted that.
    pub(crate) fn has_run(self, url: &str, line: u32) -> bool {
        let stretches = self.not_run(url);
        let is_in = |(first, last): &(u32, u32)| (*first..=*last).contains(&line);
        !stretches.is_empty() && !stretches.iter().any(is_in)
    }

    /// Takes a file for a library from now on, or (with `!` before it) for a person's own code.
    pub(crate) fn add_library(self, entry: String) {
        let other = match entry.strip_prefix('!') {
            Some(url) => url.to_owned(),
            None => format!("!{entry}"),
        };
        self.libraries.update(|all| {
            all.retain(|it| *it != other && *it != entry);
            all.push(entry);
        });
        if let Some(storage) = storage() {
            let all = self.libraries.get_untracked().join("\n");
            // Without room for it, it is dropped.
            let _ = storage.set_item(LIBRARIES, &all);
        }
    }

    /// The point that the one that is looked at was asked at.
    pub(crate) fn asked_at(self) -> Option<PointAnswer> {
        let chosen = self.chosen.get();
        self.session.with(|session| {
            let points: Vec<&PointAnswer> = points(session.answer.as_ref()).collect();
            let is_chosen = |at: usize| points.get(at).is_some_and(|point| point.name == chosen);
            let asked_at = self.graph.with(|graph| {
                let laned = graph.iter().find(|laned| is_chosen(laned.point))?;
                laned.asked_at
            })?;
            points.get(asked_at).map(|point| (*point).clone())
        })
    }

    /// Tells the person something of what they did.
    pub(crate) fn tell(self, text: impl Into<String>, is_error: bool) {
        let text = text.into();
        self.said.say(Some(Said { text, is_error }));
    }

    /// Tells the person that what they wanted was not done, and why.
    pub(crate) fn tell_refusal(self, refusal: Refusal) {
        self.tell(refusal.message, refusal.code != RefusalCode::Cancelled);
    }
}

/// Where a person's list of libraries is kept.
const LIBRARIES: &str = "libraries";

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn kept_libraries() -> Vec<String> {
    let kept = storage().and_then(|it| it.get_item(LIBRARIES).ok().flatten());
    let kept = kept.unwrap_or_default();
    kept.lines().map(str::to_owned).collect()
}

/// The points of an answer.
pub(crate) fn points(answer: Option<&Answer>) -> impl Iterator<Item = &PointAnswer> {
    answer.into_iter().flat_map(|answer| &answer.points)
}

/// Whether the line of a point is still what its query looks through: more may be asked and watched meanwhile, but
/// nothing asked anew.
fn has_line(before: &Session, now: &Session, point: &str) -> bool {
    let is_there = points(now.answer.as_ref()).any(|it| it.name == point);
    let is_same_run =
        before.page == now.page && before.at == now.at && before.recording == now.recording;
    let is_more = before.queries != now.queries
        || before.watches != now.watches
        || before.answer == now.answer;
    is_there && is_same_run && is_more
}
