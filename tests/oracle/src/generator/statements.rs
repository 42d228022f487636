//! Statements, each on a line of its own.

use super::Generator;
use super::scopes::{Kind, ScopeKind};

impl Generator<'_> {
    /// One statement, with what it holds at most `depth` deep.
    pub(super) fn statement(&mut self, depth: usize) {
        let nested = depth > 0 && !self.is_long();
        let forms = if nested { 34 } else { 18 };
        match self.choices.below(forms) {
            0..=4 => {
                let text = self.assignment(2);
                self.line(&format!("{text};"));
            }
            5 | 6 => {
                let text = self.update();
                self.line(&format!("{text};"));
            }
            7 => {
                let value = self.value(2);
                self.line(&format!("log({value});"));
            }
            8 | 9 => self.value_declaration(),
            10 => self.object_declaration(),
            11 => {
                let text = self.destructuring(2);
                self.line(&format!("({text});"));
            }
            12 => self.destructuring_declaration(),
            13 => {
                let (object, key) = (self.object(2), self.plain_key());
                self.line(&format!("delete {object}.{key};"));
            }
            14 => {
                let call = self.call(2);
                self.line(&format!("{call};"));
            }
            15 => self.kept_function(),
            16 => self.jump(),
            17 => self.asynchronous(),
            18..=21 => self.function_definition(depth),
            22 | 23 => self.class_definition(depth),
            24 => self.conditional(depth),
            25 => self.switch(),
            26 | 27 => self.try_statement(depth),
            28 => self.block(depth, "{", "}"),
            29 => self.with_statement(depth),
            _ => self.loop_statement(depth),
        }
    }

    /// One to `most` statements, one level further in.
    pub(super) fn statements(&mut self, most: usize, depth: usize) {
        for _ in 0..=self.choices.below(most) {
            self.statement(depth.saturating_sub(1));
            if self.choices.ended() {
                return;
            }
        }
    }

    fn value_declaration(&mut self) {
        let keyword = self.one_of(&["let", "const", "var"]);
        let name = match keyword {
            // A `var` of a block is one of the function, where others may be.
            "var" => self.unique_name(Kind::Value),
            _ => self.fresh_name(Kind::Value),
        };
        self.declare_hidden(&name);
        let value = self.value(2);
        let text = match (keyword, self.choices.below(6)) {
            ("let" | "var", 5) => format!("{keyword} {name};"),
            _ => format!("{keyword} {name} = {value};"),
        };
        self.line(&text);
        if keyword == "var" {
            self.reveal(&name, Kind::Hidden, false);
            self.declare_in_function_of(&name);
        } else {
            self.reveal(&name, Kind::Value, keyword == "let");
        }
    }

    fn declare_in_function_of(&mut self, name: &str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.retain(|variable| variable.name != name);
        }
        self.declare_in_function(name, Kind::Value);
    }

    fn object_declaration(&mut self) {
        let keyword = self.one_of(&["const", "let"]);
        let name = self.fresh_name(Kind::Object);
        self.declare_hidden(&name);
        let object = match self.choices.below(3) {
            0 => self.object_literal(2),
            _ => self.object(2),
        };
        self.line(&format!("{keyword} {name} = {object};"));
        self.reveal(&name, Kind::Object, keyword == "let");
    }

    fn destructuring_declaration(&mut self) {
        let keyword = self.one_of(&["let", "const"]);
        let name = self.fresh_name(Kind::Value);
        self.declare_hidden(&name);
        let other = self.fresh_name(Kind::Value);
        self.declare_hidden(&other);
        let key = self.plain_key();
        let (value, object) = (self.value(1), self.object(1));
        let text = match self.choices.below(3) {
            0 => format!("{keyword} {{ {key}: {name}, q: {other} = {value} }} = {object};"),
            1 => format!("{keyword} [{name}, {other} = 1] = [{value}];"),
            _ => format!(
                "{keyword} {{ [{}]: {name}, n: {{ r: {other} }} = {{}} }} = {object};",
                self.key()
            ),
        };
        self.line(&text);
        self.reveal(&name, Kind::Value, keyword == "let");
        self.reveal(&other, Kind::Value, keyword == "let");
    }

    /// A function of one line, kept in a property.
    fn kept_function(&mut self) {
        let object = self.simple_object_name();
        let arrow = self.kept_arrow(2);
        self.line(&format!("{object}.m = {arrow};"));
    }

    fn simple_object_name(&mut self) -> String {
        self.variable(Kind::Object, false)
            .unwrap_or_else(|| "({})".to_owned())
    }

    /// What leaves a loop or a function.
    fn jump(&mut self) {
        let function = self.function().clone();
        let test = self.value(1);
        if function.in_loop && self.choices.chance(60) {
            let jump = self.one_of(&["continue", "break"]);
            let label = self.choices.one_of(&function.labels);
            let label = label.map_or(String::new(), |label| format!(" {label}"));
            self.line(&format!("if ({test}) {jump}{label};"));
        } else if function.can_return {
            let value = self.value(1);
            self.line(&format!("if ({test}) return {value};"));
        } else {
            let target = self.assignment(1);
            self.line(&format!("if ({test}) {target};"));
        }
    }

    /// What is waited for, or begun.
    fn asynchronous(&mut self) {
        if let Some(name) = self.variable(Kind::Async, false) {
            let arguments = self.arguments(1);
            let call = format!("{name}({arguments})");
            let wait = if self.function().is_async {
                "await "
            } else {
                ""
            };
            self.line(&format!("{wait}{call};"));
        } else if let Some(name) = self.variable(Kind::Generator, false) {
            let iterator = self.fresh_name(Kind::Iterator);
            let arguments = self.arguments(1);
            self.line(&format!("const {iterator} = {name}({arguments});"));
            self.declare(&iterator, Kind::Iterator, false);
        } else {
            let text = self.bracketed_destructuring(1);
            self.line(&format!("{text};"));
        }
    }

    /// The lines between `head` and `foot`, in a scope of their own.
    pub(super) fn block(&mut self, depth: usize, head: &str, foot: &str) {
        self.open_scope(ScopeKind::Block);
        self.open_block(depth, head);
        self.line(foot);
        self.close_scope();
    }

    /// The head and the lines of a block whose scope is open.
    fn open_block(&mut self, depth: usize, head: &str) {
        self.line(head);
        self.indent += 1;
        if self.choices.chance(30) {
            self.token();
        }
        self.statements(3, depth);
        self.indent -= 1;
    }

    fn conditional(&mut self, depth: usize) {
        let test = self.value(2);
        self.block(depth, &format!("if ({test}) {{"), "}");
        if self.choices.chance(50) {
            // On the line of the closing brace, as people write it.
            self.lines.pop();
            self.block(depth, "} else {", "}");
        }
    }

    fn switch(&mut self) {
        let value = self.value(1);
        self.line(&format!("switch ({value}) {{"));
        self.indent += 1;
        self.open_scope(ScopeKind::Block);
        for label in ["case 1:", "case 'q':", "default:"] {
            self.line(label);
            self.indent += 1;
            // A declaration here would be in sight of cases that are jumped to past it.
            let text = self.assignment(2);
            self.line(&format!("{text};"));
            if self.choices.chance(50) {
                self.line("break;");
            }
            self.indent -= 1;
        }
        self.close_scope();
        self.indent -= 1;
        self.line("}");
    }

    fn try_statement(&mut self, depth: usize) {
        self.open_scope(ScopeKind::Block);
        self.open_block(depth, "try {");
        self.indent += 1;
        match self.choices.below(4) {
            0 | 1 => {
                let value = self.value(1);
                self.line(&format!("throw {value};"));
            }
            2 => {
                let target = self.target(0);
                self.line(&format!("{target} = null.p;"));
            }
            _ => {}
        }
        self.indent -= 1;
        self.close_scope();
        let form = self.choices.below(4);
        if form < 3 {
            self.open_scope(ScopeKind::Block);
            match form {
                0 | 1 => {
                    let name = self.fresh_name(Kind::Value);
                    self.declare(&name, Kind::Value, true);
                    self.open_block(depth, &format!("}} catch ({name}) {{"));
                }
                _ => self.open_block(depth, "} catch {"),
            }
            self.close_scope();
        }
        if form >= 2 {
            self.open_scope(ScopeKind::Block);
            self.open_block(depth, "} finally {");
            self.close_scope();
        }
        self.line("}");
    }

    fn with_statement(&mut self, depth: usize) {
        if self.strict || self.functions.iter().any(|function| function.has_super) {
            return self.block(depth, "{", "}");
        }
        // Classes are strict, wherever they are.
        if self.functions.iter().any(|function| function.has_this) {
            return self.block(depth, "{", "}");
        }
        let object = self.object(1);
        self.block(depth, &format!("with ({object}) {{"), "}");
    }

    fn loop_statement(&mut self, depth: usize) {
        let function = self.function().clone();
        let label = match self.choices.chance(20) {
            true => Some(format!("loop{}", self.number())),
            false => None,
        };
        let prefix = label
            .as_ref()
            .map_or(String::new(), |label| format!("{label}: "));
        let fuel = self.burn();
        self.function().in_loop = true;
        self.function().labels.extend(label);
        self.open_scope(ScopeKind::Block);
        match self.choices.below(8) {
            0 | 1 => {
                let name = self.fresh_name(Kind::Value);
                self.declare(&name, Kind::Value, true);
                let head = format!(
                    "{prefix}for (let {name} = 0; {fuel}-- > 0 && {name} < 3; {name}++) {{"
                );
                self.open_block(depth, &head);
                self.line("}");
            }
            2 => {
                let (first, second) = (self.assignment(1), self.update());
                let head = format!("{prefix}for ({first}; {fuel}-- > 12; {second}) {{");
                self.open_block(depth, &head);
                self.line("}");
            }
            3 => {
                let test = self.value(1);
                let head = format!("{prefix}while ({fuel}-- > 0 && {test}) {{");
                self.open_block(depth, &head);
                self.line("}");
            }
            4 => {
                // What the body declares is not in sight of the test.
                self.open_scope(ScopeKind::Block);
                self.open_block(depth, &format!("{prefix}do {{"));
                self.close_scope();
                let test = self.value(1);
                self.line(&format!("}} while ({fuel}-- > 0 && {test});"));
            }
            5 => self.for_in(depth, &prefix),
            _ => self.for_of(depth, &prefix),
        }
        self.close_scope();
        self.function().in_loop = function.in_loop;
        self.function().labels = function.labels;
    }

    fn for_in(&mut self, depth: usize, prefix: &str) {
        let object = self.object(1);
        let head = match self.choices.below(3) {
            0 | 1 => {
                let name = self.fresh_name(Kind::Value);
                self.declare(&name, Kind::Value, true);
                format!("let {name}")
            }
            _ => self.target(1),
        };
        self.guarded_loop(depth, &format!("{prefix}for ({head} in {object}) {{"));
    }

    fn for_of(&mut self, depth: usize, prefix: &str) {
        let iterated = match self.choices.below(3) {
            0 | 1 => format!("[{}, {}, {}]", self.value(1), self.value(1), self.value(0)),
            _ => match self.variable(Kind::Generator, false) {
                Some(generator) => format!("{generator}({})", self.arguments(1)),
                None => format!("[{}]", self.value(2)),
            },
        };
        let word = match self.function().is_async && self.choices.chance(60) {
            true => "for await",
            false => "for",
        };
        let head = match self.choices.below(5) {
            0 | 1 => {
                let name = self.fresh_name(Kind::Value);
                self.declare(&name, Kind::Value, false);
                format!("const {name}")
            }
            2 => {
                let name = self.fresh_name(Kind::Value);
                self.declare(&name, Kind::Value, true);
                return self.guarded_loop(
                    depth,
                    &format!("{prefix}{word} (let {{ length: {name} }} of ['s', [1], {{}}]) {{"),
                );
            }
            _ => self.target(1),
        };
        self.guarded_loop(depth, &format!("{prefix}{word} ({head} of {iterated}) {{"));
    }

    fn guarded_loop(&mut self, depth: usize, head: &str) {
        self.line(head);
        self.indent += 1;
        let fuel = self.burn();
        self.line(&format!("if ({fuel}-- <= 0) break;"));
        self.statements(3, depth);
        self.indent -= 1;
        self.line("}");
    }
}
