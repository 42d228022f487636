//! The page finds stored what it had stored when its recording began, and the person logged in who was.

use cdp::network::{CookieParam, CookieSameSite};
use cdp_driver::protocol::generated as cdp;
use recording::LoginCookie;

use super::locate::WORLD_NAME;
use super::runner::Runner;
use crate::error::EngineError;

impl Runner<'_> {
    /// Before the page is opened: has its first document begin with what was stored then.
    pub(super) async fn store_before_page(&mut self) -> Result<(), EngineError> {
        let login = self.recording.login();
        if !login.is_empty() {
            let cookies = login.iter().map(cookie).collect();
            let set = cdp::network::SetCookies::new(cookies);
            self.page.drive(self.page.call(&set)).await?;
        }
        let stored = self.recording.storage();
        if !stored.is_empty() {
            let script = cdp::page::AddScriptToEvaluateOnNewDocument {
                world_name: Some(WORLD_NAME.to_owned()),
                ..cdp::page::AddScriptToEvaluateOnNewDocument::new(stored.writing())
            };
            let added = self.page.drive(self.page.call(&script)).await?;
            self.storage_script = Some(added.identifier);
        }
        Ok(())
    }

    /// The page is open: its later documents find what it stores itself.
    pub(super) async fn has_stored(&mut self) -> Result<(), EngineError> {
        if let Some(id) = self.storage_script.take() {
            let remove = cdp::page::RemoveScriptToEvaluateOnNewDocument::new(id);
            let removed = self.page.call(&remove);
            self.page.drive(removed).await?;
        }
        Ok(())
    }
}

/// A cookie of the recording as it is set. One of a single host is set by an address: a domain would be those below as
/// well.
fn cookie(login: &LoginCookie) -> CookieParam {
    let scheme = if login.secure { "https" } else { "http" };
    let address = || format!("{scheme}://{}{}", login.host(), login.path);
    CookieParam {
        url: login.is_of_one_host().then(address),
        domain: (!login.is_of_one_host()).then(|| login.domain.clone()),
        path: Some(login.path.clone()),
        secure: Some(login.secure),
        http_only: Some(true),
        same_site: login.same_site.as_deref().map(CookieSameSite::from),
        ..CookieParam::new(&login.name, &login.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_cookie_is_set_for_those_that_had_it() {
        let login = |domain: &str, secure| LoginCookie {
            name: "session".to_owned(),
            value: "v".to_owned(),
            domain: domain.to_owned(),
            path: "/app".to_owned(),
            secure,
            same_site: Some("Strict".to_owned()),
        };
        let one = cookie(&login("shop.example", true));
        assert_eq!(one.url.as_deref(), Some("https://shop.example/app"));
        assert_eq!(one.domain, None);
        assert_eq!(one.same_site, Some(CookieSameSite::Strict));
        let below = cookie(&login(".shop.example", false));
        assert_eq!(below.domain.as_deref(), Some(".shop.example"));
        assert_eq!((below.url, below.http_only), (None, Some(true)));
    }
}
