//! Records of any kind, for properties that hold for all of them.

use event_log::ids::{FunctionId, ObjectId, ScopeId, SiteId, StaticScopeId, StringId};
use event_log::record::{GapReason, Record, ResumeMode};
use event_log::value::Value;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        any::<i32>().prop_map(|it| Value::Number(f64::from(it))),
        (-300..300).prop_map(|it| Value::Number(f64::from(it))),
        any::<f64>()
            .prop_filter("NaN is not equal to itself", |it| !it.is_nan())
            .prop_map(Value::Number),
        Just(Value::Number(-0.0)),
        (1..=3u32).prop_map(|it| Value::String(StringId(it))),
        (1..=3u32, any::<u32>(), any::<bool>()).prop_map(|(start, length, is_identified)| {
            Value::LongString {
                start: StringId(start),
                length,
                is_identified,
            }
        }),
        (1..=4u32).prop_map(|it| Value::Object(ObjectId(it))),
        (1..=4u32).prop_map(|it| Value::Function(ObjectId(it))),
        (1..=4u32).prop_map(|it| Value::Symbol(ObjectId(it))),
        (1..=3u32).prop_map(|it| Value::BigInt(StringId(it))),
        Just(Value::Absent),
        Just(Value::Uninitialised),
        Just(Value::Accessor),
        Just(Value::Unknown),
    ]
}

fn owner() -> impl Strategy<Value = Value> {
    (1..=4u32).prop_map(|it| Value::Object(ObjectId(it)))
}

/// A record that owns what it holds.
pub(crate) type Owned = Box<dyn Fn(&mut dyn FnMut(&Record<'_>)) + Send>;

fn fixed(record: impl Strategy<Value = Record<'static>>) -> impl Strategy<Value = OwnedRecord> {
    record.prop_map(|record| OwnedRecord(Box::new(move |sink| sink(&record))))
}

/// A record with what it holds.
pub(crate) struct OwnedRecord(pub(crate) Owned);

impl std::fmt::Debug for OwnedRecord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (self.0)(&mut |record| {
            let _ = write!(formatter, "{record:?}");
        });
        Ok(())
    }
}

/// A record that names what `define` defines.
pub(crate) fn record() -> impl Strategy<Value = OwnedRecord> {
    let function = || (1..=8u32).prop_map(FunctionId);
    let site = || (1..=16u32).prop_map(SiteId);
    let values = || prop::collection::vec(value(), 0..4);
    let text = || (0..=3u32).prop_map(StringId);
    let scope = || Just(ScopeId(1));
    let calls = prop_oneof![
        fixed(function().prop_map(Record::Enter)),
        fixed(function().prop_map(Record::Leaf)),
        fixed(function().prop_map(Record::Return)),
        fixed(function().prop_map(Record::Unwind)),
        fixed((site(), value()).prop_map(|(site, value)| Record::ReturnValue { site, value })),
        fixed((site(), value()).prop_map(|(site, value)| Record::Throw { site, value })),
        fixed((site(), value()).prop_map(|(site, value)| Record::Catch { site, value })),
        fixed((site(), value()).prop_map(|(site, value)| Record::CallEnd { site, value })),
        fixed((0..1000u32).prop_map(Record::Activation)),
        (value(), values()).prop_map(|(this, values)| OwnedRecord(Box::new(move |sink| {
            sink(&Record::Arguments {
                this,
                values: &values,
            });
        }))),
        (site(), value(), value(), values()).prop_map(|(site, callee, this, values)| {
            OwnedRecord(Box::new(move |sink| {
                sink(&Record::CallSite {
                    site,
                    callee,
                    this,
                    values: &values,
                });
            }))
        }),
        (function(), prop::collection::vec(any::<u32>(), 0..3)).prop_map(|(function, words)| {
            OwnedRecord(Box::new(move |sink| {
                sink(&Record::BranchBits {
                    function,
                    words: &words,
                });
            }))
        }),
    ];
    let writes = prop_oneof![
        fixed(
            (site(), owner(), value()).prop_map(|(site, owner, value)| Record::Write {
                site,
                owner,
                value
            })
        ),
        fixed(
            (site(), owner(), value(), value()).prop_map(|(site, owner, key, value)| {
                Record::WriteKey {
                    site,
                    owner,
                    key,
                    value,
                }
            })
        ),
        fixed(
            (site(), owner(), value(), value()).prop_map(|(site, owner, key, value)| {
                Record::WriteEntry {
                    site,
                    owner,
                    key,
                    value,
                }
            })
        ),
        fixed(
            (site(), scope(), value()).prop_map(|(site, scope, value)| Record::Assign {
                site,
                scope,
                value
            })
        ),
        fixed((site(), owner()).prop_map(|(site, object)| Record::Create { site, object })),
        fixed((site(), any::<bool>()).prop_map(|(site, outcome)| Record::Branch { site, outcome })),
        fixed(
            (site(), any::<i32>(), value()).prop_map(|(site, outcome, value)| Record::BranchCase {
                site,
                outcome,
                value
            })
        ),
        fixed(site().prop_map(Record::Step)),
        (owner(), any::<u32>(), value(), value()).prop_map(|(owner, total, key, value)| {
            OwnedRecord(Box::new(move |sink| {
                sink(&Record::Contents {
                    owner,
                    total,
                    entries: &[key, value],
                });
            }))
        }),
        fixed((1..=4u32, scope()).prop_map(|(of, parent)| Record::Scope {
            of: StaticScopeId(of),
            parent
        })),
        fixed(text().prop_map(|class| Record::Object { class })),
        fixed(
            (0..=8u32, text()).prop_map(|(function, name)| Record::FunctionObject {
                function: FunctionId(function),
                name
            })
        ),
    ];
    let time = || (0..1_000_000u32).prop_map(|it| f64::from(it) / 8.0);
    let modes = prop_oneof![
        Just(ResumeMode::Next),
        Just(ResumeMode::Throw),
        Just(ResumeMode::Return)
    ];
    let rest = prop_oneof![
        fixed((text(), any::<u32>(), value(), time()).prop_map(
            |(kind, cause, target, time_ms)| {
                Record::Task {
                    kind,
                    cause,
                    target,
                    time_ms,
                }
            }
        )),
        fixed(Just(Record::TaskEnd)),
        fixed(
            (site(), any::<u32>(), value()).prop_map(|(site, activation, value)| Record::Suspend {
                site,
                activation,
                value
            })
        ),
        fixed(
            (any::<u32>(), modes, value()).prop_map(|(activation, mode, value)| Record::Resume {
                activation,
                mode,
                value
            })
        ),
        fixed((site(), value(), any::<bool>(), value()).prop_map(
            |(site, promise, fulfilled, value)| Record::Settle {
                site,
                promise,
                fulfilled,
                value
            }
        )),
        fixed((site(), text(), any::<u32>(), value()).prop_map(
            |(site, kind, number, callback)| Record::Schedule {
                site,
                kind,
                number,
                callback
            }
        )),
        fixed(
            (site(), value(), text(), value()).prop_map(|(site, node, change, value)| {
                Record::Dom {
                    site,
                    node,
                    change,
                    value,
                }
            })
        ),
        fixed(
            (site(), any::<u32>(), value(), value()).prop_map(|(site, number, target, body)| {
                Record::Request {
                    site,
                    number,
                    target,
                    body,
                }
            })
        ),
        fixed(
            (any::<u32>(), any::<u32>(), value()).prop_map(|(number, status, body)| {
                Record::Response {
                    number,
                    status,
                    body,
                }
            })
        ),
        fixed(
            (text(), text(), value()).prop_map(|(kind, target, value)| Record::Action {
                kind,
                target,
                value
            })
        ),
        fixed(
            (site(), text(), value()).prop_map(|(site, level, text)| Record::Console {
                site,
                level,
                text
            })
        ),
        fixed((value(), value()).prop_map(|(value, message)| Record::Uncaught { value, message })),
        fixed((any::<u32>()).prop_map(|lost| Record::Gap {
            reason: GapReason::Dropped,
            lost
        })),
        fixed(time().prop_map(Record::Clock)),
        fixed(any::<u32>().prop_map(Record::RunHash)),
    ];
    prop_oneof![3 => calls, 3 => writes, 1 => rest]
}
