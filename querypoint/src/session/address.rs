//! The address of a panel: which back end lets it in, and which session it shows, behind the `#`, which is sent to nobody.

use super::messages::is_session_name;

/// What stands behind `#` in the address of a panel. Parts that are not there, or are not what they should be, are none.
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

/// Whether it can be a secret: hexadecimal.
#[must_use]
pub fn is_secret(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
