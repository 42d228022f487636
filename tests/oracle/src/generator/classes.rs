//! Classes: fields, private names, accessors, static parts, constructors.

use super::scopes::{Kind, ScopeKind};
use super::{Function, Generator};

impl Generator<'_> {
    /// A class declaration, or a variable that holds a class.
    pub(super) fn class_definition(&mut self, depth: usize) {
        let name = self.fresh_name(Kind::Class);
        let base = match self.choices.chance(40) {
            true => self.variable(Kind::Class, false),
            false => None,
        };
        // Not known to itself: fields that make another object of their class would never end.
        self.declare_hidden(&name);
        let extends = base
            .as_ref()
            .map_or(String::new(), |base| format!(" extends {base}"));
        let declared = self.choices.chance(50);
        self.line(&match declared {
            true => format!("class {name}{extends} {{"),
            false => format!("const {name} = class{extends} {{"),
        });
        self.indent += 1;
        let around = self.functions.clone();
        let private_names = self.fields();
        let members = Function {
            has_this: true,
            has_super: base.is_some(),
            private_names,
            can_return: true,
            ..Function::default()
        };
        self.constructor(&members, depth);
        for _ in 0..self.choices.below(3) {
            self.member_definition(&members, depth);
        }
        self.functions = around;
        self.indent -= 1;
        self.line(if declared { "}" } else { "};" });
        self.reveal(&name, Kind::Class, false);
        if self.choices.chance(15) {
            return;
        }
        // An object of it, of which later statements know.
        let object = self.fresh_name(Kind::Object);
        self.declare_hidden(&object);
        let arguments = self.arguments(1);
        self.line(&format!("const {object} = new {name}({arguments});"));
        self.reveal(&object, Kind::Object, false);
        if self.choices.chance(50) {
            let arguments = self.arguments(1);
            self.line(&format!("{object}.m?.({arguments});"));
        }
    }

    /// The fields; gives the private names.
    fn fields(&mut self) -> Vec<String> {
        let mut private_names = Vec::new();
        for _ in 0..self.choices.below(4) {
            // An initialiser is a function of its own; it sees the names that came before.
            self.functions.push(Function {
                has_this: true,
                private_names: private_names.clone(),
                ..Function::default()
            });
            self.open_scope(ScopeKind::Function);
            let key = self.plain_key();
            let value = self.value(1);
            let line = match self.choices.below(5) {
                0 => format!("{key} = {value};"),
                1 => {
                    let private = format!("x{}", self.number());
                    let line = format!("#{private} = {value};");
                    private_names.push(private);
                    line
                }
                2 => format!("'{key}' = {value};"),
                3 => format!("{key} = {value}; {};", self.plain_key()),
                _ => format!("['{key}'] = {value};"),
            };
            self.close_scope();
            self.functions.pop();
            self.line(&line);
        }
        private_names
    }

    fn constructor(&mut self, members: &Function, depth: usize) {
        if !self.choices.chance(60) {
            return;
        }
        let derived = members.has_super;
        self.functions.push(Function {
            // Until `super` was called there is no `this`; so parameters do not mention it.
            has_this: false,
            has_super: false,
            ..members.clone()
        });
        self.function().private_names.clear();
        self.open_scope(ScopeKind::Function);
        let parameters = match self.choices.below(3) {
            0 | 1 => "x, y",
            _ => "x, y = { p: 1 }",
        };
        self.declare("x", Kind::Value, true);
        self.declare("y", Kind::Object, true);
        let first = derived.then(|| format!("super({});", self.arguments(1)));
        if let Some(last) = self.functions.last_mut() {
            *last = members.clone();
            last.can_return = false;
        }
        let head = format!("constructor({parameters}) {{");
        self.function_body(&head, "}", "return;", depth, first.as_deref());
    }

    fn member_definition(&mut self, members: &Function, depth: usize) {
        let form = self.choices.below(7);
        let is_static = form >= 5;
        self.functions.push(Function {
            private_names: if is_static {
                Vec::new()
            } else {
                members.private_names.clone()
            },
            ..members.clone()
        });
        self.open_scope(ScopeKind::Function);
        match form {
            0..=2 => {
                let parameters = self.parameters(false);
                self.function_body(
                    &format!("m({parameters}) {{"),
                    "}",
                    "return 0;",
                    depth,
                    None,
                );
                return;
            }
            3 => {
                self.without_calls += 1;
                let value = self.value(2);
                self.without_calls -= 1;
                self.line(&format!("get acc() {{ return {value}; }}"));
            }
            4 => {
                self.without_calls += 1;
                self.declare("x", Kind::Value, true);
                let key = self.plain_key();
                let value = self.value(1);
                self.without_calls -= 1;
                self.line("set acc(x) {");
                self.line(&format!("  this.{key} = {value};"));
                self.line("}");
            }
            5 => {
                let key = self.plain_key();
                let value = self.value(1);
                self.line(&format!("static {key} = {value};"));
            }
            _ => {
                self.line("static {");
                self.indent += 1;
                self.function().can_return = false;
                self.token();
                self.statement(depth.saturating_sub(1));
                self.indent -= 1;
                self.line("}");
            }
        }
        self.close_scope();
        self.functions.pop();
    }
}
