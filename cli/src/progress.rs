//! What a person sees who waits: one line on standard error, and nothing of it afterwards.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crate::print::{is_silent, one_line};

/// The time after which a waiting person is told what for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Goes to the first column and erases what stands behind it.
const ERASE: &str = "\r\x1b[K";

/// Waits for the end of a task, and says what it is where that takes long and standard error is a
/// terminal.
pub(crate) async fn shown<T>(what: &str, task: impl Future<Output = T>) -> T {
    if is_silent() || !io::stderr().is_terminal() {
        return task.await;
    }
    let mut task = std::pin::pin!(task);
    if let Ok(ended) = tokio::time::timeout(PATIENCE, task.as_mut()).await {
        return ended;
    }
    say(&format!("{}…", one_line(what)));
    let ended = task.await;
    say(ERASE);
    ended
}

fn say(text: &str) {
    let mut out = io::stderr().lock();
    // Where standard error is closed, progress is not wanted.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
