//! Judges the conditions that OLM reports on a Subscription.

use std::collections::BTreeSet;

use portolan_core_olm::{Condition, Subscription};

use crate::case::Case;
use crate::objects::LookupResult;
use crate::words::because;
use crate::{Fact, HealthCode, Item, State};

/// The type of the condition that reports a missing InstallPlan.
const PLAN_MISSING: &str = "InstallPlanMissing";

impl Item<Subscription> {
    /// Returns the facts about conditions that report a problem. OLM reports most problems on all
    /// Subscriptions of a namespace, even if only one Subscription is the cause.
    pub(super) fn condition_facts(&self, case: &Case<'_>) -> Vec<Fact> {
        let said: BTreeSet<&Condition> = self.status.conditions.iter().collect();
        let bad = said.into_iter().filter(|said| said.is_true());
        let bad = bad.filter(|said| !self.is_over(said));
        bad.filter_map(|said| self.one(said, case)).collect()
    }

    /// Returns true for a failed resolution that is older than the resolution whose bundles OLM
    /// unpacks now. OLM removes the outdated condition only after it has unpacked the bundles.
    fn is_over(&self, said: &Condition) -> bool {
        let unpacking = Condition::about(&self.status.conditions, Subscription::UNPACKING);
        let unpacking = unpacking.filter(|unpacking| unpacking.is_true());
        let since = |said: &Condition| said.last_transition_time.as_ref().map(|since| since.0);
        said.r#type == Subscription::RESOLUTION_FAILED
            && unpacking
                .and_then(since)
                .is_some_and(|resolved| since(said).is_some_and(|failed| failed <= resolved))
    }

    fn one(&self, said: &Condition, case: &Case<'_>) -> Option<Fact> {
        let object = &self.observed.object;
        let (state, code, claim) = match said.r#type.as_str() {
            Subscription::RESOLUTION_FAILED => (
                case.hindrance(),
                HealthCode::ResolutionFailed,
                format!(
                    "OLM finds no set of bundles that satisfies {object} and the other \
                     Subscriptions of the namespace"
                ),
            ),
            Subscription::UNPACK_FAILED => (
                case.hindrance(),
                HealthCode::BundleUnpackFailed,
                format!(
                    "OLM cannot unpack a bundle for {object} or another Subscription of the \
                         namespace"
                ),
            ),
            Subscription::UNPACKING => (
                case.delay(),
                HealthCode::BundleUnpacking,
                format!(
                    "OLM unpacks a bundle for {object} or another Subscription of the namespace"
                ),
            ),
            "CatalogSourcesUnhealthy" => (
                case.delay(),
                HealthCode::CatalogSourcesUnhealthy,
                format!("OLM reports a problem with a catalog that is visible to {object}"),
            ),
            PLAN_MISSING | "InstallPlanPending" | Subscription::PLAN_FAILED => {
                return self.of_plan(said, case);
            }
            kind => (
                State::Yes,
                HealthCode::SubscriptionCondition,
                format!("OLM reports {kind} for {object}"),
            ),
        };
        let message = because(claim, &in_order(said.words()));
        Some(Fact::judged(&self.observed, state, code, &message))
    }

    /// Returns the problem that OLM reports about the InstallPlan. Returns None if the InstallPlan
    /// itself was read, because its own fact is more precise.
    fn of_plan(&self, said: &Condition, case: &Case<'_>) -> Option<Fact> {
        let is_seen = match case.plan() {
            Some(LookupResult::There(_) | LookupResult::Missing(_)) => true,
            Some(LookupResult::Unseen) | None => false,
        };
        if is_seen || case.is_settled() {
            return None;
        }
        let (state, code, claim) = match (said.r#type.as_str(), said.reason.as_str()) {
            (PLAN_MISSING, _) => {
                let state = case.hindrance().max(State::NotYet);
                (state, HealthCode::PlanMissing, "is missing")
            }
            (Subscription::PLAN_FAILED, _) => (State::No, HealthCode::PlanFailed, "has failed"),
            (_, "RequiresApproval") => (
                case.delay(),
                HealthCode::PlanRequiresApproval,
                "waits for approval",
            ),
            (_, _) => (
                State::NotYet,
                HealthCode::PlanInstalling,
                "is being executed",
            ),
        };
        let claim = format!("The InstallPlan of {} {claim}", self.observed.object);
        Some(Fact::judged(
            &self.observed,
            state,
            code,
            &because(claim, said.words()),
        ))
    }
}

/// Sorts the causes in a message of OLM, because OLM writes them in a different order each time.
fn in_order(text: &str) -> String {
    let Some((claim, causes)) = text.split_once(UNSATISFIABLE) else {
        return text.to_owned();
    };
    let mut causes: Vec<&str> = causes.split(", ").collect();
    causes.sort_unstable();
    format!("{claim}{UNSATISFIABLE}{}", causes.join(", "))
}

/// The text in OLM's message that precedes the causes.
const UNSATISFIABLE: &str = "constraints not satisfiable: ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_causes_from_olm_has_no_effect() {
        let one = "constraints not satisfiable: a exists, b needs a, c needs b";
        let other = "constraints not satisfiable: c needs b, a exists, b needs a";
        assert_eq!(in_order(other), one);
        assert_eq!(in_order(one), one);
        assert_eq!(in_order("b, a"), "b, a");
    }
}
