//! The log of the requests so far, and the rules for later requests.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{Method, Request};

use super::upstream::Upstream;

/// A request that the proxy received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub method: Method,
    pub path: String,
    pub query: String,
}

/// Matches a set of requests. A matcher can be parsed from text: `/api`, `GET /api/v1/pods`, `GET
/// /api?watch=true`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matcher {
    methods: Vec<Method>,
    path: String,
    query: String,
    /// A text that the query string must not contain.
    not: Option<String>,
}

/// An action that a rule applies to a request.
#[derive(Clone)]
pub enum Action {
    /// Delays the request.
    Delay(Duration),
    /// Calls a function before the request is forwarded.
    Call(Arc<dyn Fn() + Send + Sync>),
    /// Responds with this status. The upstream does not receive the request.
    Answer(u16),
    /// Forwards the request to another upstream.
    Elsewhere(Upstream),
    /// Breaks the connection (HTTP/1.1) or the stream (HTTP/2). The upstream does not receive the
    /// request.
    CutBefore,
    /// Forwards the request to the upstream. Breaks the connection when the upstream has responded.
    CutAfter,
    /// Forwards the request to the upstream. Calls a function when the upstream has responded, and
    /// then forwards the response.
    CallAfter(Arc<dyn Fn() + Send + Sync>),
}

#[derive(Debug)]
struct Rule {
    matcher: Matcher,
    /// The number of matching requests that the rule still skips.
    spared: usize,
    left: usize,
    action: Action,
}

#[derive(Debug, Default)]
pub(super) struct Rules(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    seen: Vec<Seen>,
    rules: Vec<Rule>,
}

impl Seen {
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        Self {
            method: request.method().clone(),
            path: request.uri().path().into(),
            query: request.uri().query().unwrap_or_default().into(),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.query.is_empty() { "" } else { "?" };
        write!(f, "{} {}{mark}{}", self.method, self.path, self.query)
    }
}

impl Matcher {
    /// Matches every request.
    pub fn any() -> Self {
        Self::from("/")
    }

    /// Matches every POST, PUT, PATCH and DELETE.
    pub fn writes() -> Self {
        let methods = vec![Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        Self {
            methods,
            ..Self::any()
        }
    }

    /// Restricts the matcher to paths with this prefix.
    #[must_use]
    pub fn under(self, path: &str) -> Self {
        Self {
            path: path.into(),
            ..self
        }
    }

    /// Excludes requests whose query string contains this text.
    #[must_use]
    pub fn without(self, query: &str) -> Self {
        Self {
            not: Some(query.into()),
            ..self
        }
    }

    pub fn matches(&self, seen: &Seen) -> bool {
        (self.methods.is_empty() || self.methods.contains(&seen.method))
            && seen.path.starts_with(&self.path)
            && seen.query.contains(&self.query)
            && self
                .not
                .as_ref()
                .is_none_or(|not| !seen.query.contains(not))
    }
}

/// Parses `[METHOD ]<prefix of the path>[?<substring of the query>]`.
///
/// # Panics
/// Panics if the method is not a valid HTTP method.
impl From<&str> for Matcher {
    fn from(text: &str) -> Self {
        let (method, target) = match text.split_once(' ') {
            Some((method, target)) => (Some(method), target),
            None => (None, text),
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let methods = method.map(|name| {
            Method::from_bytes(name.as_bytes())
                .unwrap_or_else(|_| panic!("{name:?} in the matcher {text:?} must be a method"))
        });
        Self {
            methods: methods.into_iter().collect(),
            path: path.into(),
            query: query.into(),
            not: None,
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delay(pause) => f.debug_tuple("Delay").field(pause).finish(),
            Self::Call(_) => f.write_str("Call"),
            Self::Answer(status) => f.debug_tuple("Answer").field(status).finish(),
            Self::Elsewhere(_) => f.write_str("Elsewhere"),
            Self::CutBefore => f.write_str("CutBefore"),
            Self::CutAfter => f.write_str("CutAfter"),
            Self::CallAfter(_) => f.write_str("CallAfter"),
        }
    }
}

impl Action {
    /// Calls a function when the request arrives, before it is forwarded.
    pub fn call(function: impl Fn() + Send + Sync + 'static) -> Self {
        Self::Call(Arc::new(function))
    }

    /// Calls a function when the upstream has responded, before the client gets the response.
    pub fn call_after(function: impl Fn() + Send + Sync + 'static) -> Self {
        Self::CallAfter(Arc::new(function))
    }
}

impl Rules {
    pub(super) fn add(&self, matcher: Matcher, spared: usize, left: usize, action: Action) {
        self.book().rules.push(Rule {
            matcher,
            spared,
            left,
            action,
        });
    }

    pub(super) fn clear(&self) {
        self.book().rules.clear();
    }

    pub(super) fn requests(&self) -> Vec<Seen> {
        self.book().seen.clone()
    }

    /// Logs a request, and counts it for each rule. Returns the actions for this request.
    pub(super) fn note(&self, seen: &Seen) -> Vec<Action> {
        let mut book = self.book();
        book.seen.push(seen.clone());
        let matching = book
            .rules
            .iter_mut()
            .filter(|rule| rule.matcher.matches(seen));
        let fired = matching.filter_map(Rule::fire).collect();
        book.rules.retain(|rule| rule.left > 0);
        fired
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rule {
    fn fire(&mut self) -> Option<Action> {
        if self.spared > 0 {
            self.spared -= 1;
            return None;
        }
        // The count of an unlimited rule never decreases.
        if self.left != usize::MAX {
            self.left = self.left.checked_sub(1)?;
        }
        Some(self.action.clone())
    }
}
