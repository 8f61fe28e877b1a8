//! Shows progress in one line on standard error. The line is erased at the end.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use crate::print::{is_silent, one_line};

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// The interval between updates of the state.
const GLANCE: Duration = Duration::from_millis(200);

/// A short description of the state of a task.
#[derive(Debug, Default)]
pub(crate) struct ProgressText(Mutex<String>);

/// The width of the line, which fits every terminal without its last column.
const ROW: usize = 79;

/// Moves to the first column and erases the line.
const ERASE: &str = "\r\x1b[K";

/// Waits for a task. Shows its name if the task takes long and standard error is a terminal.
pub(crate) async fn show_while<T>(what: &str, task: impl Future<Output = T>) -> T {
    show_with(what, &ProgressText::default(), task).await
}

/// Waits for a task that reports its own progress. Shows its name and progress if the task takes
/// long and standard error is a terminal.
pub(crate) async fn show_with<T>(
    what: &str,
    standing: &ProgressText,
    task: impl Future<Output = T>,
) -> T {
    if is_silent() || !io::stderr().is_terminal() {
        return task.await;
    }
    let mut task = std::pin::pin!(task);
    if let Ok(ended) = timeout(PATIENCE, task.as_mut()).await {
        return ended;
    }
    let mut shown = None;
    let ended = loop {
        let line = standing.line(what);
        if shown.as_ref() != Some(&line) {
            let erase = if shown.is_some() { ERASE } else { "" };
            write_text(&format!("{erase}{line}"));
            shown = Some(line);
        }
        if let Ok(ended) = timeout(GLANCE, task.as_mut()).await {
            break ended;
        }
    };
    write_text(ERASE);
    ended
}

// === impl ProgressText ===

impl ProgressText {
    pub(crate) fn is(&self, now: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Returns the task and its state, truncated to one row, because a longer line could not be
    /// erased.
    fn line(&self, what: &str) -> String {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = match now.as_str() {
            "" => format!("{what}…"),
            now => format!("{what}: {now}"),
        };
        let whole = one_line(&whole);
        let fits = now.is_empty() || whole.chars().count() <= ROW;
        let line = if fits { whole } else { one_line(&now) };
        line.chars().take(ROW).collect()
    }
}

fn write_text(text: &str) {
    let mut out = io::stderr().lock();
    // Errors are ignored: standard error may be closed.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
