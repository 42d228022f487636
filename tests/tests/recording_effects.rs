//! `querypoint record`: what is more than input to one page. Files, drops, dialogs, tabs, what the pointer reveals, the
//! history.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use crate::recorded::*;
use crate::user::User;
use serde_json::{Value, json};

/// The files are in the recording: they are gone when it is replayed.
#[tokio::test]
async fn choosing_files() {
    let folder = Folder::new();
    let (table, empty) = (
        folder.file("a table.csv", "a,b\n1,2\n"),
        folder.file("b.txt", ""),
    );
    let large = folder.0.join("large.bin");
    fs::write(&large, vec![7; 200_000]).unwrap();
    let body = "<input type=file multiple id=some style='left: 10px; top: 10px'>\n\
        <input type=file id=one hidden><button id=ask style='left: 10px; top: 100px' \
        onclick='one.click()'>Choose</button>\n\
        <script>\n\
        addEventListener('change', async ({ target, isTrusted }) => {\n\
        for (const file of target.files) {\n\
        const text = await file.text();\n\
        say(isTrusted, target.id, file.name, file.type, file.lastModified, text.length, text.slice(0, 10));\n\
        }\n\
        });\n\
        </script>";
    let all = recorded("choosing_files", &[("/", diary(body))], async |user| {
        user.chooses(40, 20, &[&table, &empty]).await;
        user.until("said.filter((line) => /^true some/.test(line)).length === 2")
            .await;
        user.chooses(30, 110, &[&large]).await;
        user.until("said.some((line) => /^true one large.bin/.test(line))")
            .await;
        for file in [&table, &empty, &large] {
            fs::remove_file(file).unwrap();
        }
    })
    .await;
    assert_eq!(
        steps(
            &all,
            &[
                "/type",
                "/name",
                "/selectors/0/0",
                "/parameters/selectors/0/0",
                "/parameters/files/0/name",
                "/parameters/files/0/type",
                "/parameters/files/1/contents",
            ]
        ),
        [
            json!(["click", "#some"]),
            json!([
                "customStep",
                "querypoint/files",
                "#some",
                "a table.csv",
                "text/csv",
                ""
            ]),
            json!(["click", "aria/Choose"]),
            json!([
                "customStep",
                "querypoint/files",
                "#one",
                "large.bin",
                "application/octet-stream"
            ]),
        ]
    );
}

/// What is too large is not in the recording, and no file of the reader's is taken that the reader did not put there.
#[tokio::test]
async fn a_file_that_is_too_large_is_given_when_it_is_replayed() {
    let folder = Folder::new();
    let large = folder.0.join("large.bin");
    fs::write(&large, vec![7; (8 << 20) + 1]).unwrap();
    let body = "<input type=file id=some style='left: 10px; top: 10px'>\n\
        <script>some.onchange = () => say(some.files[0].name, some.files[0].size);</script>";
    let site = Site::new(&[("/", diary(body))]);
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    user.chooses(40, 20, &[&large]).await;
    user.finishes("That is all").await;
    let done = site.said();

    let path = out.to_str().unwrap();
    let without = querypoint(&["replay", path]);
    assert_eq!(without.status, Some(2), "{without:#?}");
    assert!(without.err.contains("QUERYPOINT_FILES"), "{without:#?}");
    assert!(fs::metadata(&out).unwrap().len() < 100_000);
    let given = shared_command(&["replay", "--timeout", "60", path])
        .env("QUERYPOINT_FILES", &folder.0)
        .output()
        .unwrap();
    assert_eq!(given.status.code(), Some(0), "{given:?}");
    assert_eq!(done, site.said());
}

#[tokio::test]
async fn dragging_and_dropping() {
    let body = "<p id=card draggable=true style='left: 10px; top: 10px; width: 80px; height: 30px'>Card</p>\n\
        <p id=other draggable=true style='left: 10px; top: 60px; width: 80px; height: 30px'>Other</p>\n\
        <div id=box style='left: 200px; top: 200px; width: 200px; height: 100px'></div>\n\
        <script>\n\
        card.ondragstart = ({ dataTransfer }) => {\n\
        dataTransfer.setData('text/plain', 'a card');\n\
        dataTransfer.setData('application/json', '[1]');\n\
        dataTransfer.effectAllowed = 'move';\n\
        };\n\
        box.ondragenter = (event) => event.preventDefault();\n\
        box.ondragover = (event) => { event.preventDefault(); event.dataTransfer.dropEffect = 'move'; };\n\
        box.ondrop = (event) => {\n\
        event.preventDefault();\n\
        const { dataTransfer, offsetX, offsetY } = event;\n\
        const data = dataTransfer.types.map((type) => `${type}: ${dataTransfer.getData(type)}`);\n\
        say('gets', event.isTrusted, data, dataTransfer.dropEffect, offsetX, offsetY);\n\
        box.append(card);\n\
        };\n\
        addEventListener('dragend', ({ target, dataTransfer }) => say('ends', target.id, dataTransfer.dropEffect));\n\
        </script>";
    let all = recorded(
        "dragging_and_dropping",
        &[("/", diary(body))],
        async |user| {
            user.drag(&[(30, 20), (40, 30), (150, 150), (250, 240)])
                .await;
            user.until("said.includes('ends card move')").await;
            user.drag(&[(30, 70), (40, 80), (500, 80)]).await;
            user.until("said.includes('ends other none')").await;
        },
    )
    .await;
    assert_eq!(
        steps(
            &all,
            &[
                "/name",
                "/parameters/selectors/0/0",
                "/parameters/onto/selectors/0/0",
                "/parameters/onto/offsetY"
            ]
        ),
        [
            json!(["querypoint/drag", "#card", "#box", 40]),
            json!(["querypoint/drag", "#other"]),
        ]
    );
}

#[tokio::test]
async fn dialogs_and_how_they_are_answered() {
    let first = diary(&format!(
        "{KEEPS_FOCUS}<button id=ask style='left: 10px; top: 10px'>Ask</button>\n\
        <button id=later style='left: 10px; top: 60px'>Later</button>\n\
        <a id=on href=/second style='left: 10px; top: 110px'>Go on</a>\n\
        <script>\n\
        ask.onclick = () => {{\n\
        alert('now');\n\
        say(confirm('sure?'), confirm('really?'), prompt('how many?', 3), prompt('why?', 'so'), prompt('who?'));\n\
        }};\n\
        later.onclick = () => setTimeout(() => say('later', confirm('later?')), 300);\n\
        onbeforeunload = (event) => {{ event.preventDefault(); localStorage.said = said.join('\\n'); }};\n\
        </script>",
    ));
    let second = diary(&format!(
        "{KEEPS_FOCUS}<script>say(localStorage.said);</script>"
    ));
    let all = recorded(
        "dialogs_and_how_they_are_answered",
        &[("/", first), ("/second", second)],
        async |user| {
            let answers = [
                (true, None),
                (false, None),
                (true, None),
                (true, Some("seven")),
                (true, Some("")),
                (false, None),
            ];
            user.click_and_answer(20, 20, &answers).await;
            user.click_and_answer(20, 70, &[(false, None)]).await;
            user.click_and_answer(20, 115, &[(false, None)]).await;
            user.click_and_answer(20, 115, &[(true, None)]).await;
            user.until("location.pathname === '/second' && document.readyState === 'complete'")
                .await;
            user.until("said[0].includes('false true seven  null')")
                .await;
            user.until("said[0].includes('later false')").await;
        },
    )
    .await;
    let dialogs = |step: usize| all[step]["querypoint"]["dialogs"].clone();
    let confirm = |message: &str, accept: bool| json!({ "type": "confirm", "message": message, "accept": accept });
    let prompt = |message: &str, text: &str| json!({ "type": "prompt", "message": message, "accept": true, "text": text });
    assert_eq!(
        dialogs(2),
        json!([
            { "type": "alert", "message": "now", "accept": true },
            confirm("sure?", false),
            confirm("really?", true),
            prompt("how many?", "seven"),
            prompt("why?", ""),
            { "type": "prompt", "message": "who?", "accept": false },
        ])
    );
    assert_eq!(dialogs(3), json!([confirm("later?", false)]));
    assert_eq!(dialogs(4)[0]["type"], "beforeunload");
    assert_eq!(dialogs(4)[0]["accept"], false);
    assert_eq!(dialogs(5)[0]["accept"], true);
    assert_eq!(all.len(), 7, "{all:#?}");
}

/// A replay says which dialog it answered by itself, and which did not come.
#[tokio::test]
async fn a_dialog_that_was_not_recorded_is_reported() {
    let body = "<button id=ask style='position: absolute; left: 10px; top: 10px' onclick='ask()'>Ask</button>";
    let asks = |script: &str| {
        page(&format!(
            "{body}<script>function ask() {{ {script}; done(); }}</script>"
        ))
    };
    let site = Site::new(&[
        ("/more", asks("alert('first'); say(confirm('new?'))")),
        ("/less", asks("say('none')")),
    ]);
    let folder = Folder::new();
    let click = json!({
        "type": "click", "selectors": [["#ask"]], "offsetX": 5, "offsetY": 5, "timeout": 1000,
        "querypoint": { "dialogs": [{ "type": "alert", "message": "first", "accept": true }] },
    });
    for (path, note) in [
        (
            "/more",
            "a dialog (confirm) that the recording does not answer; it was accepted: \"new?\"",
        ),
        (
            "/less",
            "the recording answers a dialog here, the page showed none within 1000 ms",
        ),
    ] {
        let file = recording(&folder, &site.url(path), std::slice::from_ref(&click));
        let ran = querypoint(&["replay", "--timeout", "60", file.to_str().unwrap()]);
        assert_eq!(ran.status, Some(1), "{ran:#?}");
        assert!(
            ran.out.contains("step 2:") && ran.out.contains(note),
            "{ran:#?}"
        );
    }
    assert_eq!(site.said(), ["true", "none"]);
}

#[tokio::test]
async fn tabs_that_the_page_opens() {
    let first = diary(&format!(
        "{KEEPS_FOCUS}<button id=open style='left: 10px; top: 10px' onclick=\"open('/small', '', \
        'width=400,height=300')\">Open</button>\n\
        <a id=blank href=/large target=_blank rel=opener style='left: 10px; top: 60px'>Large</a>",
    ));
    let tab = |name: &str| {
        page(&format!(
            "<input id=name placeholder=Name style='position: absolute; left: 10px; top: 10px'>\n\
            <button id=close style='position: absolute; left: 10px; top: 60px' \
            onclick='window.close()'>Close</button>\n\
            <script>for (const type of ['click', 'input', 'keydown']) addEventListener(type, ({{ target, isTrusted \
            }}) =>\n\
            opener.say('{name}', type, target.id, target.value, isTrusted));</script>"
        ))
    };
    let pages = [
        ("/", first),
        ("/small", tab("small")),
        ("/large", tab("large")),
    ];
    let site = Site::new(&pages);
    let all = recorded_at("tabs_that_the_page_opens", &site, async |user| {
        let main = site.url("/");
        user.click(20, 20).await;
        user.turns_to(&site.url("/small")).await;
        user.click(20, 20).await;
        user.types("Ada").await;
        user.has_recorded("change aria/Name to \"Ada\"").await;
        user.turns_to(&main).await;
        user.click(20, 65).await;
        user.turns_to(&site.url("/large")).await;
        user.click(20, 20).await;
        user.has_recorded("click aria/Name").await;
        user.closes_tab().await;
        user.has_recorded(&format!("close {}", site.url("/large")))
            .await;
        user.turns_to(&site.url("/small")).await;
        user.click_into_nothing(20, 70).await;
        user.has_recorded(&format!("close {}", site.url("/small")))
            .await;
        user.turns_to(&main).await;
    })
    .await;
    let (small, large) = (site.url("/small"), site.url("/large"));
    let actions: Vec<Value> = steps(&all, &["/type", "/target", "/selectors/0/0"])
        .into_iter()
        .filter(|step| step[0] != "setViewport")
        .collect();
    assert_eq!(
        actions,
        [
            json!(["click", "main", "aria/Open"]),
            json!(["click", small, "aria/Name"]),
            json!(["change", small, "aria/Name"]),
            json!(["click", "main", "aria/Large"]),
            json!(["click", large, "aria/Name"]),
            json!(["close", large]),
            json!(["click", small, "aria/Close"]),
            json!(["close", small]),
        ]
    );
}

#[tokio::test]
async fn menus_that_open_when_the_pointer_comes_over_them() {
    let body = "<style>#menu ul { display: none; margin: 0 } #menu:hover ul { display: block }</style>\n\
        <div id=menu style='left: 10px; top: 10px; width: 150px'><b id=title>File</b><ul><li id=first>Open<li \
        id=recent>Recent</ul></div>\n\
        <p id=sub hidden style='left: 160px; top: 50px; width: 100px; height: 30px'>report.txt</p>\n\
        <p id=plain style='left: 10px; top: 200px; width: 100px; height: 30px'>Plain</p>\n\
        <script>\n\
        recent.onmouseenter = () => { sub.hidden = false; };\n\
        onload = () => setTimeout(() => requestIdleCallback(() => { settled = true; }), 500);\n\
        </script>";
    let all = recorded(
        "menus_that_open_when_the_pointer_comes_over_them",
        &[("/", diary(body))],
        async |user| {
            user.until("window.settled").await;
            user.points_at(500, 300).await;
            user.points_at(20, 20).await;
            user.until("first.offsetHeight > 0").await;
            let at = |name: &str, side: &str| {
                format!("Math.round({name}.getBoundingClientRect().{side})")
            };
            let (x, y) = (at("recent", "left"), at("recent", "top"));
            let (x, y) = (user.number(&x).await, user.number(&y).await);
            user.points_at(x + 5, y + 5).await;
            user.until("!sub.hidden").await;
            user.click(200, 60).await;
            user.until("said.some((line) => line.startsWith('click sub'))")
                .await;
            user.points_at(500, 300).await;
            user.click(20, 210).await;
        },
    )
    .await;
    assert_eq!(
        steps(&all, &["/type", "/selectors/0/0"]),
        [
            json!(["hover", "#title"]),
            json!(["hover", "#recent"]),
            json!(["click", "#sub"]),
            json!(["click", "#plain"]),
        ]
    );
}

#[tokio::test]
async fn back_and_forward() {
    let first = diary(
        "<a id=on href=/second style='left: 10px; top: 10px'>Go on</a>\n\
        <button id=deeper style='left: 10px; top: 60px'>Deeper</button>\n\
        <script>\n\
        say(sessionStorage.said ?? 'new');\n\
        onpagehide = () => { sessionStorage.said = said.join(';'); };\n\
        deeper.onclick = () => history.pushState(1, '', '?deeper');\n\
        onpopstate = ({ state }) => say('popstate', state, location.search);\n\
        </script>",
    );
    let second = page(
        "<button id=back style='position: absolute; left: 10px; top: 10px' onclick='history.back()'>Back</button>",
    );
    let pages = [("/", first), ("/second", second)];
    let all = recorded("back_and_forward", &pages, async |user| {
        let is_at = |path: &str| {
            format!("location.pathname + location.search === '{path}' && document.readyState === 'complete'")
        };
        user.click(20, 20).await;
        user.until(&is_at("/second")).await;
        user.goes(-1).await;
        user.until(&is_at("/")).await;
        user.has_recorded("go back").await;
        user.goes(1).await;
        user.until(&is_at("/second")).await;
        user.has_recorded("go forward").await;
        user.click(20, 20).await;
        user.until(&is_at("/")).await;
        user.click(20, 70).await;
        user.until(&is_at("/?deeper")).await;
        user.goes(-1).await;
        user.until("said.includes('popstate null ')").await;
    })
    .await;
    assert_eq!(
        steps(
            &all,
            &["/type", "/selectors/0/0", "/name", "/parameters/delta"]
        ),
        [
            json!(["click", "aria/Go on"]),
            json!(["customStep", "querypoint/history", -1]),
            json!(["customStep", "querypoint/history", 1]),
            json!(["click", "aria/Back"]),
            json!(["click", "aria/Deeper"]),
            json!(["customStep", "querypoint/history", -1]),
        ]
    );
}

/// Questions replay it as well, in a page that is rewritten, with debuggers on each tab.
#[test]
fn a_question_brings_all_of_it_back() {
    let body = "<style>body > * { position: absolute; margin: 0 }</style>\n\
        <input type=file id=field style='left: 10px; top: 10px'>\n\
        <p id=card draggable=true style='left: 10px; top: 60px; width: 80px; height: 30px'>Card</p>\n\
        <div id=box style='left: 200px; top: 200px; width: 200px; height: 100px'></div>\n\
        <button id=ask style='left: 10px; top: 110px'>Ask</button>\n\
        <button id=open style='left: 10px; top: 160px' onclick=\"window.open('/small', '', \
        'width=400,height=300')\">Open</button>\n\
        <script>\n\
        field.onchange = async () => { say(field.files[0].name, await field.files[0].text()); };\n\
        card.ondragstart = ({ dataTransfer }) => dataTransfer.setData('text/plain', 'a card');\n\
        box.ondragover = (event) => event.preventDefault();\n\
        box.ondrop = ({ dataTransfer }) => say(dataTransfer.getData('text/plain'));\n\
        ask.onclick = () => say(confirm('sure?'), prompt('why?'));\n\
        function told(text) {\n\
        say(text);\n\
        probe.value = said.join('; ');\n\
        }\n\
        </script>";
    let small = "<button id=tell style='position: absolute; left: 10px; top: 10px'>Tell</button>\n\
        <script>tell.onclick = () => { opener.told(confirm('tell?')); window.close(); };</script>";
    let site = Site::new(&[("/", page(body)), ("/small", page(small))]);
    let custom = |name: &str, parameters: Value| json!({ "type": "customStep", "name": name, "parameters": parameters });
    let click = |id: &str, more: Value| {
        let mut step = json!({ "type": "click", "selectors": [[id]], "offsetX": 5, "offsetY": 5 });
        for (member, value) in more.as_object().unwrap() {
            step[member] = value.clone();
        }
        step
    };
    let dialog = |kind: &str, accept: bool, text: Option<&str>| json!({ "type": kind, "accept": accept, "text": text });
    let steps = [
        custom(
            "querypoint/files",
            json!({ "selectors": [["#field"]], "files": [{ "name": "a.csv", "contents": "YSxi" }] }),
        ),
        custom(
            "querypoint/drag",
            json!({ "selectors": [["#card"]], "offsetX": 5, "offsetY": 5, "path": [[20, 20, 10], [100, 100, 20]],
                "onto": { "selectors": [["#box"]], "offsetX": 50, "offsetY": 50 } }),
        ),
        click(
            "#ask",
            json!({ "querypoint": { "dialogs": [dialog("confirm", false, None), dialog("prompt", true, Some("so"))] } }),
        ),
        click("#open", json!({})),
        click(
            "#tell",
            json!({ "target": site.url("/small"), "querypoint": { "dialogs": [dialog("confirm", false, None)] } }),
        ),
        json!({ "type": "close", "target": site.url("/small") }),
    ];
    let folder = Folder::new();
    let path = recording(&folder, &site.url("/"), &steps);
    let ran = ask(&site.url("/"), &["--recording", path.to_str().unwrap()]);
    let answer = ran.answer();
    let point = answer["points"].as_array().unwrap().last().unwrap();
    assert_eq!(
        point["new"]["text"], "\"a.csv a,b; a card; false so; false\"",
        "{ran:#?}"
    );
    assert_eq!(answer["consistency"]["agrees"], true, "{answer:#}");
}
