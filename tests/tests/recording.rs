//! `querypoint record`: what a user does in a real browser, and that a replay does the same. The pages keep a diary of every
//! event; the one of the recorded run and the one of the replay must be the same.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod loopback;
mod user;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use loopback::*;
use serde_json::{Value, json};
use user::User;

/// A page that says every event that comes to it, with what it is about. A page that is replayed has the focus all the time, also when
/// a dialog or another tab would take it: pages that show such say nothing about that (`KEEPS_FOCUS`).
fn diary(body: &str) -> Reply {
    page(&format!(
        "<style>body {{ margin: 0; font: 16px monospace }} body > * {{ position: absolute; margin: 0; box-sizing: border-box }}</style>\n\
         {body}\n<button id=end style='left: 600px; top: 400px; width: 100px; height: 40px'>That is all</button>\n\
         <script>\n\
         const about = {{\n\
         click: ['button', 'detail'], dblclick: [], auxclick: ['button'], contextmenu: ['button'],\n\
         keydown: ['key', 'ctrlKey', 'shiftKey', 'altKey', 'metaKey'], keyup: ['key'], input: [], change: [],\n\
         pointerdown: ['button', 'pointerType'], pointerup: ['button'], focusin: [], focusout: [], submit: [], dragstart: [], drop: [], dragend: [],\n\
         }};\n\
         let isOver = false;\n\
         for (const [type, members] of Object.entries(about)) {{\n\
         addEventListener(type, (event) => {{\n\
         if (isOver || !event.isTrusted || window.keepsFocus && type.startsWith('focus')) return;\n\
         const target = event.composedPath()[0];\n\
         say(type, target.id ?? '', target.value ?? '', ...members.map((name) => event[name]));\n\
         }}, true);\n\
         }}\n\
         end.onclick = () => {{ isOver = true; done(); }};\n\
         </script>"
    ))
}

const KEEPS_FOCUS: &str = "<script>keepsFocus = true;</script>";

/// Records what `act` does on `/` of a site with these pages, then replays it: the steps of the recording.
async fn recorded(pages: &[(&str, Reply)], act: impl AsyncFnOnce(&User)) -> Vec<Value> {
    recorded_at(&Site::new(pages), act).await
}

/// The same on a site that is there already.
async fn recorded_at(site: &Site, act: impl AsyncFnOnce(&User)) -> Vec<Value> {
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &[]).await;
    act(&user).await;
    user.click(650, 420).await;
    user.has_recorded("click aria/That is all").await;
    user.until("window.finished").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let done = site.said();
    assert_eq!(done.len(), 1, "{ran:#?}");

    let path = out.to_str().unwrap();
    let replayed = querypoint(&["replay", "--timeout", "60", path]);
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(replayed.status, Some(0), "{replayed:#?}\n{text}");
    let again = site.said();
    let lines = |said: &[String]| said[0].lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&done), lines(&again), "{text}");
    let recording: Value = serde_json::from_str(&text).unwrap();
    recording["steps"].as_array().unwrap().clone()
}

/// The steps but for the first two, which every recording has, and the last, each with what is looked at.
fn steps(all: &[Value], members: &[&str]) -> Vec<Value> {
    assert_eq!(all[0]["type"], "setViewport", "{all:#?}");
    assert_eq!(all[1]["type"], "navigate", "{all:#?}");
    let steps = all[2..all.len() - 1].iter();
    let looked_at = |step: &Value| {
        let values = members.iter().map(|member| {
            let value = step.pointer(member).unwrap_or(&Value::Null);
            (!value.is_null()).then(|| value.clone())
        });
        values.flatten().collect()
    };
    steps.map(looked_at).collect()
}

#[tokio::test]
async fn clicks_of_every_kind() {
    let body = "<button id=one style='left: 10px; top: 10px; width: 80px; height: 30px'>One</button>\n\
        <p id=two style='left: 10px; top: 100px; width: 80px; height: 30px'>Two</p>\n\
        <label style='left: 10px; top: 200px'><input type=checkbox id=three>Three</label>";
    let all = recorded(&[("/", diary(body))], async |user| {
        user.click(30, 20).await;
        user.press(30, 120, "middle", 1).await;
        user.press(31, 121, "right", 1).await;
        user.press(32, 122, "left", 2).await;
        user.click(50, 210).await;
    })
    .await;
    let kinds = steps(&all, &["/type", "/selectors/0/0", "/button", "/offsetX"]);
    assert_eq!(
        kinds,
        [
            json!(["click", "aria/One", 20]),
            json!(["click", "#two", "auxiliary", 20]),
            json!(["click", "#two", "secondary", 21]),
            json!(["doubleClick", "#two", 22]),
            json!(["click", "aria/Three[role=\"LabelText\"]", 40]),
        ]
    );
}

#[tokio::test]
async fn typing_keys_and_shortcuts() {
    let body = "<input id=name placeholder='Your name' style='left: 10px; top: 10px; width: 200px; height: 30px'>\n\
        <textarea id=text style='left: 10px; top: 100px; width: 200px; height: 60px'></textarea>";
    let all = recorded(&[("/", diary(body))], async |user| {
        user.click(30, 20).await;
        user.types("Ada").await;
        user.key("Tab", "").await;
        user.types("a\nb").await;
        user.key("Tab", "Shift").await;
        user.until("document.activeElement.id === 'name'").await;
        user.key("Control", "").await;
        user.click(400, 300).await;
        user.key("k", "Control").await;
        user.key("K", "Control+Shift").await;
        user.key("Enter", "Alt").await;
        user.key("k", "Meta").await;
        user.types("x").await;
    })
    .await;
    let kinds = steps(&all, &["/type", "/selectors/0/0", "/value", "/key"]);
    assert_eq!(
        kinds,
        [
            json!(["click", "aria/Your name"]),
            json!(["change", "aria/Your name", "Ada"]),
            json!(["keyDown", "Tab"]),
            json!(["keyUp", "Tab"]),
            json!(["change", "#text", "a\nb"]),
            json!(["keyDown", "Shift"]),
            json!(["keyDown", "Tab"]),
            json!(["keyUp", "Tab"]),
            json!(["keyUp", "Shift"]),
            json!(["keyDown", "Control"]),
            json!(["keyUp", "Control"]),
            json!(["click", "html"]),
            json!(["keyDown", "Control"]),
            json!(["keyDown", "k"]),
            json!(["keyUp", "k"]),
            json!(["keyUp", "Control"]),
            json!(["keyDown", "Control"]),
            json!(["keyDown", "Shift"]),
            json!(["keyDown", "K"]),
            json!(["keyUp", "K"]),
            json!(["keyUp", "Shift"]),
            json!(["keyUp", "Control"]),
            json!(["keyDown", "Alt"]),
            json!(["keyDown", "Enter"]),
            json!(["keyUp", "Enter"]),
            json!(["keyUp", "Alt"]),
            json!(["keyDown", "Meta"]),
            json!(["keyDown", "k"]),
            json!(["keyUp", "k"]),
            json!(["keyUp", "Meta"]),
            json!(["keyDown", "x"]),
            json!(["keyUp", "x"]),
        ]
    );
}

#[tokio::test]
async fn fields_that_are_not_typed_into() {
    let body = "<select id=choice style='left: 10px; top: 10px'><option>one<option>two<option>three</select>\n\
        <input type=range id=range style='left: 10px; top: 100px; width: 200px; height: 20px' value=0>\n\
        <input type=number id=number value=1 style='left: 10px; top: 200px; width: 80px'>\n\
        <input type=checkbox id=check style='left: 10px; top: 300px'>";
    let all = recorded(&[("/", diary(body))], async |user| {
        user.key("Tab", "").await;
        user.key("ArrowDown", "").await;
        user.until("choice.value === 'two'").await;
        user.drag(&[(15, 110), (60, 110), (110, 110)]).await;
        user.key("ArrowRight", "").await;
        user.key("Tab", "").await;
        user.key("ArrowDown", "").await;
        user.types("5").await;
        user.key("Tab", "").await;
        user.key(" ", "").await;
        user.until("check.checked").await;
    })
    .await;
    let kinds = steps(&all, &["/type", "/name", "/selectors/0/0", "/value"]);
    let kinds: Vec<String> = kinds.iter().map(Value::to_string).collect();
    let count = |text: &str| kinds.iter().filter(|kind| kind.contains(text)).count();
    assert_eq!(count("querypoint/drag"), 1, "{kinds:#?}");
    assert_eq!(count("\"change\",\"#choice\",\"two\""), 1, "{kinds:#?}");
    assert_eq!(count("\"change\",\"#check"), 0, "{kinds:#?}");
}

#[tokio::test]
async fn drawing_on_a_canvas() {
    let body = "<canvas id=canvas width=300 height=200 style='left: 50px; top: 50px'></canvas>\n\
        <script>canvas.onpointermove = (event) => {\n\
        if (event.buttons) say('draws', event.offsetX, event.offsetY, event.buttons);\n\
        };</script>";
    let all = recorded(&[("/", diary(body))], async |user| {
        user.drag(&[(60, 60), (80, 70), (120, 110), (200, 90)])
            .await;
    })
    .await;
    assert_eq!(
        steps(
            &all,
            &["/name", "/parameters/selectors/0/0", "/parameters/offsetX"]
        ),
        [json!(["querypoint/drag", "#canvas", 10])]
    );
    let path = all[2]["parameters"]["path"].as_array().unwrap();
    let places: Vec<(i64, i64)> = path
        .iter()
        .map(|place| (place[0].as_i64().unwrap(), place[1].as_i64().unwrap()))
        .collect();
    assert_eq!(places.first(), Some(&(20, 10)), "{places:?}");
    assert_eq!(places.last(), Some(&(140, 30)), "{places:?}");
}

#[tokio::test]
async fn scrolling_and_a_wheel_that_the_page_takes() {
    let body = "<div id=list style='left: 10px; top: 10px; width: 100px; height: 100px; overflow: auto'>\n\
        <div style='height: 2000px'>long</div></div>\n\
        <div id=map style='left: 200px; top: 10px; width: 100px; height: 100px'></div>\n\
        <script>map.addEventListener('wheel', (event) => {\n\
        event.preventDefault();\n\
        say('zooms', event.deltaY);\n\
        });\n\
        const whole = done;\n\
        done = () => { say('at', list.scrollTop); whole(); };</script>";
    let all = recorded(&[("/", diary(body))], async |user| {
        user.wheel(50, 50, 300).await;
        user.until("list.scrollTop === 300").await;
        user.has_recorded("scroll #list to 0, 300").await;
        user.wheel(250, 50, 120).await;
        user.has_recorded("turn the wheel over #map").await;
    })
    .await;
    assert_eq!(
        steps(
            &all,
            &[
                "/type",
                "/name",
                "/selectors/0/0",
                "/y",
                "/parameters/deltaY"
            ]
        ),
        [
            json!(["scroll", "#list", 300]),
            json!(["customStep", "querypoint/wheel", 120]),
        ]
    );
}

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
        <input type=file id=one hidden><button id=ask style='left: 10px; top: 100px' onclick='one.click()'>Choose</button>\n\
        <script>\n\
        addEventListener('change', async ({ target, isTrusted }) => {\n\
        for (const file of target.files) {\n\
        const text = await file.text();\n\
        say(isTrusted, target.id, file.name, file.type, file.lastModified, text.length, text.slice(0, 10));\n\
        }\n\
        });\n\
        </script>";
    let all = recorded(&[("/", diary(body))], async |user| {
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
    let user = User::at(&site.url("/"), &out, &[]).await;
    user.chooses(40, 20, &[&large]).await;
    user.click(650, 420).await;
    user.has_recorded("click aria/That is all").await;
    user.until("window.finished").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let done = site.said();

    let path = out.to_str().unwrap();
    let without = querypoint(&["replay", path]);
    assert_eq!(without.status, Some(2), "{without:#?}");
    assert!(without.err.contains("QUERYPOINT_FILES"), "{without:#?}");
    assert!(fs::metadata(&out).unwrap().len() < 100_000);
    let given = command(&["replay", "--timeout", "60", path])
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
    let all = recorded(&[("/", diary(body))], async |user| {
        user.drag(&[(30, 20), (40, 30), (150, 150), (250, 240)])
            .await;
        user.until("said.includes('ends card move')").await;
        user.drag(&[(30, 70), (40, 80), (500, 80)]).await;
        user.until("said.includes('ends other none')").await;
    })
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
    let all = recorded(&[("/", first), ("/second", second)], async |user| {
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
    })
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
        "{KEEPS_FOCUS}<button id=open style='left: 10px; top: 10px' onclick=\"open('/small', '', 'width=400,height=300')\">Open</button>\n\
        <a id=blank href=/large target=_blank rel=opener style='left: 10px; top: 60px'>Large</a>",
    ));
    let tab = |name: &str| {
        page(&format!(
            "<input id=name placeholder=Name style='position: absolute; left: 10px; top: 10px'>\n\
            <button id=close style='position: absolute; left: 10px; top: 60px' onclick='window.close()'>Close</button>\n\
            <script>for (const type of ['click', 'input', 'keydown']) addEventListener(type, ({{ target, isTrusted }}) =>\n\
            opener.say('{name}', type, target.id, target.value, isTrusted));</script>"
        ))
    };
    let pages = [
        ("/", first),
        ("/small", tab("small")),
        ("/large", tab("large")),
    ];
    let site = Site::new(&pages);
    let all = recorded_at(&site, async |user| {
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
        <div id=menu style='left: 10px; top: 10px; width: 150px'><b id=title>File</b><ul><li id=first>Open<li id=recent>Recent</ul></div>\n\
        <p id=sub hidden style='left: 160px; top: 50px; width: 100px; height: 30px'>report.txt</p>\n\
        <p id=plain style='left: 10px; top: 200px; width: 100px; height: 30px'>Plain</p>\n\
        <script>\n\
        recent.onmouseenter = () => { sub.hidden = false; };\n\
        onload = () => setTimeout(() => requestIdleCallback(() => { settled = true; }), 500);\n\
        </script>";
    let all = recorded(&[("/", diary(body))], async |user| {
        user.until("window.settled").await;
        user.points_at(500, 300).await;
        user.points_at(20, 20).await;
        user.until("first.offsetHeight > 0").await;
        let at =
            |name: &str, side: &str| format!("Math.round({name}.getBoundingClientRect().{side})");
        let (x, y) = (at("recent", "left"), at("recent", "top"));
        let (x, y) = (user.number(&x).await, user.number(&y).await);
        user.points_at(x + 5, y + 5).await;
        user.until("!sub.hidden").await;
        user.click(200, 60).await;
        user.until("said.some((line) => line.startsWith('click sub'))")
            .await;
        user.points_at(500, 300).await;
        user.click(20, 210).await;
    })
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
    let all = recorded(&pages, async |user| {
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

#[tokio::test]
async fn links_and_frames() {
    let first =
        page("<a id=on href=/second style='position: absolute; left: 10px; top: 10px'>Go on</a>");
    let second = diary(
        "<iframe src=/inner style='left: 100px; top: 100px; width: 200px; height: 100px; border: 0'></iframe>",
    );
    let inner = html(
        "<body style='margin: 0'><button style='width: 100px; height: 50px' onclick='parent.say(\"inside\")'>In</button>",
    );
    let pages = [("/", first), ("/second", second), ("/inner", inner)];
    let all = recorded(&pages, async |user| {
        user.click(20, 20).await;
        user.until("location.pathname === '/second' && document.readyState === 'complete'")
            .await;
        user.click(150, 120).await;
        user.until("said.includes('inside')").await;
    })
    .await;
    assert_eq!(
        steps(
            &all,
            &[
                "/type",
                "/selectors/0/0",
                "/frame",
                "/assertedEvents/0/type"
            ]
        ),
        [
            json!(["click", "aria/Go on", "navigation"]),
            json!(["click", "aria/In", [0]]),
        ]
    );
}

/// What is secret is neither in the recording nor on the screen; whoever replays it gives it.
#[tokio::test]
async fn secrets_are_left_out_and_given_when_it_is_replayed() {
    let body = "<input type=password id=password name=my-password style='left: 10px; top: 10px; width: 200px'>\n\
        <input autocomplete=cc-number id=card style='left: 10px; top: 100px; width: 200px'>";
    let site = Site::new(&[("/", diary(body))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let mut user = User::at(&site.url("/"), &out, &[]).await;
    user.click(30, 20).await;
    user.types("hunter2").await;
    user.click(30, 110).await;
    user.types("4111").await;
    user.click(650, 420).await;
    user.has_recorded("click aria/That is all").await;
    user.until("window.finished").await;
    let ran = user.interrupts();
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(
        ran.out.contains("QUERYPOINT_CARD, QUERYPOINT_MY_PASSWORD"),
        "{ran:#?}"
    );
    let text = fs::read_to_string(&out).unwrap();
    for told in [&text, &ran.out, &ran.err] {
        assert!(
            !told.contains("hunter2") && !told.contains("4111"),
            "{told}"
        );
    }
    let mode = fs::metadata(&out).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left = fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(left, 1, "nothing else is left in the folder");

    let path = out.to_str().unwrap();
    let done = site.said();
    let without = querypoint(&["replay", path]);
    assert_eq!(without.status, Some(2), "{without:#?}");
    assert!(
        without.err.contains("QUERYPOINT_MY_PASSWORD"),
        "{without:#?}"
    );
    let given = command(&["replay", "--timeout", "60", path])
        .env("QUERYPOINT_MY_PASSWORD", "hunter2")
        .env("QUERYPOINT_CARD", "4111")
        .output()
        .unwrap();
    assert_eq!(given.status.code(), Some(0), "{given:?}");
    assert!(!String::from_utf8_lossy(&given.stderr).contains("hunter2"));
    assert_eq!(done, site.said(), "{text}");
}

/// The page cannot tell that it is recorded.
#[tokio::test]
async fn the_page_sees_nothing_of_the_recorder() {
    let body = "<script>\n\
        const own = () => Object.getOwnPropertyNames(window).filter((name) => /querypoint|tell/i.test(name)).join();\n\
        say('own', own());\n\
        const add = EventTarget.prototype.addEventListener;\n\
        EventTarget.prototype.addEventListener = function (...rest) { say('listens', rest[0]); return add.apply(this, rest); };\n\
        Event.prototype.composedPath = () => { throw new Error('seen'); };\n\
        JSON.stringify = () => { throw new Error('seen'); };\n\
        Element.prototype.getBoundingClientRect = () => { throw new Error('seen'); };\n\
        </script>";
    let plain = "<button id=end style='position: absolute; left: 600px; top: 400px; width: 100px; height: 40px'>End</button>\n\
        <script>end.onclick = () => { say('own', own()); done(); };</script>";
    let site = Site::new(&[("/", page(&format!("{body}\n{plain}")))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--title", "a title"]).await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(site.said(), ["own \nown "]);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("\"title\": \"a title\""), "{text}");
}

#[tokio::test]
async fn what_cannot_be_recorded_is_said_before_it_is_begun() {
    let ran = querypoint(&["record", "page.html", "--out", "/no/such/folder/a.json"]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("/no/such/folder/a.json"), "{ran:#?}");
    let ran = querypoint(&["record", "x", "--out", "a", "--viewport", "0x7"]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("1024x768"), "{ran:#?}");
}
