//! What holds for any text: spans inside it, and edits of a handler that are what the browser then reads.

use super::*;
use crate::position::ByteOffset;
use proptest::prelude::*;

fn slice(text: &str, span: ByteSpan) -> &str {
    &text[span.start.index()..span.end.index()]
}

/// Pieces of HTML, put together in any order.
fn html_like() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "<script",
        "</script",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<svg>",
        "</svg>",
        "<svg/>",
        "<math>",
        "</math>",
        "<template>",
        "</template>",
        "<noscript>",
        "</noscript>",
        "<p>",
        "</p>",
        "<foreignObject>",
        "</foreignObject>",
        "<mi>",
        "<annotation-xml encoding=text/html>",
        "</annotation-xml>",
        "<title>",
        "</title>",
        "<textarea>",
        "<plaintext>",
        "<br>",
        "<font color=x>",
        "<a onclick=",
        "<base href=",
        "<link rel=modulepreload integrity=",
        " onload=",
        " src=",
        " type=module",
        " integrity=",
        "\"",
        "'",
        "=",
        ">",
        "/",
        "/>",
        " ",
        "\n",
        "\r\n",
        "&amp;",
        "&lt",
        "&#39",
        ";",
        "&",
        "x",
        "é",
        "😀",
        "\0",
        "<",
        "]]>",
        "<![CDATA[",
        "javascript:",
        "<?",
        "<!",
        "<select>",
        "</select>",
        "<table>",
        "<frameset>",
        "<iframe srcdoc=",
    ]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn check_spans(text: &str) {
    let inside = |span: ByteSpan| {
        assert!(
            text.get(span.start.index()..span.end.index()).is_some(),
            "{span:?} of {text:?}"
        );
    };
    let mut last_tag = 0;
    for item in find_scripts(text) {
        match item {
            HtmlScript::Inline(script) => {
                inside(script.content);
                assert!(slice(text, script.start_tag).ends_with('>'));
                assert!(script.start_tag.start.0 >= last_tag);
                last_tag = script.start_tag.start.0;
                let end_tag = &text.as_bytes()[script.content.end.index()..];
                assert!(end_tag[..8].eq_ignore_ascii_case(b"</script"), "{text:?}");
            }
            HtmlScript::External(script) => {
                inside(script.start_tag);
                script.integrity.into_iter().for_each(inside);
            }
            HtmlScript::Preload(link) => link.integrity.into_iter().for_each(inside),
            HtmlScript::EventHandler(handler) => inside(handler.value.raw),
            HtmlScript::JavaScriptUrl(other)
            | HtmlScript::Srcdoc(other)
            | HtmlScript::BaseHref(other) => inside(other.value.raw),
            HtmlScript::Foreign(script) => {
                inside(script.start_tag);
                script.content.into_iter().for_each(inside);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_has_spans_inside_it(text in any::<String>()) {
        check_spans(&text);
    }

    #[test]
    fn html_like_text_has_spans_inside_it(text in html_like()) {
        check_spans(&text);
    }

    #[test]
    fn edits_of_a_handler_are_what_the_browser_reads(
        quote in proptest::sample::select(vec!["\"", "'", ""]),
        value in "(&|&amp;|&lt|&lt;|&#60|&#x3C;|&am|lt|=|;|#|[a-c1]|é|['\"]){1,12}",
        cuts in proptest::collection::vec((any::<u8>(), "(|[a-z&;=#1'\"<> ]{1,4})"), 0..4),
    ) {
        let value = if quote.is_empty() {
            format!("x{value}")
        } else {
            value.replace(quote, "")
        };
        let text = format!("<a onclick={quote}{value}{quote} id=z>");
        let read = |text: &str| match find_scripts(text).into_iter().next() {
            Some(HtmlScript::EventHandler(handler)) => handler.value,
            other => panic!("{other:?}"),
        };
        let handler = read(&text);
        // Boundaries of the decoded text, in order, used in pairs.
        let mut places: Vec<(usize, &str)> = cuts
            .iter()
            .map(|(place, replacement)| {
                let place = usize::from(*place) % (handler.decoded.len() + 1);
                (handler.decoded.floor_char_boundary(place), replacement.as_str())
            })
            .collect();
        places.sort();
        let edits: Vec<TextEdit> = places
            .chunks(2)
            .map(|pair| TextEdit {
                span: ByteSpan {
                    start: ByteOffset::from_index(pair[0].0),
                    end: ByteOffset::from_index(pair[pair.len() - 1].0),
                },
                replacement: pair[0].1.to_owned(),
            })
            .collect();
        let expected = apply(&handler.decoded, &edits);
        let raw_edits = handler.edits(&text, &edits).expect("places are boundaries");
        for pair in raw_edits.windows(2) {
            prop_assert!(pair[0].span.end < pair[1].span.start);
        }
        let edited = apply(&text, &raw_edits);
        prop_assert!(edited.ends_with(" id=z>"));
        // A value that has become empty and has no quotes cannot be: quotes were added.
        prop_assert_eq!(read(&edited).decoded, expected, "{}", edited);
    }
}
