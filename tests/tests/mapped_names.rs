//! The author's names of a bundle's variables: one mapping for references, watches, what scopes show and what is
//! expanded.
//! A name that leads to no variable is said to, and never answered with another one's value.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use querypoint::session::methods;
use serde_json::{Value, json};

/// What a bundler makes of several modules: all of them in one scope, their variables under short names, which
/// functions use again.
struct Bundle {
    sources: &'static [(&'static str, &'static str)],
    code: &'static str,
    mappings: &'static str,
    names: &'static [&'static str],
}

impl Bundle {
    /// A page that has it as a module.
    fn site(&self) -> Site {
        let map = json!({
            "version": 3, "sources": self.sources.iter().map(|it| it.0).collect::<Vec<_>>(),
            "sourcesContent": self.sources.iter().map(|it| it.1).collect::<Vec<_>>(),
            "mappings": self.mappings, "names": self.names,
        });
        let code = format!("{}\n//# sourceMappingURL=app.js.map", self.code);
        Site::new(&[
            (
                "/",
                html("<!doctype html><script type=module src=/dist/app.js></script>"),
            ),
            ("/dist/app.js", script(&code)),
            (
                "/dist/app.js.map",
                Reply::new("application/json", map.to_string()),
            ),
        ])
    }

    fn ask(&self, at: &str, more: &[&str]) -> Value {
        let site = self.site();
        let url = site.url("/");
        let mut arguments = vec!["ask", &url, "--at", at, "--json"];
        arguments.extend(more);
        querypoint(&arguments).answer()
    }
}

const HISTORY: &str = r#"export let Action = { Pop: "POP" };
let state = 0;
export function reset() {
  state = 1;
  Action = { Pop: "pop" };
  return state;
}
"#;
const TODOS: &str = r#"import { Action, reset } from "./history.js";
let state = [];
let total = 0;
export function added(item) {
  state = state.concat(item);
  total += state.length;
  return state;
}
export function left(state, todos) {
  const open = todos.filter((todo) => !todo.done);
  total = open.length;
  if (state) {
    shown(open, state, Action);
  }
  return total;
}
function shown(open, last, kind) {
  window.out = [open, last, kind];
}
reset();
added({ id: 1 });
"#;
const MAIN: &str = r#"import { added, left } from "./todos.js";
const list = added({ id: 2, done: true });
left(list[0], list);
left(list[9], list);
"#;

/// What rollup and terser make of them (`inline: 0, reduce_funcs: false, reduce_vars: false`). At the top `t` is the
/// `state` of the history and `e` that of the todos, `o` is `reset`, `n` is `Action`; in `left` the same names run for
/// `state`, `todos` and `open`.
const CODE: &str = "let n={Pop:\"POP\"},t=0;function o(){return t=1,n={Pop:\"pop\"},t}let e=[],c=0;function \
     i(n){return e=e.concat(n),c+=e.length,e}function u(t,o){const e=o.filter(n=>!n.done);return c=e.length,t&&r(e,t,\
     n),c}function r(n,t,o){window.out=[n,t,o]}o(),i({id:1});const d=i({id:2,done:!0});u(d[0],d),u(d[9],d\
     );";
const NAMES: &[&str] = &[
    "Action", "Pop", "state", "reset", "total", "added", "item", "concat", "length", "left",
    "todos", "open", "filter", "todo", "done", "shown", "last", "kind", "window", "out", "id",
    "list",
];

const SOURCES: &[(&str, &str)] = &[
    ("history.js", HISTORY),
    ("todos.js", TODOS),
    ("main.js", MAIN),
];

const WHOLE: Bundle = Bundle {
    sources: SOURCES,
    code: CODE,
    mappings: "AAAO,IAAIA,EAAS,CAAEC,IAAK,OACvBC,EAAQ,EACL,SAASC,IAGd,OAFAD,EAAQ,EACRF,EAAS,CAAEC,IAAK,OACTC,CACT,C\
     CLA,IAAIA,EAAQ,GACRE,EAAQ,EACL,SAASC,EAAMC,GAGpB,OAFAJ,EAAQA,EAAMK,OAAOD,GACrBF,GAASF,EAAMM,OACRN,CA\
     CT,CACO,SAASO,EAAKP,EAAOQ,GAC1B,MAAMC,EAAOD,EAAME,OAAQC,IAAUA,EAAKC,MAK1C,OAJAV,EAAQO,EAAKH,OACTN,GA\
     CFa,EAAMJ,EAAMT,EAAOF,GAEdI,CACT,CACA,SAASW,EAAMJ,EAAMK,EAAMC,GACzBC,OAAOC,IAAM,CAACR,EAAMK,EAAMC,EA\
     C5B,CACAd,IACAE,EAAM,CAAEe,GAAI,ICnBZ,MAAMC,EAAOhB,EAAM,CAAEe,GAAI,EAAGN,MAAM,IAClCL,EAAKY,EAAK,GAAI\
     A,GACdZ,EAAKY,EAAK,GAAIA",
    names: NAMES,
};

/// The same without the segment at the declaration of `open`.
const WITHOUT_OPEN: Bundle = Bundle {
    sources: SOURCES,
    code: CODE,
    mappings: "AAAO,IAAIA,EAAS,CAAEC,IAAK,OACvBC,EAAQ,EACL,SAASC,IAGd,OAFAD,EAAQ,EACRF,EAAS,CAAEC,IAAK,OACTC,CACT,C\
     CLA,IAAIA,EAAQ,GACRE,EAAQ,EACL,SAASC,EAAMC,GAGpB,OAFAJ,EAAQA,EAAMK,OAAOD,GACrBF,GAASF,EAAMM,OACRN,CA\
     CT,CACO,SAASO,EAAKP,EAAOQ,GAC1B,QAAaA,EAAME,OAAQC,IAAUA,EAAKC,MAK1C,OAJAV,EAAQO,EAAKH,OACTN,GACFa,EA\
     AMJ,EAAMT,EAAOF,GAEdI,CACT,CACA,SAASW,EAAMJ,EAAMK,EAAMC,GACzBC,OAAOC,IAAM,CAACR,EAAMK,EAAMC,EAC5B,CA\
     CAd,IACAE,EAAM,CAAEe,GAAI,ICnBZ,MAAMC,EAAOhB,EAAM,CAAEe,GAAI,EAAGN,MAAM,IAClCL,EAAKY,EAAK,GAAIA,GACd\
     Z,EAAKY,EAAK,GAAIA",
    names: NAMES,
};

/// The variables of a point's scopes: `local state=(2) [1, 2]`.
fn variables(point: &Value) -> Vec<String> {
    let scopes = point["scopes"].as_array().unwrap();
    let of = |scope: &Value| {
        let kind = scope["kind"].as_str().unwrap().to_owned();
        let variables = scope["variables"].as_array().unwrap().clone();
        let shown = move |it: &Value| {
            let (name, text) = (it["name"].as_str().unwrap(), it["text"].as_str().unwrap());
            format!("{kind} {name}={text}")
        };
        variables.iter().map(shown).collect::<Vec<_>>()
    };
    scopes.iter().flat_map(of).collect()
}

fn watched(point: &Value) -> Vec<String> {
    let watches = point["watches"].as_array().unwrap();
    let text = |it: &Value| it["text"].as_str().unwrap().to_owned();
    watches.iter().map(text).collect()
}

/// The function `left` before its call of `shown`.
const IN_LEFT: &str = "todos.js:13";
/// The same function, called without a `state`.
const WITHOUT_STATE: &str = "todos.js:12";
/// The function `added` before it returns.
const IN_ADDED: &str = "todos.js:7";
/// The function `shown`.
const IN_SHOWN: &str = "todos.js:18";

#[test]
fn a_scope_shows_its_own_variables_under_their_names_where_inner_ones_run_under_the_same() {
    let answer = WHOLE.ask(IN_LEFT, &["lastChange(R:total)"]);
    assert_eq!(
        variables(&answer["points"][0]),
        [
            "local state={id: 1}",
            "local todos=(2) [{…}, {…}]",
            "local open=(1) [{…}]",
            // Two more are called `state`, but not here.
            "module e=(2) [{…}, {…}]",
            "module total=1",
            "module shown=ƒ r(n,t,o)",
            // Those of the other file come behind.
            "module Action={Pop: \"pop\"}",
            "module t=1",
        ]
    );
    let answer = WHOLE.ask(IN_ADDED, &["lastChange(R:total)"]);
    assert_eq!(
        variables(&answer["points"][0]),
        [
            "local item={id: 2, done: true}",
            "module state=(1) [{…}]",
            "module total=1",
            "module shown=ƒ r(n,t,o)",
            "module Action={Pop: \"pop\"}",
            "module t=1",
        ]
    );
}

#[test]
fn of_several_with_the_same_name_the_one_of_the_file_is_meant() {
    for (at, found) in [
        (IN_ADDED, "todos.js:5:3"),
        ("history.js:4", "history.js:2:5"),
        (IN_LEFT, "todos.js:9:22"),
    ] {
        let answer = WHOLE.ask(at, &["lastChange(R:state)"]);
        assert_eq!(place(&answer), format!("found dist/{found}"), "{at}");
    }
    // One that another file has, under the name by which it is imported.
    let answer = WHOLE.ask(IN_LEFT, &["lastChange(R:Action.Pop)"]);
    assert_eq!(place(&answer), "found dist/history.js:5:14");
}

#[test]
fn watches_use_the_names_that_are_shown() {
    let expressions = [
        "state.id + todos.length",
        "todos.map((t) => t.id)",
        // The inner name would catch the running one.
        "open.length + todos.filter((e) => e === open[0]).length",
        "({ todos }).todos.length",
        "reset",
        "state.later",
        "list",
        "nothing.at",
    ];
    let more = expressions.iter().flat_map(|it| ["--watch", *it]);
    let more: Vec<&str> = more.chain(["lastChange(R:total)"]).collect();
    let answer = WHOLE.ask(IN_LEFT, &more);
    let names =
        "the names in sight there are state, todos, open, total, added, left, shown, Action, list";
    assert_eq!(
        watched(&answer["points"][0]),
        [
            "3".to_owned(),
            "(2) [1, 2]".to_owned(),
            "2".to_owned(),
            "2".to_owned(),
            format!(
                "`reset` cannot be reached from there: it runs as `o`, and there `o` is another variable; {names}"
            ),
            "undefined".to_owned(),
            "`list` cannot be read there: no function that runs there uses it, so the browser does not keep it for them"
                .to_owned(),
            format!("`nothing` is no variable there; {names}"),
        ]
    );
}

/// Status and note of the one query, and the value.
fn said(answer: &Value) -> String {
    let point = &answer["points"][1];
    assert_ne!(point["status"], "never-changed", "{point}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{}: {}", text(&point["status"]), text(&point["note"]))
}

#[test]
fn a_name_that_leads_to_no_variable_is_not_answered_with_another_one() {
    let there = "it has no value at the reproduction point: ";
    for (bundle, at, name, why) in [
        // What is not there is undefined: a short name that runs must not be taken for a global.
        (
            &WHOLE,
            WITHOUT_STATE,
            "t",
            "`t`: the source map does not say which variable this is; the one that runs as `t` there is `state`; the \
             names in sight there are state, todos, open, ",
        ),
        (
            &WHOLE,
            IN_SHOWN,
            "Action",
            "`Action` cannot be reached from there: it runs as `n`, and there `n` is another variable; ",
        ),
        // There is a global of that name.
        (
            &WITHOUT_OPEN,
            IN_LEFT,
            "open",
            "`open`: the source map does not say which variable this is; the names in sight there are state, todos, \
             e, ",
        ),
        (&WHOLE, IN_LEFT, "nothing", "nothing is not defined; "),
    ] {
        for (query, path) in [(name.to_owned(), ""), (name.to_owned(), ".id")] {
            let query = format!("lastChange(R:{query}{path})");
            let answer = bundle.ask(at, &[&query]);
            let said = said(&answer);
            let expected = format!("blind: {there}{why}");
            assert!(said.starts_with(&expected), "{query}: {said}");
        }
    }
}

/// Imports under names of their own, made by rollup and terser like the other.
const ALIASES: Bundle = Bundle {
    sources: &[
        (
            "store.js",
            r#"export let total = 0;
let latest = null;
export function add(price) {
  total += price;
  latest = { price };
}
export { latest as default };
"#,
        ),
        (
            "main.js",
            r#"import last, { total as sum, add } from "./store.js";
import * as all from "./store.js";
function show(list) {
  list.push(sum, last);
  return () => all.total;
}
add(2);
add(3);
window.out = show([]);
"#,
        ),
    ],
    code: "let n=0,u=null;function t(t){n+=t,u={price:t}}function i(t){return t.push(n,u),()=>n}t(2),t(3),window.out=\
     i([]);",
    mappings: "AAAO,IAAIA,EAAQ,EACfC,EAAS,KACN,SAASC,EAAIC,GAClBH,GAASG,EACTF,EAAS,CAAEE,QACb,CCHA,SAASC,EAAKC,GAEZ,OADAA\
     ,EAAKC,KAAKC,EAAKC,GACR,IAAMC,CACf,CACAP,EAAI,GACJA,EAAI,GACJQ,OAAOC,IAAMP,EAAK",
    names: &[
        "total",
        "latest",
        "add",
        "price",
        "show",
        "list",
        "push",
        "sum",
        "last",
        "all.total",
        "window",
        "out",
    ],
};

#[test]
fn a_name_under_which_a_file_imports_leads_to_the_variable_of_the_other_file() {
    let queries = [
        "lastChange(R:sum)",
        "lastChange(R:last)",
        "lastChange(R:last.price)",
        "lastChange(R:total)",
        "lastChange(R:all)",
    ];
    let watches = ["--watch", "sum + last.price", "--watch", "all.total"];
    let answer = ALIASES.ask("main.js:4", &[&queries[..], &watches[..]].concat());
    let line = |index: usize| answer["points"][index]["location"]["line"].clone();
    assert_eq!([1, 2, 3, 4].map(line), [4, 5, 5, 4].map(Value::from));
    assert_eq!(answer["points"][1]["new"]["text"], "5");
    let why = "`all` is all exports of ./store.js, and the source map does not say which variable this is; \
               the names in sight there are list, show, total, latest";
    let note = answer["points"][5]["note"].as_str().unwrap();
    assert_eq!(answer["points"][5]["status"], "blind");
    assert_eq!(
        note,
        format!("it has no value at the reproduction point: {why}")
    );
    assert_eq!(
        watched(&answer["points"][0]),
        ["8".to_owned(), why.to_owned()]
    );
}

#[test]
fn a_variable_that_the_map_does_not_name_goes_by_the_name_that_runs() {
    let answer = WITHOUT_OPEN.ask(IN_LEFT, &["lastChange(R:e)"]);
    let shown = variables(&answer["points"][0]);
    assert_eq!(shown[2], "local e=(1) [{…}]");
    assert_eq!(answer["points"][1]["new"]["text"], "(1) [{…}]");
    let answer = WHOLE.ask(IN_LEFT, &["lastChange(R:total)"]);
    assert_eq!(place(&answer), "found dist/todos.js:11:3");
}

#[tokio::test]
async fn what_is_shown_under_a_name_expands_under_it() {
    let folder = Folder::new();
    let site = WHOLE.site();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at(IN_LEFT).await;
    panel.asks("B = lastChange(R:total)").await;
    let expand = |expression: &str| methods::Expand {
        point: "B".to_owned(),
        expression: expression.to_owned(),
        ..Default::default()
    };
    for (expression, inside) in [
        ("todos", "0: {id: 1}, 1: {id: 2, done: true}, length: 2"),
        ("state", "id: 1"),
    ] {
        let given = panel.done(expand(expression)).await;
        let variables = given.variables;
        let shown = variables
            .iter()
            .map(|it| format!("{}: {}", it.name, it.value.text));
        assert_eq!(shown.collect::<Vec<_>>().join(", "), inside);
    }
    for (expression, why) in [
        (
            "reset",
            "`reset` cannot be reached from there: it runs as `o`",
        ),
        (
            "nothing",
            "`nothing` is no variable there; the names in sight there are state, todos",
        ),
    ] {
        let refusal = panel.refused(expand(expression)).await;
        assert!(refusal.message.contains(why), "{}", refusal.message);
    }
}

const BOX: &str = r#"class Box {
  #total = 0;
  #count = 1;
  add(n) {
    this.#total += n;
    [this.#count] = [n];
    return this.#size();
  }
  #size() { return this.#total; }
  static both(a) { return a.#total + a.#count; }
}
class Lid {
  #total = 9;
  open() { this.#total = 5; return this.#total; }
}
globalThis.box = new Box();
globalThis.lid = new Lid();
box.add(3);
box.add(4);
lid.open();
document.title = String(Box.both(box));
"#;

/// What esbuild makes of it with `--minify`: the first private name of each class is `#t`.
const PRIVATE: Bundle = Bundle {
    sources: &[("box.js", BOX)],
    code: "class Box{#t=0;#i=1;add(t){return this.#t+=t,[this.#i]=[t],this.#o()}#o(){return this.#t}static both(t){return \
t.#t+t.#i}}class Lid{#t=9;open(){return this.#t=5,this.#t}}globalThis.box=new Box,globalThis.lid=new Lid,box.\
add(3),box.add(4),lid.open(),document.title=String(Box.both(box));",
    mappings: "AAAA,MAAM,GAAI,CACRA,GAAS,EACTC,GAAS,EACT,IAAIC,EAAG,CACL,YAAKF,IAAUE,EACf,CAAC,KAAKD,EAAM,EAAI,CAACC,CAAC,EAC\
X,KAAKC,GAAM,CACpB,CACAA,IAAQ,CAAE,OAAO,KAAKH,EAAQ,CAC9B,OAAO,KAAKI,EAAG,CAAE,OAAOA,EAAEJ,GAASI,EAAEH,EAAQ,CAC\
/C,CACA,MAAM,GAAI,CACRD,GAAS,EACT,MAAO,CAAE,YAAKA,GAAS,EAAU,KAAKA,EAAQ,CAChD,CACA,WAAW,IAAM,IAAI,IACrB,WAAW,IA\
AM,IAAI,IACrB,IAAI,IAAI,CAAC,EACT,IAAI,IAAI,CAAC,EACT,IAAI,KAAK,EACT,SAAS,MAAQ,OAAO,IAAI,KAAK,GAAG,CAAC",
    names: &["#total", "#count", "n", "#size", "a"],
};

#[test]
fn private_names_are_those_that_their_author_gave_them() {
    let found = |query: &str, more: &[&str]| {
        let answer = PRIVATE.ask("end", &[&[query], more].concat());
        let point = &answer["points"][1];
        (
            point["location"]["line"].as_u64(),
            point["new"]["text"].clone(),
        )
    };
    for instrument in ["query", "standby"] {
        let with = ["--instrument", instrument];
        let total = found("lastChange(R:box.#total)", &with);
        assert_eq!(total, (Some(5), json!("7")), "{instrument}");
        let count = found("lastChange(R:box.#count)", &with);
        assert_eq!(count, (Some(6), json!("4")), "{instrument}");
        // Another class has a field of that name, which has the same one in the bundle.
        let other = found("lastChange(R:lid.#total)", &with);
        assert_eq!(other, (Some(14), json!("5")), "{instrument}");
    }
    let traced = found("trace(write(.#total), before(R), index -1)", &[]);
    assert_eq!(traced.0, Some(14));
    let made = PRIVATE.ask("end", &["origin(R:box.#total)"]);
    assert_eq!(made["points"][1]["end"]["kind"], "computation", "{made:#}");
}
