#![no_main]

libfuzzer_sys::fuzz_target!(init: fuzz::parser_may_panic(), |input: &[u8]| properties::html(input));
