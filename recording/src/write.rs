//! Writing a recording as JSON, members in the order that Recorder writes them.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::members::number;
use super::step::{AssertedEvent, Drag, Files, History, Step, StepKind, Wheel, pointer_members};
use super::{Recording, SelectorChain};

impl Serialize for Recording {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("title", &self.title)?;
        if let Some(timeout) = self.timeout_ms {
            map.serialize_entry("timeout", &timeout)?;
        }
        map.serialize_entry("steps", &self.steps)?;
        for (member, value) in &self.other {
            map.serialize_entry(member, value)?;
        }
        map.end()
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind.name())?;
        if let Some(target) = &self.target {
            map.serialize_entry("target", target)?;
        }
        if !self.frame.is_empty() {
            map.serialize_entry("frame", &self.frame)?;
        }
        if let Some(timeout) = self.timeout_ms {
            map.serialize_entry("timeout", &timeout)?;
        }
        kind_members(&self.kind, &mut map)?;
        if !self.asserted_events.is_empty() {
            map.serialize_entry("assertedEvents", &self.asserted_events)?;
        }
        for (member, value) in &self.other {
            map.serialize_entry(member, value)?;
        }
        map.end()
    }
}

fn kind_members<M: SerializeMap>(kind: &StepKind, map: &mut M) -> Result<(), M::Error> {
    match kind {
        StepKind::Navigate { url } => map.serialize_entry("url", url),
        StepKind::SetViewport(viewport) => {
            map.serialize_entry("width", &viewport.width)?;
            map.serialize_entry("height", &viewport.height)?;
            map.serialize_entry("deviceScaleFactor", &number(viewport.device_scale_factor))?;
            map.serialize_entry("isMobile", &viewport.is_mobile)?;
            map.serialize_entry("hasTouch", &viewport.has_touch)?;
            map.serialize_entry("isLandscape", &viewport.is_landscape)
        }
        StepKind::EmulateNetworkConditions {
            download,
            upload,
            latency_ms,
        } => {
            map.serialize_entry("download", &number(*download))?;
            map.serialize_entry("upload", &number(*upload))?;
            map.serialize_entry("latency", &number(*latency_ms))
        }
        StepKind::Click(pointer) | StepKind::DoubleClick(pointer) => pointer_members(pointer, map),
        StepKind::Hover { selectors } => map.serialize_entry("selectors", selectors),
        StepKind::Change { selectors, value } => {
            map.serialize_entry("selectors", selectors)?;
            map.serialize_entry("value", value)
        }
        StepKind::KeyDown { key } | StepKind::KeyUp { key } => map.serialize_entry("key", key),
        StepKind::Scroll { selectors, x, y } => {
            if !selectors.is_empty() {
                map.serialize_entry("selectors", selectors)?;
            }
            if let Some(x) = x {
                map.serialize_entry("x", &number(*x))?;
            }
            if let Some(y) = y {
                map.serialize_entry("y", &number(*y))?;
            }
            Ok(())
        }
        StepKind::WaitForElement(wait) => {
            map.serialize_entry("selectors", &wait.selectors)?;
            map.serialize_entry("operator", wait.operator.word())?;
            map.serialize_entry("count", &wait.count)?;
            if let Some(visible) = wait.visible {
                map.serialize_entry("visible", &visible)?;
            }
            if let Some(properties) = &wait.properties {
                map.serialize_entry("properties", properties)?;
            }
            if let Some(attributes) = &wait.attributes {
                map.serialize_entry("attributes", attributes)?;
            }
            Ok(())
        }
        StepKind::WaitForExpression { expression } => map.serialize_entry("expression", expression),
        StepKind::Close => Ok(()),
        StepKind::Drag(drag) => {
            map.serialize_entry("name", Drag::NAME)?;
            map.serialize_entry("parameters", drag)
        }
        StepKind::Wheel(wheel) => {
            map.serialize_entry("name", Wheel::NAME)?;
            map.serialize_entry("parameters", wheel)
        }
        StepKind::Files(files) => {
            map.serialize_entry("name", Files::NAME)?;
            map.serialize_entry("parameters", files)
        }
        StepKind::History(history) => {
            map.serialize_entry("name", History::NAME)?;
            map.serialize_entry("parameters", history)
        }
        StepKind::CustomStep { name, parameters } => {
            map.serialize_entry("name", name)?;
            // Recorder refuses a custom step whose parameters are absent.
            map.serialize_entry("parameters", parameters)
        }
    }
}

impl Serialize for SelectorChain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut links = serializer.serialize_seq(Some(self.0.len()))?;
        for selector in &self.0 {
            links.serialize_element(&selector.to_string())?;
        }
        links.end()
    }
}

impl Serialize for AssertedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &self.kind)?;
        if let Some(url) = &self.url {
            map.serialize_entry("url", url)?;
        }
        if let Some(title) = &self.title {
            map.serialize_entry("title", title)?;
        }
        for (member, value) in &self.other {
            map.serialize_entry(member, value)?;
        }
        map.end()
    }
}
