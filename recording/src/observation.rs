//! What is seen of a user's actions, as the recorder in the page tells it.

use serde::Deserialize;

use super::{Geolocation, TargetState};

/// One thing that the user did, as the page's recorder tells it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Observation {
    /// What.
    #[serde(flatten)]
    pub action: Action,
    /// The way to the frame: child numbers from the main one.
    #[serde(default)]
    pub frame: Vec<u32>,
    /// When, in milliseconds.
    #[serde(default)]
    pub at: f64,
    /// What it was done to, just before it.
    #[serde(default)]
    pub state: Option<TargetState>,
}

/// What the user did.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Action {
    /// Pressed and released.
    Press {
        /// Where.
        #[serde(flatten)]
        place: PlaceInElement,
        /// As in `MouseEvent.button`.
        button: u8,
        /// As in `PointerEvent.pointerType`.
        device: String,
        /// How long it was held, in milliseconds.
        duration: f64,
    },
    /// The two presses before were a double click.
    Double {
        /// Where.
        #[serde(flatten)]
        place: PlaceInElement,
    },
    /// Pressed, moved and released.
    Drag {
        /// Where it was pressed.
        #[serde(flatten)]
        place: PlaceInElement,
        /// As in `MouseEvent.button`.
        button: u8,
        /// As in `PointerEvent.pointerType`.
        device: String,
        /// CSS pixels and milliseconds from there and then.
        path: Vec<[f64; 3]>,
        /// Where it was dropped, if it was something that can be.
        #[serde(default)]
        onto: Option<PlaceInElement>,
    },
    /// A field has another value.
    Value {
        /// The field.
        selectors: Vec<Vec<String>>,
        /// What it holds now; absent if that is secret.
        value: Option<String>,
        /// What a field is called whose value is secret.
        secret: Option<String>,
    },
    /// Files were chosen for a field.
    Files {
        /// The field.
        selectors: Vec<Vec<String>>,
        /// What this choice is called when the contents of its files are told.
        choice: String,
        /// The files.
        files: Vec<FileSeen>,
    },
    /// What is in a file that was chosen; it could not be told at once.
    Contents {
        /// Which choice.
        choice: String,
        /// Which of its files, from 0.
        index: usize,
        /// Its bytes in base64.
        base64: String,
    },
    /// The pointer came over an element, without which the next would not be there.
    Hover {
        /// The element.
        selectors: Vec<Vec<String>>,
    },
    /// A key went down or up.
    Key {
        /// Down.
        down: bool,
        /// As in `KeyboardEvent.key`.
        key: String,
    },
    /// Something was scrolled.
    Scroll {
        /// What; empty: the page.
        selectors: Vec<Vec<String>>,
        /// CSS pixels from the left.
        x: f64,
        /// CSS pixels from the top.
        y: f64,
    },
    /// The wheel was turned, and the page took it for itself.
    Wheel {
        /// Where.
        #[serde(flatten)]
        place: PlaceInElement,
        /// CSS pixels.
        dx: f64,
        /// CSS pixels.
        dy: f64,
    },
    /// A script goes back or forward in the history.
    Traverse,
    /// The user lets pages know where they are, or does not.
    Position {
        /// What pages are told.
        geolocation: Geolocation,
    },
    /// The page has another size.
    Viewport {
        /// CSS pixels.
        width: f64,
        /// CSS pixels.
        height: f64,
        /// Device pixels in a CSS pixel.
        scale: f64,
    },
}

/// A place in an element.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PlaceInElement {
    /// The element.
    pub selectors: Vec<Vec<String>>,
    /// CSS pixels from its left edge.
    pub x: f64,
    /// CSS pixels from its top edge.
    pub y: f64,
}

/// A file that was chosen, without what is in it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FileSeen {
    /// Without a folder.
    pub name: String,
    /// As in `File.type`.
    #[serde(rename = "type")]
    pub media_type: String,
    /// As in `File.lastModified`, milliseconds since 1970.
    pub modified: f64,
    /// Bytes.
    pub size: f64,
}
