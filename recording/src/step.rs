//! The steps of a recording, and what they are called when they are spoken of.

mod custom;

use serde::ser::SerializeMap;
use serde_json::{Map, Value};

use super::members::{Members, json_type, number};
use super::selector::{SelectorChain, optional_selectors, selectors};
use super::{RecordingError, own};
pub use custom::{ChosenFile, Drag, DropPlace, Files, History, Wheel};

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// The page it is done in: `main`, or the URL of another.
    pub target: Option<String>,
    /// The way to the frame it is done in: indices of child frames from the main one.
    pub frame: Vec<u32>,
    /// How long it may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// What must happen because of it.
    pub asserted_events: Vec<AssertedEvent>,
    /// Members that are not known here.
    pub other: Map<String, Value>,
}

/// What is done in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// Go to a URL.
    Navigate {
        /// The URL.
        url: String,
    },
    /// Give the page a size.
    SetViewport(Viewport),
    /// Slow the network down.
    EmulateNetworkConditions {
        /// Bytes a second; -1: no limit.
        download: f64,
        /// Bytes a second; -1: no limit.
        upload: f64,
        /// Milliseconds.
        latency_ms: f64,
    },
    /// Press and release.
    Click(Pointer),
    /// Press and release twice.
    DoubleClick(Pointer),
    /// Move the pointer over an element.
    Hover {
        /// The element.
        selectors: Vec<SelectorChain>,
    },
    /// Give an input, a select or an editable element a value, as a user would.
    Change {
        /// The element.
        selectors: Vec<SelectorChain>,
        /// The value.
        value: String,
    },
    /// Press a key.
    KeyDown {
        /// Its name, as in `KeyboardEvent.key`.
        key: String,
    },
    /// Release a key.
    KeyUp {
        /// Its name, as in `KeyboardEvent.key`.
        key: String,
    },
    /// Scroll an element, or the page.
    Scroll {
        /// The element; empty: the page.
        selectors: Vec<SelectorChain>,
        /// CSS pixels from the left; none: as it is.
        x: Option<f64>,
        /// CSS pixels from the top; none: as it is.
        y: Option<f64>,
    },
    /// Wait until elements are there.
    WaitForElement(WaitForElement),
    /// Wait until an expression is truthy.
    WaitForExpression {
        /// JavaScript.
        expression: String,
    },
    /// Close the page.
    Close,
    /// Press, move while it is held, and release: a custom step of ours.
    Drag(Drag),
    /// Turn the wheel: a custom step of ours.
    Wheel(Wheel),
    /// Choose files for a field: a custom step of ours.
    Files(Files),
    /// Go back or forward: a custom step of ours.
    History(History),
    /// What Recorder itself has no step for.
    CustomStep {
        /// Its name.
        name: String,
        /// What it needs; an empty object if nothing.
        parameters: Value,
    },
}

/// The size of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewport {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// Device pixels in a CSS pixel.
    pub device_scale_factor: f64,
    /// Whether it is a mobile device's.
    pub is_mobile: bool,
    /// Whether it has a touch screen.
    pub has_touch: bool,
    /// Whether it lies on its side.
    pub is_landscape: bool,
}

/// Where and how something is pressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// The element.
    pub selectors: Vec<SelectorChain>,
    /// CSS pixels from the element's left edge.
    pub offset_x: f64,
    /// CSS pixels from the element's top edge.
    pub offset_y: f64,
    /// Which button.
    pub button: MouseButton,
    /// With what.
    pub device_type: DeviceType,
    /// How long it is held, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// Makes an enum whose values represent words in a recording.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $expected:literal, $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// The word in a recording.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            fn take(members: &mut Members, member: &str) -> Result<Self, RecordingError> {
                match members.optional_text(member)?.as_deref() {
                    None => Ok(Self::default()),
                    $(Some($word) => Ok(Self::$variant),)+
                    Some(other) => Err(members.wrong(member, $expected, &Value::from(other))),
                }
            }
        }
    };
}

words! {
    /// The button of a mouse.
    MouseButton, "primary, auxiliary, secondary, back or forward",
    /// The left one, usually.
    #[default]
    Primary = "primary",
    /// The middle one.
    Auxiliary = "auxiliary",
    /// The right one, usually.
    Secondary = "secondary",
    /// The fourth.
    Back = "back",
    /// The fifth.
    Forward = "forward",
}

words! {
    /// What the user points with.
    DeviceType, "mouse, pen or touch",
    /// A mouse.
    #[default]
    Mouse = "mouse",
    /// A pen.
    Pen = "pen",
    /// A finger.
    Touch = "touch",
}

words! {
    /// How a number of elements compares with the one that is waited for.
    Comparison, ">=, == or <=",
    /// At least as many.
    #[default]
    AtLeast = ">=",
    /// As many.
    Exactly = "==",
    /// At most as many.
    AtMost = "<=",
}

/// Which elements are waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForElement {
    /// The elements.
    pub selectors: Vec<SelectorChain>,
    /// How their number compares with `count`.
    pub operator: Comparison,
    /// How many.
    pub count: u64,
    /// Whether they must be visible (or, if `false`, hidden); none: either.
    pub visible: Option<bool>,
    /// Properties that they must have.
    pub properties: Option<Value>,
    /// Attributes that they must have.
    pub attributes: Option<Value>,
}

/// Something that must happen because of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct AssertedEvent {
    /// Its type; `navigation` is the only one that Recorder writes.
    pub kind: String,
    /// Where to.
    pub url: Option<String>,
    /// The title of the page that is reached.
    pub title: Option<String>,
    /// Members that are not known here.
    pub other: Map<String, Value>,
}

impl StepKind {
    /// Whether the user does something to the page with it that the page answers: letting go of a key seldom is.
    #[must_use]
    pub fn is_gesture(&self) -> bool {
        matches!(
            self,
            Self::Click(_)
                | Self::DoubleClick(_)
                | Self::Hover { .. }
                | Self::Change { .. }
                | Self::KeyDown { .. }
                | Self::Drag(_)
                | Self::Wheel(_)
                | Self::Files(_)
                | Self::History(_)
        )
    }

    /// Whether the user does nothing with it: the replay waits for what the page does by itself.
    #[must_use]
    pub fn is_wait(&self) -> bool {
        matches!(
            self,
            Self::WaitForElement(_) | Self::WaitForExpression { .. }
        )
    }

    /// The types of step that are known.
    pub const KNOWN: &'static [&'static str] = &[
        "navigate",
        "setViewport",
        "emulateNetworkConditions",
        "click",
        "doubleClick",
        "hover",
        "change",
        "keyDown",
        "keyUp",
        "scroll",
        "waitForElement",
        "waitForExpression",
        "close",
        "customStep",
    ];

    /// The type of the step, as in the recording.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Navigate { .. } => "navigate",
            Self::SetViewport(_) => "setViewport",
            Self::EmulateNetworkConditions { .. } => "emulateNetworkConditions",
            Self::Click(_) => "click",
            Self::DoubleClick(_) => "doubleClick",
            Self::Hover { .. } => "hover",
            Self::Change { .. } => "change",
            Self::KeyDown { .. } => "keyDown",
            Self::KeyUp { .. } => "keyUp",
            Self::Scroll { .. } => "scroll",
            Self::WaitForElement(_) => "waitForElement",
            Self::WaitForExpression { .. } => "waitForExpression",
            Self::Close => "close",
            Self::Drag(_)
            | Self::Wheel(_)
            | Self::Files(_)
            | Self::History(_)
            | Self::CustomStep { .. } => "customStep",
        }
    }

    fn take(kind: &str, number: usize, members: &mut Members) -> Result<Self, RecordingError> {
        Ok(match kind {
            "navigate" => Self::Navigate {
                url: members.text("url")?,
            },
            "setViewport" => Self::SetViewport(Viewport::take(members)?),
            "emulateNetworkConditions" => Self::EmulateNetworkConditions {
                download: members.number("download")?,
                upload: members.number("upload")?,
                latency_ms: members.number("latency")?,
            },
            "click" => Self::Click(Pointer::take(members)?),
            "doubleClick" => Self::DoubleClick(Pointer::take(members)?),
            "hover" => Self::Hover {
                selectors: selectors(members)?,
            },
            "change" => Self::Change {
                selectors: selectors(members)?,
                value: members.text("value")?,
            },
            "keyDown" => Self::KeyDown {
                key: members.text("key")?,
            },
            "keyUp" => Self::KeyUp {
                key: members.text("key")?,
            },
            "scroll" => Self::Scroll {
                selectors: optional_selectors(members)?.unwrap_or_default(),
                x: members.optional_number("x")?,
                y: members.optional_number("y")?,
            },
            "waitForElement" => Self::WaitForElement(WaitForElement {
                selectors: selectors(members)?,
                operator: Comparison::take(members, "operator")?,
                count: members.optional_whole("count")?.unwrap_or(1),
                visible: members.optional_flag("visible")?,
                properties: members.take("properties"),
                attributes: members.take("attributes"),
            }),
            "waitForExpression" => Self::WaitForExpression {
                expression: members.text("expression")?,
            },
            "close" => Self::Close,
            "customStep" => Self::take_custom(number, members)?,
            _ => {
                return Err(RecordingError::UnknownStep {
                    step: number,
                    kind: kind.to_owned(),
                    known: Self::KNOWN,
                });
            }
        })
    }
}

impl Viewport {
    fn take(members: &mut Members) -> Result<Self, RecordingError> {
        let mut pixels = |member| {
            let number = members.whole(member)?;
            u32::try_from(number)
                .map_err(|_| members.wrong(member, "a number of pixels", &Value::from(number)))
        };
        Ok(Self {
            width: pixels("width")?,
            height: pixels("height")?,
            device_scale_factor: members.optional_number("deviceScaleFactor")?.unwrap_or(1.0),
            is_mobile: members.optional_flag("isMobile")?.unwrap_or(false),
            has_touch: members.optional_flag("hasTouch")?.unwrap_or(false),
            is_landscape: members.optional_flag("isLandscape")?.unwrap_or(false),
        })
    }
}

impl Pointer {
    pub(super) fn take(members: &mut Members) -> Result<Self, RecordingError> {
        Ok(Self {
            selectors: selectors(members)?,
            offset_x: members.number("offsetX")?,
            offset_y: members.number("offsetY")?,
            button: MouseButton::take(members, "button")?,
            device_type: DeviceType::take(members, "deviceType")?,
            duration_ms: members.optional_whole("duration")?,
        })
    }
}

impl Step {
    /// A step that needs nothing but what is done.
    #[must_use]
    pub fn new(kind: StepKind) -> Self {
        Self {
            kind,
            target: None,
            frame: Vec::new(),
            timeout_ms: None,
            asserted_events: Vec::new(),
            other: Map::new(),
        }
    }

    /// The step with this number, from 1.
    pub(super) fn from_json(number: usize, step: Value) -> Result<Self, RecordingError> {
        let Value::Object(object) = step else {
            return Err(RecordingError::WrongMember {
                step: None,
                kind: None,
                member: format!("steps[{}]", number - 1),
                expected: "an object",
                found: json_type(&step).to_owned(),
            });
        };
        let mut members = Members::of_step(number, object);
        let kind = members.text("type")?;
        members.set_kind(&kind);
        let kind = StepKind::take(&kind, number, &mut members)?;
        let target = members.optional_text("target")?;
        let frame = frame(&mut members)?;
        let timeout_ms = members.optional_whole("timeout")?;
        let asserted_events = asserted_events(number, &mut members)?;
        Ok(Self {
            kind,
            target,
            frame,
            timeout_ms,
            asserted_events,
            other: members.rest(),
        })
    }

    /// A member of `querypoint`, which others ignore.
    #[must_use]
    pub fn ours(&self, member: &str) -> Option<&Value> {
        own::get(&self.other, member)
    }

    /// Whether the page asked for no animation frame while this was done; where nobody knows, it may have.
    #[must_use]
    pub fn needs_no_frames(&self) -> bool {
        self.ours("noFrames").and_then(Value::as_bool) == Some(true)
    }

    /// Sets such a member.
    pub(super) fn set_ours(&mut self, member: &str, value: Value) {
        own::set(&mut self.other, member, value);
    }
}

fn frame(members: &mut Members) -> Result<Vec<u32>, RecordingError> {
    let indices = members.optional_array("frame")?.unwrap_or_default();
    indices
        .iter()
        .map(|index| {
            index
                .as_u64()
                .and_then(|index| u32::try_from(index).ok())
                .ok_or_else(|| members.wrong("frame", "an array of indices of child frames", index))
        })
        .collect()
}

fn asserted_events(
    number: usize,
    members: &mut Members,
) -> Result<Vec<AssertedEvent>, RecordingError> {
    let events = members
        .optional_array("assertedEvents")?
        .unwrap_or_default();
    events
        .into_iter()
        .map(|event| {
            let Value::Object(object) = event else {
                return Err(members.wrong("assertedEvents", "an array of objects", &event));
            };
            let mut event = Members::of_step(number, object);
            event.set_kind("assertedEvents");
            Ok(AssertedEvent {
                kind: event.text("type")?,
                url: event.optional_text("url")?,
                title: event.optional_text("title")?,
                other: event.rest(),
            })
        })
        .collect()
}

pub(super) fn pointer_members<M: SerializeMap>(
    pointer: &Pointer,
    map: &mut M,
) -> Result<(), M::Error> {
    map.serialize_entry("selectors", &pointer.selectors)?;
    map.serialize_entry("offsetX", &number(pointer.offset_x))?;
    map.serialize_entry("offsetY", &number(pointer.offset_y))?;
    if pointer.button != MouseButton::default() {
        map.serialize_entry("button", pointer.button.word())?;
    }
    if pointer.device_type != DeviceType::default() {
        map.serialize_entry("deviceType", pointer.device_type.word())?;
    }
    if let Some(duration) = pointer.duration_ms {
        map.serialize_entry("duration", &duration)?;
    }
    Ok(())
}
