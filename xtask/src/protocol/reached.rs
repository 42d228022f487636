//! Which parts of the protocol the list reaches: its commands, its events, and the types that these are made of.

use std::collections::{BTreeMap, BTreeSet};

use chromiumoxide_pdl::pdl::{Domain, Item, Param, Type, TypeDef};

use super::ProtocolListError;
use super::list::{Member, Used};

pub(super) type Domains<'a> = BTreeMap<String, Domain<'a>>;
pub(super) type Written<T> = Result<T, ProtocolListError>;

/// A type, by the names of its domain and its own.
pub(super) type TypeName = (String, String);

/// Which types are sent, and which are read.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) sent: BTreeSet<TypeName>,
    pub(super) read: BTreeSet<TypeName>,
}

pub(super) fn unknown(what: impl Into<String>, why: impl Into<String>) -> ProtocolListError {
    ProtocolListError::Unknown {
        what: what.into(),
        why: why.into(),
    }
}

pub(super) fn domain<'d, 'a>(domains: &'d Domains<'a>, name: &str) -> Written<&'d Domain<'a>> {
    domains
        .get(name)
        .ok_or_else(|| unknown(name, "the protocol has no such domain"))
}

/// A member with what the list says of it.
pub(super) struct UsedMember<'p, 'a> {
    pub(super) param: &'p Param<'a>,
    pub(super) is_optional: bool,
    pub(super) rust_type: Option<&'p str>,
}

/// Those of `params` that are named.
pub(super) fn named<'p, 'a>(
    what: &str,
    params: &'p [Param<'a>],
    members: &'p [Member],
) -> Written<Vec<UsedMember<'p, 'a>>> {
    let find = |member: &'p Member| {
        let param = params.iter().find(|param| param.name == member.name);
        let param = param.ok_or_else(|| unknown(what, format!("no member {}", member.name)))?;
        Ok(UsedMember {
            param,
            is_optional: param.optional || member.may_be_missing,
            rust_type: member.rust_type.as_deref(),
        })
    };
    members.iter().map(find).collect()
}

/// The parameters of a command, or the members of a type that is sent: those that are required, and those that are
/// named; all where none is.
pub(super) fn sent<'p, 'a>(
    what: &str,
    params: &'p [Param<'a>],
    members: Option<&'p [Member]>,
) -> Written<Vec<UsedMember<'p, 'a>>> {
    let Some(members) = members else {
        let all = params.iter().map(|param| UsedMember {
            param,
            is_optional: param.optional,
            rust_type: None,
        });
        return Ok(all.collect());
    };
    let listed = named(what, params, members)?;
    let is_listed = |param: &Param<'_>| listed.iter().any(|it| it.param.name == param.name);
    let required = params
        .iter()
        .filter(|param| !param.optional && !is_listed(param));
    let mut all: Vec<UsedMember<'p, 'a>> = required
        .map(|param| UsedMember {
            param,
            is_optional: false,
            rust_type: None,
        })
        .collect();
    all.extend(listed);
    Ok(all)
}

pub(super) fn type_of<'d, 'a>(domains: &'d Domains<'a>, of: &TypeName) -> Written<&'d TypeDef<'a>> {
    let types = &domain(domains, &of.0)?.types;
    let found = types.iter().find(|it| it.name == of.1);
    found.ok_or_else(|| {
        unknown(
            format!("{}.{}", of.0, of.1),
            "the protocol has no such type",
        )
    })
}

pub(super) fn type_name(of_domain: &str, name: &str) -> TypeName {
    match name.split_once('.') {
        Some((domain, name)) => (domain.to_owned(), name.to_owned()),
        None => (of_domain.to_owned(), name.to_owned()),
    }
}

/// The type that a type refers to, if it does.
fn referred(of: &Type<'_>) -> Option<String> {
    match of {
        Type::Ref(name) => Some(name.to_string()),
        Type::ArrayOf(of) => referred(of),
        _ => None,
    }
}

pub(super) fn reached(used: &Used, domains: &Domains<'_>) -> Written<Reached> {
    let mut reached = Reached::default();
    let mut open: Vec<(TypeName, bool)> = Vec::new();
    let follow = |of: &str, params: Vec<UsedMember<'_, '_>>, is_sent: bool| {
        let params = params.into_iter().filter(|it| it.rust_type.is_none());
        let types = params.filter_map(|it| referred(&it.param.r#type));
        let types = types.map(|name| (type_name(of, &name), is_sent));
        types.collect::<Vec<_>>()
    };
    for (name, uses) in used {
        let of = domain(domains, name)?;
        for (command, uses) in &uses.commands {
            let what = format!("{name}.{command}");
            let found = of.commands.iter().find(|it| it.name == *command);
            let found = found.ok_or_else(|| unknown(&what, "the protocol has no such command"))?;
            let parameters = sent(&what, &found.parameters, uses.parameters.as_deref())?;
            open.extend(follow(name, parameters, true));
            open.extend(follow(
                name,
                named(&what, &found.returns, &uses.returns)?,
                false,
            ));
        }
        for (event, members) in &uses.events {
            let what = format!("{name}.{event}");
            let found = of.events.iter().find(|it| it.name == *event);
            let found = found.ok_or_else(|| unknown(&what, "the protocol has no such event"))?;
            open.extend(follow(
                name,
                named(&what, &found.parameters, members)?,
                false,
            ));
        }
    }
    while let Some((of, is_sent)) = open.pop() {
        let set = match is_sent {
            true => &mut reached.sent,
            false => &mut reached.read,
        };
        if !set.insert(of.clone()) {
            continue;
        }
        let found = type_of(domains, &of)?;
        if let Some(name) = referred(&found.extends) {
            open.push((type_name(&of.0, &name), is_sent));
        }
        if let Some(Item::Properties(properties)) = &found.item {
            let members = members_of(used, &of, properties, !is_sent)?;
            open.extend(follow(&of.0, members, is_sent));
        }
    }
    for (name, uses) in used {
        for of in uses.types.keys() {
            let of = type_name(name, of);
            type_of(domains, &of)?;
            if !reached.sent.contains(&of) && !reached.read.contains(&of) {
                return Err(unknown(format!("{}.{}", of.0, of.1), "nothing uses it"));
            }
        }
    }
    Ok(reached)
}

/// The members of an object type that are used.
pub(super) fn members_of<'p, 'a>(
    used: &'p Used,
    of: &TypeName,
    properties: &'p [Param<'a>],
    is_read: bool,
) -> Written<Vec<UsedMember<'p, 'a>>> {
    let what = format!("{}.{}", of.0, of.1);
    let members = used.get(&of.0).and_then(|domain| domain.types.get(&of.1));
    match members {
        Some(members) => named(&what, properties, members),
        None if !is_read => sent(&what, properties, None),
        None => Err(unknown(what, "say which of its members are read")),
    }
}
