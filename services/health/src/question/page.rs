//! Long responses in pages.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use portolan_core_health::{Kind, Object, Operator};

use crate::snapshot::place;

/// The default and the maximum number of operators on a page. A user can read the default number.
/// The maximum number fits into a message of four megabytes.
const USUAL: usize = 200;
const MOST: usize = 1000;

/// The kinds of objects that identify operators.
const SUBJECTS: [Kind; 6] = [
    Kind::Subscription,
    Kind::ClusterServiceVersion,
    Kind::Operator,
    Kind::ClusterExtension,
    Kind::Install,
    Kind::Plan,
];

/// The requested page of a long response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageRequest {
    size: usize,
    /// The token of the page. None for the first page.
    after: Option<Token>,
}

/// A page of a list of operators.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    pub(crate) operators: Vec<Arc<Operator>>,
    /// The token for the next page; None on the last page.
    pub(crate) next: Option<Token>,
    /// The reasons why more operators may exist.
    pub(crate) unread: Vec<String>,
}

/// The token of a page: the last operator of the previous page. The page begins after this
/// operator, even if the operator no longer exists. Therefore an operator that exists during all
/// requests is on exactly one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token(Object);

// === impl PageRequest ===

impl PageRequest {
    /// Creates a page request. `size` 0 selects the default size.
    pub(crate) fn new(size: u32, after: Option<Token>) -> Self {
        let asked = usize::try_from(size).unwrap_or(usize::MAX);
        Self {
            size: if size == 0 { USUAL } else { asked.min(MOST) },
            after,
        }
    }

    /// Returns the requested page of all `operators`, which must be sorted.
    pub(crate) fn cut<'a>(&self, operators: impl Iterator<Item = &'a Arc<Operator>>) -> Page {
        let is_before = |operator: &&Arc<Operator>| {
            let after = self.after.as_ref();
            after.is_some_and(|Token(last)| place(&operator.subject) <= place(last))
        };
        let mut rest = operators.skip_while(is_before);
        let operators: Vec<_> = rest.by_ref().take(self.size).cloned().collect();
        let last = operators.last().map(|last| Token(last.subject.clone()));
        Page {
            operators,
            next: last.filter(|_| rest.next().is_some()),
            unread: Vec::new(),
        }
    }
}

// === impl Token ===

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Object {
            kind,
            namespace,
            name,
        }) = self;
        write!(f, "{kind}/{namespace}/{name}")
    }
}

impl FromStr for Token {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "the token is not the next_page_token of a response";
        let mut parts = text.splitn(3, '/');
        let mut part = || parts.next().ok_or(FORM);
        let (kind, namespace, name) = (part()?, part()?, part()?);
        let kind = SUBJECTS.into_iter().find(|known| known.as_str() == kind);
        Ok(Self(Object::new(kind.ok_or(FORM)?, namespace, name)))
    }
}
