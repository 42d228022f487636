//! A session as something to type.

use super::{Session, SessionError};

impl Session {
    /// The command that asks the same: `querypoint ask PAGE --at POINT …`, quoted for a POSIX shell.
    ///
    /// # Errors
    /// [`SessionError::NotYet`] if there is no page, no reproduction point or no query.
    ///
    /// ```
    /// use querypoint::session::Session;
    /// let session = Session::of_page("shop.html").stopped_at("app.js:22").unwrap();
    /// let (session, _) = session.asking("lastChange(R:cart.total)").unwrap();
    /// assert_eq!(
    ///     session.command_line(Some("buy.json")).unwrap(),
    ///     "querypoint ask shop.html --recording buy.json --at app.js:22 'B = lastChange(R:cart.total)'",
    /// );
    /// ```
    pub fn command_line(&self, recording: Option<&str>) -> Result<String, SessionError> {
        let page = self.page.as_deref();
        let page = page.ok_or(SessionError::NotYet("there is no page yet; open one first"))?;
        let at = self.point()?.to_string();
        if self.queries.is_empty() {
            return Err(SessionError::NotYet(
                "nothing was asked yet; ask something first, such as lastChange(R:cart.total)",
            ));
        }
        let mut words = vec!["querypoint", "ask", page];
        if let Some(recording) = recording {
            words.extend(["--recording", recording]);
        }
        words.extend(["--at", &at]);
        for watch in &self.watches {
            words.extend(["--watch", watch]);
        }
        words.extend(self.queries.iter().map(String::as_str));
        let quoted: Vec<String> = words.into_iter().map(quoted).collect();
        Ok(quoted.join(" "))
    }
}

/// One word for a POSIX shell.
///
/// ```
/// use querypoint::session::command_line::quoted;
/// assert_eq!(quoted("a-b"), "a-b");
/// assert_eq!(quoted("it's"), r"'it'\''s'");
/// ```
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
