//! `with`: what a name in its body means, where its object has that. Templates that are compiled in the browser are
//! full of it.

use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{Reference, Root, Step};
use js_analysis::position::{ByteOffset, ByteSpan};

use super::{DEEPEST, InLog, Moment, Spot};

/// What a name means that the object of a `with` has.
pub(super) struct OfWith {
    /// The object.
    pub(super) object: Seen,
    /// What the object is called.
    pub(super) name: String,
    /// The way from the object: the name, and what is behind it.
    pub(super) steps: Vec<Step>,
}

impl InLog<'_> {
    /// The object of a `with` around that has what a reference begins at; `None`: none has, or that is not in the log.
    pub(super) fn of_with(&self, spot: Spot, reference: &Reference) -> Option<OfWith> {
        let Root::Variable { name, at, .. } = &reference.root else {
            return None;
        };
        let code = self.code(spot.script)?;
        if !code.has_with() {
            return None;
        }
        let home = self.home(spot.script)?;
        for body in self.sources.with_bodies(home, *at, name) {
            let of = code.with_object(body)?;
            let entered = self.entered(spot, of.span).unwrap_or(spot);
            let object = self.evaluated(entered, of, 0)?;
            let own = object.object()?.0;
            let key = Key::Property(name.clone());
            let has = self.read(spot, own, &key).is_some()
                || self.born_value(spot.moment.stream, own, &key).is_some();
            if !has {
                continue;
            }
            let first = std::iter::once(Step::Property(name.clone()));
            return Some(OfWith {
                object,
                name: self.named(spot, of),
                steps: first.chain(reference.steps.iter().cloned()).collect(),
            });
        }
        None
    }

    /// Whether no object of a `with` around has a name: the log has all that they hold.
    pub(super) fn is_behind_with(&self, spot: Spot, name: &str, at: ByteOffset) -> bool {
        let (Some(code), Some(home)) = (self.code(spot.script), self.home(spot.script)) else {
            return false;
        };
        let bodies = self.sources.with_bodies(home, at, name);
        let key = Key::Property(name.to_owned());
        let stream = spot.moment.stream;
        !bodies.is_empty()
            && bodies.into_iter().all(|body| {
                let of = code.with_object(body);
                let object = of.and_then(|of| {
                    let entered = self.entered(spot, of.span).unwrap_or(spot);
                    self.evaluated(entered, of, 0)?.object()
                });
                object.is_some_and(|object| {
                    self.is_literal(stream, object.0) && self.read(spot, object.0, &key).is_none()
                })
            })
    }

    /// Where a `with` around was entered whose object is there: in the call of the function that it is in, which
    /// may be over. `None`: that is not in the log.
    fn entered(&self, spot: Spot, object: ByteSpan) -> Option<Spot> {
        let Moment { stream, at, .. } = spot.moment;
        let mut number = spot.moment.call;
        for _ in 0..DEEPEST {
            let call = self.call_of(number)?;
            let (script, function) = self.function_text(call.function)?;
            let is_around = function.start <= object.start && object.end <= function.end;
            if script == spot.script && is_around {
                let is_over = number != spot.moment.call && call.exit != NONE;
                let at = match is_over {
                    true => call.exit.min(at),
                    false => at,
                };
                let call = number;
                let moment = Moment { stream, call, at };
                return Some(Spot { moment, ..spot });
            }
            let own = self.model.scope(stream, call.scope)?;
            number = self.model.scope(stream, own.parent)?.call;
        }
        None
    }
}
