//! The system calls, implemented with only the standard library and tokio. Tests compile and run
//! this module on every operating system.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::{Stream, stream};

use super::ProcessLimits;

pub(super) fn file_identity(metadata: &Metadata) -> (u64, u64) {
    let created = since_1970(metadata.created()).as_nanos();
    (0, u64::try_from(created).unwrap_or(u64::MAX))
}

pub(super) fn changed(metadata: &Metadata) -> Duration {
    since_1970(metadata.modified())
}

fn since_1970(time: io::Result<SystemTime>) -> Duration {
    let since = time.map(|time| time.duration_since(UNIX_EPOCH));
    since.ok().and_then(Result::ok).unwrap_or_default()
}

pub(super) fn create_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

pub(super) fn limit_process(_: ProcessLimits) -> io::Result<()> {
    Ok(())
}

pub(super) fn monotonic() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Returns a stream of Ctrl-C signals.
pub(super) fn stop_signals() -> io::Result<impl Stream<Item = ()>> {
    let interrupts = stream::unfold((), |()| async {
        let received = tokio::signal::ctrl_c().await;
        received.ok().map(|()| ((), ()))
    });
    Ok(Box::pin(interrupts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan_kit::TempFolder;

    #[test]
    fn portable_calls_see_a_changed_file() -> io::Result<()> {
        let folder = TempFolder::empty();
        let inner = folder.join("a/b");
        create_private_folder(&inner)?;
        let file = inner.join("c");
        fs::write(&file, "one")?;
        let before = fs::metadata(&file)?;
        fs::File::options()
            .write(true)
            .open(&file)?
            .set_modified(SystemTime::now() + Duration::from_secs(5))?;
        let after = fs::metadata(&file)?;
        assert_eq!(file_identity(&before), file_identity(&after));
        assert!(changed(&after) > changed(&before));
        Ok(())
    }

    #[test]
    fn portable_clock_is_monotonic() -> io::Result<()> {
        let limits = ProcessLimits {
            memory: 1,
            cpu_seconds: 1,
        };
        limit_process(limits)?;
        let _signals = stop_signals()?;
        let first = monotonic();
        assert!(monotonic() >= first);
        Ok(())
    }
}
