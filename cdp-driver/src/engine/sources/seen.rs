//! What one execution saw of the page's scripts: how many, which are blind spots, where the reproduction point may
//! be.

use querypoint::answer::BlindSpot;

/// What was seen of the reproduction point's file.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct PointSearch {
    /// Addresses (or original sources) that match the file that was named.
    pub(in crate::engine) matching: Vec<String>,
    /// How many places were found in them.
    pub(in crate::engine) places: usize,
    /// Lines that have code, nearest first, where the named one has none.
    pub(in crate::engine) nearest: Vec<u32>,
    /// All scripts seen, for the message when none matches.
    pub(in crate::engine) seen: Vec<String>,
}

/// What one execution saw of the page's scripts.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Seen {
    pub(in crate::engine) scripts: u32,
    pub(in crate::engine) hooked: u32,
    pub(in crate::engine) unhooked_sites: u32,
    pub(in crate::engine) blind_spots: Vec<BlindSpot>,
    pub(in crate::engine) search: PointSearch,
    pub(in crate::engine) rewrite_ms: f64,
}

impl Seen {
    pub(in crate::engine) fn blind(&mut self, url: &str, reason: impl Into<String>) {
        let spot = BlindSpot {
            url: url.to_owned(),
            reason: reason.into(),
        };
        if !self.blind_spots.contains(&spot) {
            self.blind_spots.push(spot);
        }
    }

    /// Adds what was seen elsewhere.
    pub(in crate::engine) fn add(&mut self, other: &Self) {
        self.scripts += other.scripts;
        self.hooked += other.hooked;
        self.unhooked_sites += other.unhooked_sites;
        for spot in &other.blind_spots {
            self.blind(&spot.url, spot.reason.clone());
        }
        let search = &other.search;
        self.search.matching.extend(search.matching.iter().cloned());
        self.search.places += search.places;
        self.search.nearest.extend(&search.nearest);
        self.search.seen.extend(search.seen.iter().cloned());
    }

    /// A script that runs as its author wrote it.
    pub(in crate::engine) fn unhooked_script(&mut self, url: &str, reason: impl Into<String>) {
        self.scripts += 1;
        self.blind(url, reason);
    }
}
