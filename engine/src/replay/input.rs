//! Trusted input: what the mouse, the keyboard and a finger do, as the browser itself would receive it.
//!
//! Each command of a gesture waits for the one before it, since a browser drops what comes while the page is paused
//! ([`SentInput`]). Only a move of the pointer, which is told once in a frame, is sent with what follows it where the
//! page is not going to be paused.

use std::time::Duration;

use agent::evaluated;
use futures::future::join_all;

use super::keys::{Key, key_of, modifier_bit};
use super::sent::{InputCounts, InputKind, SentInput};
use crate::agent_message::answered;
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Command as _, Encoded, ProtocolError};

/// Above this a text is inserted at once: nobody typed it.
pub(super) const TYPED_CHARACTERS: usize = 400;

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
    sent: SentInput,
}

/// A command of a gesture, which is not sent yet, and what comes of it.
type Part = (InputKind, Encoded);

impl Input {
    /// Input whose commands are counted in `sent`.
    pub(super) fn counted_in(sent: &SentInput) -> Self {
        Self {
            modifiers: 0,
            sent: sent.clone(),
        }
    }

    /// Moves the mouse there.
    pub(crate) async fn hover(&self, page: &Page, at: ViewportPoint) -> Result<(), ProtocolError> {
        self.done(
            page,
            vec![self.mouse("mouseMoved", at, "none", 0, 0, "mouse")],
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
        let mut sent = self.there(at, press);
        for count in 1..=press.clicks {
            sent.push(self.down(at, press, count));
            if let Some(hold) = press.hold {
                self.done(page, std::mem::take(&mut sent)).await?;
                page.drive(page.clock().sleep(hold)).await;
            }
            sent.push(self.up(at, press, count));
        }
        self.done(page, sent).await
    }

    /// Moves there and presses.
    pub(crate) async fn press(
        &self,
        page: &Page,
        at: ViewportPoint,
        press: Press<'_>,
    ) -> Result<(), ProtocolError> {
        let mut sent = self.there(at, press);
        sent.push(self.down(at, press, 1));
        self.done(page, sent).await
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
            "touch" => vec![self.touch("touchMove", Some(at))],
            _ => vec![self.mouse("mouseMoved", at, button, press.buttons(), 0, device)],
        };
        if no_frame && device != "touch" {
            // A text without letters is put nowhere; but it is waited for no frame, and what waits before it is told
            // before it. (200 moves came as 200 events in 1.9 ms each, 16.6 without it; Chromium 156.)
            sent.push((InputKind::Text, cdp::input::InsertText::new("").encoded()));
        }
        self.done(page, sent).await
    }

    /// Releases it there.
    pub(crate) async fn release(
        &self,
        page: &Page,
        at: ViewportPoint,
        press: Press<'_>,
    ) -> Result<(), ProtocolError> {
        self.done(page, vec![self.up(at, press, 1)]).await
    }

    /// What comes before a press: a finger comes from nowhere.
    fn there(&self, at: ViewportPoint, press: Press<'_>) -> Vec<Part> {
        match press.device {
            "touch" => Vec::new(),
            device => vec![self.mouse("mouseMoved", at, "none", 0, 0, device)],
        }
    }

    fn down(&self, at: ViewportPoint, press: Press<'_>, count: u32) -> Part {
        let Press { button, device, .. } = press;
        match device {
            "touch" => self.touch("touchStart", Some(at)),
            _ => self.mouse("mousePressed", at, button, press.buttons(), count, device),
        }
    }

    fn up(&self, at: ViewportPoint, press: Press<'_>, count: u32) -> Part {
        let Press { button, device, .. } = press;
        match device {
            "touch" => self.touch("touchEnd", None),
            _ => self.mouse("mouseReleased", at, button, 0, count, device),
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
        self.done(page, vec![(InputKind::Wheel, turn.encoded())])
            .await
    }

    /// Presses a key and keeps it down.
    pub(crate) async fn key_down(&mut self, page: &Page, key: &Key) -> Result<(), ProtocolError> {
        self.modifiers |= modifier_bit(&key.key);
        self.done(page, vec![self.key(true, key)]).await
    }

    /// Lets go of a key.
    pub(crate) async fn key_up(&mut self, page: &Page, key: &Key) -> Result<(), ProtocolError> {
        self.modifiers &= !modifier_bit(&key.key);
        self.done(page, vec![self.key(false, key)]).await
    }

    /// Types into what has the focus, first deleting what is selected if `clear`.
    pub(crate) async fn type_text(
        &self,
        page: &Page,
        text: &str,
        clear: bool,
    ) -> Result<(), ProtocolError> {
        let plain = Self::counted_in(&self.sent);
        let mut sent = Vec::new();
        if clear
            && text.is_empty()
            && let Some(key) = super::keys::key_named("Backspace")
        {
            sent.push(plain.key(true, &key));
            sent.push(plain.key(false, &key));
        }
        if text.chars().count() > TYPED_CHARACTERS {
            sent.push((InputKind::Text, cdp::input::InsertText::new(text).encoded()));
            return self.done(page, sent).await;
        }
        for character in text.chars() {
            match key_of(character) {
                Some(key) => {
                    sent.push(plain.key(true, &key));
                    sent.push(plain.key(false, &key));
                }
                None => {
                    let insert = cdp::input::InsertText::new(character.to_string());
                    sent.push((InputKind::Text, insert.encoded()));
                }
            }
        }
        self.done(page, sent).await
    }

    fn mouse(
        &self,
        kind: &str,
        at: ViewportPoint,
        button: &str,
        held: u32,
        clicks: u32,
        device: &str,
    ) -> Part {
        let kind_of_input = match kind {
            "mousePressed" => InputKind::Down,
            "mouseReleased" => InputKind::Up,
            _ => InputKind::Move,
        };
        let told = cdp::input::DispatchMouseEvent {
            button: Some(button.into()),
            buttons: Some(i64::from(held)),
            click_count: Some(i64::from(clicks)),
            modifiers: Some(i64::from(self.modifiers)),
            pointer_type: Some(if device == "pen" { "pen" } else { "mouse" }.into()),
            ..cdp::input::DispatchMouseEvent::new(kind, at.x, at.y)
        };
        (kind_of_input, told.encoded())
    }

    /// One finger, there or lifted.
    fn touch(&self, kind: &str, at: Option<ViewportPoint>) -> Part {
        let points = at.map(|at| cdp::input::TouchPoint::new(at.x, at.y));
        let kind_of_input = match kind {
            "touchStart" => InputKind::Down,
            "touchEnd" => InputKind::Up,
            _ => InputKind::Move,
        };
        let told = cdp::input::DispatchTouchEvent {
            modifiers: Some(i64::from(self.modifiers)),
            ..cdp::input::DispatchTouchEvent::new(kind, points.into_iter().collect())
        };
        (kind_of_input, told.encoded())
    }

    fn key(&self, down: bool, key: &Key) -> Part {
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
        let told = DispatchKeyEvent {
            key: Some(key.key.to_string()),
            code: Some(key.code.to_string()),
            windows_virtual_key_code: Some(i64::from(key.key_code)),
            location: Some(i64::from(key.location)),
            modifiers: Some(i64::from(self.modifiers)),
            text: text.map(str::to_owned),
            unmodified_text: text.map(str::to_owned),
            ..DispatchKeyEvent::new(kind)
        };
        let kind_of_input = if down {
            InputKind::KeyDown
        } else {
            InputKind::KeyUp
        };
        (kind_of_input, told.encoded())
    }

    /// Sends the parts of a gesture and awaits them; the first refusal is the answer.
    async fn done(&self, page: &Page, parts: Vec<Part>) -> Result<(), ProtocolError> {
        if let Some(asked) = self.sent.asks() {
            self.sent.begin(come(page, &asked).await?);
        }
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            let mut together = vec![part];
            // A page is told of a move once in a frame; of a press at once, with the move before it.
            while !self.sent.is_one_by_one()
                && together
                    .last()
                    .is_some_and(|(kind, _)| *kind == InputKind::Move)
                && let Some(next) = parts.next()
            {
                together.push(next);
            }
            page.drive(self.sent.until_it_runs()).await;
            for (kind, _) in &together {
                self.sent.send(*kind);
            }
            let protocol = page.protocol().as_ref();
            let sent = together.into_iter();
            let sent = sent.map(|(_, command)| command.send(protocol, Some(page.session())));
            let answers = page.drive(join_all(sent));
            for answer in answers.await {
                self.sent.answer();
                answer?;
            }
        }
        Ok(())
    }
}

/// What has come of the user's input; nothing where the page has no agent to ask.
async fn come(page: &Page, expression: &str) -> Result<InputCounts, ProtocolError> {
    let look = cdp::runtime::Evaluate {
        return_by_value: Some(true),
        silent: Some(true),
        ..cdp::runtime::Evaluate::new(evaluated(expression))
    };
    let told = page.drive(page.call(&look)).await?;
    let told = told.result.value.unwrap_or_default();
    Ok(answered(&told).unwrap_or_default())
}
