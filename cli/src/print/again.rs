//! Prints a result again after each change, for the flag `--watch`.

use std::time::Duration;

use tokio::time::sleep;
use tokio_stream::StreamExt as _;

use super::{Detail, Format, Page, Render, Span};
use crate::exit;
use crate::failure::Failure;
use crate::print;

/// The time between two requests. The service follows changes of the facts all the time, so a
/// request is cheap.
const PAUSE: Duration = Duration::from_secs(2);

/// Prints several results, one after the other. Omits a result that equals the previous result.
pub(crate) struct ChangePrinter {
    detail: Option<Detail>,
    last: Option<String>,
}

/// Sends a request and prints its result, again and again, until a signal stops the loop or the
/// output is closed. Returns an error only if the first request fails.
pub(crate) async fn again<T: Render>(
    format: Format,
    mut ask: impl AsyncFnMut() -> Result<T, Failure>,
) -> Result<(), Failure> {
    format.refuse_unless_streamed("--watch")?;
    let mut stops = std::pin::pin!(exit::stops()?);
    let mut answers = ChangePrinter::of(format);
    let mut is_lost = false;
    loop {
        let answer = tokio::select! {
            biased;
            _ = stops.next() => return Ok(()),
            answer = ask() => answer,
        };
        match answer {
            Ok(answer) => {
                is_lost = false;
                if !answers.show(&answer)? {
                    return Ok(());
                }
            }
            Err(failure) if answers.last.is_none() => return Err(failure),
            Err(failure) => {
                if !std::mem::replace(&mut is_lost, true) {
                    print::warn(&format!("{}; retrying", failure.message()));
                }
            }
        }
        tokio::select! {
            biased;
            _ = stops.next() => return Ok(()),
            () = sleep(PAUSE) => {}
        }
    }
}

// === impl ChangePrinter ===

impl ChangePrinter {
    /// Creates a printer for text, or for one line of JSON for each result.
    pub(crate) fn of(format: Format) -> Self {
        let detail = format.detail();
        Self { detail, last: None }
    }

    /// Prints a result if it differs from the previous result. Returns false if the output is
    /// closed.
    pub(crate) fn show(&mut self, answer: &impl Render) -> Result<bool, Failure> {
        let now = match self.detail {
            Some(detail) => {
                let page = answer.watched_page(detail);
                page.with_stale(answer.catalogs()).into_text()
            }
            None => serde_json::to_string(answer).map_err(Failure::failed)? + "\n",
        };
        if self.last.as_ref() == Some(&now) {
            return Ok(true);
        }
        let is_read = show(self.detail, &now, self.last.is_none())?;
        self.last = Some(now);
        Ok(is_read)
    }
}

/// Prints a result. A separator line precedes each result except the first. Returns false if the
/// output is closed.
fn show(detail: Option<Detail>, text: &str, is_first: bool) -> Result<bool, Failure> {
    if is_first || detail.is_none() {
        return print::write_colored(text);
    }
    let mut page = Page::default();
    page.text_line("");
    page.line([Span::heading("Changed:")]);
    print::write_colored(&(page.into_text() + text))
}
