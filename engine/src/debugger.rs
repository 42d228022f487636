//! What can be read in the frames of a stopped page.

mod scopes;

use agent::evaluated;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use js_analysis::rewrite::{RunningExpression, with_free_lookups};
use querypoint::answer::{Cause, Value as Preview, ValueType, Watch};
use serde_json::Value;

use super::agent_message::answered;
use super::early_names::in_words;
use super::preview;
use super::report::CapturedCause;
use super::stopped::Frame;
use super::streams::{LARGEST, read_stream};
use cdp::debugger::EvaluateOnCallFrame;
use cdp::runtime::{
    CallArgument, CallFunctionOn, Evaluate, ExceptionDetails, RemoteObject, RemoteObjectId,
    RemoteObjectSubtype,
};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command, Protocol, ProtocolError, SessionId};

pub(super) use scopes::{
    Extent, MOST_VARIABLES, ScopeRead, named_variables, scope_kind, variables,
};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Untold {
    #[error("it may have side effects, so it is not evaluated")]
    SideEffects,
    #[error("it took too long")]
    TookTooLong,
    #[error("{0}")]
    Threw(String),
}

/// An expression that is watched, as it is evaluated in a frame.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    /// As a person wrote it.
    pub(super) expression: String,
    /// With the names that run there; or why it has no value, in words.
    pub(super) running: Result<RunningExpression, String>,
    /// The author's names that are in sight, in words, where others run.
    pub(super) in_sight: Option<String>,
}

impl Watched {
    /// One whose names are those that run.
    pub(super) fn as_written(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            running: Ok(RunningExpression {
                text: expression.to_owned(),
                renamed: Vec::new(),
            }),
            in_sight: None,
        }
    }

    fn without_value(&self, why: &str) -> Watch {
        Watch {
            expression: self.expression.clone(),
            value: Preview::new(ValueType::Undefined, why),
            threw: Some(true),
        }
    }

    /// What is said in place of an error about a name that nothing has there.
    pub(super) fn not_in_sight(&self, message: &str) -> Option<String> {
        let name = message.strip_prefix("ReferenceError: ")?;
        let name = name.strip_suffix(" is not defined")?;
        let in_sight = self.in_sight.as_ref()?;
        let running = self.running.as_ref().ok()?;
        let renamed = running.renamed.iter().find(|(running, _)| running == name);
        Some(match renamed {
            Some((_, author)) => format!(
                "`{author}` cannot be read there: no function that runs there uses it, so the browser does not keep \
                 it for them"
            ),
            None => format!("`{name}` is no variable there; {in_sight}"),
        })
    }
}

/// Reads in a stopped page.
pub(super) struct Reader {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) prefix: String,
    pub(super) effects: Effects,
}

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) enum Where<'p> {
    /// In a frame of a page that is paused.
    Frame(&'p Frame),
    /// In the global scope of a session's document, which is not paused.
    Document(&'p SessionId),
}

impl<'p> Where<'p> {
    /// Its session.
    pub(super) fn session(self) -> &'p SessionId {
        match self {
            Self::Frame(frame) => &frame.session,
            Self::Document(session) => session,
        }
    }
}

impl<'p> From<&'p Frame> for Where<'p> {
    fn from(frame: &'p Frame) -> Self {
        Self::Frame(frame)
    }
}

/// What becomes of an expression of the page that has side effects, where only its value is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Effects {
    /// It is ended before the first of them.
    #[default]
    Refused,
    /// It runs: the page ends here, and nothing more is read in it.
    Allowed,
}

/// What came of evaluating something.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) result: RemoteObject,
    thrown: Option<ExceptionDetails>,
}

macro_rules! evaluated_from {
    ($($result:ty),*) => {$(
        impl From<$result> for Evaluated {
            fn from(answer: $result) -> Self {
                Self {
                    result: answer.result,
                    thrown: answer.exception_details,
                }
            }
        }
    )*};
}

evaluated_from!(
    cdp::debugger::EvaluateOnCallFrameResult,
    cdp::runtime::CallFunctionOnResult,
    cdp::runtime::EvaluateResult
);

impl Evaluated {
    /// What was thrown, in the browser's words.
    fn thrown_text(&self) -> Option<&str> {
        let thrown = self.thrown.as_ref()?;
        let exception = thrown.exception.as_ref();
        Some(
            exception
                .and_then(|it| it.description.as_deref())
                .unwrap_or_default(),
        )
    }

    /// The value as JSON, of a command that asked for it.
    fn json(self, method: &str) -> Result<Value, ProtocolError> {
        match self.thrown_text() {
            Some(thrown) => Err(ProtocolError::Malformed {
                method: method.to_owned(),
                detail: thrown.to_owned(),
            }),
            None => Ok(self.result.value.unwrap_or_default()),
        }
    }
}

impl Reader {
    fn call<'r, C: Command>(
        &'r self,
        session: &'r SessionId,
        command: &C,
    ) -> BoxFuture<'r, Result<C::Result, ProtocolError>> {
        self.protocol.call(Some(session), command)
    }

    /// The value of `expression` in a frame, as JSON.
    pub(super) async fn json_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Value, ProtocolError> {
        let evaluated = self.evaluate_in(frame, expression, true).await?;
        evaluated.json(cdp::debugger::EvaluateOnCallFrame::METHOD)
    }

    /// The JSON text that a function of ours gives for `arguments`, as the protocol takes them, in the realm of a
    /// frame or document.
    pub(super) async fn json_of_call(
        &self,
        place: impl Into<Where<'_>>,
        function: &str,
        arguments: &[CallArgument],
    ) -> Result<Value, ProtocolError> {
        let place = place.into();
        let object = match place {
            Where::Frame(frame) => {
                let scopes = frame.scopes.iter().map(|scope| scope.object.as_str());
                let mut objects = frame.this_object.as_deref().into_iter().chain(scopes);
                objects.find(|object| !object.is_empty()).map(Into::into)
            }
            Where::Document(session) => {
                let global = Evaluate::new(evaluated("globalThis"));
                let global = self.call(session, &global).await?;
                global.result.object_id
            }
        };
        let call = CallFunctionOn {
            arguments: Some(arguments.to_vec()),
            return_by_value: Some(true),
            silent: Some(true),
            object_id: Some(object.unwrap_or_else(|| "".into())),
            ..CallFunctionOn::new(declared(function))
        };
        let called = self.call(place.session(), &call).await?;
        Evaluated::from(called).json(CallFunctionOn::METHOD)
    }

    /// Whether `expression` is true in a frame, evaluated for a short time only and, unless the reader allows them,
    /// without side effects; or why that cannot be said.
    pub(super) async fn truth_in(
        &self,
        place: impl Into<Where<'_>>,
        expression: &str,
    ) -> Result<Result<bool, Untold>, ProtocolError> {
        let told = self
            .told_in(place.into(), &format!("!!{expression}"), true)
            .await?;
        Ok(told.map(|evaluated| evaluated.result.value == Some(Value::Bool(true))))
    }

    /// The object that `expression` is in a frame or a document; `None`: it is none.
    pub(super) async fn object_in(
        &self,
        place: Where<'_>,
        expression: &str,
    ) -> Result<Option<RemoteObjectId>, ProtocolError> {
        let evaluated = match place {
            Where::Frame(frame) => self.evaluate_in(frame, expression, false).await?,
            Where::Document(session) => {
                let evaluate = Evaluate {
                    silent: Some(true),
                    ..Evaluate::new(evaluated(expression))
                };
                self.call(session, &evaluate).await?.into()
            }
        };
        let is_value = evaluated.thrown.is_none();
        Ok(evaluated.result.object_id.filter(|_| is_value))
    }

    /// What the browser shows of `expression` in a frame, evaluated like [`Reader::truth_in`]; or why that cannot be
    /// said.
    pub(super) async fn preview_in(
        &self,
        place: Where<'_>,
        expression: &str,
    ) -> Result<Result<RemoteObject, Untold>, ProtocolError> {
        let beginning = self.beginning(expression);
        let told = self.told_in(place, &beginning, false).await?;
        Ok(told.map(|told| told.result))
    }

    /// The value of `expression` in a frame, as an argument of a call, evaluated without side effects and for a short
    /// time only; or why it cannot be said.
    pub(super) async fn argument_in(
        &self,
        place: impl Into<Where<'_>>,
        expression: &str,
    ) -> Result<Result<CallArgument, Untold>, ProtocolError> {
        let told = self.told_in(place.into(), expression, false).await?;
        Ok(told.map(|told| argument_of(told.result)))
    }

    /// The value of `expression` in a frame as JSON, evaluated like [`Reader::truth_in`]; or why that cannot be said.
    pub(super) async fn value_in(
        &self,
        place: Where<'_>,
        expression: &str,
    ) -> Result<Result<Value, Untold>, ProtocolError> {
        let told = self.told_in(place, expression, true).await?;
        Ok(told.map(|told| told.result.value.unwrap_or_default()))
    }

    /// What the browser says of `expression` in a frame, evaluated like [`Reader::truth_in`].
    async fn told_in(
        &self,
        place: Where<'_>,
        expression: &str,
        by_value: bool,
    ) -> Result<Result<Evaluated, Untold>, ProtocolError> {
        const LONGEST_MS: f64 = 200.0;
        let throw_on_side_effect = Some(self.effects == Effects::Refused);
        let told = match place {
            Where::Frame(frame) => {
                let evaluate = EvaluateOnCallFrame {
                    throw_on_side_effect,
                    timeout: Some(LONGEST_MS),
                    ..evaluate_on(frame, evaluated(expression), by_value)
                };
                let told = self.call(&frame.session, &evaluate).await;
                told.map(Evaluated::from)
            }
            Where::Document(session) => {
                let evaluate = Evaluate {
                    return_by_value: Some(by_value),
                    generate_preview: Some(!by_value),
                    silent: Some(true),
                    throw_on_side_effect,
                    timeout: Some(LONGEST_MS),
                    ..Evaluate::new(evaluated(expression))
                };
                self.call(session, &evaluate).await.map(Evaluated::from)
            }
        };
        let told = match told {
            Ok(told) => told,
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => return Ok(Err(Untold::TookTooLong)),
        };
        if let Some(description) = told.thrown_text() {
            let message = description.lines().next().unwrap_or_default();
            return Ok(Err(if message.contains("Possible side-effect") {
                Untold::SideEffects
            } else if message.is_empty() {
                Untold::TookTooLong
            } else {
                Untold::Threw(in_words(message))
            }));
        }
        Ok(Ok(told))
    }

    /// What the blob holds that `expression` is in a frame of a document; `None` if it cannot be read.
    pub(super) async fn blob_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Option<Vec<u8>>, ProtocolError> {
        let held = self.evaluate_in(frame, expression, false).await?;
        // What is no object is refused.
        let object = held.result.object_id.unwrap_or_else(|| "".into());
        let resolve = cdp::io::ResolveBlob::new(object);
        let id = match self.call(&frame.session, &resolve).await {
            Ok(resolved) => resolved.uuid,
            Err(ProtocolError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let handle = format!("blob:{id}").into();
        let read = read_stream(self.protocol.as_ref(), &frame.session, &handle, LARGEST).await;
        // Were the connection gone, the next command would say so.
        Ok(read.ok())
    }

    /// Evaluates in a frame. One that runs optimised may have lost its context, and then the browser refuses;
    /// its scopes can still be read, and the names are looked up in them.
    async fn evaluate_in(
        &self,
        frame: &Frame,
        expression: &str,
        by_value: bool,
    ) -> Result<Evaluated, ProtocolError> {
        let evaluate = evaluate_on(frame, evaluated(expression), by_value);
        let refused = match self.call(&frame.session, &evaluate).await {
            Err(error @ ProtocolError::Refused { .. }) => error,
            other => return other.map(Evaluated::from),
        };
        let scopes: Vec<&str> = frame
            .scopes
            .iter()
            .map(|scope| scope.object.as_str())
            .filter(|object| !object.is_empty())
            .collect();
        let Some(object) = frame.this_object.as_deref().or(scopes.first().copied()) else {
            return Err(refused);
        };
        let names: Vec<String> = (0..scopes.len())
            .map(|number| format!("s{number}"))
            .collect();
        let withs: String = names
            .iter()
            .rev()
            .map(|name| format!("with({name})"))
            .collect();
        let body = format!("{withs}return({expression})");
        let function = if frame.this_object.is_some() {
            format!("function({}){{{body}}}", names.join(","))
        } else {
            // The frame has no `this` that is an object.
            format!(
                "function({}){{return(function(){{{body}}})()}}",
                names.join(",")
            )
        };
        let call = CallFunctionOn {
            object_id: Some(object.into()),
            arguments: Some(objects(&scopes)),
            return_by_value: Some(by_value),
            generate_preview: Some(!by_value),
            silent: Some(true),
            ..CallFunctionOn::new(declared(&function))
        };
        Ok(self.call(&frame.session, &call).await?.into())
    }

    /// A value of a frame as it is shown.
    pub(super) async fn shown_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Preview, ProtocolError> {
        let beginning = self.beginning(expression);
        let result = self.evaluate_in(frame, &beginning, false).await?;
        Ok(preview::shown(&result.result))
    }

    /// The class of a value of a frame.
    pub(super) async fn class_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<String, ProtocolError> {
        let result = self
            .evaluate_in(frame, &self.beginning(expression), false)
            .await?;
        Ok(preview::class_name(&result.result))
    }

    /// The expression whose value is that of `expression` as the agent sends it: not all of what is long.
    fn beginning(&self, expression: &str) -> String {
        format!("{}E.beginning((\n{expression}\n))", self.prefix)
    }

    /// The watched expressions in a frame, or in a page that runs. One that would change something is not run.
    pub(super) async fn watches(
        &self,
        session: &SessionId,
        frame: Option<&Frame>,
        watched: &[Watched],
    ) -> Result<Vec<Watch>, ProtocolError> {
        const LONGEST_MS: f64 = 1000.0;
        let reads = watched.iter().map(|watched| async move {
            let expression = &watched.expression;
            let running = match &watched.running {
                Ok(running) => &running.text,
                Err(why) => return Ok(watched.without_value(why)),
            };
            let beginning = evaluated(self.beginning(&with_free_lookups(running)));
            let told = match frame {
                Some(frame) => {
                    let evaluate = EvaluateOnCallFrame {
                        throw_on_side_effect: Some(true),
                        timeout: Some(LONGEST_MS),
                        return_by_value: None,
                        ..evaluate_on(frame, beginning, false)
                    };
                    self.call(session, &evaluate).await.map(Evaluated::from)
                }
                None => {
                    let evaluate = Evaluate {
                        generate_preview: Some(true),
                        silent: Some(true),
                        throw_on_side_effect: Some(true),
                        timeout: Some(LONGEST_MS),
                        ..Evaluate::new(beginning)
                    };
                    self.call(session, &evaluate).await.map(Evaluated::from)
                }
            };
            let told = match told {
                Ok(told) => told,
                Err(ProtocolError::Refused { message, .. }) => {
                    return Ok(Watch {
                        expression: expression.clone(),
                        value: Preview::new(ValueType::Undefined, message),
                        threw: Some(true),
                    });
                }
                Err(error) => return Err(error),
            };
            let threw = told.thrown_text();
            let mut value = preview::shown(&told.result);
            if let Some(message) = threw {
                let first = message.lines().next().unwrap_or_default();
                if let Some(why) = watched.not_in_sight(first) {
                    return Ok(watched.without_value(&why));
                }
                value = Preview::new(ValueType::Object, in_words(first));
            }
            Ok(Watch {
                expression: expression.clone(),
                value,
                threw: threw.map(|_| true),
            })
        });
        join_all(reads).await.into_iter().collect()
    }

    /// The event that the page is dispatching, told by the agent in `frame`.
    pub(super) async fn cause(&self, frame: &Frame) -> Result<Option<Cause>, ProtocolError> {
        let cause = format!("{}E.cause()", self.prefix);
        let value = match self.json_in(frame, &cause).await {
            Ok(value) => value,
            Err(error) if error.is_fatal() => return Err(error),
            // Where the stack is full, nothing can be called.
            Err(_) => return Ok(None),
        };
        let cause: Option<CapturedCause> = answered(&value)?;
        Ok(cause.map(|CapturedCause { kind, target }| Cause { kind, target }))
    }
}

/// A function for `Runtime.callFunctionOn`, which puts brackets around it.
pub(super) fn declared(function: &str) -> String {
    format!("{}\n", evaluated(function))
}

/// Evaluates in a frame; gives a value, or what shows one.
fn evaluate_on(frame: &Frame, expression: String, by_value: bool) -> EvaluateOnCallFrame {
    EvaluateOnCallFrame {
        return_by_value: Some(by_value),
        generate_preview: Some(!by_value),
        silent: Some(true),
        ..EvaluateOnCallFrame::new(frame.id.as_str(), expression)
    }
}

/// Objects as the arguments of a call.
fn objects(ids: &[&str]) -> Vec<CallArgument> {
    let argument = |id: &&str| CallArgument {
        object_id: Some((*id).into()),
        ..CallArgument::default()
    };
    ids.iter().map(argument).collect()
}

/// A value as the argument of a call.
fn argument_of(object: RemoteObject) -> CallArgument {
    let mut argument = CallArgument::default();
    if object.object_id.is_some() {
        argument.object_id = object.object_id;
    } else if object.unserializable_value.is_some() {
        argument.unserializable_value = object.unserializable_value;
    } else if object.subtype == Some(RemoteObjectSubtype::Null) {
        argument.value = Some(Value::Null);
    } else {
        argument.value = object.value;
    }
    argument
}
