//! Keeps a browser for the tests of one worker: `keep-test-browser FOLDER WORKER pages|everything`.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    test_support::browsers::keeper::main(&arguments).await
}
