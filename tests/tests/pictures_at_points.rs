//! At each point of an answer there is a picture of what the tab showed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use crate::user::opened;
use cdp_driver::native::{Browser, LaunchOptions};
use cdp_driver::protocol::SessionId;
use querypoint::session::methods;
use serde_json::json;

/// The page is red when the value is written, green when another is, and blue when all is done.
const PAGE: &str = "<!doctype html><body><script>
const box = { value: 0 };
const drawn = [];
requestAnimationFrame(() => { drawn.push('frame'); });
document.body.style.background = '#ff0000';
box.value = 1;
document.body.style.background = '#00ff00';
function ends() {
  box.other = drawn.length;
}
ends();
document.body.style.background = '#0000ff';
</script>";

fn picture(point: &str) -> methods::Picture {
    methods::Picture {
        point: point.to_owned(),
    }
}

/// The colour in the middle of a picture, as the browser reads it.
async fn colour(browser: &Browser, session: &SessionId, jpeg: &str) -> String {
    let read = format!(
        "(async () => {{
           const bytes = Uint8Array.from(atob('{jpeg}'), (letter) => letter.charCodeAt(0));
           const bitmap = await createImageBitmap(new Blob([bytes], {{ type: 'image/jpeg' }}));
           const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
           canvas.drawImage(bitmap, 0, 0);
           const [red, green, blue] = canvas.getImageData(bitmap.width >> 1, bitmap.height >> 1, 1, 1).data;
           return [red, green, blue].map((it) => Math.round(it / 255)).join('');
         }})()"
    );
    let params = json!({ "expression": read, "awaitPromise": true, "returnByValue": true });
    let protocol = browser.protocol();
    let answer = protocol.send(Some(session), "Runtime.evaluate", params);
    let answer = answer.await.unwrap();
    let colour = answer["result"]["value"].as_str();
    let Some(colour) = colour else {
        panic!("{answer:#}");
    };
    match colour {
        "100" => "red",
        "010" => "green",
        "001" => "blue",
        "111" => "white",
        other => panic!("{other}"),
    }
    .to_owned()
}

/// Each of these points has a picture of this colour. A page that happens to be paused while a frame is made has none:
/// then it is asked again.
async fn shows<const N: usize>(
    panel: &mut Panel,
    (browser, session): (&Browser, &SessionId),
    points: [(&str, &str); N],
) {
    const ATTEMPTS: usize = 10;
    let mut left = points.to_vec();
    for _ in 0..ATTEMPTS {
        let mut missing = Vec::new();
        for (point, shown) in left {
            match panel.done(picture(point)).await.jpeg {
                Some(jpeg) => assert_eq!(colour(browser, session, &jpeg).await, shown, "{point}"),
                None => missing.push((point, shown)),
            }
        }
        left = missing;
        if left.is_empty() {
            return;
        }
        panel.done(methods::Again {}).await;
    }
    panic!("there are no pictures of {left:?}");
}

#[tokio::test]
async fn a_picture_shows_the_page_as_it_was_at_the_point() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(PAGE))]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let (session, _) = opened(&browser, "about:blank").await;
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:box.value)").await;
    panel.asks("C = lastChange(R:box.other)").await;
    shows(
        &mut panel,
        (&browser, &session),
        [("R", "blue"), ("B", "red"), ("C", "green")],
    )
    .await;
    // No frame of the page's own was run for a picture.
    let answered = panel.session().0;
    let points = answered.answer.unwrap().points;
    let other = points.iter().find(|it| it.name == "C").unwrap();
    assert_eq!(other.new.as_ref().unwrap().text, "0");
    let refusal = panel.refused(picture("D")).await;
    assert!(
        refusal.message.contains("no point D"),
        "{}",
        refusal.message
    );
    // It is of this answer alone.
    panel
        .done(methods::Rename {
            point: "C".to_owned(),
            to: "E".to_owned(),
        })
        .await;
    assert_eq!(panel.done(picture("E")).await.jpeg, None);
}

/// The page of a recording, where each click changes the colour.
const CLICKED: &str = "<!doctype html><body><button id=more>more</button><script>
const box = { value: 0 };
const colours = ['#ff0000', '#00ff00', '#0000ff'];
more.onclick = () => {
  document.body.style.background = colours[box.value];
  box.value++;
};
</script>";

#[tokio::test]
async fn a_recorded_page_has_pictures_too() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(CLICKED))]);
    let url = site.url("/");
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let (session, _) = opened(&browser, "about:blank").await;
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&url).await;
    let click = json!({ "type": "click", "selectors": [["#more"]], "offsetX": 3, "offsetY": 3 });
    let recording = json!({ "title": "two", "steps": [
        { "type": "navigate", "url": url }, click, click,
    ] });
    folder.file("state/sessions/one/recording.json", &recording.to_string());
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:box.value)").await;
    panel.asks("C = lastChange(B:box.value)").await;
    shows(
        &mut panel,
        (&browser, &session),
        [("R", "green"), ("B", "green"), ("C", "red")],
    )
    .await;
}
