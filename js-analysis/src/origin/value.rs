//! An expression, as the source of a value.

use crate::position::{ByteOffset, ByteSpan};

/// An expression whose value is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Where it is.
    pub span: ByteSpan,
    /// Whether to evaluate it again, right behind it, gives the same: it calls nothing and writes nothing. (A getter
    /// that it reads may do either; whoever evaluates it must not let it.)
    pub is_pure: bool,
    /// Whether code that may have effects is evaluated between it and the write: a later property of the same literal,
    /// a later argument of the same call.
    pub is_followed: bool,
    /// What it is.
    pub form: Form,
}

/// What an expression does to get its value.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// It makes the value: a literal, a function, a class, an operation on literals.
    Literal,
    /// An object literal: its properties in order; `None` represents what is not known by a name.
    Object(Vec<Option<(String, Value)>>),
    /// An array literal: its elements up to the first spread.
    Array {
        /// Its elements; `None` is a hole.
        elements: Vec<Option<Value>>,
        /// Whether a spread follows them.
        is_open: bool,
    },
    /// It reads a variable or a property.
    Reference(Reference),
    /// It reads a property of what an expression gives that is no reference: `f().a.b`.
    Part {
        /// The expression.
        of: Box<Value>,
        /// The way from there.
        steps: Vec<Step>,
    },
    /// `test ? yes : no`
    Conditional {
        /// The test.
        test: Box<Value>,
        /// The value if it holds.
        yes: Box<Value>,
        /// The value if it does not.
        no: Box<Value>,
    },
    /// `left || right`, `left && right`, `left ?? right`
    Logical {
        /// Which.
        operator: Logical,
        /// The value, if it decides.
        left: Box<Value>,
        /// The value, if `left` does not decide.
        right: Box<Value>,
    },
    /// It computes: operators, a template with holes.
    Operation {
        /// What it computes with, in the order of the text.
        operands: Vec<Value>,
        /// Whether it only gives another form to the one operand: `+x`, a template of nothing but a hole.
        converts: bool,
        /// How, where that is enough to work it out.
        operator: Operator,
    },
    /// It calls a function.
    Call(Box<Call>),
    /// `await value`
    Await(Box<Value>),
    /// It cannot be told from the text; what it is, in words.
    Unknown(&'static str),
}

/// How an operation makes one value of its operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Operator {
    /// `a + b + c`, from left to right.
    Add,
    /// `a - b - c`, from left to right.
    Subtract,
    /// `a * b * c`, from left to right.
    Multiply,
    /// `a / b / c`, from left to right.
    Divide,
    /// `a % b`
    Remainder,
    /// `a & b & c`
    And,
    /// `a | b | c`
    Or,
    /// `a ^ b ^ c`
    ExclusiveOr,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`
    ShiftRight,
    /// `a >>> b`
    ShiftRightUnsigned,
    /// `++x`, `x++`, `--x`, `x--`
    Update {
        /// Whether the operator is before: the value is what the operand has then, not what it had.
        is_prefix: bool,
        /// Whether it adds one; else it subtracts one.
        adds: bool,
    },
    /// A template: the texts before, between and behind its holes, as they are without escapes.
    Template(Vec<String>),
    /// Another one.
    #[default]
    Other,
}

/// A logical operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logical {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `??`
    Nullish,
}

/// A variable or `this`, and the way from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where it begins.
    pub root: Root,
    /// The way, in order.
    pub steps: Vec<Step>,
}

/// Where a reference begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// `this`
    This,
    /// A variable.
    Variable {
        /// The name under which it runs.
        name: String,
        /// Where that is.
        at: ByteOffset,
        /// Whether this script declares it.
        is_declared: bool,
    },
}

/// A step of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `.name`
    Property(String),
    /// `.#name`
    Private {
        /// The name as it runs, without the `#`.
        name: String,
        /// Where it is.
        at: ByteOffset,
    },
    /// `["key"]`
    Key(String),
    /// `[3]`
    Index(f64),
    /// `[expression]`: which key that is, an execution says.
    Computed {
        /// The expression.
        span: ByteSpan,
        /// Whether it can be evaluated again: see [`Value::is_pure`].
        is_pure: bool,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// How far it reaches.
    pub span: ByteSpan,
    /// How.
    pub kind: CallKind,
    /// The function that is called, if it is an expression.
    pub callee: Option<Value>,
    /// The object whose method is called.
    pub receiver: Option<Value>,
    /// The name of that method.
    pub method: Option<String>,
    /// The dotted name of what is called, where it begins at a name that this script does not declare: `Math.random`.
    pub global: Option<String>,
    /// What is handed over; of a tagged template what is in its holes, which are the arguments behind the first.
    pub arguments: Vec<Argument>,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// `f(x)`
    Plain,
    /// `new F(x)`
    New,
    /// `super(x)`
    Super,
    /// `` f`x` ``
    Tagged,
    /// `import(x)`
    Import,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The expression.
    pub value: Value,
    /// Whether `...` is before it.
    pub is_spread: bool,
}

impl Value {
    /// Whether the text alone says the value.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(
            self.form,
            Form::Literal | Form::Object(_) | Form::Array { .. }
        )
    }
}
