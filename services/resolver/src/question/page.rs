//! Responses in pages.

use std::fmt;
use std::str::FromStr;

use portolan_core_catalog::Digest;

use super::{Answering, RequestError};

/// The default number of items on a page. A page with so many items fits into a message of four
/// megabytes.
const USUAL: usize = 1000;

/// The requested page of a long response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageRequest {
    size: usize,
    /// The token of the page. None for the first page.
    token: Option<Token>,
}

/// A page of a long response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// The token of the next page; None on the last page.
    pub(crate) next: Option<Token>,
}

/// The token of a page: its position, and the catalog contents from which it was created. Pages of
/// different contents cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    content: String,
    offset: usize,
}

// === impl PageRequest ===

impl PageRequest {
    /// Creates a page request. `size` 0 selects the default size.
    pub(crate) fn new(size: u32, token: Option<Token>) -> Self {
        let asked = usize::try_from(size).unwrap_or(usize::MAX);
        Self {
            size: if size == 0 { USUAL } else { asked.min(USUAL) },
            token,
        }
    }

    /// Returns the requested page of `items`, which come from these catalogs.
    pub(crate) fn cut<T>(
        &self,
        catalogs: &[Answering<'_>],
        items: impl ExactSizeIterator<Item = T>,
    ) -> Result<Page<T>, RequestError> {
        let content = content(catalogs);
        let offset = match &self.token {
            None => 0,
            Some(token) if token.content == content => token.offset,
            Some(_) => return Err(RequestError::PageGone),
        };
        let end = offset.saturating_add(self.size);
        let next = (end < items.len()).then_some(Token {
            content,
            offset: end,
        });
        Ok(Page {
            items: items.skip(offset).take(self.size).collect(),
            next,
        })
    }
}

// === impl Token ===

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.offset, self.content)
    }
}

impl FromStr for Token {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "the token is not the next_page_token of a response";
        let (offset, content) = text.split_once('-').ok_or(FORM)?;
        Ok(Self {
            offset: offset.parse().map_err(|_| FORM)?,
            content: content.to_owned(),
        })
    }
}

fn content(catalogs: &[Answering<'_>]) -> String {
    let texts = catalogs.iter().flat_map(|catalog| {
        let content = catalog.content.catalog();
        let digests = [content.digest, content.display_digest, content.fault_digest];
        let digests = digests.map(|digest| Some(digest.to_string()));
        [Some(catalog.name.to_string())].into_iter().chain(digests)
    });
    Digest::of_texts(texts).to_string()
}
