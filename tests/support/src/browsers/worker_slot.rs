//! The files by which tests find their worker's browser: its address, how it ended, and two locks.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use cdp_driver::native::Purpose;

/// Where the files of one browser are: `target/debug/test-browsers/worker-0-pages.*`.
#[derive(Debug, Clone)]
pub(super) struct WorkerSlot {
    folder: PathBuf,
    worker: String,
    purpose: Purpose,
}

impl WorkerSlot {
    /// The place of the worker that runs this test. A runner with a process for each test numbers its workers; all
    /// tests without a number share one.
    pub(super) fn of_this_worker(purpose: Purpose) -> io::Result<Self> {
        let program = std::env::current_exe()?;
        // target/debug/deps/test-0123 → target/debug/test-browsers
        let built = program.parent().and_then(Path::parent);
        let folder = built.unwrap_or(Path::new(".")).join("test-browsers");
        let worker = match std::env::var("NEXTEST_TEST_GLOBAL_SLOT") {
            Ok(slot) => format!("worker-{slot}"),
            Err(_) => "worker".to_owned(),
        };
        Self::new(folder, worker, purpose)
    }

    /// The place of this worker's browser in `folder`, which is made.
    pub(super) fn new(folder: PathBuf, worker: String, purpose: Purpose) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            worker,
            purpose,
        })
    }

    /// What a keeper is told: the folder, the worker, the purpose.
    pub(super) fn arguments(&self) -> [String; 3] {
        [
            self.folder.display().to_string(),
            self.worker.clone(),
            word(self.purpose).to_owned(),
        ]
    }

    /// The place that [`WorkerSlot::arguments`] names; none: they name none.
    pub(super) fn from_arguments(arguments: &[String]) -> Option<io::Result<Self>> {
        let [folder, worker, purpose] = arguments else {
            return None;
        };
        let purposes = [Purpose::Pages, Purpose::Everything];
        let purpose = purposes.into_iter().find(|it| word(*it) == purpose)?;
        Some(Self::new(PathBuf::from(folder), worker.clone(), purpose))
    }

    pub(super) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// What a person calls the browser.
    pub(super) fn name(&self) -> String {
        format!(
            "shared browser of {} for {}",
            self.worker,
            word(self.purpose)
        )
    }

    fn file(&self, kind: &str) -> PathBuf {
        let purpose = word(self.purpose);
        self.folder
            .join(format!("{}-{purpose}.{kind}", self.worker))
    }

    fn lock_file(&self, kind: &str) -> io::Result<File> {
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        options.open(self.file(kind))
    }

    /// Held by a test that looks for the browser, and by a keeper that ends: one at a time. Blocks.
    pub(super) fn arriving(&self) -> io::Result<File> {
        let file = self.lock_file("arriving")?;
        file.lock()?;
        Ok(file)
    }

    /// The same, if nobody holds it.
    pub(super) fn try_arriving(&self) -> io::Result<Option<File>> {
        taken(self.lock_file("arriving")?)
    }

    /// Held by each process that uses the browser.
    pub(super) fn in_use(&self) -> io::Result<File> {
        let file = self.lock_file("in-use")?;
        file.lock_shared()?;
        Ok(file)
    }

    /// Whether no process uses the browser.
    pub(super) fn is_unused(&self) -> io::Result<bool> {
        Ok(taken(self.lock_file("in-use")?)?.is_some())
    }

    /// The address of the browser, if one was started here and not ended.
    pub(super) fn address(&self) -> Option<String> {
        let text = fs::read_to_string(self.file("address")).ok()?;
        Some(text.trim().to_owned()).filter(|address| !address.is_empty())
    }

    /// Says where the browser is; as a whole or not at all.
    pub(super) fn set_address(&self, address: &str) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut file, address.as_bytes())?;
        file.persist(self.file("address"))?;
        Ok(())
    }

    /// Nobody is to use the browser any more.
    pub(super) fn remove_address(&self) {
        let _ = fs::remove_file(self.file("address"));
    }

    /// Says how the browser ended that nobody wanted to end.
    pub(super) fn set_ended(&self, how: &str) -> io::Result<()> {
        fs::write(self.file("ended"), how)
    }

    /// How it ended, if nobody wanted it to.
    pub(super) fn ended(&self) -> Option<String> {
        fs::read_to_string(self.file("ended")).ok()
    }

    /// The same, for the last time.
    pub(super) fn take_ended(&self) -> Option<String> {
        let how = self.ended();
        let _ = fs::remove_file(self.file("ended"));
        how
    }
}

fn taken(file: File) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Pages => "pages",
        Purpose::Everything => "everything",
        Purpose::Window => "window",
    }
}
