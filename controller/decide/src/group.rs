//! The OperatorGroup of the namespace.

use crate::case::Case;
use crate::part::Part;

pub(crate) fn judge(_: &Case<'_>) -> Part {
    Part::default()
}

/// Whether the group is right, or will be once the steps are taken.
pub(crate) fn is_right(group: &Part) -> bool {
    group.said.iter().all(|said| !said.violates) || !group.steps.is_empty()
}
