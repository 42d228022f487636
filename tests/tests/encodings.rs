//! Documents and scripts in every encoding of characters and of contents: their strings stay what they are.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

/// Text in ISO-8859-1.
fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        })
        .collect()
}

const CODES: &str =
    "const codes = (text) => [...text].map((c) => c.codePointAt(0).toString(16)).join();";

#[test]
fn pages_and_scripts_in_other_encodings_keep_their_strings() {
    let body = |meta: &str| {
        format!(
            "<!doctype html>{meta}<title>Gr\u{fc}\u{df}e</title><script src=/say.js></script>\n\
<script>{CODES} say(document.characterSet, codes(document.title), codes('\u{e9}\u{ff}')); probe.value = \
'\u{e9}';</script>\n\
<script src=/same.js></script><script src=/utf8.js charset=utf-8></script><script src=/header.js></script>\n\
<script type=module src=/module.js></script>"
        )
    };
    let text = "say(codes('\u{e9}\u{ff}')); probe.value = '\u{e4}';\n";
    let others = [
        ("/utf8.js", Reply::new("text/javascript", text)),
        (
            "/header.js",
            Reply::new("text/javascript; charset=utf-8", format!("\u{feff}{text}")),
        ),
        (
            "/module.js",
            Reply::new(
                "text/javascript",
                "say(codes('\u{e9}\u{ff}')); probe.value = '\u{e6}'; done();\n",
            ),
        ),
    ];
    let mut little = vec![0xff, 0xfe];
    little.extend(utf16(&body(""), false));
    let mut big = vec![0xfe, 0xff];
    big.extend(utf16(&body(""), true));
    let mut marked = vec![0xef, 0xbb, 0xbf];
    marked.extend(body("<meta charset=latin1>").bytes());
    let cases = [
        (
            "by meta",
            Reply::new("text/html", latin1(&body("<meta charset=iso-8859-1>"))),
            latin1(text),
        ),
        (
            "by header",
            Reply::new(
                "text/html; charset=windows-1252",
                latin1(&body("<meta charset=utf-8>")),
            ),
            latin1(text),
        ),
        (
            "by no one",
            Reply::new("text/html", latin1(&body(""))),
            latin1(text),
        ),
        (
            "UTF-16LE",
            Reply::new("text/html", little),
            utf16(text, false),
        ),
        (
            "UTF-16BE",
            Reply::new("text/html; charset=latin1", big),
            utf16(text, true),
        ),
        (
            "a mark beats a meta",
            Reply::new("text/html", marked),
            text.as_bytes().to_vec(),
        ),
    ];
    for (name, document, same) in cases {
        let mut pages = vec![
            ("/", document),
            ("/same.js", Reply::new("text/javascript", same)),
        ];
        pages.extend(others.clone());
        let site = Site::new(&pages);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].ends_with("47,72,fc,df,65 e9,ff"), "{name}: {said}");
        assert_eq!(lines[1..], ["e9,ff", "e9,ff", "e9,ff", "e9,ff"], "{name}");
        assert_eq!(place(&answer), "found module.js:1:19", "{name}");
        assert_eq!(
            coverage(&answer),
            "6 of 6",
            "{name} {:#?}",
            blind_spots(&answer)
        );
    }
}

/// The text in a format's way to say "not compressed".
fn stored(coding: &str, text: &str) -> Vec<u8> {
    let data = text.as_bytes();
    let length = u16::try_from(data.len()).unwrap();
    let deflate = |out: &mut Vec<u8>| {
        out.push(1);
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(data);
    };
    let mut out = Vec::new();
    match coding {
        "gzip" => {
            out.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
            deflate(&mut out);
            let mut crc = u32::MAX;
            for &byte in data {
                crc ^= u32::from(byte);
                for _ in 0..8 {
                    crc = (crc >> 1) ^ (0xedb8_8320 & (0u32.wrapping_sub(crc & 1)));
                }
            }
            out.extend((!crc).to_le_bytes());
            out.extend(u32::from(length).to_le_bytes());
        }
        "deflate" => {
            out.extend([0x78, 0x01]);
            deflate(&mut out);
            let (mut a, mut b) = (1u32, 0u32);
            for &byte in data {
                a = (a + u32::from(byte)) % 65521;
                b = (b + a) % 65521;
            }
            out.extend(((b << 16) | a).to_be_bytes());
        }
        "br" => {
            let header = ((u32::from(length) - 1) << 4) | (1 << 20);
            out.extend(&header.to_le_bytes()[..3]);
            out.extend(data);
            out.push(3);
        }
        "zstd" => {
            // One segment whose size takes two bytes, one last raw block.
            out.extend([0x28, 0xb5, 0x2f, 0xfd, 0x60]);
            out.extend((length - 256).to_le_bytes());
            out.extend(&((u32::from(length) << 3) | 1).to_le_bytes()[..3]);
            out.extend(data);
        }
        other => panic!("{other}"),
    }
    out
}

#[test]
fn compressed_responses() {
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let padding = " ".repeat(300);
        let document = format!(
            "<!doctype html><meta charset=utf-8><script src=/say.js></script>\n<script \
             src=/packed.js></script>{padding}"
        );
        let packed = format!("probe.value = 'packed'; say(probe.value); done();{padding}");
        let site = Site::new(&[
            (
                "/",
                Reply::new("text/html", stored(coding, &document))
                    .header("Content-Encoding", coding),
            ),
            (
                "/packed.js",
                Reply::new("text/javascript", stored(coding, &packed))
                    .header("Content-Encoding", coding),
            ),
        ]);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        assert_eq!(said, "packed", "{coding}");
        assert_eq!(place(&answer), "found packed.js:1:1", "{coding}");
        assert_eq!(coverage(&answer), "2 of 2", "{coding}");
    }
}
