//! How many programs are tried, and which.
//!
//! `QUERYPOINT_PROGRAMS=20000` tries more of them; `QUERYPOINT_SEED=random` tries others than the last time,
//! `QUERYPOINT_SEED=7` those of the number 7. Without them every run tries the same few.

use proptest::test_runner::{Config, RngSeed};

/// The configuration of a property test that tries `cases` programs unless the environment says otherwise.
#[must_use]
pub fn config(cases: u32) -> Config {
    let number = |name: &str| std::env::var(name).ok();
    let seed = match number("QUERYPOINT_SEED") {
        Some(text) => text.parse().map_or(RngSeed::Random, RngSeed::Fixed),
        None => RngSeed::Fixed(1),
    };
    Config {
        cases: number("QUERYPOINT_PROGRAMS")
            .and_then(|text| text.parse().ok())
            .unwrap_or(cases),
        rng_seed: seed,
        // A program that failed is kept as a program (`regressions/`), which stays what it is when the
        // generator changes.
        failure_persistence: None,
        max_shrink_iters: 1500,
        ..Config::default()
    }
}
