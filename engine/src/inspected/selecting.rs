//! An element that a person points at in the tab that they debug: the browser marks what the pointer is on, and the
//! next press selects it.

use futures::channel::oneshot;
use futures::future::{Either, select};
use futures::stream::{BoxStream, StreamExt as _};
use querypoint::session::element::{DESCRIBE_ELEMENT, Picked};

use super::InspectedTab;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Event, ProtocolError, Wanted};

/// The events of the tab that a [`Selecting`] lives on.
pub const SELECTION_EVENTS: [&str; 2] = [
    cdp::overlay::InspectNodeRequested::METHOD,
    cdp::overlay::InspectModeCanceled::METHOD,
];

/// What a person did when they were to select an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// They pressed on this one; none: it is gone, or in another frame.
    Element(Option<Picked>),
    /// They pressed Escape, or it was ended.
    Cancelled,
}

/// An element that a person is to select.
pub struct Selecting {
    events: BoxStream<'static, Event>,
    ended: oneshot::Receiver<()>,
}

impl InspectedTab {
    /// Has the next press in the page select an element; [`Self::selection`] says which.
    ///
    /// # Errors
    /// If the tab does not answer.
    pub async fn select_element(&self) -> Result<Selecting, ProtocolError> {
        let (ends, ended) = oneshot::channel();
        *self.selecting.lock() = Some(ends);
        let wanted = Wanted::of(&self.session, &SELECTION_EVENTS);
        let events = self.protocol.events_of(wanted);
        self.mark_elements().await?;
        Ok(Selecting { events, ended })
    }

    /// What a person selects. Ready when they have pressed, or it is ended.
    pub async fn selection(&self, selecting: Selecting) -> Selection {
        let Selecting {
            mut events,
            mut ended,
        } = selecting;
        let selection = loop {
            match select(events.next(), &mut ended).await {
                Either::Left((Some(event), _)) => {
                    if let Some(requested) = event.read::<cdp::overlay::InspectNodeRequested>() {
                        let element = self.element(requested.backend_node_id).await;
                        break Selection::Element(element);
                    }
                    if event.read::<cdp::overlay::InspectModeCanceled>().is_some() {
                        break Selection::Cancelled;
                    }
                }
                Either::Right((Ok(()), _)) => break Selection::Cancelled,
                // The tab is gone, or another selection has taken its place and the marks.
                Either::Left((None, _)) | Either::Right((Err(_), _)) => {
                    return Selection::Cancelled;
                }
            }
        };
        self.mark_nothing().await;
        selection
    }

    /// Ends it, if an element is to be selected.
    pub fn end_selecting(&self) {
        if let Some(ends) = self.selecting.lock().take() {
            // It may have ended by itself.
            let _ = ends.send(());
        }
    }

    async fn mark_elements(&self) -> Result<(), ProtocolError> {
        let of = Some(&self.session);
        self.protocol.call(of, &cdp::dom::Enable::default()).await?;
        self.protocol.call(of, &cdp::overlay::Enable {}).await?;
        let color = |r, g, b, a| {
            Some(cdp::dom::Rgba {
                a: Some(a),
                ..cdp::dom::Rgba::new(r, g, b)
            })
        };
        // The colours of the browser's own tools.
        let marked = cdp::overlay::HighlightConfig {
            show_info: Some(true),
            content_color: color(111, 168, 220, 0.66),
            padding_color: color(147, 196, 125, 0.55),
            margin_color: color(246, 178, 107, 0.66),
        };
        let mode = cdp::overlay::SetInspectMode {
            highlight_config: Some(marked),
            ..cdp::overlay::SetInspectMode::new(cdp::overlay::InspectMode::SearchForNode)
        };
        self.protocol.call(of, &mode).await?;
        Ok(())
    }

    async fn mark_nothing(&self) {
        let of = Some(&self.session);
        // What is over on the other side need not be ended.
        let _ = self.protocol.call(of, &no_selection()).await;
        let _ = self.protocol.call(of, &cdp::overlay::Disable {}).await;
        let _ = self.protocol.call(of, &cdp::dom::Disable {}).await;
    }

    /// What this node is to a query.
    async fn element(&self, node: cdp::dom::BackendNodeId) -> Option<Picked> {
        let of = Some(&self.session);
        let resolve = cdp::dom::ResolveNode {
            backend_node_id: Some(node),
        };
        let object = self.protocol.call(of, &resolve).await.ok()?.object;
        let describe = cdp::runtime::CallFunctionOn {
            object_id: object.object_id,
            return_by_value: Some(true),
            ..cdp::runtime::CallFunctionOn::new(format!(
                "function () {{ return {DESCRIBE_ELEMENT}(this); }}"
            ))
        };
        let described = self.protocol.call(of, &describe).await.ok()?;
        serde_json::from_value(described.result.value?).ok()
    }
}

/// Ends the mode in which a press selects an element.
pub(super) fn no_selection() -> cdp::overlay::SetInspectMode {
    cdp::overlay::SetInspectMode {
        highlight_config: Some(cdp::overlay::HighlightConfig::default()),
        ..cdp::overlay::SetInspectMode::new(cdp::overlay::InspectMode::None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cdp_driver::protocol::SessionId;
    use futures::executor::block_on;
    use futures::future::join;
    use serde_json::json;

    use super::*;
    use crate::fake::{FakeProtocol, SESSION, event};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn tab(fake: &Arc<FakeProtocol>) -> InspectedTab {
        InspectedTab::new(fake.clone(), SessionId(SESSION.to_owned()))
    }

    fn select(tab: &InspectedTab) -> Selection {
        block_on(async { tab.selection(tab.select_element().await.unwrap()).await })
    }

    fn modes(fake: &FakeProtocol) -> Vec<String> {
        let sent = fake.sent(cdp::overlay::SetInspectMode::METHOD);
        let modes = sent.iter().filter_map(|it| it["mode"].as_str());
        modes.map(str::to_owned).collect()
    }

    #[test]
    fn an_element_that_is_pressed_on_is_named_as_a_query_does() {
        let fake = FakeProtocol::default();
        let pressed = event(
            cdp::overlay::InspectNodeRequested::METHOD,
            json!({ "backendNodeId": 7 }),
        );
        fake.on(
            cdp::overlay::SetInspectMode::METHOD,
            vec![pressed],
            Some(Ok(json!({}))),
        );
        let object = json!({ "object": { "type": "object", "objectId": "node" } });
        fake.on(cdp::dom::ResolveNode::METHOD, Vec::new(), Some(Ok(object)));
        let picked = json!({ "path": "document.body", "label": "body" });
        let described = json!({ "result": { "type": "object", "value": picked } });
        fake.on(
            cdp::runtime::CallFunctionOn::METHOD,
            Vec::new(),
            Some(Ok(described)),
        );
        let fake = Arc::new(fake);
        let selection = select(&tab(&fake));
        let Selection::Element(Some(element)) = selection else {
            panic!("{selection:?}");
        };
        assert_eq!(
            (element.path.as_str(), element.label.as_str()),
            ("document.body", "body")
        );
        assert_eq!(
            fake.sent(cdp::dom::ResolveNode::METHOD)[0]["backendNodeId"],
            7
        );
        assert_eq!(modes(&fake), ["searchForNode", "none"]);
    }

    #[test]
    fn a_selection_is_cancelled_by_escape_and_by_us() {
        let fake = FakeProtocol::default();
        let escaped = event(cdp::overlay::InspectModeCanceled::METHOD, json!({}));
        fake.on(
            cdp::overlay::SetInspectMode::METHOD,
            vec![escaped],
            Some(Ok(json!({}))),
        );
        let fake = Arc::new(fake);
        assert_eq!(select(&tab(&fake)), Selection::Cancelled);

        let fake = Arc::new(FakeProtocol::default());
        let tab = tab(&fake);
        let selecting = block_on(tab.select_element()).unwrap();
        let ending = async { tab.end_selecting() };
        let (cancelled, ()) = block_on(join(tab.selection(selecting), ending));
        assert_eq!(cancelled, Selection::Cancelled);
        assert_eq!(modes(&fake), ["searchForNode", "none"]);
    }
}
