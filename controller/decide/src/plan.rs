//! The InstallPlan that is of interest now.

use crate::case::Case;
use crate::part::Part;

pub(crate) fn judge(_: &Case<'_>) -> Part {
    Part::default()
}
