//! Finds the charset that a document declares in its own bytes, before it is decoded: the HTML
//! standard's "prescan a byte stream to determine its encoding".
//!
//! Bounded as Chromium bounds it: the first 1024 bytes in any case, and beyond them as long as only
//! elements that belong in the head have been seen.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The bytes that are looked at whatever they hold.
const ALWAYS_SCANNED_BYTES: usize = 1024;

/// Elements that do not end the head.
const HEAD_ELEMENTS: [&str; 10] = [
    "base", "head", "html", "link", "meta", "noscript", "object", "script", "style", "title",
];

/// The encoding that a document declares by `<meta charset>`, `<meta http-equiv=content-type>` or an XML
/// declaration; `None` if it declares none that exists.
#[must_use]
pub fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let mut scanner = Scanner { bytes, at: 0 };
    scanner
        .meta_encoding()
        .or_else(|| xml_encoding(bytes.get(..ALWAYS_SCANNED_BYTES).unwrap_or(bytes)))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn meta_encoding(&mut self) -> Option<&'static Encoding> {
        let mut in_head = true;
        // Where the text of the current script or style ends. The standard looks for tags in there too, but
        // only in the first bytes; Chromium's tokenizer, which goes on, does not.
        let mut raw_text_end = 0;
        while self.at < self.bytes.len() && (in_head || self.at < ALWAYS_SCANNED_BYTES) {
            if (ALWAYS_SCANNED_BYTES..raw_text_end).contains(&self.at) {
                self.at = raw_text_end;
                continue;
            }
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The two dashes of the opening may be those of the closing: `<!-->` is a comment.
                self.at += 2;
                self.skip_past(b"-->");
            } else if is_meta(rest) {
                self.at += 5;
                if let Some(encoding) = self.encoding_of_meta() {
                    return Some(encoding);
                }
            } else if let Some(name) = tag_name(rest) {
                let is_end = rest.get(1) == Some(&b'/');
                in_head &= self.at < raw_text_end
                    || HEAD_ELEMENTS.contains(&name.as_str())
                        && !(is_end && (name == "head" || name == "html"));
                self.at += 1 + usize::from(is_end) + name.len();
                while !matches!(self.peek(), None | Some(b'>')) && !self.peek_is_space() {
                    self.at += 1;
                }
                while self.attribute().is_some() {}
                if !is_end && self.at >= raw_text_end {
                    raw_text_end = self.raw_text_end(&name);
                }
            } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?")
            {
                self.skip_past(b">");
            } else {
                self.at += 1;
            }
        }
        None
    }

    fn skip_past(&mut self, pattern: &[u8]) {
        self.at = find(&self.bytes[self.at..], pattern)
            .map_or(self.bytes.len(), |found| self.at + found + pattern.len());
    }

    /// Where the text ends that begins here and follows a start tag of that name.
    fn raw_text_end(&self, name: &str) -> usize {
        if !matches!(name, "script" | "style" | "title" | "noscript") {
            return self.at;
        }
        let mut end = self.at;
        while let Some(found) = find(&self.bytes[end..], b"</") {
            end += found;
            if tag_name(&self.bytes[end..]).as_deref() == Some(name) {
                return end;
            }
            end += 2;
        }
        self.bytes.len()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_is_space(&self) -> bool {
        self.peek().is_some_and(is_space)
    }

    /// The encoding of the `meta` element whose name was just passed.
    fn encoding_of_meta(&mut self) -> Option<&'static Encoding> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut need_pragma = None;
        let mut charset = None;
        while let Some((name, value)) = self.attribute() {
            // Only the first of duplicates counts, and only these three matter.
            let matters = matches!(name.as_slice(), b"http-equiv" | b"content" | b"charset");
            if !matters || seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(encoding) = encoding_of_content(&value) {
                        charset = Some(encoding);
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Encoding::for_label(&value);
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        if need_pragma? && !got_pragma {
            return None;
        }
        charset.map(as_declared_in_ascii)
    }

    /// The next attribute of the current tag, lower-cased; `None` and past the `>` at the tag's end.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        while self.peek_is_space() || self.peek() == Some(b'/') {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            self.at += 1;
            return None;
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                b'/' | b'>' => return Some((name, Vec::new())),
                byte if is_space(byte) => {
                    self.skip_spaces();
                    if self.peek()? != b'=' {
                        return Some((name, Vec::new()));
                    }
                    break;
                }
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        // At the equals sign.
        self.at += 1;
        self.skip_spaces();
        let mut value = Vec::new();
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                while self.peek()? != quote {
                    value.push(self.peek()?.to_ascii_lowercase());
                    self.at += 1;
                }
                self.at += 1;
            }
            _ => {
                while !self.peek_is_space() && self.peek()? != b'>' {
                    value.push(self.peek()?.to_ascii_lowercase());
                    self.at += 1;
                }
            }
        }
        Some((name, value))
    }

    fn skip_spaces(&mut self) {
        while self.peek_is_space() {
            self.at += 1;
        }
    }
}

/// "Extracting a character encoding from a meta element".
fn encoding_of_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        rest = &rest[find(rest, b"charset")? + b"charset".len()..];
        rest = rest.trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    let label = match rest.first()? {
        quote @ (b'"' | b'\'') => {
            let inside = &rest[1..];
            &inside[..inside.iter().position(|byte| byte == quote)?]
        }
        _ => {
            let end = rest
                .iter()
                .position(|&byte| is_space(byte) || byte == b';')
                .unwrap_or(rest.len());
            &rest[..end]
        }
    };
    Encoding::for_label(label)
}

/// The encoding of `<?xml … encoding="…"?>` at the very start.
fn xml_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &bytes[..find(bytes, b">")?];
    let rest = &declaration[find(declaration, b"encoding")? + b"encoding".len()..];
    let skip_controls = |bytes: &[u8]| bytes.iter().take_while(|&&byte| byte <= 0x20).count();
    let rest = &rest[skip_controls(rest)..];
    let rest = rest.strip_prefix(b"=")?;
    let rest = &rest[skip_controls(rest)..];
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let inside = &rest[1..];
    let label = &inside[..inside.iter().position(|&byte| byte == quote)?];
    if label.iter().any(|&byte| byte <= 0x20) {
        return None;
    }
    Encoding::for_label(label).map(as_declared_in_ascii)
}

/// What a label means that could be read as ASCII: the text is then not UTF-16.
fn as_declared_in_ascii(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn is_meta(bytes: &[u8]) -> bool {
    bytes.len() > 5
        && bytes[..5].eq_ignore_ascii_case(b"<meta")
        && (is_space(bytes[5]) || bytes[5] == b'/')
}

/// The lower-case letters that begin the name of a start or end tag at the start of `bytes`.
fn tag_name(bytes: &[u8]) -> Option<String> {
    let rest = bytes.strip_prefix(b"<")?;
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    let name: String = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    (!name.is_empty()).then_some(name)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}
