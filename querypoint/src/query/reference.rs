//! References: which variable or property is meant, evaluated at which point, in which frame.

use super::{PointName, number_to_string};

/// A global object reference, `P(frame):x.y`: evaluated in that frame at that point.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalReference {
    /// The point; none means `R` (in a constraint on [`ReferenceRoot::EventObject`]: the event itself).
    pub point: Option<PointName>,
    /// The frame: 0 is the newest, -1 the oldest.
    pub frame: i32,
    /// What is evaluated there.
    pub reference: Reference,
}

/// `C:operand(2)`: an operand of the computation that the origin called `C` ended at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandReference {
    /// The name of the origin.
    pub origin: PointName,
    /// Which of the operands that its answer shows, from 1.
    pub number: u32,
}

/// A variable, `this` or an element, and the way from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where the way begins.
    pub root: ReferenceRoot,
    /// The way, in order.
    pub segments: Vec<Segment>,
}

/// Where a reference begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceRoot {
    /// `this` of the frame.
    This,
    /// A variable that the frame sees.
    Variable(String),
    /// An element of the document, looked up by the browser: `document.querySelector("#total")`. Nothing of the page
    /// runs.
    Element(Lookup),
    /// A leading `.`: what the event reports; its first segment names which (`.owner` is the object that
    /// was written to, `.scope` the activation that holds the variable).
    EventObject,
}

/// How an element is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lookup {
    /// `document.querySelector("…")`, or `$("…")`: the first that matches this selector.
    Selector(String),
    /// `document.getElementById("…")`: the first with this id.
    Id(String),
    /// `document.querySelectorAll("…")[2]`: the one with this index of those that match this selector.
    Nth(String, u32),
}

/// One step of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// `.name`
    Property(String),
    /// `.#name`; without the `#`.
    Private(String),
    /// `[key]`
    Element(ElementKey),
    /// `.get(key)`: the value of a `Map` under that key.
    MapEntry(ElementKey),
    /// `.has(key)`: whether the value is in a `Set`.
    SetMember(ElementKey),
    /// `.querySelector("…")`, `.querySelectorAll("…")[2]` or `.getElementById("…")`: an element in the one that the way
    /// has reached, or in its shadow tree (`host.shadowRoot.querySelector("…")`). The browser looks it up, as at the
    /// beginning of a reference.
    Within(Lookup),
}

/// The key between brackets (or the parentheses of `get` and `has`).
#[derive(Clone, Debug, PartialEq)]
pub enum ElementKey {
    /// A number; always finite, never -0.
    Number(f64),
    /// A string.
    String(String),
    /// A variable whose value is the key; evaluated in the frame of the reference.
    Variable(String),
}

impl ElementKey {
    /// The property that this key names, if that can be known before the page runs.
    #[must_use]
    pub fn property_key(&self) -> Option<PropertyKey> {
        match self {
            Self::Number(number) => Some(PropertyKey::Public(number_to_string(*number))),
            Self::String(text) => Some(PropertyKey::Public(text.clone())),
            Self::Variable(_) => None,
        }
    }
}

/// The name of a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyKey {
    /// A string key; numbers as JavaScript prints them, so `[3]` and `["3"]` are one.
    Public(String),
    /// A private name, without the `#`.
    Private(String),
}

/// What can be written, at the end of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A variable, compared by scope id.
    Variable {
        /// Its name.
        name: String,
    },
    /// A property, compared by the object id of its owner.
    Property {
        /// The reference to the object that has it.
        owner: Reference,
        /// Its name.
        key: PropertyKey,
    },
    /// `owner[variable]`: a property whose name is known only at the point.
    ComputedProperty {
        /// The reference to the object that has it.
        owner: Reference,
        /// The variable that holds the name.
        variable: String,
    },
    /// `owner.get(key)`
    MapEntry {
        /// The reference to the map.
        owner: Reference,
        /// The key.
        key: ElementKey,
    },
    /// `owner.has(key)`
    SetMember {
        /// The reference to the set.
        owner: Reference,
        /// The member.
        key: ElementKey,
    },
    /// `this`, an element or the event's object themselves, which nothing can write.
    Unchangeable,
}

impl GlobalReference {
    /// The point that is meant: `R` where none was written.
    #[must_use]
    pub fn point_or_reproduction_point(&self) -> PointName {
        self.point
            .clone()
            .unwrap_or_else(PointName::reproduction_point)
    }

    /// Whether it begins at the object of the event that is looked at, as `.owner` in a trace query.
    #[must_use]
    pub fn is_of_event(&self) -> bool {
        self.point.is_none() && self.reference.root == ReferenceRoot::EventObject
    }

    /// What the reference ends in, the thing that can be written.
    #[must_use]
    pub fn target(&self) -> Target {
        self.reference.target()
    }
}

impl Reference {
    /// A reference to a variable.
    #[must_use]
    pub fn variable(name: impl Into<String>) -> Self {
        Self {
            root: ReferenceRoot::Variable(name.into()),
            segments: Vec::new(),
        }
    }

    /// The same reference with one more step.
    #[must_use]
    pub fn then(mut self, segment: Segment) -> Self {
        self.segments.push(segment);
        self
    }

    /// What the reference ends in, the thing that can be written.
    #[must_use]
    pub fn target(&self) -> Target {
        let Some((last, way)) = self.segments.split_last() else {
            return match &self.root {
                ReferenceRoot::Variable(name) => Target::Variable { name: name.clone() },
                ReferenceRoot::This | ReferenceRoot::Element(_) | ReferenceRoot::EventObject => {
                    Target::Unchangeable
                }
            };
        };
        if self.root == ReferenceRoot::EventObject && way.is_empty() {
            return Target::Unchangeable;
        }
        let owner = Self {
            root: self.root.clone(),
            segments: way.to_vec(),
        };
        match last {
            Segment::Property(name) => Target::Property {
                owner,
                key: PropertyKey::Public(name.clone()),
            },
            Segment::Private(name) => Target::Property {
                owner,
                key: PropertyKey::Private(name.clone()),
            },
            Segment::Element(ElementKey::Variable(variable)) => Target::ComputedProperty {
                owner,
                variable: variable.clone(),
            },
            Segment::Element(ElementKey::Number(number)) => Target::Property {
                owner,
                key: PropertyKey::Public(number_to_string(*number)),
            },
            Segment::Element(ElementKey::String(key)) => Target::Property {
                owner,
                key: PropertyKey::Public(key.clone()),
            },
            Segment::MapEntry(key) => Target::MapEntry {
                owner,
                key: key.clone(),
            },
            Segment::SetMember(key) => Target::SetMember {
                owner,
                key: key.clone(),
            },
            Segment::Within(_) => Target::Unchangeable,
        }
    }
}
