//! How smooth the execution line is while it is zoomed and moved.

use cdp_driver::native::Browser;

use super::{BackEnd, becomes, fill, press};
use crate::error::BenchError;
use crate::statistics::Sample;
use crate::tab::value;
use crate::user::User;

/// So many events are on the line.
pub(super) const EVENTS: u32 = 100_000;

/// A page that makes them, of two objects, half of them of the same value.
pub(super) fn page() -> String {
    format!(
        "<!doctype html><title>many</title><script>\nconst dots = [{{ x: 0 }}, {{ x: 0 }}];\n\
         for (let i = 1; i < {EVENTS} - 1; i++) dots[i % 2].x = i >> 2;\n</script>"
    )
}

/// What was measured, in milliseconds.
pub(super) struct Smooth {
    /// From one frame to the next.
    pub(super) frames: Sample,
    /// Of that, what the panel does.
    pub(super) steps: Sample,
}

/// Zooms in and out and moves, a step in each frame; gives the times.
const ZOOM: &str = "(async () => {
    const canvas = document.querySelector('canvas.events');
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const [frames, steps] = [[], []];
    const { left, top, width, height } = canvas.getBoundingClientRect();
    let last = await frame();
    for (let step = 0; step < 300; step++) {
        const start = performance.now();
        const by = step % 3 === 2 ? { deltaX: step % 2 === 0 ? 30 : -30 } : { deltaY: step % 60 < 30 ? -100 : 100 };
        const at = { clientX: left + width * (step % 7) / 7, clientY: top + height / 2 };
        canvas.dispatchEvent(new WheelEvent('wheel', { ...by, ...at, bubbles: true, cancelable: true }));
        await new Promise((done) => setTimeout(done));
        steps.push(performance.now() - start);
        const now = await frame();
        frames.push(now - last);
        last = now;
    }
    return [frames, steps];
})()";

/// Measures it on the page at this address.
pub(super) async fn measure(
    browser: &Browser,
    back_end: &BackEnd,
    url: &str,
) -> Result<Smooth, BenchError> {
    let panel = back_end.panel_of(browser, "many").await?;
    let user = User::of(browser, panel.target_id()).await?;
    let points = |count: u32| format!("document.querySelectorAll('.point').length === {count}");
    for (field, text, until) in [
        (
            "#page",
            url,
            "!document.querySelector('#at').form.querySelector('button').disabled".to_owned(),
        ),
        ("#at", "end", points(1)),
        ("#query", "lastChange(R:dots[0].x)", points(2)),
    ] {
        fill(&panel, field, text).await?;
        press(&panel, &user, field).await?;
        becomes(&panel, &until).await?;
    }
    becomes(
        &panel,
        "document.querySelector('.trace')?.disabled === false",
    )
    .await?;
    user.click(".trace").await?;
    becomes(&panel, "document.querySelector('canvas.events') !== null").await?;
    let shown = format!(
        "document.querySelector('#line').textContent.replaceAll(',', '').startsWith('B: {EVENTS} writes')"
    );
    becomes(&panel, &shown).await?;
    let times = value(&panel, ZOOM).await?;
    let sample = |of: usize| {
        let times = times.get(of).and_then(serde_json::Value::as_array);
        Sample::new(
            times
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_f64),
        )
    };
    let smooth = Smooth {
        frames: sample(0),
        steps: sample(1),
    };
    panel.dispose().await?;
    Ok(smooth)
}
