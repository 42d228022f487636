//! Scripts that say where their source map is: in themselves, in another file, in sections, behind a header, or nowhere
//! that can be reached. The location is the author's where the map tells it, else that in the script.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::{Value, json};

/// One line: column 1 is line 1 of `total.ts`, column 15 its line 5 and column 3.
const CODE: &str = "probe.value=1;probe.value=2;say(probe.value);done();";
const MAP: &str = r#"{"version":3,"sources":["total.ts"],"names":[],"mappings":"AAAA,cAIE"}"#;
/// The same in two sections, the second of which begins at column 15.
const SECTIONS: &str = r#"{"version":3,"sections":[
    {"offset":{"line":0,"column":0},"map":{"version":3,"sources":["head.ts"],"names":[],"mappings":"AAAA"}},
    {"offset":{"line":0,"column":14},"map":{"version":3,"sources":["part.ts"],"names":[],"mappings":"AAIE"}}]}"#;

/// Where the answer says that the last write of a script is that ends with `comment`, and whose map is `map`.
fn place_of(comment: &str, map: Reply) -> String {
    let site = Site::new(&[
        ("/", page("<script src=/dist/app.js></script>")),
        ("/dist/app.js", script(&format!("{CODE}\n{comment}\n"))),
        ("/dist/app.js.map", map),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "2");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
    place(&answer)
}

fn map_reply(text: &str) -> Reply {
    Reply::new("application/json", text)
}

#[test]
fn an_external_map_names_the_authors_line() {
    let at = place_of("//# sourceMappingURL=app.js.map", map_reply(MAP));
    assert_eq!(at, "found dist/total.ts:5:3");
}

#[test]
fn an_inline_map_names_the_authors_line() {
    // MAP, as base64.
    let inline = "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbInRvdGFsLnRzIl0sIm5hbWVzIjpbXSwibWFwcGluZ3MiOiJBQUFBLGNBSUUifQ==";
    let comment = format!("//# sourceMappingURL=data:application/json;base64,{inline}");
    assert_eq!(place_of(&comment, map_reply("")), "found dist/total.ts:5:3");
}

#[test]
fn a_map_in_sections_names_the_authors_line() {
    let at = place_of("//# sourceMappingURL=app.js.map", map_reply(SECTIONS));
    assert_eq!(at, "found dist/part.ts:5:3");
}

#[test]
fn what_a_map_says_to_ignore_is_a_librarys() {
    let ignored = MAP.replace(r#""names""#, r#""ignoreList":[0],"names""#);
    let site = Site::new(&[
        ("/", page("<script src=/dist/app.js></script>")),
        (
            "/dist/app.js",
            script(&format!("{CODE}\n//# sourceMappingURL=app.js.map\n")),
        ),
        ("/dist/app.js.map", map_reply(&ignored)),
    ]);
    let (_, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(place(&answer), "found dist/total.ts:5:3");
    let point = &answer["points"][1];
    assert_eq!(point["location"]["library"], true);
    assert_eq!(point["stack"][0]["library"], true);
    // The page that runs it has no map.
    assert_eq!(answer["points"][0]["location"].get("library"), None);
}

#[test]
fn without_a_map_that_can_be_read_the_line_is_that_of_the_script() {
    let missing = map_reply("").status(404);
    let broken = map_reply("{\"version\":3,");
    for map in [missing, broken] {
        let at = place_of("//# sourceMappingURL=app.js.map", map);
        assert_eq!(at, "found dist/app.js:1:15");
    }
}

#[test]
fn a_map_behind_a_header_names_the_authors_line() {
    for header in ["SourceMap", "X-SourceMap"] {
        let site = Site::new(&[
            ("/", page("<script src=/dist/app.js></script>")),
            ("/dist/app.js", script(CODE).header(header, "maps/app.map")),
            ("/dist/maps/app.map", map_reply(MAP)),
        ]);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        assert_eq!(said, "2");
        assert_eq!(place(&answer), "found dist/maps/total.ts:5:3", "{header}");
    }
}

/// What is said of asking at that place of a script on one line, and the answer.
fn asked_at(code: &str, at: &str, query: &str) -> Value {
    let site = Site::new(&[
        ("/", page("<script src=/dist/app.js></script>")),
        ("/dist/app.js", script(code)),
    ]);
    let ran = querypoint(&["ask", &site.url("/"), "--at", at, query, "--json"]);
    ran.answer()
}

#[test]
fn a_stop_inside_a_statement_of_a_bundle_is_that_statement() {
    let code = "function never(){other()}var s={n:0,l:[]};function f(p,b){p&&(b?s.l:s.l).push(p)}\
        s.n=1;f(3,0);function later(){other()}done();";
    for inside in ["push(p)", "p&&", "s.l)"] {
        let at = format!("app.js:1:{}", code.find(inside).unwrap() + 1);
        let answer = asked_at(code, &at, "lastChange(R:s.n)");
        let point = &answer["points"][0];
        assert_eq!(
            (&point["status"], &point["function"]),
            (&json!("found"), &json!("f")),
            "{at}: {point}"
        );
        assert_eq!(answer["points"][1]["new"]["text"], "1", "{at}");
    }
}

const CART: &str = r#"const open = { items: [] };
const done = { items: [] };
function add(item, isDone) {
  if (item.text) {
    item.id = 1;
    (isDone ? done.items : open.items)
      .push(item);
  }
}
function run(state, price) {
  if (price > 3) {
    (price > 5
      ? open
      : done).last = price;
  }
  return state;
}
add({ text: "a" }, false);
run({ list: [] }, 6);
window.probe = open;
say("done");
"#;

/// What a minifier makes of [`CART`], the segments of its map, and their names. It has none at the parentheses where
/// the call and the assignment begin.
const MINIFIED: [(&str, &str, &[&str]); 1] = [
    // esbuild --minify
    (
        "const open={items:[]},done={items:[]};function add(t,n){t.text&&(t.id=1,(n?done.items:open.items).push(t)\
    )}function run(t,n){return n>3&&((n>5?open:done).last=n),t}add({text:\"a\"},!1),run({list:[]},6),window.p\
    robe=open,say(\"done\");",
        "AAAA,MAAM,KAAO,CAAE,MAAO,CAAC,CAAE,EACnB,KAAO,CAAE,MAAO,CAAC,CAAE,EACzB,SAAS,IAAIA,EAAMC,EAAQ,CACrBD,EAAK\
    ,OACPA,EAAK,GAAK,GACTC,EAAS,KAAK,MAAQ,KAAK,OACzB,KAAKD,CAAI,EAEhB,CACA,SAAS,IAAIE,EAAOC,EAAO,CACzB,OAAIA,\
    EAAQ,KACTA,EAAQ,EACL,KACA,MAAM,KAAOA,GAEZD,CACT,CACA,IAAI,CAAE,KAAM,GAAI,EAAG,EAAK,EACxB,IAAI,CAAE,KAAM,C\
    AAC,CAAE,EAAG,CAAC,EACnB,OAAO,MAAQ,KACf,IAAI,MAAM",
        &["item", "isDone", "state", "price"],
    ),
];

#[test]
fn where_a_map_has_no_segment_the_line_is_that_of_the_name_and_not_of_the_statement_before() {
    for (code, mappings, names) in MINIFIED {
        let map = json!({
            "version": 3, "sources": ["cart.js"], "sourcesContent": [CART], "mappings": mappings,
            "names": names,
        });
        let site = Site::new(&[
            (
                "/",
                html(
                    "<!doctype html><script>var say = () => {};</script><script src=/dist/app.js></script>",
                ),
            ),
            (
                "/dist/app.js",
                script(&format!("{code}\n//# sourceMappingURL=app.js.map")),
            ),
            ("/dist/app.js.map", map_reply(&map.to_string())),
        ]);
        for (reference, found) in [("probe.items.length", "7:8"), ("probe.last", "14:15")] {
            let query = format!("lastChange(R:{reference})");
            let ran = querypoint(&["ask", &site.url("/"), "--at", "end", &query, "--json"]);
            assert_eq!(
                place(&ran.answer()),
                format!("found dist/cart.js:{found}"),
                "{code}"
            );
        }
    }
}

/// A module as a development build of webpack keeps it: a text given to `eval`, in a block behind which its address
/// is.
fn module_in_a_text(code: &str, comments: &str) -> String {
    let text = format!(
        "{{runs();\n{code}\n{comments}\n//# sourceURL=webpack-internal:///./src/cart.ts\n\n}}"
    );
    format!(
        "const modules = {{ cart(runs) {{\n\neval({});\n\n}} }};\nlet ran = 0;\nmodules.cart(() => ran++);\ndone();",
        json!(text)
    )
}

const PRICES: &str = "const prices = [];
const cart = { total: 0, large: [] };
function add(price) {
  prices.push(price);
  const total = prices.reduce((sum, it) => sum + it, 0);
  if (total > 10) {
    cart.total = total * 0.9;
  }
}
add(4);
add(9);
for (const price of prices) {
  if (price > 5) cart.large.push(price);
}
window.cart = cart;";

#[test]
fn modules_that_a_development_build_keeps_in_texts_have_their_authors_lines() {
    use base64::Engine as _;
    // Each line of the text behind its first is the author's, two lines further down.
    let mappings = format!(";AAEA{}", ";AACA".repeat(PRICES.lines().count() - 1));
    let map = json!({
        "version": 3, "sources": ["webpack://shop/./src/cart.ts"], "names": [], "mappings": mappings,
        "sourcesContent": [format!("// The prices\n// of the cart.\n{PRICES}")],
    });
    let map = base64::engine::general_purpose::STANDARD.encode(map.to_string());
    let mapped = format!("//# sourceMappingURL=data:application/json;charset=utf-8;base64,{map}");
    // Its last line, in the text and in the author's file.
    for (comments, address, at, lines) in [
        (
            "",
            "webpack-internal:///./src/cart.ts",
            "cart.ts:16",
            ["8:5", "7:7", "14:18", "14:7"],
        ),
        (
            mapped.as_str(),
            "webpack://shop/src/cart.ts",
            "cart.ts:17",
            ["9:", "8:", "15:", "15:"],
        ),
    ] {
        let site = Site::new(&[
            ("/", page("<script src=/dist/app.js></script>")),
            ("/dist/app.js", script(&module_in_a_text(PRICES, comments))),
        ]);
        let queries = [
            "A = lastChange(R:cart.total)",
            "B = lastCondition(A)",
            // A built-in wrote: where its condition is, the functions on the stack say.
            "C = lastChange(R:cart.large.length)",
            "D = lastCondition(C)",
        ];
        let url = site.url("/");
        let mut arguments = vec!["ask", &url, "--at", at, "--json"];
        arguments.extend(queries);
        let answer = querypoint(&arguments).answer();
        assert_eq!(blind_spots(&answer), Vec::<String>::new());
        let points = answer["points"].as_array().unwrap();
        let line = points[0]["location"]["line"].to_string();
        assert!(at.ends_with(&format!(":{line}")), "{at}: {}", points[0]);
        for (point, line) in points[1..].iter().zip(lines) {
            let location = &point["location"];
            let at = format!(
                "{}:{}:{}",
                location["url"].as_str().unwrap_or_default(),
                location["line"],
                location["column"]
            );
            assert!(
                at.starts_with(&format!("{address}:{line}")),
                "{at}: {point}"
            );
        }
        let conditions = [&points[2], &points[4]].map(|it| it["condition"]["text"].as_str());
        assert_eq!(conditions, [Some("total > 10"), Some("price > 5")]);
    }
}
