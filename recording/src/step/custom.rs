//! The steps that Recorder does not know: custom steps of ours, whose names begin with `querypoint/`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Pointer, StepKind, pointer_members};
use crate::members::{Members, number};
use crate::selector::{SelectorChain, selectors};
use crate::{Recording, RecordingError};

/// Something is held and moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// Where it is pressed.
    pub from: Pointer,
    /// Where to, and when: CSS pixels and milliseconds from there and then. It is released at the last.
    pub path: Vec<[f64; 3]>,
    /// Where it is dropped, if what is moved is an element, a text or an image that can be dragged.
    pub onto: Option<DropPlace>,
}

/// Where something is dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct DropPlace {
    /// The element.
    pub selectors: Vec<SelectorChain>,
    /// CSS pixels from the element's left edge.
    pub offset_x: f64,
    /// CSS pixels from the element's top edge.
    pub offset_y: f64,
}

/// The wheel is turned over an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// The element.
    pub selectors: Vec<SelectorChain>,
    /// CSS pixels from the element's left edge.
    pub offset_x: f64,
    /// CSS pixels from the element's top edge.
    pub offset_y: f64,
    /// CSS pixels to the right.
    pub delta_x: f64,
    /// CSS pixels down.
    pub delta_y: f64,
}

/// Files are chosen for an `<input type=file>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    /// The field.
    pub selectors: Vec<SelectorChain>,
    /// The files, in the order in which the page has them; none: what was chosen is no longer.
    pub files: Vec<ChosenFile>,
}

/// A file that is chosen, with what is in it: a path would name another file on another machine.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenFile {
    /// Its name, without a folder.
    pub name: String,
    /// What the page was told that it is, as `text/csv`; may be empty.
    pub media_type: String,
    /// When it was changed last, in milliseconds since 1970.
    pub modified_ms: Option<u64>,
    /// Bytes.
    pub size: u64,
    /// What is in it; none: it was too large to be recorded.
    pub contents: Option<Vec<u8>>,
    /// Where it lies for the browser that replays; no part of the recording.
    pub path: Option<String>,
}

/// The user goes back or forward with the browser's own buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// As in `history.go()`: -1 is back, 1 is forward; never 0.
    pub delta: i32,
}

impl StepKind {
    pub(crate) fn take_custom(
        number: usize,
        members: &mut Members,
    ) -> Result<Self, RecordingError> {
        let name = members.text("name")?;
        let parameters = members
            .take("parameters")
            .unwrap_or_else(|| Value::Object(Map::new()));
        let ours = |parameters: &Value| {
            let mut members = Members::of_step(number, parameters.as_object().cloned()?);
            members.set_kind(&name);
            Some(members)
        };
        Ok(match (name.as_str(), ours(&parameters)) {
            (Drag::NAME, Some(mut members)) => Self::Drag(Drag::take(&mut members)?),
            (Wheel::NAME, Some(mut members)) => Self::Wheel(Wheel::take(&mut members)?),
            (Files::NAME, Some(mut members)) => Self::Files(Files::take(number, &mut members)?),
            (History::NAME, Some(mut members)) => Self::History(History::take(&mut members)?),
            _ => Self::CustomStep { name, parameters },
        })
    }
}

impl Drag {
    /// The name of the custom step.
    pub const NAME: &'static str = "querypoint/drag";

    fn take(members: &mut Members) -> Result<Self, RecordingError> {
        let from = Pointer::take(members)?;
        let path = members.array("path")?;
        let path = path.iter().map(|place| {
            let numbers = place
                .as_array()
                .map(|place| place.iter().map(Value::as_f64));
            let numbers: Option<Vec<f64>> = numbers.and_then(Iterator::collect);
            numbers
                .and_then(|numbers| <[f64; 3]>::try_from(numbers).ok())
                .ok_or_else(|| members.wrong("path", "an array of places [x, y, ms]", place))
        });
        let path = path.collect::<Result<_, _>>()?;
        let onto = match members.optional_part("onto")? {
            None => None,
            Some(mut onto) => Some(DropPlace {
                selectors: selectors(&mut onto)?,
                offset_x: onto.number("offsetX")?,
                offset_y: onto.number("offsetY")?,
            }),
        };
        Ok(Self { from, path, onto })
    }
}

impl Serialize for Drag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        pointer_members(&self.from, &mut map)?;
        let path: Vec<_> = self.path.iter().map(|place| place.map(number)).collect();
        map.serialize_entry("path", &path)?;
        if let Some(onto) = &self.onto {
            map.serialize_entry("onto", onto)?;
        }
        map.end()
    }
}

impl Serialize for DropPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("selectors", &self.selectors)?;
        map.serialize_entry("offsetX", &number(self.offset_x))?;
        map.serialize_entry("offsetY", &number(self.offset_y))?;
        map.end()
    }
}

impl Wheel {
    /// The name of the custom step.
    pub const NAME: &'static str = "querypoint/wheel";

    fn take(members: &mut Members) -> Result<Self, RecordingError> {
        Ok(Self {
            selectors: selectors(members)?,
            offset_x: members.number("offsetX")?,
            offset_y: members.number("offsetY")?,
            delta_x: members.number("deltaX")?,
            delta_y: members.number("deltaY")?,
        })
    }
}

impl Serialize for Wheel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("selectors", &self.selectors)?;
        map.serialize_entry("offsetX", &number(self.offset_x))?;
        map.serialize_entry("offsetY", &number(self.offset_y))?;
        map.serialize_entry("deltaX", &number(self.delta_x))?;
        map.serialize_entry("deltaY", &number(self.delta_y))?;
        map.end()
    }
}

impl Files {
    /// The name of the custom step.
    pub const NAME: &'static str = "querypoint/files";

    /// More than that of one choice is not recorded, in bytes.
    pub const MOST_BYTES: u64 = 8 << 20;

    fn take(number: usize, members: &mut Members) -> Result<Self, RecordingError> {
        let selectors = selectors(members)?;
        let files = members.array("files")?;
        let files = files.into_iter().map(|file| {
            let Value::Object(object) = file else {
                return Err(members.wrong("files", "an array of objects", &file));
            };
            let mut file = Members::of_step(number, object);
            file.set_kind(Self::NAME);
            ChosenFile::take(&mut file)
        });
        Ok(Self {
            selectors,
            files: files.collect::<Result<_, _>>()?,
        })
    }
}

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("selectors", &self.selectors)?;
        map.serialize_entry("files", &self.files)?;
        map.end()
    }
}

impl ChosenFile {
    /// Whether a file can be called so: it says nothing about where the file is.
    pub(crate) fn is_name(name: &str) -> bool {
        const LONGEST: usize = 255;
        !name.is_empty()
            && name.len() <= LONGEST
            && !matches!(name, "." | "..")
            && !name.contains(['/', '\\', '\0'])
    }

    /// What is in it, in base64; `None`: it was too large to be recorded.
    #[must_use]
    pub fn base64(&self) -> Option<String> {
        Some(STANDARD.encode(self.contents.as_deref()?))
    }

    /// What base64 says; `None`: it is not base64.
    pub(crate) fn decoded(base64: &str) -> Option<Vec<u8>> {
        STANDARD.decode(base64).ok()
    }

    fn take(members: &mut Members) -> Result<Self, RecordingError> {
        let name = members.text("name")?;
        if !Self::is_name(&name) {
            return Err(members.wrong(
                "name",
                "a file's name, without a folder",
                &Value::from(name),
            ));
        }
        let media_type = members.optional_text("type")?.unwrap_or_default();
        let modified_ms = members.optional_whole("lastModified")?;
        let contents = match members.optional_text("contents")? {
            None => None,
            Some(text) => Some(Self::decoded(&text).ok_or_else(|| {
                members.wrong("contents", "the file's bytes in base64", &Value::from(text))
            })?),
        };
        let size = match &contents {
            None => members.whole("size")?,
            Some(contents) => contents.len() as u64,
        };
        Ok(Self {
            name,
            media_type,
            modified_ms,
            size,
            contents,
            path: None,
        })
    }
}

impl Recording {
    /// Tells where the files that are chosen lie, as `place` says for each: the number of its step, from 1, its place
    /// among those of the step, from 0, and the file.
    ///
    /// # Errors
    /// The first of `place`.
    pub fn place_files<E>(
        &mut self,
        mut place: impl FnMut(usize, usize, &ChosenFile) -> Result<String, E>,
    ) -> Result<(), E> {
        for (number, step) in (1..).zip(&mut self.steps) {
            if let StepKind::Files(files) = &mut step.kind {
                for (index, file) in files.files.iter_mut().enumerate() {
                    file.path = Some(place(number, index, file)?);
                }
            }
        }
        Ok(())
    }
}

impl Serialize for ChosenFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("type", &self.media_type)?;
        if let Some(modified) = self.modified_ms {
            map.serialize_entry("lastModified", &modified)?;
        }
        match self.base64() {
            Some(contents) => map.serialize_entry("contents", &contents)?,
            None => map.serialize_entry("size", &self.size)?,
        }
        map.end()
    }
}

impl History {
    /// The name of the custom step.
    pub const NAME: &'static str = "querypoint/history";

    fn take(members: &mut Members) -> Result<Self, RecordingError> {
        const EXPECTED: &str = "a whole number other than 0";
        let value = members
            .take("delta")
            .ok_or_else(|| members.missing("delta"))?;
        let delta = value.as_i64().and_then(|delta| i32::try_from(delta).ok());
        match delta.filter(|delta| *delta != 0) {
            Some(delta) => Ok(Self { delta }),
            None => Err(members.wrong("delta", EXPECTED, &value)),
        }
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({ "delta": self.delta }).serialize(serializer)
    }
}
