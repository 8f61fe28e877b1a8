//! Finds the lineages of deleted plans whose objects a new plan adopts.

use std::collections::BTreeSet;

use portolan_api::plan::MOST_LINEAGES;
use serde_json::Value;

use crate::decide::case::PlanContext;
use crate::lineages::{is_written_by, labeled};
use crate::object::text;

/// Returns the lineages of deleted plans whose objects this plan adopts. The plan names one of the
/// deleted plans in `replaces`. If a deleted plan had merged other plans, there are several
/// lineages.
pub(in crate::decide) fn orphaned(case: &PlanContext<'_>) -> BTreeSet<String> {
    if !case.relations.is_heir_of_gone {
        return BTreeSet::new();
    }
    let objects = (0..case.members.len()).filter_map(|place| case.object(place));
    let lineages = objects.filter_map(|object| writer(object));
    let gone = lineages.filter(|lineage| case.observed.living.is_gone(lineage));
    let gone: BTreeSet<_> = gone.map(str::to_owned).collect();
    if gone.len() > MOST_LINEAGES {
        BTreeSet::new()
    } else {
        gone
    }
}

/// Returns the lineage that wrote the object. Returns None if no lineage wrote it.
fn writer(object: &Value) -> Option<&str> {
    let lineage = labeled(object)?;
    let is_there = !text(object, "/metadata/uid").is_empty();
    (is_there && is_written_by(lineage, object)).then_some(lineage)
}
