//! What shall be there, and what OLM does about it.

use portolan_core_health::{InstallPlan, Kind, OperatorGroup, Step, Subscription, Targets};

use super::{conditions, observed};

pub(crate) fn subscription(subscription: &portolan_core_olm::Subscription) -> Subscription {
    let portolan_core_olm::Subscription {
        metadata,
        spec,
        status,
    } = subscription;
    let plan = status.install_plan_ref.as_ref();
    Subscription {
        observed: observed(Kind::Subscription, subscription.identity()),
        package: spec.package.clone(),
        channel: spec.channel.clone(),
        source_namespace: spec.source_namespace.clone(),
        source: spec.source.clone(),
        state: status.state.clone(),
        current_csv: status.current_csv.clone(),
        installed_csv: status.installed_csv.clone(),
        plan: plan.map(|plan| plan.name.clone()).unwrap_or_default(),
        conditions: conditions(&status.conditions),
        is_deleting: metadata.deletion_timestamp.is_some(),
    }
}

pub(crate) fn operator_group(group: &portolan_core_olm::OperatorGroup) -> OperatorGroup {
    let portolan_core_olm::OperatorGroup {
        metadata,
        spec,
        status,
    } = group;
    let mut conditions = conditions(&status.conditions);
    if spec.service_account_name.is_empty() {
        // OLM does not take back what it said of one that is named no more.
        conditions.retain(|said| said.kind != "OperatorGroupServiceAccount");
    }
    OperatorGroup {
        observed: observed(Kind::OperatorGroup, group.identity()),
        targets: targets(group),
        account: spec.service_account_name.clone(),
        conditions,
        is_deleting: metadata.deletion_timestamp.is_some(),
    }
}

/// What a selector selects is for OLM to write down: an empty name stands for all namespaces.
fn targets(group: &portolan_core_olm::OperatorGroup) -> Targets {
    let names = match group.has_selector() {
        true => &group.status.namespaces,
        false => &group.spec.target_namespaces,
    };
    match (group.has_selector(), names.as_slice()) {
        (true, []) => Targets::Selected,
        (false, []) => Targets::All,
        (_, names) if names.iter().any(String::is_empty) => Targets::All,
        (_, names) => Targets::These(names.iter().cloned().collect()),
    }
}

pub(crate) fn install_plan(plan: &portolan_core_olm::InstallPlan) -> InstallPlan {
    let portolan_core_olm::InstallPlan {
        metadata: _,
        spec,
        status,
    } = plan;
    let open = status.steps.iter().filter(|step| !step.is_done());
    InstallPlan {
        observed: observed(Kind::InstallPlan, plan.identity()),
        csvs: spec.csvs.clone(),
        is_approved: spec.approved,
        phase: status.phase.clone(),
        message: status.message.clone(),
        conditions: conditions(&status.conditions),
        open_steps: open.map(step).collect(),
    }
}

fn step(step: &portolan_core_olm::Step) -> Step {
    Step {
        kind: step.resource.kind.clone(),
        name: step.resource.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    #[rstest]
    #[case::all_where_nothing_is_said(json!({}), json!([""]), Targets::All)]
    #[case::those_that_are_named(json!({"targetNamespaces": ["a", "b"]}), json!([]), these(&["a", "b"]))]
    #[case::those_that_a_selector_selected(selector(), json!(["a"]), these(&["a"]))]
    #[case::those_that_a_selector_will_select(selector(), json!([]), Targets::Selected)]
    #[case::all_that_a_selector_selected(selector(), json!([""]), Targets::All)]
    fn a_group_targets(#[case] spec: Value, #[case] status: Value, #[case] wanted: Targets) {
        let group = json!({
            "metadata": {"name": "g", "namespace": "n"},
            "spec": spec,
            "status": {"namespaces": status},
        });
        let (group, faults) = portolan_core_olm::read_value(group).expect("an OperatorGroup");
        assert_eq!(faults, []);
        assert_eq!(operator_group(&group).targets, wanted);
    }

    /// OLM leaves in the status what it said of an account that the spec names no more.
    #[rstest]
    #[case::an_account_that_is_named("nobody", &["OperatorGroupServiceAccount"])]
    #[case::none_any_more("", &[])]
    fn a_group_is_told_of(#[case] account: &str, #[case] wanted: &[&str]) {
        let said = json!({
            "type": "OperatorGroupServiceAccount",
            "status": "True",
            "reason": "ServiceAccountNotFound",
        });
        let group = json!({
            "metadata": {"name": "g", "namespace": "n"},
            "spec": {"serviceAccountName": account},
            "status": {"conditions": [said]},
        });
        let (group, faults) = portolan_core_olm::read_value(group).expect("an OperatorGroup");
        assert_eq!(faults, []);
        let told = operator_group(&group).conditions;
        let told: Vec<_> = told.iter().map(|said| said.kind.as_str()).collect();
        assert_eq!(told, wanted);
    }

    fn selector() -> Value {
        json!({"selector": {"matchLabels": {"team": "harbor"}}})
    }

    fn these(names: &[&str]) -> Targets {
        Targets::These(names.iter().map(ToString::to_string).collect())
    }
}
