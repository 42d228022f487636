//! The pages of origins: scripts that write values to `out`, each of which is asked about.

/// The names that a script writes of `out`, in their order, and those behind `// also:`, whose keys are computed.
#[must_use]
pub fn asked_names(code: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let lines = code.lines().filter(|line| !line.starts_with("//"));
    for part in lines.flat_map(|line| line.split("out.").skip(1)) {
        let length = part
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        let (name, behind) = part.split_at(length);
        if behind.starts_with(" = ") && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    for also in code
        .lines()
        .filter_map(|line| line.strip_prefix("// also: "))
    {
        names.extend(also.split(' ').map(str::to_owned));
    }
    names
}

/// What a script has asked of it, in its order: a name, and the reference. Behind what it writes to `out` come the
/// lines `// shown: name document.querySelector(…)…`, of what the page shows.
#[must_use]
pub fn asked(code: &str) -> Vec<(String, String)> {
    let written = asked_names(code).into_iter();
    let written = written.map(|name| (name.clone(), format!("out.{name}")));
    let shown = code
        .lines()
        .filter_map(|line| line.strip_prefix("// shown: ")?.split_once(' '));
    let shown = shown.map(|(name, reference)| (name.to_owned(), reference.to_owned()));
    written.chain(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_written() {
        let code = "// also: key\nout.a = 1; out.b2 = out.a; out.a = 2; f(out.c);";
        assert_eq!(asked_names(code), ["a", "b2", "key"]);
    }

    #[test]
    fn what_is_shown_is_asked_behind_them() {
        let code = "// shown: title document.querySelector('h1').textContent\nout.a = 1;";
        let title = "document.querySelector('h1').textContent";
        let asked = asked(code);
        let asked: Vec<(&str, &str)> = asked.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(asked, [("a", "out.a"), ("title", title)]);
    }
}
