//! A stopped page: its frames, and what can be read in them.

use std::sync::Arc;

use futures::future::join_all;
use js_analysis::position::Utf16Position;
use querypoint::answer::{Cause, Scope, ScopeKind, Value as Shown, ValueType, Variable, Watch};
use serde_json::{Value, json};

use super::preview;
use super::protocol::{Protocol, ProtocolError, SessionId};

/// One frame of a stopped page.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) id: String,
    pub(super) function: String,
    pub(super) url: String,
    pub(super) script: String,
    pub(super) position: Utf16Position,
    scopes: Vec<(String, String)>,
}

/// A page that stands still.
#[derive(Clone, Debug)]
pub(super) struct Stopped {
    pub(super) reason: String,
    pub(super) description: String,
    pub(super) uncaught: bool,
    pub(super) frames: Vec<Frame>,
}

fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn number(value: &Value, pointer: &str) -> u32 {
    let number = value.pointer(pointer).and_then(Value::as_u64);
    number
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(0)
}

impl Stopped {
    /// Reads a `Debugger.paused` event. `address_of` gives a script's address by its id.
    pub(super) fn read(params: &Value, address_of: &dyn Fn(&str) -> Option<String>) -> Self {
        let frames = params
            .pointer("/callFrames")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        Self {
            reason: text(params, "/reason"),
            description: text(params, "/data/description"),
            uncaught: params
                .pointer("/data/uncaught")
                .and_then(Value::as_bool)
                .unwrap_or(true),
            frames: frames
                .iter()
                .map(|frame| read_frame(frame, address_of))
                .collect(),
        }
    }

    /// The message of the exception that stopped the page: the description without its stack.
    pub(super) fn exception_message(&self) -> &str {
        self.description
            .split("\n    at ")
            .next()
            .unwrap_or_default()
    }
}

fn read_frame(frame: &Value, address_of: &dyn Fn(&str) -> Option<String>) -> Frame {
    let script = text(frame, "/location/scriptId");
    let url = match text(frame, "/url") {
        url if url.is_empty() => address_of(&script).unwrap_or_default(),
        url => url,
    };
    let scopes = frame
        .pointer("/scopeChain")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    Frame {
        id: text(frame, "/callFrameId"),
        function: text(frame, "/functionName"),
        url,
        script,
        position: Utf16Position {
            line: number(frame, "/location/lineNumber"),
            column: number(frame, "/location/columnNumber"),
        },
        scopes: scopes
            .iter()
            .map(|scope| (text(scope, "/type"), text(scope, "/object/objectId")))
            .collect(),
    }
}

/// Reads in a stopped page.
pub(super) struct Reader {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) session: SessionId,
    pub(super) prefix: String,
}

impl Reader {
    async fn send(&self, method: &str, params: Value) -> Result<Value, ProtocolError> {
        self.protocol
            .send(Some(&self.session), method, params)
            .await
    }

    /// The value of `expression` in a frame, as JSON.
    pub(super) async fn json_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Value, ProtocolError> {
        let params = json!({
            "callFrameId": frame.id, "expression": expression, "returnByValue": true, "silent": true,
        });
        let mut result = self.send("Debugger.evaluateOnCallFrame", params).await?;
        if result.get("exceptionDetails").is_some() {
            return Err(ProtocolError::Malformed {
                method: "Debugger.evaluateOnCallFrame".to_owned(),
                detail: text(&result, "/exceptionDetails/exception/description"),
            });
        }
        Ok(result
            .pointer_mut("/result/value")
            .map(Value::take)
            .unwrap_or_default())
    }

    /// A value of a frame with what is needed to show it.
    pub(super) async fn shown_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<(Shown, String), ProtocolError> {
        let params = json!({
            "callFrameId": frame.id, "expression": expression, "generatePreview": true, "silent": true,
        });
        let result = self.send("Debugger.evaluateOnCallFrame", params).await?;
        let object = result.get("result").unwrap_or(&Value::Null);
        Ok((preview::shown(object), preview::class_name(object)))
    }

    /// The scopes of a frame with their variables, innermost first; of the global scope only what the page has
    /// added.
    pub(super) async fn scopes(&self, frame: &Frame) -> Result<Vec<Scope>, ProtocolError> {
        let mut first_local = true;
        let wanted: Vec<(ScopeKind, Option<&str>)> = frame
            .scopes
            .iter()
            .filter_map(|(kind, object)| {
                let object = Some(object.as_str());
                Some(match kind.as_str() {
                    "local" => {
                        first_local = false;
                        (ScopeKind::Local, object)
                    }
                    "block" => (ScopeKind::Block, object),
                    "closure" | "eval" => (ScopeKind::Closure, object),
                    "catch" => (ScopeKind::Catch, object),
                    "with" => (ScopeKind::With, object),
                    "module" => (ScopeKind::Module, object),
                    "script" => (ScopeKind::Script, object),
                    "global" => (ScopeKind::Global, None),
                    _ => return None,
                })
            })
            .collect();
        let reads = wanted.iter().map(|&(kind, object)| async move {
            let variables = match object {
                Some(object) => self.properties(object).await?,
                None => self.globals_in(frame).await?,
            };
            Ok::<_, ProtocolError>(Scope {
                kind,
                function: matches!(kind, ScopeKind::Local).then(|| frame.function.clone()),
                variables,
            })
        });
        let mut scopes = Vec::new();
        for scope in join_all(reads).await {
            let scope = scope?;
            if !scope.variables.is_empty() || scope.kind == ScopeKind::Local {
                scopes.push(scope);
            }
        }
        Ok(scopes)
    }

    async fn properties(&self, object: &str) -> Result<Vec<Variable>, ProtocolError> {
        let params = json!({ "objectId": object, "ownProperties": true, "generatePreview": true });
        let result = self.send("Runtime.getProperties", params).await?;
        Ok(variables(&result, &self.prefix))
    }

    async fn globals_in(&self, frame: &Frame) -> Result<Vec<Variable>, ProtocolError> {
        let params = json!({
            "callFrameId": frame.id, "expression": format!("{}E.globals()", self.prefix), "silent": true,
        });
        let result = self.send("Debugger.evaluateOnCallFrame", params).await?;
        match result.pointer("/result/objectId").and_then(Value::as_str) {
            Some(object) => self.properties(object).await,
            None => Ok(Vec::new()),
        }
    }

    /// The page's own globals, of a page that runs.
    pub(super) async fn globals(&self) -> Result<Vec<Variable>, ProtocolError> {
        let params = json!({ "expression": format!("{}E.globals()", self.prefix), "silent": true });
        let result = self.send("Runtime.evaluate", params).await?;
        match result.pointer("/result/objectId").and_then(Value::as_str) {
            Some(object) => self.properties(object).await,
            None => Ok(Vec::new()),
        }
    }

    /// The watched expressions in a frame. One that would change something is not run.
    pub(super) async fn watches(
        &self,
        frame: Option<&Frame>,
        expressions: &[String],
    ) -> Result<Vec<Watch>, ProtocolError> {
        const LONGEST_MS: u32 = 1000;
        let reads = expressions.iter().map(|expression| async move {
            let mut params = json!({
                "expression": expression, "generatePreview": true, "silent": true,
                "throwOnSideEffect": true, "timeout": LONGEST_MS,
            });
            let method = match frame {
                Some(frame) => {
                    params["callFrameId"] = json!(frame.id);
                    "Debugger.evaluateOnCallFrame"
                }
                None => "Runtime.evaluate",
            };
            let result = match self.send(method, params).await {
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
                value = Shown::new(ValueType::Object, first);
            }
            Ok(Watch {
                expression: expression.clone(),
                value,
                threw: threw.then_some(true),
            })
        });
        join_all(reads).await.into_iter().collect()
    }

    /// The event that the page is dispatching.
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

fn variables(properties: &Value, prefix: &str) -> Vec<Variable> {
    const MOST: usize = 200;
    let list = properties
        .pointer("/result")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    list.iter()
        .filter(|property| property.get("symbol").is_none())
        .map(|property| (text(property, "/name"), property))
        .filter(|(name, _)| !name.starts_with(prefix))
        .take(MOST)
        .map(|(name, property)| {
            let value = match property.get("value") {
                Some(object) => preview::shown(object),
                None if property.get("get").is_some() => Shown::new(ValueType::Accessor, "(…)"),
                None => Shown::new(ValueType::Uninitialised, "<not yet initialised>"),
            };
            Variable { name, value }
        })
        .collect()
}
