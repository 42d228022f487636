//! `querypoint record`: what a user does in a real browser, and that a replay does the same. The pages keep a diary of
//! every event; the one of the recorded run and the one of the replay must be the same.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::loopback::*;
use crate::recorded::*;
use crate::user::User;
use serde_json::{Value, json};

#[tokio::test]
async fn clicks_of_every_kind() {
    let body = "<button id=one style='left: 10px; top: 10px; width: 80px; height: 30px'>One</button>\n\
        <p id=two style='left: 10px; top: 100px; width: 80px; height: 30px'>Two</p>\n\
        <label style='left: 10px; top: 200px'><input type=checkbox id=three>Three</label>";
    let all = recorded(
        "clicks_of_every_kind",
        &[("/", diary(body))],
        async |user| {
            user.click(30, 20).await;
            user.press(30, 120, "middle", 1).await;
            user.press(31, 121, "right", 1).await;
            user.press(32, 122, "left", 2).await;
            user.click(50, 210).await;
        },
    )
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
    let all = recorded(
        "typing_keys_and_shortcuts",
        &[("/", diary(body))],
        async |user| {
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
        },
    )
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
    let all = recorded(
        "fields_that_are_not_typed_into",
        &[("/", diary(body))],
        async |user| {
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
        },
    )
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
    let all = recorded("drawing_on_a_canvas", &[("/", diary(body))], async |user| {
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
    let all = recorded(
        "scrolling_and_a_wheel_that_the_page_takes",
        &[("/", diary(body))],
        async |user| {
            user.wheel(50, 50, 300).await;
            user.until("list.scrollTop === 300").await;
            user.has_recorded("scroll #list to 0, 300").await;
            user.wheel(250, 50, 120).await;
            user.has_recorded("turn the wheel over #map").await;
        },
    )
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

#[tokio::test]
async fn the_window_and_its_address() {
    let first = diary("<script>say(innerWidth, innerHeight, location.search);</script>");
    let site = Site::new(&[("/", first)]);
    let all = recorded_at("the_window_and_its_address", &site, async |user| {
        let size = json!({ "width": 900, "height": 600, "deviceScaleFactor": 1, "mobile": false });
        user.send("Emulation.setDeviceMetricsOverride", size).await;
        user.has_recorded("set the viewport to 900×600").await;
        user.send("Page.reload", json!({})).await;
        user.until("said[0] === '900 600 ' && document.readyState === 'complete'")
            .await;
        let typed = json!({ "url": site.url("/?typed") });
        user.send("Page.navigate", typed).await;
        user.until("location.search === '?typed' && document.readyState === 'complete'")
            .await;
    })
    .await;
    assert_eq!(
        steps(&all, &["/type", "/url", "/width"]),
        [
            json!(["setViewport", 900]),
            json!(["navigate", site.url("/")]),
            json!(["navigate", site.url("/?typed")]),
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
        "<body style='margin: 0'><button style='width: 100px; height: 50px' \
         onclick='parent.say(\"inside\")'>In</button>",
    );
    let pages = [("/", first), ("/second", second), ("/inner", inner)];
    let all = recorded("links_and_frames", &pages, async |user| {
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

/// A frame of another site is in a process of its own, and so is one of the first site within it.
#[tokio::test]
async fn frames_of_other_sites() {
    let site = Site::new(&[]);
    let tells = "<script>const tell = (...what) => top.postMessage(what.join(' '), '*');</script>";
    let frame =
        |at: &str, size: &str| format!("<iframe src='{at}' style='border: 0; {size}'></iframe>");
    let first = format!(
        "{}{}<script>onmessage = ({{ data }}) => say('told', data);</script>",
        frame(
            &site.elsewhere("/other"),
            "left: 50px; top: 50px; width: 400px; height: 300px"
        ),
        frame(
            "/own",
            "left: 500px; top: 50px; width: 200px; height: 100px"
        ),
    );
    let other = html(&format!(
        "{tells}<style>body {{ margin: 0 }} body > * {{ position: absolute; margin: 0; box-sizing: border-box }}</style>
<input id=name style='left: 20px; top: 20px; width: 200px; height: 30px' onchange='tell(\"named\", value)'>
<button style='left: 20px; top: 60px; width: 100px; height: 30px' onclick='tell(\"greeted\", event.isTrusted)'>Greet</button>
{}",
        frame(
            &site.url("/inner"),
            "left: 100px; top: 150px; width: 200px; height: 100px"
        )
    ));
    let inner = |what: &str| {
        html(&format!(
            "{tells}<body style='margin: 0'><button style='width: 100px; height: 50px' \
             onclick='tell(\"{what}\")'>{what}</button>"
        ))
    };
    site.answers(&[
        ("/", diary(&first)),
        ("/other", other),
        ("/own", inner("Own")),
        ("/inner", inner("Inner")),
    ]);
    let all = recorded_at("frames_of_other_sites", &site, async |user| {
        user.click(100, 85).await;
        user.types("Ada").await;
        user.click(100, 125).await;
        user.until("said.includes('told greeted true')").await;
        user.click(180, 220).await;
        user.until("said.includes('told Inner')").await;
        user.click(520, 70).await;
        user.until("said.includes('told Own')").await;
    })
    .await;
    let wanted = [
        json!(["click", "#name", "main", [0]]),
        json!(["change", "#name", "main", [0]]),
        json!(["click", "aria/Greet", "main", [0]]),
        json!(["click", "aria/Inner", "main", [0, 0]]),
        json!(["click", "aria/Own", "main", [1]]),
    ];
    let members = ["/type", "/selectors/0/0", "/target", "/frame"];
    assert_eq!(steps(&all, &members), wanted);
}

/// What is secret is neither in the recording nor on the screen; whoever replays it gives it.
#[tokio::test]
async fn secrets_are_left_out_and_given_when_it_is_replayed() {
    let body = "<input type=password id=password name=my-password style='left: 10px; top: 10px; width: 200px'>\n\
        <input autocomplete=cc-number id=card style='left: 10px; top: 100px; width: 200px'>";
    let site = Site::new(&[("/", diary(body))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let mut user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    user.click(30, 20).await;
    user.types("hunter2").await;
    user.click(30, 110).await;
    user.types("5105105105").await;
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
            !told.contains("hunter2") && !told.contains("5105105105"),
            "{told}"
        );
    }
    let told: Value = serde_json::from_str(&text).unwrap();
    proves(
        "secrets_are_left_out_and_given_when_it_is_replayed",
        told["steps"].as_array().unwrap(),
    );
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
    let given = shared_command(&["replay", "--timeout", "60", path])
        .env("QUERYPOINT_MY_PASSWORD", "hunter2")
        .env("QUERYPOINT_CARD", "5105105105")
        .output()
        .unwrap();
    assert_eq!(given.status.code(), Some(0), "{given:?}");
    assert!(!String::from_utf8_lossy(&given.stderr).contains("hunter2"));
    assert_eq!(done, site.said(), "{text}");
}

/// Names have no case, a field may be shown before anything is typed, and not every field says what it is for.
#[tokio::test]
async fn secrets_of_every_kind_are_left_out() {
    let at = |top: u32, attributes: &str| {
        format!("<input {attributes} style='left: 10px; top: {top}px; width: 200px'>")
    };
    let fields = [
        at(10, "autocomplete='section-a CC-CSC' id=csc"),
        at(60, "type=password id=shown"),
        at(110, "id=dots class=dots"),
        at(160, "name='card[Cvv]' id=last"),
        at(210, "name=pinned id=plain"),
    ];
    let body = format!(
        "<style>.dots {{ -webkit-text-security: disc }}</style>{}\n\
        <script>addEventListener('load', () => {{ document.getElementById('shown').type = 'text'; }});</script>",
        fields.join("\n")
    );
    let site = Site::new(&[("/", diary(&body))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let mut user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    for (y, text) in [
        (20, "seven11"),
        (70, "seven12"),
        (120, "seven13"),
        (170, "seven14"),
        (220, "plain15"),
    ] {
        user.click(30, y).await;
        user.types(text).await;
    }
    user.click(650, 420).await;
    user.has_recorded("click aria/That is all").await;
    let ran = user.interrupts();
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let text = fs::read_to_string(&out).unwrap();
    assert!(!text.contains("seven1"), "{text}");
    assert!(text.contains("plain15"), "{text}");
    for variable in ["CSC", "SHOWN", "DOTS", "CARD_CVV"] {
        assert!(text.contains(&format!("QUERYPOINT_{variable}")), "{text}");
    }
}

/// The page cannot tell that it is recorded.
#[tokio::test]
async fn the_page_sees_nothing_of_the_recorder() {
    let body = "<script>\n\
        const own = () => Object.getOwnPropertyNames(window).filter((name) => /querypoint|tell/i.test(name)).join();\n\
        say('own', own());\n\
        const add = EventTarget.prototype.addEventListener;\n\
        EventTarget.prototype.addEventListener = function (...rest) { say('listens', rest[0]); return add.apply(this, \
        rest); };\n\
        Event.prototype.composedPath = () => { throw new Error('seen'); };\n\
        JSON.stringify = () => { throw new Error('seen'); };\n\
        Element.prototype.getBoundingClientRect = () => { throw new Error('seen'); };\n\
        </script>";
    let plain = "<button id=end style='position: absolute; left: 600px; top: 400px; width: 100px; height: \
        40px'>End</button>\n\
        <script>end.onclick = () => { say('own', own()); done(); };</script>";
    let site = Site::new(&[("/", page(&format!("{body}\n{plain}")))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(
        &site.url("/"),
        &out,
        &["--title", "a title", "--live", "network"],
    )
    .await;
    user.finishes("End").await;
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

/// A page that draws once a frame gets its strokes frame by frame, another one as fast as it takes them; both draw what
/// they drew.
#[tokio::test]
async fn strokes_come_as_often_as_the_page_looks_at_them() {
    let body = |moved: &str| {
        format!(
            "<canvas id=paper width=500 height=300 style='left: 0; top: 0'></canvas><script>
let last, asked = 0;
const draw = () => {{ asked = 0; say('drawn', last); }};
paper.onpointermove = ({{ clientX, buttons }}) => {{ if (buttons) {{ last = clientX; {moved} }} }};
</script>"
        )
    };
    for (moved, needs_none) in [
        ("draw();", true),
        ("asked ||= requestAnimationFrame(draw);", false),
    ] {
        let test = "strokes_come_as_often_as_the_page_looks_at_them";
        let all = recorded(test, &[("/", diary(&body(moved)))], async |user| {
            let places: Vec<(i32, i32)> = (0..30).map(|step| (50 + 10 * step, 100)).collect();
            user.drag(&places).await;
            user.until("said.includes('drawn 340')").await;
        })
        .await;
        assert_eq!(all[2]["name"], "querypoint/drag", "{all:#?}");
        assert_eq!(
            all[2]["querypoint"]["noFrames"] == json!(true),
            needs_none,
            "{all:#?}"
        );
    }
}
