//! What a value has inside, and what a frame sees, where a page is paused.

use futures::future::join_all;
use futures::{FutureExt, StreamExt};
use js_analysis::position::Utf16Position;
use querypoint::answer::{Scope, ScopeKind, Value, ValueType, Variable};

use super::entries::entries;
use crate::debugger::{Extent, MOST_VARIABLES, named_variables, scope_kind, variables};
use crate::page::attach_to;
use crate::pausing::{NamesThere, PausedPage};
use crate::preview;
use cdp::debugger::CallFrame;
use cdp::runtime::{RemoteObject, RemoteObjectId};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, CallBrowser as _, Protocol, ProtocolError, SessionId, Wanted,
};

/// Of an object so many properties are read at once.
const PAGE: usize = 200;

/// An object, and which of its properties are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// What gives it, in the frame.
    pub expression: String,
    /// The frame: 0 is the newest.
    pub frame: usize,
    /// How many of the properties that fit are passed over.
    pub from: usize,
    /// What the name or the value of a property must have in it, whatever the case; empty: nothing.
    pub filter: String,
}

/// The own properties of an object, the entries of a map or a set, and the attributes of an element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expansion {
    /// 200 of those that fit, at most.
    pub properties: Vec<Variable>,
    /// How many fit.
    pub of: usize,
}

/// What a frame sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameState {
    /// Its scopes, innermost first, without the global object's.
    pub scopes: Vec<Scope>,
    /// What `this` is there.
    pub this: Option<Value>,
}

/// Why a value is not expanded.
#[derive(Debug, thiserror::Error)]
pub enum ExpandError {
    /// The tab did not answer as it should.
    #[error("the page could not be looked into: {0}")]
    Refused(#[from] ProtocolError),
    /// Another session would have to be asked.
    #[error(
        "the page is not paused in its own document there, but in a worker or in a frame of another site; watch \
         the expression instead"
    )]
    Elsewhere,
    /// The stack is not that deep.
    #[error("the page has no frame {0} there")]
    NoFrame(usize),
    /// A name in the expression is none there.
    #[error("{0}")]
    NoName(String),
    /// Evaluating the expression throws, or would change something.
    #[error("{expression} cannot be evaluated there: {why}")]
    Threw {
        /// The expression.
        expression: String,
        /// What was thrown.
        why: String,
    },
}

/// What the object has inside that an expression gives, in a frame of a page of ours that was left paused. Nothing is
/// changed by it, and no getter is called: an expression that would is refused by the browser.
///
/// # Errors
/// If the page is not paused there, or the expression cannot be evaluated. What is no object has nothing inside: that
/// is no error.
pub async fn expand(
    protocol: &dyn Protocol,
    paused_page: &PausedPage,
    inside: &Inside,
) -> Result<Expansion, ExpandError> {
    let session = attach_to(protocol, &paused_page.target_id).await?;
    let expanded = read(protocol, &session, paused_page, inside).await;
    detach(protocol, session).await;
    expanded
}

/// What a frame sees of a page of ours that was left paused; 0 is the newest.
///
/// # Errors
/// If the page is not paused there, or has no such frame.
pub async fn frame_state(
    protocol: &dyn Protocol,
    paused_page: &PausedPage,
    frame: usize,
) -> Result<FrameState, ExpandError> {
    let session = attach_to(protocol, &paused_page.target_id).await?;
    let state = read_frame(protocol, &session, paused_page, frame).await;
    detach(protocol, session).await;
    state
}

async fn detach(protocol: &dyn Protocol, session: SessionId) {
    let session_id = Some(session);
    let detach = cdp::target::DetachFromTarget { session_id };
    // It goes with the tab in any case.
    let _ = protocol.call_browser(&detach).await;
}

/// A frame of the page's, and what the author's names mean there.
struct There {
    frame: CallFrame,
    names: NamesThere,
}

impl There {
    /// The frame with this number, of those that are not in our script.
    async fn find(
        protocol: &dyn Protocol,
        session: &SessionId,
        paused_page: &PausedPage,
        number: usize,
    ) -> Result<Self, ExpandError> {
        const TOLD: &[&str] = &[
            cdp::debugger::ScriptParsed::METHOD,
            cdp::debugger::Paused::METHOD,
        ];
        let mut events = protocol.events_of(Wanted::of(session, TOLD));
        let of = Some(session);
        protocol.call(of, &cdp::debugger::Enable {}).await?;
        // It says nothing new. With its answer it is certain that the stop has been told, if there is one.
        let skip = cdp::debugger::SetSkipAllPauses::new(false);
        protocol.call(of, &skip).await?;
        let mut scripts = Vec::new();
        let mut frames = Vec::new();
        while let Some(event) = events.next().now_or_never().flatten() {
            if event.session.as_ref() != of {
                continue;
            }
            if let Some(script) = event.read::<cdp::debugger::ScriptParsed>() {
                scripts.push((script.script_id, script.url));
            } else if event.is_a::<cdp::debugger::Paused>() {
                let paused = event.read::<cdp::debugger::Paused>();
                frames = paused.map(|it| it.call_frames).unwrap_or_default();
            }
        }
        // A frame names its script by a number alone.
        let url_of = |frame: &CallFrame| {
            let mut scripts = scripts.iter();
            let found = scripts.find(|(id, _)| *id == frame.location.script_id);
            found.map(|(_, url)| url.clone()).unwrap_or_default()
        };
        let mut of_page = frames
            .into_iter()
            .map(|frame| (url_of(&frame), frame))
            .filter(|(url, _)| *url != paused_page.agent_url);
        let (url, frame) = of_page.nth(number).ok_or(match number {
            0 => ExpandError::Elsewhere,
            _ => ExpandError::NoFrame(number),
        })?;
        let names = match number {
            0 => paused_page.names.clone(),
            _ => paused_page.names.at(url, place(&frame.location)),
        };
        Ok(Self { frame, names })
    }
}

fn place(location: &cdp::debugger::Location) -> Utf16Position {
    Utf16Position {
        line: location.line_number,
        // The protocol leaves it out where it is the first.
        column: location.column_number.unwrap_or(0),
    }
}

async fn read(
    protocol: &dyn Protocol,
    session: &SessionId,
    paused_page: &PausedPage,
    inside: &Inside,
) -> Result<Expansion, ExpandError> {
    let of = Some(session);
    let There { frame, names } = There::find(protocol, session, paused_page, inside.frame).await?;
    let watched = names.watched(&inside.expression);
    let running = watched.running.clone().map_err(ExpandError::NoName)?;
    let evaluate = cdp::debugger::EvaluateOnCallFrame {
        silent: Some(true),
        throw_on_side_effect: Some(true),
        ..cdp::debugger::EvaluateOnCallFrame::new(frame.call_frame_id, running.text)
    };
    let evaluated = protocol.call(of, &evaluate).await?;
    if evaluated.exception_details.is_some() {
        let why = preview::shown(&evaluated.result).text;
        return Err(
            match watched.not_in_sight(why.lines().next().unwrap_or_default()) {
                Some(why) => ExpandError::NoName(why),
                None => ExpandError::Threw {
                    expression: inside.expression.clone(),
                    why,
                },
            },
        );
    }
    let (expansion, _) = inside_of(protocol, session, &evaluated.result, inside).await?;
    Ok(expansion)
}

/// What of an object each variable of an expansion is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PartInside {
    Property,
    /// The attribute of this name.
    Attribute(String),
    /// The entry at this place.
    Entry(usize),
}

/// What each variable of an expansion is; of a collection with the list of its keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) list: Option<RemoteObjectId>,
    pub(super) of: Vec<PartInside>,
}

/// What a value has inside, and what each part of it is; of what is no object nothing.
pub(super) async fn inside_of(
    protocol: &dyn Protocol,
    session: &SessionId,
    value: &RemoteObject,
    inside: &Inside,
) -> Result<(Expansion, Parts), ProtocolError> {
    let Some(object) = value.object_id.clone() else {
        return Ok(Default::default());
    };
    let own = cdp::runtime::GetProperties {
        own_properties: Some(true),
        generate_preview: Some(true),
        ..cdp::runtime::GetProperties::new(object)
    };
    let given = protocol.call(Some(session), &own).await?;
    let entries = entries(protocol, session, value, &given).await?;
    let part = |number: usize| match entries.attributes.get(number) {
        Some(name) => PartInside::Attribute(name.clone()),
        None if entries.list.is_some() && number < entries.variables.len() => {
            PartInside::Entry(number)
        }
        None => PartInside::Property,
    };
    let own = named_variables(&given.result);
    let all = entries.variables.iter().cloned().chain(own).enumerate();
    let mut all: Vec<(PartInside, Variable)> = all.map(|(number, it)| (part(number), it)).collect();
    let filter = inside.filter.to_lowercase();
    let fits = |it: &Variable| {
        [&it.name, &it.value.text]
            .iter()
            .any(|text| text.to_lowercase().contains(&filter))
    };
    all.retain(|(_, it)| filter.is_empty() || fits(it));
    let of = all.len();
    let page = all.into_iter().skip(inside.from).take(PAGE);
    let (parts, properties) = page.unzip();
    let expansion = Expansion { properties, of };
    let list = entries.list;
    Ok((expansion, Parts { list, of: parts }))
}

async fn read_frame(
    protocol: &dyn Protocol,
    session: &SessionId,
    paused_page: &PausedPage,
    number: usize,
) -> Result<FrameState, ExpandError> {
    let there = There::find(protocol, session, paused_page, number).await?;
    let There { frame, names } = &there;
    let function = (!frame.function_name.is_empty()).then(|| frame.function_name.clone());
    let near = frame.scope_chain.iter().filter_map(|scope| {
        let kind = scope_kind(scope.r#type.as_str())?;
        let object = scope.object.object_id.clone()?;
        let extent = scope.start_location.as_ref().map(place);
        let extent: Option<Extent> = extent.zip(scope.end_location.as_ref().map(place));
        (kind != ScopeKind::Global).then_some((kind, object, extent))
    });
    let reads = near.map(|(kind, object, extent)| {
        let function = function.clone().filter(|_| kind == ScopeKind::Local);
        async move {
            let own = cdp::runtime::GetProperties {
                own_properties: Some(true),
                generate_preview: Some(true),
                ..cdp::runtime::GetProperties::new(object)
            };
            let read = protocol.call(Some(session), &own).await?.result;
            let mut scope = Scope {
                kind,
                function,
                variables: variables(&read, |name| !name.starts_with(&paused_page.prefix)),
            };
            names.name_variables(&mut scope, extent);
            scope.variables.truncate(MOST_VARIABLES);
            Ok::<_, ProtocolError>(scope)
        }
    });
    let scopes = join_all(reads).await.into_iter();
    let mut scopes = scopes.collect::<Result<Vec<_>, _>>()?;
    scopes.retain(|scope| !scope.variables.is_empty() || scope.kind == ScopeKind::Local);
    let this = preview::shown(&frame.this);
    Ok(FrameState {
        scopes,
        this: (this.kind != ValueType::Undefined).then_some(this),
    })
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::fake::{FakeProtocol, SESSION, event};
    use crate::pausing::NamesThere;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn paused() -> PausedPage {
        PausedPage {
            target_id: "T".to_owned(),
            location: None,
            function: "pay".to_owned(),
            agent_url: "agent.js".to_owned(),
            differences: Vec::new(),
            names: NamesThere::default(),
            prefix: "__QP__".to_owned(),
        }
    }

    fn inside(expression: &str) -> Inside {
        Inside {
            expression: expression.to_owned(),
            ..Inside::default()
        }
    }

    /// One that is in our script above the page's, and evaluates to this.
    fn fake(evaluated: Json) -> FakeProtocol {
        let fake = FakeProtocol::default();
        let script = |id: &str, url: &str| {
            event(
                cdp::debugger::ScriptParsed::METHOD,
                json!({ "scriptId": id, "url": url, "startLine": 0, "startColumn": 0, "executionContextId": 1, "hash": "" }),
            )
        };
        let frame = |id: &str, script: &str| {
            json!({ "callFrameId": id, "functionName": "", "location": { "scriptId": script, "lineNumber": 0 },
            "scopeChain": [], "this": { "type": "undefined" } })
        };
        let frames = json!({ "reason": "other", "callFrames": [frame("0", "8"), frame("1", "9"), frame("2", "9")] });
        let told = vec![
            script("8", "agent.js"),
            script("9", "http://h/app.js"),
            event(cdp::debugger::Paused::METHOD, frames),
        ];
        fake.on(cdp::debugger::Enable::METHOD, told, Some(Ok(json!({}))));
        fake.on(
            cdp::debugger::EvaluateOnCallFrame::METHOD,
            Vec::new(),
            Some(Ok(evaluated)),
        );
        fake
    }

    #[test]
    fn the_properties_of_an_object_are_read_in_the_pages_own_frame() {
        let fake = fake(json!({ "result": { "type": "object", "objectId": "o" } }));
        let property = |name: String| json!({ "name": name, "value": { "type": "number", "value": 1, "description": "1" } });
        let list: Vec<Json> = (0..250)
            .map(|number| property(format!("p{number}")))
            .collect();
        let answer = json!({ "result": list });
        fake.on(
            cdp::runtime::GetProperties::METHOD,
            Vec::new(),
            Some(Ok(answer)),
        );
        let expanded = block_on(expand(&fake, &paused(), &inside("cart"))).unwrap();
        assert_eq!((expanded.properties.len(), expanded.of), (200, 250));
        assert_eq!(expanded.properties[0].name, "p0");
        let asked = &fake.sent(cdp::debugger::EvaluateOnCallFrame::METHOD)[0];
        assert_eq!(
            (&asked["callFrameId"], &asked["throwOnSideEffect"]),
            (&json!("1"), &json!(true))
        );
        assert_eq!(
            fake.sent(cdp::target::DetachFromTarget::METHOD),
            [json!({ "sessionId": SESSION })]
        );
    }

    #[test]
    fn what_is_no_object_has_nothing_inside_and_what_throws_is_said() {
        let number = fake(json!({ "result": { "type": "number", "value": 1 } }));
        assert_eq!(
            block_on(expand(&number, &paused(), &inside("1"))).unwrap(),
            Expansion::default()
        );
        let thrown = json!({ "exceptionDetails": {}, "result": { "type": "object", "description": "EvalError: \
            Possible side-effect" } });
        let error = block_on(expand(&fake(thrown), &paused(), &inside("cart.total"))).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cart.total cannot be evaluated there: EvalError"),
            "{error}"
        );
    }

    #[test]
    fn a_page_that_is_not_paused_is_said_to_be_so() {
        for told in [None, Some(json!({ "callFrames": [] })), Some(json!(null))] {
            let fake = FakeProtocol::default();
            let told = told
                .map(|told| event(cdp::debugger::Paused::METHOD, told))
                .into_iter();
            fake.on(
                cdp::debugger::Enable::METHOD,
                told.collect(),
                Some(Ok(json!({}))),
            );
            let error = block_on(expand(&fake, &paused(), &inside("cart"))).unwrap_err();
            assert!(matches!(error, ExpandError::Elsewhere), "{error}");
        }
    }
}
