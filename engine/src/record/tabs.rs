//! The tabs of a browser that runs, and which of them is meant.

use crate::error::EngineError;
use crate::page::only;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{CallBrowser as _, Contexts, Protocol};

/// A tab.
pub(super) struct Tab {
    pub(super) target: String,
    pub(super) context: String,
    /// What it shows.
    pub(super) url: String,
}

/// The tab that shows `page`, or else the one whose address begins so; the only tab of a connection, whatever it shows.
pub(super) async fn open_tab(protocol: &dyn Protocol, page: &str) -> Result<Tab, EngineError> {
    if let Contexts::OneTab { target_id } = protocol.offers().contexts {
        return Ok(Tab {
            target: target_id,
            context: String::new(),
            url: page.to_owned(),
        });
    }
    let pages = cdp::target::GetTargets {
        filter: Some(vec![only("page")]),
    };
    let infos = protocol.call_browser(&pages).await?.target_infos;
    let tabs = infos.into_iter().map(|info| Tab {
        target: info.target_id.0,
        context: info.browser_context_id.map(|it| it.0).unwrap_or_default(),
        url: info.url,
    });
    chosen(page, tabs.collect()).map_err(|why| EngineError::NoTab {
        page: page.to_owned(),
        why,
    })
}

/// The one that is meant; else why there is none.
fn chosen(page: &str, tabs: Vec<Tab>) -> Result<Tab, String> {
    let without_fragment = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
    let wanted = without_fragment(page);
    let open: Vec<String> = tabs.iter().map(|tab| tab.url.clone()).collect();
    let (mut same, others): (Vec<Tab>, Vec<Tab>) = tabs
        .into_iter()
        .partition(|tab| without_fragment(&tab.url) == wanted);
    if same.is_empty() {
        let begin_so = |tab: &Tab| tab.url.starts_with(&wanted);
        same = others.into_iter().filter(begin_so).collect();
    }
    match (same.pop(), same.len() + 1) {
        (Some(tab), 1) => Ok(tab),
        (Some(_), number) => Err(format!(
            "{number} tabs show it; close the others, or give more of the address of the one that you mean"
        )),
        (None, _) if open.is_empty() => Err("the browser has no tab open".to_owned()),
        (None, _) => Err(format!("no tab shows it; open are {}", open.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{FakeProtocol, TARGET};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn among(page: &str, urls: &[&str]) -> Result<String, String> {
        let tab = |url: &&str| Tab {
            target: String::new(),
            context: String::new(),
            url: (*url).to_owned(),
        };
        chosen(page, urls.iter().map(tab).collect()).map(|tab| tab.url)
    }

    #[test]
    fn the_only_tab_of_a_connection_is_meant_whatever_it_shows() {
        let fake = FakeProtocol::of_one_tab();
        let tab = futures::executor::block_on(open_tab(&fake, "http://a/")).unwrap();
        assert_eq!(tab.target, TARGET);
        assert_eq!(fake.sent_to_browser(), [""; 0]);
    }

    #[test]
    fn the_tab_that_shows_just_that_is_meant_before_others() {
        let open = ["http://a/", "http://a/shop", "http://b/#top"];
        assert_eq!(among("http://a/", &open).unwrap(), "http://a/");
        assert_eq!(among("http://a/sh", &open).unwrap(), "http://a/shop");
        assert_eq!(among("http://b/#end", &open).unwrap(), "http://b/#top");
        let error = among("http://c/", &open).unwrap_err();
        assert!(
            error.contains("open are http://a/, http://a/shop"),
            "{error}"
        );
        let error = among("http://a", &open).unwrap_err();
        assert!(error.contains("2 tabs show it"), "{error}");
        let error = among("http://a/", &[]).unwrap_err();
        assert!(error.contains("no tab open"), "{error}");
    }
}
