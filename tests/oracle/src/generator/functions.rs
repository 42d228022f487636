//! Functions of several lines.

use super::scopes::{Kind, ScopeKind};
use super::{Function, Generator, MarkerPlace};

/// Which kind of function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionKind {
    Plain,
    Generator,
    Async,
}

impl FunctionKind {
    fn kind(self) -> Kind {
        match self {
            Self::Plain => Kind::Function,
            Self::Generator => Kind::Generator,
            Self::Async => Kind::Async,
        }
    }
}

impl Generator<'_> {
    /// A function declaration, or a variable that holds a function.
    pub(super) fn function_definition(&mut self, depth: usize) {
        let kind = *self
            .choices
            .one_of(&[
                FunctionKind::Plain,
                FunctionKind::Plain,
                FunctionKind::Generator,
                FunctionKind::Async,
            ])
            .unwrap_or(&FunctionKind::Plain);
        let form = self.choices.below(4);
        let is_arrow = form == 2 && kind != FunctionKind::Generator;
        let is_declaration = form < 2 || form == 2 && !is_arrow;
        // In a block of sloppy code such a name is one of the function as well, where others may be.
        let name = match is_declaration && !self.strict && self.is_in_block() {
            true => self.unique_name(kind.kind()),
            false => self.fresh_name(kind.kind()),
        };
        // Not known to its own parameters: a call there would come before anything is burnt.
        self.declare_hidden(&name);
        let keyword = match kind {
            FunctionKind::Plain => "function",
            FunctionKind::Generator => "function*",
            FunctionKind::Async => "async function",
        };
        let around = self.function().clone();
        self.functions.push(Function {
            is_async: kind == FunctionKind::Async,
            is_generator: kind == FunctionKind::Generator,
            has_this: is_arrow && around.has_this,
            has_super: is_arrow && around.has_super,
            private_names: if is_arrow {
                around.private_names
            } else {
                Vec::new()
            },
            can_return: true,
            ..Function::default()
        });
        self.open_scope(ScopeKind::Function);
        let parameters = self.parameters(is_arrow);
        // Known to itself, so that it can call itself; what it burns keeps that from going on.
        self.reveal(&name, kind.kind(), false);
        let (head, foot) = match form {
            _ if is_arrow => {
                let prefix = if kind == FunctionKind::Async {
                    "async "
                } else {
                    ""
                };
                (format!("const {name} = {prefix}({parameters}) => {{"), "};")
            }
            3 => (format!("const {name} = {keyword} ({parameters}) {{"), "};"),
            _ => (format!("{keyword} {name}({parameters}) {{"), "}"),
        };
        self.function_body(&head, foot, "return 0;", depth, None);
        self.used(kind, &name);
    }

    /// What was defined is nearly always used at once; later statements may use it again.
    fn used(&mut self, kind: FunctionKind, name: &str) {
        if self.choices.chance(15) {
            return;
        }
        let arguments = self.arguments(1);
        match kind {
            FunctionKind::Plain => self.line(&format!("{name}({arguments});")),
            FunctionKind::Async => {
                let wait = if self.function().is_async {
                    "await "
                } else {
                    ""
                };
                self.line(&format!("{wait}{name}({arguments});"));
            }
            FunctionKind::Generator if self.choices.chance(40) => self.resumed(name, &arguments),
            FunctionKind::Generator => {
                let target = self.target(1);
                self.line(&format!("for ({target} of {name}({arguments})) {{"));
                self.indent += 1;
                let fuel = self.burn();
                self.line(&format!("if ({fuel}-- <= 0) break;"));
                self.statement(0);
                self.indent -= 1;
                self.line("}");
            }
        }
    }

    /// An iterator that is kept and resumed a few times, with other things between.
    fn resumed(&mut self, generator: &str, arguments: &str) {
        let iterator = self.fresh_name(Kind::Iterator);
        self.line(&format!("const {iterator} = {generator}({arguments});"));
        self.declare(&iterator, Kind::Iterator, false);
        for _ in 0..=self.choices.below(3) {
            let method = self.one_of(&["next", "next", "next", "return"]);
            let (target, value) = (self.target(1), self.value(1));
            self.line(&format!("{target} = {iterator}.{method}({value}).value;"));
            if self.choices.chance(40) {
                self.statement(0);
            }
        }
    }

    /// The lines of a function whose scope is open, and closes it.
    pub(super) fn function_body(
        &mut self,
        head: &str,
        foot: &str,
        burnt_out: &str,
        depth: usize,
        first: Option<&str>,
    ) {
        self.line(head);
        self.indent += 1;
        if let Some(first) = first {
            self.line(first);
        }
        self.token();
        let fuel = self.burn();
        self.line(&format!("if ({fuel}-- <= 0) {burnt_out}"));
        if burnt_out != "return;" && self.function().is_generator {
            let target = self.target(0);
            self.line(&format!("{target} = yield 1;"));
        }
        self.statements(4, depth);
        if self.marker == MarkerPlace::Function && self.marker_line.is_none() {
            self.marker();
            if self.choices.chance(50) {
                self.statement(depth.saturating_sub(1));
            }
        }
        if burnt_out != "return;" && self.choices.chance(70) {
            let value = self.value(1);
            self.line(&format!("return {value};"));
        }
        self.indent -= 1;
        self.line(foot);
        self.close_scope();
        self.functions.pop();
    }

    /// The parameters, declared in the open scope: a value and an object.
    pub(super) fn parameters(&mut self, is_arrow: bool) -> String {
        let function = self.function().clone();
        // Nothing can be waited for or yielded before the body.
        self.function().is_async = false;
        self.function().is_generator = false;
        let parameters = self.parameter_list(is_arrow);
        self.function().is_async = function.is_async;
        self.function().is_generator = function.is_generator;
        parameters
    }

    fn parameter_list(&mut self, is_arrow: bool) -> String {
        // `arguments` are tied to the parameters only where these are plain names in sloppy code.
        let first = match self.choices.below(5) {
            0..=2 => {
                self.function().has_arguments = !is_arrow && !self.strict;
                "x".to_owned()
            }
            3 => format!("x = {}", self.value(1)),
            _ => "x = this?.p".to_owned(),
        };
        self.declare("x", Kind::Value, true);
        let second = match self.choices.below(5) {
            0..=2 => {
                self.declare("y", Kind::Object, true);
                "y".to_owned()
            }
            3 => {
                self.function().has_arguments = false;
                let key = self.plain_key();
                let value = self.value(1);
                self.declare("z", Kind::Value, true);
                format!("{{ {key}: z = {value} }} = {{}}")
            }
            _ => {
                self.function().has_arguments = false;
                self.declare("rest", Kind::Object, true);
                "...rest".to_owned()
            }
        };
        if first != "x" {
            self.function().has_arguments = false;
        }
        format!("{first}, {second}")
    }
}
