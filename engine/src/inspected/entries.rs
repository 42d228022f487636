//! What an object has inside that is no property of its own: the entries of a map or a set, the attributes and the text
//! of an element.

use querypoint::answer::{Value, ValueType, Variable};

use crate::debugger::named_variables;
use crate::preview;
use cdp::runtime::{GetPropertiesResult, RemoteObject, RemoteObjectId, RemoteObjectSubtype};
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

/// What of an element is kept in no attribute, by the getters of the platform as the page has them: an element with
/// children has its text, a control its value.
const KEPT: &str = "function () {
  const kept = {};
  if (this.nodeType !== 1) return kept;
  const tag = this.localName;
  if (tag === 'input' || tag === 'textarea' || tag === 'select') kept.value = this.value;
  if (tag === 'input' && (this.type === 'checkbox' || this.type === 'radio')) kept.checked = this.checked;
  if (this.firstChild !== null && tag !== 'textarea' && tag !== 'select') kept.textContent = this.textContent;
  return kept;
}";

/// What an object has inside that is no property of its own.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) variables: Vec<Variable>,
    /// Of a map or a set: the list of its keys and values.
    pub(super) list: Option<RemoteObjectId>,
    /// Of an element: the names of the attributes, which are the first of `variables`.
    pub(super) attributes: Vec<String>,
}

/// They, each named as a query goes on to it: `.get(\"k\")`, `.has(1)`, `.getAttribute(\"class\")`. An entry whose key
/// is an object, which no query can name, is named by its place and its key, in `[[` and `]]`.
pub(super) async fn entries(
    protocol: &dyn Protocol,
    session: &SessionId,
    object: &RemoteObject,
    properties: &GetPropertiesResult,
) -> Result<Entries, ProtocolError> {
    match object.subtype {
        Some(RemoteObjectSubtype::Node) => of_element(protocol, session, object).await,
        Some(RemoteObjectSubtype::Map) => of_list(protocol, session, properties, ".get").await,
        Some(RemoteObjectSubtype::Set) => of_list(protocol, session, properties, ".has").await,
        Some(RemoteObjectSubtype::Weakmap) => of_list(protocol, session, properties, ".get").await,
        Some(RemoteObjectSubtype::Weakset) => of_list(protocol, session, properties, ".has").await,
        _ => Ok(Entries::default()),
    }
}

async fn of_list(
    protocol: &dyn Protocol,
    session: &SessionId,
    properties: &GetPropertiesResult,
    method: &str,
) -> Result<Entries, ProtocolError> {
    let internal = properties.internal_properties.iter().flatten();
    let list = internal.filter(|it| it.name == "[[Entries]]");
    let list = list
        .filter_map(|it| it.value.as_ref()?.object_id.clone())
        .next();
    let Some(list) = list else {
        return Ok(Entries::default());
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
        return Ok(Entries::default());
    };
    let own = cdp::runtime::GetProperties {
        own_properties: Some(true),
        generate_preview: Some(true),
        ..cdp::runtime::GetProperties::new(flat.clone())
    };
    let read = protocol.call(Some(session), &own).await?.result;
    let values: Vec<Value> = read
        .iter()
        .filter(|it| it.name.parse::<usize>().is_ok())
        .filter_map(|it| it.value.as_ref().map(preview::shown))
        .collect();
    let pairs = values.chunks_exact(2).enumerate();
    let variables = pairs.map(|(at, pair)| entry(method, at, &pair[0], &pair[1]));
    Ok(Entries {
        variables: variables.collect(),
        list: Some(flat),
        attributes: Vec::new(),
    })
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

async fn of_element(
    protocol: &dyn Protocol,
    session: &SessionId,
    object: &RemoteObject,
) -> Result<Entries, ProtocolError> {
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
    let mut variables: Vec<Variable> = pairs.collect();
    let attributes = flat.chunks_exact(2).map(|pair| pair[0].clone()).collect();
    let kept = cdp::runtime::CallFunctionOn {
        object_id: object.object_id.clone(),
        silent: Some(true),
        throw_on_side_effect: Some(true),
        ..cdp::runtime::CallFunctionOn::new(KEPT)
    };
    let kept = protocol.call(Some(session), &kept).await?;
    if let (Some(kept), None) = (kept.result.object_id, &kept.exception_details) {
        let own = cdp::runtime::GetProperties {
            own_properties: Some(true),
            ..cdp::runtime::GetProperties::new(kept)
        };
        variables.extend(named_variables(
            &protocol.call(Some(session), &own).await?.result,
        ));
    }
    Ok(Entries {
        variables,
        list: None,
        attributes,
    })
}
