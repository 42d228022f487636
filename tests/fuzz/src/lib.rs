//! What the fuzz targets share.

use std::panic::{self, PanicHookInfo};
use std::process;

/// Lets the rewriter deal with panics of the JavaScript parser, as it does elsewhere: libFuzzer's own hook would end
/// the process at each. Every other panic is a finding, and ends it.
pub fn parser_may_panic() {
    // What was there is libFuzzer's; without it, the one that prints is there again.
    drop(panic::take_hook());
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !is_of_parser(panic) {
            print(panic);
            process::abort();
        }
    }));
}

fn is_of_parser(panic: &PanicHookInfo<'_>) -> bool {
    panic
        .location()
        .is_some_and(|place| place.file().contains("swc_ecma_parser"))
}
