//! What a page read from its clocks in one execution, given again in others: so what they do can be compared.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::agent_message::ReadingsTold;

/// More readings than these are not kept: a page may read its clocks without end.
const MOST_KEPT: usize = 1_000_000;

/// The readings of a page's clocks: kept while it runs, or given to it.
///
/// The n-th reading of a clock of a realm is the same in each execution that they are given to. What a page reads
/// behind those that were kept is live. Realms are known again where their random numbers are, too.
#[derive(Debug)]
pub struct ClockReadings {
    is_given: bool,
    /// By the place where a realm begins, in order.
    realms: Mutex<BTreeMap<String, VecDeque<RealmReadings>>>,
    /// What is given, from its beginning.
    all: BTreeMap<String, VecDeque<RealmReadings>>,
}

/// What one realm read: milliseconds since 1970, since it began, and the moments of events and frames.
#[derive(Clone, Debug, Default, PartialEq)]
struct RealmReadings([Vec<f64>; 3]);

impl ClockReadings {
    /// Keeps what the next execution reads.
    #[must_use]
    pub fn keep() -> Arc<Self> {
        Arc::new(Self {
            is_given: false,
            realms: Mutex::default(),
            all: BTreeMap::new(),
        })
    }

    /// Gives what was kept.
    #[must_use]
    pub fn again(&self) -> Arc<Self> {
        let kept = self.realms.lock();
        let all = if self.is_given { &self.all } else { &*kept };
        Arc::new(Self {
            is_given: true,
            realms: Mutex::default(),
            all: all.clone(),
        })
    }

    /// An execution begins.
    pub(super) fn begin(&self) {
        *self.realms.lock() = self.all.clone();
    }

    /// A realm has begun; whether that changes what the next one is given.
    pub(super) fn realm_begins(&self, place: &str) -> bool {
        let mut realms = self.realms.lock();
        if self.is_given {
            return realms
                .get_mut(place)
                .and_then(VecDeque::pop_front)
                .is_some();
        }
        let own = realms.entry(place.to_owned()).or_default();
        own.push_back(RealmReadings::default());
        false
    }

    /// A realm has read its clocks.
    pub(super) fn told(&self, told: &ReadingsTold) {
        if self.is_given {
            return;
        }
        let mut realms = self.realms.lock();
        let kept = |realms: &BTreeMap<String, VecDeque<RealmReadings>>| -> usize {
            let all = realms.values().flatten();
            all.flat_map(|it| it.0.iter().map(Vec::len)).sum()
        };
        if kept(&realms) > MOST_KEPT {
            return;
        }
        let Some(own) = realms.get_mut(&told.place).and_then(VecDeque::back_mut) else {
            return;
        };
        let texts = [&told.since1970, &told.since_begin, &told.moments];
        for (own, text) in own.0.iter_mut().zip(texts) {
            own.extend(
                text.split(',')
                    .filter_map(|it| it.parse::<f64>().ok())
                    .filter(|it| it.is_finite()),
            );
        }
    }

    /// What the next realms are told.
    pub(super) fn given(&self) -> Value {
        if !self.is_given {
            return json!("keep");
        }
        let realms = self.realms.lock();
        let next = realms
            .iter()
            .filter_map(|(place, own)| Some((place.clone(), json!(own.front()?.0))));
        Value::Object(next.collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn told(place: &str, since1970: &str, since_begin: &str) -> ReadingsTold {
        ReadingsTold {
            place: place.to_owned(),
            since1970: since1970.to_owned(),
            since_begin: since_begin.to_owned(),
            moments: String::new(),
        }
    }

    #[test]
    fn each_realm_is_given_what_it_read() {
        let kept = ClockReadings::keep();
        kept.begin();
        assert_eq!(kept.given(), json!("keep"));
        kept.told(&told("frame  /", "1", ""));
        assert!(!kept.realm_begins("frame  /"));
        kept.told(&told("frame  /", "1000,1001", "0.5"));
        kept.told(&told("frame  /", "1002", ""));
        kept.realm_begins("frame  /");
        kept.told(&told("frame  /", "2000", "NaN,x,0.25"));
        let again = kept.again();
        for _ in 0..2 {
            again.begin();
            let first = again.given()["frame  /"].clone();
            assert_eq!(first, json!([[1000.0, 1001.0, 1002.0], [0.5], []]));
            assert!(again.realm_begins("frame  /"));
            again.told(&told("frame  /", "3000", ""));
            let second = again.given()["frame  /"].clone();
            assert_eq!(second[0], json!([2000.0]));
            assert!(again.realm_begins("frame  /"));
            assert!(!again.realm_begins("frame  /"));
            assert_eq!(again.given(), json!({}));
        }
        assert_eq!(again.again().all, again.all);
    }

    #[test]
    fn what_an_execution_kept_is_gone_when_it_begins_anew() {
        let kept = ClockReadings::keep();
        kept.begin();
        kept.realm_begins("worker /w.js");
        kept.told(&told("worker /w.js", "1", ""));
        kept.begin();
        assert!(kept.again().all.is_empty());
    }
}
