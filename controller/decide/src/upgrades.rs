//! Which upgrades there are.

use portolan_api::Upgrades;

use crate::case::{Case, Wanted};

pub(crate) fn of(_: &Case<'_>, _: &Wanted) -> Option<Upgrades> {
    None
}
