//! Every way to write what the browser keeps, by live hooks: the agent's own lists say which there are, and each is in
//! a page here, in a line of its own. One execution names all lines.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod ways;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::loopback::*;
use end_to_end::repository;
use ways::{Named, WAYS};

/// The ways that the agent's lists name.
fn listed() -> BTreeSet<String> {
    let mut ways = BTreeSet::new();
    for file in ["dom-tree.js", "dom-state.js"] {
        let path = repository().join("agent/js").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        for list in [
            "const STATE_METHODS",
            "const TREE_METHODS",
            "const TREE_SETTERS",
        ] {
            let Some((_, list)) = text.split_once(list) else {
                continue;
            };
            let list = list.split_once("\n});").unwrap().0;
            let mut interface = "";
            for line in list.lines() {
                let mut rest = line;
                if let Some((name, more)) = line.split_once(": {")
                    && name.trim().starts_with(char::is_uppercase)
                {
                    interface = name.trim();
                    rest = more;
                }
                for (at, _) in rest.match_indices(": ") {
                    let is_note =
                        rest[at + 2..].starts_with("note") || rest[at + 2..].starts_with('(');
                    let name = rest[..at].rsplit(|it: char| !it.is_alphanumeric()).next();
                    if is_note && let Some(name) = name {
                        ways.insert(format!("{interface}.{name}"));
                    }
                }
            }
        }
    }
    ways
}

#[test]
fn each_way_that_the_agent_knows_is_in_the_page() {
    let listed = listed();
    assert!(listed.len() > 80, "{listed:?}");
    let here: BTreeSet<&str> = WAYS.iter().map(|row| row.0).collect();
    let missing = listed.iter().filter(|way| !here.contains(way.as_str()));
    let missing: Vec<&String> = missing.collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The page: two lines for each way, and which line of the document has to be named.
fn page() -> (String, Vec<Option<u64>>) {
    let mut page = String::from("<!doctype html><title>Ways</title>\n");
    for (number, (_, html, ..)) in WAYS.iter().enumerate() {
        let _ = writeln!(page, "<div id=w{number}>{html}</div>");
    }
    page.push_str(
        "<script>\nconst found = (it) => { globalThis.it = it; \
        for (const name of ['p', 'input', 'textarea', 'select', 'dialog']) \
        globalThis[name] = it.querySelector(name); };\n",
    );
    let mut lines = Vec::new();
    for (number, (_, _, before, way, _, named)) in WAYS.iter().enumerate() {
        let found = format!("found(document.getElementById('w{number}'));");
        let line = page.lines().count() as u64 + 1;
        let _ = writeln!(
            page,
            "try {{ {found} {before}; }} catch {{}}\ntry {{ {way}; }} catch {{}}"
        );
        lines.push(match named {
            Named::Before => Some(line),
            Named::Way => Some(line + 1),
            Named::Nobody => None,
        });
    }
    page.push_str("void 0;\n</script>\n");
    (page, lines)
}

/// What is asked of a way: variables of the page would be those of the last one.
fn reference(number: usize, asked: &str) -> String {
    let (root, rest) = asked.split_once('.').unwrap();
    let selector = match root {
        "document" | "localStorage" | "sessionStorage" => return format!("R:{asked}"),
        "it" => format!("#w{number}"),
        name => format!("#w{number} {name}"),
    };
    format!("R:document.querySelector(\"{selector}\").{rest}")
}

#[test]
fn live_hooks_name_the_line_of_each_way_in_one_execution() {
    let (page, lines) = page();
    let site = Site::new(&[("/ways.html", html(&page))]);
    let at = format!("ways.html:{}", page.lines().count() - 1);
    let queries: Vec<String> = WAYS
        .iter()
        .enumerate()
        .map(|(number, row)| format!("W{number} = lastChange({})", reference(number, row.4)))
        .collect();
    let url = site.url("/ways.html");
    let mut arguments = vec![
        "ask",
        url.as_str(),
        "--at",
        &at,
        "--instrument",
        "live",
        "--json",
    ];
    arguments.extend(queries.iter().map(String::as_str));
    let asked = querypoint(&arguments);
    let answer = asked.answer();
    assert_follows_schema(&answer, "answer");
    assert_eq!(answer["executions"], 1);
    let points = answer["points"].as_array().unwrap();
    let mut problems = String::new();
    for ((row, line), point) in WAYS.iter().zip(lines).zip(&points[1..]) {
        if point["location"]["line"].as_u64() != line {
            let _ = writeln!(problems, "{}: line {line:?}, not {point}", row.0);
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

/// A page, the question that is asked at its end, and what must be named: a line; none if that cannot be known.
type Derived = (&'static str, &'static str, Option<u64>);

const DERIVED: &[Derived] = &[
    // What an element shows is its text, unless something may have hidden a part of it since.
    ("p.innerText = 'new';", "p.innerText", Some(3)),
    (
        "p.textContent = 'new';\nq.title = 'x';",
        "p.innerText",
        None,
    ),
    (
        "p.title = 'x';\np.firstChild.data = 'new';",
        "p.innerText",
        Some(4),
    ),
    (
        "p.innerText = 'new';\np.style.visibility = 'hidden';\np.style.visibility = '';",
        "p.innerText",
        None,
    ),
    ("p.innerHTML = 'two  spaces';", "p.innerText", None),
    (
        "const style = document.createElement('style');\nstyle.textContent = 'b { display: none }';\n\
         p.innerText = 'new';\nq.after(style);",
        "p.innerText",
        None,
    ),
    (
        "p.innerText = 'new';\nconst style = document.createElement('style');\nq.after(style);",
        "p.innerText",
        None,
    ),
    (
        "const sheet = new CSSStyleSheet();\np.innerText = 'new';\ndocument.adoptedStyleSheets = [sheet];",
        "p.innerText",
        None,
    ),
    (
        "const style = document.createElement('style');\nq.after(style);\np.innerText = 'new';\nstyle.remove();",
        "p.innerText",
        None,
    ),
    (
        "const style = document.createElement('style');\nq.after(style);\np.innerText = 'new';\nstyle.append('b {}');",
        "p.innerText",
        None,
    ),
    (
        "const style = document.createElement('style');\nq.after(style);\np.innerText = 'new';\nq.append('more');",
        "p.innerText",
        Some(5),
    ),
    // An address is that of its attribute, and of the document's if it is a part of that.
    ("a.href = 'there';", "a.href", Some(3)),
    ("a.setAttribute('href', 'there');", "a.href", Some(3)),
    (
        "a.href = 'https://h.example/x';\na.hash = '#y';",
        "a.href",
        Some(4),
    ),
    (
        "a.href = 'https://h.example/x';\nhistory.pushState(0, '', '/deep/er');",
        "a.href",
        Some(3),
    ),
    (
        "a.href = 'there';\nhistory.pushState(0, '', '/deep/er');",
        "a.href",
        None,
    ),
    (
        "a.href = 'there';\nhistory.replaceState(0, '', '/deep/er');",
        "a.href",
        None,
    ),
    (
        "a.href = 'there';\nconst base = document.createElement('base');\nbase.href = '/x/';\ndocument.head.append(base);",
        "a.href",
        None,
    ),
    ("i.src = 'a.png';", "i.src", Some(3)),
    ("f.action = '/go';\nf.method = 'post';", "f.action", Some(3)),
    (
        "a.href = 'there';\na.removeAttribute('href');",
        "a.href",
        None,
    ),
    ("void 0;", "a.href", None),
    // A shorthand changes with each of what it represents.
    (
        "p.style.border = '1px solid red';",
        "p.style.border",
        Some(3),
    ),
    (
        "p.style.border = '1px solid red';\np.style.color = 'red';",
        "p.style.border",
        Some(3),
    ),
    (
        "p.style.margin = '1px';\np.style.marginLeft = '2px';",
        "p.style.margin",
        Some(4),
    ),
    (
        "p.style.margin = '1px';\np.style.marginLeft = '2px';",
        "p.style.marginTop",
        Some(3),
    ),
    (
        "p.style.cssText = 'margin: 1px; padding: 2px';\np.style.padding = '3px';",
        "p.style.margin",
        Some(3),
    ),
    (
        "p.style.margin = '1px';\np.style.marginLeft = '';",
        "p.style.margin",
        None,
    ),
    (
        "p.style.marginTop = p.style.marginLeft = '1px';\np.style.marginRight = '1px';\np.style.marginBottom = '1px';",
        "p.style.margin",
        Some(5),
    ),
    (
        "p.style.setProperty('--gap', '1px');",
        "p.style.color",
        None,
    ),
    (
        "p.style.background = 'red';\np.style.background = 'red';",
        "p.style.background",
        Some(3),
    ),
    // What is chosen of a list is kept by number, too.
    ("s.selectedIndex = 1;", "s.selectedIndex", Some(3)),
    (
        "s.value = 'b';\ns.options[0].selected = true;",
        "s.selectedIndex",
        Some(4),
    ),
    (
        "s.selectedIndex = 2;\ns.options[0].remove();",
        "s.selectedIndex",
        Some(4),
    ),
    (
        "s.selectedIndex = 1;\ns.value = 'b';",
        "s.selectedIndex",
        Some(3),
    ),
];

#[test]
fn what_the_browser_works_out_names_a_line_only_where_nothing_else_can_have_changed_it() {
    let mut pages = Vec::new();
    for (number, (code, ..)) in DERIVED.iter().enumerate() {
        let ids = "[p, q, a, i, f, s] = ['p', 'q', 'a', 'i', 'f', 's'].map((id) => document.getElementById(id));";
        let body = "<p id=p>old</p><p id=q>other</p><a id=a href=x>a</a><img id=i><form id=f></form>\
            <select id=s><option>a<option>b<option>c</select>";
        let page = format!(
            "<!doctype html><head></head>{body}<script>\nconst {ids}\n{code}\nvoid 'end';\n</script>"
        );
        pages.push((format!("/{number}.html"), html(&page)));
    }
    let pages: Vec<(&str, Reply)> = pages
        .iter()
        .map(|(path, page)| (path.as_str(), page.clone()))
        .collect();
    let site = Site::new(&pages);
    let mut problems = String::new();
    for (number, (code, asked, line)) in DERIVED.iter().enumerate() {
        let url = site.url(&format!("/{number}.html"));
        let at = format!("{number}.html:{}", code.lines().count() + 3);
        let query = format!("lastChange(R:{asked})");
        let answer = querypoint(&[
            "ask",
            &url,
            "--at",
            &at,
            "--instrument",
            "live",
            "--json",
            &query,
        ]);
        let point = answer.answer()["points"][1].clone();
        let found = point["location"]["line"].as_u64();
        if found != *line {
            let _ = writeln!(
                problems,
                "{asked} after {code}: line {line:?}, not {found:?}: {}",
                point["status"]
            );
        }
    }
    assert!(problems.is_empty(), "{problems}");
}
