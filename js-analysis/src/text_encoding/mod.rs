//! Which charset a response is in, how to decode it, and how to encode the changed text again.
//!
//! A rewritten response goes back to the browser in the encoding it came in, so that
//! `document.characterSet`, form submission and the page's own `charset` declarations stay what they
//! were. The rules are those of the HTML standard ("determining the character encoding", "fetch a classic
//! script", "fetch a module script").
//!
//! Invariants:
//! - [`encode`] either gives bytes that decode, by the same rules, to exactly the new text, or an
//!   error; it never puts a question mark or a character reference where a character was.
//! - Where decoding was lossy ([`DecodedText::lossless`] is false) the text holds U+FFFD for what was
//!   malformed. Encoding writes a malformed byte (or U+FFFD itself, in the Unicode encodings) back for
//!   each, so the browser sees the same U+FFFD; the malformed bytes themselves may differ.
//! - A document without any declaration counts as windows-1252, in which every byte is a character: should
//!   the browser guess another encoding from the content, it still finds the page's own bytes.

mod content_type;
mod prescan;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use thiserror::Error;

pub use content_type::charset_of_content_type;
pub use prescan::declared_encoding;

/// What kind of resource a response is; decides which declarations of its charset count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// An HTML document: byte order mark, then header, then `<meta>`, then windows-1252.
    Document,
    /// A classic script: byte order mark, then header, then `fallback`.
    ClassicScript {
        /// The encoding of the `charset` attribute of the script element if it has a valid one,
        /// otherwise that of the document.
        fallback: &'static Encoding,
    },
    /// A module script: always UTF-8, whatever the header says.
    ModuleScript,
}

/// A response's text and what is needed to encode a changed text the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    /// The text, without byte order mark.
    pub text: String,
    /// The encoding it was in. Its name is what `document.characterSet` says.
    pub encoding: &'static Encoding,
    /// Whether the bytes began with a byte order mark of that encoding.
    pub had_bom: bool,
    /// Whether every byte was part of a well-formed sequence. If not, the text holds U+FFFD there.
    pub lossless: bool,
}

/// Why a changed text cannot be sent in the encoding of the original.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The encoding can be read but has no bytes for a character that the text holds (Big5 and EUC-JP
    /// have such characters), or reads its own bytes back as another character.
    #[error(
        "the text cannot be written in {encoding} without changing it at byte {offset} of the text; send the original \
         response"
    )]
    NotRepresentable {
        /// Name of the encoding.
        encoding: &'static str,
        /// First byte of the new text that would come back differently.
        offset: usize,
    },
}

/// Decodes a response body.
///
/// `content_type` is the value of the `Content-Type` header, as sent, if there was one; several headers
/// are joined by commas.
#[must_use]
pub fn decode(bytes: &[u8], content_type: Option<&str>, resource: Resource) -> DecodedText {
    let (encoding, bom_length) = encoding_of(bytes, content_type, resource);
    let (text, malformed) =
        encoding.decode_without_bom_handling(bytes.get(bom_length..).unwrap_or_default());
    DecodedText {
        text: text.into_owned(),
        encoding,
        had_bom: bom_length > 0,
        lossless: !malformed,
    }
}

/// The encoding named by a label, as in a `charset` attribute; `None` if no such encoding exists.
#[must_use]
pub fn encoding_for_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes())
}

/// Encodes `new_text` as `original` was encoded, with a byte order mark if `original` had one.
///
/// # Errors
/// [`EncodeError::NotRepresentable`] if the bytes would not decode to `new_text` again; then the original
/// response should be sent unchanged.
pub fn encode(original: &DecodedText, new_text: &str) -> Result<Vec<u8>, EncodeError> {
    let encoding = original.encoding;
    let mut bytes = Vec::with_capacity(new_text.len() + 3);
    if encoding == UTF_8 {
        if original.had_bom {
            bytes.extend_from_slice(b"\xEF\xBB\xBF");
        }
        bytes.extend_from_slice(new_text.as_bytes());
        return Ok(bytes);
    }
    if encoding == UTF_16LE || encoding == UTF_16BE {
        let to_bytes = if encoding == UTF_16LE {
            u16::to_le_bytes
        } else {
            u16::to_be_bytes
        };
        let bom = original.had_bom.then_some(0xFEFF);
        for unit in bom.into_iter().chain(new_text.encode_utf16()) {
            bytes.extend_from_slice(&to_bytes(unit));
        }
        return Ok(bytes);
    }
    encode_legacy(encoding, new_text)
}

/// The encoding by the standard's rules and the length of the byte order mark.
fn encoding_of(
    bytes: &[u8],
    content_type: Option<&str>,
    resource: Resource,
) -> (&'static Encoding, usize) {
    if resource == Resource::ModuleScript {
        let bom = if bytes.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        return (UTF_8, bom);
    }
    if let Some(found) = Encoding::for_bom(bytes) {
        return found;
    }
    let declared = content_type.and_then(charset_of_content_type);
    let encoding = match resource {
        Resource::Document => declared
            .or_else(|| declared_encoding(bytes))
            .unwrap_or(WINDOWS_1252),
        Resource::ClassicScript { fallback } => declared.unwrap_or(fallback),
        Resource::ModuleScript => UTF_8,
    };
    (encoding, 0)
}

/// Encodes in an encoding that is not a Unicode one, and checks that decoding gives the text back.
fn encode_legacy(encoding: &'static Encoding, text: &str) -> Result<Vec<u8>, EncodeError> {
    let malformed_byte = text
        .contains('\u{FFFD}')
        .then(|| lone_malformed_byte(encoding))
        .flatten();
    let mut bytes = Vec::with_capacity(text.len());
    let mut offset = 0;
    for (index, part) in text.split('\u{FFFD}').enumerate() {
        if index > 0 {
            match malformed_byte {
                Some(byte) => bytes.push(byte),
                None => {
                    return Err(EncodeError::NotRepresentable {
                        encoding: encoding.name(),
                        offset,
                    });
                }
            }
            offset += '\u{FFFD}'.len_utf8();
        }
        let (encoded, _, _) = encoding.encode(part);
        bytes.extend_from_slice(&encoded);
        offset += part.len();
    }
    let (again, _) = encoding.decode_without_bom_handling(&bytes);
    if again == text {
        return Ok(bytes);
    }
    let same = again
        .bytes()
        .zip(text.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    Err(EncodeError::NotRepresentable {
        encoding: encoding.name(),
        offset: text.floor_char_boundary(same),
    })
}

/// A byte that is malformed on its own and takes nothing of what follows with it.
fn lone_malformed_byte(encoding: &'static Encoding) -> Option<u8> {
    (0x80..=0xFF).find(|&byte| {
        let sample = [byte, b'a', b'<'];
        let (decoded, malformed) = encoding.decode_without_bom_handling(&sample);
        malformed && decoded == "\u{FFFD}a<"
    })
}

#[cfg(test)]
mod tests;
