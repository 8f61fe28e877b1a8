//! The parts of a request.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use http::request::Parts;
use http::{HeaderMap, HeaderName};
use portolan_core_console::form;

/// The time limit for a form to be sent.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of bytes of a form.
const LARGEST_FORM: usize = 4 * 1024;

/// Returns the fields of a form. Empty if the form is too large, takes too long or is invalid.
pub(super) async fn sent(body: Body) -> BTreeMap<String, String> {
    let read = tokio::time::timeout(PATIENCE, to_bytes(body, LARGEST_FORM)).await;
    let bytes = read.ok().and_then(Result::ok).unwrap_or_default();
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    form::fields(text, LARGEST_FORM).unwrap_or_default()
}

/// Returns the number of changes that a page has: the number in the last event that it received, or
/// the number when it was loaded.
pub(super) fn known_changes(head: &Parts) -> Option<u64> {
    let told = only(&head.headers, &HeaderName::from_static("last-event-id"));
    let read = || head.uri.query()?.strip_prefix("since=");
    told.or_else(read)?.parse().ok()
}

/// Returns the value of a header. Returns `?`, which is always invalid, if the header occurs
/// several times or is not text.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    match values.next() {
        Some(_) => Some("?"),
        None => Some(first.to_str().unwrap_or("?")),
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    /// The last event that a page received has precedence over the number in the page.
    #[test]
    fn reconnecting_page_sends_its_last_event_id() {
        let known = |last: &[&str]| {
            let mut request = Request::get("/changes?since=1");
            for last in last {
                request = request.header("last-event-id", *last);
            }
            known_changes(&request.body(()).expect("a request").into_parts().0)
        };
        assert_eq!(known(&[]), Some(1));
        assert_eq!(known(&["2"]), Some(2));
        assert_eq!(known(&["2", "3"]), None);
    }
}
