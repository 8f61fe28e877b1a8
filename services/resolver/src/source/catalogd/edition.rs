//! Which content of a catalog it is.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderValue, header};

/// How long after a change the same second may bring another one: times are told in seconds, and
/// an answer takes a moment between opening the file and telling the time.
const UNSETTLED: Duration = Duration::from_secs(2);

/// A content as its server names it: by when it was made, and by a tag if there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edition {
    modified: Option<HeaderValue>,
    tag: Option<HeaderValue>,
    /// Whether content made later must have a later time.
    is_settled: bool,
    /// A tag names one form of the content: zipped, or as it is.
    is_zipped: bool,
}

// === impl Edition ===

impl Edition {
    /// The content that an answer with these headers brings.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let modified = headers.get(header::LAST_MODIFIED).cloned();
        let made = modified.as_ref().and_then(time);
        let told = headers.get(header::DATE).and_then(time);
        Self {
            is_settled: made.zip(told).is_some_and(|(made, told)| {
                told.duration_since(made).is_ok_and(|age| age >= UNSETTLED)
            }),
            modified,
            tag: headers.get(header::ETAG).cloned(),
            is_zipped: headers.contains_key(header::CONTENT_ENCODING),
        }
    }

    /// Asks for anything but this edition; false if it has no name to tell others by.
    pub(super) fn unless_same(&self, headers: &mut HeaderMap) -> bool {
        let modified = self.modified.as_ref().filter(|_| self.is_settled);
        for (name, value) in [
            (header::IF_NONE_MATCH, self.tag.as_ref()),
            (header::IF_MODIFIED_SINCE, modified),
        ] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
        self.tag.is_some() || modified.is_some()
    }

    /// Asks for this edition, as it is, and for nothing else.
    pub(super) fn only_same(&self, headers: &mut HeaderMap) {
        let strong = |tag: &&HeaderValue| !self.is_zipped && !tag.as_bytes().starts_with(b"W/");
        match (self.tag.as_ref().filter(strong), &self.modified) {
            (Some(tag), _) => headers.insert(header::IF_MATCH, tag.clone()),
            (None, Some(time)) => headers.insert(header::IF_UNMODIFIED_SINCE, time.clone()),
            (None, None) => None,
        };
    }

    /// Whether an answer with these headers is about another edition, as far as it says.
    pub(super) fn is_other(&self, headers: &HeaderMap) -> bool {
        let differs = |ours: &Option<HeaderValue>, name| {
            let theirs = headers.get(name);
            ours.as_ref()
                .zip(theirs)
                .is_some_and(|(ours, theirs)| ours != theirs)
        };
        let is_comparable = !self.is_zipped && !headers.contains_key(header::CONTENT_ENCODING);
        differs(&self.modified, header::LAST_MODIFIED)
            || is_comparable && differs(&self.tag, header::ETAG)
    }
}

fn time(value: &HeaderValue) -> Option<SystemTime> {
    httpdate::parse_http_date(value.to_str().ok()?).ok()
}
