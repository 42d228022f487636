//! Reads the types of messages from JSON values, as `serde_json::from_value` does, but an object of named members from
//! an object alone, not from a list of their values in order, too: what reads the second is a third of the code that
//! reads messages, a panel downloads it, and nobody sends such lists.

use serde::de::value::StringDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected,
    IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::{Error, Map, Result, Value, map};

/// What that JSON says.
///
/// # Errors
/// What in it is not as the type has it.
pub fn read<T: DeserializeOwned>(json: Value) -> Result<T> {
    T::deserialize(Json(json))
}

/// A value that is read.
pub(crate) struct Json(pub(crate) Value);

/// Numbers and texts are read as `serde_json` reads them.
macro_rules! simple {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.0.$method(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Json {
    type Error = Error;

    simple! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let mut elements = Elements(elements(self.0, &visitor)?.into_iter());
        let value = visitor.visit_seq(&mut elements)?;
        match elements.0.len() {
            0 => Ok(value),
            more => Err(Error::custom(format_args!("{more} too many in a list"))),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let members = members(self.0, &visitor)?;
        visitor.visit_map(Members {
            rest: members.into_iter(),
            value: Value::Null,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(variant(self.0)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

fn elements(json: Value, expected: &dyn Expected) -> Result<Vec<Value>> {
    match json {
        Value::Array(elements) => Ok(elements),
        other => Err(Error::invalid_type(unexpected(&other), expected)),
    }
}

fn members(json: Value, expected: &dyn Expected) -> Result<Map<String, Value>> {
    match json {
        Value::Object(members) => Ok(members),
        other => Err(Error::invalid_type(unexpected(&other), expected)),
    }
}

/// A variant is its name, or an object of one member: the name, with what it has.
fn variant(json: Value) -> Result<Variant> {
    match json {
        Value::String(name) => Ok(Variant { name, value: None }),
        other => {
            let mut members = members(other, &"a name, or an object of one member")?.into_iter();
            match (members.next(), members.next()) {
                (Some((name, value)), None) => Ok(Variant {
                    name,
                    value: Some(value),
                }),
                _ => Err(Error::invalid_value(
                    Unexpected::Map,
                    &"an object of one member",
                )),
            }
        }
    }
}

fn unexpected(json: &Value) -> Unexpected<'_> {
    match json {
        Value::Null => Unexpected::Unit,
        Value::Bool(it) => Unexpected::Bool(*it),
        Value::Number(_) => Unexpected::Other("number"),
        Value::String(it) => Unexpected::Str(it),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

struct Elements(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for &mut Elements {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let next = self.0.next();
        next.map(|json| seed.deserialize(Json(json))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members {
    rest: map::IntoIter,
    /// Of the member whose name was read last.
    value: Value,
}

impl<'de> MapAccess<'de> for Members {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = value;
        seed.deserialize(text(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(Json(self.value.take()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

fn text(name: String) -> StringDeserializer<Error> {
    name.into_deserializer()
}

struct Variant {
    name: String,
    value: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Json;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Json)> {
        let name = seed.deserialize(text(self.name))?;
        Ok((name, Json(self.value.unwrap_or_default())))
    }
}

impl<'de> VariantAccess<'de> for Json {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        <() as de::Deserialize>::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Kind {
        Plain,
        Boxed(u8),
        Pair(u8, String),
        Named { of: Option<f64> },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Whole {
        kinds: Vec<Kind>,
        #[serde(default)]
        pair: (bool, i64),
        any: Value,
    }

    #[test]
    fn it_reads_what_serde_json_reads() {
        let json = json!({
            "kinds": ["plain", { "plain": null }, { "boxed": 255 }, { "pair": [1, "x"] }, { "named": { "of": 0.5 } },
                      { "named": { "of": null } }, { "named": {} }],
            "pair": [true, -3],
            "any": { "list": [1, null, "é"] },
            "unknown": [[]],
        });
        let expected: Whole = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(read::<Whole>(json).unwrap(), expected);
        assert_eq!(expected.kinds.len(), 7);
    }

    #[test]
    fn what_is_not_of_the_type_says_why() {
        let refused = |kinds: Value, pair: Value| {
            let json = json!({ "kinds": kinds, "pair": pair, "any": null });
            assert!(serde_json::from_value::<Whole>(json.clone()).is_err());
            read::<Whole>(json).unwrap_err().to_string()
        };
        let fits = || json!([true, 1]);
        insta::assert_snapshot!(
            [
                refused(json!({}), fits()),
                refused(json!(["other"]), fits()),
                refused(json!([{ "boxed": 256 }]), fits()),
                refused(json!([{ "boxed": 1, "plain": null }]), fits()),
                refused(json!([{ "pair": [1] }]), fits()),
                refused(json!([{ "pair": [1, "x", 2] }]), fits()),
                refused(json!([7]), fits()),
                refused(json!([]), json!([true, 1, 2])),
                refused(json!([]), json!([1, 1])),
            ]
            .join("\n"),
            @"
        invalid type: map, expected a sequence
        unknown variant `other`, expected one of `plain`, `boxed`, `pair`, `named`
        invalid value: integer `256`, expected u8
        invalid value: map, expected an object of one member
        invalid length 1, expected tuple variant Kind::Pair with 2 elements
        1 too many in a list
        invalid type: number, expected a name, or an object of one member
        1 too many in a list
        invalid type: integer `1`, expected a boolean
        "
        );
    }

    /// What nobody sends: the members of an object in order, without their names.
    #[test]
    fn a_list_is_no_object_of_named_members() {
        let json = json!([[], [true, 1], null]);
        assert!(serde_json::from_value::<Whole>(json.clone()).is_ok());
        assert_eq!(
            read::<Whole>(json).unwrap_err().to_string(),
            "invalid type: sequence, expected struct Whole"
        );
    }
}
