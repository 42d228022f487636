//! Scripts that say where their source map is: in themselves, in another file, in sections, behind a header, or nowhere
//! that can be reached. The location is the author's where the map tells it, else that in the script.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod loopback;

use loopback::*;

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

fn json(text: &str) -> Reply {
    Reply::new("application/json", text)
}

#[test]
fn an_external_map_names_the_authors_line() {
    let at = place_of("//# sourceMappingURL=app.js.map", json(MAP));
    assert_eq!(at, "found dist/total.ts:5:3");
}

#[test]
fn an_inline_map_names_the_authors_line() {
    // MAP, as base64.
    let inline = "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbInRvdGFsLnRzIl0sIm5hbWVzIjpbXSwibWFwcGluZ3MiOiJBQUFBLGNBSUUifQ==";
    let comment = format!("//# sourceMappingURL=data:application/json;base64,{inline}");
    assert_eq!(place_of(&comment, json("")), "found dist/total.ts:5:3");
}

#[test]
fn a_map_in_sections_names_the_authors_line() {
    let at = place_of("//# sourceMappingURL=app.js.map", json(SECTIONS));
    assert_eq!(at, "found dist/part.ts:5:3");
}

#[test]
fn without_a_map_that_can_be_read_the_line_is_that_of_the_script() {
    let missing = json("").status(404);
    let broken = json("{\"version\":3,");
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
            ("/dist/maps/app.map", json(MAP)),
        ]);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        assert_eq!(said, "2");
        assert_eq!(place(&answer), "found dist/maps/total.ts:5:3", "{header}");
    }
}
