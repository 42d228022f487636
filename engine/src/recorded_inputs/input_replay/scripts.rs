//! The script that each document runs first: replaced whenever the next recorded inputs are others.

use agent::evaluated;
use std::time::Duration;

use futures::future::{BoxFuture, Either, FutureExt, join_all, select};
use serde_json::{Value, json};

use super::{Answer, InputReplay, PATIENCE, Registered};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, SessionId};

/// How long a document is waited for until it has taken its recorded inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    limit: Duration,
    /// Whether it is told that it took longer.
    is_told: bool,
}

impl Patience {
    /// For one that is busy.
    const LONG: Self = Self {
        limit: PATIENCE,
        is_told: true,
    };
    /// For one that may be waiting for the response that is to come after it, and does nothing meanwhile.
    pub(super) const SHORT: Self = Self {
        limit: Duration::from_millis(300),
        is_told: false,
    };
}

impl InputReplay {
    /// A session of documents waits whose scripts have the part for recorded inputs: gives it these. The command is
    /// queued at the call.
    pub(crate) fn joined(&self, session: &SessionId) {
        let added = self.add(session, &self.call());
        let mut state = self.state();
        state.documents.insert(session.clone());
        let registered = Registered::WillBe(added);
        state.scripts.insert(session.clone(), registered);
    }

    /// Adds a script to a session. It is queued at the call.
    fn add(&self, session: &SessionId, call: &str) -> BoxFuture<'static, Answer> {
        let (protocol, of) = (self.protocol.clone(), session.clone());
        let script = cdp::page::AddScriptToEvaluateOnNewDocument::new(evaluated(call));
        let mut added: BoxFuture<'static, Answer> =
            Box::pin(async move { protocol.call(Some(&of), &script).await });
        match (&mut added).now_or_never() {
            Some(added) => futures::future::ready(added).boxed(),
            None => added,
        }
    }

    /// What a realm that begins is to run.
    pub(super) fn call(&self) -> String {
        let state = self.state();
        let mut given = json!({});
        if let Some(seeds) = &state.seeds {
            let next = seeds
                .iter()
                .filter_map(|(place, seeds)| Some((place.clone(), json!(seeds.front()?))));
            given["random"] = json!("replay");
            given["seeds"] = Value::Object(next.collect());
            if let Some(readings) = &self.readings {
                given["readings"] = readings.given();
            }
        }
        if let Some(time) = &state.time {
            given["shift"] = json!(time.shift_ms);
        }
        self.called_with(&given)
    }

    /// By how much the clocks are moved, in whole milliseconds.
    pub(super) fn shift_ms(&self) -> Option<f64> {
        self.state().time.as_ref().map(|time| time.shift_ms)
    }

    /// Moves the clock of a worker that runs to where the others are; it may be busy for long.
    pub(super) fn move_clock_of(&self, worker: &SessionId) {
        let given = json!({ "shift": self.shift_ms() });
        let moved = evaluated(self.called_with(&given));
        let evaluate = cdp::runtime::Evaluate {
            silent: Some(true),
            ..cdp::runtime::Evaluate::new(moved)
        };
        drop(self.protocol.call(Some(worker), &evaluate));
    }

    fn called_with(&self, given: &Value) -> String {
        let name = format!("{}Z", self.prefix);
        // Where there is no such function, as in the blank document that a tab begins with, nothing is fed.
        format!("typeof {name}==='function'&&{name}({given});")
    }

    /// Gives every session the recorded inputs from here on.
    pub(super) async fn publish(&self) {
        self.publish_within(Patience::LONG).await;
    }

    /// The same; who is busy for longer takes it afterwards.
    pub(super) async fn publish_within(&self, patience: Patience) {
        let _turn = self.turn.lock().await;
        let call = self.call();
        let (sessions, clocks) = {
            let mut state = self.state();
            let scripts = std::mem::take(&mut state.scripts);
            let clocks = state.time.as_ref().map(|time| {
                let given = json!({ "shift": time.shift_ms, "late": time.late_ms });
                let contexts = state.contexts.iter();
                let contexts = contexts
                    .flat_map(|(session, ids)| ids.iter().map(|id| (session.clone(), Some(*id))));
                let workers = state.running_workers.iter().cloned();
                let all = contexts.chain(workers.map(|session| (session, None)));
                (evaluated(self.called_with(&given)), all.collect::<Vec<_>>())
            });
            (scripts, clocks)
        };
        let moved = clocks.into_iter().flat_map(|(expression, realms)| {
            realms.into_iter().map(move |(session, context)| {
                // What was due meanwhile is done then.
                let evaluate = cdp::runtime::Evaluate {
                    silent: Some(true),
                    await_promise: Some(true),
                    context_id: context.map(cdp::runtime::ExecutionContextId),
                    ..cdp::runtime::Evaluate::new(expression.clone())
                };
                (session, context.is_some(), evaluate)
            })
        });
        let moved: Vec<_> = moved
            .filter_map(|(session, is_document, evaluate)| {
                let (protocol, of) = (self.protocol.clone(), session.clone());
                let mut sent = async move {
                    drop(protocol.call(Some(&session), &evaluate).await);
                }
                .boxed();
                // A worker may be busy for long.
                let answered = (&mut sent).now_or_never().is_some();
                let of = of.clone();
                (is_document && !answered).then_some((of, sent))
            })
            .collect();
        let exchanged = sessions.into_iter().map(|(session, registered)| {
            let added = self.add(&session, &call);
            async move {
                let former = match registered {
                    Registered::Is(former) => Some(former),
                    Registered::WillBe(added) => added.now_or_never().and_then(identifier),
                };
                match self.taken(&session, added, patience).await {
                    Ok(added) => {
                        // What is refused is refused because the session is gone.
                        let added = identifier(added)?;
                        if let Some(former) = former {
                            let remove =
                                cdp::page::RemoveScriptToEvaluateOnNewDocument::new(former);
                            drop(self.protocol.call(Some(&session), &remove));
                        }
                        Some((session, Registered::Is(added)))
                    }
                    Err(added) => Some((session, Registered::WillBe(added))),
                }
            }
        });
        let moved = moved.into_iter().map(|(session, sent)| async move {
            drop(self.taken(&session, sent, patience).await);
        });
        let (exchanged, _) = futures::join!(join_all(exchanged), join_all(moved));
        let mut state = self.state();
        for (session, registered) in exchanged.into_iter().flatten() {
            if state.documents.contains(&session) {
                state.scripts.entry(session).or_insert(registered);
            }
        }
    }

    /// Waits until a session has taken what it was sent. One that is on its way elsewhere is not waited for, because it
    /// may be waiting for us: what is queued takes effect before its next document begins. Nor is one that is busy
    /// without end.
    async fn taken<T>(
        &self,
        session: &SessionId,
        mut sent: BoxFuture<'static, T>,
        patience: Patience,
    ) -> Result<T, BoxFuture<'static, T>> {
        const LOOK_EVERY: Duration = Duration::from_millis(10);
        let until_ms = self.clock.now_ms() + patience.limit.as_secs_f64() * 1000.0;
        loop {
            sent = match select(sent, self.clock.sleep(LOOK_EVERY)).await {
                Either::Left((answer, _)) => return Ok(answer),
                Either::Right(((), sent)) => sent,
            };
            let mut state = self.state();
            if state.on_their_way.contains(session) {
                return Err(sent);
            }
            if self.clock.now_ms() >= until_ms {
                if patience.is_told {
                    state.late.insert(session.clone());
                }
                return Err(sent);
            }
        }
    }
}

fn identifier(added: Answer) -> Option<cdp::page::ScriptIdentifier> {
    Some(added.ok()?.identifier)
}
