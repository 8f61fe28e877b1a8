//! The row at which a page of a long list begins.

use super::Unknown;
use super::filter::Take;
use crate::markup::Href;

/// The row at which a page of a long list begins. The first page begins at the first row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FirstRow {
    /// The number of rows before this row.
    before: usize,
}

/// The name of the parameter.
const NAME: &str = "row";

// === impl FirstRow ===

impl FirstRow {
    /// The first row of a list.
    pub const TOP: Self = Self { before: 0 };

    /// Returns the row with this number of rows before it.
    pub fn after(before: usize) -> Self {
        Self { before }
    }

    /// Returns the number of rows before this row.
    pub(crate) fn before(self) -> usize {
        self.before
    }

    /// Parses the parameter. Users count rows from 1.
    pub(super) fn parse(take: &mut Take<'_>) -> Result<Self, Unknown> {
        let given = take(NAME).unwrap_or_default();
        if given.is_empty() {
            return Ok(Self::TOP);
        }
        let before = given.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        before.map(Self::after).ok_or_else(|| Unknown {
            what: format!("the parameter {NAME} is the number of a row, such as 1"),
        })
    }

    /// Adds the parameter to a link. A link to the first page does not have it.
    pub(super) fn add_to(self, place: Href) -> Href {
        match self.before {
            0 => place,
            before => place.with(NAME, &before.saturating_add(1).to_string()),
        }
    }
}
