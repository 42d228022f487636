//! The way to a frame: child numbers from the main one, as `window.frames` counts them, whatever site a frame is of.

use std::sync::LazyLock;

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::locate::{Miss, SCRIPT_URL, isolated_world, with_elements};
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{ProtocolError, SessionId, required_text};

/// Gives the element that holds a child frame.
static HOLDER: LazyLock<String> = LazyLock::new(|| {
    with_elements(
        "((index) => {\n  // PART elements\n\
         const wanted = window.frames[index];\n\
         for (const element of everyElement(document)) {\n\
         if (wanted && element.contentWindow === wanted) return element;\n}\n})",
    )
});

/// Where a frame is: frames of other sites are in processes and sessions of their own.
#[derive(Debug, Clone)]
pub(super) struct FramePlace {
    pub(super) session: SessionId,
    pub(super) frame_id: String,
}

impl FramePlace {
    /// The frame that `way` leads to.
    ///
    /// # Errors
    /// [`Miss::NotThere`] if there is none; those of the connection.
    pub(super) async fn of(page: &Page, way: &[usize]) -> Result<Self, Miss> {
        let mut place = Self {
            session: page.session().clone(),
            frame_id: page.target_id().to_owned(),
        };
        for index in way {
            let Some(frame_id) = place.child(page, *index).await? else {
                return Err(Miss::NotThere(format!("the page has no frame {way:?}")));
            };
            place.frame_id = frame_id;
            if !place.is_local(page).await? {
                place.session = page.session_of_frame(&place.frame_id).await?;
            }
        }
        Ok(place)
    }

    /// Sends a command to the session that has the frame. It is queued at the call.
    pub(super) fn send<'a>(
        &'a self,
        page: &'a Page,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        page.protocol().send(Some(&self.session), method, params)
    }

    /// The id of a child frame.
    async fn child(&self, page: &Page, index: usize) -> Result<Option<String>, Miss> {
        let context = isolated_world(page, self).await?;
        let params = json!({
            "expression": format!("{}({index})\n//# sourceURL={SCRIPT_URL}", *HOLDER), "contextId": context, "silent": true,
        });
        let holder = self
            .send(page, cdp::runtime::Evaluate::METHOD, params)
            .await?;
        let Some(holder) = holder.pointer("/result/objectId") else {
            return Ok(None);
        };
        let method = cdp::dom::DescribeNode::METHOD;
        let node = self
            .send(page, method, json!({ "objectId": holder }))
            .await?;
        Ok(Some(required_text(method, &node, "/node/frameId")?))
    }

    /// Whether the session has the frame.
    async fn is_local(&self, page: &Page) -> Result<bool, Miss> {
        let tree = self
            .send(page, cdp::page::GetFrameTree::METHOD, json!({}))
            .await?;
        Ok(tree
            .get("frameTree")
            .is_some_and(|tree| has_frame(tree, &self.frame_id)))
    }
}

fn has_frame(tree: &Value, id: &str) -> bool {
    let children = tree.get("childFrames").and_then(Value::as_array);
    tree.pointer("/frame/id").and_then(Value::as_str) == Some(id)
        || children
            .into_iter()
            .flatten()
            .any(|child| has_frame(child, id))
}
