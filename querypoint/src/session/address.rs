//! The address of a panel: which back end lets it in, and which session it shows, behind the `#`, which is sent to
//! nobody.

use super::messages::is_session_name;

/// What is behind `#` in the address of a panel. Parts that are not there, or are not what they should be, are
/// none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// The secret of the back end, in hexadecimal.
    pub secret: Option<String>,
    /// The name of the session.
    pub session: Option<String>,
}

impl Fragment {
    /// Reads `#secret=HEX&session=NAME`.
    ///
    /// ```
    /// use querypoint::session::address::Fragment;
    /// let fragment = Fragment::parse("#secret=00ff&session=tab-1");
    /// assert_eq!(fragment.secret.as_deref(), Some("00ff"));
    /// assert_eq!(fragment.session.as_deref(), Some("tab-1"));
    /// assert_eq!(fragment.to_string(), "#secret=00ff&session=tab-1");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let part = |name: &str| {
            let parts = text.trim_start_matches('#').split('&');
            let mut pairs = parts.filter_map(|part| part.split_once('='));
            let (_, value) = pairs.find(|(key, _)| *key == name)?;
            Some(value.to_owned())
        };
        Self {
            secret: part("secret").filter(|text| is_secret(text)),
            session: part("session").filter(|name| is_session_name(name)),
        }
    }
}

impl std::fmt::Display for Fragment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let secret = self.secret.iter().map(|value| ("secret", value));
        let session = self.session.iter().map(|value| ("session", value));
        for (index, (name, value)) in secret.chain(session).enumerate() {
            let before = if index == 0 { '#' } else { '&' };
            write!(formatter, "{before}{name}={value}")?;
        }
        Ok(())
    }
}

/// The name of the session of a page, for a panel that belongs to a tab: the same page has the same session again
/// tomorrow.
///
/// What is behind `#` does not count. The name begins with what a person recognises and ends with a digest of the
/// whole.
///
/// ```
/// use querypoint::session::address::session_of_page;
/// assert_eq!(session_of_page("http://localhost:8080/shop/#top"), "localhost-8080-shop-ced8d024");
/// assert_eq!(session_of_page("http://localhost:8080/shop/?a"), "localhost-8080-shop-a-2b50cea0");
/// ```
#[must_use]
pub fn session_of_page(url: &str) -> String {
    /// With `-` and the digest a name has 64 characters at most.
    const LONGEST: usize = 55;
    let page = url.split('#').next().unwrap_or(url);
    let (_, shown) = page.split_once("://").unwrap_or(("", page));
    let words = shown.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let mut name = words.join("-");
    name.truncate(LONGEST);
    // FNV-1a: it is the same in every version.
    let digest = page.bytes().fold(0x811c_9dc5_u32, |digest, byte| {
        (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let name = format!("{}-{digest:08x}", name.trim_end_matches('-'));
    name.trim_start_matches('-').to_owned()
}

/// Whether two addresses are of the same page: what is behind `#` does not count.
///
/// ```
/// use querypoint::session::address::is_same_page;
/// assert!(is_same_page("http://h/shop#top", "http://h/shop"));
/// assert!(!is_same_page("http://h/shop?a", "http://h/shop"));
/// ```
#[must_use]
pub fn is_same_page(one: &str, other: &str) -> bool {
    let page = |url: &str| url.split('#').next().map(str::to_owned);
    page(one) == page(other)
}

/// Where the back end is whose panel has this address, `http://127.0.0.1:PORT/#secret=HEX`, and its secret; none: it is
/// no such address. Only this machine is spoken to.
///
/// ```
/// use querypoint::session::address::back_end_of_panel;
/// let found = back_end_of_panel("http://127.0.0.1:9777/#secret=00ff");
/// assert_eq!(found, Some(("ws://127.0.0.1:9777/panel".to_owned(), "00ff".to_owned())));
/// assert_eq!(back_end_of_panel("http://example.com:9777/#secret=00ff"), None);
/// ```
#[must_use]
pub fn back_end_of_panel(address: &str) -> Option<(String, String)> {
    let rest = address.trim().strip_prefix("http://127.0.0.1:")?;
    let (port, fragment) = rest.split_once("/#")?;
    let port: u16 = port.parse().ok().filter(|port| *port != 0)?;
    let secret = Fragment::parse(fragment).secret?;
    Some((format!("ws://127.0.0.1:{port}/panel"), secret))
}

/// Whether it can be a secret: hexadecimal.
#[must_use]
pub fn is_secret(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_the_page_its_session_has_a_name(url in ".{0,300}") {
            prop_assert!(is_session_name(&session_of_page(&url)), "{}", session_of_page(&url));
        }
    }

    #[test]
    fn what_is_wrong_is_not_there() {
        for text in [
            "",
            "#",
            "#secret=",
            "#secret=xyz&session=../x",
            "#secret=00 ff",
            "#other=00",
            "#secret",
        ] {
            assert_eq!(Fragment::parse(text), Fragment::default(), "{text}");
        }
        assert_eq!(Fragment::default().to_string(), "");
    }

    #[test]
    fn no_back_end_is_elsewhere() {
        for text in [
            "",
            "http://127.0.0.1/#secret=00",
            "http://127.0.0.1:0/#secret=00",
            "http://127.0.0.1:99999/#secret=00",
            "http://127.0.0.1:80@evil.example/#secret=00",
            "http://127.0.0.1:80/#secret=zz",
            "http://127.0.0.1.evil.example:80/#secret=00",
            "https://127.0.0.1:80/#secret=00",
        ] {
            assert_eq!(back_end_of_panel(text), None, "{text}");
        }
    }
}
