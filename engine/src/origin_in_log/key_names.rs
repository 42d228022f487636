//! Names of properties as values: what `for-in`, `Object.keys` and `Object.entries` give. A name is made where it is
//! written first: by the text of the program, or by an expression.

use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{LoggedPlace, LoggedProperty};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::writes::{Target, Write};
use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// Who gave an object the property whose name is `seen`.
    pub(super) fn made_key(
        &self,
        stream: u16,
        object: u32,
        at: u32,
        (seen, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let Seen::String(text) = seen else {
            return None;
        };
        let text = self.model.text(stream, text.0).to_owned();
        let number = self.model.key(&Key::Property(text.clone()))?;
        let writes = self.model.writes_of_key(stream, object, number);
        let until = writes.partition_point(|write| write.event < at);
        // The one that made it: it may have been deleted before.
        let writes = writes.get(..until)?;
        let gone = writes
            .iter()
            .rposition(|write| self.model.written(write) == Seen::Absent);
        let first = *writes.get(gone.map_or(0, |gone| gone + 1))?;
        let event = *self.event(first.event)?;
        let (script, place) = self.place(event.site)?;
        let write = Write {
            stream,
            event: first.event,
            value: self.model.written(&first),
            target: Target::Key {
                object,
                key: number,
                is_listed: first.listed != NONE,
            },
        };
        if self.told(&write).is_some() {
            return None;
        }
        let spot = Spot {
            script,
            moment: Moment {
                stream,
                call: event.call,
                at: first.event,
            },
        };
        let mut hop = |at| {
            let name = format!("a name of {name}");
            hops.extend(self.hop(HopKind::Property, script, at, (stream, seen), name));
        };
        let in_text = |at| {
            let detail = "a name in the text of the program".to_owned();
            self.ended_at(EndKind::Literal, script, at, Some(detail))
        };
        match place {
            LoggedPlace::Written {
                at, key: Some(key), ..
            } if key == text => {
                hop(at);
                Some(in_text(at))
            }
            LoggedPlace::Written {
                at,
                key_value: Some(value),
                ..
            } => {
                hop(at);
                let own = self.evaluated(spot, &value, 0);
                Some(Next::Value {
                    spot,
                    value,
                    way: Vec::new(),
                    seen: own.unwrap_or(seen),
                })
            }
            LoggedPlace::Object(parts) => {
                let own = parts.iter().filter_map(|(at, part)| match part {
                    LoggedProperty::Value(key, _) | LoggedProperty::Function(key)
                        if *key == text =>
                    {
                        Some((*at, None))
                    }
                    LoggedProperty::Spread(of) => {
                        let copied = self.evaluated(spot, of, 0).and_then(Seen::object)?;
                        let has_it = self.property(
                            stream,
                            copied.0,
                            &Key::Property(text.clone()),
                            first.event,
                        );
                        has_it.filter(|write| write.value != Seen::Absent)?;
                        Some((*at, Some((of, copied.0))))
                    }
                    _ => None,
                });
                let own: Vec<_> = own.collect();
                let is_computed = parts
                    .iter()
                    .any(|(_, part)| matches!(part, LoggedProperty::Computed { .. }));
                match own.as_slice() {
                    [(at, None)] if !is_computed => {
                        hop(*at);
                        Some(in_text(*at))
                    }
                    [(at, Some((of, copied)))] if !is_computed => {
                        hop(*at);
                        let name = self.named(spot, of);
                        self.made_key(stream, *copied, first.event, (seen, &name), hops)
                    }
                    [] => {
                        // The computed key that had this value.
                        let mut keys = parts.iter().filter_map(|(at, part)| match part {
                            LoggedProperty::Computed { key: Some(key), .. } => {
                                let own = self.key_text(spot, key)?;
                                (own == text).then_some((*at, key))
                            }
                            _ => None,
                        });
                        let (Some((at, key)), None) = (keys.next(), keys.next()) else {
                            return None;
                        };
                        hop(at);
                        Some(Next::Value {
                            spot,
                            value: Box::new(key.clone()),
                            way: Vec::new(),
                            seen: self.evaluated(spot, key, 0).unwrap_or(seen),
                        })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
