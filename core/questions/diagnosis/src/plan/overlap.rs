//! Explains policies that apply to the same plan, so that none of them is effective.

use std::collections::BTreeSet;

use portolan_core_approval::{ApprovalCode, Review};
use portolan_core_names::text::listed;
use serde_json::json;

use crate::command::{POLICIES, Target};
use crate::{Object, Procedure, Step};

/// Returns the first of the policies that overlap for a plan, and one alternative for each policy
/// to keep. A manual approval is not an alternative, because it would bypass all policies.
pub(super) fn choice(review: &Review) -> Option<(Object, Vec<Procedure>)> {
    let reasons = review.verdict.reasons.iter();
    let overlaps = reasons.filter(|reason| reason.code == ApprovalCode::PolicyOverlaps);
    let policies = overlaps.map(|reason| {
        let (_, namespace, name) = &reason.object;
        (namespace.as_str(), name.as_str())
    });
    let policies: BTreeSet<_> = policies.collect();
    let (namespace, name) = *policies.first()?;
    let procedures = policies.iter().map(|kept| keeping(*kept, &policies));
    let at_fault = Object::new("OperatorPolicy", namespace, name);
    Some((at_fault, procedures.collect()))
}

/// Returns the commands that keep one policy enforced and set the other policies to `inform`.
fn keeping(kept: (&str, &str), policies: &BTreeSet<(&str, &str)>) -> Procedure {
    let others: Vec<_> = policies.iter().filter(|policy| **policy != kept).collect();
    let name = |(namespace, name): &(&str, &str)| format!("{namespace}/{name}");
    let names = listed(others.iter().map(|policy| name(policy)));
    let steps = others.iter().map(|policy| {
        let target = Target::new(POLICIES, policy.0, policy.1);
        let patch = json!({"spec": {"remediationAction": "inform"}});
        let comment = format!(
            "Set policy {} to inform, so that it only reports",
            name(policy)
        );
        Step::new(&comment, target.merge(&patch))
    });
    let title = format!(
        "Keep policy {} enforced, and set {names} to inform.",
        name(&kept)
    );
    let risk = format!(
        "Then only policy {} is enforced. The other policies only report. This applies to all \
         operators that they select.",
        name(&kept)
    );
    Procedure::of(&title, steps.collect(), &risk)
}
