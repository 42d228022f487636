//! What a value has inside, where a page stands still.

use futures::{FutureExt, StreamExt};
use querypoint::answer::Variable;

use crate::debugger::{how_many, variables};
use crate::page::attach_to;
use crate::pausing::PausedPage;
use crate::preview;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, CallBrowser as _, Protocol, ProtocolError, SessionId, Wanted,
};

/// The own properties of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expansion {
    /// The first of them, by name.
    pub properties: Vec<Variable>,
    /// How many more there are.
    pub left_out: usize,
}

/// Why a value is not expanded.
#[derive(Debug, thiserror::Error)]
pub enum ExpandError {
    /// The tab did not answer as it should.
    #[error("the page could not be looked into: {0}")]
    Refused(#[from] ProtocolError),
    /// Another session would have to be asked.
    #[error(
        "the page is not paused in its own document there, but in a worker or in a frame of another site; watch the expression instead"
    )]
    Elsewhere,
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

/// The own properties of the object that an expression gives, in the frame in which a page of ours was left standing.
/// Nothing is changed by it, and no getter is called: an expression that would is refused by the browser.
///
/// # Errors
/// If the page does not stand there, or the expression cannot be evaluated. What is no object has nothing inside: that
/// is no error.
pub async fn expand(
    protocol: &dyn Protocol,
    paused: &PausedPage,
    expression: &str,
) -> Result<Expansion, ExpandError> {
    let session = attach_to(protocol, &paused.target_id).await?;
    let expanded = read(protocol, &session, paused, expression).await;
    let session_id = Some(session);
    let detach = cdp::target::DetachFromTarget { session_id };
    // It goes with the tab in any case.
    let _ = protocol.call_browser(&detach).await;
    expanded
}

async fn read(
    protocol: &dyn Protocol,
    session: &SessionId,
    paused: &PausedPage,
    expression: &str,
) -> Result<Expansion, ExpandError> {
    const TOLD: &[&str] = &[
        cdp::debugger::ScriptParsed::METHOD,
        cdp::debugger::Paused::METHOD,
    ];
    let mut events = protocol.events_of(Wanted::methods(TOLD).of(session));
    let of = Some(session);
    protocol.call(of, &cdp::debugger::Enable {}).await?;
    // It says nothing new. With its answer it is certain that the stop has been told, if there is one.
    let skip = cdp::debugger::SetSkipAllPauses::new(false);
    protocol.call(of, &skip).await?;
    let mut ours = Vec::new();
    let mut newest = None;
    while let Some(event) = events.next().now_or_never().flatten() {
        if event.session.as_ref() != of {
            continue;
        }
        if let Some(script) = event.read::<cdp::debugger::ScriptParsed>() {
            if script.url == paused.agent_url {
                ours.push(script.script_id);
            }
        } else if event.is_a::<cdp::debugger::Paused>() {
            newest = event.read().and_then(|paused| frame(&paused, &ours));
        }
    }
    let frame = newest;
    let frame = frame.ok_or(ExpandError::Elsewhere)?;
    let watched = paused.names.watched(expression);
    let running = watched.running.clone().map_err(ExpandError::NoName)?;
    let evaluate = cdp::debugger::EvaluateOnCallFrame {
        silent: Some(true),
        throw_on_side_effect: Some(true),
        ..cdp::debugger::EvaluateOnCallFrame::new(frame, running.text)
    };
    let evaluated = protocol.call(of, &evaluate).await?;
    if evaluated.exception_details.is_some() {
        let why = preview::shown(&evaluated.result).text;
        return Err(
            match watched.not_in_sight(why.lines().next().unwrap_or_default()) {
                Some(why) => ExpandError::NoName(why),
                None => ExpandError::Threw {
                    expression: expression.to_owned(),
                    why,
                },
            },
        );
    }
    let Some(object) = evaluated.result.object_id else {
        return Ok(Expansion::default());
    };
    let own = cdp::runtime::GetProperties {
        own_properties: Some(true),
        generate_preview: Some(true),
        ..cdp::runtime::GetProperties::new(object)
    };
    let read = protocol.call(of, &own).await?.result;
    let properties = variables(&read, |_| true);
    Ok(Expansion {
        left_out: how_many(&read).saturating_sub(properties.len()),
        properties,
    })
}

/// The newest frame that is not in one of these scripts, which a frame names by their numbers alone.
fn frame(
    paused: &cdp::debugger::Paused,
    ours: &[cdp::runtime::ScriptId],
) -> Option<cdp::debugger::CallFrameId> {
    let mut frames = paused.call_frames.iter();
    let frame = frames.find(|frame| !ours.contains(&frame.location.script_id))?;
    Some(frame.call_frame_id.clone())
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use serde_json::{Value, json};

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
        }
    }

    /// One that stands in our script above the page's, and evaluates to this.
    fn fake(evaluated: Value) -> FakeProtocol {
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
        let list: Vec<Value> = (0..250)
            .map(|number| property(format!("p{number}")))
            .collect();
        let answer = json!({ "result": list });
        fake.on(
            cdp::runtime::GetProperties::METHOD,
            Vec::new(),
            Some(Ok(answer)),
        );
        let expanded = block_on(expand(&fake, &paused(), "cart")).unwrap();
        assert_eq!((expanded.properties.len(), expanded.left_out), (200, 50));
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
            block_on(expand(&number, &paused(), "1")).unwrap(),
            Expansion::default()
        );
        let thrown = json!({ "exceptionDetails": {}, "result": { "type": "object", "description": "EvalError: Possible side-effect" } });
        let error = block_on(expand(&fake(thrown), &paused(), "cart.total")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cart.total cannot be evaluated there: EvalError"),
            "{error}"
        );
    }

    #[test]
    fn a_page_that_does_not_stand_is_said_to() {
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
            let error = block_on(expand(&fake, &paused(), "cart")).unwrap_err();
            assert!(matches!(error, ExpandError::Elsewhere), "{error}");
        }
    }
}
