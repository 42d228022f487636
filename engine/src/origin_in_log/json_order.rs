//! In which order `JSON.parse` calls its reviver: for the parts of the text, the innermost first.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A text's parts, with the keys in the order that an object of JavaScript has.
enum Parts {
    Leaf,
    List(Vec<Parts>),
    Object(Vec<(String, Parts)>),
}

/// The keys that lead to each part of a JSON text, in the order in which a reviver is called for it; the last is the
/// whole, with none. `None`: it is no JSON.
pub(super) fn ways_of_reviver(text: &str) -> Option<Vec<Vec<String>>> {
    let parts: Parts = serde_json::from_str(text).ok()?;
    let mut ways = Vec::new();
    parts.visit(&mut Vec::new(), &mut ways);
    Some(ways)
}

impl Parts {
    fn visit(&self, way: &mut Vec<String>, ways: &mut Vec<Vec<String>>) {
        let mut inside = |key: String, part: &Self| {
            way.push(key);
            part.visit(way, ways);
            way.pop();
        };
        match self {
            Self::Leaf => {}
            Self::List(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    inside(at.to_string(), part);
                }
            }
            Self::Object(parts) => {
                for (key, part) in parts {
                    inside(key.clone(), part);
                }
            }
        }
        ways.push(way.clone());
    }
}

/// A key that is an index comes before all others.
fn index_of(key: &str) -> Option<u32> {
    let index: u32 = key.parse().ok()?;
    (index != u32::MAX && index.to_string() == key).then_some(index)
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Parts;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON value")
            }

            fn visit_unit<E: Error>(self) -> Result<Parts, E> {
                Ok(Parts::Leaf)
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Parts, E> {
                Ok(Parts::Leaf)
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Parts, E> {
                Ok(Parts::Leaf)
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Parts, E> {
                Ok(Parts::Leaf)
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Parts, E> {
                Ok(Parts::Leaf)
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Parts, E> {
                Ok(Parts::Leaf)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Parts, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = list.next_element()? {
                    parts.push(part);
                }
                Ok(Parts::List(parts))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
                let mut parts: Vec<(String, Parts)> = Vec::new();
                while let Some((key, part)) = map.next_entry::<String, Parts>()? {
                    // Of two of one key the place of the first counts, and the value of the last.
                    match parts.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, known)) => *known = part,
                        None => parts.push((key, part)),
                    }
                }
                let (mut indices, others): (Vec<_>, Vec<_>) = parts
                    .into_iter()
                    .partition(|(key, _)| index_of(key).is_some());
                indices.sort_by_key(|(key, _)| index_of(key));
                indices.extend(others);
                Ok(Parts::Object(indices))
            }
        }
        deserializer.deserialize_any(Whole)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn the_innermost_come_first_and_indices_before_names() {
        let text = r#"{"b":[1,{"x":null}],"10":true,"2":"s","a":{},"b2":1.5}"#;
        let ways = ways_of_reviver(text).unwrap();
        let ways: Vec<String> = ways.iter().map(|way| way.join(".")).collect();
        assert_eq!(ways, ["2", "10", "b.0", "b.1.x", "b.1", "b", "a", "b2", ""]);
        let twice = ways_of_reviver(r#"{"a":[1],"b":2,"a":3}"#).unwrap();
        assert_eq!(twice, [vec!["a".to_owned()], vec!["b".to_owned()], vec![]]);
        assert_eq!(ways_of_reviver("7"), Some(vec![Vec::new()]));
        assert!(ways_of_reviver("{").is_none());
    }
}
