//! What the page had stored when the recording began: the member `querypoint.storage`.
//!
//! ```json
//! { "local": [["theme", "dark"]], "session": [["visit", "3"]], "cookies": ["lang=en"] }
//! ```
//!
//! Of the origin of the page that was opened, as its scripts see it: cookies that scripts cannot read are not in it.

use serde::{Deserialize, Serialize};

use super::{Recording, RecordingError};

pub(super) const STORAGE: &str = "storage";

/// What a page had stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Storage {
    /// `localStorage`: keys and values, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub local: Vec<(String, String)>,
    /// `sessionStorage`, as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub session: Vec<(String, String)>,
    /// The parts of `document.cookie`: `name=value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<String>,
}

impl Storage {
    /// JavaScript of a function that gives the storage of the document in which it is called, as it is parsed here.
    /// What is no Unicode text is left out, and storage that the document may not use is empty.
    pub const READING: &'static str = r#"(() => {
  const isText = (text) => text.isWellFormed();
  const items = (name) => {
    try {
      const storage = window[name];
      const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
      return keys.map((key) => [key, storage.getItem(key)]).filter((item) => item.every(isText));
    } catch {
      return [];
    }
  };
  const cookies = () => {
    try {
      return document.cookie.split("; ").filter((cookie) => cookie !== "" && isText(cookie));
    } catch {
      return [];
    }
  };
  return { local: items("localStorage"), session: items("sessionStorage"), cookies: cookies() };
})"#;

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// JavaScript that puts all of it into the storage of the document that runs it, if that is no frame.
    #[must_use]
    pub fn writing(&self) -> String {
        let stored = serde_json::to_string(self).unwrap_or_default();
        format!(
            r#"((stored) => {{
  if (window !== window.parent) return;
  const put = (name, items) => {{
    try {{
      for (const [key, value] of items) window[name].setItem(key, value);
    }} catch {{}}
  }};
  put("localStorage", stored.local ?? []);
  put("sessionStorage", stored.session ?? []);
  try {{
    // Browsers take names that promise it only with it.
    const secure = (cookie) => (/^__(Secure|Host)-/i.test(cookie) ? "; secure" : "");
    for (const cookie of stored.cookies ?? []) document.cookie = `${{cookie}}; path=/${{secure(cookie)}}`;
  }} catch {{}}
}})({stored})"#
        )
    }
}

impl Recording {
    /// What the page had stored when it was opened, as far as it was recorded.
    #[must_use]
    pub fn storage(&self) -> Storage {
        // A recording whose storage cannot be read does not parse.
        self.read_storage().unwrap_or_default()
    }

    /// # Errors
    /// [`RecordingError::WrongOwnMember`].
    pub(super) fn read_storage(&self) -> Result<Storage, RecordingError> {
        self.read_ours(STORAGE)
    }

    /// Puts what was stored in the place of what there is.
    pub fn set_storage(&mut self, storage: &Storage) {
        let value = serde_json::to_value(storage).unwrap_or_default();
        self.set_ours(STORAGE, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_kept_in_the_recording() {
        let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
        assert!(recording.storage().is_empty());
        let stored = Storage {
            local: vec![("theme".to_owned(), "</script>\u{2028}\"`${1}".to_owned())],
            session: vec![("__proto__".to_owned(), String::new())],
            cookies: vec!["lang=en".to_owned()],
        };
        recording.set_storage(&stored);
        let again = Recording::parse(&recording.to_json()).unwrap();
        assert_eq!(again.storage(), stored);
    }

    #[test]
    fn what_is_no_storage_is_refused_with_the_reason() {
        for (text, reason) in [
            ("1", "invalid type: integer `1`"),
            (r#"{ "local": { "a": "b" } }"#, "invalid type: map"),
            (r#"{ "session": [["a"]] }"#, "invalid length 1"),
            (r#"{ "cookies": [1] }"#, "invalid type: integer `1`"),
        ] {
            let text = format!(r#"{{ "steps": [], "querypoint": {{ "storage": {text} }} }}"#);
            let error = Recording::parse(&text).unwrap_err().to_string();
            assert!(error.contains("querypoint.storage"), "{error}");
            assert!(error.contains(reason), "{error}");
        }
    }
}
