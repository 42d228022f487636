//! Expressions: those that give a value, those that give an object, what can be written, and functions of one line.
//!
//! Anything that is more than a name or a member is in brackets, so it can be anywhere.

use super::Generator;
use super::scopes::{Kind, ScopeKind};

/// Keys of values; few, so that writes meet.
pub(super) const KEYS: [&str; 3] = ["p", "q", "r"];
const LITERALS: [&str; 12] = [
    "1", "0", "2", "'q'", "true", "null", "void 0", "-0", "NaN", "''", "7", "false",
];
const BINARY: [&str; 12] = [
    "-", "*", "<", "===", "%", "|", ">>>", "!=", "&", "**", "^", ">=",
];
const COMPOUND: [&str; 14] = [
    "=", "-=", "*=", "??=", "||=", "&&=", "|=", "&=", "%=", "<<=", ">>=", ">>>=", "^=", "**=",
];

impl Generator<'_> {
    /// An expression that gives a primitive (or an error that was caught).
    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple_value();
        }
        let deeper = depth - 1;
        match self.choices.below(29) {
            0..=2 => self.simple_value(),
            3 => {
                let object = self.object(deeper);
                let key = self.member(deeper);
                format!("{object}{key}")
            }
            4 | 5 => format!("({})", self.assignment(deeper)),
            6 => format!("({})", self.update()),
            7 => {
                let operator = self.one_of(&BINARY);
                // A power of a sum of signs does not parse without brackets; here every operand has them.
                let (left, right) = (self.value(deeper), self.value(deeper));
                format!("(({left}) {operator} ({right}))")
            }
            8 => {
                let (left, literal) = (self.value(deeper), self.one_of(&["1", "'s'", "-1"]));
                format!("({left} + {literal})")
            }
            9 => {
                let operator = self.one_of(&["??", "||", "&&"]);
                let (left, right) = (self.value(deeper), self.value(deeper));
                format!("({left} {operator} {right})")
            }
            10 => {
                let test = self.value(deeper);
                let (yes, no) = (self.value(deeper), self.value(deeper));
                format!("({test} ? {yes} : {no})")
            }
            11 => {
                let (first, second) = (self.value(deeper), self.value(deeper));
                format!("({first}, {second})")
            }
            12 => format!("`{}${{{}}}`", self.one_of(&["", "t"]), self.value(deeper)),
            13 | 14 => self.call(deeper),
            15 => format!("(delete {}{})", self.object(deeper), self.member(deeper)),
            16 => format!("({} in {})", self.key(), self.object(deeper)),
            // An engine does not stop at an initialiser that is nothing but a chain.
            17 => format!("({}?.{} ?? 2)", self.object(deeper), self.plain_key()),
            18 => format!("(typeof {})", self.value(deeper)),
            19 => format!("(-({}))", self.value(deeper)),
            20 => self.immediate_arrow(deeper),
            21 => self.method_call(deeper),
            22 => self.iteration(deeper),
            23 => self.suspension(deeper),
            24 => self.destructuring_value(deeper),
            25 => {
                let literal = self.object_literal(deeper);
                format!("({literal}).{}", self.plain_key())
            }
            26 => self.of_this_function(deeper),
            _ => self.unusual_value(deeper),
        }
    }

    fn simple_value(&mut self) -> String {
        match self.choices.below(4) {
            0 => self.one_of(&LITERALS).to_owned(),
            1 | 2 => match self.variable(Kind::Value, false) {
                Some(name) => name,
                None => "3".to_owned(),
            },
            _ => {
                let object = self.simple_object();
                format!("{object}.{}", self.plain_key())
            }
        }
    }

    pub(super) fn one_of<'o>(&mut self, options: &[&'o str]) -> &'o str {
        self.choices.one_of(options).copied().unwrap_or("1")
    }

    pub(super) fn plain_key(&mut self) -> &'static str {
        self.one_of(&KEYS)
    }

    /// An expression that gives a key of a value.
    pub(super) fn key(&mut self) -> String {
        match self.choices.below(9) {
            0 | 1 => format!("'{}'", self.plain_key()),
            2 | 3 => self.one_of(&["0", "1"]).to_owned(),
            4 | 5 => format!("`{}`", self.plain_key()),
            6 => "Symbol.for('s')".to_owned(),
            _ => {
                let test = self.value(1);
                format!("({test} ? 'p' : 'q')")
            }
        }
    }

    /// `.p`, `['p']`, `[0]`, …
    fn member(&mut self, depth: usize) -> String {
        match self.choices.below(if depth == 0 { 3 } else { 5 }) {
            0..=2 => format!(".{}", self.plain_key()),
            3 if self.without_calls == 0 => ".acc".to_owned(),
            _ => format!("[{}]", self.key()),
        }
    }

    pub(super) fn simple_object(&mut self) -> String {
        if self.function().has_this && self.choices.chance(60) {
            return "this".to_owned();
        }
        match self.variable(Kind::Object, false) {
            Some(name) => name,
            None => "({ p: 1 })".to_owned(),
        }
    }

    /// An expression that gives an object.
    pub(super) fn object(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple_object();
        }
        let deeper = depth - 1;
        match self.choices.below(15) {
            0..=4 => self.simple_object(),
            5 | 6 => format!("({})", self.object_literal(deeper)),
            7 => self.array_literal(deeper),
            8 => {
                let object = self.simple_object();
                format!("({object}.n ?? {object})")
            }
            9 => {
                let object = self.simple_object();
                let literal = self.object_literal(deeper);
                format!("({object}.n ??= {literal})")
            }
            10 => match self.variable(Kind::Object, true) {
                Some(name) => {
                    let object = self.object(deeper);
                    format!("({name} = {object})")
                }
                None => self.simple_object(),
            },
            11 => {
                let test = self.value(deeper);
                let (yes, no) = (self.object(deeper), self.object(deeper));
                format!("({test} ? {yes} : {no})")
            }
            12 => format!("({}, {})", self.value(deeper), self.object(deeper)),
            13 => self.unusual_object(deeper),
            _ => match self.variable(Kind::Class, false) {
                Some(class) => format!("new {class}({})", self.arguments(deeper)),
                None => self.simple_object(),
            },
        }
    }

    pub(super) fn object_literal(&mut self, depth: usize) -> String {
        let mut parts = Vec::new();
        for _ in 0..=self.choices.below(3) {
            parts.push(match self.choices.below(10) {
                0..=2 => {
                    let key = self.plain_key();
                    format!("{key}: {}", self.value(depth))
                }
                3 => match self
                    .in_sight(&[Kind::Value], false)
                    .into_iter()
                    .find(|name| KEYS.contains(&name.as_str()))
                {
                    Some(name) => {
                        self.mention(&name);
                        name
                    }
                    None => format!("q: {}", self.value(depth)),
                },
                4 => {
                    let key = self.key();
                    format!("[{key}]: {}", self.value(depth))
                }
                5 => format!("...{}", self.simple_object()),
                6 => self.inner(true, |this| {
                    let body = this.assignment(1);
                    format!("m(x) {{ {body}; return this.p; }}")
                }),
                7 => self.inner(true, |this| {
                    let value = this.value(1);
                    format!("get acc() {{ return (this.q, {value}); }}")
                }),
                8 => self.inner(true, |this| {
                    this.declare("x", Kind::Value, true);
                    let key = this.plain_key();
                    format!("set acc(x) {{ this.{key} = {}; }}", this.value(1))
                }),
                _ => format!("n: {}", self.object(depth.min(1))),
            });
        }
        format!("{{ {} }}", parts.join(", "))
    }

    fn array_literal(&mut self, depth: usize) -> String {
        let mut parts = Vec::new();
        for _ in 0..=self.choices.below(3) {
            parts.push(match self.choices.below(6) {
                0..=3 => self.value(depth),
                4 => format!("...[{}]", self.value(depth)),
                _ => match self.generator_call(depth) {
                    Some(call) => format!("...{call}"),
                    None => String::new(),
                },
            });
        }
        format!("[{}]", parts.join(", "))
    }

    /// Writes what is in a method, getter or setter of one line: no call there could come back to it.
    pub(super) fn inner(
        &mut self,
        has_this: bool,
        write: impl FnOnce(&mut Self) -> String,
    ) -> String {
        self.functions.push(super::Function {
            has_this,
            ..super::Function::default()
        });
        self.open_scope(ScopeKind::Function);
        self.without_calls += 1;
        let text = write(self);
        self.without_calls -= 1;
        self.close_scope();
        self.functions.pop();
        text
    }

    /// What a value can be written to.
    pub(super) fn target(&mut self, depth: usize) -> String {
        let private_names = self.function().private_names.clone();
        match self.choices.below(8) {
            0..=2 => match self.variable(Kind::Value, true) {
                Some(name) => name,
                None => format!("{}.p", self.simple_object()),
            },
            3 | 4 => format!("{}.{}", self.simple_object(), self.plain_key()),
            5 if self.function().has_super => format!("super.{}", self.plain_key()),
            5 if self.function().has_arguments => "arguments[0]".to_owned(),
            6 if !private_names.is_empty() => {
                format!(
                    "this.#{}",
                    self.choices.one_of(&private_names).map_or("x", |name| name)
                )
            }
            _ => format!("{}{}", self.object(depth.min(2)), self.member(depth)),
        }
    }

    /// An assignment, without brackets.
    pub(super) fn assignment(&mut self, depth: usize) -> String {
        let operator = match self.choices.below(3) {
            0 => "=",
            1 => self.one_of(&COMPOUND),
            _ => "+=",
        };
        let target = self.target(depth);
        let value = match operator {
            // So that no string doubles.
            "+=" => self.one_of(&["1", "'s'", "-1", "0"]).to_owned(),
            _ => self.value(depth),
        };
        format!("{target} {operator} {value}")
    }

    /// `x++` and its kin, without brackets.
    pub(super) fn update(&mut self) -> String {
        let target = self.target(1);
        match self.choices.below(4) {
            0 => format!("{target}++"),
            1 => format!("++{target}"),
            2 => format!("{target}--"),
            _ => format!("--{target}"),
        }
    }

    /// A value and an object, as every function takes them.
    pub(super) fn arguments(&mut self, depth: usize) -> String {
        match self.choices.below(5) {
            0..=2 => format!("{}, {}", self.value(depth), self.object(depth.min(1))),
            3 => format!("...[{}, {}]", self.value(depth), self.object(depth.min(1))),
            _ => "void 0, { p: 5 }".to_owned(),
        }
    }

    /// A call that gives a value.
    pub(super) fn call(&mut self, depth: usize) -> String {
        match self.variable(Kind::Function, false) {
            Some(function) => {
                let arguments = self.arguments(depth);
                match self.choices.below(4) {
                    0 | 1 => format!("{function}({arguments})"),
                    2 => format!("{function}?.({arguments})"),
                    _ => format!("{function}.call({}, {arguments})", self.simple_object()),
                }
            }
            None => self.immediate_arrow(depth),
        }
    }

    fn method_call(&mut self, depth: usize) -> String {
        if self.without_calls > 0 {
            return self.simple_value();
        }
        format!("{}.m?.({})", self.simple_object(), self.arguments(depth))
    }

    fn immediate_arrow(&mut self, depth: usize) -> String {
        let argument = self.value(depth);
        let body = self.arrow_body(depth);
        format!("((x = 1) => {body})({argument})")
    }

    /// The body of an arrow function of one line, with a parameter `x`.
    pub(super) fn arrow_body(&mut self, depth: usize) -> String {
        let around = self.function().clone();
        self.functions.push(super::Function {
            has_this: around.has_this,
            has_super: around.has_super,
            private_names: around.private_names,
            ..super::Function::default()
        });
        self.open_scope(ScopeKind::Function);
        self.declare("x", Kind::Value, true);
        self.without_calls += 1;
        let body = self.value(depth);
        self.without_calls -= 1;
        self.close_scope();
        self.functions.pop();
        format!("({body})")
    }

    /// A function of one line that may be kept: it mentions the tokens in sight.
    pub(super) fn kept_arrow(&mut self, depth: usize) -> String {
        let tokens = self.in_sight(&[Kind::Token], false);
        let body = self.arrow_body(depth);
        let mentioned: String = tokens.iter().map(|token| format!("{token}, ")).collect();
        format!("(x) => ({mentioned}{body})")
    }

    fn generator_call(&mut self, depth: usize) -> Option<String> {
        let generator = self.variable(Kind::Generator, false)?;
        Some(format!("{generator}({})", self.arguments(depth)))
    }

    fn iteration(&mut self, depth: usize) -> String {
        match self.choices.below(4) {
            0 => {
                let (first, second) = (self.value(depth), self.value(depth));
                let body = self.arrow_body(depth);
                format!("[{first}, {second}].map((x) => {body}).length")
            }
            1 => match self.variable(Kind::Iterator, false) {
                Some(iterator) => {
                    let method = self.one_of(&["next", "next", "next", "return"]);
                    format!("{iterator}.{method}({}).value", self.value(depth))
                }
                None => self.simple_value(),
            },
            _ => match self.generator_call(depth) {
                Some(call) => format!("[...{call}].length"),
                None => self.simple_value(),
            },
        }
    }

    /// `await` and `yield`, where they may be.
    fn suspension(&mut self, depth: usize) -> String {
        if self.function().is_generator {
            return format!("(yield {})", self.value(depth));
        }
        if self.function().is_async {
            return format!("(await {})", self.value(depth));
        }
        self.simple_value()
    }

    /// A destructuring assignment to values, without brackets; what it gives is the object on its right.
    pub(super) fn destructuring(&mut self, depth: usize) -> String {
        match self.choices.below(3) {
            0 => {
                let targets = self.element_targets(depth);
                let (first, second) = (self.value(depth), self.value(depth));
                format!("[{targets}] = [{first}, {second}]")
            }
            1 => {
                let targets = self.property_targets(depth);
                format!("{{ {targets} }} = {}", self.object(depth))
            }
            _ => {
                let (outer, inner) = (self.element_targets(depth), self.property_targets(depth));
                let (value, object) = (self.value(depth), self.object(depth));
                format!("[[{outer}], {{ {inner} }}] = [[{value}], {object}]")
            }
        }
    }

    fn element_targets(&mut self, depth: usize) -> String {
        let mut targets = Vec::new();
        for _ in 0..=self.choices.below(3) {
            targets.push(match self.choices.below(5) {
                0..=2 => self.target(depth.min(1)),
                3 => format!("{} = {}", self.target(depth.min(1)), self.value(depth)),
                _ => String::new(),
            });
        }
        // A hole at the end is no element.
        targets.push(self.target(0));
        targets.join(", ")
    }

    fn property_targets(&mut self, depth: usize) -> String {
        let mut targets = Vec::new();
        for _ in 0..=self.choices.below(3) {
            let key = match self.choices.below(4) {
                0..=2 => self.plain_key().to_owned(),
                _ => format!("[{}]", self.key()),
            };
            let target = self.target(depth.min(1));
            targets.push(match self.choices.below(3) {
                0 | 1 => format!("{key}: {target}"),
                _ => format!("{key}: {target} = {}", self.value(depth)),
            });
        }
        if let Some(name) = self
            .variable(Kind::Object, true)
            .filter(|_| self.choices.chance(25))
        {
            targets.push(format!("...{name}"));
        }
        targets.join(", ")
    }

    fn destructuring_value(&mut self, depth: usize) -> String {
        format!("({}, 4)", self.bracketed_destructuring(depth))
    }

    pub(super) fn bracketed_destructuring(&mut self, depth: usize) -> String {
        format!("({})", self.destructuring(depth))
    }

    /// What only some functions have.
    fn of_this_function(&mut self, depth: usize) -> String {
        let private_names = self.function().private_names.clone();
        match self.choices.below(3) {
            0 if !private_names.is_empty() => format!(
                "this.#{}",
                self.choices.one_of(&private_names).map_or("x", |name| name)
            ),
            1 if self.function().has_super => format!("super.{}", self.plain_key()),
            _ if self.function().has_arguments => "arguments[0]".to_owned(),
            _ => self.value(depth),
        }
    }
}
