//! Text encodings: any bytes are a text, and a changed text goes back in the same encoding, or not at all.

use js_analysis::text_encoding::{Resource, decode, encode, encoding_for_label};

use crate::choices;

/// The first byte chooses the kind of resource; the first line is the header and the element's charset.
pub fn encoding(input: &[u8]) {
    let (choice, rest) = choices(input);
    let end = rest.iter().position(|&byte| byte == b'\n');
    let (line, body) = match end {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (&rest[..0], rest),
    };
    let line = String::from_utf8_lossy(line);
    let (header, label) = line.split_once('|').unwrap_or((&line, ""));
    let header = (!header.is_empty()).then_some(header);
    let fallback = encoding_for_label(label).unwrap_or(encoding_rs::WINDOWS_1252);
    let resource = match choice & 3 {
        0 | 1 => Resource::Document,
        2 => Resource::ClassicScript { fallback },
        _ => Resource::ModuleScript,
    };
    let decoded = decode(body, header, resource);
    // Where the document declares its encoding itself, the declaration must not be changed.
    let inside = match resource {
        Resource::Document => decoded.text.clone(),
        _ => decoded.text.replace('a', "a$Qp=1,"),
    };
    for changed in [
        decoded.text.clone(),
        format!("{}/*$Qp1*/", decoded.text),
        inside,
    ] {
        let Ok(bytes) = encode(&decoded, &changed) else {
            continue;
        };
        let again = decode(&bytes, header, resource);
        assert_eq!(again.text, changed, "in {}", decoded.encoding.name());
        assert_eq!(again.encoding, decoded.encoding);
        assert_eq!(again.had_bom, decoded.had_bom);
    }
}
