//! Classes that run under another name than their author's, as a minifier leaves them.

use sourcemap::SourceMapBuilder;

use super::{lines, query, recorded};

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

/// The map of [`MINIFIED`].
fn map() -> Vec<u8> {
    let mut builder = SourceMapBuilder::new(Some("app.min.js"));
    let source = builder.add_source("app.js");
    builder.set_source_contents(source, Some(AUTHORS));
    let names = [
        ("a", "Cart"),
        ("b", "Item"),
        ("c", "Special"),
        ("d", "Old"),
        ("e", "cart"),
        ("f", "Map"),
        ("i", "item"),
        ("n", "name"),
    ];
    let is_of_name = |c: char| c.is_ascii_alphanumeric();
    let column = |at: usize| u32::try_from(at).unwrap();
    for (line, (running, author)) in (0..).zip(MINIFIED.lines().zip(AUTHORS.lines())) {
        let mut segments = vec![(0, 0, None)];
        for (short, long) in names {
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
    let map = String::from_utf8(map()).unwrap();
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
