//! Where a page is left paused, for a person or for a function of it to be called again.

use js_analysis::position::Utf16Position;

use crate::pausing::Moment;
use crate::stopped::Frame;
use cdp_driver::protocol::SessionId;

/// How the page is paused, as the loop that follows its pauses tells those who act on it.
#[derive(Debug, Default)]
pub(super) struct PauseStatus {
    /// For a person.
    for_person: Option<PausedForPerson>,
    /// For its oldest function to be called again.
    for_call: Option<PausedForCall>,
    /// How often what was paused was let go on.
    resumed: u64,
}

/// Where a page was left paused for a person.
#[derive(Clone, Debug)]
pub(super) struct PausedForPerson {
    pub(super) session: SessionId,
    /// The script and the place of the newest frame, as it runs.
    pub(super) top: (String, Utf16Position),
    pub(super) moment: Moment,
    pub(super) differences: Vec<String>,
    /// Whether it has left the hook that stopped it.
    pub(super) is_released: bool,
}

/// Where a page is paused for its oldest function to be called again.
#[derive(Clone, Debug)]
pub(super) struct PausedForCall {
    pub(super) session: SessionId,
    /// Those of the agent included.
    pub(super) frames: Vec<Frame>,
    /// How often the reproduction point was passed before, in the same task.
    pub(super) index: u64,
}

impl PauseStatus {
    /// The page is left paused for a person: in `top`, its newest frame, still in the hook that stopped it.
    pub(super) fn hold(&mut self, top: &Frame, moment: Moment, differences: Vec<String>) {
        self.for_person = Some(PausedForPerson {
            session: top.session.clone(),
            top: (top.url.clone(), top.position),
            moment,
            differences,
            is_released: false,
        });
    }

    /// It has left that hook.
    pub(super) fn release(&mut self) {
        if let Some(held) = &mut self.for_person {
            held.is_released = true;
        }
    }

    /// Where it is paused for a person: then what it does is no longer ours.
    pub(super) fn for_person(&self) -> Option<&PausedForPerson> {
        self.for_person.as_ref()
    }

    /// The page is left paused for its oldest function to be called again; nothing of it, where it has no frames.
    pub(super) fn pause_for_call(&mut self, frames: Vec<Frame>, index: u64) {
        if let Some(top) = frames.first() {
            self.for_call = Some(PausedForCall {
                session: top.session.clone(),
                frames,
                index,
            });
        }
    }

    /// Where it is paused for that.
    pub(super) fn for_call(&self) -> Option<&PausedForCall> {
        self.for_call.as_ref()
    }

    /// What was paused was let go on.
    pub(super) fn resume(&mut self) {
        self.resumed += 1;
    }

    /// How often that was done.
    pub(super) fn resumed(&self) -> u64 {
        self.resumed
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn frame() -> Frame {
        Frame {
            session: SessionId("tab".into()),
            id: "1".to_owned(),
            function: "pay".to_owned(),
            url: "a.js".to_owned(),
            position: Utf16Position { line: 3, column: 1 },
            begins: None,
            scopes: Vec::new(),
            this_object: None,
            script: "7".to_owned(),
            can_be_restarted: None,
        }
    }

    #[test]
    fn a_page_that_is_held_is_released_from_its_hook_once() {
        let mut pause_status = PauseStatus::default();
        pause_status.release();
        assert!(pause_status.for_person().is_none());
        pause_status.hold(&frame(), Moment::default(), vec!["other".to_owned()]);
        let held = pause_status.for_person().unwrap().clone();
        assert!(!held.is_released);
        assert_eq!(
            (held.session, held.top.0.as_str()),
            (frame().session, "a.js")
        );
        pause_status.release();
        assert!(pause_status.for_person().unwrap().is_released);
    }

    #[test]
    fn a_page_without_frames_is_not_paused_for_a_call() {
        let mut pause_status = PauseStatus::default();
        pause_status.pause_for_call(Vec::new(), 4);
        assert!(pause_status.for_call().is_none());
        pause_status.pause_for_call(vec![frame()], 4);
        let paused = pause_status.for_call().unwrap();
        assert_eq!((paused.index, paused.frames.len()), (4, 1));
    }

    #[test]
    fn each_time_that_it_is_let_go_on_counts() {
        let mut pause_status = PauseStatus::default();
        assert_eq!(pause_status.resumed(), 0);
        pause_status.resume();
        pause_status.resume();
        assert_eq!(pause_status.resumed(), 2);
    }
}
