//! The rooms of the house: a crate uses those below it, what needs no system has none, and no files go in a circle.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

mod files;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use end_to_end::{repository, tracked_files, workspace_metadata};
use files::Crate;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

/// Which members each member may depend on.
const MAY_USE: [(&str, &[&str]); 22] = [
    // Pure.
    ("querypoint", &[]),
    ("recording", &["querypoint", "js-analysis"]),
    ("js-analysis", &[]),
    ("event-log", &["querypoint"]),
    // Native: it builds on a library of C.
    ("event-log-relational", &["event-log"]),
    ("diagnosis", &["querypoint", "event-log"]),
    // The page's side, and the wire.
    ("agent", &[]),
    ("cdp-driver", &[]),
    // One question.
    (
        "engine",
        &[
            "querypoint",
            "recording",
            "js-analysis",
            "event-log",
            "agent",
            "cdp-driver",
        ],
    ),
    // What a front end can do.
    (
        "app",
        &[
            "querypoint",
            "recording",
            "js-analysis",
            "event-log",
            "event-log-relational",
            "diagnosis",
            "agent",
            "cdp-driver",
            "engine",
        ],
    ),
    // Front ends. The panel's server passes on the protocol to the tab that a person debugs.
    (
        "panel-server",
        &["querypoint", "cdp-driver", "engine", "app"],
    ),
    // It reads arguments and draws: without the driver it cannot speak to a browser.
    (
        "querypoint-cli",
        &[
            "querypoint",
            "recording",
            "event-log-relational",
            "diagnosis",
            "engine",
            "app",
            "panel-server",
        ],
    ),
    // It speaks to the back end, and knows nothing else of it than the messages.
    ("panel", &["querypoint"]),
    ("panel-package", &[]),
    // What only tests and people who build it need.
    ("test-support", &["cdp-driver"]),
    (
        "end-to-end",
        &[
            "querypoint",
            "recording",
            "cdp-driver",
            "engine",
            "app",
            "test-support",
        ],
    ),
    // Only for its tab in the browser: the judge shares nothing with what it judges.
    ("oracle", &["cdp-driver", "engine", "test-support"]),
    (
        "conformance",
        &["js-analysis", "agent", "cdp-driver", "engine"],
    ),
    (
        "properties",
        &["querypoint", "recording", "js-analysis", "event-log"],
    ),
    ("xtask", &[]),
    ("book", &[]),
    // With the list of programs that both run, and what the pages of origins ask.
    (
        "benches",
        &[
            "querypoint",
            "recording",
            "js-analysis",
            "diagnosis",
            "agent",
            "cdp-driver",
            "engine",
            "event-log",
            "app",
            "conformance",
            "test-support",
        ],
    ),
];

/// Those that an extension will hold: what they use, through whatever it is, does no input, output or time.
const PURE: [&str; 8] = [
    "querypoint",
    "recording",
    "js-analysis",
    "event-log",
    "diagnosis",
    "agent",
    "cdp-driver",
    "engine",
];

/// The one of them that the engine does not use: `cargo xtask test` checks it for `wasm32`, and builds the others there
/// for the engine's tests.
const BESIDE_THE_ENGINE: &str = "diagnosis";

/// Crates that do.
const IMPURE: [&str; 14] = [
    "async-std",
    "async-tungstenite",
    "chromiumoxide",
    "chromiumoxide_cdp",
    "hyper",
    "mio",
    "reqwest",
    "rustix",
    "smol",
    "tempfile",
    "tokio",
    "tokio-tungstenite",
    "tungstenite",
    "web-time",
];

/// The crates of the product, with the files that they begin in.
const ROOTS: [(&str, &str); 13] = [
    ("querypoint", "lib.rs"),
    ("recording", "lib.rs"),
    ("js-analysis", "lib.rs"),
    ("event-log", "lib.rs"),
    ("event-log/relational", "lib.rs"),
    ("diagnosis", "lib.rs"),
    ("agent", "lib.rs"),
    ("cdp-driver", "lib.rs"),
    ("engine", "lib.rs"),
    ("app", "lib.rs"),
    ("panel-server", "lib.rs"),
    ("cli", "main.rs"),
    ("wasm", "lib.rs"),
];

/// Every member with the names of all its direct dependencies, those of its tests left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = workspace_metadata().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let names = package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
                .map(|dependency| text(&dependency["name"]))
                .collect();
            (text(&package["name"]), names)
        })
        .collect()
}

#[test]
fn members_depend_only_on_those_below_them() {
    let dependencies = dependencies();
    let allowed: BTreeMap<_, _> = MAY_USE.into_iter().collect();
    let members: BTreeSet<_> = dependencies.keys().map(String::as_str).collect();
    assert_eq!(
        members,
        allowed.keys().copied().collect(),
        "a member was added or removed: say here what it may depend on"
    );
    for (member, names) in &dependencies {
        for used in names.iter().filter(|name| members.contains(name.as_str())) {
            assert!(
                allowed[member.as_str()].contains(&used.as_str()),
                "{member} must not depend on {used}"
            );
        }
    }
}

/// What a person or a program speaks to.
const FRONT_ENDS: [&str; 3] = ["querypoint-cli", "panel-server", "panel"];

/// The one front end that knows another: `querypoint serve` starts the panel's server, says how an answer becomes a
/// page, and prints where it listens; `querypoint native-host` hands it the browser's input and output.
const STARTS: (&str, &str) = ("querypoint-cli", "panel-server");

#[test]
fn front_ends_do_not_know_each_other_but_one_starts_another() {
    let dependencies = dependencies();
    let known: Vec<(&str, &str)> = FRONT_ENDS
        .iter()
        .flat_map(|front| {
            let used = FRONT_ENDS
                .iter()
                .filter(|it| dependencies[*front].contains(**it));
            used.map(|used| (*front, *used))
        })
        .collect();
    assert_eq!(known, [STARTS]);
    // It is started, and browsers are told of it: nothing of its connections, gate or relay is called.
    let mut named = BTreeSet::new();
    for file in tracked_files().unwrap() {
        let is_of_cli =
            file.starts_with("cli/src") && file.extension().is_some_and(|it| it == "rs");
        if is_of_cli {
            let text = std::fs::read_to_string(repository().join(&file)).unwrap();
            let uses = text
                .lines()
                .filter_map(|line| line.strip_prefix("use panel_server::"));
            named.extend(uses.map(str::to_owned));
        }
    }
    assert_eq!(
        named,
        [
            "BackEnd;",
            "installing::{InstallRequest, install_host, remove_host};",
            "native_host;"
        ]
        .map(str::to_owned)
        .into()
    );
}

#[test]
fn only_the_driver_knows_the_devtools_protocol() {
    for (member, names) in dependencies() {
        // The parser of its description is of no use to talk to a browser: `cargo xtask protocol` reads it.
        let names = names.iter().filter(|name| *name != "chromiumoxide_pdl");
        let knows = { names }.any(|name| name.starts_with("chromiumoxide"));
        assert_eq!(knows, member == "cdp-driver", "{member}");
    }
}

/// The product's crates that know no method of the DevTools protocol. What they pass on has its name from the engine.
const WITHOUT_METHOD_NAMES: [&str; 9] = [
    "querypoint",
    "recording",
    "js-analysis",
    "event-log",
    "diagnosis",
    "app",
    "panel-server",
    "cli",
    "wasm",
];

/// Files of samples: data of the tests, which the documentation shows.
const SAMPLES: [&str; 1] = ["querypoint/src/session/message_samples.rs"];

/// The domains of the protocol that are used, as `cdp-driver/protocol.list` names them.
fn protocol_domains() -> BTreeSet<String> {
    let list = std::fs::read_to_string(repository().join("cdp-driver/protocol.list")).unwrap();
    let lines = list.lines();
    let is_domain = |line: &&str| line.starts_with(|first: char| first.is_ascii_uppercase());
    lines.filter(is_domain).map(str::to_owned).collect()
}

/// The names of methods and events that a text has in quotation marks, without its tests and comments.
fn method_names<'t>(text: &'t str, domains: &BTreeSet<String>) -> Vec<&'t str> {
    let shipped = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let quoted = shipped
        .lines()
        .filter(is_code)
        .flat_map(|line| line.split('"'));
    let is_name = |it: &&str| {
        it.split_once('.').is_some_and(|(domain, name)| {
            domains.contains(domain)
                && name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.chars().all(|each| each.is_ascii_alphanumeric())
        })
    };
    quoted.filter(is_name).collect()
}

#[test]
fn only_the_driver_and_the_engine_name_methods_of_the_devtools_protocol() {
    let domains = protocol_domains();
    assert!(
        domains.contains("Debugger") && domains.len() > 10,
        "{domains:?}"
    );
    assert_eq!(
        method_names(
            "// \"DOM.a\"\nsend(\"DOM.enable\", \"DOM.x y\", \"A.b\")\n#[cfg(test)]\nmod tests { \"DOM.c\" }",
            &domains
        ),
        ["DOM.enable"]
    );
    let (mut files, mut found) = (0, Vec::new());
    for file in tracked_files().unwrap() {
        let name = file.to_str().unwrap();
        let is_of_room = |room: &str| {
            let rest = name.strip_prefix(room);
            rest.is_some_and(|rest| rest.starts_with("/src/"))
        };
        let is_test = name.ends_with("/tests.rs") || SAMPLES.contains(&name);
        if !WITHOUT_METHOD_NAMES.iter().any(|room| is_of_room(room))
            || is_test
            || !name.ends_with(".rs")
        {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(repository().join(&file)).unwrap();
        found.extend(
            method_names(&text, &domains)
                .into_iter()
                .map(|it| format!("{name}: {it}")),
        );
    }
    assert!(files > 200, "{files}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_an_extension_will_hold_does_no_input_or_output() {
    for member in PURE {
        let mut command = Command::new("cargo");
        command.args(["tree", "--offline", "--edges", "normal", "--prefix", "none"]);
        command.args(["--format", "{p}", "--target", "wasm32-unknown-unknown"]);
        command
            .args(["--package", member])
            .current_dir(repository());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{member}: {said}");
        let tree = String::from_utf8(output.stdout).unwrap();
        let used: BTreeSet<&str> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(used.contains(member), "{member}: {tree}");
        if member == "engine" {
            let beside: Vec<_> = PURE.iter().filter(|it| !used.contains(**it)).collect();
            assert_eq!(beside, [&BESIDE_THE_ENGINE], "what is checked for wasm32");
        }
        let impure: Vec<_> = IMPURE.iter().filter(|it| used.contains(**it)).collect();
        assert!(impure.is_empty(), "{member} uses {impure:?}");
    }
}

/// What of the standard library reads files, clocks and surroundings, or starts something.
const OF_A_SYSTEM: [&str; 7] = [
    "std::fs",
    "std::process",
    "std::net",
    "std::thread",
    "std::env",
    "Instant::now",
    "SystemTime::now",
];

/// Which of these the shipped code of a file names.
fn system_names(text: &str) -> Vec<&'static str> {
    let shipped = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let code: Vec<&str> = shipped
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let is_named = |name: &&str| code.iter().any(|line| line.contains(name));
    OF_A_SYSTEM.into_iter().filter(is_named).collect()
}

#[test]
fn what_an_extension_will_hold_reads_no_file_and_starts_nothing() {
    assert_eq!(
        system_names("use std::fs;\n// std::net\n#[cfg(test)]\nmod tests { std::env }"),
        ["std::fs"]
    );
    let (mut files, mut found) = (0, Vec::new());
    for file in tracked_files().unwrap() {
        let name = file.to_str().unwrap();
        let is_of_room = |room: &&&str| {
            let rest = name.strip_prefix(**room);
            rest.is_some_and(|rest| rest.starts_with("/src/"))
        };
        // With a feature that an extension has not.
        let is_native = name.starts_with("cdp-driver/src/native");
        let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if PURE.iter().find(is_of_room).is_none() || is_native || is_test || !name.ends_with(".rs")
        {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(repository().join(&file)).unwrap();
        let named = system_names(&text).into_iter();
        found.extend(named.map(|it| format!("{name}: {it}")));
    }
    assert!(files > 300, "{files}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Tests of the engine that cannot run on wasm32, with the reason.
const NATIVE_TESTS: [(&str, &str); 1] = [(
    "the_generated_types_are_those_of_the_messages",
    "it compares a file of generated types",
)];

#[test]
fn the_engines_unit_tests_run_on_wasm32_too() {
    // There the attribute `#[test]` is the one that exports the test to the runner.
    const EXPORTED: &str =
        "#[cfg(target_arch = \"wasm32\")]\nuse wasm_bindgen_test::wasm_bindgen_test as test;";
    const NATIVE: &str = "#[cfg(not(target_arch = \"wasm32\"))]\n    #[test]";
    let (mut with_tests, mut natives) = (0, Vec::new());
    let mut folders = vec![repository().join("engine/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            if !text.contains("#[test]") {
                continue;
            }
            natives.extend(text.match_indices(NATIVE).map(|(at, _)| {
                let behind = text[at..].split("fn ").nth(1).unwrap();
                behind.split('(').next().unwrap().to_owned()
            }));
            with_tests += 1;
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            assert!(
                lines.join("\n").contains(EXPORTED),
                "the tests of {} do not run on wasm32: its module of tests needs\n{EXPORTED}",
                path.display()
            );
        }
    }
    assert!(with_tests > 20, "{with_tests}");
    assert_eq!(natives, NATIVE_TESTS.map(|(name, _)| name));
}

/// The files that use each other, of a crate.
fn circles(of: &Crate) -> Vec<String> {
    let uses = of.uses();
    let mut nodes = BTreeMap::new();
    let mut graph: DiGraph<&str, ()> = DiGraph::new();
    for (from, to) in &uses {
        let [from, to] = [from, to].map(|file| {
            let file = file.as_str();
            *nodes.entry(file).or_insert_with(|| graph.add_node(file))
        });
        graph.add_edge(from, to, ());
    }
    tarjan_scc(&graph)
        .into_iter()
        .map(|files| files.into_iter().map(|it| graph[it]).collect())
        .filter(|files: &Vec<&str>| files.len() > 1)
        .map(|files| {
            let inside = uses
                .iter()
                .filter(|(from, to)| files.contains(&from.as_str()) && files.contains(&to.as_str()))
                .map(|(from, to)| format!("  {from} -> {to}"));
            let lines: Vec<String> = inside.collect();
            format!("{} files:\n{}", files.len(), lines.join("\n"))
        })
        .collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut found = Vec::new();
    let mut seen = 0;
    for (room, root) in ROOTS {
        let of = Crate::read(&repository().join(room).join("src").join(root));
        seen += of.files();
        found.extend(circles(&of).into_iter().map(|it| format!("{room}: {it}")));
    }
    assert!(seen > 250, "{seen} files");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A file that its program does not name is a test that nobody runs.
#[test]
fn every_file_of_tests_is_part_of_a_program() {
    let mut seen = 0;
    for room in ["tests", "engine", "js-analysis"] {
        let folder = repository().join(room).join("tests");
        let program = std::fs::read_to_string(folder.join("main.rs")).unwrap();
        let manifest = std::fs::read_to_string(repository().join(room).join("Cargo.toml")).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(module) = name.strip_suffix(".rs").filter(|it| *it != "main") else {
                continue;
            };
            seen += 1;
            let is_part = program.contains(&format!("\nmod {module};\n"));
            let is_program = manifest.contains(&format!("path = \"tests/{name}\""));
            assert!(is_part != is_program, "{room}/tests/{name}");
        }
    }
    assert!(seen > 60, "{seen} files");
}
