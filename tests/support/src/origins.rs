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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_written() {
        let code = "// also: key\nout.a = 1; out.b2 = out.a; out.a = 2; f(out.c);";
        assert_eq!(asked_names(code), ["a", "b2", "key"]);
    }
}
