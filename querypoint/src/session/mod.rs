//! A debugging session, `querypoint/session/1`: what a person has asked of a page so far, and the answer.
//!
//! [`Session`] holds what was typed and what came back. Nothing here runs a page: what changes a session gives the
//! session as it would be ([`Session::asking`], [`Session::watching`], …), and whoever has the browser keeps that one
//! when it has been answered. So what fails, or is cancelled, leaves the session as it was. [`messages`] is how a panel
//! and the back end speak of it, with its [`methods`] and their [`results`], [`address`] and [`native_host`] how a
//! panel finds its back end, [`excerpt`] what it shows of a source file, [`stop`] where the page that a person debugs
//! is paused, [`element`] what can be asked of what it shows, [`completion`] what a query may go on with,
//! [`expressions`] what can be asked about in a line of source, [`differences`] what is not the same at two points,
//! [`tab`] what is not the same in the tab that a person looks at, [`advice`] what a panel advises where the command
//! line names an option.

pub mod address;
pub mod advice;
pub mod change;
pub mod command_line;
pub mod completion;
pub mod differences;
pub mod element;
pub mod excerpt;
pub mod expressions;
pub mod libraries;
pub mod log_questions;
#[cfg(test)]
mod message_samples;
#[cfg(test)]
mod message_tests;
pub mod messages;
pub mod methods;
pub mod native_host;
mod points;
pub mod reading;
pub mod results;
pub mod stop;
pub mod tab;
#[cfg(test)]
mod tests;
pub mod timeline;

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Timing};
use advice::for_panel;
pub use points::{Laned, SessionError};
use tab::Document;

/// The value of the member `schema`.
pub const SCHEMA: &str = "querypoint/session/1";

/// What a person has asked of a page so far, and the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// [`SCHEMA`].
    pub schema: String,
    /// The page, as it was typed: a URL or a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// What the user does on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<RecordingOutline>,
    /// The reproduction point, in its canonical text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The queries, each with a name, in an order in which each uses earlier points only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// The expressions that are evaluated at each found point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watches: Vec<String>,
    /// What is known of `R` and the queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The document that the page had at `R`; none: it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Document>,
}

/// What is shown of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingOutline {
    /// What it is called.
    pub title: String,
    /// Its steps, in words, with the time that the user thought before each.
    pub steps: Vec<String>,
    /// The first step that is an action of the user's, in words; none: there is none. Opening a page is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_action: Option<String>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            page: None,
            recording: None,
            at: None,
            queries: Vec::new(),
            watches: Vec::new(),
            answer: None,
            document: None,
        }
    }
}

impl Session {
    /// A session with another page: nothing that was asked of the one before holds.
    #[must_use]
    pub fn of_page(page: &str) -> Self {
        Self {
            page: Some(page.to_owned()),
            ..Self::default()
        }
    }

    /// Whether nothing was ever done in it: no point was taken, nothing was asked and nothing recorded. A page alone is
    /// nothing.
    ///
    /// ```
    /// use querypoint::session::Session;
    /// let session = Session::of_page("shop.html");
    /// assert!(session.is_untouched());
    /// assert!(!session.stopped_at("end").unwrap().is_untouched());
    /// ```
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.recording.is_none()
            && self.at.is_none()
            && self.queries.is_empty()
            && self.watches.is_empty()
            && self.answer.is_none()
    }

    /// Whether it is another one than it was before, for who wants to go back. How long an answer took is no
    /// difference, nor is the page of a session in which nothing was done.
    ///
    /// ```
    /// use querypoint::session::Session;
    /// let opened = Session::of_page("shop.html");
    /// let stopped = opened.stopped_at("end").unwrap();
    /// assert!(stopped.is_another_than(&opened) && opened.is_another_than(&stopped));
    /// assert!(!Session::of_page("login.html").is_another_than(&opened));
    /// ```
    #[must_use]
    pub fn is_another_than(&self, before: &Self) -> bool {
        let timeless = |session: &Self| {
            let mut session = session.clone();
            if let Some(answer) = &mut session.answer {
                answer.timing_ms = Timing::default();
            }
            session
        };
        let is_touched = !self.is_untouched() || !before.is_untouched();
        is_touched && timeless(self) != timeless(before)
    }

    /// The session with another recording, or with none. What was asked stays, its answers go: it is another execution.
    #[must_use]
    pub fn recorded(&self, recording: Option<RecordingOutline>) -> Self {
        Self {
            recording,
            answer: None,
            document: None,
            ..self.clone()
        }
    }

    /// What is evaluated at each point: what is watched, and the document.
    #[must_use]
    pub fn evaluated(&self) -> Vec<String> {
        let document = tab::DOCUMENT.map(str::to_owned).into_iter();
        let document = document.filter(|it| !self.watches.contains(it));
        self.watches.iter().cloned().chain(document).collect()
    }

    /// The session with what was found, where [`Self::evaluated`] was evaluated. Its notes advise what a panel can do.
    #[must_use]
    pub fn answered(&self, mut answer: Answer) -> Self {
        let document = tab::take_document(&mut answer, &self.watches);
        let of_points = answer.points.iter_mut().filter_map(|it| it.note.as_mut());
        for note in of_points.chain(&mut answer.consistency.notes) {
            *note = for_panel(note).into_owned();
        }
        Self {
            answer: Some(answer),
            document,
            ..self.clone()
        }
    }
}
