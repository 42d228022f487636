//! What is found in which document; one line of summary per item.

use super::*;
use crate::position::ByteOffset;

fn slice(text: &str, span: ByteSpan) -> &str {
    &text[span.start.index()..span.end.index()]
}

/// One line per item: what it is and what a browser would run or fetch.
fn summary(text: &str) -> Vec<String> {
    find_scripts(text)
        .iter()
        .map(|item| match item {
            HtmlScript::Inline(script) => format!(
                "{:?}{}{} {}",
                script.kind,
                if script.nomodule { " nomodule" } else { "" },
                if script.in_template { " template" } else { "" },
                slice(text, script.content)
            ),
            HtmlScript::External(script) => format!(
                "{:?} src={} charset={:?} {:?}",
                script.kind,
                script.src,
                script.charset,
                script
                    .integrity
                    .iter()
                    .map(|&whole| slice(text, whole))
                    .collect::<Vec<_>>()
            ),
            HtmlScript::Preload(link) => format!(
                "preload {:?} {} {:?}",
                link.kind,
                link.href,
                link.integrity
                    .iter()
                    .map(|&whole| slice(text, whole))
                    .collect::<Vec<_>>()
            ),
            HtmlScript::EventHandler(handler) => format!(
                "{}.{} {:?} {:?} = {}",
                handler.element,
                handler.name,
                handler.value.quote,
                slice(text, handler.value.raw),
                handler.value.decoded
            ),
            HtmlScript::JavaScriptUrl(other) => {
                format!(
                    "url {}.{} {}",
                    other.element, other.name, other.value.decoded
                )
            }
            HtmlScript::Srcdoc(other) => format!("srcdoc {}", other.value.decoded),
            HtmlScript::BaseHref(other) => format!("base {}", other.value.decoded),
            HtmlScript::Foreign(script) => format!(
                "foreign {:?} {:?}",
                script.content.map(|content| slice(text, content)),
                script.href
            ),
        })
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(summary(text), expected, "{text}");
}

#[test]
fn kinds_of_inline_scripts() {
    let cases = [
        ("", "Classic"),
        ("type", "Classic"),
        ("type=''", "Classic"),
        ("type=' '", "Data"),
        ("type=text/javascript", "Classic"),
        ("type=' Text/JavaScript\n'", "Classic"),
        ("type='text/javascript; charset=utf-8'", "Data"),
        ("TYPE=application/x-ecmascript", "Classic"),
        ("type=text/javascript1.5", "Classic"),
        ("type=text/javascript1.6", "Data"),
        ("type=javascript", "Data"),
        ("type=MODULE", "Module"),
        ("type=importmap", "ImportMap"),
        ("type=speculationrules", "SpeculationRules"),
        ("type=application/json", "Data"),
        ("type=text/babel", "Data"),
        ("type='text&#x2F;javascript'", "Classic"),
        ("type=module type=text/javascript", "Module"),
        ("language=JavaScript", "Classic"),
        ("language=JavaScript1.2", "Classic"),
        ("language=vbscript", "Data"),
        ("language=", "Classic"),
        ("language=vbscript type=text/javascript", "Classic"),
        ("language=javascript type=x", "Data"),
        ("for=window event=onload", "Classic"),
        ("for=' Window ' event='onload() '", "Classic"),
        ("for=document event=onclick", "Data"),
        ("for=document", "Classic"),
        ("nomodule", "Classic nomodule"),
    ];
    for (attributes, kind) in cases {
        let text = format!("<p><script {attributes}>a()</script>");
        check(&text, &[&format!("{kind} a()")]);
    }
}

#[test]
fn script_text_ends_where_the_browser_ends_it() {
    check("<script>'</scripts>'</script >b", &["Classic '</scripts>'"]);
    check("<SCRIPT>a</sCript\n>", &["Classic a"]);
    check(
        "<script>a && '&amp;' < b</script>",
        &["Classic a && '&amp;' < b"],
    );
    check(
        "<script><!-- <script> x </script> --></script>",
        &["Classic <!-- <script> x </script> -->"],
    );
    check("<script><!-- a </script>b-->", &["Classic <!-- a "]);
    check("<script></script>", &["Classic "]);
    check("<script/>a</script>", &["Classic a"]);
    check("<script>\r\n\té\u{0}</script>", &["Classic \r\n\té\u{0}"]);
    // No end tag: the browser does not run it.
    check("<script>a</script><script>b", &["Classic a"]);
    check("<script>a</script", &[]);
    check("<script", &[]);
}

#[test]
fn what_is_text_holds_no_scripts() {
    check(
        "<!-- <script>a</script> --><script>b</script>",
        &["Classic b"],
    );
    check("<!--><script>a</script>-->", &["Classic a"]);
    check("<noscript><script>a</script><a onclick=b></noscript>", &[]);
    check("<textarea><script>a</script></textarea>", &[]);
    check("<title><script>a</script></title>", &[]);
    check("<style><script>a</script></style>", &[]);
    check("<iframe><script>a</script></iframe>", &[]);
    check("<plaintext><script>a</script>", &[]);
    check("<a title='<script>a</script>'>", &[]);
    // Outside foreign content CDATA is a comment up to the first `>`.
    check("<![CDATA[<script>a</script>]]>", &[]);
    check("<![CDATA[>]]<script>a</script>", &["Classic a"]);
    check("<svg><![CDATA[<script>a</script>]]></svg>", &[]);
}

#[test]
fn scripts_in_templates_are_marked() {
    check(
        "<template><script>a</script><template></template><script>b</script></template><script>c</script>",
        &["Classic template a", "Classic template b", "Classic c"],
    );
    check(
        "<div><template shadowrootmode=open><script>a</script></template></div>",
        &["Classic a"],
    );
}

#[test]
fn scripts_in_foreign_content_are_listed_as_such() {
    check(
        "<svg><script>a &lt; b</script></svg><script>c</script>",
        &["foreign Some(\"a &lt; b\") None", "Classic c"],
    );
    check(
        "<svg><script xlink:href=' a.js '/></svg>",
        &["foreign None Some(\"a.js\")"],
    );
    check(
        "<svg><foreignObject><script>a</script></foreignObject></svg>",
        &["Classic a"],
    );
    check("<svg/><script>a<b></script>", &["Classic a<b>"]);
    check("<MATH a='>' /><script>a<b></script>", &["Classic a<b>"]);
    check(
        "<svg/><svg><svg/><g onload=a /></svg><script>b<c></script>",
        &["g.onload None \"a\" = a", "Classic b<c>"],
    );
    check("<svg><p><script>a<b></script>", &["Classic a<b>"]);
    check("<math><script>a</script>", &["foreign Some(\"a\") None"]);
    check(
        "<svg><script onload=x>'<b onclick=a>'</script></svg><b onclick=c>",
        &[
            "foreign Some(\"'<b onclick=a>'\") None",
            "script.onload None \"x\" = x",
            "b.onclick None \"c\" = c",
        ],
    );
    // The browser leaves the open `<svg>` with the `</div>`; the tokenizer here does not know that, and the
    // script is listed as one that is not rewritten.
    check(
        "<div><svg></div><script>a<b></script>",
        &["foreign Some(\"a<b>\") None"],
    );
}

#[test]
fn external_scripts_and_preloads() {
    check(
        "<script src=' a&amp;b.js\n' type=module crossorigin integrity='sha256-x'></script>",
        &["Module src=a&b.js charset=None [\"integrity='sha256-x'\"]"],
    );
    check(
        "<script SRC=a.js/ CHARSET=\"Shift_JIS\" INTEGRITY=a integrity=\"b\">x</script>",
        &[
            "Classic src=a.js/ charset=Some(\"Shift_JIS\") [\"INTEGRITY=a\", \"integrity=\\\"b\\\"\"]",
        ],
    );
    check("<script src></script>", &["Classic src= charset=None []"]);
    check(
        "<script src=a.js integrity></script>",
        &["Classic src=a.js charset=None [\"integrity\"]"],
    );
    check(
        "<link rel='x ModulePreload' href=a.js integrity=b><link rel=preload as=SCRIPT href=c.js>\
         <link rel=preload as=style href=d.css><link rel=stylesheet integrity=e>",
        &[
            "preload Module a.js [\"integrity=b\"]",
            "preload Classic c.js []",
        ],
    );
}

#[test]
fn digests_become_such_as_no_browser_knows() {
    for (text, marked) in [
        (
            "<script integrity='a\n b' src=x></script>",
            "<script integrity='M-a\n M-b' src=x></script>",
        ),
        (
            "<script src=x INTEGRITY = a?x=y integrity=\"\"></script>",
            "<script src=x INTEGRITY = M-a?x=y integrity=\"\"></script>",
        ),
        (
            "<script integrity src=x></script>",
            "<script integrity src=x></script>",
        ),
    ] {
        let items = find_scripts(text);
        let HtmlScript::External(script) = &items[0] else {
            panic!("external")
        };
        let edits: Vec<TextEdit> = script
            .integrity
            .iter()
            .flat_map(|&whole| integrity_edits(text, whole, "M-"))
            .collect();
        assert_eq!(apply(text, &edits), marked);
    }
}

#[test]
fn event_handlers_as_they_are_written_and_read() {
    check(
        "<a onclick=\"f(&quot;x&quot;, '&#39;')\">",
        &["a.onclick Double \"f(&quot;x&quot;, '&#39;')\" = f(\"x\", ''')"],
    );
    check("<A ONCLICK='a'>", &["a.onclick Single \"a\" = a"]);
    check(
        "<a onclick=f('x')/>",
        &["a.onclick None \"f('x')/\" = f('x')/"],
    );
    check(
        "<a\nonclick\n=\n\"a\n;b\"\nonfocus=c>",
        &[
            "a.onclick Double \"a\\n;b\" = a\n;b",
            "a.onfocus None \"c\" = c",
        ],
    );
    check(
        "<a onclick=\"a\"onfocus='b'/onblur=c>",
        &[
            "a.onclick Double \"a\" = a",
            "a.onfocus Single \"b\" = b",
            "a.onblur None \"c\" = c",
        ],
    );
    check(
        "<a onclick='first' OnClick='second'>",
        &["a.onclick Single \"first\" = first"],
    );
    check(
        "<a onclick onfocus= onblur=\"\">",
        &["a.onfocus None \"onblur=\\\"\\\"\" = onblur=\"\""],
    );
    check("<a onclick=\"\">", &["a.onclick Double \"\" = "]);
    check("<a onclick=>", &[]);
    check(
        "<a / onclick=a / = onfocus=b>",
        &["a.onclick None \"a\" = a", "a.onfocus None \"b\" = b"],
    );
    check(
        "<a onclick=a&b&lt=c&ltd&lt;>",
        &["a.onclick None \"a&b&lt=c&ltd&lt;\" = a&b&lt=c&ltd<"],
    );
    check("<a on=a data-onclick=b xonclick=c></a onclick=d>", &[]);
    check("<custom-x onfoo=a>", &["custom-x.onfoo None \"a\" = a"]);
    check(
        "<svg><path onclick='a'/></svg>",
        &["path.onclick Single \"a\" = a"],
    );
    check("<a onclick='a", &[]);
    check(
        "<script src=x onload='a'></script>",
        &[
            "Classic src=x charset=None []",
            "script.onload Single \"a\" = a",
        ],
    );
    check(
        "<a onclick='\u{0}é'>",
        &["a.onclick Single \"\\0é\" = \u{FFFD}é"],
    );
}

#[test]
fn places_with_code_that_is_not_rewritten() {
    check(
        "<base href=/a/><base href=/b/><a href=' \tJava\nScript&colon;x()'>\
         <form action=javascript:a><button formaction=JAVASCRIPT:b></button></form>\
         <iframe src=javascript:c srcdoc='<script>d&lt;/script>'></iframe><a href=/javascript:>\
         <p srcdoc=x title=javascript:y>",
        &[
            "base /a/",
            "url a.href  \tJava\nScript:x()",
            "url form.action javascript:a",
            "url button.formaction JAVASCRIPT:b",
            "url iframe.src javascript:c",
            "srcdoc <script>d</script>",
        ],
    );
}

/// Start, end and replacement, in bytes of the decoded value.
type DecodedEdit<'a> = (usize, usize, &'a str);

/// Edits the only event handler of `text` and gives the document and what the browser then reads.
fn edit_handler(text: &str, edits: &[DecodedEdit<'_>]) -> (String, String) {
    let handler = |text: &str| {
        find_scripts(text)
            .into_iter()
            .find_map(|item| match item {
                HtmlScript::EventHandler(handler) => Some(handler.value),
                _ => None,
            })
            .expect("a handler")
    };
    let edits: Vec<TextEdit> = edits
        .iter()
        .map(|&(start, end, replacement)| TextEdit {
            span: ByteSpan {
                start: ByteOffset::from_index(start),
                end: ByteOffset::from_index(end),
            },
            replacement: replacement.to_owned(),
        })
        .collect();
    let raw_edits = handler(text).edits(text, &edits).expect("edits");
    let edited = apply(text, &raw_edits);
    let read = handler(&edited).decoded;
    (edited, read)
}

#[test]
fn edits_of_handlers_are_escaped_as_their_place_demands() {
    let cases: [(&str, &[DecodedEdit<'_>], &str, &str); 13] = [
        (
            "<a onclick=\"a=b\">",
            &[(2, 2, "h(\"x\",'y')&&")],
            "<a onclick=\"a=h(&quot;x&quot;,'y')&amp;&amp;b\">",
            "a=h(\"x\",'y')&&b",
        ),
        (
            "<a onclick='a=b'>",
            &[(2, 3, "'<c>'")],
            "<a onclick='a=&#39;<c>&#39;'>",
            "a='<c>'",
        ),
        (
            "<a onclick=a=b/>",
            &[(2, 2, "h( 'x')>")],
            "<a onclick=\"a=h( 'x')>b/\">",
            "a=h( 'x')>b/",
        ),
        (
            "<a onclick=a(\"x\") x>",
            &[(0, 0, "h('y',\"z\");")],
            "<a onclick='h(&#39;y&#39;,\"z\");a(\"x\")' x>",
            "h('y',\"z\");a(\"x\")",
        ),
        (
            "<a onclick=a(\"x\",'y')>",
            &[(0, 0, "h;"), (10, 10, ";z")],
            "<a onclick=\"h;a(&quot;x&quot;,'y');z\">",
            "h;a(\"x\",'y');z",
        ),
        (
            "<a onclick=\"a&amp;&amp;b\">",
            &[(3, 3, "h;"), (4, 4, "!")],
            "<a onclick=\"a&amp;&amp;h;b!\">",
            "a&&h;b!",
        ),
        (
            "<a onclick=\"a&&b\">",
            &[(3, 3, "lt;")],
            "<a onclick=\"a&&amp;lt;b\">",
            "a&&lt;b",
        ),
        (
            "<a onclick=\"a&lt=5\">",
            &[(4, 4, "(")],
            "<a onclick=\"a&amp;lt(=5\">",
            "a&lt(=5",
        ),
        (
            "<a onclick=\"a&lt 5\">",
            &[(2, 2, "h")],
            "<a onclick=\"a&lt;h 5\">",
            "a<h 5",
        ),
        (
            "<a onclick=\"a&#60\">",
            &[(2, 2, "5")],
            "<a onclick=\"a&#60;5\">",
            "a<5",
        ),
        (
            "<a onclick=\"a&x lt;\">",
            &[(2, 4, "")],
            "<a onclick=\"a&amp;lt;\">",
            "a&lt;",
        ),
        (
            "<a onclick=\"a&lt b\">",
            &[(1, 2, ">=")],
            "<a onclick=\"a>= b\">",
            "a>= b",
        ),
        (
            "<a onclick=\"\n a\n\">",
            &[(2, 2, "h();")],
            "<a onclick=\"\n h();a\n\">",
            "\n h();a\n",
        ),
    ];
    for (text, edits, edited, read) in cases {
        let expected = (edited.to_owned(), read.to_owned());
        assert_eq!(edit_handler(text, edits), expected, "{text}");
    }
    let unquoted = "<a onclick=a>";
    assert_eq!(edit_handler(unquoted, &[]).0, unquoted);
    assert_eq!(edit_handler(unquoted, &[(0, 0, "")]).0, unquoted);
}

#[test]
fn edits_that_cannot_be_made_are_errors() {
    let text = "<a onclick='&NotEqualTilde;é'>";
    let items = find_scripts(text);
    let HtmlScript::EventHandler(handler) = &items[0] else {
        panic!("a handler")
    };
    let value = &handler.value;
    let insertion = |at| TextEdit::insertion(ByteOffset(at), "x");
    for inside in [1, 3, 6, 8, 1000] {
        assert_eq!(
            value.edits(text, &[insertion(inside)]),
            Err(AttributeEditError::NotAPlace(ByteOffset(inside)))
        );
    }
    assert_eq!(
        value.edits(text, &[insertion(5), insertion(0)]),
        Err(AttributeEditError::OutOfOrder(ByteOffset(0)))
    );
    assert_eq!(
        value.edits("<a>", &[insertion(0)]),
        Err(AttributeEditError::OtherText)
    );
    assert_eq!(value.raw_offset(ByteOffset(0)), Some(value.raw.start));
    assert_eq!(value.raw_offset(ByteOffset(5)), Some(ByteOffset(27)));
    assert_eq!(value.raw_offset(ByteOffset(7)), Some(value.raw.end));
}

#[test]
fn apply_makes_edits_in_the_order_of_their_places() {
    let edit = |start, end, replacement: &str| TextEdit {
        span: ByteSpan {
            start: ByteOffset(start),
            end: ByteOffset(end),
        },
        replacement: replacement.to_owned(),
    };
    assert_eq!(
        apply(
            "abcé",
            &[
                edit(5, 5, "!"),
                edit(1, 2, "B"),
                edit(0, 0, "1"),
                edit(0, 0, "2")
            ]
        ),
        "12aBcé!"
    );
    // What does not fit is left out.
    assert_eq!(
        apply(
            "abcé",
            &[
                edit(0, 2, "x"),
                edit(1, 3, "y"),
                edit(4, 5, "z"),
                edit(9, 9, "w")
            ]
        ),
        "xcé"
    );
}

#[test]
fn hostile_documents_take_time_in_proportion_to_their_length() {
    // Each would take minutes if work were repeated for every part of it.
    let attributes: String = (0..50_000).map(|number| format!(" on{number}=x")).collect();
    assert_eq!(find_scripts(&format!("<a{attributes}>")).len(), 50_000);
    assert_eq!(find_scripts(&"<svg/>".repeat(100_000)).len(), 0);
    assert_eq!(find_scripts(&"<svg>".repeat(50_000)).len(), 0);
    assert_eq!(find_scripts(&"<template>".repeat(50_000)).len(), 0);
    assert_eq!(
        find_scripts(&"<script></script>".repeat(50_000)).len(),
        50_000
    );
    let value = "&am".repeat(100_000);
    assert_eq!(find_scripts(&format!("<a onclick='{value}'>")).len(), 1);
}
