//! Small maps written by hand, broken ones, and maps written and read back.

use super::*;
use proptest::prelude::*;

fn at(line: u32, column: u32) -> Utf16Position {
    Utf16Position { line, column }
}

fn parse(json: &str) -> SourceMap {
    SourceMap::parse(json, Some("http://host/js/app.js.map")).expect("a good map")
}

/// `a.ts` and `b.ts`; line 0: 0 → a 0:0, 4 → a 1:2 "x", 9 → nothing; line 2: 1 → b 3:0.
const SMALL: &str = r#"{"version":3,"sourceRoot":"../src","sources":["a.ts","b.ts"],
    "sourcesContent":["A",null],"names":["x"],"ignoreList":[1],"mappings":"AAAA,IACEA,K;;CCEF"}"#;

#[test]
fn positions_lead_to_their_sources() {
    let map = parse(SMALL);
    let original = |line, column| {
        map.original(at(line, column)).map(|found| {
            let name = found.name.unwrap_or_default();
            let (line, column) = (found.position.line, found.position.column);
            format!("{} {line}:{column} {name} {}", found.source, found.exact)
        })
    };
    let a = "http://host/src/a.ts";
    assert_eq!(original(0, 0), Some(format!("{a} 0:0  true")));
    assert_eq!(original(0, 3), Some(format!("{a} 0:0  false")));
    assert_eq!(original(0, 4), Some(format!("{a} 1:2 x true")));
    assert_eq!(original(0, 8), Some(format!("{a} 1:2 x false")));
    // Generated code of no source.
    assert_eq!(original(0, 9), None);
    // A line without mappings is not explained by the one above it.
    assert_eq!(original(1, 0), None);
    assert_eq!(original(2, 0), None);
    assert_eq!(
        original(2, 50),
        Some("http://host/src/b.ts 3:0  false".to_owned())
    );
    assert_eq!(original(9, 0), None);
}

#[test]
fn lines_lead_to_the_generated_code() {
    let map = parse(SMALL);
    let is_a = |url: &str| url.ends_with("/a.ts");
    assert_eq!(
        map.generated(&is_a, 1),
        [Generated {
            generated: at(0, 4),
            original: at(1, 2),
            source: "http://host/src/a.ts".into()
        }]
    );
    assert_eq!(map.generated(&is_a, 3), []);
    assert_eq!(map.nearest_lines(&is_a, 3, 5), [1, 0]);
    assert_eq!(map.nearest_lines(&|_| true, 2, 2), [1, 3]);
    assert_eq!(map.source_text("http://host/src/a.ts"), Some("A"));
    assert_eq!(map.source_text("http://host/src/b.ts"), None);
    assert!(map.is_ignored("http://host/src/b.ts"));
    assert!(!map.is_ignored("http://host/src/a.ts"));
}

/// Modules that Rollup and Vite make up, and webpack's own, are no author's.
#[test]
fn what_a_bundler_adds_is_ignored() {
    let sources = [
        ("\0vite/preload-helper.js", true),
        ("../../\0commonjsHelpers.js", true),
        (
            "webpack://shop/webpack/runtime/define property getters",
            true,
        ),
        ("webpack://shop/webpack/bootstrap", true),
        ("webpack://shop/./src/webpack/bootstrap.js", false),
        ("src/webpack/runtime/a.js", false),
    ];
    for (source, is_ignored) in sources {
        let json = serde_json::json!({ "version": 3, "sources": [source], "mappings": "" });
        let map = parse(&json.to_string());
        let of = map.sources().first().map(|it| it.ignored);
        assert_eq!(of, Some(is_ignored), "{source}");
    }
}

#[test]
fn a_guard_line_and_a_byte_order_mark_are_skipped() {
    for guard in [
        ")]}'\n",
        ")]}\r\n",
        ")]}' anything\n",
        "\u{FEFF}",
        "\u{FEFF})]}'\n",
    ] {
        assert_eq!(parse(&format!("{guard}{SMALL}")).sources().len(), 2);
    }
}

#[test]
fn sources_are_resolved_where_they_can_be() {
    let url = |root: &str, source: &str, base: Option<&str>| {
        let json = format!(
            r#"{{"version":3,"sourceRoot":"{root}","sources":["{source}"],"mappings":""}}"#
        );
        SourceMap::parse(&json, base).expect("good").sources()[0]
            .url
            .clone()
    };
    let base = Some("http://host/js/app.js");
    assert_eq!(url("", "../a.ts", base), "http://host/a.ts");
    assert_eq!(url("/root/", "a.ts", base), "http://host/root/a.ts");
    assert_eq!(url("https://cdn/x", "a.ts", base), "https://cdn/x/a.ts");
    assert_eq!(url("x", "http://o/a.ts", base), "http://o/a.ts");
    assert_eq!(
        url("", "webpack:///./src/App.tsx", base),
        "webpack:///src/App.tsx"
    );
    assert_eq!(url("", "src/a.ts", None), "src/a.ts");
    assert_eq!(url("", "a.ts", Some("not a url")), "a.ts");
}

#[test]
fn an_indexed_map_is_its_sections_at_their_offsets() {
    let map = parse(
        r#"{"version":3,"sections":[
            {"offset":{"line":0,"column":0},"map":{"version":3,"sources":["a.ts"],"names":["f"],"mappings":"AAAAA;;AAAA"}},
            {"offset":{"line":1,"column":10},"map":{"version":3,"sources":["b.ts"],"names":["g"],"mappings":"AAAAA,CAAC;AACD"}}
        ]}"#,
    );
    let place = |line, column| {
        map.original(at(line, column))
            .map(|found| (found.source, found.position, found.name))
    };
    let b = || "http://host/js/b.ts".to_owned();
    assert_eq!(
        place(0, 0),
        Some(("http://host/js/a.ts".into(), at(0, 0), Some("f".into())))
    );
    assert_eq!(place(1, 9), None);
    assert_eq!(place(1, 10), Some((b(), at(0, 0), Some("g".into()))));
    assert_eq!(place(1, 11), Some((b(), at(0, 1), None)));
    // What the first section says about the second one's part does not count.
    assert_eq!(place(2, 0), Some((b(), at(1, 0), None)));
}

#[test]
fn broken_maps_are_errors_that_say_where() {
    let error = |json: &str| SourceMap::parse(json, None).expect_err("broken");
    let of_mappings = |mappings: &str| {
        error(&format!(
            r#"{{"version":3,"sources":["a"],"names":[],"mappings":"{mappings}"}}"#
        ))
    };
    assert!(matches!(error("<html>"), SourceMapError::NotJson(_)));
    assert!(matches!(error(""), SourceMapError::NotJson(_)));
    assert!(matches!(error(")]}'"), SourceMapError::NotJson(_)));
    assert!(matches!(error("[1]"), SourceMapError::NotJson(_)));
    assert!(matches!(
        error(r#"{"mappings":5}"#),
        SourceMapError::NotJson(_)
    ));
    assert_eq!(error("{}"), SourceMapError::NoMappings);
    let bad = |line, segment| SourceMapError::BadVlq { line, segment };
    assert_eq!(of_mappings("AAAA;AAAA,A!AA"), bad(1, 1));
    assert_eq!(of_mappings("AAAg"), bad(0, 0));
    assert_eq!(of_mappings("é"), bad(0, 0));
    assert_eq!(of_mappings("gggggggggggggggggggggA"), bad(0, 0));
    assert_eq!(
        of_mappings("AA"),
        SourceMapError::SegmentSize {
            line: 0,
            segment: 0,
            size: 2
        }
    );
    assert!(matches!(
        of_mappings("AAAAAAAAAAAA"),
        SourceMapError::SegmentSize { size: 12, .. }
    ));
    let out = |line, what, value| SourceMapError::OutOfRange {
        line,
        segment: 0,
        what,
        value,
    };
    assert_eq!(of_mappings(";D"), out(1, "column", -1));
    assert_eq!(of_mappings("ACAA"), out(0, "source", 1));
    assert_eq!(of_mappings("AADA"), out(0, "original line", -1));
    assert_eq!(of_mappings("AAAAA"), out(0, "name", 0));
    let section = |section: &str| {
        error(&format!(
            r#"{{"sections":[{{"offset":{{"line":5,"column":0}},{section}}}]}}"#
        ))
    };
    assert!(matches!(
        section(r#""url":"x.map""#),
        SourceMapError::BadSection { section: 0, .. }
    ));
    assert!(matches!(
        section(r#""map":{"sections":[]}"#),
        SourceMapError::BadSection { section: 0, .. }
    ));
    let huge = r#"{"sections":[{"offset":{"line":4294967295,"column":4294967295},"map":{"mappings":"A"}}]}"#;
    assert!(matches!(
        error(huge),
        SourceMapError::BadSection { section: 0, .. }
    ));
    let deep = r#"{"sections":[{"offset":{"line":0,"column":0},"map":"#.repeat(1000);
    assert!(matches!(error(&deep), SourceMapError::NotJson(_)));
}

#[test]
fn references_to_maps() {
    let external = |url: &str| Some(MapReference::External(url.to_owned()));
    let cases = [
        (
            "x();\n//# sourceMappingURL=app.js.map",
            external("app.js.map"),
        ),
        ("x();//@ sourceMappingURL=a.map\n\n  ", external("a.map")),
        ("x();\r\n/*# sourceMappingURL=a.map */", external("a.map")),
        (
            "//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map\n// end",
            external("b.map"),
        ),
        ("//# sourceMappingURL=a.map\nx()", None),
        ("{x()\n//# sourceMappingURL=a.map\n\n}", external("a.map")),
        ("(() => { x()\n//# sourceMappingURL=a.map\n})();", None),
        (
            "(function () { x()\n//# sourceMappingURL=a.map\n});",
            external("a.map"),
        ),
        ("s = '//# sourceMappingURL=a.map'", None),
        ("//# sourceMappingURL=a b", None),
        ("//# sourceMappingURL=", None),
        ("// # sourceMappingURL=a.map", None),
        ("//#sourceMappingURL=a.map", external("a.map")),
        ("u = 'http://x' //# sourceMappingURL=a.map", None),
        (
            "\u{FEFF}//# sourceMappingURL=a.map\u{2028}",
            external("a.map"),
        ),
        ("é//# sourceMappingURL=a.map\u{A0}", external("a.map")),
        (
            "use('/api/*')\n//# sourceMappingURL=a.map",
            external("a.map"),
        ),
        (
            "r = `^${path}/*$` /* b */\n//# sourceMappingURL=a.map",
            external("a.map"),
        ),
        ("/* open\nx()", None),
        ("", None),
    ];
    for (script, expected) in cases {
        assert_eq!(find_source_mapping_url(script), expected, "{script}");
    }
}

#[test]
fn maps_in_data_urls() {
    let inline = |json: &str| Some(MapReference::Inline(json.to_owned()));
    let cases = [
        (
            "data:application/json;base64,eyJhIjoi4oKsIn0=",
            inline("{\"a\":\"€\"}"),
        ),
        (
            "data:application/json;charset=utf-8;base64,eyJhIjoxfQ",
            inline("{\"a\":1}"),
        ),
        ("DATA:;BASE64,e30%3D", inline("{}")),
        ("data:application/json,%7B%22a%22:1%7d", inline("{\"a\":1}")),
        ("data:,%zz%4", inline("%zz%4")),
    ];
    for (url, expected) in cases {
        let script = format!("x()\n//# sourceMappingURL={url}");
        assert_eq!(find_source_mapping_url(&script), expected, "{url}");
    }
    for url in [
        "data:;base64,e",
        "data:;base64,e3*9",
        "data:none",
        "data:,%FF",
    ] {
        let script = format!("//# sourceMappingURL={url}");
        let found = find_source_mapping_url(&script);
        assert_eq!(found, Some(MapReference::Malformed(url.to_owned())));
    }
}

/// A map to one source, `app.js`.
fn map_of(places: &[(Utf16Position, Utf16Position)]) -> SourceMap {
    SourceMap {
        sources: vec![Source {
            url: "app.js".to_owned(),
            ignored: false,
            text: Some("x = 1".to_owned()),
        }],
        names: Vec::new(),
        mappings: places
            .iter()
            .map(|&(generated, original)| Mapping {
                generated,
                original,
                source: 0,
                name: NONE,
            })
            .collect(),
        ..SourceMap::default()
    }
}

#[test]
fn a_written_map_holds_source_and_text() {
    let map = map_of(&[(at(0, 0), at(0, 0)), (at(0, 7), at(0, 0))]);
    assert_eq!(
        map.to_json(Some("app.out.js")).expect("writes"),
        r#"{"version":3,"file":"app.out.js","sources":["app.js"],"sourcesContent":["x = 1"],"names":[],"mappings":"AAAA,OAAA"}"#
    );
    let beyond = map_of(&[(at(u32::MAX, 0), at(0, 0))]);
    assert!(matches!(
        beyond.to_json(None),
        Err(SourceMapError::TooLarge { .. })
    ));
}

#[test]
fn what_is_written_is_what_was_read() {
    let json = r#"{"version":3,"sources":["a.ts","b.ts"],"sourcesContent":[null,"let b"],"names":["n"],"mappings":"AAAA,E,CCCAA","ignoreList":[1]}"#;
    let map = SourceMap::parse(json, None).expect("reads");
    let again = map.to_json(None).expect("writes");
    let again = SourceMap::parse(&again, None).expect("reads");
    assert_eq!(again.sources, map.sources);
    assert_eq!(again.names, map.names);
    assert_eq!(again.mappings, map.mappings);
    assert!(again.is_ignored("b.ts"));
}

proptest! {
    #[test]
    fn written_maps_are_read_back(
        places in proptest::collection::btree_map(
            (0u32..50, 0u32..2000), (0u32..70_000, 0u32..70_000), 0..60),
    ) {
        let places: Vec<_> = places
            .iter()
            .map(|(generated, original)| (at(generated.0, generated.1), at(original.0, original.1)))
            .collect();
        let json = map_of(&places).to_json(None).expect("writes");
        let map = SourceMap::parse(&json, None).expect("reads");
        for (generated, original) in &places {
            let found = map.original(*generated).expect("mapped");
            prop_assert!(found.exact);
            prop_assert_eq!(found.position, *original);
        }
        prop_assert_eq!(map.mappings.len(), places.len());
    }

    #[test]
    fn no_mappings_panic(mappings in "[A-Za-z0-9+/,;!]{0,60}") {
        let json = format!(r#"{{"version":3,"sources":["a","b"],"names":["n"],"mappings":"{mappings}"}}"#);
        if let Ok(map) = SourceMap::parse(&json, None) {
            let _ = map.original(at(0, 5));
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>(), script in "(//|/\\*|\\*/|# \
        |sourceMappingURL=|data:|;base64,|[a-zA-Z%=,é\n ])*") {
        let _ = SourceMap::parse(&text, Some(&text));
        let _ = find_source_mapping_url(&text);
        let _ = find_source_mapping_url(&script);
    }
}

/// `f(a)` became `f(new,a)`: what was inserted is of no source, and what is behind it is where it was.
#[test]
fn a_map_is_moved_with_what_is_inserted() {
    let map = parse(r#"{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA,EAAE;AACA"}"#);
    let with = |begin: u32| {
        let moved = |it: Utf16Position| match it.line == 0 && it.column >= begin {
            true => Some(at(0, it.column + 4)),
            false => Some(it),
        };
        map.moved(moved, &[(at(0, begin), at(0, begin + 4))])
    };
    let moved = with(2);
    let column = |column| {
        let original = moved.original(at(0, column))?;
        Some((original.position.column, original.exact))
    };
    assert_eq!(column(0), Some((0, true)));
    assert_eq!(column(1), Some((0, false)));
    assert_eq!(column(3), None);
    assert_eq!(column(6), Some((2, true)));
    assert_eq!(moved.original(at(1, 0)).unwrap().position.line, 1);
    // Behind what is inserted where no mapping begins, that goes on which was there.
    let moved = with(1);
    let original = moved.original(at(0, 5)).unwrap();
    assert_eq!((original.position.column, original.name), (0, None));
    assert_eq!(moved.original(at(0, 4)), None);
}
