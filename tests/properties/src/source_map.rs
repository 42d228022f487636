//! Source maps: any text is a map or a typed error, and what a map says is in range.

use js_analysis::position::Utf16Position;
use js_analysis::source_map::{MapReference, SourceMap, find_source_mapping_url};

/// The input is a script that may name a map, and a map.
pub fn source_map(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Some(MapReference::Inline(json)) = find_source_mapping_url(&text) {
        let _ = SourceMap::parse(&json, None);
    }
    let Ok(map) = SourceMap::parse(&text, Some("https://example.com/out/app.js")) else {
        return;
    };
    for line in 0..4 {
        for column in [0, 1, 7, u32::MAX] {
            let position = Utf16Position { line, column };
            let Some(found) = map.original(position) else {
                continue;
            };
            assert!(
                map.sources()
                    .iter()
                    .any(|source| source.url == found.source),
                "{found:?} is of no source of the map"
            );
            let _ = (
                map.source_text(&found.source),
                map.is_ignored(&found.source),
            );
            let is_source = |url: &str| url == found.source;
            let back = map.generated(&is_source, found.position.line);
            assert!(!back.is_empty(), "there is no way back from {found:?}");
            assert!(back.is_sorted_by_key(|place| place.generated));
            let near = map.nearest_lines(&is_source, found.position.line, 2);
            assert_eq!(near.first(), Some(&found.position.line));
        }
    }
    // Lines beyond any real file are not written.
    if let Ok(json) = map.to_json(None) {
        let again = SourceMap::parse(&json, None).unwrap_or_else(|error| panic!("{json}: {error}"));
        assert_eq!(again.sources().len(), map.sources().len());
    }
}
