use super::{
    CallFacts, CallGraph, CallRef, CalledBack, FunctionRef, ObjectPlace, OperationSite,
    RegistrationKind, operations,
};
use crate::parse::Goal;
use crate::position::ByteOffset;
use crate::rewrite::{NamesAsWritten, OriginalNames, with_script};

fn facts(source: &str) -> CallFacts {
    let goal = match source.contains("import ") || source.contains("export ") {
        true => Goal::Module,
        false => Goal::Script,
    };
    with_script(source, goal, |script| script.call_facts()).unwrap()
}

/// The texts of the calls that may call a function of this name, with how.
fn callers(sources: &[&str], name: &str) -> Vec<String> {
    let facts: Vec<CallFacts> = sources.iter().map(|source| facts(source)).collect();
    let all: Vec<&CallFacts> = facts.iter().collect();
    let graph = CallGraph::new(&all);
    let mut found = Vec::new();
    for (script, one) in facts.iter().enumerate() {
        for (function, fact) in one.functions.iter().enumerate() {
            if fact.name != name {
                continue;
            }
            let function = FunctionRef {
                script: script as u32,
                function: function as u32,
            };
            for caller in graph.callers(function) {
                let text = |script: u32, span: crate::position::ByteSpan| {
                    sources[script as usize][span.start.index()..span.end.index()].to_owned()
                };
                let call = |call: &CallRef| {
                    text(
                        call.script,
                        facts[call.script as usize].calls[call.call as usize].span,
                    )
                };
                found.push(match caller {
                    CalledBack::Call(at) => call(at),
                    CalledBack::Registered(at, kind) => format!("{kind:?} {}", call(at)),
                    CalledBack::Handler(at) => {
                        let handlers = &facts[at.script as usize].handlers;
                        format!(
                            "Handler {}",
                            text(at.script, handlers[at.call as usize].span)
                        )
                    }
                    CalledBack::Access { script, at, .. } => {
                        format!("Access {}", text(*script, *at))
                    }
                });
            }
        }
    }
    found.sort();
    found
}

#[test]
fn plain_calls_and_variables() {
    assert_eq!(
        callers(&["function f() {} f(); const g = f; g();"], "f"),
        ["f()", "g()"]
    );
    assert_eq!(callers(&["function f() {}", "f()"], "f"), ["f()"]);
    assert_eq!(
        callers(&["(() => { function f() {} { let f = 1; f(); } })()"], "f"),
        [""; 0]
    );
    assert_eq!(
        callers(
            &["function f() { function g() {} g(); return g } f()()"],
            "g"
        ),
        ["f()()", "g()"]
    );
    assert_eq!(
        callers(&["function call(k) { k() } function f() {} call(f)"], "f"),
        ["k()"]
    );
    assert_eq!(
        callers(&["const f = () => 1; (0, f)(); f?.()"], "f"),
        ["(0, f)()", "f?.()"]
    );
}

#[test]
fn methods_classes_and_accessors() {
    let source = "class C { constructor() { this.m() } m() {} static s() {} get g() { return 1 } set g(v) {} } \
        const c = new C(); c.m(); C.s(); c.g; c.g = 1";
    assert_eq!(callers(&[source], "C.m"), ["c.m()", "this.m()"]);
    assert_eq!(callers(&[source], "C"), ["new C()"]);
    assert_eq!(callers(&[source], "C.s"), ["C.s()"]);
    assert_eq!(callers(&[source], "C.g"), ["Access c.g", "Access c.g"]);
    let derived = "class A { constructor() {} } class B extends A { constructor() { super() } } class D extends A {} \
        new B; new D";
    assert_eq!(callers(&[derived], "A"), ["new D", "super()"]);
    assert_eq!(
        callers(
            &["const o = { m() {}, n: function () {} }; o.m(); o.n()"],
            "m"
        ),
        ["o.m()"]
    );
    assert_eq!(callers(&["const { m } = { m() {} }; m()"], "m"), ["m()"]);
}

#[test]
fn what_the_platform_calls() {
    let f = |rest: &str| callers(&[&format!("function f() {{}} {rest}")], "f");
    assert_eq!(
        f("b.addEventListener('click', f)"),
        ["Listener b.addEventListener('click', f)"]
    );
    assert_eq!(f("b.onclick = f"), ["Handler b.onclick = f"]);
    assert_eq!(f("h('b', { onClick: f })"), ["Handler f"]);
    assert_eq!(f("setTimeout(f, 5)"), ["Timer setTimeout(f, 5)"]);
    assert_eq!(f("p.then(f)"), ["Promise p.then(f)"]);
    assert_eq!(f("new Promise(f)"), ["Executor new Promise(f)"]);
    assert_eq!(f("list.forEach(f)"), ["Callback list.forEach(f)"]);
    assert_eq!(f("elsewhere(f)"), ["Callback elsewhere(f)"]);
    assert_eq!(
        f("f.call(1); f.apply(1, [])"),
        ["f.apply(1, [])", "f.call(1)"]
    );
    assert_eq!(f("call(f, 1)"), ["Callback call(f, 1)"]);
    assert_eq!(f("f.bind(1)()"), ["f.bind(1)()"]);
    assert_eq!(f("b.removeEventListener('click', f)"), [""; 0]);
    assert_eq!(
        f("const l = []; l.push(f); for (const g of l) g(); l.forEach((h) => h())"),
        ["g()", "h()"]
    );
    assert_eq!(
        f("const m = new Map; m.set(1, f); m.get(1)()"),
        ["m.get(1)()"]
    );
}

/// `values[key]()` may call what is in `values`, and nothing else.
#[test]
fn what_is_called_by_a_name_that_is_computed() {
    let f = |rest: &str| callers(&[&format!("function f() {{}} {rest}")], "f");
    let values = "const values = { f }; const other = { g() {} };";
    assert_eq!(f(&format!("{values} values[key]()")), ["values[key]()"]);
    assert_eq!(f(&format!("{values} other[key]()")), [""; 0]);
    assert_eq!(
        f(&format!(
            "{values} function go(v, k) {{ v[k](1) }} go(values, 'f')"
        )),
        ["v[k](1)"]
    );
    assert_eq!(
        f(&format!(
            "{values} const h = values[key] || other[key]; h()"
        )),
        ["h()"]
    );
    assert_eq!(
        f(&format!("{values} values[key]?.(); values[key].call(1)")),
        ["values[key].call(1)", "values[key]?.()"]
    );
    assert_eq!(f("const all = { ...{ f } }; all[key]()"), ["all[key]()"]);
    let class = "class A { f() {} go(k) { this[k]() } } new A()";
    assert_eq!(callers(&[class], "A.f"), ["this[k]()"]);
    let made = "class A { f() {} } const a = new A(); a[k](); const b = {}; b[k]()";
    assert_eq!(callers(&[made], "A.f"), ["a[k]()"]);
}

#[test]
fn templates_are_calls_and_with_has_any_name() {
    let f = |rest: &str| callers(&[&format!("function f() {{}} {rest}")], "f");
    assert_eq!(
        f("function tag(texts, g, ...more) { g(); for (const h of more) h() } tag`a${f}b`"),
        ["g()"]
    );
    assert_eq!(
        f("function tag(texts, ...more) { more[0]() } tag`a${f}b`"),
        ["more[0]()"]
    );
    let with = "const o = { f() {} }; with (o) { f() }";
    assert_eq!(callers(&[with], "f"), ["f()"]);
}

/// What a function gets for a rest parameter goes where that goes, and nothing else does.
#[test]
fn rest_parameters_and_what_is_spread() {
    let f = |rest: &str| {
        callers(
            &[&format!("function f() {{}} function g() {{}} {rest}")],
            "f",
        )
    };
    let emit = "function emit(handler, ...args) { return handler(...args) }";
    assert_eq!(
        f(&format!("{emit} emit((cb) => cb(), f); list.push(g)")),
        ["cb()"]
    );
    // Other lists have nothing to do with it.
    assert_eq!(
        f(&format!(
            "{emit} emit((cb) => cb(), g); const l = []; l.push(f)"
        )),
        ["Callback l.push(f)"]
    );
    assert_eq!(
        f(
            "function pass(...all) { target(1, ...all) } function target(n, a, b) { b() } pass(g, f)"
        ),
        ["b()"]
    );
    assert_eq!(
        f(
            "function old() { return target.apply(this, arguments) } function target(a) { a() } old(f)"
        ),
        ["a()"]
    );
    assert_eq!(
        f(
            "function old() { for (var i = 0, args = []; i < arguments.length; i++) args[i] = arguments[i]; \
           target.apply(void 0, args) } function target(a) { a() } old(f); const l = []; l[0]()"
        ),
        ["a()"]
    );
    assert_eq!(
        f("function each(...all) { all.forEach((one) => one()) } each(f)"),
        ["one()"]
    );
    assert_eq!(
        f("function two([a]) { a() } two([f]); function t(a, b) { b() } t(...[g, f])"),
        ["a()", "b()"]
    );
}

/// Modules as tools write them for browsers that have none.
#[test]
fn exports_that_tools_write() {
    let cart = "function f() {} function g() {}";
    let f = |exports: &str, call: &str| {
        let one = format!("{cart} {exports}");
        callers(&[&one, call], "f")
    };
    let babel =
        "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = f;";
    let call = "var _cart = _interop(require('./cart')); function _interop(m) { return m && m.__esModule ? m : \
        { default: m } } (0, _cart.default)(1)";
    assert_eq!(f(babel, call), ["(0, _cart.default)(1)"]);
    assert_eq!(
        f(
            "exports['default'] = void 0; var _default = exports['default'] = f",
            "(0, _cart['default'])()"
        ),
        ["(0, _cart['default'])()"]
    );
    assert_eq!(
        f(
            "Object.defineProperty(exports, 'add', { enumerable: true, get: function () { return f; } })",
            "(0, c.add)()"
        ),
        ["(0, c.add)()"]
    );
    assert_eq!(
        f(
            "__webpack_require__.d(exports, 'a', function() { return f; })",
            "Object(c['a'])(1)"
        ),
        ["Object(c['a'])(1)"]
    );
    assert_eq!(
        f(
            "__webpack_require__.d(exports, 'a', function() { return f; })",
            "(0,c.a)(1)"
        ),
        ["(0,c.a)(1)"]
    );
    assert_eq!(
        f(
            "_export(exports, { add: function () { return f }, get sub() { return g } })",
            "(0, c.add)()"
        ),
        ["(0, c.add)()"]
    );
    let class = "function C() {} _createClass(C, [{ key: 'add', value: function add() {} }]); new C().add()";
    assert_eq!(callers(&[class], "add"), ["new C().add()"]);
}

#[test]
fn modules_by_the_names_of_exports() {
    let cart = "export function add() {} export default function () {} const x = () => 1; export { x as y }";
    let main = "import start, { add as plus, y } from './cart.js'; import * as all from './cart.js'; \
        plus(); start(); y(); all.add()";
    assert_eq!(callers(&[cart, main], "add"), ["all.add()", "plus()"]);
    assert_eq!(callers(&[cart, main], "default"), ["start()"]);
    assert_eq!(callers(&[cart, main], "x"), ["y()"]);
}

#[test]
fn the_default_of_a_module_is_that_of_its_address() {
    let sources = [
        "export default () => 'menu'",
        "export default () => 'bill'",
        "import f from './bill.js'; f()",
        "import { default as f } from 'menu'; f()",
        "export { default } from './bill.js'",
        "import f from './again.js'; f()",
    ];
    let addresses = [
        "menu.js", "bill.js", "main.js", "other.js", "again.js", "last.js",
    ];
    let facts = |(source, own): (&&str, &str)| {
        let address = |specifier: Option<&str>| match specifier {
            None => Some(own.to_owned()),
            Some(specifier) => specifier.strip_prefix("./").map(str::to_owned),
        };
        with_script(source, Goal::Module, |script| {
            script.call_facts_of(&address, &NamesAsWritten)
        })
    };
    let facts: Vec<CallFacts> = sources
        .iter()
        .zip(addresses)
        .map(|it| facts(it).unwrap())
        .collect();
    let all: Vec<&CallFacts> = facts.iter().collect();
    let graph = CallGraph::new(&all);
    let called_in = |script: u32| {
        let callees = graph.callees(CallRef { script, call: 0 }).iter();
        let mut scripts: Vec<u32> = callees.map(|callee| callee.script).collect();
        scripts.sort_unstable();
        scripts
    };
    assert_eq!(called_in(2), [1]);
    assert_eq!(called_in(5), [1]);
    // Where it is not known which module is meant, it may be any.
    assert!(called_in(3).contains(&0));
}

#[test]
fn calls_go_by_the_names_of_their_author() {
    struct Names;
    impl OriginalNames for Names {
        fn original_name(&self, at: ByteOffset) -> Option<String> {
            (at.0 == 0).then(|| "watch".to_owned())
        }
    }
    let facts = with_script("e(1); e.e(2); new e()", Goal::Script, |script| {
        script.call_facts_of(&|_| None, &Names)
    });
    let facts = facts.unwrap();
    let names: Vec<&str> = facts.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["watch", "e", "e"]);
}

#[test]
fn who_settles_a_promise() {
    let source =
        "const p = new Promise((resolve) => { if (ok) resolve(1); later = resolve; }); later(2);";
    let facts = facts(source);
    let graph = CallGraph::new(&[&facts]);
    let texts = |call: &CallRef| {
        let span = facts.calls[call.call as usize].span;
        &source[span.start.index()..span.end.index()]
    };
    let construction = facts.calls.iter().position(|call| call.is_new).unwrap();
    let settling = graph.settling(CallRef {
        script: 0,
        call: construction as u32,
    });
    let mut settling: Vec<&str> = settling.iter().map(texts).collect();
    settling.sort_unstable();
    assert_eq!(settling, ["later(2)", "resolve(1)"]);
    let kinds = RegistrationKind::Executor;
    assert!(format!("{kinds:?}") == "Executor");
}

#[test]
fn what_is_reached_by_too_many_is_cut_and_said() {
    let mut source = String::from("const l = [];");
    for number in 0..300 {
        source.push_str(&format!("l.push(function f{number}() {{}});"));
    }
    source.push_str("l[0]()");
    let facts = facts(&source);
    let graph = CallGraph::new(&[&facts]);
    assert!(graph.is_cut);
}

/// The texts of what may change what `name` holds at the end of the last script.
fn changes(sources: &[&str], place: &ObjectPlace) -> (Vec<String>, bool) {
    let facts: Vec<CallFacts> = sources.iter().map(|source| facts(source)).collect();
    let all: Vec<&CallFacts> = facts.iter().collect();
    let graph = CallGraph::with_objects(&all);
    let (found, is_by_object) = operations(&all, &graph, 0, place);
    let text = |site: &OperationSite| {
        sources[site.script as usize][site.span.start.index()..site.span.end.index()].to_owned()
    };
    (found.iter().map(text).collect(), is_by_object)
}

#[test]
fn what_changes_an_object() {
    let list = ObjectPlace::global("list");
    let source = "const list = []; const other = []; function add(to, x) { to.push(x) } \
        if (0) { list.push(1); other.push(2); add(list, 3); list[0] = 4; delete list.a; list.n++; list.length; }";
    let (found, is_by_object) = changes(&[source], &list);
    assert!(is_by_object);
    let expected = [
        "to.push(x)",
        "list.push(1)",
        "list[0] = 4",
        "delete list.a",
        "list.n++",
    ];
    assert_eq!(found, expected);
    let cart = "class Cart { constructor() { this.items = [] } add(x) { this.items.push(x) } clear() { this.items = [] } } \
        const cart = new Cart(); function go(c) { c.paid = 1; c.add(1) } go(cart); const rest = []; rest.push(1)";
    let (found, _) = changes(&[cart], &ObjectPlace::property("items"));
    assert_eq!(found, ["this.items.push(x)"]);
    let (found, _) = changes(&[cart], &ObjectPlace::global("cart"));
    assert_eq!(found, ["this.items = []", "this.items = []", "c.paid = 1"]);
    // A method of the scripts is no built-in of that name.
    let own = "class Bag { add(x) { this.last = x } } const bag = new Bag(); bag.add(1)";
    let (found, _) = changes(&[own], &ObjectPlace::global("bag"));
    assert_eq!(found, ["this.last = x"]);
    // By a name that is computed it may be any.
    let (found, _) = changes(
        &["const list = []; list[front ? 'unshift' : 'push'](1); const t = { a() {} }; t[key](2)"],
        &list,
    );
    assert_eq!(found, ["list[front ? 'unshift' : 'push'](1)"]);
    // Of what the scripts do not make, the name is all that is known.
    let (found, is_by_object) = changes(
        &["thing.add(1); other.add(1)"],
        &ObjectPlace::global("thing"),
    );
    assert_eq!(
        (found, is_by_object),
        (vec!["thing.add(1)".to_owned()], false)
    );
    let (found, _) = changes(
        &[
            "const map = new Map(); m(map)",
            "function m(x) { x.set(1, 2) }",
        ],
        &ObjectPlace::global("map"),
    );
    assert_eq!(found, ["x.set(1, 2)"]);
}

/// Every bundle has a function that is called as a built-in operation is.
#[test]
fn a_method_of_the_scripts_hides_no_built_in_of_its_name() {
    let store = "class Store { constructor() { this.all = [] } push(v) { this.last = v; } set(k, v) { this.k = v } } \
        function Old() {} Old.prototype.push = function (v) { this.old = v }; \
        const o = { push(v) { this.lit = v }, assign(v) { this.lit = v } }; \
        const store = new Store(); store.push(1); store.set(1, 2); new Old().push(3); o.push(4); o.assign(5);";
    let of = |more: &str, name: &str| {
        let source = format!("{store} {more}");
        changes(&[&source], &ObjectPlace::global(name)).0
    };
    assert_eq!(
        of("const list = []; list.push(1)", "list"),
        ["list.push(1)"]
    );
    assert_eq!(
        of("const map = new Map; map.set(1, 2)", "map"),
        ["map.set(1, 2)"]
    );
    assert_eq!(
        of("const part = a.slice(); part.push(2)", "part"),
        ["part.push(2)"]
    );
    assert_eq!(
        of("const c = {}; Object.assign(c, {})", "c"),
        ["Object.assign(c, {})"]
    );
    assert_eq!(
        of("const el = d.querySelector('p'); el.set(1)", "el"),
        ["el.set(1)"]
    );
    // A class that extends one of the platform's has its methods, too.
    let derived = "class Names extends Set { set(v) { this.v = v } } const names = new Names(); names.push(1)";
    assert!(of(derived, "names").contains(&"names.push(1)".to_owned()));
    // What only its own methods change.
    for own in ["store", "o"] {
        let found = of("", own);
        assert!(
            found.iter().all(|text| text.starts_with("this.")),
            "{found:?}"
        );
    }
    // Of what the scripts do not make, it is not known.
    assert_eq!(of("thing.set(1)", "thing"), ["thing.set(1)"]);
}

#[test]
fn the_object_of_a_method_is_not_that_of_what_is_in_the_method() {
    let source = "const app = { setup() { list.map(() => 1); } };\nmount(app);\n";
    let facts = with_script(source, Goal::Script, |script| script.call_facts()).unwrap();
    let calls_of = |text: &str| {
        let at = ByteOffset::from_index(source.find(text).unwrap());
        let mut functions = facts.functions.iter();
        let function = functions.position(|it| it.span.start == at).unwrap();
        let calls = facts.hand_over_object_of(u32::try_from(function).unwrap());
        let names = calls.map(|call| facts.calls[call as usize].name.clone());
        names.collect::<Vec<String>>()
    };
    assert_eq!(calls_of("setup() {"), ["mount"]);
    assert!(calls_of("() => 1").is_empty());
}
