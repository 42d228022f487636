//! Reads the JSON of a source map: version 3, plain or indexed.
//!
//! The mappings are decoded here, not by the `sourcemap` crate: that takes characters outside base64 for
//! digits and lets numbers wrap around, so a broken map would give wrong places instead of an error.

use super::{Mapping, NONE, Source, SourceMap, SourceMapError};
use crate::position::Utf16Position;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

/// The longest JSON that is read.
const MAX_JSON_BYTES: usize = 256 << 20;
/// The most mappings that are read, over all sections.
const MAX_MAPPINGS: usize = 16 << 20;
/// The largest line, column or index: what a 32-bit signed number holds, as ECMA-426 says.
const MAX_VALUE: i64 = i32::MAX as i64;

/// A source map as its JSON has it. Unknown members are skipped.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMap {
    source_root: Option<String>,
    sources: Option<Vec<Option<String>>>,
    sources_content: Option<Vec<Option<String>>>,
    /// Some tools write numbers here.
    names: Option<Vec<Value>>,
    mappings: Option<String>,
    #[serde(alias = "x_google_ignoreList")]
    ignore_list: Option<Vec<u32>>,
    sections: Option<Vec<RawSection>>,
}

#[derive(Deserialize)]
struct RawSection {
    offset: RawOffset,
    map: Option<Box<RawMap>>,
}

#[derive(Deserialize)]
struct RawOffset {
    line: u32,
    column: u32,
}

pub(super) fn decode(json: &str, base_url: Option<&str>) -> Result<SourceMap, SourceMapError> {
    if json.len() > MAX_JSON_BYTES {
        return Err(SourceMapError::TooLarge {
            what: "bytes of JSON",
            limit: MAX_JSON_BYTES,
        });
    }
    let raw: RawMap = serde_json::from_str(without_guard(json))
        .map_err(|error| SourceMapError::NotJson(error.to_string()))?;
    let base_url = base_url.and_then(|url| Url::parse(url).ok());
    let mut map = SourceMap::default();
    match raw.sections {
        Some(sections) => add_sections(&mut map, sections, base_url.as_ref())?,
        None => {
            let start = Utf16Position::default();
            add_map(&mut map, raw, start, None, base_url.as_ref())?;
        }
    }
    // Stable: of several mappings at one place the last one written counts.
    map.mappings.sort_by_key(|mapping| mapping.generated);
    Ok(map)
}

/// The JSON without byte order mark and without the line that keeps it from being run as a script.
fn without_guard(json: &str) -> &str {
    let json = json.trim_start_matches('\u{FEFF}');
    if !json.starts_with(")]}") {
        return json;
    }
    json.find(['\n', '\r'])
        .map_or("", |line_end| &json[line_end..])
}

fn add_sections(
    map: &mut SourceMap,
    sections: Vec<RawSection>,
    base_url: Option<&Url>,
) -> Result<(), SourceMapError> {
    let bad = |section, problem| Err(SourceMapError::BadSection { section, problem });
    let starts: Vec<Utf16Position> = sections
        .iter()
        .map(|section| Utf16Position {
            line: section.offset.line,
            column: section.offset.column,
        })
        .collect();
    for (index, section) in sections.into_iter().enumerate() {
        let start = starts[index];
        let end = starts.get(index + 1).copied();
        if end.is_some_and(|end| end < start) {
            return bad(index + 1, "begins before the one in front of it");
        }
        if i64::from(start.line.max(start.column)) > MAX_VALUE {
            return bad(index, "begins beyond the last possible place");
        }
        let Some(section_map) = section.map else {
            return bad(
                index,
                "has no map of its own (maps by URL are not followed)",
            );
        };
        if section_map.sections.is_some() {
            return bad(index, "has sections itself");
        }
        add_map(map, *section_map, start, end, base_url)?;
    }
    Ok(())
}

/// Whether a source is a bundler's own, by the names that they give them: Rollup and Vite begin those of modules that
/// are no files with a zero character, webpack has names in its own scheme.
fn is_of_bundler(source: &str) -> bool {
    const OF_WEBPACK: [&str; 3] = [
        "/webpack/runtime/",
        "/webpack/bootstrap",
        "/webpack/before-startup",
    ];
    let of_webpack = source.strip_prefix("webpack://");
    source.contains('\0')
        || of_webpack.is_some_and(|it| {
            // Behind the name of the bundle.
            let path = it.find('/').and_then(|at| it.get(at..)).unwrap_or_default();
            OF_WEBPACK.iter().any(|part| path.starts_with(part))
        })
}

/// Adds a plain map whose generated code begins at `start`; what lies at or behind `end` belongs to the next.
fn add_map(
    map: &mut SourceMap,
    raw: RawMap,
    start: Utf16Position,
    end: Option<Utf16Position>,
    base_url: Option<&Url>,
) -> Result<(), SourceMapError> {
    let Some(mappings) = raw.mappings else {
        return Err(SourceMapError::NoMappings);
    };
    let first_source = index(map.sources.len());
    let first_name = index(map.names.len());
    let ignore_list = raw.ignore_list.unwrap_or_default();
    let mut texts = raw.sources_content.unwrap_or_default().into_iter();
    let root = raw.source_root.as_deref().unwrap_or_default();
    for (number, source) in raw.sources.unwrap_or_default().into_iter().enumerate() {
        let is_bundlers = source.as_deref().is_some_and(is_of_bundler);
        map.sources.push(Source {
            url: source.map_or_else(String::new, |source| resolved(root, &source, base_url)),
            ignored: is_bundlers || ignore_list.contains(&index(number)),
            text: texts.next().flatten(),
        });
    }
    map.names.extend(
        raw.names
            .unwrap_or_default()
            .into_iter()
            .map(|name| match name {
                Value::String(name) => name,
                Value::Number(number) => number.to_string(),
                _ => String::new(),
            }),
    );
    let mut decoder = Decoder {
        start,
        end,
        first_source,
        first_name,
        source_count: index(map.sources.len()) - first_source,
        name_count: index(map.names.len()) - first_name,
        source: 0,
        original_line: 0,
        original_column: 0,
        name: 0,
    };
    decoder.decode(&mappings, &mut map.mappings)
}

/// The running values of one plain map.
struct Decoder {
    start: Utf16Position,
    end: Option<Utf16Position>,
    first_source: u32,
    first_name: u32,
    source_count: u32,
    name_count: u32,
    source: i64,
    original_line: i64,
    original_column: i64,
    name: i64,
}

impl Decoder {
    fn decode(&mut self, mappings: &str, result: &mut Vec<Mapping>) -> Result<(), SourceMapError> {
        for (line, segments) in mappings.split(';').enumerate() {
            let line = index(line);
            let mut column = 0;
            for (segment, text) in segments.split(',').enumerate() {
                if text.is_empty() {
                    continue;
                }
                if result.len() >= MAX_MAPPINGS {
                    return Err(SourceMapError::TooLarge {
                        what: "mappings",
                        limit: MAX_MAPPINGS,
                    });
                }
                let place = MappingPlace {
                    line,
                    segment: index(segment),
                };
                let mapping = self.mapping(text, place, &mut column)?;
                if self.end.is_none_or(|end| mapping.generated < end) {
                    result.push(mapping);
                }
            }
        }
        Ok(())
    }

    fn mapping(
        &mut self,
        text: &str,
        place: MappingPlace,
        column: &mut i64,
    ) -> Result<Mapping, SourceMapError> {
        let mut numbers = [0; 5];
        let count = vlq_numbers(text, &mut numbers, place)?;
        let generated_column = place.add(column, numbers[0], "column", MAX_VALUE)?;
        let generated = Utf16Position {
            line: place.line.saturating_add(self.start.line),
            column: if place.line == 0 {
                generated_column.saturating_add(self.start.column)
            } else {
                generated_column
            },
        };
        let mut mapping = Mapping {
            generated,
            original: Utf16Position::default(),
            source: NONE,
            name: NONE,
        };
        if count >= 4 {
            let last_source = i64::from(self.source_count) - 1;
            mapping.source = self.first_source
                + place.add(&mut self.source, numbers[1], "source", last_source)?;
            mapping.original = Utf16Position {
                line: place.add(
                    &mut self.original_line,
                    numbers[2],
                    "original line",
                    MAX_VALUE,
                )?,
                column: place.add(
                    &mut self.original_column,
                    numbers[3],
                    "original column",
                    MAX_VALUE,
                )?,
            };
        }
        if count == 5 {
            let last_name = i64::from(self.name_count) - 1;
            mapping.name =
                self.first_name + place.add(&mut self.name, numbers[4], "name", last_name)?;
        }
        Ok(mapping)
    }
}

/// Where in `mappings` something is, for errors.
#[derive(Clone, Copy)]
struct MappingPlace {
    line: u32,
    segment: u32,
}

impl MappingPlace {
    /// Adds to a running value; the result must be from 0 to `last`.
    fn add(
        self,
        running: &mut i64,
        difference: i64,
        what: &'static str,
        last: i64,
    ) -> Result<u32, SourceMapError> {
        *running += difference;
        match u32::try_from(*running) {
            Ok(value) if *running <= last => Ok(value),
            _ => Err(SourceMapError::OutOfRange {
                line: self.line,
                segment: self.segment,
                what,
                value: *running,
            }),
        }
    }
}

/// Decodes the numbers of one segment; gives how many there are.
fn vlq_numbers(
    text: &str,
    numbers: &mut [i64; 5],
    place: MappingPlace,
) -> Result<usize, SourceMapError> {
    let bad = SourceMapError::BadVlq {
        line: place.line,
        segment: place.segment,
    };
    let mut count = 0;
    let mut value: i64 = 0;
    let mut shift = 0;
    for byte in text.bytes() {
        let Some(digit) = base64_digit(byte) else {
            return Err(bad);
        };
        // A 32-bit number and its sign take seven digits.
        if shift > 30 {
            return Err(bad);
        }
        value |= i64::from(digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            let magnitude = value >> 1;
            if let Some(number) = numbers.get_mut(count) {
                *number = if value & 1 == 1 {
                    -magnitude
                } else {
                    magnitude
                };
            }
            count += 1;
            value = 0;
            shift = 0;
        }
    }
    if shift != 0 {
        return Err(bad);
    }
    match count {
        1 | 4 | 5 => Ok(count),
        size => Err(SourceMapError::SegmentSize {
            line: place.line,
            segment: place.segment,
            size,
        }),
    }
}

/// The value of a base64 digit.
pub(super) fn base64_digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// The URL of a source.
fn resolved(root: &str, source: &str, base_url: Option<&Url>) -> String {
    let separator = if root.is_empty() || root.ends_with('/') {
        ""
    } else {
        "/"
    };
    let absolute = has_scheme(source) || (source.starts_with('/') && !has_scheme(root));
    let written = if absolute {
        source.to_owned()
    } else {
        format!("{root}{separator}{source}")
    };
    if has_scheme(&written) {
        return Url::parse(&written).map_or(written, String::from);
    }
    base_url
        .and_then(|base| base.join(&written).ok())
        .map_or(written, String::from)
}

/// Whether the text begins with a URL's scheme; one letter is a Windows drive.
fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
