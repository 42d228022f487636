//! Programs that end, print what they do, and write values in as many ways as they can.
//!
//! What every program keeps to, so that two runs of it can be compared:
//! - Each statement has a line of its own, so that a line tells a place.
//! - It ends: every loop and every call of a function that could recurse burns some of `fuel`.
//! - Values are primitives or objects, and an expression is known to be one or the other: so nearly every
//!   program runs to its end, and nothing is converted by code of the page. Strings grow by constants only.
//! - A variable is not mentioned in its own scope before it is declared.
//! - In each function, and in some blocks, is a *token*: `const me1 = {}`, an object of its own for each
//!   activation, which every function further in mentions. So a debugger, which sees scopes as lists of names and
//!   values, can tell one activation from another.
//! - Texts that become code are one assignment, or a function of one, on one line.
//! - At one place is the marker, [`MARKER`]: the reproduction point.
//!
//! `log` is expected to be there; it prints a value.

mod classes;
mod code;
mod expressions;
mod functions;
mod scopes;
mod statements;

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use crate::choices::Choices;
use scopes::{Kind, Scope, ScopeKind};

/// The statement that is at the reproduction point.
pub const MARKER: &str = "void 'R';";
/// How many rounds of loops and calls of functions a program may make.
const FUEL: usize = 24;
/// How many lines a program has at the most, roughly.
const LONGEST: usize = 90;

/// A generated program.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// A classic script, or a part of one: it declares its names at the top.
    pub text: String,
    /// The line of [`MARKER`], counted from 1.
    pub marker_line: usize,
}

/// As a failed test shows it.
impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Program, the marker at {}:", self.marker_line)?;
        for (index, line) in self.text.lines().enumerate() {
            write!(formatter, "\n{:3} {line}", index + 1)?;
        }
        Ok(())
    }
}

/// Programs of all sizes; they shrink to few and simple statements.
pub fn programs() -> impl Strategy<Value = Program> {
    rows().prop_map(|(head, statements)| generate(&head, &statements, ""))
}

/// One to `most` programs that can be scripts of one page: each has names of its own.
pub fn scripts(most: usize) -> impl Strategy<Value = Vec<Program>> {
    vec(rows(), 1..=most).prop_map(|rows| {
        let numbered = rows.iter().enumerate();
        numbered
            .map(|(number, (head, statements))| {
                let suffix = match number {
                    0 => String::new(),
                    number => format!("${number}"),
                };
                generate(head, statements, &suffix)
            })
            .collect()
    })
}

/// Decisions: of the whole program, and of each of its statements at the top.
fn rows() -> impl Strategy<Value = (Vec<u16>, Vec<Vec<u16>>)> {
    (
        vec(any::<u16>(), 0..6),
        vec(vec(any::<u16>(), 0..150), 1..12),
    )
}

/// The program that these rows of decisions make; the names of its variables end in `suffix`.
#[must_use]
pub fn generate(head: &[u16], statements: &[Vec<u16>], suffix: &str) -> Program {
    let mut generator = Generator::new(head, suffix);
    generator.begin();
    for row in statements {
        generator.choices = Choices::new(row);
        generator.statement(3);
    }
    generator.choices = Choices::new(&[]);
    generator.end()
}

/// Where the marker goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerPlace {
    /// The end of the script.
    End,
    /// A timer, when everything that was waited for is over.
    Timer,
    /// The first function that has room for it.
    Function,
}

/// What is known of the function that is being written.
#[derive(Clone, Debug, Default)]
struct Function {
    is_async: bool,
    is_generator: bool,
    /// Whether `this` is an object there, and `super` its class.
    has_this: bool,
    has_super: bool,
    /// Whether `arguments` are those of this function, and can be written.
    has_arguments: bool,
    /// Private names of the class around.
    private_names: Vec<String>,
    /// Labels of the loops around, innermost last.
    labels: Vec<String>,
    in_loop: bool,
    /// Whether `return` may be here.
    can_return: bool,
}

struct Generator<'r> {
    choices: Choices<'r>,
    lines: Vec<String>,
    indent: usize,
    scopes: Vec<Scope>,
    functions: Vec<Function>,
    strict: bool,
    marker: MarkerPlace,
    marker_line: Option<usize>,
    /// How many expressions deep we are in code that must not call what could call it.
    without_calls: usize,
    numbers: usize,
    /// What the names of variables end in.
    suffix: String,
}

impl<'r> Generator<'r> {
    fn new(head: &'r [u16], suffix: &str) -> Self {
        let mut choices = Choices::new(head);
        let marker = *choices
            .one_of(&[
                MarkerPlace::End,
                MarkerPlace::Timer,
                MarkerPlace::Function,
                MarkerPlace::Function,
            ])
            .unwrap_or(&MarkerPlace::End);
        Self {
            strict: choices.chance(30),
            choices,
            lines: Vec::new(),
            indent: 0,
            scopes: vec![Scope::new(ScopeKind::Function)],
            functions: vec![Function::default()],
            marker,
            marker_line: None,
            without_calls: 0,
            numbers: 0,
            suffix: suffix.to_owned(),
        }
    }

    fn begin(&mut self) {
        if self.strict {
            self.line("'use strict';");
        }
        let (fuel, a, o) = (self.burn(), self.named("a"), self.named("o"));
        self.line(&format!("let {fuel} = {FUEL};"));
        self.line(&format!("let {a} = 1;"));
        self.line(&format!("const {o} = {{ p: 2, q: 'q' }};"));
        self.declare(&a, Kind::Value, true);
        self.declare(&o, Kind::Object, false);
    }

    fn end(mut self) -> Program {
        if self.marker == MarkerPlace::Timer && self.marker_line.is_none() {
            self.line("setTimeout(() => {");
            self.indent += 1;
            self.marker();
            self.dump();
            self.indent -= 1;
            self.line("});");
        } else {
            if self.marker_line.is_none() {
                self.marker();
            }
            self.dump();
        }
        let mut text = self.lines.join("\n");
        text.push('\n');
        Program {
            text,
            marker_line: self.marker_line.unwrap_or(1),
        }
    }

    fn marker(&mut self) {
        self.line(MARKER);
        self.marker_line = Some(self.lines.len());
    }

    /// Prints what has become of the variables at the top.
    fn dump(&mut self) {
        let names: Vec<String> = self
            .scopes
            .first()
            .into_iter()
            .flat_map(|scope| &scope.variables)
            .map(|variable| variable.name.clone())
            .collect();
        for name in names {
            self.line(&format!("log({name});"));
        }
    }

    /// Adds a line of its own.
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.indent);
        self.lines.push(format!("{indent}{text}"));
    }

    /// A name as this program writes it.
    fn named(&self, name: &str) -> String {
        format!("{name}{}", self.suffix)
    }

    /// The variable that loops and functions burn.
    fn burn(&self) -> String {
        self.named("fuel")
    }

    fn is_long(&self) -> bool {
        self.lines.len() > LONGEST
    }

    fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn function(&mut self) -> &mut Function {
        // There is always the script's own.
        if self.functions.is_empty() {
            self.functions.push(Function::default());
        }
        let last = self.functions.len() - 1;
        &mut self.functions[last]
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, RngSeed, TestRunner};

    use super::*;

    /// What a generator never makes proves nothing.
    #[test]
    fn every_form_is_made() {
        let config = Config {
            rng_seed: RngSeed::Fixed(1),
            ..Config::default()
        };
        let mut runner = TestRunner::new(config);
        let texts: Vec<String> = (0..1000)
            .map(|_| programs().new_tree(&mut runner).unwrap().current().text)
            .collect();
        let rare: Vec<&str> = [
            "= eval('",
            "(0, eval)('",
            "globalThis.eval('",
            "new Function('x', '",
            "(Function('x', '",
            "((strings, x) => ",
            "for await (",
            "new Proxy(",
            "set(t, k, v)",
            "Symbol.for('s')",
            "get acc()",
            "set acc(x)",
            "continue loop",
            "break loop",
            ".next(",
            ".return(",
            "with (",
            "Reflect.set(",
            "Object.assign(",
            "Object.defineProperty(",
        ]
        .into_iter()
        .filter(|form| texts.iter().filter(|text| text.contains(form)).count() < 5)
        .collect();
        assert!(rare.is_empty(), "hardly ever made: {rare:?}");
    }
}
