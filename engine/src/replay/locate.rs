//! Runs the selector script in an isolated world of the right frame, and tries again when a navigation took the world
//! from under it.

mod frames;

use std::time::Duration;

use serde_json::{Value, json};

use super::input::ViewportPoint;
use crate::error::EngineError;
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{ProtocolError, SessionId};
pub(super) use frames::FramePlace;

/// The `sourceURL` of the script, so that a debugger can tell it from the page's.
pub const SCRIPT_URL: &str = "querypoint:selectors.js";

/// The name of the isolated world it runs in.
pub const WORLD_NAME: &str = "querypoint";

/// How long a page may be paused beyond the time that it was given.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why a look at the page gave nothing.
#[derive(Debug)]
pub(crate) enum Miss {
    /// It was looked for and is not there, or cannot be used.
    NotThere(String),
    /// The page or the connection failed.
    Failed(EngineError),
}

impl<E: Into<EngineError>> From<E> for Miss {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// What the script found.
#[derive(Debug, Default)]
pub(crate) struct LocatedElement {
    /// The answer as the script gave it.
    pub(crate) answer: Value,
    /// The alternative that matched.
    pub(crate) selector: Option<String>,
    /// Where the replay departs from the recording.
    pub(crate) notes: Vec<String>,
}

impl LocatedElement {
    /// A string of the answer, or `""`.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.answer
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub(crate) fn place(&self) -> ViewportPoint {
        let number = |name: &str| {
            self.answer
                .get(name)
                .and_then(Value::as_f64)
                .unwrap_or_default()
        };
        ViewportPoint {
            x: number("x"),
            y: number("y"),
        }
    }
}

/// Asks the script in the frame that `frame` leads to (child numbers from the main frame).
pub(crate) async fn ask(
    page: &Page,
    frame: &[usize],
    request: &Value,
    limit: Duration,
) -> Result<LocatedElement, Miss> {
    let deadline = page.clock().now_ms() + limit.as_secs_f64() * 1000.0;
    loop {
        let left_ms = deadline - page.clock().now_ms();
        let mut request = request.clone();
        request["limitMs"] = json!(left_ms.max(0.0));
        // The script ends by itself; this is for a page that hangs, with room for one that is paused at a breakpoint.
        let patience = Duration::from_secs_f64(left_ms.max(0.0) / 1000.0).saturating_add(PATIENCE);
        let once = page.drive(ask_once(page, frame, &request));
        let result = page.limited("looking at the page", patience, once).await?;
        match result {
            // The document was replaced meanwhile: look at the new one.
            Err(Miss::Failed(error))
                if left_ms > 0.0 && (is_stale(&error) || is_of_frame(page, &error)) =>
            {
                page.drive(page.clock().sleep(Duration::from_millis(5)))
                    .await;
            }
            other => return other,
        }
    }
}

async fn ask_once(page: &Page, frame: &[usize], request: &Value) -> Result<LocatedElement, Miss> {
    let place = FramePlace::of(page, frame).await?;
    let answer = evaluate_isolated(page, &place, request).await?;
    if answer.get("done") != Some(&Value::Bool(true)) {
        let why = answer
            .get("why")
            .and_then(Value::as_str)
            .unwrap_or("the page gave no reason");
        return Err(Miss::NotThere(why.to_owned()));
    }
    let notes = answer
        .get("notes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    Ok(LocatedElement {
        selector: answer
            .get("selector")
            .and_then(Value::as_str)
            .map(str::to_owned),
        notes: notes.filter_map(Value::as_str).map(str::to_owned).collect(),
        answer,
    })
}

/// Where the frame's own viewport is in that of the tab.
pub(crate) async fn frame_origin(
    page: &Page,
    frame: &[usize],
    limit: Duration,
) -> Result<ViewportPoint, Miss> {
    let mut origin = ViewportPoint { x: 0.0, y: 0.0 };
    for (depth, index) in frame.iter().enumerate() {
        let found = ask(
            page,
            &frame[..depth],
            &json!({ "task": "frameOffset", "index": index }),
            limit,
        )
        .await?;
        let offset = found.place();
        origin.x += offset.x;
        origin.y += offset.y;
    }
    Ok(origin)
}

/// The handle of what the script left under that name in the world of the frame, and the session that knows it.
pub(crate) async fn left_in_world(
    page: &Page,
    frame: &[usize],
    name: &str,
) -> Result<(SessionId, cdp::runtime::RemoteObjectId), Miss> {
    let place = FramePlace::of(page, frame).await?;
    let context = isolated_world(page, &place).await?;
    let look = cdp::runtime::Evaluate {
        context_id: Some(context),
        ..cdp::runtime::Evaluate::new(name)
    };
    let object = place.call(page, &look).await?.result.object_id;
    let object = object.ok_or_else(|| ProtocolError::Malformed {
        method: cdp::runtime::Evaluate::METHOD.to_owned(),
        detail: format!("result.objectId: {name} is no object"),
    })?;
    Ok((place.session, object))
}

pub(super) async fn isolated_world(
    page: &Page,
    place: &FramePlace,
) -> Result<cdp::runtime::ExecutionContextId, Miss> {
    let world = cdp::page::CreateIsolatedWorld {
        world_name: Some(WORLD_NAME.to_owned()),
        ..cdp::page::CreateIsolatedWorld::new(place.frame_id.as_str())
    };
    Ok(place.call(page, &world).await?.execution_context_id)
}

async fn evaluate_isolated(
    page: &Page,
    place: &FramePlace,
    request: &Value,
) -> Result<Value, Miss> {
    let context = isolated_world(page, place).await?;
    let look = cdp::runtime::Evaluate {
        context_id: Some(context),
        await_promise: Some(true),
        return_by_value: Some(true),
        // Not `silent`: handlers of the page run inside, and their exceptions are to pause as any other.
        ..cdp::runtime::Evaluate::new(format!(
            "{}({request})\n//# sourceURL={SCRIPT_URL}",
            agent::SELECTORS
        ))
    };
    let answer = place.call(page, &look).await?;
    if let Some(details) = answer.exception_details {
        return Err(Miss::Failed(EngineError::PageScript {
            what: "looking for an element".to_owned(),
            message: thrown(details).unwrap_or_else(|| "unknown".to_owned()),
        }));
    }
    Ok(answer.result.value.unwrap_or_default())
}

/// What was thrown, in words.
pub(super) fn thrown(details: cdp::runtime::ExceptionDetails) -> Option<String> {
    let exception = details.exception.and_then(|it| it.description);
    exception.or(details.text)
}

/// Whether a frame that is in a process of its own went away, and not the page.
fn is_of_frame(page: &Page, error: &EngineError) -> bool {
    let is_closed = matches!(
        error,
        EngineError::Protocol(
            ProtocolError::SessionClosed { .. } | ProtocolError::TargetCrashed { .. }
        )
    );
    let is_frames = is_closed && page.read(|state| state.ended("").is_none());
    if is_frames {
        page.drop_frames();
    }
    is_frames
}

/// Whether the world went away under the script because the frame shows another document now.
pub(crate) fn is_stale(error: &EngineError) -> bool {
    let EngineError::Protocol(ProtocolError::Refused { message, .. }) = error else {
        return false;
    };
    [
        "Cannot find context",
        "context was destroyed",
        "navigated or closed",
        "Promise was collected",
        "No frame",
        "Frame with the given",
        "uniqueContextId not found",
        "Could not create isolated world",
    ]
    .iter()
    .any(|known| message.contains(known))
}
