//! Where the tab is in its history, and whether it was the user who went there with the browser's own buttons.

use std::time::Duration;

use super::targets::Targets;
use cdp_driver::protocol::{Clock, ProtocolError};

/// How often, and how many times at most, the browser is asked: while documents change places it does not say.
const LOOK_EVERY: Duration = Duration::from_millis(10);
const MOST_LOOKS: usize = 100;

/// The history of the tab, as its events told it.
#[derive(Default)]
pub(super) struct History {
    /// What is shown.
    url: String,
    /// Whether it is on its way back or forward.
    is_moving: bool,
    /// Whether a script asked for that.
    is_scripted: bool,
}

impl History {
    /// A navigation begins; whether it is one through the history.
    pub(super) fn begins(&mut self, is_history: bool) {
        self.is_moving = is_history;
    }

    /// A script goes back or forward.
    pub(super) fn is_a_scripts(&mut self) {
        self.is_scripted = true;
    }

    /// The tab has reached `url`: how far the user went there through the history; `None`: otherwise.
    pub(super) async fn moved(
        &mut self,
        targets: &Targets,
        clock: &dyn Clock,
        url: &str,
    ) -> Result<Option<i32>, ProtocolError> {
        let former = std::mem::replace(&mut self.url, url.to_owned());
        let is_moving = std::mem::take(&mut self.is_moving);
        let is_scripted = std::mem::take(&mut self.is_scripted);
        if !is_moving || is_scripted {
            return Ok(None);
        }
        for _ in 0..MOST_LOOKS {
            if let Some((urls, index)) = targets.history().await? {
                return Ok(distance(&urls, index, &former));
            }
            clock.sleep(LOOK_EVERY).await;
        }
        Ok(None)
    }
}

/// How far it is to the entry `index` from the nearest one of `former`; the one behind it, if there are two.
fn distance(urls: &[String], index: usize, former: &str) -> Option<i32> {
    let others = urls.iter().enumerate();
    let others = others.filter(|(at, url)| *at != index && *url == former);
    let nearest = others.min_by_key(|(at, _)| (at.abs_diff(index), *at > index))?;
    let distance = i32::try_from(nearest.0.abs_diff(index)).ok()?;
    Some(if nearest.0 > index {
        -distance
    } else {
        distance
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn it_is_so_far_from_where_it_was() {
        let urls = ["about:blank", "a", "b", "a", "c"].map(str::to_owned);
        assert_eq!(distance(&urls, 1, "b"), Some(-1));
        assert_eq!(distance(&urls, 4, "a"), Some(1));
        assert_eq!(distance(&urls, 1, "c"), Some(-3));
        assert_eq!(distance(&urls, 2, "a"), Some(1));
        assert_eq!(distance(&urls, 2, "d"), None);
        assert_eq!(distance(&[], 2, "d"), None);
    }
}
