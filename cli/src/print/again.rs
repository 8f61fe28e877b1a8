//! An answer that is printed again whenever it is another one: what `--watch` shows.

use std::time::Duration;

use serde::Serialize;
use tokio::time::sleep;
use tokio_stream::StreamExt as _;

use super::{Detail, Form, Page, Span};
use crate::exit;
use crate::failure::Failure;
use crate::print;

/// The time after which an answer is asked for again. The service that answers follows the facts
/// meanwhile, so a question costs little.
const PAUSE: Duration = Duration::from_secs(2);

/// Asks until a signal says stop, or nobody reads any more. Only the first answer must come.
pub(crate) async fn again<T: Serialize>(
    form: Form,
    ask: impl AsyncFnMut() -> Result<T, Failure>,
    render: impl Fn(&T, Detail) -> Page,
) -> Result<(), Failure> {
    form.of_many("--watch")?;
    again_as(form.detail(), ask, render).await
}

/// The same for people, with so much detail, or as a line of JSON for each answer.
pub(crate) async fn again_as<T: Serialize>(
    detail: Option<Detail>,
    mut ask: impl AsyncFnMut() -> Result<T, Failure>,
    render: impl Fn(&T, Detail) -> Page,
) -> Result<(), Failure> {
    let mut stops = std::pin::pin!(exit::stops()?);
    let mut shown: Option<String> = None;
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
                let now = text(detail, &answer, &render)?;
                if shown.as_ref() != Some(&now) {
                    let is_first = shown.is_none();
                    if !show(detail, &now, is_first)? {
                        return Ok(());
                    }
                    shown = Some(now);
                }
            }
            Err(failure) if shown.is_none() => return Err(failure),
            Err(failure) => {
                if !std::mem::replace(&mut is_lost, true) {
                    print::warn(&format!("{}; asking again", failure.message()));
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

fn text<T: Serialize>(
    detail: Option<Detail>,
    answer: &T,
    render: impl Fn(&T, Detail) -> Page,
) -> Result<String, Failure> {
    match detail {
        Some(detail) => Ok(render(answer, detail).into_text()),
        None => Ok(serde_json::to_string(answer).map_err(Failure::failed)? + "\n"),
    }
}

/// Prints it; whether the output is still read. What follows on another answer stands below a line
/// that says so.
fn show(detail: Option<Detail>, text: &str, is_first: bool) -> Result<bool, Failure> {
    if is_first || detail.is_none() {
        return print::colored(text);
    }
    let mut page = Page::default();
    page.say("");
    page.line([Span::heading("Changed:")]);
    print::colored(&(page.into_text() + text))
}
