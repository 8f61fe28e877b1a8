//! An operator that serves the namespace from another one.

use crate::case::Case;
use crate::part::Part;
use crate::unknown::Form;

pub(crate) fn judge(_: &Case<'_>, _: Form) -> Option<Part> {
    None
}
