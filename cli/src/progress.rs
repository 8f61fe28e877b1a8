//! Shows the progress of a task on standard error, in one line that is erased at the end.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use crate::print::{is_silent, one_line};

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time between two updates of the shown state.
const GLANCE: Duration = Duration::from_millis(200);

/// A short text about the current state of a task.
#[derive(Debug, Default)]
pub(crate) struct ProgressText(Mutex<String>);

/// The maximum width of the line. It fits every terminal with 80 columns.
const ROW: usize = 79;

/// The control sequence that moves the cursor to the first column and erases the line.
const ERASE: &str = "\r\x1b[K";

/// Waits for a task. If the task takes long and standard error is a terminal, shows the name of the
/// task.
pub(crate) async fn show_while<T>(what: &str, task: impl Future<Output = T>) -> T {
    show_with(what, &ProgressText::default(), task).await
}

/// Waits for a task that updates `ProgressText`. If the task takes long and standard error is a
/// terminal, shows the name and the state of the task.
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

    /// Returns the name and the state of the task. The text is truncated to one row, because only
    /// one row can be erased.
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
    // Ignores a failed write, because standard error may be closed.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
