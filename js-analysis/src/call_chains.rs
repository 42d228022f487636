//! Calls one after another on one thing, as tests are written: `await page.getByRole('button', { name: 'Buy'
//! }).click();`
//!
//! Only what a script says is read, nothing of it is run: a call whose arguments are not literals has them as [`None`].

use serde_json::{Map, Number, Value};
use swc_ecma_ast::{
    Callee, Expr, ExprOrSpread, Lit, MemberExpr, MemberProp, Program, Prop, PropName, PropOrSpread,
    Stmt, UnaryOp,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::parse::Goal;
use crate::position::{ByteOffset, LineIndex};
use crate::rewrite::{RewriteError, with_script};
use crate::scopes::unparenthesized;

/// A statement that calls, as `page.locator("#a").first().click()`.
#[derive(Clone, Debug, PartialEq)]
pub struct CallChain {
    /// Where it begins: the line, from 1.
    pub line: u32,
    /// As it is written.
    pub text: String,
    /// The variable that it begins at: `page`. Empty where it begins at a call: `expect(…).toBeVisible()`.
    pub root: String,
    /// What is called or, without arguments, read on the way: `locator`, `first`, `click`.
    pub links: Vec<Link>,
}

/// One link of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name.
    pub name: String,
    /// What it is called with; none: it is only read.
    pub arguments: Option<Vec<Argument>>,
}

/// What something is called with.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A literal: text, a number, `true`, `null`, or an array or object of them.
    Literal(Value),
    /// Another chain, as in `expect(page.locator("#a"))`.
    Chain(String, Vec<Link>),
    /// A function, and the chains that are written in it: `test("buys", async () => { await page.click("#a"); })`.
    Function(Vec<CallChain>),
    /// What only running it would tell.
    Unknown,
}

/// The chains of a module, in the order in which they are written. Those of its functions are among them, but for those
/// of a function that a chain is called with: they are part of the [`Argument`].
///
/// # Errors
/// [`RewriteError::Syntax`] if it does not parse, [`RewriteError::TooLarge`] over 1 GiB.
pub fn call_chains(source: &str) -> Result<Vec<CallChain>, RewriteError> {
    with_script(source, Goal::Module, |script| {
        let text = Text {
            source,
            lines: LineIndex::new(source),
        };
        match script.program() {
            Program::Module(module) => text.chains_in(module),
            Program::Script(script) => text.chains_in(script),
        }
    })
}

struct Text<'a> {
    source: &'a str,
    lines: LineIndex,
}

struct Finder<'a> {
    text: &'a Text<'a>,
    chains: Vec<CallChain>,
}

impl Visit for Finder<'_> {
    fn visit_stmt(&mut self, statement: &Stmt) {
        if let Stmt::Expr(statement) = statement
            && let Some((root, links)) = self.text.chain(awaited(&statement.expr))
        {
            let span = statement.span;
            let (start, end) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
            let text = self.text.source.get(start.index()..end.index());
            self.chains.push(CallChain {
                line: self.text.lines.position(self.text.source, start).line + 1,
                text: text.unwrap_or_default().to_owned(),
                root,
                links,
            });
            return;
        }
        statement.visit_children_with(self);
    }
}

impl Text<'_> {
    fn chains_in<'a>(&'a self, node: &impl VisitWith<Finder<'a>>) -> Vec<CallChain> {
        let mut finder = Finder {
            text: self,
            chains: Vec::new(),
        };
        node.visit_with(&mut finder);
        finder.chains
    }

    /// The variable at the beginning, and what comes after it.
    fn chain(&self, expression: &Expr) -> Option<(String, Vec<Link>)> {
        let mut links = Vec::new();
        let mut at = unparenthesized(expression);
        loop {
            let mut arguments = None;
            if let Expr::Call(call) = at
                && let Callee::Expr(callee) = &call.callee
            {
                arguments = Some(call.args.iter().map(|given| self.argument(given)).collect());
                at = unparenthesized(callee);
            }
            match at {
                Expr::Member(MemberExpr {
                    obj,
                    prop: MemberProp::Ident(name),
                    ..
                }) => {
                    let name = name.sym.to_string();
                    links.push(Link { name, arguments });
                    at = unparenthesized(obj);
                }
                Expr::Ident(name) => {
                    let name = name.sym.to_string();
                    let root = match arguments {
                        None => name,
                        Some(_) => {
                            links.push(Link { name, arguments });
                            String::new()
                        }
                    };
                    links.reverse();
                    return (!links.is_empty()).then_some((root, links));
                }
                _ => return None,
            }
        }
    }

    fn argument(&self, given: &ExprOrSpread) -> Argument {
        if given.spread.is_some() {
            return Argument::Unknown;
        }
        match literal(&given.expr) {
            Some(value) => Argument::Literal(value),
            None => match self.chain(awaited(&given.expr)) {
                Some((root, links)) => Argument::Chain(root, links),
                None => match unparenthesized(&given.expr) {
                    Expr::Ident(name) => Argument::Chain(name.sym.to_string(), Vec::new()),
                    Expr::Arrow(function) => Argument::Function(self.chains_in(&function.body)),
                    Expr::Fn(function) => {
                        Argument::Function(self.chains_in(&function.function.body))
                    }
                    _ => Argument::Unknown,
                },
            },
        }
    }
}

fn awaited(expression: &Expr) -> &Expr {
    match unparenthesized(expression) {
        Expr::Await(awaited) => unparenthesized(&awaited.arg),
        other => other,
    }
}

fn literal(expression: &Expr) -> Option<Value> {
    match unparenthesized(expression) {
        Expr::Lit(Lit::Str(text)) => Some(Value::String(text.value.as_str()?.to_owned())),
        Expr::Lit(Lit::Num(number)) => Number::from_f64(number.value).map(Value::Number),
        Expr::Lit(Lit::Bool(value)) => Some(Value::Bool(value.value)),
        Expr::Lit(Lit::Null(_)) => Some(Value::Null),
        Expr::Tpl(template) => match (template.quasis.as_slice(), template.exprs.is_empty()) {
            ([only], true) => Some(Value::String(only.cooked.as_ref()?.as_str()?.to_owned())),
            _ => None,
        },
        Expr::Unary(unary) if unary.op == UnaryOp::Minus => match literal(&unary.arg)? {
            Value::Number(number) => Number::from_f64(-number.as_f64()?).map(Value::Number),
            _ => None,
        },
        Expr::Array(array) => {
            let items = array.elems.iter().map(|item| match item {
                Some(item) if item.spread.is_none() => literal(&item.expr),
                _ => None,
            });
            items.collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Expr::Object(object) => {
            let members = object.props.iter().map(|member| {
                let PropOrSpread::Prop(member) = member else {
                    return None;
                };
                let Prop::KeyValue(member) = &**member else {
                    return None;
                };
                let name = match &member.key {
                    PropName::Ident(name) => name.sym.to_string(),
                    PropName::Str(name) => name.value.as_str()?.to_owned(),
                    _ => return None,
                };
                Some((name, literal(&member.value)?))
            });
            members.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn link(name: &str, arguments: &[Value]) -> Link {
        Link {
            name: name.to_owned(),
            arguments: Some(arguments.iter().cloned().map(Argument::Literal).collect()),
        }
    }

    #[test]
    fn the_calls_of_a_test_are_read_in_order() {
        let source = "import { test, expect } from '@playwright/test';\n\
            test('test', async ({ page }) => {\n  await page.goto('http://h/');\n  \
            await page.getByRole('button', { name: 'Buy', exact: true }).first().click();\n  \
            await expect(page.locator(`#a`)).toHaveCount(-2);\n  const x = await page.title();\n  \
            page.mouse.down();\n});";
        let module = call_chains(source).unwrap();
        let [test] = module.as_slice() else {
            panic!("one call: {module:?}")
        };
        let Some([_, Argument::Function(chains)]) = test.links[0].arguments.as_deref() else {
            panic!("a name and a function: {test:?}")
        };
        let lines: Vec<(u32, &str)> = chains
            .iter()
            .map(|chain| (chain.line, chain.root.as_str()))
            .collect();
        assert_eq!(lines, [(3, "page"), (4, "page"), (5, ""), (7, "page")]);
        assert_eq!(chains[0].links, [link("goto", &[json!("http://h/")])]);
        assert_eq!(chains[0].text, "await page.goto('http://h/');");
        let role = json!({ "name": "Buy", "exact": true });
        let click = [
            link("getByRole", &[json!("button"), role]),
            link("first", &[]),
            link("click", &[]),
        ];
        assert_eq!(chains[1].links, click);
        let located = Argument::Chain("page".to_owned(), vec![link("locator", &[json!("#a")])]);
        assert_eq!(chains[2].links[0].arguments, Some(vec![located]));
        assert_eq!(chains[2].links[1], link("toHaveCount", &[json!(-2.0)]));
        assert_eq!(chains[3].links[0].arguments, None);
    }

    #[test]
    fn functions_that_nothing_is_called_with_are_read_through() {
        let source = "function go() { page.click('#a'); }\nlater(function () { if (x) { page.click('#b'); } });";
        let chains = call_chains(source).unwrap();
        assert_eq!(chains[0].text, "page.click('#a');");
        let Some([Argument::Function(inner)]) = chains[1].links[0].arguments.as_deref() else {
            panic!("a function: {chains:?}")
        };
        assert_eq!(inner[0].text, "page.click('#b');");
        assert_eq!(chains.len(), 2);
    }

    #[test]
    fn what_only_running_it_would_tell_is_unknown() {
        let chains = call_chains(
            "page.fill(name + 1, ...rest, `a${b}`, [1, , 2], { [a]: 1 }, { get b() {} })",
        )
        .unwrap();
        let arguments = chains[0].links[0].arguments.clone().unwrap();
        assert_eq!(arguments, vec![Argument::Unknown; 6]);
        assert!(call_chains("await page.(").is_err());
    }
}
