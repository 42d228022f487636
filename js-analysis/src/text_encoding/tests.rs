//! Charsets, round trips and what cannot be written back.

use super::*;
use encoding_rs::{BIG5, EUC_JP, GBK, ISO_2022_JP, KOI8_R, SHIFT_JIS, WINDOWS_1251};
use proptest::prelude::*;

fn document(bytes: &[u8], content_type: Option<&str>) -> DecodedText {
    decode(bytes, content_type, Resource::Document)
}

/// Decodes, checks the text, and checks that encoding it again gives the same bytes.
#[track_caller]
fn check_round_trip(
    bytes: &[u8],
    content_type: Option<&str>,
    resource: Resource,
    encoding: &'static Encoding,
    text: &str,
) {
    let decoded = decode(bytes, content_type, resource);
    assert_eq!(decoded.encoding, encoding);
    assert_eq!(decoded.text, text);
    assert!(decoded.lossless);
    assert_eq!(encode(&decoded, &decoded.text), Ok(bytes.to_vec()));
}

#[test]
fn latin_1_and_undeclared_documents_are_windows_1252() {
    let bytes = b"<p>caf\xE9 \x80";
    for content_type in [
        None,
        Some("text/html"),
        Some("text/html; charset=ISO-8859-1"),
    ] {
        check_round_trip(
            bytes,
            content_type,
            Resource::Document,
            WINDOWS_1252,
            "<p>café €",
        );
    }
}

#[test]
fn every_byte_survives_windows_1252() {
    let bytes: Vec<u8> = (0..=255).collect();
    let decoded = document(&bytes, Some("text/html;charset=windows-1252"));
    assert!(decoded.lossless);
    assert_eq!(encode(&decoded, &decoded.text), Ok(bytes));
}

#[test]
fn utf_16_with_and_without_byte_order_mark() {
    check_round_trip(
        b"\xFF\xFEa\0=\xD8\0\xDE",
        Some("text/html; charset=utf-8"),
        Resource::Document,
        UTF_16LE,
        "a😀",
    );
    check_round_trip(
        b"\xFE\xFF\0a\x20\xAC",
        None,
        Resource::ClassicScript { fallback: UTF_8 },
        UTF_16BE,
        "a€",
    );
    check_round_trip(
        b"a\0\xE9\0",
        Some("text/javascript; charset=UTF-16"),
        Resource::ClassicScript { fallback: UTF_8 },
        UTF_16LE,
        "aé",
    );
}

#[test]
fn a_utf_8_byte_order_mark_beats_the_header_and_stays() {
    let bytes = b"\xEF\xBB\xBFlet \xC3\xA9";
    let decoded = document(bytes, Some("text/html; charset=shift_jis"));
    assert_eq!((decoded.encoding, decoded.had_bom), (UTF_8, true));
    assert_eq!(decoded.text, "let é");
    assert_eq!(
        encode(&decoded, "x;let é"),
        Ok(b"\xEF\xBB\xBFx;let \xC3\xA9".to_vec())
    );
}

#[test]
fn modules_are_utf_8_whatever_is_said() {
    let decoded = decode(
        b"\xFF\xFEa",
        Some("text/javascript; charset=utf-16"),
        Resource::ModuleScript,
    );
    assert_eq!(decoded.encoding, UTF_8);
    assert_eq!(decoded.text, "\u{FFFD}\u{FFFD}a");
    check_round_trip(
        b"\xEF\xBB\xBF\xC3\xA9",
        Some("text/javascript; charset=latin1"),
        Resource::ModuleScript,
        UTF_8,
        "é",
    );
}

#[test]
fn a_classic_script_falls_back_to_its_document() {
    let resource = Resource::ClassicScript {
        fallback: SHIFT_JIS,
    };
    check_round_trip(b"'\x93\xFA\x96{'", None, resource, SHIFT_JIS, "'日本'");
    // A `meta` in a script is not a declaration.
    let source = b"'<meta charset=koi8-r>'\xD8";
    assert_eq!(decode(source, None, resource).encoding, SHIFT_JIS);
    let header = Some("text/javascript; charset=nonsense");
    assert_eq!(decode(b"x", header, resource).encoding, SHIFT_JIS);
    let header = Some("text/javascript; charset=koi8-r");
    assert_eq!(decode(b"x", header, resource).encoding, KOI8_R);
}

#[test]
fn the_header_overrides_meta() {
    let bytes = b"<meta charset=koi8-r>\xE9";
    assert_eq!(document(bytes, None).encoding, KOI8_R);
    let header = Some("text/html; charset=windows-1251");
    assert_eq!(document(bytes, header).encoding, WINDOWS_1251);
}

#[test]
fn charset_parameters_of_headers() {
    let cases = [
        ("text/html; charset=\"Shift_JIS\"", Some(SHIFT_JIS)),
        ("TEXT/HTML;CHARSET=SHIFT_JIS", Some(SHIFT_JIS)),
        ("text/html;version=1; charset=sjis ; x=y", Some(SHIFT_JIS)),
        ("text/html; charset=\"sh\\ift_jis\"", Some(SHIFT_JIS)),
        (
            "text/html; a=\";charset=gbk\"; charset=sjis",
            Some(SHIFT_JIS),
        ),
        ("text/html; charset=gbk; charset=sjis", Some(GBK)),
        ("text/html;charset=gbk, text/html", Some(GBK)),
        ("text/html;charset=gbk, text/plain", None),
        ("text/html; charset='gbk'", None),
        ("text/html; charset =gbk", None),
        ("; charset=gbk", None),
        ("text/html", None),
        ("", None),
    ];
    for (header, expected) in cases {
        assert_eq!(charset_of_content_type(header), expected, "{header}");
    }
}

#[test]
fn declarations_in_the_document() {
    let filler = "x".repeat(2000);
    let cases: Vec<(String, Option<&'static Encoding>)> = vec![
        ("<META CharSet='GBK'>".into(), Some(GBK)),
        ("<meta/charset=gbk/>".into(), None),
        ("<meta charset = \"gbk\" />".into(), Some(GBK)),
        (
            "<meta content='text/html; charset=gbk' http-equiv=Content-Type>".into(),
            Some(GBK),
        ),
        ("<meta content='text/html; charset=gbk'>".into(), None),
        (
            "<meta http-equiv=content-type content='charset charset=\"gbk\"'>".into(),
            Some(GBK),
        ),
        ("<meta charset=x><meta charset=gbk>".into(), Some(GBK)),
        ("<meta charset=utf-16le>".into(), Some(UTF_8)),
        ("<meta charset=x-user-defined>".into(), Some(WINDOWS_1252)),
        ("<!-- <meta charset=gbk> -->".into(), None),
        ("<!--><meta charset=gbk>".into(), Some(GBK)),
        ("<a title='<meta charset=gbk>'>".into(), None),
        ("<metacharset=gbk><metal charset=gbk>".into(), None),
        ("<?xml version='1.0' encoding='gbk'?><p>".into(), Some(GBK)),
        (
            "<?xml encoding='gbk'?><meta charset=koi8-r>".into(),
            Some(KOI8_R),
        ),
        ("<meta charset=gbk".into(), None),
        // Far down, but still in the head: as Chromium looks for it.
        (
            format!("<html><head><script>'<b>{filler}'</script><meta charset=gbk>"),
            Some(GBK),
        ),
        (format!("<head></head>{filler}<meta charset=gbk>"), None),
        (format!("<p>{filler}<meta charset=gbk>"), None),
    ];
    for (html, expected) in cases {
        assert_eq!(declared_encoding(html.as_bytes()), expected, "{html}");
    }
}

#[test]
fn inserted_ascii_fits_every_legacy_encoding() {
    let cases: [(&str, &[u8]); 4] = [
        ("shift_jis", b"/* \x93\xFA */"),
        ("euc-jp", b"/* \xC6\xFC */"),
        ("gb18030", b"/* \x95\x32\x82\x36 */"),
        ("iso-2022-jp", b"/* \x1B$BF|\x1B(B */"),
    ];
    for (label, bytes) in cases {
        let header = format!("text/javascript; charset={label}");
        let resource = Resource::ClassicScript { fallback: UTF_8 };
        let decoded = decode(bytes, Some(&header), resource);
        assert!(decoded.lossless, "{label}");
        let changed = format!("hook();{}hook()", decoded.text);
        let encoded = encode(&decoded, &changed).expect("fits");
        assert_eq!(decode(&encoded, Some(&header), resource).text, changed);
    }
}

#[test]
fn malformed_input_stays_malformed_and_never_becomes_another_text() {
    for (label, bytes) in [
        ("utf-8", &b"a\xFFb\xC3"[..]),
        ("shift_jis", b"a\xFDb\x81"),
        ("euc-kr", b"a\xFFb\xFF<"),
        ("windows-1253", b"a\xAAb"),
        ("utf-16le", b"a\0\0\xD8b\0c"),
    ] {
        let header = format!("text/html; charset={label}");
        let decoded = document(bytes, Some(&header));
        assert!(!decoded.lossless, "{label}");
        let encoded = encode(&decoded, &decoded.text).expect("fits");
        assert_eq!(document(&encoded, Some(&header)).text, decoded.text);
    }
}

#[test]
fn what_the_encoding_cannot_write_is_an_error() {
    // A character of the Hong Kong supplement: Big5 reads it but does not write it.
    let decoded = document(b"ab\x87\x40", Some("text/html; charset=big5"));
    assert_eq!(decoded.encoding, BIG5);
    assert!(decoded.lossless);
    assert_eq!(
        encode(&decoded, &decoded.text),
        Err(EncodeError::NotRepresentable {
            encoding: "Big5",
            offset: 2
        })
    );
    for encoding in [EUC_JP, ISO_2022_JP] {
        let original = DecodedText {
            text: String::new(),
            encoding,
            had_bom: false,
            lossless: true,
        };
        assert!(encode(&original, "x = '😀'").is_err());
    }
}

proptest! {
    #[test]
    fn decoding_and_encoding_agree_on_any_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        label in proptest::sample::select(vec![
            "utf-8", "utf-16le", "utf-16be", "windows-1252", "shift_jis", "euc-jp", "gb18030", "gbk",
            "big5", "euc-kr", "iso-2022-jp", "koi8-r", "x-user-defined", "iso-8859-8", "hz-gb-2312",
        ]),
    ) {
        let header = format!("text/html; charset={label}");
        let decoded = document(&bytes, Some(&header));
        if let Ok(encoded) = encode(&decoded, &decoded.text) {
            prop_assert_eq!(document(&encoded, Some(&header)).text, decoded.text);
        }
    }

    #[test]
    fn prescan_never_panics(html in "[<>!/?=\"' a-z-]{0,80}(<meta|<!--|charset|content|http-equiv|=|>|\"){0,12}") {
        let _ = declared_encoding(html.as_bytes());
    }
}
