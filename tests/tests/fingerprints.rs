//! By what a replay tells that it reaches the page as it was recorded, and what it says where it does not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::path::PathBuf;

use crate::loopback::*;
use crate::user::User;
use recording::{Recording, ScriptEvents};
use serde_json::{Value, json};

/// A page with a button that says how often it was pressed, made so by `script`.
fn shop(script: &str) -> Reply {
    page(&format!(
        "<style>button, input {{ position: absolute; left: 10px; width: 100px; height: 40px }}</style>
<button id=buy style='top: 10px'>Buy (0)</button><input id=name style='top: 60px' value=Ada>
<button id=end style='left: 600px; top: 400px'>End</button>
<script>
let count = 0;
const buy = document.getElementById('buy');
const show = () => {{ buy.textContent = `Buy (${{count}})`; }};
{script}
end.onclick = done;
</script>"
    ))
}

const COUNTS: &str = "buy.onclick = () => { count++; console.log('bought', count); show(); };";

struct Recorded {
    site: Site,
    _folder: Folder,
    path: PathBuf,
}

impl Recorded {
    /// Two clicks on the button, one on the field, recorded on a page with `script`.
    async fn on(script: &str) -> Self {
        let site = Site::new(&[("/", shop(script))]);
        let folder = Folder::new();
        let path = folder.0.join("recording.json");
        let user = User::at(&site.url("/"), &path, &["--live", "network"]).await;
        for count in 1..=2 {
            user.click(50, 30).await;
            user.until(&format!("buy.textContent === 'Buy ({count})'"))
                .await;
        }
        user.click(50, 80).await;
        user.finishes("End").await;
        Self {
            site,
            _folder: folder,
            path,
        }
    }

    fn recording(&self) -> Recording {
        Recording::parse(&fs::read_to_string(&self.path).unwrap()).unwrap()
    }

    /// The replay on a page with another script.
    fn replay_on(&self, script: &str, more: &[&str]) -> Ran {
        self.site.answers(&[("/", shop(script))]);
        self.replay(more)
    }

    fn replay(&self, more: &[&str]) -> Ran {
        querypoint(&[&["replay", self.path.to_str().unwrap()], more].concat())
    }
}

#[tokio::test]
async fn each_step_says_what_became_of_it() {
    let recorded = Recorded::on(COUNTS).await;
    let recording = recorded.recording();
    let found: Vec<Value> = recording.steps[2..]
        .iter()
        .map(|step| json!(step.fingerprint()))
        .collect();
    let button = |text: &str| json!({ "tag": "button", "text": text, "children": 0 });
    let wanted = [
        json!({ "target": button("Buy (0)") }),
        json!({ "target": button("Buy (1)"), "console": 1 }),
        json!({ "target": { "tag": "input", "value": "Ada" }, "console": 1 }),
        json!({ "target": button("End") }),
    ];
    assert_eq!(found, wanted);
    let events = ScriptEvents {
        console: 2,
        exceptions: 0,
    };
    assert_eq!(recording.script_events(), Some(events));
    for speed in ["fast", "real"] {
        let replayed = recorded.replay(&["--speed", speed]);
        assert_eq!(replayed.status, Some(0), "{replayed:#?}");
    }
}

#[tokio::test]
async fn the_first_step_with_another_outcome_is_named_with_what_it_is() {
    let recorded = Recorded::on(COUNTS).await;
    let twice = "buy.onclick = () => { count += 2; console.log('bought', count); show(); };";
    let replayed = recorded.replay_on(twice, &[]);
    assert_eq!(replayed.status, Some(1), "{replayed:#?}");
    let (_, differences) = replayed.out.split_once('\n').unwrap();
    assert_eq!(
        differences,
        "  step 4: its element is otherwise: it says \"Buy (2)\", recorded was \"Buy (1)\"\n"
    );

    let replayed = recorded.replay_on(twice, &["--json"]);
    let told: Value = serde_json::from_str(&replayed.out).unwrap();
    assert_eq!(told["as_recorded"], json!(false));
    assert_eq!(told["divergences"][0]["step"], json!(4));
    let replayed = recorded.replay_on(twice, &["--runs", "2", "--json"]);
    let told: Value = serde_json::from_str(&replayed.out).unwrap();
    let first = json!({
        "step": 4, "count": 2, "note": "its element is otherwise: it says \"Buy (2)\", recorded was \"Buy (1)\"",
    });
    assert_eq!(
        (&told["as_recorded"], &told["first_divergences"]),
        (&json!(0), &json!([first]))
    );
}

#[tokio::test]
async fn scripts_that_do_more_than_they_did_are_seen() {
    let recorded = Recorded::on(COUNTS).await;
    let throws =
        format!("{COUNTS}\nbuy.addEventListener('click', () => {{ throw new Error('new'); }});");
    let replayed = recorded.replay_on(&throws, &[]);
    let (_, differences) = replayed.out.split_once('\n').unwrap();
    assert_eq!(
        differences, "  step 4: 1 uncaught exception so far, recorded were 0 in all\n",
        "{replayed:#?}"
    );
    // What does less may be late, where nobody waits.
    let silent = "buy.onclick = () => { count++; show(); };";
    let replayed = recorded.replay_on(silent, &[]);
    assert_eq!(replayed.status, Some(0), "{replayed:#?}");
    let replayed = recorded.replay_on(silent, &["--speed", "real"]);
    let (_, differences) = replayed.out.split_once('\n').unwrap();
    assert_eq!(
        differences, "  step 4: 0 console messages so far, recorded were 1\n",
        "{replayed:#?}"
    );
}

/// A replay is faster than the user, who saw what they pressed.
#[tokio::test]
async fn an_element_is_given_time_to_become_what_it_was() {
    let later = "buy.onclick = () => { say('pressed', buy.textContent); setTimeout(() => \
        { count++; show(); }, 200); };";
    let recorded = Recorded::on(later).await;
    let done = recorded.site.said();
    assert_eq!(done, ["pressed Buy (0)\npressed Buy (1)"]);
    let replayed = recorded.replay(&[]);
    assert_eq!(replayed.status, Some(0), "{replayed:#?}");
    assert_eq!(recorded.site.said(), done);
}

/// The pointer reaches an element before it is pressed, and may change it.
#[tokio::test]
async fn what_the_pointer_changes_is_as_it_was() {
    let hovered = "buy.onpointerenter = () => { buy.textContent = 'Now'; };
buy.onclick = () => { count++; show(); };";
    let recorded = Recorded::on(hovered).await;
    let first = recorded.recording().steps[2].fingerprint().unwrap();
    assert_eq!(first.target.unwrap().text.unwrap(), "Now");
    let replayed = recorded.replay(&[]);
    assert_eq!(replayed.status, Some(0), "{replayed:#?}");
}
