//! Scripts of the tab that come through a source map: what their author wrote, and under which names.

use std::iter::repeat;

use js_analysis::Goal;
use js_analysis::position::{ByteOffset, HumanPosition, LineIndex, Utf16Position};
use js_analysis::rewrite::{Extents, OriginalScopes, Script as Parsed, Spot, with_script};
use js_analysis::source_map::{MapReference, Original, SourceMap, find_source_mapping_url};
use querypoint::answer::{GeneratedLocation, Location, ScopeKind};
use querypoint::session::stop::StopFrame;

use super::{MapAt, Script};
use crate::debugger::Extent;
use crate::maps::InFrame;
use crate::sources::{MapNames, name_variables};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Protocol, SessionId};

/// A larger map is not read, in bytes.
const LARGEST_MAP: usize = 64 << 20;

/// The names in a longer script stay those that it runs under, in bytes.
const LONGEST_SCRIPT: usize = 16 << 20;

/// A script with its map.
pub(in crate::inspected) struct Written {
    map: SourceMap,
    names: Option<Names>,
}

/// The author's names, by where their scopes are in the running text.
struct Names {
    text: String,
    lines: LineIndex,
    scopes: OriginalScopes,
    extents: Extents,
}

/// Fetches the map of a script, and looks the names up in it.
///
/// # Errors
/// In words, why there is none.
pub(in crate::inspected) async fn load(
    protocol: &dyn Protocol,
    tab: &SessionId,
    id: u64,
    script: &Script,
) -> Result<Written, String> {
    let source = cdp::debugger::GetScriptSource::new(id.to_string());
    let text = match protocol.call(Some(tab), &source).await {
        Ok(source) => Some(source.script_source),
        Err(error) if error.is_fatal() => return Err(error.to_string()),
        Err(_) => None,
    };
    let reference = match &script.map {
        MapAt::Nowhere => None,
        MapAt::InScript => text.as_deref().and_then(find_source_mapping_url),
        MapAt::Address(address) => Some(MapReference::of(address)),
    };
    let reference = reference.ok_or("it names no map")?;
    let frame = match reference {
        MapReference::External(_) => {
            let tree = protocol.call(Some(tab), &cdp::page::GetFrameTree {}).await;
            let tree = tree.map_err(|error| error.to_string())?;
            tree.frame_tree.frame.id.0
        }
        _ => String::new(),
    };
    let fetching = InFrame {
        protocol,
        session: tab,
        frame: &frame,
    };
    let map = fetching
        .source_map(reference, &script.url, LARGEST_MAP)
        .await?;
    let names = text.and_then(|text| Names::of(text, script.is_module, &map));
    Ok(Written { map, names })
}

impl Names {
    fn of(text: String, is_module: bool, map: &SourceMap) -> Option<Self> {
        if text.len() > LONGEST_SCRIPT {
            return None;
        }
        let goal = match is_module {
            true => Goal::Module,
            false => Goal::Script,
        };
        let lines = LineIndex::new(&text);
        let (scopes, extents) = {
            let names = MapNames::new(Some(map), &text, &lines)?;
            let read = |script: &Parsed<'_>| (script.original_scopes(&names), script.extents());
            with_script(&text, goal, read).ok()?
        };
        Some(Self {
            text,
            lines,
            scopes,
            extents,
        })
    }

    fn offset(&self, running: Utf16Position) -> Option<ByteOffset> {
        self.lines.offset(&self.text, running)
    }
}

impl Written {
    /// A frame as its author knows it.
    ///
    /// ```text
    /// a     app.min.js:1:2042    t = 3
    /// pay   src/cart.ts:22:5     total = 3
    /// ```
    pub(in crate::inspected) fn shown(
        &self,
        frame: &StopFrame,
        running: Utf16Position,
        extents: &[Option<Extent>],
    ) -> StopFrame {
        let mut shown = frame.clone();
        if let Some(original) = self.original(running) {
            let human = HumanPosition::from(original.position);
            let Location {
                url, line, column, ..
            } = &frame.frame.location;
            let library = self.map.is_ignored(&original.source);
            shown.frame.location = Location {
                url: original.source,
                line: human.line,
                column: human.column,
                generated: Some(GeneratedLocation {
                    url: url.clone(),
                    line: *line,
                    column: *column,
                }),
                eval_origin: None,
                library,
            };
        }
        let names = self.names.as_ref();
        let Some((names, at)) = names.and_then(|it| Some((it, it.offset(running)?))) else {
            return shown;
        };
        if let Some(function) = names.scopes.function(at) {
            function.clone_into(&mut shown.frame.function);
        }
        let spot = Spot {
            at,
            position: running,
            map: &self.map,
        };
        let extents = extents.iter().copied().chain(repeat(None));
        for (scope, extent) in shown.scopes.iter_mut().zip(extents) {
            if scope.kind == ScopeKind::Local {
                scope.function = Some(shown.frame.function.clone());
            }
            let extent =
                extent.and_then(|(start, end)| Some((names.offset(start)?, names.offset(end)?)));
            name_variables(&names.scopes, spot, scope, extent);
        }
        shown
    }

    /// An expression with the names that run where a frame is; `None`: they are not known.
    pub(in crate::inspected) fn running_expression(
        &self,
        running: Utf16Position,
        expression: &str,
    ) -> Option<Result<String, String>> {
        let names = self.names.as_ref()?;
        let spot = Spot {
            at: names.offset(running)?,
            position: running,
            map: &self.map,
        };
        let named = names.scopes.running(spot, expression);
        Some(named.map(|it| it.text))
    }

    fn original(&self, running: Utf16Position) -> Option<Original> {
        let names = self.names.as_ref();
        match names.and_then(|it| Some((it, it.offset(running)?))) {
            Some((it, at)) => it.extents.original(&self.map, &it.text, at, None),
            None => self.map.original(running),
        }
    }

    /// Where the first line of a source runs that has code, from `line` (0-based) on: in several places where the code
    /// is there several times.
    pub(in crate::inspected) fn running(&self, source: &str, line: u32) -> Vec<Utf16Position> {
        /// As far as the tab itself looks for one in a file without a map, about.
        const FURTHEST: u32 = 1000;
        let is_source = |url: &str| url == source;
        let nearest = self.map.nearest_lines(&is_source, line, usize::MAX);
        let further = line..line.saturating_add(FURTHEST);
        let Some(line) = nearest.into_iter().find(|it| further.contains(it)) else {
            return Vec::new();
        };
        let on_line = self.map.generated(&is_source, line);
        // Where it begins, as often as that is there.
        let first = on_line.iter().map(|it| it.original).min();
        let begin = on_line.iter().filter(|it| Some(it.original) == first);
        begin.map(|it| it.generated).collect()
    }

    /// The line (0-based) of a source that runs there.
    pub(in crate::inspected) fn line_of(
        &self,
        source: &str,
        running: Utf16Position,
    ) -> Option<u32> {
        let original = self.map.original(running)?;
        (original.source == source).then_some(original.position.line)
    }
}

#[cfg(test)]
pub(in crate::inspected) mod tests {
    use futures::executor::block_on;
    use serde_json::json;

    use super::*;
    use crate::fake::{FakeProtocol, SESSION, event};
    use cdp_driver::protocol::Event;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The third line of a source, as it runs. Its map is `{"version":3,"sources":["cart.ts"],"names":["pay","total"],
    /// "mappings":"AAEA,SAASA,EAAIC,GAAO"}`.
    pub(in crate::inspected) const RUNNING: &str = concat!(
        "function a(t){return t}\n//# sourceMappingURL=data:application/json;base64,",
        "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImNhcnQudHMiXSwibmFtZXMiOlsicGF5IiwidG",
        "90YWwiXSwibWFwcGluZ3MiOiJBQUVBLFNBQVNBLEVBQUlDLEdBQU8ifQ=="
    );
    pub(in crate::inspected) const SOURCE: &str = "http://h/cart.ts";

    /// What the tab tells of it.
    pub(in crate::inspected) fn told_script(id: &str) -> Event {
        let script = json!({ "startLine": 0, "startColumn": 0, "executionContextId": 1, "hash": "", "scriptId": id, "url": "http://h/app.js", "sourceMapURL": "data:application/json,%7B%7D" });
        event(cdp::debugger::ScriptParsed::METHOD, script)
    }

    fn loaded(map: MapAt, fake: &FakeProtocol) -> Result<Written, String> {
        let script = Script {
            url: "http://h/js/app.js".to_owned(),
            map,
            is_module: false,
            context: 1,
        };
        let tab = SessionId(SESSION.to_owned());
        block_on(load(fake, &tab, 9, &script))
    }

    fn with_script(text: &str) -> FakeProtocol {
        let fake = FakeProtocol::default();
        let source = json!({ "scriptSource": text });
        fake.on(
            cdp::debugger::GetScriptSource::METHOD,
            Vec::new(),
            Some(Ok(source)),
        );
        fake
    }

    #[test]
    fn a_map_at_an_address_is_fetched_in_the_name_of_the_page_without_its_cookies() {
        let fake = with_script("f();f();");
        let tree = json!({ "frameTree": { "frame": { "id": "main", "loaderId": "l", "url": "http://h/" } } });
        fake.on(cdp::page::GetFrameTree::METHOD, Vec::new(), Some(Ok(tree)));
        let stream = json!({ "resource": { "stream": "s" } });
        fake.on(
            cdp::network::LoadNetworkResource::METHOD,
            Vec::new(),
            Some(Ok(stream)),
        );
        // The same line twice.
        let map = r#"{"version":3,"sources":["../cart.ts"],"names":[],"mappings":"AAEA,IAAA"}"#;
        let read = json!({ "data": map, "eof": true });
        fake.on(cdp::io::Read::METHOD, Vec::new(), Some(Ok(read)));
        let written = loaded(MapAt::Address("app.js.map".to_owned()), &fake)
            .unwrap_or_else(|why| panic!("{why}"));
        let fetched = &fake.sent(cdp::network::LoadNetworkResource::METHOD)[0];
        assert_eq!(fetched["url"], "http://h/js/app.js.map");
        assert_eq!(fetched["frameId"], "main");
        assert_eq!(fetched["options"]["includeCredentials"], false);
        let place = |column| Utf16Position { line: 0, column };
        assert_eq!(written.running(SOURCE, 0), [place(0), place(4)]);
        assert_eq!(written.running(SOURCE, 3), []);
        assert_eq!(written.running("http://h/other.ts", 2), []);
        assert_eq!(written.line_of(SOURCE, place(4)), Some(2));
        assert_eq!(written.line_of("http://h/other.ts", place(4)), None);
    }

    #[test]
    fn why_a_map_is_not_there_is_said() {
        let why = |map, text| loaded(map, &with_script(text)).err().unwrap();
        let at = |address: &str| MapAt::Address(address.to_owned());
        assert!(why(at("file:///etc/passwd"), "").ends_with("is at no server"));
        assert!(why(at("chrome://x/"), "").ends_with("is at no server"));
        assert!(why(at("//["), "").contains("//["));
        assert!(why(at("app.map"), "").contains("could not be loaded"));
        assert_eq!(why(MapAt::InScript, "f()"), "it names no map");
        let broken = "f()//# sourceMappingURL=data:application/json;base64,!!!!";
        assert!(why(MapAt::InScript, broken).contains("cannot be decoded"));
        let no_map = "f()//# sourceMappingURL=data:application/json,%7B%7D";
        assert_ne!(why(MapAt::InScript, no_map), "");
    }
}
