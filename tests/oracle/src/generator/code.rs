//! Texts that become code, tagged templates, proxies and built-ins that write.

use super::scopes::{Kind, Scope, ScopeKind};
use super::{Function, Generator};

impl Generator<'_> {
    /// An expression that gives a value by one of these ways.
    pub(super) fn unusual_value(&mut self, depth: usize) -> String {
        match self.choices.below(6) {
            0 => self.direct_eval(),
            1 => self.indirect_eval(),
            2 => self.made_function(depth),
            3 => self.tagged_template(depth),
            4 => {
                let (object, key) = (self.simple_object(), self.key());
                format!("Reflect.set({object}, {key}, {})", self.value(depth))
            }
            _ => {
                let object = self.simple_object();
                let key = self.plain_key();
                let value = self.value(depth);
                format!(
                    "(Object.defineProperty({object}, '{key}', {{ value: {value}, writable: true, configurable: true \
                     }}), 6)"
                )
            }
        }
    }

    /// An expression that gives an object by one of these ways.
    pub(super) fn unusual_object(&mut self, depth: usize) -> String {
        match self.choices.below(3) {
            0 => format!("new Proxy({}, {{}})", self.object_literal(depth)),
            1 => {
                let object = self.object_literal(depth);
                // What is set through it goes to its target.
                format!("new Proxy({object}, {{ set(t, k, v) {{ t[k] = v; return true; }} }})")
            }
            _ => {
                let object = self.simple_object();
                format!("Object.assign({object}, {})", self.object_literal(depth))
            }
        }
    }

    /// It sees what is around it, but cannot wait.
    fn direct_eval(&mut self) -> String {
        let function = self.function().clone();
        self.function().is_async = false;
        self.function().is_generator = false;
        let text = self.assignment(1);
        self.function().is_async = function.is_async;
        self.function().is_generator = function.is_generator;
        format!("eval({})", quoted(&text))
    }

    /// It sees what is at the top, once that is there.
    fn indirect_eval(&mut self) -> String {
        let callee = self.one_of(&["(0, eval)", "globalThis.eval"]);
        let text = self.at_the_top(|this| this.assignment(1));
        format!("{callee}({})", quoted(&text))
    }

    fn made_function(&mut self, depth: usize) -> String {
        let new = self.one_of(&["new ", ""]);
        let body = self.at_the_top(|this| {
            this.declare("x", Kind::Value, true);
            let body = this.assignment(1);
            format!("{body}; return x;")
        });
        format!(
            "{new}Function('x', {})({})",
            quoted(&body),
            self.value(depth)
        )
    }

    fn tagged_template(&mut self, depth: usize) -> String {
        let value = self.value(depth);
        let body = self.arrow_body(depth);
        format!("((strings, x) => {body})`t${{{value}}}s`")
    }

    /// Writes code that runs in the global scope: of what is declared at the top it uses what comes first and is there
    /// in every program.
    fn at_the_top(&mut self, write: impl FnOnce(&mut Self) -> String) -> String {
        let around = std::mem::replace(&mut self.scopes, vec![Scope::new(ScopeKind::Function)]);
        let functions = std::mem::take(&mut self.functions);
        self.functions.push(Function::default());
        let (a, o) = (self.named("a"), self.named("o"));
        self.declare(&a, Kind::Value, true);
        self.declare(&o, Kind::Object, false);
        let text = write(self);
        self.scopes = around;
        self.functions = functions;
        text
    }
}

/// `text` as a literal of one line.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{text}'")
}
