//! The machine, the browser and the day: without them no number means anything.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// What the numbers were measured on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_gib: f64,
    pub(crate) system: String,
    pub(crate) browser: String,
    pub(crate) rust: String,
    pub(crate) commit: String,
    pub(crate) date: String,
    pub(crate) load: String,
}

impl Machine {
    /// Asks the system; what it does not tell is said to be unknown.
    pub(crate) fn look(browser: &str, repository: &Path) -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let kibibytes: f64 = field(&memory, "MemTotal", ':')
            .and_then(|text| text.split_whitespace().next()?.parse().ok())
            .unwrap_or(f64::NAN);
        let unknown = || "unknown".to_owned();
        Self {
            processor: field(&cpu, "model name", ':').unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gib: kibibytes / 1024.0 / 1024.0,
            system: format!(
                "{}, Linux {}",
                field(&release, "PRETTY_NAME", '=').unwrap_or_else(unknown),
                output("uname", &["-r"], repository)
            ),
            browser: browser.to_owned(),
            rust: output("rustc", &["--version"], repository),
            commit: output("git", &["describe", "--always", "--dirty"], repository),
            date: output("date", &["-u", "+%Y-%m-%d %H:%M UTC"], repository),
            load: std::fs::read_to_string("/proc/loadavg")
                .unwrap_or_default()
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// What does not change from run to run, as a few lines of Markdown.
    pub(crate) fn machine(&self) -> String {
        format!(
            "- machine: {}, {} cores, {:.0} GiB, {}\n- browser: {}, headless\n- built by: {}, release\n",
            self.processor, self.cores, self.memory_gib, self.system, self.browser, self.rust
        )
    }

    /// When a run began, and of what, in words.
    pub(crate) fn moment(&self) -> String {
        let Self {
            commit, date, load, ..
        } = self;
        format!("commit {commit}, {date}, load average {load} when it began")
    }
}

/// The value on the first line that begins with `name`.
fn field(text: &str, name: &str, separator: char) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once(separator)?;
    Some(value.trim().trim_matches('"').to_owned())
}

fn output(program: &str, arguments: &[&str], folder: &Path) -> String {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()
        .filter(|output| output.status.success())
        .map_or_else(
            || "unknown".to_owned(),
            |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        )
}
