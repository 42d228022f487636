//! An `aria/` selector finds what the browser itself names so: names and roles are compared with the accessibility tree
//! of Chromium, which is what the recorder of its developer tools takes them from.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{LIMIT, browser, click, data_url, page, run, value};

/// How long an element is looked for.
const LONGEST_MS: u64 = 5000;

/// Each element that is looked for has an identifier.
const PAGE: &str = r#"<!doctype html><style>
    .hidden { display: none } .invisible { visibility: hidden } .before::before { content: "pre " }
    .after::after { content: " post" } .upper { text-transform: uppercase } .box { display: inline-block }
    </style><body>
    <button id=plain>Save</button> <button id=parts><span>Save</span> <b>all</b></button>
    <button id=blocks><div>a</div><div>b</div></button> <button id=image><img alt=Cart src="">2</button>
    <button id=given aria-label=Close>x</button> <button id=referenced aria-labelledby="one two">z</button>
    <span id=one>First</span><span id=two class=hidden>Second <i>it</i></span>
    <button id=tip title="A tip"></button> <button id=tipped title="Another tip">Shown</button>
    <button id=before class=before>mid</button> <button id=after class=after>end</button>
    <button id=vector><svg><title>Pen</title></svg></button> <button id=icon><svg aria-label=Brush></svg></button>
    <button id=silent><span aria-hidden=true>x</span>Visible</button>
    <button id=left><span class=hidden>no</span>Yes</button> <button id=none><span class=invisible>no</span>Yes too</button>
    <button id=lines>one<br>two</button> <button id=spaces>  w  <span> x</span>y </button>
    <a id=link href="javascript:void 0">link</a> <a id=home href="javascript:void 0"><img src="" alt="Logo"> Home</a>
    <label for=name>Name</label><input id=name> <label>Wrap <input id=wrapped></label>
    <label>Pick <select id=pick><option value=1>A<option value=2 selected>B</select> please</label>
    <input id=hint placeholder=Hint> <input id=titled title=Titled> <input id=both title="The title" placeholder=Ph>
    <input id=submit type=submit> <input id=go type=submit value=Go> <input id=reset type=reset>
    <input id=word type=button value=Word> <input id=picture type=image alt=Picture src="">
    <label>Check <input id=check type=checkbox></label>
    <input id=twice type=checkbox><label for=twice>Once</label><label for=twice>Twice</label>
    <label><input id=remember type=checkbox> remember <input type=text value=5 aria-label=n> days</label>
    <label>Of <select><option value=1>one<option value=2 selected>two</select> <input id=choice type=checkbox></label>
    <label>Volume <input id=volume type=range min=0 max=10 value=3> end</label>
    <h1 id=heading>Head <em>ing</em></h1> <div id=role role=button>Div <span>button</span></div>
    <div role=tablist><div id=tab role=tab>Tab</div></div>
    <div id=switch role=switch>Switch</div> <textarea id=area placeholder=Area></textarea>
    <button id=itself aria-labelledby="one itself">Me</button> <button id=lost aria-labelledby=nothing>Fallback</button>
    <button id=holds>in <input value=inside></button>
    <button id=boxes><span class=box>in</span><span class=box>line</span></button>
    <button id=upper class=upper>lower</button> <button id=accents>caf&eacute; &nbsp; no</button>
    <svg id=drawn role=img width=20 height=20><title>Drawn</title></svg>
    <div id=host></div>
    <script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<button id=deep><slot></slot> deep</button>';
        host.append('Slotted');
        addEventListener('mousedown', (event) => { last = event.composedPath()[0].closest('[id]').id; }, true);
    </script>"#;

/// What Chromium's accessibility tree says of each element that has an identifier: role and name.
async fn named(page: &engine::page::Page) -> BTreeMap<String, (String, String)> {
    let send = |method: &'static str, params: Value| page.drive(page.send(method, params));
    let tree = send("Accessibility.getFullAXTree", json!({}))
        .await
        .unwrap();
    let mut named = BTreeMap::new();
    for node in tree["nodes"].as_array().unwrap() {
        let Some(backend) = node.get("backendDOMNodeId") else {
            continue;
        };
        let params = json!({ "backendNodeId": backend });
        let element = send("DOM.describeNode", params).await.unwrap();
        let attributes = element["node"]["attributes"].as_array();
        let attributes: Vec<&str> = attributes
            .map(|all| all.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let identifier = attributes.chunks(2).find(|pair| pair[0] == "id");
        let text = |member: &str| node[member]["value"].as_str().unwrap_or("").trim();
        if let (Some(pair), false) = (identifier, text("name").is_empty()) {
            let words: Vec<&str> = text("name").split_whitespace().collect();
            let role = text("role").to_owned();
            named.insert(pair[1].to_owned(), (role, words.join(" ")));
        }
    }
    named
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_browser_names_so_is_found_by_that_name() {
    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(&data_url(PAGE), LIMIT).await.unwrap();
    let named = named(&page).await;
    let mut wrong = Vec::new();
    let mut looked_for = 0;
    for (identifier, (role, name)) in &named {
        // Only texts: they have no role to be found by.
        if ["generic", "none", "LabelText", "StaticText"].contains(&role.as_str()) {
            continue;
        }
        looked_for += 1;
        let selector = format!("aria/{name}[role=\"{role}\"]");
        let mut step = click(json!([[selector]]));
        step["timeout"] = json!(LONGEST_MS);
        let found = match run(&page, json!([step])).await {
            Ok(_) => value(&page, "last").await,
            Err(error) => json!(error.to_string()),
        };
        if found != json!(identifier) {
            wrong.push(format!("{selector} is {identifier}, found {found}"));
        }
    }
    browser.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked_for >= 45, "{looked_for} elements have names");
}
