//! Link targets.

use std::fmt::Write as _;

/// The target of a link, on this server or on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Href {
    text: String,
    has_query: bool,
}

// === impl Href ===

impl Href {
    /// Returns a target on this server. `path` starts with `/`, or with `#` for a part of the same
    /// page.
    pub fn to(path: &'static str) -> Self {
        debug_assert!(
            path.starts_with(['/', '#']) && !path.starts_with("//"),
            "{path} must be ours"
        );
        Self {
            text: path.to_owned(),
            has_query: false,
        }
    }

    /// Returns a target on another server. Returns None if the URL is not an HTTP URL. A browser
    /// would run a `javascript:` URL as a script, and a `data:` URL can contain a complete page.
    pub fn outside(url: &str) -> Option<Self> {
        let is_of_web = ["https://", "http://"].iter().any(|scheme| {
            let start = url.get(..scheme.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        is_of_web.then(|| Self {
            text: url.to_owned(),
            has_query: url.contains('?'),
        })
    }

    /// Adds a parameter to the query.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.text.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        self.text.push_str(name);
        self.text.push('=');
        push_encoded(&mut self.text, value);
        self
    }

    /// Adds a parameter to the query unless the value is empty.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: &str) -> Self {
        if value.is_empty() {
            self
        } else {
            self.with(name, value)
        }
    }

    /// Returns the target as a string.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Appends text with percent encoding for a query.
fn push_encoded(out: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            // Writing to a String cannot fail.
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
}
