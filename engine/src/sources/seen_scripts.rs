//! What one execution saw of the page's scripts: how many, which are blind spots, where the reproduction point may
//! be.

use querypoint::answer::BlindSpot;

/// What was seen of the reproduction point's file.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointSearch {
    /// Addresses (or original sources) that match the file that was named.
    pub(crate) matching: Addresses,
    /// How many places were found in them.
    pub(crate) places: usize,
    /// Lines that have code, some in each script, where the named one has none.
    pub(crate) nearest: Vec<u32>,
    /// Why a script that the named line is in could not be read.
    pub(crate) unread: Option<String>,
    /// All scripts seen, for the message when none matches.
    pub(crate) seen: Addresses,
}

impl PointSearch {
    /// Adds what was seen elsewhere.
    pub(crate) fn add(&mut self, other: &Self) {
        const MOST_LINES: usize = 1000;
        for address in other.matching.list() {
            self.matching.add(address);
        }
        for address in other.seen.list() {
            self.seen.add(address);
        }
        self.places += other.places;
        self.unread = self.unread.take().or_else(|| other.unread.clone());
        self.nearest.extend(&other.nearest);
        self.nearest.truncate(MOST_LINES);
    }
}

/// Different addresses, in the order in which they came: the first ones, for a page may make up any number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses(Vec<String>);

impl Addresses {
    pub(crate) fn add(&mut self, address: &str) {
        const MOST: usize = 100;
        let address = shortened(address);
        if self.0.len() < MOST && !self.0.contains(&address) {
            self.0.push(address);
        }
    }

    pub(crate) fn list(&self) -> &[String] {
        &self.0
    }
}

/// The most blind spots that are listed each by itself.
const MOST_LISTED: usize = 1000;

/// As much of an address as is shown; what a page makes code of may name itself at any length.
fn shortened(address: &str) -> String {
    const LONGEST: usize = 2000;
    match address.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", address.get(..end).unwrap_or_default()),
        None => address.to_owned(),
    }
}

/// What one execution saw of the page's scripts.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenScripts {
    pub(crate) scripts: u32,
    pub(crate) hooked: u32,
    pub(crate) unhooked_sites: u32,
    pub(crate) blind_spots: Vec<BlindSpot>,
    pub(crate) search: PointSearch,
    pub(crate) rewrite_ms: f64,
}

impl SeenScripts {
    pub(crate) fn blind(&mut self, url: &str, reason: impl Into<String>) {
        if self.blind_spots.len() > MOST_LISTED {
            return;
        }
        let mut spot = BlindSpot {
            url: shortened(url),
            reason: reason.into(),
        };
        if self.blind_spots.contains(&spot) {
            return;
        }
        if self.blind_spots.len() == MOST_LISTED {
            spot.reason +=
                &format!(" (the first {MOST_LISTED} blind spots are listed, there are more)");
        }
        self.blind_spots.push(spot);
    }

    /// Adds what was seen elsewhere.
    pub(crate) fn add(&mut self, other: &Self) {
        self.scripts += other.scripts;
        self.hooked += other.hooked;
        self.unhooked_sites += other.unhooked_sites;
        for spot in &other.blind_spots {
            self.blind(&spot.url, spot.reason.clone());
        }
        let search = &other.search;
        self.search.add(search);
    }

    /// A script that runs as its author wrote it.
    pub(crate) fn unhooked_script(&mut self, url: &str, reason: impl Into<String>) {
        self.scripts += 1;
        self.blind(url, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn of_any_number_of_blind_spots_the_first_are_listed_and_the_last_says_so() {
        let mut seen = SeenScripts::default();
        for number in 0..3 * MOST_LISTED {
            for _ in 0..2 {
                seen.unhooked_script(&format!("http://a/{number}.js"), "it cannot be read");
            }
        }
        assert_eq!(seen.blind_spots.len(), MOST_LISTED + 1);
        let reason = |index: usize| seen.blind_spots.get(index).map(|spot| spot.reason.as_str());
        assert_eq!(reason(MOST_LISTED - 1), Some("it cannot be read"));
        assert_eq!(
            reason(MOST_LISTED),
            Some("it cannot be read (the first 1000 blind spots are listed, there are more)")
        );
        assert_eq!(seen.scripts, 6000, "all are counted");
    }

    #[test]
    fn an_address_of_any_length_is_shown_in_part() {
        let mut seen = SeenScripts::default();
        seen.blind(&"ä".repeat(5000), "why");
        seen.search.seen.add(&"b".repeat(5000));
        assert_eq!(seen.blind_spots[0].url.chars().count(), 2001);
        assert_eq!(seen.search.seen.list()[0].chars().count(), 2001);
    }
}
