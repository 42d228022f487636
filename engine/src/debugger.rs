//! What can be read in the frames of a stopped page.

mod scopes;

use agent::evaluated;
use std::sync::Arc;

use futures::future::join_all;
use js_analysis::rewrite::RunningExpression;
use querypoint::answer::{Cause, Value as Shown, ValueType, Watch};
use serde_json::{Value, json};

use super::early_names::in_words;
use super::preview;
use super::stopped::{Frame, text};
use super::streams::{LARGEST, read_stream};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Protocol, ProtocolError, SessionId};

pub(super) use scopes::{Extent, how_many, scope_kind, variables};

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
            value: Shown::new(ValueType::Undefined, why),
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
                "`{author}` cannot be read there: no function that runs there uses it, so the browser does not keep it for them"
            ),
            None => format!("`{name}` is no variable there; {in_sight}"),
        })
    }
}

/// Reads in a stopped page.
pub(super) struct Reader {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) prefix: String,
}

impl Reader {
    async fn send(
        &self,
        session: &SessionId,
        method: &str,
        params: Value,
    ) -> Result<Value, ProtocolError> {
        self.protocol.send(Some(session), method, params).await
    }

    /// The value of `expression` in a frame, as JSON.
    pub(super) async fn json_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Value, ProtocolError> {
        let mut result = self.evaluate_in(frame, expression, true).await?;
        if result.get("exceptionDetails").is_some() {
            return Err(ProtocolError::Malformed {
                method: cdp::debugger::EvaluateOnCallFrame::METHOD.to_owned(),
                detail: text(&result, "/exceptionDetails/exception/description"),
            });
        }
        Ok(result
            .pointer_mut("/result/value")
            .map(Value::take)
            .unwrap_or_default())
    }

    /// The JSON text that a function of ours gives for `arguments`, as the protocol takes them, in the realm of a
    /// frame.
    pub(super) async fn json_of_call(
        &self,
        frame: &Frame,
        function: &str,
        arguments: &[Value],
    ) -> Result<Value, ProtocolError> {
        let scopes = frame.scopes.iter().map(|scope| scope.object.as_str());
        let mut objects = frame.this_object.as_deref().into_iter().chain(scopes);
        let params = json!({
            "functionDeclaration": declared(function), "arguments": arguments, "returnByValue": true, "silent": true,
            "objectId": objects.find(|object| !object.is_empty()).unwrap_or_default(),
        });
        let method = cdp::runtime::CallFunctionOn::METHOD;
        let mut result = self.send(&frame.session, method, params).await?;
        if result.get("exceptionDetails").is_some() {
            return Err(ProtocolError::Malformed {
                method: method.to_owned(),
                detail: text(&result, "/exceptionDetails/exception/description"),
            });
        }
        Ok(result
            .pointer_mut("/result/value")
            .map(Value::take)
            .unwrap_or_default())
    }

    /// Whether `expression` is true in a frame, evaluated without side effects and for a short time only; or why that
    /// cannot be said.
    pub(super) async fn truth_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Result<bool, Untold>, ProtocolError> {
        let told = self
            .told_in(frame, &format!("!!{expression}"), true)
            .await?;
        Ok(told
            .map(|result| result.pointer("/result/value").and_then(Value::as_bool) == Some(true)))
    }

    /// The object that `expression` is in a frame; `None`: it is none.
    pub(super) async fn object_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Option<String>, ProtocolError> {
        let result = self.evaluate_in(frame, expression, false).await?;
        let object = text(&result, "/result/objectId");
        let is_value = result.get("exceptionDetails").is_none() && !object.is_empty();
        Ok(is_value.then_some(object))
    }

    /// What the browser shows of `expression` in a frame, evaluated without side effects and for a short time only; or
    /// why that cannot be said.
    pub(super) async fn preview_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Result<Value, Untold>, ProtocolError> {
        self.told_in(frame, &self.beginning(expression), false)
            .await
    }

    /// The value of `expression` in a frame, as an argument of a call, evaluated without side effects and for a short
    /// time only; or why it cannot be said.
    pub(super) async fn argument_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Result<Value, Untold>, ProtocolError> {
        let told = self.told_in(frame, expression, false).await?;
        Ok(told.map(|mut result| {
            let mut member = |name: &str| {
                let value = result.pointer_mut(&format!("/result/{name}"))?;
                Some(json!({ name: value.take() }))
            };
            let members = ["objectId", "unserializableValue", "value"];
            members
                .into_iter()
                .find_map(&mut member)
                .unwrap_or_else(|| json!({}))
        }))
    }

    /// What the browser says of `expression` in a frame, evaluated without side effects and for a short time only.
    async fn told_in(
        &self,
        frame: &Frame,
        expression: &str,
        by_value: bool,
    ) -> Result<Result<Value, Untold>, ProtocolError> {
        const LONGEST_MS: u64 = 200;
        let params = json!({
            "callFrameId": frame.id, "expression": evaluated(expression), "returnByValue": by_value,
            "generatePreview": !by_value, "silent": true, "throwOnSideEffect": true, "timeout": LONGEST_MS,
        });
        let evaluated = self
            .send(
                &frame.session,
                cdp::debugger::EvaluateOnCallFrame::METHOD,
                params,
            )
            .await;
        let result = match evaluated {
            Ok(result) => result,
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => return Ok(Err(Untold::TookTooLong)),
        };
        if result.get("exceptionDetails").is_some() {
            let description = text(&result, "/exceptionDetails/exception/description");
            let message = description.lines().next().unwrap_or_default();
            return Ok(Err(if message.contains("Possible side-effect") {
                Untold::SideEffects
            } else if message.is_empty() {
                Untold::TookTooLong
            } else {
                Untold::Threw(in_words(message))
            }));
        }
        Ok(Ok(result))
    }

    /// What the blob holds that `expression` is in a frame of a document; `None` if it cannot be read.
    pub(super) async fn blob_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Option<Vec<u8>>, ProtocolError> {
        let held = self.evaluate_in(frame, expression, false).await?;
        let object = text(&held, "/result/objectId");
        let resolved = self.send(
            &frame.session,
            cdp::io::ResolveBlob::METHOD,
            json!({ "objectId": object }),
        );
        let id = match resolved.await {
            Ok(resolved) => text(&resolved, "/uuid"),
            Err(ProtocolError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let handle = format!("blob:{id}");
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
    ) -> Result<Value, ProtocolError> {
        let params = json!({
            "callFrameId": frame.id, "expression": evaluated(expression), "returnByValue": by_value,
            "generatePreview": !by_value, "silent": true,
        });
        let refused = match self
            .send(
                &frame.session,
                cdp::debugger::EvaluateOnCallFrame::METHOD,
                params,
            )
            .await
        {
            Err(error @ ProtocolError::Refused { .. }) => error,
            other => return other,
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
        let arguments: Vec<Value> = scopes
            .iter()
            .map(|scope| json!({ "objectId": scope }))
            .collect();
        let params = json!({
            "functionDeclaration": declared(&function), "objectId": object, "arguments": arguments,
            "returnByValue": by_value, "generatePreview": !by_value, "silent": true,
        });
        self.send(&frame.session, cdp::runtime::CallFunctionOn::METHOD, params)
            .await
    }

    /// A value of a frame as it is shown.
    pub(super) async fn shown_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Shown, ProtocolError> {
        let beginning = self.beginning(expression);
        let result = self.evaluate_in(frame, &beginning, false).await?;
        Ok(preview::shown(result.get("result").unwrap_or(&Value::Null)))
    }

    /// The class of a value of a frame.
    pub(super) async fn class_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<String, ProtocolError> {
        let result = self.evaluate_in(frame, expression, false).await?;
        let object = result.get("result").unwrap_or(&Value::Null);
        Ok(preview::class_name(object))
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
        const LONGEST_MS: u32 = 1000;
        let reads = watched.iter().map(|watched| async move {
            let expression = &watched.expression;
            let running = match &watched.running {
                Ok(running) => &running.text,
                Err(why) => return Ok(watched.without_value(why)),
            };
            let beginning = self.beginning(running);
            let mut params = json!({
                "expression": evaluated(beginning), "generatePreview": true, "silent": true,
                "throwOnSideEffect": true, "timeout": LONGEST_MS,
            });
            let method = match frame {
                Some(frame) => {
                    params["callFrameId"] = json!(frame.id);
                    cdp::debugger::EvaluateOnCallFrame::METHOD
                }
                None => cdp::runtime::Evaluate::METHOD,
            };
            let result = match self.send(session, method, params).await {
                Ok(result) => result,
                Err(ProtocolError::Refused { message, .. }) => {
                    return Ok(Watch {
                        expression: expression.clone(),
                        value: Shown::new(ValueType::Undefined, message),
                        threw: Some(true),
                    });
                }
                Err(error) => return Err(error),
            };
            let threw = result.get("exceptionDetails").is_some();
            let mut value = preview::shown(result.get("result").unwrap_or(&Value::Null));
            if threw {
                let message = text(&result, "/exceptionDetails/exception/description");
                let first = message.lines().next().unwrap_or_default();
                if let Some(why) = watched.not_in_sight(first) {
                    return Ok(watched.without_value(&why));
                }
                value = Shown::new(ValueType::Object, in_words(first));
            }
            Ok(Watch {
                expression: expression.clone(),
                value,
                threw: threw.then_some(true),
            })
        });
        join_all(reads).await.into_iter().collect()
    }

    /// The event that the page is dispatching, told by the agent in `frame`.
    pub(super) async fn cause(&self, frame: &Frame) -> Result<Option<Cause>, ProtocolError> {
        let value = self
            .json_in(frame, &format!("{}E.cause()", self.prefix))
            .await?;
        let kind = text(&value, "/type");
        let target = value.get("target").and_then(Value::as_str);
        Ok((!kind.is_empty()).then(|| Cause {
            kind,
            target: target.map(str::to_owned),
        }))
    }
}

/// A function for `Runtime.callFunctionOn`, which puts brackets around it.
fn declared(function: &str) -> String {
    format!("{}\n", evaluated(function))
}
