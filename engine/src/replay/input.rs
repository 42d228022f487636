//! Trusted input: what the mouse, the keyboard and a finger do, as the browser itself would receive it.
//!
//! The commands of one gesture are queued together and awaited together: they are handled in order, and a handler that
//! stops at a breakpoint holds the rest back, as it does for a person.

use std::time::Duration;

use futures::future::{BoxFuture, join_all};

use super::keys::{Key, key_of, modifier_bit};
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Done, ProtocolError};

/// Above this a text is inserted at once: nobody typed it.
const TYPED_CHARACTERS: usize = 400;

/// The place, in CSS pixels of the viewport.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ViewportPoint {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// What a click is made with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press<'a> {
    /// `left`, `middle`, `right`, `back`, `forward`.
    pub(crate) button: &'a str,
    /// `mouse`, `pen` or `touch`.
    pub(crate) device: &'a str,
    /// 1, or 2 for a double click.
    pub(crate) clicks: u32,
    /// How long it is held down, if it matters.
    pub(crate) hold: Option<Duration>,
}

impl Press<'_> {
    /// As in `MouseEvent.buttons`.
    fn buttons(&self) -> u32 {
        match self.button {
            "right" => 2,
            "middle" => 4,
            "back" => 8,
            "forward" => 16,
            _ => 1,
        }
    }
}

/// Keyboard and mouse of one replay: what is held down stays down until a step lets go of it.
#[derive(Debug, Default)]
pub(crate) struct Input {
    modifiers: u32,
}

type Sent<'a> = BoxFuture<'a, Result<Done, ProtocolError>>;

impl Input {
    /// Moves the mouse there.
    pub(crate) async fn hover(&self, page: &Page, at: ViewportPoint) -> Result<(), ProtocolError> {
        done(
            page,
            vec![self.mouse(page, "mouseMoved", at, "none", 0, 0, "mouse")],
        )
        .await
    }

    /// Moves there, presses and releases.
    pub(crate) async fn click(
        &self,
        page: &Page,
        at: ViewportPoint,
        press: Press<'_>,
    ) -> Result<(), ProtocolError> {
        let mut sent = self.there(page, at, press);
        for count in 1..=press.clicks {
            sent.push(self.down(page, at, press, count));
            if let Some(hold) = press.hold {
                done(page, std::mem::take(&mut sent)).await?;
                page.drive(page.clock().sleep(hold)).await;
            }
            sent.push(self.up(page, at, press, count));
        }
        done(page, sent).await
    }

    /// Moves there and presses.
    pub(crate) async fn press(
        &self,
        page: &Page,
        at: ViewportPoint,
        press: Press<'_>,
    ) -> Result<(), ProtocolError> {
        let mut sent = self.there(page, at, press);
        sent.push(self.down(page, at, press, 1));
        done(page, sent).await
    }

    /// Moves there with what is pressed. The browser tells the page of moves once in a frame, and makes one of those
    /// that are alike; where they need `no_frame`, each is told at once. Nothing may be edited then.
    pub(crate) async fn held_to(
        &self,
        page: &Page,
        at: ViewportPoint,
        press: Press<'_>,
        no_frame: bool,
    ) -> Result<(), ProtocolError> {
        let Press { button, device, .. } = press;
        let mut sent = match device {
            "touch" => vec![self.touch(page, "touchMove", Some(at))],
            _ => vec![self.mouse(page, "mouseMoved", at, button, press.buttons(), 0, device)],
        };
        if no_frame && device != "touch" {
            // A text without letters is put nowhere; but it is waited for no frame, and what waits before it is told
            // before it. (200 moves came as 200 events in 1.9 ms each, 16.6 without it; Chromium 156.)
            sent.push(page.call(&cdp::input::InsertText::new("")));
        }
        done(page, sent).await
    }

    /// Releases it there.
    pub(crate) async fn release(
        &self,
        page: &Page,
        at: ViewportPoint,
        press: Press<'_>,
    ) -> Result<(), ProtocolError> {
        done(page, vec![self.up(page, at, press, 1)]).await
    }

    /// What comes before a press: a finger comes from nowhere.
    fn there<'p>(&self, page: &'p Page, at: ViewportPoint, press: Press<'_>) -> Vec<Sent<'p>> {
        match press.device {
            "touch" => Vec::new(),
            device => vec![self.mouse(page, "mouseMoved", at, "none", 0, 0, device)],
        }
    }

    fn down<'p>(
        &self,
        page: &'p Page,
        at: ViewportPoint,
        press: Press<'_>,
        count: u32,
    ) -> Sent<'p> {
        let Press { button, device, .. } = press;
        match device {
            "touch" => self.touch(page, "touchStart", Some(at)),
            _ => self.mouse(
                page,
                "mousePressed",
                at,
                button,
                press.buttons(),
                count,
                device,
            ),
        }
    }

    fn up<'p>(&self, page: &'p Page, at: ViewportPoint, press: Press<'_>, count: u32) -> Sent<'p> {
        let Press { button, device, .. } = press;
        match device {
            "touch" => self.touch(page, "touchEnd", None),
            _ => self.mouse(page, "mouseReleased", at, button, 0, count, device),
        }
    }

    /// Turns the wheel there, by so many CSS pixels to the right and down.
    pub(crate) async fn wheel(
        &self,
        page: &Page,
        at: ViewportPoint,
        by: (f64, f64),
    ) -> Result<(), ProtocolError> {
        use cdp::input::{DispatchMouseEvent, DispatchMouseEventType};
        let turn = DispatchMouseEvent {
            delta_x: Some(by.0),
            delta_y: Some(by.1),
            modifiers: Some(i64::from(self.modifiers)),
            ..DispatchMouseEvent::new(DispatchMouseEventType::MouseWheel, at.x, at.y)
        };
        done(page, vec![page.call(&turn)]).await
    }

    /// Presses a key and keeps it down.
    pub(crate) async fn key_down(&mut self, page: &Page, key: &Key) -> Result<(), ProtocolError> {
        self.modifiers |= modifier_bit(&key.key);
        done(page, vec![self.key(page, true, key)]).await
    }

    /// Lets go of a key.
    pub(crate) async fn key_up(&mut self, page: &Page, key: &Key) -> Result<(), ProtocolError> {
        self.modifiers &= !modifier_bit(&key.key);
        done(page, vec![self.key(page, false, key)]).await
    }

    /// Types into what has the focus, first deleting what is selected if `clear`.
    pub(crate) async fn type_text(
        &self,
        page: &Page,
        text: &str,
        clear: bool,
    ) -> Result<(), ProtocolError> {
        let plain = Self::default();
        let mut sent = Vec::new();
        if clear
            && text.is_empty()
            && let Some(key) = super::keys::key_named("Backspace")
        {
            sent.push(plain.key(page, true, &key));
            sent.push(plain.key(page, false, &key));
        }
        if text.chars().count() > TYPED_CHARACTERS {
            sent.push(page.call(&cdp::input::InsertText::new(text)));
            return done(page, sent).await;
        }
        for character in text.chars() {
            match key_of(character) {
                Some(key) => {
                    sent.push(plain.key(page, true, &key));
                    sent.push(plain.key(page, false, &key));
                }
                None => sent.push(page.call(&cdp::input::InsertText::new(character.to_string()))),
            }
        }
        done(page, sent).await
    }

    #[expect(clippy::too_many_arguments, reason = "they are the event's members")]
    fn mouse<'a>(
        &self,
        page: &'a Page,
        kind: &str,
        at: ViewportPoint,
        button: &str,
        held: u32,
        clicks: u32,
        device: &str,
    ) -> Sent<'a> {
        page.call(&cdp::input::DispatchMouseEvent {
            button: Some(button.into()),
            buttons: Some(i64::from(held)),
            click_count: Some(i64::from(clicks)),
            modifiers: Some(i64::from(self.modifiers)),
            pointer_type: Some(if device == "pen" { "pen" } else { "mouse" }.into()),
            ..cdp::input::DispatchMouseEvent::new(kind, at.x, at.y)
        })
    }

    /// One finger, there or lifted.
    fn touch<'a>(&self, page: &'a Page, kind: &str, at: Option<ViewportPoint>) -> Sent<'a> {
        let points = at.map(|at| cdp::input::TouchPoint::new(at.x, at.y));
        page.call(&cdp::input::DispatchTouchEvent {
            modifiers: Some(i64::from(self.modifiers)),
            ..cdp::input::DispatchTouchEvent::new(kind, points.into_iter().collect())
        })
    }

    fn key<'a>(&self, page: &'a Page, down: bool, key: &Key) -> Sent<'a> {
        // Held Control, Alt or Meta make a command of what would otherwise type.
        let text = key
            .text
            .as_deref()
            .filter(|_| down && self.modifiers & 7 == 0);
        use cdp::input::{DispatchKeyEvent, DispatchKeyEventType};
        let kind = match (down, text) {
            (true, Some(_)) => DispatchKeyEventType::KeyDown,
            (true, None) => DispatchKeyEventType::RawKeyDown,
            (false, _) => DispatchKeyEventType::KeyUp,
        };
        page.call(&DispatchKeyEvent {
            key: Some(key.key.to_string()),
            code: Some(key.code.to_string()),
            windows_virtual_key_code: Some(i64::from(key.key_code)),
            location: Some(i64::from(key.location)),
            modifiers: Some(i64::from(self.modifiers)),
            text: text.map(str::to_owned),
            unmodified_text: text.map(str::to_owned),
            ..DispatchKeyEvent::new(kind)
        })
    }
}

/// Awaits all; the first refusal is the answer.
async fn done(page: &Page, sent: Vec<Sent<'_>>) -> Result<(), ProtocolError> {
    page.drive(join_all(sent))
        .await
        .into_iter()
        .try_for_each(|result| result.map(drop))
}
