//! Finds operators that prevent OLM from updating other operators of the same namespace.
//!
//! OLM v0 resolves all Subscriptions of a namespace together. If the catalog of one Subscription
//! lacks its package or its channel, OLM updates no operator of the namespace.

use std::collections::BTreeMap;

use super::{Installer, Readiness, ReadinessVerdict, Reason, Subject};

/// Records for each operator the other operators of its namespace that prevent its updates after
/// the upgrade.
pub(super) fn link(operators: &[Subject], all: &mut [Readiness]) {
    let is_of_olm = |subject: &Subject| {
        subject.installer == Installer::OlmV0
            && subject.is_followed
            && !subject.namespace.is_empty()
    };
    let mut holding: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, subject) in operators.iter().enumerate() {
        if is_of_olm(subject) && holds_up(&all[at]) {
            holding.entry(&subject.namespace).or_default().push(at);
        }
    }
    for (at, subject) in operators.iter().enumerate() {
        if is_of_olm(subject)
            && let Some(holding) = holding.get(&*subject.namespace)
        {
            let others = holding.iter().copied().filter(|other| *other != at);
            all[at].held_up_by = others.collect();
        }
    }
}

/// Returns true if OLM cannot resolve the Subscription of the operator right after the upgrade.
fn holds_up(readiness: &Readiness) -> bool {
    let is_gone = |reason: &Reason| matches!(reason, Reason::PackageGone | Reason::ChannelGone);
    let is_moved_before = readiness.verdict == ReadinessVerdict::SwitchChannelFirst;
    readiness.reasons.iter().any(is_gone) && !is_moved_before
}
