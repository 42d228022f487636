//! What an object has inside that is no property of it: the entries of a map or a set, the attributes of an element.

use querypoint::answer::{Value, ValueType, Variable};

use crate::preview;
use cdp::runtime::{GetPropertiesResult, RemoteObject, RemoteObjectSubtype};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Protocol, ProtocolError, SessionId};

/// Keys and values of the entries, as the debugger lists them, one after another. The list and what is in it are the
/// debugger's own objects, so that no code of the page is called.
const FLAT: &str = "function () {
  const flat = [];
  for (let at = 0; at < this.length; at += 1) {
    flat[2 * at] = 'key' in this[at] ? this[at].key : this[at].value;
    flat[2 * at + 1] = this[at].value;
  }
  return flat;
}";

/// They, each named as a query goes on to it: `.get(\"k\")`, `.has(1)`, `.getAttribute(\"class\")`. An entry whose key
/// is an object, which no query can name, is named by its place and its key, in `[[` and `]]`.
pub(super) async fn entries(
    protocol: &dyn Protocol,
    session: &SessionId,
    object: &RemoteObject,
    properties: &GetPropertiesResult,
) -> Result<Vec<Variable>, ProtocolError> {
    match object.subtype {
        Some(RemoteObjectSubtype::Node) => attributes(protocol, session, object).await,
        Some(RemoteObjectSubtype::Map) => of_list(protocol, session, properties, ".get").await,
        Some(RemoteObjectSubtype::Set) => of_list(protocol, session, properties, ".has").await,
        _ => Ok(Vec::new()),
    }
}

async fn of_list(
    protocol: &dyn Protocol,
    session: &SessionId,
    properties: &GetPropertiesResult,
    method: &str,
) -> Result<Vec<Variable>, ProtocolError> {
    let internal = properties.internal_properties.iter().flatten();
    let list = internal.filter(|it| it.name == "[[Entries]]");
    let list = list
        .filter_map(|it| it.value.as_ref()?.object_id.clone())
        .next();
    let Some(list) = list else {
        return Ok(Vec::new());
    };
    let flat = cdp::runtime::CallFunctionOn {
        object_id: Some(list),
        silent: Some(true),
        throw_on_side_effect: Some(true),
        ..cdp::runtime::CallFunctionOn::new(FLAT)
    };
    let flat = protocol.call(Some(session), &flat).await?;
    let Some(flat) = flat
        .result
        .object_id
        .filter(|_| flat.exception_details.is_none())
    else {
        return Ok(Vec::new());
    };
    let own = cdp::runtime::GetProperties {
        own_properties: Some(true),
        generate_preview: Some(true),
        ..cdp::runtime::GetProperties::new(flat)
    };
    let read = protocol.call(Some(session), &own).await?.result;
    let values: Vec<Value> = read
        .iter()
        .filter(|it| it.name.parse::<usize>().is_ok())
        .filter_map(|it| it.value.as_ref().map(preview::shown))
        .collect();
    let pairs = values.chunks_exact(2).enumerate();
    Ok(pairs
        .map(|(at, pair)| entry(method, at, &pair[0], &pair[1]))
        .collect())
}

fn entry(method: &str, at: usize, key: &Value, value: &Value) -> Variable {
    let is_named = matches!(
        key.kind,
        ValueType::String | ValueType::Number | ValueType::Boolean
    );
    let name = match is_named {
        true => format!("{method}({})", key.text),
        false => format!("[[{at}: {}]]", key.text),
    };
    Variable::new(name, value.clone())
}

async fn attributes(
    protocol: &dyn Protocol,
    session: &SessionId,
    object: &RemoteObject,
) -> Result<Vec<Variable>, ProtocolError> {
    let describe = cdp::dom::DescribeNode {
        object_id: object.object_id.clone(),
    };
    let node = protocol.call(Some(session), &describe).await?.node;
    let flat = node.attributes.unwrap_or_default();
    let pairs = flat.chunks_exact(2).map(|pair| {
        Variable::new(
            format!(
                ".getAttribute({})",
                serde_json::Value::from(pair[0].as_str())
            ),
            Value::string(&pair[1]),
        )
    });
    Ok(pairs.collect())
}
