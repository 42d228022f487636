//! Under which names a trace query may ask for a function, a method or a class. In each program what is meant is
//! behind the mark `@`.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop at what is wrong")]

use js_analysis::Goal;
use js_analysis::position::ByteOffset;
use js_analysis::rewrite::{
    Instrumentation, NamesAsWritten, OriginalNames, SiteKind, TracedEvent, TracedKind, Watch,
    WatchedName, WatchedTarget, with_script,
};

/// The program with a mark before each place at which an event of that name is counted.
fn counted(kind: TracedKind, name: &str, program: &str) -> String {
    counted_with(kind, name, program, &|_| NamesAsWritten)
}

/// The same with the names of the script's author.
fn counted_with<N: OriginalNames>(
    kind: TracedKind,
    name: &str,
    program: &str,
    names: &dyn Fn(String) -> N,
) -> String {
    let source = program.replace('@', "");
    let names = names(source.clone());
    let instrumentation = Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Events(0),
            dependents: Vec::new(),
        }]),
        traced: vec![TracedEvent {
            kind,
            name: name.to_owned(),
            slot: 0,
        }],
        ..Instrumentation::default()
    };
    let rewritten = with_script(&source, Goal::Module, |script| {
        script.rewrite(&instrumentation, &names)
    });
    let mut sites: Vec<usize> = rewritten
        .unwrap()
        .unwrap()
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::Event)
        .map(|site| site.at.index())
        .collect();
    sites.sort_unstable();
    let mut marked = source;
    for at in sites.into_iter().rev() {
        marked.insert(at, '@');
    }
    marked
}

/// What a source map says of a script in which `e` was `Cart`: other words are as they were.
struct Minified(String);

impl OriginalNames for Minified {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        let rest = &self.0[at.index()..];
        let end = rest.find(|it: char| !it.is_alphanumeric());
        match &rest[..end.unwrap_or(rest.len())] {
            "" => None,
            "e" => Some("Cart".to_owned()),
            word => Some(word.to_owned()),
        }
    }
}

#[test]
fn classes_and_their_methods_by_the_names_of_their_author() {
    for (kind, name, program) in [
        (
            TracedKind::Call,
            "Cart.add",
            "const e = class { @add() {} remove() {} };",
        ),
        (
            TracedKind::Call,
            "Cart.prototype.add",
            "class e { @add() {} static add() {} }",
        ),
        (
            TracedKind::Call,
            "Cart.of",
            "const e = class { @static of() {} };",
        ),
        (
            TracedKind::Creation,
            "Cart",
            "const e = class {}; @new e(); new Other();",
        ),
        (TracedKind::Creation, "shop.Cart", "@new shop.e();"),
        (TracedKind::Creation, "e", "new e();"),
    ] {
        let marked = counted_with(kind, name, program, &Minified);
        assert_eq!(marked, program, "{name}");
    }
}

fn assert_called(name: &str, program: &str) {
    assert_eq!(
        counted(TracedKind::Call, name, program),
        program,
        "call({name})"
    );
}

#[test]
fn methods_of_classes() {
    let program = "class Cart { @add() {} remove() {} } class Other { add() {} }";
    assert_called("Cart.add", program);
    assert_called("Cart.prototype.add", program);
    assert_called("Cart.of", "class Cart { @static of() {} of2() {} }");
    assert_called("Cart.prototype.of", "class Cart { static of() {} }");
    assert_called(
        "Cart.#sum",
        "class Cart { @#sum() {} sum() { return this.#sum(); } }",
    );
    assert_called(
        "Cart.run",
        "const Cart = class { run = @() => {}; other = () => {} };",
    );
    assert_called(
        "Cart.total",
        "class Cart { @get total() { return 1; } @set total(v) {} }",
    );
    assert_called(
        "shop.Cart",
        "shop.Cart = class { @constructor() {} m() {} }",
    );
    assert_called(
        "Inner.m",
        "class Outer { m() { return class Inner { @m() {} }; } }",
    );
    assert_called("Cart.add", "export default class Cart { @add() {} }");
}

#[test]
fn members_of_literals() {
    let program = "const cart = { @add() {}, 'sub': { add: @function () {} }, sum: add };";
    assert_called("cart.add", &program.replacen("add: @", "add: ", 1));
    assert_called("cart.sub.add", &program.replacen("@add", "add", 1));
    assert_called("sub.add", "f({ sub: { @add() {} }, other: { add() {} } });");
    assert_called("cart.add", "var cart = cart || { add: @x => x };");
    assert_called("a.add", "const a = b = { @add() {} };");
    assert_called("b.add", "const a = b = { @add() {} };");
}

#[test]
fn what_is_assigned() {
    let program = "function Cart() {} Cart.prototype.add = @function () {}; Cart.of = () => {};";
    assert_called("Cart.add", program);
    assert_called("Cart.prototype.add", program);
    assert_called("Cart.add", "Cart.prototype = { @add() {} };");
    assert_called("Cart.add", "window.shop.Cart['add'] = @async () => {};");
    assert_called("shop.Cart.add", "window.shop.Cart.add = @function* () {};");
    assert_called("other.Cart.add", "window.shop.Cart.add = () => {};");
    assert_called("Cart.add", "made().Cart.add = (@function named() {});");
    assert_called("Cart.add", "Cart.add ??= a ? @() => 1 : @() => 2;");
    assert_called("Cart.add", "Cart[add] = () => {};");
}

#[test]
fn what_a_constructor_gives_to_this() {
    assert_called(
        "Cart.add",
        "function Cart() { this.add = @function () {}; } function Other() { this.add = () => {}; }",
    );
    assert_called(
        "Cart.add",
        "class Cart { constructor() { this.add = @() => {}; } }",
    );
    assert_called(
        "Cart.undo",
        "Cart.prototype.add = function () { this.undo = @() => {}; };",
    );
    assert_called(
        "Cart.add",
        "class Cart { constructor() { f(function () { this.add = () => {}; }); } }",
    );
}

#[test]
fn returns_and_creations() {
    assert_eq!(
        counted(
            TracedKind::Return,
            "Cart.add",
            "class Cart { add(n) { if (n) return n; } } class Other { add() { return 1; } }"
        ),
        "class Cart { add(n) { if (n) @return n; @} } class Other { add() { return 1; } }"
    );
    let program = "new Item(); @new shop.Item(1); new other.Item(); @new window.shop.Item;";
    assert_eq!(counted(TracedKind::Creation, "shop.Item", program), program);
}
