//! What is at the places that the event log names, held against the places that the rewriter of the log gives out.

use super::{Exported, LoggedPlace};
use crate::Goal;
use crate::log::{Detail, FirstNumbers, LogOptions, LoggedKind};
use crate::position::ByteOffset;
use crate::rewrite::{NamesAsWritten, with_script};

const PROGRAM: &str = "
let a = f(x), { b, c: [d = 1] } = o, e;
a = b ? c.d : (g().h(), i);
[a, o.p] = q; o.p = a; o[k] = d; a ||= b; a += 1; a++; o.p++; delete o.p;
function named(p, { q = 2 }, ...r) { return p; }
const arrow = (s) => s.t, other = ({ u }) => { return u; };
class C extends B { field = a; #own = 1; static z = b; constructor(v) { super(v); } get w() { return this.#own; } }
for (const y of list) k(y);
for (const [l, m] of list) k(l);
for (const n in o) k(n);
try { throw a; } catch (error) { k(error); }
async function waits() { const t = await f(); return t; }
function* gives() { const got = yield a; yield* got; }
const literal = { a, b: c, ...o, [k]: 1, m() {} }, array = [a, ...b];
new C(a).m(b)?.n(c); o.f(a).g().h(b); tag`a${b}c`; Object.assign(o, p);
";

/// Every place that the log names has its code, but those that name none.
#[test]
fn every_place_of_the_log_has_its_code() {
    let missing = with_script(PROGRAM, Goal::Script, |script| {
        let options = LogOptions {
            prefix: "$Qp".to_owned(),
            script: 1,
            first: FirstNumbers::default(),
            detail: Detail::All,
            watches_document: false,
            in_document: false,
            outer: None,
            first_code_site: 1,
        };
        let logged = script.logged(&options, &NamesAsWritten).unwrap();
        let code = script.logged_code();
        let sites = logged.sites.iter().filter(|site| {
            // The top of a script returns nothing, and conditions are looked up by what they test.
            let is_top = site.kind == LoggedKind::Return && site.function == 1;
            // Deletions give no value, and a catch clause is known by its parameter.
            let is_deletion = PROGRAM[site.at.index()..].starts_with("delete");
            let is_known = code.at(site.at, site.kind, &site.name).is_some();
            let has_code = !matches!(site.kind, LoggedKind::Branch | LoggedKind::Catch);
            has_code && !is_top && !is_deletion && !is_known
        });
        let shown = sites.map(|site| {
            let text = &PROGRAM[site.at.index()..];
            let text: String = text.chars().take(20).collect();
            format!("{:?} {} {text}", site.kind, site.name)
        });
        shown.collect::<Vec<_>>()
    });
    assert_eq!(missing.unwrap(), Vec::<String>::new());
}

#[test]
fn calls_that_begin_together_are_told_apart_by_their_names() {
    let text = "a.b(1).c(2);";
    let found = with_script(text, Goal::Script, |script| {
        let code = script.logged_code();
        let arguments = |name: &str| match code.at(ByteOffset(0), LoggedKind::Call, name) {
            Some(LoggedPlace::Call(call)) => {
                let span = call.arguments[0].value.span;
                text[span.start.index()..span.end.index()].to_owned()
            }
            other => format!("{other:?}"),
        };
        [arguments("a.b"), arguments("a.b(1).c"), arguments("a")]
    });
    assert_eq!(found.unwrap(), ["1", "2", "None"]);
}

#[test]
fn functions_that_are_handed_over_or_made_accessors_are_known() {
    let text = "p.then((a) => a); Object.defineProperty(o, 'key', { get() { return 1; } });";
    let found = with_script(text, Goal::Script, |script| {
        let code = script.logged_code();
        let arrow = ByteOffset::from_index(text.find("(a)").unwrap());
        let given = code.handed_over(arrow).iter();
        let given: Vec<(String, usize)> = given
            .map(|(span, index)| {
                let call = &text[span.start.index()..span.end.index()];
                (call.to_owned(), *index)
            })
            .collect();
        let getter = ByteOffset::from_index(text.find("get()").unwrap());
        let accessor = code
            .accessor(getter)
            .map(|(key, is_getter)| (key.to_owned(), is_getter));
        (given, accessor)
    });
    let (given, accessor) = found.unwrap();
    assert_eq!(given, [("p.then((a) => a)".to_owned(), 0)]);
    assert_eq!(accessor, Some(("key".to_owned(), true)));
}

#[test]
fn modules_say_what_they_export() {
    let text = "import d, { a as b } from './x.js'; const c = 1; export { c as e, b }; export * from './y.js';
        export { f as g } from './z.js'; export * as h from './w.js'; export default c;";
    let found = with_script(text, Goal::Module, |script| {
        let exported = |name: &str| match script.exported(name) {
            Some((Exported::Variable { name, .. }, _)) => format!("variable {name}"),
            Some((Exported::Of { specifier, name }, _)) => format!("{name:?} of {specifier}"),
            Some((Exported::Value(_), _)) => "a value".to_owned(),
            Some((Exported::Made, _)) => "made".to_owned(),
            None => "nothing".to_owned(),
        };
        let names = ["e", "b", "c", "g", "h", "default"];
        assert_eq!(
            script.imported("b"),
            Some(("./x.js".to_owned(), Some("a".to_owned())))
        );
        assert_eq!(script.exported_all(), ["./y.js"]);
        names.map(exported)
    });
    assert_eq!(
        found.unwrap(),
        [
            "variable c",
            "variable b",
            "nothing",
            "Some(\"f\") of ./z.js",
            "None of ./w.js",
            "a value"
        ]
    );
}
