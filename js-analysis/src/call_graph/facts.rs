//! What one script says about calls: its functions, its calls, and where functions flow.

use rustc_hash::FxHashMap;
use swc_atoms::Atom;

use super::endings::{ends, undoes};
use crate::position::{ByteOffset, ByteSpan};

/// Where a function may be, in one script.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FlowPlace {
    /// A function of the script.
    Function(u32),
    /// A variable of the script, by its binding.
    Variable(u32),
    /// A global variable, by name.
    Global(Atom),
    /// A property, by name, of any object; [`ELEMENT`] is an element, or an entry.
    Property(Atom),
    /// What a module exports under a name.
    Export(Atom),
    /// A parameter of a function of the script.
    Parameter(u32, u32),
    /// What a function of the script returns.
    Returned(u32),
    /// What a call of the script gives.
    Result(u32),
    /// `this` of a function of the script.
    This(u32),
    /// An object or array literal of the script.
    Literal(u32),
    /// A class of the script: it has no constructor that is written, or it has one, which is a function.
    Class(u32),
    /// What a function of the script gets for its rest parameter.
    Rest(u32),
    /// What a function of the script gets, whatever its parameters are.
    Arguments(u32),
    /// Whatever is in the properties of what is at a place: `values[key]`.
    Members(Box<FlowPlace>),
}

impl FlowPlace {
    /// Whether it is a variable of a script.
    pub(crate) fn is_variable(&self) -> bool {
        matches!(self, Self::Variable(_))
    }

    /// Whether it is a variable, or a property that has a name.
    pub(crate) fn has_name(&self) -> bool {
        match self {
            Self::Property(name) => &**name != ELEMENT,
            _ => self.is_variable() || self.is_global(),
        }
    }

    /// Whether it is a variable of all scripts.
    pub(crate) fn is_global(&self) -> bool {
        matches!(self, Self::Global(_))
    }
}

/// What a function is a method of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MethodOf {
    /// Of nothing: who knows which objects it is called on.
    #[default]
    Nothing,
    /// Of an object literal, or of a class that extends nothing.
    Own,
    /// Of a class that extends another one.
    Derived,
}

/// An object or array literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LiteralFact {
    pub(super) span: ByteSpan,
    pub(super) is_list: bool,
    /// Where the values of its properties are.
    pub(super) members: Vec<FlowPlace>,
    /// Of a list, where its elements are.
    pub(super) elements: Vec<FlowPlace>,
}

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClassFact {
    pub(super) span: ByteSpan,
    /// Whether it extends another one.
    pub(super) is_derived: bool,
    /// Its methods, by number.
    pub(super) methods: Vec<u32>,
}

/// The name of what represents an `await` among the calls.
pub const AWAIT: &str = "await";

/// The name of elements and entries.
pub(crate) const ELEMENT: &str = "[]";

/// A function of a script; the first is the script itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionFact {
    /// From its first to behind its last character.
    pub span: ByteSpan,
    /// Where its body begins: how often that was reached is how often it was called.
    pub body: ByteOffset,
    /// Whether the body is an expression.
    pub is_expression: bool,
    /// What it is called; empty: it has no name.
    pub name: String,
    /// Where that name is written, if it is a variable's or its own.
    pub(super) named_at: Option<ByteOffset>,
    /// What its author called it, if that is another name.
    pub(crate) authored: Option<String>,
    /// The function around it, by number.
    pub parent: u32,
    /// The property that calls it when it is read or written, where it is an accessor.
    pub accessor: Option<String>,
    /// Whether it is a setter.
    pub is_setter: bool,
    /// How many parameters it has.
    pub parameters: u32,
    /// Whether it is `async`.
    pub is_async: bool,
    /// Whether it is a generator: where it is `async`, too, it gives no promise.
    pub is_generator: bool,
    /// The function whose `this` is its own, by number: itself, but for an arrow.
    pub this_of: u32,
    pub(super) method_of: MethodOf,
    /// The class that it is a method of, by number.
    pub(crate) class: Option<u32>,
    /// Which of its parameters is a rest parameter.
    pub(super) rest: Option<u32>,
    /// Whether it reads `arguments`.
    pub(super) uses_arguments: bool,
}

/// A call of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFact {
    /// All of it.
    pub span: ByteSpan,
    /// The function that it is in, by number.
    pub function: u32,
    /// The name of the method or of the function that is called, as it is written; empty: it has none.
    pub name: String,
    /// The object whose method is called.
    pub receiver: Option<ByteSpan>,
    /// Where the arguments are.
    pub arguments: Vec<ByteSpan>,
    /// The first argument, if it is a text.
    pub text: Option<String>,
    /// The second argument, if it is a text.
    pub second_text: Option<String>,
    /// Whether it is `new`.
    pub is_new: bool,
    /// Whether it is behind `?.`.
    pub is_optional: bool,
    /// Of what is called with `{ signal }`: where the controller may come from; empty: that is not known.
    pub(crate) signal: Option<Vec<FlowPlace>>,
    pub(crate) callee: Vec<FlowPlace>,
    pub(crate) receivers: Vec<FlowPlace>,
    pub(crate) given: Vec<Vec<FlowPlace>>,
    /// The first argument that is spread, and where its elements are, and what is behind it: which goes to which
    /// parameter is not known from there on.
    pub(super) spread: Option<(u32, Vec<FlowPlace>)>,
    /// Of `f.apply(this, list)`: where the elements of the list are. Of `await object.done`: where the object is.
    pub(crate) applied: Vec<FlowPlace>,
}

impl CallFact {
    /// The number of the first argument that is spread.
    #[must_use]
    pub fn first_spread(&self) -> Option<u32> {
        self.spread.as_ref().map(|(first, _)| *first)
    }
}

/// A property that is set to a function which the browser may call: `button.onclick = f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerFact {
    /// The assignment.
    pub span: ByteSpan,
    /// The function that it is in, by number.
    pub function: u32,
    /// The property.
    pub name: String,
    pub(super) value: Vec<FlowPlace>,
    /// The object whose property is set, where it is an assignment.
    pub(crate) object: Vec<FlowPlace>,
    /// Of a value that a test decides: each that it may be, where that is something.
    pub(crate) alternatives: Vec<ByteSpan>,
}

/// A write of a property: an assignment, `++`, `--` or `delete`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteFact {
    /// All of it.
    pub span: ByteSpan,
    /// The object.
    pub object: ByteSpan,
    /// The function that it is in, by number.
    pub function: u32,
    pub(crate) objects: Vec<FlowPlace>,
}

/// A read or write of a property, as far as an accessor may have been called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) at: ByteSpan,
    pub(super) function: u32,
    pub(super) name: Atom,
    pub(super) is_write: bool,
}

/// What one script says about calls.
#[derive(Clone, Debug, Default)]
pub struct CallFacts {
    /// Its functions; the first is the script itself.
    pub functions: Vec<FunctionFact>,
    /// Its calls, in the order of the text.
    pub calls: Vec<CallFact>,
    /// Properties that are set to what the browser may call.
    pub handlers: Vec<HandlerFact>,
    /// Writes of properties.
    pub writes: Vec<WriteFact>,
    /// Where the bodies of its `catch` clauses begin.
    pub catches: Vec<ByteOffset>,
    /// The custom elements that its texts name as markup, `<x-badge>`, and where.
    pub(crate) markup: Vec<(String, ByteSpan)>,
    /// Its object and array literals.
    pub(super) literals: Vec<LiteralFact>,
    pub(super) classes: Vec<ClassFact>,
    pub(super) accesses: Vec<Access>,
    /// The variables that are taken out of what calls give, under which names: `const { pause } = every(draw)`.
    pub(super) taken: Vec<(u32, Atom, FlowPlace)>,
    /// From where to where functions flow.
    pub(super) flows: Vec<(FlowPlace, FlowPlace)>,
    /// Where the functions begin, in the order of the text.
    in_order: Vec<(ByteOffset, u32)>,
    /// The functions by where they begin.
    pub(super) by_start: FxHashMap<u32, u32>,
}

impl CallFacts {
    /// The innermost function around an offset, by number.
    #[must_use]
    pub fn function_around(&self, at: ByteOffset) -> u32 {
        let before = self.in_order.partition_point(|(start, _)| *start < at);
        let last = before
            .checked_sub(1)
            .and_then(|last| self.in_order.get(last));
        let mut number = last.map_or(0, |(_, number)| *number);
        // What begins last before it, or what is around that.
        while number != 0 {
            match self.functions.get(number as usize) {
                Some(function) if at < function.span.end => break,
                Some(function) => number = function.parent,
                None => return 0,
            }
        }
        number
    }

    /// Puts the functions in order, once all are known.
    pub(super) fn sort_functions(&mut self) {
        let numbers = (0_u32..).zip(&self.functions);
        let mut in_order: Vec<(ByteOffset, u32)> = numbers
            .map(|(number, function)| (function.span.start, number))
            .collect();
        let end = |number: u32| self.functions.get(number as usize).map(|it| it.span.end);
        // Of those that begin at one place the innermost last.
        in_order.sort_by_key(|(start, number)| (*start, std::cmp::Reverse(end(*number)), *number));
        self.in_order = in_order;
    }

    /// The innermost object literal that a function is in, within the function around it.
    fn literal_of(&self, function: u32) -> Option<FlowPlace> {
        let own = self.functions.get(function as usize)?;
        let parent = self.functions.get(own.parent as usize);
        let around = |literal: &ByteSpan| {
            // What is around the function around it is not its own.
            let is_within = parent.is_none_or(|parent| parent.span.start <= literal.start);
            is_within && literal.start < own.span.start && own.span.end < literal.end
        };
        let spans = self.literals.iter().map(|literal| &literal.span);
        let around = spans.zip(0_u32..).filter(|(literal, _)| around(literal));
        let innermost = around.min_by_key(|(literal, _)| literal.end.0 - literal.start.0);
        innermost.map(|(_, number)| FlowPlace::Literal(number))
    }

    /// The calls that are given a place of the script, by number.
    fn given_one_of(&self, places: Vec<FlowPlace>) -> impl Iterator<Item = u32> + '_ {
        let calls = self.calls.iter().zip(0_u32..);
        calls.filter_map(move |(call, number)| {
            let mut given = call.given.iter().flatten();
            given.any(|place| places.contains(place)).then_some(number)
        })
    }

    /// The calls that are given the variable that holds the object literal that a function is in, by number.
    pub fn hand_over_object_of(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        let literal = self.literal_of(function);
        let into = self
            .flows
            .iter()
            .filter(|(from, _)| Some(from) == literal.as_ref());
        let variables = into.map(|(_, to)| to);
        let held =
            variables.filter(|to| matches!(to, FlowPlace::Variable(_) | FlowPlace::Global(_)));
        self.given_one_of(held.cloned().collect())
    }

    /// The calls that are given the object literal that a function is in where it is written, by number.
    pub fn hand_over_literal_of(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        self.given_one_of(self.literal_of(function).into_iter().collect())
    }

    /// The calls that are given a function where it is written, or the variable that it is declared as, by number.
    pub fn hand_over_directly(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        self.given_one_of(self.declared_as(function))
    }

    /// Whether a call is one of a parameter, by its number in the function that has it.
    pub(crate) fn calls_parameter(&self, call: u32, number: u32) -> bool {
        let callee = self.calls.get(call as usize).map(|call| &call.callee);
        let is_it =
            |place: &FlowPlace| matches!(place, FlowPlace::Parameter(_, own) if *own == number);
        let flows_into = |place: &FlowPlace| {
            let mut flows = self.flows.iter();
            flows.any(|(from, to)| is_it(from) && to == place)
        };
        let mut callee = callee.into_iter().flatten();
        callee.any(|place| is_it(place) || flows_into(place))
    }

    /// Whether what a call calls comes out of lists or by computed names only, by the text or over a variable.
    pub(crate) fn calls_element(&self, call: u32) -> bool {
        let call = self.calls.get(call as usize);
        call.is_some_and(|call| self.are_elements(&call.callee))
    }

    /// The same of what a call is given.
    pub(crate) fn gives_elements(&self, call: u32) -> bool {
        let call = self.calls.get(call as usize);
        let given = call.map(|call| call.given.concat());
        given.is_some_and(|given| self.are_elements(&given))
    }

    fn are_elements(&self, places: &[FlowPlace]) -> bool {
        // `handlers.get(name)`
        let takes = |call: &CallFact| {
            matches!(call.name.as_str(), "get" | "shift" | "pop" | "find" | "at")
                && call.receiver.is_some()
        };
        let is_element = |place: &FlowPlace| match place {
            FlowPlace::Property(name) => &**name == ELEMENT,
            FlowPlace::Members(_) => true,
            FlowPlace::Result(call) => self.calls.get(*call as usize).is_some_and(takes),
            _ => false,
        };
        let comes_of_some = |variable: &FlowPlace| {
            let mut into = self
                .flows
                .iter()
                .filter(|(_, to)| to == variable)
                .peekable();
            into.peek().is_some() && into.all(|(from, _)| is_element(from))
        };
        let is_one =
            |place: &FlowPlace| is_element(place) || place.is_variable() && comes_of_some(place);
        !places.is_empty() && places.iter().all(is_one)
    }

    /// Whether others of the object literal that a function is in are among those that ran.
    pub(crate) fn has_others_beside(&self, function: u32, ran: &dyn Fn(u32) -> bool) -> bool {
        let Some(FlowPlace::Literal(literal)) = self.literal_of(function) else {
            return false;
        };
        let (Some(literal), Some(own)) = (
            self.literals.get(literal as usize),
            self.functions.get(function as usize),
        ) else {
            return false;
        };
        let mut others = (0..).zip(&self.functions);
        others.any(|(number, other)| {
            let is_in = literal.span.start < other.span.start && other.span.end < literal.span.end;
            number != function && is_in && other.parent == own.parent && ran(number)
        })
    }

    /// The functions that a call is given: where they are written, or by the variables that they are declared as.
    #[must_use]
    pub fn functions_given(&self, call: u32) -> Vec<u32> {
        let call = self.calls.get(call as usize);
        let given = call
            .into_iter()
            .flat_map(|call| call.given.iter().flatten());
        let mut found = Vec::new();
        for place in given {
            match place {
                FlowPlace::Function(function) => found.push(*function),
                FlowPlace::Variable(_) | FlowPlace::Global(_) => {
                    found.extend(self.flows.iter().filter_map(|(from, to)| match from {
                        FlowPlace::Function(function) if to == place => Some(*function),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        found
    }

    /// The calls of a function by the variable that it is declared as, by number.
    pub fn call_directly(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        let places = self.declared_as(function);
        let calls = self.calls.iter().zip(0_u32..);
        calls.filter_map(move |(call, number)| {
            let mut callee = call.callee.iter();
            callee.any(|place| places.contains(place)).then_some(number)
        })
    }

    /// A function itself, and the variables that it is put into where it is written.
    fn declared_as(&self, function: u32) -> Vec<FlowPlace> {
        let itself = FlowPlace::Function(function);
        let into = self.flows.iter().filter(|(from, _)| *from == itself);
        let variables = into.map(|(_, to)| to);
        let mut places: Vec<FlowPlace> = variables
            .filter(|to| matches!(to, FlowPlace::Variable(_) | FlowPlace::Global(_)))
            .cloned()
            .collect();
        places.push(itself);
        places
    }

    /// The variables by which alone a function, or the class or object that it is a member of, may be known to others,
    /// and how far that reaches; `None`: others may have it otherwise.
    pub(crate) fn known_by_name(&self, function: u32) -> Option<(Vec<u32>, ByteSpan)> {
        let own = self.functions.get(function as usize)?;
        let itself = FlowPlace::Function(function);
        let is_member = |literal: &LiteralFact| literal.members.contains(&itself);
        let literal = (0..).zip(&self.literals).find(|(_, it)| is_member(it));
        let (whole, span) = match (own.class, literal) {
            (Some(class), _) => (
                FlowPlace::Class(class),
                self.classes.get(class as usize)?.span,
            ),
            (None, Some((number, literal))) => (FlowPlace::Literal(number), literal.span),
            (None, None) => (itself, own.span),
        };
        let mut variables = Vec::new();
        for (_, to) in self.flows.iter().filter(|(from, _)| *from == whole) {
            match to {
                FlowPlace::Variable(variable) => variables.push(*variable),
                FlowPlace::This(_) => {}
                _ => return None,
            }
        }
        let is_exported = |(from, to): &(FlowPlace, FlowPlace)| match (from, to) {
            (FlowPlace::Variable(from), FlowPlace::Export(_)) => variables.contains(from),
            _ => false,
        };
        let is_exported = self.flows.iter().any(is_exported);
        (!is_exported && !variables.is_empty()).then_some((variables, span))
    }

    /// The calls that undo by their names what a call did whose result they are handed, are a method of, or are a call
    /// of, by number.
    #[must_use]
    pub fn undoing_by_result(&self, call: u32) -> Vec<u32> {
        let held = self.variables_of_result(call);
        let taken = self
            .taken
            .iter()
            .filter(|(of, name, _)| *of == call && ends(name));
        let ending: Vec<&FlowPlace> = taken.map(|(_, _, variable)| variable).collect();
        if held.is_empty() && ending.is_empty() {
            return Vec::new();
        }
        let calls = self.calls.iter().zip(0_u32..);
        let undoing = calls.filter(|(call, _)| {
            let given = call.given.iter().flatten();
            let mut places = given.chain(&call.callee).chain(&call.receivers);
            undoes(&call.name) && places.any(|place| held.contains(&place))
                || call.callee.iter().any(|place| ending.contains(&place))
        });
        undoing.map(|(_, number)| number).collect()
    }

    /// The variables that hold what a call gives.
    fn variables_of_result(&self, call: u32) -> Vec<&FlowPlace> {
        let result = FlowPlace::Result(call);
        let into = self.flows.iter().filter(|(from, _)| *from == result);
        let variables = into.map(|(_, to)| to);
        variables
            .filter(|to| matches!(to, FlowPlace::Variable(_) | FlowPlace::Global(_)))
            .collect()
    }

    /// Where the variables are used that hold what a call gives: in calls of them, in what is handed over, in literals.
    #[must_use]
    pub fn uses_of_result(&self, call: u32) -> Vec<ByteSpan> {
        let held = self.variables_of_result(call);
        if held.is_empty() {
            return Vec::new();
        }
        let calls = self.calls.iter().filter(|call| {
            let mut places = call.callee.iter().chain(call.given.iter().flatten());
            places.any(|place| held.contains(&place))
        });
        let literals = self.literals.iter();
        let literals = literals.filter(|it| it.members.iter().any(|place| held.contains(&place)));
        let spans = calls.map(|call| call.span);
        spans.chain(literals.map(|it| it.span)).collect()
    }

    /// Where a custom element is named: as markup, or as what a call is to make.
    pub(crate) fn names_element(&self, name: &str) -> Vec<ByteSpan> {
        let makes = |call: &&CallFact| call.text.as_deref() == Some(name) && call.name != "define";
        let calls = self.calls.iter().filter(makes).map(|call| call.span);
        let texts = self.markup.iter().filter(|(own, _)| own == name);
        texts.map(|(_, span)| *span).chain(calls).collect()
    }

    /// Whether a call is on what another call of the script gives, over a variable.
    pub(crate) fn is_made_by(&self, call: &CallFact, construction: u32) -> bool {
        let result = FlowPlace::Result(construction);
        let mut into = self.flows.iter().filter(|(from, _)| *from == result);
        into.any(|(_, to)| to.has_name() && call.receivers.contains(to))
    }

    /// The variables that a call is given, also in a list, that hold what other calls give.
    pub(crate) fn made_beside(&self, call: u32) -> Vec<FlowPlace> {
        let given = self.calls.get(call as usize).into_iter();
        let given = given.flat_map(|call| call.given.iter().flatten());
        let places = given.flat_map(|place| match place {
            FlowPlace::Literal(literal) => {
                let literal = self.literals.get(*literal as usize);
                let list = literal.filter(|literal| literal.is_list);
                list.map(|list| list.elements.as_slice())
                    .unwrap_or_default()
            }
            _ => std::slice::from_ref(place),
        });
        let is_made = |place: &FlowPlace| {
            let mut flows = self.flows.iter();
            flows.any(|(from, to)| to == place && matches!(from, FlowPlace::Result(_)))
        };
        let made =
            places.filter(|place| (place.is_variable() || place.is_global()) && is_made(place));
        made.cloned().collect()
    }

    /// The calls of `customElements.define` that are given the class that a function is a method of, by number.
    #[must_use]
    pub fn define_class_of(&self, function: u32) -> Vec<u32> {
        let own = self.functions.get(function as usize);
        let Some(class) = own.and_then(|own| own.class) else {
            return Vec::new();
        };
        let class = FlowPlace::Class(class);
        let into = self.flows.iter().filter(|(from, _)| *from == class);
        let mut places: Vec<&FlowPlace> = into.map(|(_, to)| to).collect();
        places.push(&class);
        let calls = self.calls.iter().zip(0_u32..);
        let defining = calls.filter(|(call, _)| {
            let mut given = call.given.iter().flatten();
            call.name == "define"
                && call.text.is_some()
                && given.any(|place| places.contains(&place))
        });
        defining.map(|(_, number)| number).collect()
    }

    /// The function that gives another one where it is written: `() => () => { … }`.
    #[must_use]
    pub fn gives_it(&self, function: u32) -> Option<u32> {
        let parent = self.functions.get(function as usize)?.parent;
        let flow = (FlowPlace::Function(function), FlowPlace::Returned(parent));
        self.flows.contains(&flow).then_some(parent)
    }

    /// Whether a function begins within a span.
    #[must_use]
    pub fn has_functions_in(&self, span: ByteSpan) -> bool {
        let is_within = |function: &FunctionFact| {
            span.start <= function.span.start && function.span.end <= span.end
        };
        self.functions.iter().any(is_within)
    }

    /// The function that begins at an offset, by number.
    #[must_use]
    pub fn function_at(&self, at: ByteOffset) -> Option<u32> {
        self.by_start.get(&at.0).copied()
    }
}
