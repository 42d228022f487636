//! The canonical text of queries and their parts; it parses back to the same value.

use std::fmt::{self, Display, Formatter};

use super::{
    CodeLine, Constraint, ElementKey, Event, GlobalReference, Lookup, OperandReference,
    PropertyKey, Query, QueryKind, Reference, ReferenceRoot, Segment, TraceQuery, is_identifier,
    number_to_string,
};

impl Display for Query {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(formatter, "{name} = ")?;
        }
        self.kind.fmt(formatter)
    }
}

impl Display for QueryKind {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let keyword = self.keyword();
        match self {
            Self::LastChange(reference) | Self::Origin(reference) | Self::Omitted(reference) => {
                write!(formatter, "{keyword}({reference})")
            }
            Self::OriginOfOperand(operand) => write!(formatter, "{keyword}({operand})"),
            Self::LastCondition(point) | Self::ExceptionAfter(point) => {
                write!(formatter, "{keyword}({point})")
            }
            Self::WhyNot(line) => write!(formatter, "{keyword}({line})"),
            Self::Trace(trace) => trace.fmt(formatter),
        }
    }
}

impl Display for CodeLine {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { file, line, column } = self;
        write!(formatter, "{file}:{line}")?;
        match column {
            Some(column) => write!(formatter, ":{column}"),
            None => Ok(()),
        }
    }
}

impl Display for GlobalReference {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match (&self.point, self.frame) {
            (Some(point), 0) => write!(formatter, "{point}:")?,
            (Some(point), frame) => write!(formatter, "{point}({frame}):")?,
            // A frame is written after a point only.
            (None, 0) => {}
            (None, frame) => write!(formatter, "R({frame}):")?,
        }
        self.reference.fmt(formatter)
    }
}

impl Display for OperandReference {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { origin, number } = self;
        write!(formatter, "{origin}:operand({number})")
    }
}

impl Display for Reference {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match &self.root {
            ReferenceRoot::This => formatter.write_str("this")?,
            ReferenceRoot::Variable(name) => formatter.write_str(name)?,
            ReferenceRoot::Element(lookup) => lookup.fmt(formatter)?,
            ReferenceRoot::EventObject => {}
        }
        self.segments
            .iter()
            .try_for_each(|segment| segment.fmt(formatter))
    }
}

impl Display for Lookup {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("document")?;
        self.call(formatter)
    }
}

impl Lookup {
    /// The call of the method, from its dot on.
    fn call(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selector(selector) => write!(formatter, ".querySelector({})", quoted(selector)),
            Self::Id(id) => write!(formatter, ".getElementById({})", quoted(id)),
            Self::Nth(selector, index) => {
                write!(
                    formatter,
                    ".querySelectorAll({})[{index}]",
                    quoted(selector)
                )
            }
        }
    }
}

impl Display for Segment {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Property(name) if is_identifier(name) => write!(formatter, ".{name}"),
            Self::Property(name) => write!(formatter, "[{}]", quoted(name)),
            Self::Private(name) => write!(formatter, ".#{name}"),
            Self::Element(key) => write!(formatter, "[{key}]"),
            Self::MapEntry(key) => write!(formatter, ".get({key})"),
            Self::SetMember(key) => write!(formatter, ".has({key})"),
            Self::Within(lookup) => lookup.call(formatter),
        }
    }
}

impl Display for ElementKey {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => formatter.write_str(&number_to_string(*number)),
            Self::String(text) => formatter.write_str(&quoted(text)),
            Self::Variable(name) => formatter.write_str(name),
        }
    }
}

impl Display for PropertyKey {
    /// As it is after an object: `.name`, `.#name` or `["any key"]`.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public(name) if is_identifier(name) => write!(formatter, ".{name}"),
            Self::Public(name) => write!(formatter, "[{}]", quoted(name)),
            Self::Private(name) => write!(formatter, ".#{name}"),
        }
    }
}

impl Display for TraceQuery {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "trace({}", self.event)?;
        for constraint in &self.constraints {
            write!(formatter, ", {constraint}")?;
        }
        if let Some(index) = self.index {
            write!(formatter, ", index {index}")?;
        }
        formatter.write_str(")")
    }
}

impl Display for Event {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(formatter, "line({line})"),
            Self::Call(function) => write!(formatter, "call({function})"),
            Self::Return(function) => write!(formatter, "return({function})"),
            Self::Write(key) => write!(formatter, "write({key})"),
            Self::Assign(name) => write!(formatter, "assign({name})"),
            Self::Create(class) => write!(formatter, "create({class})"),
            Self::Throw(class) => write!(formatter, "throw({})", class.as_deref().unwrap_or("")),
            Self::Branch(point) => write!(formatter, "branch({point})"),
        }
    }
}

impl Display for Constraint {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before(point) => write!(formatter, "before({point})"),
            Self::After(point) => write!(formatter, "after({point})"),
            Self::MayAffect(point) => write!(formatter, "mayAffect({point})"),
            Self::Sameness(left, right) => write!(formatter, "sameness({left}, {right})"),
            Self::When(expression) => write!(formatter, "when({expression})"),
        }
    }
}

/// The text between double quotes, with the escapes that JSON and JavaScript share.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
