//! Splits lists into pages.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::selector::Filter;
use crate::{Installed, ResourceVersion, Snapshot};

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The items, sorted by namespace and name.
    pub items: Vec<Installed>,
    /// The position after which the next page begins. None if this is the last page.
    pub next: Option<Continue>,
    /// The number of items after this page. None if the list has a filter, because the number is
    /// then unknown.
    pub remaining: Option<usize>,
}

/// The position after which the next page begins: a version of the list, and an item in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continue {
    /// The version of the list.
    pub version: ResourceVersion,
    /// The namespace of the last item on the page.
    pub namespace: String,
    /// The name of the last item on the page.
    pub name: String,
}

/// The error for an invalid `continue` token. The request is rejected (400).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "continue key is not valid: send the one of the page before as it is, or list again without"
)]
pub struct NotAContinue;

#[derive(Serialize, Deserialize)]
struct Token {
    v: String,
    ns: String,
    name: String,
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns a page with objects of one namespace or of all namespaces. The page begins after
    /// `behind`, and has at most `limit` items.
    pub fn page(
        &self,
        namespace: Option<&str>,
        filter: &Filter,
        behind: Option<&Continue>,
        limit: usize,
    ) -> Page {
        let start = match (behind, namespace) {
            (Some(behind), _) => (&*behind.namespace, &*behind.name),
            (None, Some(namespace)) => (namespace, ""),
            (None, None) => ("", ""),
        };
        let is_here = |each: &&Installed| namespace.is_none_or(|it| *each.namespace == *it);
        let rest = self.behind(start.0, start.1).take_while(is_here);
        let mut wanted = rest.filter(|each| filter.matches(each));
        let items: Vec<_> = wanted.by_ref().take(limit).cloned().collect();
        let is_more = wanted.next().is_some();
        let remaining = (is_more && filter.is_empty()).then(|| wanted.count() + 1);
        let last = items.last().filter(|_| is_more);
        Page {
            next: last.map(|last| Continue {
                version: behind.map_or(self.version(), |it| &it.version).clone(),
                namespace: last.namespace.to_string(),
                name: last.name.to_string(),
            }),
            items,
            remaining,
        }
    }
}

// === impl Continue ===

impl Continue {
    /// Parses a `continue` token.
    ///
    /// # Errors
    /// Returns an error if the token is invalid.
    pub fn parse(token: &str) -> Result<Self, NotAContinue> {
        let json = URL_SAFE_NO_PAD.decode(token).map_err(|_| NotAContinue)?;
        let Token { v, ns, name } = serde_json::from_slice(&json).map_err(|_| NotAContinue)?;
        Ok(Self {
            version: v.parse().map_err(|_| NotAContinue)?,
            namespace: ns,
            name,
        })
    }

    /// Returns the position as a `continue` token, which clients send back unchanged.
    pub fn token(&self) -> String {
        let token = Token {
            v: self.version.to_string(),
            ns: self.namespace.clone(),
            name: self.name.clone(),
        };
        // Serializing three strings cannot fail.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&token).unwrap_or_default())
    }
}
