//! Classes that run under another name than their author's, as a minifier leaves them.

use sourcemap::SourceMapBuilder;

use super::{gives_the_same, lines, query, recorded, selected};

const AUTHORS: &str = "export class Cart {
  add(item) { this.item = item; }
}
export const Item = class {
  constructor(name) { this.name = name; }
};
export class Special extends Item {}
export function Old() { this.x = 1; }
const cart = new Cart();
cart.add(new Special('tea'));
new Old();
export class Map { constructor() { this.y = 2; } }
new Map();
";

/// Each name that was made short, and the first line of what runs; a line of the author's is one of what runs.
const MINIFIED: &str = "class a {
  add(i) { this.item = i; }
}
const b = class {
  constructor(n) { this.name = n; }
};
class c extends b {}
function d() { this.x = 1; }
const e = new a();
e.add(new c('tea'));
new d();
class f { constructor() { this.y = 2; } }
new f();
// what a class is to who reads it
document.title = String(c) + a.name;
";

/// How [`MINIFIED`] calls what its author named.
const NAMES: [(&str, &str); 8] = [
    ("a", "Cart"),
    ("b", "Item"),
    ("c", "Special"),
    ("d", "Old"),
    ("e", "cart"),
    ("f", "Map"),
    ("i", "item"),
    ("n", "name"),
];

/// The map of a script that has its author's lines with shorter names.
fn map(minified: &str, authors: &str, names: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = SourceMapBuilder::new(Some("app.min.js"));
    let source = builder.add_source("app.js");
    builder.set_source_contents(source, Some(authors));
    let is_of_name = |c: char| c.is_ascii_alphanumeric();
    let column = |at: usize| u32::try_from(at).unwrap();
    for (line, (running, author)) in (0..).zip(minified.lines().zip(authors.lines())) {
        let mut segments = vec![(0, 0, None)];
        let statement = column(running.len() - running.trim_start().len());
        if statement > 0 {
            segments.push((statement, statement, None));
        }
        for &(short, long) in names {
            let Some(written) = author.find(long) else {
                continue;
            };
            let whole = running.match_indices(short).filter(|(at, _)| {
                let after = &running[at + short.len()..];
                !running[..*at].ends_with(is_of_name) && !after.starts_with(is_of_name)
            });
            segments.extend(whole.map(|(at, _)| (column(at), column(written), Some(long))));
        }
        for (at, written, name) in segments {
            builder.add(line, at, line, written, Some("app.js"), name, false);
        }
    }
    let mut map = Vec::new();
    builder.into_sourcemap().to_writer(&mut map).unwrap();
    map
}

#[test]
fn they_go_by_the_names_that_their_author_gave_them() {
    let code = format!("{MINIFIED}//# sourceMappingURL=app.min.js.map\n");
    let map = String::from_utf8(map(MINIFIED, AUTHORS, &NAMES)).unwrap();
    let page = "<!doctype html><script src=app.min.js></script>";
    let files = [("app.min.js", code.as_str()), ("app.min.js.map", &map)];
    let (folder, _) = recorded(page, &files, &[]);
    let asked = |question: &str| lines(&query(folder.path(), &[question])["results"][0]);
    assert_eq!(asked("instances(Cart)"), ["create (top level) Cart :9"]);
    assert_eq!(
        asked("instances(Special)"),
        ["create (top level) Special :10"]
    );
    assert_eq!(asked("instances(Old)"), ["create (top level) Old :11"]);
    // A class of the page is not taken for the browser's.
    assert_eq!(asked("instances(Map)"), [""; 0]);
    assert_eq!(asked("instances(f)"), ["create (top level) f :13"]);
    assert_eq!(asked("argumentsOf(add)").len(), 1);
    assert!(asked("argumentsOf(add)")[0].starts_with("call Cart.add"));
    let question = "exists(Special)";
    let answer = query(folder.path(), &[question]);
    assert_eq!(answer["results"][0]["holds"], true, "{answer}");
    // Who reads the text of a class or its name gets what was there.
    let question = r#"wasAssigned(.title, "class c extends b {}a")"#;
    let answer = query(folder.path(), &[question]);
    assert_eq!(answer["results"][0]["holds"], true, "{answer}");
}

/// What is called, awaited and decided has the text of its author, in answers and in SQL.
#[test]
fn calls_and_conditions_have_the_text_of_their_author() {
    let authors = "const waiting = new Set();\nfunction later(resolve) {\n  waiting.add(resolve);\n}\n\
        async function load(id) {\n  if (id > 3) encodeURI(id);\n  await new Promise(later);\n}\n\
        load(4).catch(console.error);\n";
    let minified = "const w = new Set();\nfunction l(r) {\n  w.add(r);\n}\n\
        async function o(i) {\n  if (i > 3) encodeURI(i);\n  await new Promise(l);\n}\n\
        o(4).catch(console.error);\n";
    let names = [
        ("w", "waiting"),
        ("l", "later"),
        ("r", "resolve"),
        ("o", "load"),
        ("i", "id"),
    ];
    let map = String::from_utf8(map(minified, authors, &names)).unwrap();
    let code = format!("{minified}//# sourceMappingURL=app.min.js.map\n");
    let page = "<!doctype html><script src=app.min.js></script>";
    let files = [("app.min.js", code.as_str()), ("app.min.js.map", &map)];
    let (folder, _) = recorded(page, &files, &[]);
    let table = selected(
        folder.path(),
        "SELECT DISTINCT name FROM events WHERE kind IN ('call', 'suspend', 'branch') AND name <> '' ORDER BY seq",
    );
    let names: Vec<&str> = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row[0].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "Set",
            "id > 3",
            "encodeURI",
            "waiting.add",
            "Promise",
            "await new Promise(later)",
            "load",
            "load(4).catch"
        ]
    );
    let result =
        query(folder.path(), &["--explain", "wasCalled(waiting.add)"])["results"][0].clone();
    gives_the_same(folder.path(), &result);
    assert_eq!(
        (&result["holds"], &result["total"]),
        (&true.into(), &1.into())
    );
}

/// A class is found by what reaches it: the member that it was assigned to, or the name of an export.
#[test]
fn they_are_found_by_what_reaches_them() {
    let page =
        "<!doctype html><script src=app.js></script><script type=module src=use.mjs></script>";
    let app = "var lunr = function () {};
lunr.Pipeline = function () { this.stack = []; };
lunr.Pipeline.prototype.add = function (x) { this.stack.push(x); };
lunr.Token = class { constructor() { this.a = 1; } };
(function () { function Inner() { this.b = 2; } lunr.Outer = Inner;
var Foo = function () { this.c = 1; };
Foo.prototype = { bar: function () { return 1; } };
lunr.Foo = Foo; })();
lunr.nested = { deep: { Thing: class { constructor() { this.z = 1; } } }, Old: function () { this.k = 1; } };
function run() {
new lunr.Pipeline().add(1);
new lunr.Token();
new lunr.Outer();
new lunr.Foo().bar();
new lunr.nested.deep.Thing();
new lunr.nested.Old();
new Array(3);
}
run();
";
    let shop = "class Real { constructor() { this.x = 1; } }\nexport { Real as Shown };\n";
    let uses = "import { Shown as Other } from './shop.mjs';\nimport * as all from './shop.mjs';\n\
        new Other();\nnew all.Shown();\n";
    let files = [("app.js", app), ("shop.mjs", shop), ("use.mjs", uses)];
    let (folder, output) = recorded(page, &files, &[]);
    assert!(output.status.success(), "{output:?}");
    let asked = |class: &str| {
        let question = format!("instances({class})");
        let result = query(folder.path(), &["--explain", &question])["results"][0].clone();
        gives_the_same(folder.path(), &result);
        result
    };
    for (class, name, line) in [
        ("lunr.Pipeline", "Pipeline", 11),
        ("Pipeline", "Pipeline", 11),
        ("lunr.Token", "Token", 12),
        ("lunr.Outer", "Inner", 13),
        ("Inner", "Inner", 13),
        ("Foo", "Foo", 14),
        ("lunr.Foo", "Foo", 14),
        ("Thing", "Thing", 15),
        ("lunr.nested.deep.Thing", "Thing", 15),
        ("lunr.nested.Old", "Old", 16),
    ] {
        let found = lines(&asked(class));
        assert_eq!(found, [format!("create run {name} :{line}")], "{class}");
    }
    for class in ["Shown", "all.Shown", "Other", "Real"] {
        let found = lines(&asked(class));
        assert_eq!(found.len(), 2, "{class}: {found:?}");
        assert!(found[0].starts_with("create (top level) Real"), "{found:?}");
    }
    // So are their methods.
    for (question, line) in [
        ("argumentsOf(lunr.Pipeline.add)", 11),
        ("argumentsOf(Pipeline.add)", 11),
        ("wasCalled(Foo.bar)", 14),
        ("returnsOf(lunr.Foo.bar)", 7),
    ] {
        let result = query(folder.path(), &["--explain", question])["results"][0].clone();
        gives_the_same(folder.path(), &result);
        let found = lines(&result);
        assert_eq!(found.len(), 1, "{question}: {found:?}");
        assert!(found[0].ends_with(&format!(" :{line}")), "{found:?}");
    }
    // What is not there has a note that says so.
    let noted = |class: &str| {
        let result = asked(class);
        assert_eq!(result["total"], 0, "{result}");
        result["notes"][0].as_str().unwrap_or("-").to_owned()
    };
    assert!(noted("Tokne").ends_with("; the nearest are Token"));
    assert!(noted("lunr.Thing").ends_with("; the nearest are Thing"));
    assert!(noted("Elsewhere").contains("; there are "));
}
