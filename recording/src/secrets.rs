//! What a recording does not hold: passwords and the like, which are given when it is replayed.

use super::{Recording, StepKind};

/// Something that was typed is neither in the recording nor given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "step {step} types a secret, which the recording does not hold; give it in the environment variable {variable}"
)]
pub struct MissingSecret {
    /// Counted from 1.
    pub step: usize,
    /// Where it is looked for.
    pub variable: String,
}

impl Recording {
    /// Whether everything that is typed and every file that is chosen is in it, rather than given when it is replayed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.steps.iter().all(|step| {
            let is_given = match &step.kind {
                StepKind::Files(files) => files.files.iter().any(|file| file.contents.is_none()),
                _ => step.ours("secret").is_some(),
            };
            !is_given
        })
    }

    /// Puts in what the recording does not hold, as `given` has it under the name of an environment variable.
    ///
    /// # Errors
    /// [`MissingSecret`] for the first that is not given.
    pub fn fill_secrets(
        &mut self,
        given: impl Fn(&str) -> Option<String>,
    ) -> Result<(), MissingSecret> {
        for (index, step) in self.steps.iter_mut().enumerate() {
            let Some(variable) = step.ours("secret").and_then(|secret| secret.as_str()) else {
                continue;
            };
            let secret = given(variable).ok_or_else(|| MissingSecret {
                step: index + 1,
                variable: variable.to_owned(),
            })?;
            if let StepKind::Change { value, .. } = &mut step.kind {
                *value = secret;
            }
        }
        Ok(())
    }
}

/// What a digest in the place of a secret begins with.
const LEFT_OUT: &str = "left-out-";

/// An address without the values of parameters that are secrets by their names, and without a password in front of the
/// host.
pub(super) fn left_out_of_url(url: &str, digest: &dyn Fn(&str) -> u32) -> String {
    let replaced = |value: &str| match value.is_empty() || value.starts_with(LEFT_OUT) {
        true => value.to_owned(),
        false => format!("{LEFT_OUT}{:08x}", digest(value)),
    };
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let mut left = match address.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = match host.rsplit_once('@') {
                Some((user, host)) => format!("{}@{host}", replaced(user)),
                None => host.to_owned(),
            };
            format!("{scheme}://{host}{path}")
        }
        None => address.to_owned(),
    };
    for (index, parameter) in query.split('&').enumerate() {
        if index > 0 || url.contains('?') {
            left.push(if index == 0 { '?' } else { '&' });
        }
        match parameter.split_once('=') {
            Some((name, value)) if is_secret_name(name) => {
                left.push_str(&format!("{name}={}", replaced(value)));
            }
            _ => left.push_str(parameter),
        }
    }
    left
}

/// Whether a header or a parameter of this name lets in who knows it.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    const EXACT: [&str; 12] = [
        "authorization",
        "proxyauthorization",
        "authentication",
        "cookie",
        "setcookie",
        "auth",
        "jwt",
        "sid",
        "sig",
        "signature",
        "pwd",
        "xamzcredential",
    ];
    const PARTS: [&str; 8] = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "accesskey",
        "sessionid",
        "xauth",
    ];
    // `X-Amz-Signature`, `access_token` and `apiKey` are spelled in many ways.
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    EXACT.contains(&plain.as_str())
        || plain.ends_with("signature")
        || PARTS.iter().any(|part| plain.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_of_addresses() {
        let left = |url: &str| left_out_of_url(url, &|secret| u32::try_from(secret.len()).unwrap());
        for (url, expected) in [
            ("http://h/a?b=1&c", "http://h/a?b=1&c"),
            ("http://h", "http://h"),
            ("http://h/?", "http://h/?"),
            (
                "http://h/a?page=2&access_token=abc&X-Amz-Signature=ab&t=",
                "http://h/a?page=2&access_token=left-out-00000003&X-Amz-Signature=left-out-00000002&t=",
            ),
            ("http://u:p@h/a@b", "http://left-out-00000003@h/a@b"),
            ("http://h/?apiKey=a=b", "http://h/?apiKey=left-out-00000003"),
        ] {
            assert_eq!(left(url), expected);
            assert_eq!(left(expected), expected, "twice is once");
        }
    }

    #[test]
    fn names_of_secrets_are_known() {
        for name in [
            "X-Auth-Token",
            "set-cookie",
            "x-api-key",
            "Authorization",
            "csrfToken",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "Content-Type",
            "key",
            "page",
            "author",
            "ETag",
            "side",
            "WWW-Authenticate",
            "Access-Control-Allow-Credentials",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
