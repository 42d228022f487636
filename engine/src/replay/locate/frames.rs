//! The way to a frame: child numbers from the main one, as `window.frames` counts them, whatever site a frame is of.

use futures::future::BoxFuture;

use super::{Miss, SCRIPT_URL, isolated_world};
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command, ProtocolError, SessionId};

/// Where a frame is: frames of other sites are in processes and sessions of their own.
#[derive(Debug, Clone)]
pub(in crate::replay) struct FramePlace {
    pub(in crate::replay) session: SessionId,
    pub(in crate::replay) frame_id: String,
}

impl FramePlace {
    /// The frame that `way` leads to.
    ///
    /// # Errors
    /// [`Miss::NotThere`] if there is none; those of the connection.
    pub(in crate::replay) async fn of(page: &Page, way: &[usize]) -> Result<Self, Miss> {
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
    pub(in crate::replay) fn call<'a, C: Command>(
        &'a self,
        page: &'a Page,
        command: &C,
    ) -> BoxFuture<'a, Result<C::Result, ProtocolError>> {
        page.protocol().call(Some(&self.session), command)
    }

    /// The id of a child frame.
    async fn child(&self, page: &Page, index: usize) -> Result<Option<String>, Miss> {
        let context = isolated_world(page, self).await?;
        let look = cdp::runtime::Evaluate {
            context_id: Some(context),
            silent: Some(true),
            ..cdp::runtime::Evaluate::new(format!(
                "{}({index})\n//# sourceURL={SCRIPT_URL}",
                agent::FRAME_HOLDER
            ))
        };
        let Some(holder) = self.call(page, &look).await?.result.object_id else {
            return Ok(None);
        };
        let describe = cdp::dom::DescribeNode {
            object_id: Some(holder),
        };
        let node = self.call(page, &describe).await?.node;
        let frame = node.frame_id.ok_or_else(|| ProtocolError::Malformed {
            method: cdp::dom::DescribeNode::METHOD.to_owned(),
            detail: "node.frameId: what holds a frame has none".to_owned(),
        })?;
        Ok(Some(frame.0))
    }

    /// Whether the session has the frame.
    async fn is_local(&self, page: &Page) -> Result<bool, Miss> {
        let tree = self.call(page, &cdp::page::GetFrameTree {}).await?;
        Ok(has_frame(&tree.frame_tree, &self.frame_id))
    }
}

fn has_frame(tree: &cdp::page::FrameTree, id: &str) -> bool {
    let mut children = tree.child_frames.iter().flatten();
    tree.frame.id.as_str() == id || children.any(|child| has_frame(child, id))
}
