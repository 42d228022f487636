//! Everything that an execution did: its call tree beside what it is asked, and where two executions part.

mod calls;
mod comparison;
mod diagnosis;
mod event;
mod events;
mod node;

use std::collections::BTreeMap;

use leptos::html::Select;
use leptos::prelude::*;
use querypoint::diagnosis::CallView;
use querypoint::events::{CallRow, EventsResult, LoggedEvent};
use querypoint::session::methods;
use querypoint::session::results::{ComparedLogs, Diagnosed, LogList, LogOutline};

use super::fields::button;
use super::made::{made, show};
use crate::link::{order_and, request};
use crate::model::{Model, Say, SourceText, TextOf};
use crate::texts;

/// What is known of the execution. Copies are of the same.
#[derive(Clone, Copy)]
struct Execution {
    model: Model,
    /// The logs that are kept, the latest first.
    logs: RwSignal<Vec<LogOutline>>,
    /// The questions that were composed and saved.
    questions: RwSignal<Vec<String>>,
    /// The log that is looked at.
    log: RwSignal<Option<u32>>,
    /// The rows of the call tree that are open, by the events with which they begin; none: those at the root.
    rows: RwSignal<BTreeMap<Option<u64>, Rows>>,
    /// What was asked last.
    found: RwSignal<Option<EventsResult>>,
    /// What the field for a question holds.
    text: RwSignal<String>,
    /// Where the log and another one part.
    compared: RwSignal<Option<(u32, ComparedLogs)>>,
    /// What came of looking for the faulty call of the log.
    diagnosed: RwSignal<Option<Diagnosed>>,
    /// The call of the tree that is looked at.
    node: RwSignal<Option<CallView>>,
    /// How many executions have been recorded from here.
    recordings: RwSignal<u32>,
    /// Which of them is awaited: the view turns to its log as soon as it is there.
    awaited: RwSignal<Option<u32>>,
}

/// What is inside a row, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rows {
    rows: Vec<CallRow>,
    of: u64,
}

/// It, while it is open.
pub(crate) fn execution(model: Model) -> impl IntoView {
    let it = Execution {
        model,
        logs: RwSignal::new(Vec::new()),
        questions: RwSignal::new(Vec::new()),
        log: RwSignal::new(None),
        rows: RwSignal::new(BTreeMap::new()),
        found: RwSignal::new(None),
        text: RwSignal::new(String::new()),
        compared: RwSignal::new(None),
        diagnosed: RwSignal::new(None),
        node: RwSignal::new(None),
        recordings: RwSignal::new(0),
        awaited: RwSignal::new(None),
    };
    // The logs are those of the session, of which there is news again and again.
    let session = Memo::new(move |_| model.name.get());
    let is_open = Memo::new(move |_| model.execution.get());
    Effect::new(move |_| {
        session.track();
        it.look_at(None);
        it.logs.set(Vec::new());
        if is_open.get() {
            it.list(Execution::look_at_latest);
        }
    });
    // One may have been deleted, or be there again.
    Effect::new(move |_| {
        model.name.track();
        if is_open.get_untracked() {
            it.list(Execution::look_on);
        }
    });
    // A person looks at one thing.
    Effect::new(move |_| {
        model.chosen.track();
        model.frame_chosen.track();
        model.hop_chosen.track();
        model.event.say(None);
    });
    shown(it)
}

fn shown(it: Execution) -> impl IntoView {
    let model = it.model;
    let is_off = move || {
        let has_page = model.session.with(|session| session.page.is_some());
        model.doing.get().is_some() || !has_page
    };
    let is_empty = move || it.log.get().is_none();
    view! {
        <section class="execution" aria-labelledby="execution" hidden=move || !model.execution.get()>
            <div class="title">
                <h2 id="execution">{texts::EXECUTION}</h2>
                {chooser(it)}
                {button("record-log", texts::RECORD_EXECUTION, is_off, move || it.record())}
                {button("close", texts::CLOSE, || false, move || model.execution.say(false))}
            </div>
            <p class="empty" hidden=move || !is_empty()>{texts::NO_EXECUTION}</p>
            <div class="log" hidden=is_empty>
                {calls::calls(it)}
                <div class="asked">
                    {comparison::comparison(it)}
                    {diagnosis::diagnosis(it)}
                    {events::events(it)}
                </div>
            </div>
        </section>
    }
}

/// Which of the logs is looked at, and which it is compared with.
fn chooser(it: Execution) -> impl IntoView {
    let (shown, compared) = (NodeRef::<Select>::new(), NodeRef::<Select>::new());
    Effect::new(move |_| {
        let (Some(shown), Some(compared)) = (shown.get(), compared.get()) else {
            return;
        };
        let chosen = it.log.get();
        it.logs.with(|logs| {
            let option = |log: &LogOutline| {
                let number = log.log.to_string();
                let is_it = (chosen == Some(log.log)).then_some(("selected", ""));
                let attributes: Vec<_> = is_it.into_iter().chain([("value", &*number)]).collect();
                made("option", &attributes, &texts::log(log))
            };
            show(&shown, logs.iter().filter_map(option));
            let others = logs.iter().filter(|log| Some(log.log) != chosen);
            let none = made("option", &[("value", "")], texts::COMPARE_WITH);
            show(&compared, none.into_iter().chain(others.filter_map(option)));
        });
    });
    let turn = move |event| it.look_at(event_target_value(&event).parse().ok());
    let compare = move |event| match event_target_value(&event).parse() {
        Ok(other) => it.compare(other),
        Err(_) => it.compared.say(None),
    };
    let is_none = move || it.log.get().is_none();
    view! {
        <select name="log" node_ref=shown aria-label=texts::LOG hidden=is_none on:change=turn></select>
        <select
            name="compared"
            node_ref=compared
            aria-label=texts::COMPARE_WITH
            hidden=move || it.logs.with(|logs| logs.len() < 2)
            on:change=compare
        ></select>
        {button("diagnose", texts::FIND_FAULTY_CALL, is_none, move || it.diagnose())}
        {button("delete-log", texts::DELETE_LOG, is_none, move || it.delete())}
    }
}

impl Execution {
    /// Reads which logs there are; `then` is done with them.
    fn list(self, then: impl FnOnce(Self, LogList) + 'static) {
        let session = self.model.name.get_untracked();
        request(methods::Logs {}, move |listed| {
            // Meanwhile the person may have turned to another session.
            if self.model.name.with_untracked(|name| *name != session) {
                return;
            }
            match listed {
                Ok(list) => then(self, list),
                Err(refusal) => self.model.tell(refusal.message, true),
            }
        });
    }

    /// Looks at the latest of these logs.
    fn look_at_latest(self, list: LogList) {
        // The number of a log that was deleted may be that of another one now.
        let is_kept = |source: &SourceText| !matches!(source.of, TextOf::Log(_));
        self.model
            .sources
            .update(|all| all.retain(|_, source| is_kept(source)));
        let latest = list.logs.first().map(|log| log.log);
        // The news of it may have come before.
        let is_shown = self.log.get_untracked() == latest
            && self.logs.with_untracked(|logs| *logs == list.logs);
        self.logs.say(list.logs);
        self.questions.say(list.questions);
        if let Some(unusable) = list.unusable {
            self.model.tell(unusable, true);
        }
        if !is_shown {
            self.look_at(latest);
        }
    }

    /// Looks at the log that is looked at, as it is: unless these are other logs, and it is none of them, or the latest
    /// is the one that is awaited.
    fn look_on(self, list: LogList) {
        if self.logs.with_untracked(|logs| *logs == list.logs) {
            return;
        }
        let outline =
            |logs: &[LogOutline], log| logs.iter().find(|it| Some(it.log) == log).cloned();
        let latest = list.logs.first();
        let is_new = self.logs.with_untracked(|logs| {
            latest.is_some() && outline(logs, latest.map(|it| it.log)).as_ref() != latest
        });
        if is_new && self.awaited.get_untracked().is_some() {
            self.awaited.say(None);
            return self.look_at_latest(list);
        }
        let log = self.log.get_untracked();
        let known = self.logs.with_untracked(|logs| outline(logs, log));
        if known.is_some() && known == outline(&list.logs, log) {
            self.logs.say(list.logs);
            return;
        }
        self.look_at_latest(list);
    }

    /// Looks at a log, from its beginning on.
    fn look_at(self, log: Option<u32>) {
        self.log.say(log);
        self.rows.say(BTreeMap::new());
        self.found.say(None);
        self.compared.say(None);
        self.diagnosed.say(None);
        self.node.say(None);
        self.model.event.say(None);
        if log.is_some() {
            self.open(None);
        }
    }

    /// Has the page run and recorded.
    fn record(self) {
        let model = self.model;
        model.said.say(None);
        let recording = self.recordings.get_untracked() + 1;
        self.recordings.say(recording);
        self.awaited.say(Some(recording));
        request(methods::Log {}, move |recorded| match recorded {
            Ok(recorded) => {
                if !recorded.notes.is_empty() {
                    model.tell(recorded.notes.join("\n"), false);
                }
                // The news of it may have come before, and the person have turned to another log since.
                self.list(move |it, list| {
                    it.look_on(list);
                    it.awaits_no_more(recording);
                });
            }
            Err(refusal) => {
                self.awaits_no_more(recording);
                model.tell_refusal(refusal);
            }
        });
    }

    /// A recording is over; another one may have begun since.
    fn awaits_no_more(self, recording: u32) {
        if self.awaited.get_untracked() == Some(recording) {
            self.awaited.say(None);
        }
    }

    fn delete(self) {
        if let Some(log) = self.log.get_untracked() {
            order_and(self.model, methods::DeleteLog { log }, move |_| {
                self.list(Self::look_at_latest);
            });
        }
    }

    /// Reads what is in a row, or more of it.
    fn open(self, of: Option<u64>) {
        let Some(log) = self.log.get_untracked() else {
            return;
        };
        let from = self
            .rows
            .with_untracked(|all| all.get(&of).map_or(0, |it| it.rows.len()));
        order_and(self.model, methods::Calls { log, of, from }, move |page| {
            if self.log.get_untracked() != Some(log) {
                return;
            }
            self.rows.update(|all| {
                let inside = all.entry(of).or_default();
                inside.rows.truncate(from);
                inside.rows.extend(page.rows);
                inside.of = page.of;
            });
        });
    }

    /// Asks the log; or for more of what it was asked last.
    fn ask(self, query: String, from: usize) {
        let Some(log) = self.log.get_untracked() else {
            return;
        };
        if from == 0 {
            self.text.say(query.clone());
        }
        order_and(
            self.model,
            methods::Events { log, query, from },
            move |mut result| {
                if self.log.get_untracked() != Some(log) {
                    return;
                }
                self.found.update(|found| {
                    if let Some(before) = found.as_mut().filter(|_| from > 0) {
                        before.events.truncate(from);
                        before.events.append(&mut result.events);
                    } else {
                        *found = Some(result);
                    }
                });
            },
        );
    }

    fn compare(self, other: u32) {
        let Some(log) = self.log.get_untracked() else {
            return;
        };
        let call = methods::CompareLogs {
            left: log,
            right: other,
        };
        order_and(self.model, call, move |compared| {
            self.compared.say(Some((other, compared)))
        });
    }

    /// The event that is looked at, of the log that is.
    fn chosen(self) -> Option<u64> {
        let log = self.log.get();
        self.model.event.with(|event| {
            let (of, event) = event.as_ref()?;
            (Some(*of) == log).then_some(event.seq)
        })
    }

    fn chosen_untracked(self) -> Option<u64> {
        untrack(|| self.chosen())
    }

    /// Shows an event of the log that is looked at in the source.
    fn choose_of_log(self, event: LoggedEvent) {
        if let Some(log) = self.log.get_untracked() {
            self.choose(log, event);
        }
    }

    /// Shows an event of a log in the source.
    fn choose(self, log: u32, event: LoggedEvent) {
        self.model.event.say(Some((log, event)));
    }
}
