//! The plans of OLM with the reviews of the approval service, and the plans of Portolan with their
//! statuses.

use portolan_api::plan::{ConditionType, InstallPlan as Ours};
use portolan_core_console::view::{Origin, Plan, Seen, State};
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::approval::v1::{Review, WatchRequest, verdict};

use super::hidden::unless_hidden;
use super::{Services, heard, unseen};

impl Services {
    /// Returns all plans of OLM and Portolan. Hidden plans are omitted, and reported separately.
    pub(super) async fn plans(&self) -> Seen<Vec<Plan>> {
        let mut plans = self.reviewed().await?;
        if let Ok(view) = self.all::<Ours>().await {
            plans.extend(view.objects.values().map(|it| of_ours(it)));
        }
        unless_hidden(plans, self.hidden_plans().await)
    }

    /// Returns the plans of OLM. The approval service sends them at the start of a watch.
    async fn reviewed(&self) -> Seen<Vec<Plan>> {
        let mut told = heard(self.approval().watch(WatchRequest::default()).await)?;
        let mut plans = Vec::new();
        while let Some(next) = told.message().await.map_err(|status| unseen(&status))? {
            match next.event {
                Some(Event::Review(review)) => plans.push(plan(review)),
                Some(Event::Reset(_)) => plans.clear(),
                Some(Event::Synced(_)) | None => break,
                Some(Event::Gone(_) | Event::Heartbeat(_)) => {}
            }
        }
        Ok(plans)
    }
}

/// Converts an InstallPlan of OLM to a row.
pub(super) fn plan(review: Review) -> Plan {
    let object = review.plan.and_then(|plan| plan.object).unwrap_or_default();
    let verdict = review.verdict.unwrap_or_default();
    let fixes = review.bundles.iter().flat_map(|bundle| &bundle.fixes);
    let state = match verdict.state() {
        verdict::State::Unspecified => State::Unknown,
        _ if review.waits && !review.approved => State::Waiting,
        verdict::State::Yes => State::Well,
        verdict::State::No => State::Stuck,
        verdict::State::NotYet => State::Working,
    };
    let mut why: Vec<_> = verdict.reasons.into_iter().map(|why| why.message).collect();
    if why.is_empty() && state == State::Waiting {
        why.push(
            "Policies allow all bundles of the InstallPlan, but no user has approved it yet."
                .to_owned(),
        );
    }
    Plan {
        origin: Origin::Olm,
        namespace: object.namespace,
        name: object.name,
        phase: review.phase,
        state,
        why,
        fixes: fixes.map(|fix| fix.message.clone()).collect(),
        bundles: review.bundles.into_iter().map(|it| it.name).collect(),
    }
}

/// Converts an InstallPlan of Portolan to a row.
pub(super) fn of_ours(it: &Ours) -> Plan {
    let status = it.status.clone().unwrap_or_default();
    let is_suspended = it.spec.as_json()["suspend"].as_bool() == Some(true);
    let state = if status.is_true(ConditionType::Ready) {
        State::Well
    } else if status.is_false(ConditionType::Valid) || status.is_false(ConditionType::Permitted) {
        State::Stuck
    } else if is_suspended {
        State::Waiting
    } else {
        State::Working
    };
    // Show the phase with the same spelling as in the status.
    let phase = serde_json::to_value(status.phase).unwrap_or_default();
    let open = status.open_conditions().map(|it| it.message.clone());
    Plan {
        origin: Origin::Portolan,
        namespace: it.metadata.namespace.clone().unwrap_or_default(),
        name: it.metadata.name.clone().unwrap_or_default(),
        phase: phase.as_str().unwrap_or_default().to_owned(),
        state,
        why: open.filter(|message| !message.is_empty()).collect(),
        bundles: Vec::new(),
        fixes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
        json!({
            "type": type_, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    }

    fn well() -> Value {
        condition("Ready", "True", "AllReady", "all is ready")
    }

    fn plan_with(conditions: &[Value]) -> Plan {
        let plan = json!({
            "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
            "metadata": {"name": "ferry-2", "namespace": "harbor"},
            "spec": {"serviceAccountName": "ferry", "stages": []},
            "status": {"phase": "Ready", "conditions": conditions},
        });
        of_ours(&serde_json::from_value(plan).expect("a plan"))
    }

    #[rstest]
    #[case::plan_that_replaced_another_plan(
        condition("Replaced", "False", "NotReplaced", "no plan replaces this plan"),
        &[]
    )]
    #[case::plan_that_removes_leftovers(
        condition("Replaced", "False", "RemovingLeftovers", "ConfigMap a is being deleted"),
        &["ConfigMap a is being deleted"]
    )]
    #[case::plan_without_drift(condition("Drifted", "False", "NotDrifted", "as applied"), &[])]
    #[case::plan_with_drift(
        condition("Drifted", "True", "MembersDrifted", "ConfigMap a has changed"),
        &["ConfigMap a has changed"]
    )]
    fn ready_plan_shows_only_open_conditions(#[case] other: Value, #[case] why: &[&str]) {
        let plan = plan_with(&[well(), other]);
        assert_eq!(
            (plan.state, plan.why),
            (State::Well, why.iter().map(|it| (*it).to_owned()).collect())
        );
    }

    #[test]
    fn invalid_plan_shows_its_reason() {
        let invalid = condition("Valid", "False", "SpecInvalid", "stages: none");
        let plan = plan_with(&[invalid]);
        assert_eq!(
            (plan.state, plan.why),
            (State::Stuck, vec!["stages: none".to_owned()])
        );
    }
}
