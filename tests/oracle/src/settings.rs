//! How many programs are tried, and which.
//!
//! An ordinary run tries a part of them, `cargo xtask test --every-program` all.
//! `QUERYPOINT_PROGRAMS=20000` tries more of them; `QUERYPOINT_SEED=random` tries others than the last time,
//! `QUERYPOINT_SEED=7` those of the number 7. Without them every run tries the same few. `QUERYPOINT_SHRINK=0` shows
//! the first program that fails as it is.

use proptest::test_runner::{Config, RngSeed};

/// How many programs, or pages of them, a property test tries.
#[derive(Clone, Copy, Debug)]
pub struct Programs {
    /// In an ordinary run.
    pub usually: u32,
    /// With `cargo xtask test --every-program`, which sets `QUERYPOINT_EVERY_PROGRAM`.
    pub every: u32,
}

impl Programs {
    /// How many this run tries, unless `QUERYPOINT_PROGRAMS` says a number.
    #[must_use]
    pub fn of_this_run(self) -> u32 {
        match every_program() {
            true => self.every,
            false => self.usually,
        }
    }
}

/// Whether this run tries everything, as with `cargo xtask test --every-program`.
#[must_use]
pub fn every_program() -> bool {
    std::env::var_os("QUERYPOINT_EVERY_PROGRAM").is_some()
}

/// The configuration of a property test that tries `cases` programs, those of the number `seed`, and at most `shrink`
/// smaller ones where one fails, unless the environment says otherwise.
#[must_use]
pub fn config(cases: Programs, seed: u64, shrink: u32) -> Config {
    let number = |name: &str, otherwise| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    Config {
        cases: number("QUERYPOINT_PROGRAMS", cases.of_this_run()),
        rng_seed: match std::env::var("QUERYPOINT_SEED") {
            Ok(text) => text.parse().map_or(RngSeed::Random, RngSeed::Fixed),
            Err(_) => RngSeed::Fixed(seed),
        },
        // A program that failed is kept as a program (`regressions/`), which stays what it is when the
        // generator changes.
        failure_persistence: None,
        max_shrink_iters: number("QUERYPOINT_SHRINK", shrink),
        ..Config::default()
    }
}
