//! Writes: what each of them wrote.

use event_log::model::{Key, Kind, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{
    Form, LoggedPlace, LoggedProperty, Logical, PathStep, Step, Value, Written,
};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::{InLog, Moment, Next, Spot};

/// By what names the text that a node shows is written.
pub(super) const TEXTS: [&str; 6] = [
    "textContent",
    "nodeValue",
    "data",
    "innerText",
    "outerText",
    "innerHTML",
];

/// A write of a variable, or of a key of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Write {
    pub(super) stream: u16,
    pub(super) event: u32,
    pub(super) value: Seen,
    pub(super) target: Target,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    /// A variable; of a parameter that took what a caller handed over, which argument.
    Variable { argument: Option<u32> },
    /// A key of an object.
    Key {
        object: u32,
        /// By index in the log.
        key: u32,
        /// Whether it was told with all of a collection.
        is_listed: bool,
    },
}

impl InLog<'_> {
    /// Where a write is.
    pub(super) fn place_of_write(&self, write: &Write) -> Option<(usize, ByteOffset)> {
        let event = self.event(write.event)?;
        let (script, (at, _, _)) = self.site(event.site)?;
        let at = match self.place(event.site)?.1 {
            LoggedPlace::Written { at, .. } => at,
            LoggedPlace::Array(elements) => {
                let element = self.element_part(&elements, write)?;
                element.0.span.start
            }
            _ => *at,
        };
        Some((script, at))
    }

    /// What a write wrote.
    pub(super) fn written(&self, write: Write, name: String, hops: &mut Vec<Hop>) -> Next {
        let Some(event) = self.event(write.event).copied() else {
            return Next::unobserved("the event is not in the log");
        };
        if let Target::Variable {
            argument: Some(argument),
        } = write.target
        {
            return self.parameter(event.call, argument, name, &[], write.value, hops);
        }
        // What a rest parameter was filled with.
        if let Target::Key { key, .. } = write.target
            && let Some((_, LoggedPlace::Written { written, .. })) = self.place(event.site)
            && let Written::Parameter {
                index,
                is_rest: true,
                path,
            } = written
            && path.is_empty()
        {
            let key = self.model.keys.get(key as usize);
            let index = key.and_then(|key| match key {
                Key::Property(key) => u32::try_from(index + key.parse::<usize>().ok()?).ok(),
                _ => None,
            });
            return match index {
                Some(index) => self.parameter(event.call, index, name, &[], write.value, hops),
                None => Next::unobserved(format!("what {name} is, is not in the log")),
            };
        }
        if let Some(next) = self.of_error_message(&write, &name, hops) {
            return next;
        }
        if let Some(made) = self.told(&write) {
            let next = self.of_result(&write, &made, &name, hops);
            return next.unwrap_or_else(|| {
                Next::unobserved(format!("what made {name} is not in the log"))
            });
        }
        if let Some(next) = self.of_given(&write, &name, hops) {
            return next;
        }
        let Some((script, place)) = self.place(event.site) else {
            return Next::unobserved("the text of the write does not say what it writes");
        };
        let moment = Moment {
            stream: write.stream,
            call: event.call,
            at: write.event,
        };
        let spot = Spot { script, moment };
        let kind = self.kind_of(&write);
        let seen = (write.stream, write.value);
        match place {
            LoggedPlace::Written { written, at, .. } => {
                self.assigned(kind, spot, written, at, (write.value, name), hops)
            }
            LoggedPlace::Call(call) => {
                let at = call.span.start;
                hops.extend(self.hop(kind, script, at, seen, name));
                let by_own_name = self.by_own_name(spot, &call);
                let call = by_own_name.as_ref().unwrap_or(&call);
                self.by_call(spot, &write, call, hops)
            }
            LoggedPlace::Array(elements) => {
                let Some((value, from_list)) = self.element_part(&elements, &write) else {
                    return Next::unobserved("an element of an array with several spreads");
                };
                let at = value.span.start;
                hops.extend(self.hop(kind, script, at, seen, name));
                match from_list {
                    None => Next::Value {
                        spot,
                        value: Box::new(value),
                        way: Vec::new(),
                        seen: write.value,
                    },
                    Some(index) => self.element_of(spot, &value, index, write.value, hops),
                }
            }
            LoggedPlace::Object(parts) => {
                let key = match write.target {
                    Target::Key { key, .. } => self.model.keys.get(key as usize),
                    Target::Variable { .. } => None,
                };
                let Some(key) = key else {
                    return Next::unobserved("the key of the literal is not in the log");
                };
                self.part_of_object((kind, spot), &parts, key, (write.value, name), hops)
            }
            _ => Next::unobserved("the text of the write does not say what it writes"),
        }
    }

    /// How a write is called.
    fn kind_of(&self, write: &Write) -> HopKind {
        let Target::Key { key, object, .. } = write.target else {
            return HopKind::Copy;
        };
        let class = match self.is_element(write.stream, object) {
            true => "HTMLElement",
            false => self.class_of(write.stream, object),
        };
        match self.model.keys.get(key as usize) {
            Some(Key::Property(name)) if crate::origin::is_of_document(class, name) => HopKind::Dom,
            Some(Key::Entry(_)) => HopKind::Entry,
            Some(Key::Property(name))
                if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                HopKind::Element
            }
            _ => HopKind::Property,
        }
    }

    /// An assignment, declaration, property or loop wrote.
    fn assigned(
        &self,
        kind: HopKind,
        spot: Spot,
        written: Written,
        at: ByteOffset,
        (value, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Next {
        let seen = (spot.moment.stream, value);
        let mut hop = |kind| hops.extend(self.hop(kind, spot.script, at, seen, name.clone()));
        match written {
            Written::Value { value: of, path } => {
                self.enter_pattern(spot, &path);
                hop(match path.is_empty() {
                    true => kind,
                    false => HopKind::Destructuring,
                });
                Next::Value {
                    spot,
                    value: Box::new(of),
                    way: path,
                    seen: value,
                }
            }
            Written::Parameter {
                index,
                is_rest: true,
                ref path,
            } if let Some((index, way)) = behind_rest(index, path) => {
                self.enter_pattern(spot, way);
                self.parameter(spot.moment.call, index, name, way, value, hops)
            }
            Written::Parameter {
                is_rest: true,
                path,
                ..
            } if !path.is_empty() && !js_analysis::origin::has_rest(&path) => {
                hop(kind);
                Next::unobserved("a property of the array of the arguments")
            }
            Written::Parameter { is_rest: true, .. } => {
                hop(kind);
                Next::ended(
                    EndKind::Literal,
                    Some("an array of the arguments".to_owned()),
                )
            }
            Written::Parameter { index, path, .. } => {
                self.enter_pattern(spot, &path);
                let index = u32::try_from(index).unwrap_or(NONE);
                self.parameter(spot.moment.call, index, name, &path, value, hops)
            }
            Written::Element { of, path } => {
                self.enter_pattern(spot, &path);
                self.iterated(spot, &of, &path, (value, name), at, hops)
            }
            Written::Caught => self.caught(spot, (value, name), hops),
            Written::CaughtPart(path) => {
                self.enter_pattern(spot, &path);
                hop(HopKind::Destructuring);
                self.part_of_caught(spot, &path, value, hops)
            }
            Written::Made(span) => {
                hop(kind);
                self.ended_at(EndKind::Literal, spot.script, span.start, None)
            }
            Written::Nothing => {
                hop(kind);
                let detail = "it was declared without a value, or deleted".to_owned();
                Next::ended(EndKind::Literal, Some(detail))
            }
            Written::KeyOf(of) => {
                hop(HopKind::Iterator);
                let object = self.evaluated(spot, &of, 0).and_then(Seen::object);
                let name = self.named(spot, &of);
                let made = object.and_then(|object| {
                    let made = (value, name.as_str());
                    self.made_key(spot.moment.stream, object.0, spot.moment.at, made, hops)
                });
                made.unwrap_or_else(|| {
                    Next::unobserved(format!(
                        "who gave {name} a property of this name is not in the log"
                    ))
                })
            }
            Written::Unknown(why) => {
                hop(kind);
                Next::unobserved(why)
            }
            Written::Spread { .. } | Written::Other(_) => {
                hop(kind);
                Next::unobserved("the text of the write does not say what it writes")
            }
        }
    }

    /// A property of an object literal with a spread or computed keys.
    fn part_of_object(
        &self,
        (kind, spot): (HopKind, Spot),
        parts: &[(ByteOffset, LoggedProperty)],
        wanted: &Key,
        (value, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Next {
        let seen = (spot.moment.stream, value);
        let is_it = |own: &str| matches!(wanted, Key::Property(key) if key == own);
        for &(at, ref part) in parts.iter().rev() {
            match part {
                LoggedProperty::Value(own, of) if is_it(own) => {
                    hops.extend(self.hop(kind, spot.script, at, seen, name));
                    return Next::Value {
                        spot,
                        value: Box::new(of.clone()),
                        way: Vec::new(),
                        seen: value,
                    };
                }
                LoggedProperty::Function(own) if is_it(own) => {
                    hops.extend(self.hop(kind, spot.script, at, seen, name));
                    return Next::ended(EndKind::Literal, None);
                }
                LoggedProperty::Value(..) | LoggedProperty::Function(_) => {}
                LoggedProperty::Spread(of) => {
                    // Which of several spreads had it last, the log says of their objects.
                    let copied = self.evaluated(spot, of, 0);
                    // `...(test && object)`: nothing is copied of what is no object.
                    let is_false = matches!(
                        of.form,
                        Form::Logical {
                            operator: Logical::And,
                            ..
                        }
                    ) && self.branch(spot, of) == Some(false);
                    let is_nothing = is_false
                        || matches!(
                            copied,
                            Some(Seen::Undefined | Seen::Null | Seen::Boolean(_) | Seen::Number(_))
                        );
                    if is_nothing {
                        continue;
                    }
                    let Some(object) = copied.and_then(Seen::object) else {
                        return Next::unobserved("what a spread copied is not in the log");
                    };
                    let at_copy = spot.moment.at;
                    let own = self.property(spot.moment.stream, object.0, wanted, at_copy);
                    match own {
                        Some(write) if write.value == Seen::Absent => {}
                        Some(write) if write.value.same(value) == Some(true) => {
                            hops.extend(self.hop(kind, spot.script, at, seen, name));
                            let name =
                                format!("{}{}", self.named(spot, of), any_key_behind(wanted));
                            return Next::Write(write, name);
                        }
                        Some(_) => {
                            return Next::unobserved(
                                "the property of the spread has another value",
                            );
                        }
                        None => {
                            // An object whose every write is in the log has no such property.
                            if !self.is_literal(spot.moment.stream, object.0) {
                                return Next::unobserved("what a spread copied is not in the log");
                            }
                        }
                    }
                }
                LoggedProperty::Computed {
                    key: own,
                    value: of,
                } => {
                    let own = own.as_ref().and_then(|own| self.key_of(spot, own));
                    match (own, of) {
                        (Some(own), _) if own != *wanted => {}
                        (Some(_), Some(of)) => {
                            hops.extend(self.hop(kind, spot.script, at, seen, name));
                            return Next::Value {
                                spot,
                                value: Box::new(of.clone()),
                                way: Vec::new(),
                                seen: value,
                            };
                        }
                        (Some(_), None) => {
                            hops.extend(self.hop(kind, spot.script, at, seen, name));
                            return Next::ended(EndKind::Literal, None);
                        }
                        (None, _) => {
                            return Next::unobserved(
                                "which key of an object literal it was is not in the log",
                            );
                        }
                    }
                }
            }
        }
        Next::unobserved("the literal has no such property")
    }

    /// The text of an array literal that gave an element; of a spread also which element of it.
    fn element_part(
        &self,
        elements: &[Option<js_analysis::origin::Argument>],
        write: &Write,
    ) -> Option<(Value, Option<usize>)> {
        let Target::Key { object, key, .. } = write.target else {
            return None;
        };
        let Key::Property(index) = self.model.keys.get(key as usize)? else {
            return None;
        };
        let index: usize = index.parse().ok()?;
        let moment = self.moment(write.event)?;
        let script = self.site(self.event(write.event)?.site)?.0;
        let told = self.model.writes_of(write.stream, object).iter();
        let total = told.filter(|other| other.event == write.event).count();
        let parts: Vec<Option<&js_analysis::origin::Argument>> =
            elements.iter().map(Option::as_ref).collect();
        // Holes are not told.
        let total = parts.iter().all(Option::is_some).then_some(total);
        let (part, of_spread) = self.part_at(Spot { script, moment }, &parts, index, total)?;
        Some((part.value.clone(), of_spread))
    }

    /// A value's text for a key of a map or set.
    pub(super) fn entry_key(&self, stream: u16, value: Seen) -> Option<Key> {
        match value {
            Seen::Unknown => None,
            value => Some(Key::Entry(event_log::model::plain_text(
                self.model, stream, value,
            ))),
        }
    }

    /// The kinds of events at which an object was seen first.
    pub(super) fn seen_first(&self, stream: u16, object: u32) -> Option<(u32, Kind)> {
        let seen = self.model.object(stream, object)?.seen;
        Some((seen, self.event(seen)?.kind))
    }

    /// Whether an object was made by a literal of a script that is recorded.
    pub(super) fn is_literal(&self, stream: u16, object: u32) -> bool {
        let place = self.created_at(stream, object);
        place.is_some_and(|place| matches!(place, LoggedPlace::Object(_)))
    }

    /// Whether an array literal made an object.
    pub(super) fn is_list_literal(&self, stream: u16, object: u32) -> bool {
        let place = self.created_at(stream, object);
        place.is_some_and(|place| matches!(place, LoggedPlace::Array(_)))
    }

    /// The text that created an object.
    fn created_at(&self, stream: u16, object: u32) -> Option<LoggedPlace> {
        let (event, kind) = self.seen_first(stream, object)?;
        let event = self.event(event).filter(|_| kind == Kind::Create)?;
        Some(self.place(event.site)?.1)
    }
}

/// A key as it is behind an object.
pub(super) fn key_behind(key: &str) -> String {
    let is_index = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    if is_index {
        format!("[{key}]")
    } else if querypoint::query::is_identifier(key) || key.starts_with('#') {
        format!(".{key}")
    } else {
        format!("[{}]", serde_json::Value::from(key))
    }
}

/// A key of any kind as it is behind an object.
pub(super) fn any_key_behind(key: &Key) -> String {
    match key {
        Key::Property(name) | Key::Entry(name) | Key::Symbol(_, _, name) => key_behind(name),
    }
}

/// The argument that a pattern behind `...` takes from the array of the arguments, and the way into that.
fn behind_rest(first: usize, path: &[PathStep]) -> Option<(u32, &[PathStep])> {
    let (step, behind) = path.split_first()?;
    let index = match step {
        PathStep::Iterated(index) => *index,
        PathStep::Into(Step::Key(key) | Step::Property(key)) => key.parse().ok()?,
        PathStep::Into(Step::Index(index)) if *index >= 0.0 && index.fract() == 0.0 => {
            *index as usize
        }
        _ => return None,
    };
    Some((u32::try_from(first.checked_add(index)?).ok()?, behind))
}
