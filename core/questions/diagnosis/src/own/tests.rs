use portolan_api::installs;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn condition(type_: &str, status: &str, reason: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": "why it is so",
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    })
}

fn install(conditions: &[Value]) -> Install {
    let install = json!({
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
        "metadata": {"name": "plumbus", "uid": "7", "generation": 1},
        "spec": {},
        "status": {
            "observedGeneration": 1, "conditions": conditions,
            "plan": {"namespace": "portolan", "name": "plumbus-1"},
        },
    });
    serde_json::from_value(install).expect("an Install")
}

fn operator_policy(name: &str, status: Value) -> OperatorPolicy {
    let policy = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1", "kind": "OperatorPolicy",
        "metadata": {"name": name, "namespace": "policies"},
        "spec": {}, "status": status,
    });
    serde_json::from_value(policy).expect("a policy")
}

fn non_compliant(type_: &str, status: &str, reason: &str) -> OperatorPolicy {
    let conditions = [
        condition("Compliant", "False", "NonCompliant"),
        condition(type_, status, reason),
    ];
    let status = json!({"compliant": "NonCompliant", "conditions": conditions});
    operator_policy("ferry", status)
}

fn upgrade_policy(conditions: &[Value]) -> Policy {
    let policy = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Policy",
        "metadata": {"name": "nights"}, "spec": {}, "status": {"conditions": conditions},
    });
    serde_json::from_value(policy).expect("a Policy")
}

fn binding(conditions: &[Value]) -> PolicyBinding {
    let binding = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "PolicyBinding",
        "metadata": {"name": "nights"}, "spec": {}, "status": {"conditions": conditions},
    });
    serde_json::from_value(binding).expect("a PolicyBinding")
}

/// Returns a plan with these labels that waits for a permission.
fn plan(name: &str, labels: Value) -> InstallPlan {
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": "portolan", "labels": labels},
        "spec": {},
        "status": {
            "observedGeneration": 1, "phase": "Applying",
            "conditions": [condition("Permitted", "False", "PermissionMissing")],
        },
    });
    serde_json::from_value(plan).expect("a plan")
}

pub(crate) fn operator(name: &str) -> Operator {
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": name}, "spec": {"packageName": name},
    });
    serde_json::from_value(operator).expect("an Operator")
}

/// Returns an Install for each reason, and policies in trouble.
pub(crate) fn stories() -> Vec<Diagnosis> {
    let reasons = installs::Reason::ALL.iter();
    let installs = reasons.map(|reason| {
        let ready = condition("Ready", "False", reason.as_str());
        diagnose_install(&install(&[ready]), &[])
    });
    let invalid = condition("Accepted", "False", "SpecInvalid");
    let broken = condition("Broken", "True", "ReferenceMissing");
    let policies = [
        diagnose_policy(&upgrade_policy(&[invalid])),
        diagnose_binding(&binding(&[broken])),
        diagnose_operator_policy(&non_compliant(
            "SubscriptionCompliant",
            "False",
            "SubscriptionMismatch",
        )),
    ];
    let of_olm_v1 = super::olm_v1::tests::stories();
    let of_portolan = super::component::tests::stories();
    let others = of_olm_v1.into_iter().chain(of_portolan);
    installs.chain(policies).chain(others).collect()
}

/// Returns the state, and the code and message of the root cause.
fn headline(diagnosis: &Diagnosis) -> String {
    let root = diagnosis.cause.as_ref();
    let root = root.map(|cause| format!(" {}: {}", cause.code, cause.message));
    format!("{:?}{}", diagnosis.state, root.unwrap_or_default())
}

/// Returns the object and the state of each diagnosis.
fn lines(all: &[Diagnosis]) -> Vec<String> {
    let line = |one: &Diagnosis| format!("{} {:?}", one.subject.object, one.state);
    all.iter().map(line).collect()
}

fn listed_objects<K>(objects: impl IntoIterator<Item = K>) -> Listed<K> {
    Listed {
        objects: objects.into_iter().map(Arc::new).collect(),
        troubles: Vec::new(),
    }
}

/// Returns an Operator and an Install with a plan each, a plan of no owner, and two policies
/// without a status.
fn harbor() -> OwnObjects {
    let mut owner = serde_json::Map::new();
    owner.insert(OPERATOR.name().to_owned(), "ferry".into());
    let mut of_install = serde_json::Map::new();
    of_install.insert(INSTALL.name().to_owned(), "7".into());
    let fails = condition("Ready", "False", "InstallPlanFailed");
    OwnObjects {
        operators: listed_objects([operator("ferry")]),
        plans: listed_objects([
            plan("ferry-1", owner.into()),
            plan("lights", json!({})),
            plan("plumbus-1", of_install.into()),
        ]),
        installs: listed_objects([install(&[fails])]),
        operator_policies: listed_objects([
            operator_policy("ferry", Value::Null),
            operator_policy("tug", Value::Null),
        ]),
        ..OwnObjects::default()
    }
}

#[rstest]
#[case::ready("Ready", "True", "Installed", "Well")]
#[case::installing(
    "Ready",
    "False",
    "Installing",
    "Working InProgress: It is in progress: why it is so."
)]
#[case::unapproved(
    "PendingApproval",
    "True",
    "UnsatisfiedPermissions",
    "Waiting ApprovalRequired: The content waits for approval: why it is so."
)]
#[case::approved("PendingApproval", "False", "ApprovalGiven", "Well")]
#[case::invalid(
    "ContentImportError",
    "True",
    "RawInvalid",
    "Stuck ContentInvalid: The content cannot be installed: why it is so."
)]
#[case::unpullable(
    "ContentImportError",
    "True",
    "ManifestImagePullFailed",
    "Stuck ImagePullFailing: The image of the content cannot be pulled: why it is so."
)]
#[case::of_a_newer_controller(
    "Ready",
    "False",
    "Eaten",
    "Stuck InstallFailed: It does not continue: why it is so."
)]
fn install_headline_follows_its_conditions(
    #[case] type_: &str,
    #[case] status: &str,
    #[case] reason: &str,
    #[case] expected: &str,
) {
    let diagnosis = diagnose_install(&install(&[condition(type_, status, reason)]), &[]);
    assert_eq!(headline(&diagnosis), expected);
}

#[test]
fn install_reports_the_cause_of_its_plan() {
    let fails = install(&[condition("Ready", "False", "InstallPlanFailed")]);
    let plan = plan("plumbus-1", json!({}));
    let diagnosis = diagnose_install(&fails, &[&plan]);
    let root = diagnosis.cause.expect("a cause");
    let below: Vec<_> = root.below.iter().map(|it| it.code).collect();
    assert_eq!(
        (diagnosis.state, root.code, below),
        (
            State::Stuck,
            Code::InstallFailed,
            vec![Code::PermissionMissing]
        )
    );
}

#[rstest]
#[case::mismatch(
    "SubscriptionCompliant",
    "False",
    "SubscriptionMismatch",
    "Stuck PolicyNonCompliant: SubscriptionCompliant: why it is so."
)]
#[case::unapproved(
    "InstallPlanCompliant",
    "False",
    "InstallPlanRequiresApproval",
    "Waiting PolicyNonCompliant: InstallPlanCompliant: why it is so."
)]
#[case::down(
    "DeploymentCompliant",
    "False",
    "DeploymentsUnavailable",
    "Broken PolicyNonCompliant: DeploymentCompliant: why it is so."
)]
#[case::catalog(
    "CatalogSourcesUnhealthy",
    "True",
    "CatalogSourcesNotFound",
    "Stuck PolicyNonCompliant: CatalogSourcesUnhealthy: why it is so."
)]
#[case::invalid(
    "ValidPolicySpec",
    "False",
    "InvalidPolicySpec",
    "Stuck PolicyInvalid: It is invalid: why it is so."
)]
#[case::deprecated(
    "NoDeprecations",
    "False",
    "ChannelDeprecated",
    "Stuck PolicyNonCompliant: NoDeprecations: why it is so."
)]
#[case::of_another_controller(
    "SubscriptionCompliant",
    "False",
    "SubscriptionEaten",
    "Stuck PolicyNonCompliant: SubscriptionCompliant: why it is so."
)]
#[case::without_details(
    "ValidPolicySpec",
    "True",
    "PolicyValidated",
    "Stuck PolicyNonCompliant: Compliant: why it is so."
)]
fn non_compliant_policy_is_never_well(
    #[case] type_: &str,
    #[case] status: &str,
    #[case] reason: &str,
    #[case] expected: &str,
) {
    let diagnosis = diagnose_operator_policy(&non_compliant(type_, status, reason));
    assert_eq!(headline(&diagnosis), expected);
}

#[rstest]
#[case::compliant(json!({"compliant": "Compliant"}), "Well")]
#[case::with_a_condition_that_does_not_count(
    json!({
        "compliant": "Compliant",
        "conditions": [condition("NoDeprecations", "False", "ChannelDeprecated")],
    }),
    "Well"
)]
#[case::non_compliant(
    json!({"compliant": "NonCompliant"}),
    "Stuck PolicyNonCompliant: The policy is NonCompliant, and no condition says why."
)]
#[case::pending(
    json!({"compliant": "Pending"}),
    "Working NotObserved: The compliance of the policy is not known yet."
)]
#[case::without_a_status(
    Value::Null,
    "Working NotObserved: The controller has not written its status yet."
)]
fn policy_headline_follows_its_compliance(#[case] status: Value, #[case] expected: &str) {
    let diagnosis = diagnose_operator_policy(&operator_policy("ferry", status));
    assert_eq!(headline(&diagnosis), expected);
}

/// The status of a policy quotes variables of a Subscription, which hold secrets.
#[rstest]
#[case::whole(r#"is [{"name":"A","value":"mellon\"mellon"}], not []"#)]
#[case::cut(r#"is [{"name":"A","value":"mellon\"mellon"#)]
fn values_of_variables_are_left_out(#[case] message: &str) {
    let mut policy = non_compliant("SubscriptionCompliant", "False", "SubscriptionMismatch");
    let status = policy.status.as_mut().expect("a status");
    status.conditions[1].message = message.to_owned();
    let diagnosis = format!("{:?}", diagnose_operator_policy(&policy));
    assert!(diagnosis.contains("(left out)"), "{diagnosis}");
    assert!(!diagnosis.contains("mellon"), "{diagnosis}");
}

#[rstest]
#[case::accepted("Accepted", "True", "Accepted", "Well")]
#[case::invalid(
    "Accepted",
    "False",
    "SpecInvalid",
    "Stuck PolicyInvalid: It is invalid: why it is so."
)]
#[case::broken(
    "Broken",
    "True",
    "ReferenceMissing",
    "Stuck ReferenceMissing: It has no effect: why it is so."
)]
fn upgrade_policies_follow_their_conditions(
    #[case] type_: &str,
    #[case] status: &str,
    #[case] reason: &str,
    #[case] expected: &str,
) {
    let diagnosis = diagnose_binding(&binding(&[condition(type_, status, reason)]));
    assert_eq!(headline(&diagnosis), expected);
}

#[test]
fn rule_that_reads_an_unknown_field_is_reported() {
    let mut policy = upgrade_policy(&[condition("Accepted", "True", "Accepted")]);
    let rule = "allow if input.move.to.versoin == \"1.2.0\"";
    policy.spec = serde_json::from_value(json!({"opaPolicy": rule})).expect("a spec");
    let expected = "Stuck PolicyInvalid: It is wrong: the rule reads input.move.to.versoin, which \
                    does not exist; did you mean input.move.to.version?";
    assert_eq!(headline(&diagnose_policy(&policy)), expected);
}

#[test]
fn answer_has_all_kinds_without_plans_of_owners() {
    let all = diagnose_own(&harbor(), OwnQuestion::default());
    assert_eq!(
        lines(&all),
        [
            "Operator.operators.operatorframework.io ferry Working",
            "InstallPlan.plans.portolan.dev portolan/lights Stuck",
            "Install.operators.coreos.com plumbus Stuck",
            "OperatorPolicy Working",
        ]
    );
    let summary = all[3].cause.as_ref().map(|cause| cause.message.as_str());
    let expected = "OperatorPolicies have no status: policies/ferry and policies/tug.";
    assert_eq!(summary, Some(expected));
}

#[test]
fn question_by_name_summarizes_and_omits_nothing() {
    let asked = OwnQuestion {
        is_by_name: true,
        ..OwnQuestion::default()
    };
    let all = diagnose_own(&harbor(), asked);
    let names = all.iter().map(|one| one.subject.object.name.as_str());
    let names: Vec<_> = names.collect();
    let expected = [
        "ferry",
        "ferry-1",
        "lights",
        "plumbus-1",
        "plumbus",
        "ferry",
        "tug",
    ];
    assert_eq!(names, expected);
}

/// A caller that asks about one namespace gets nothing about objects outside of it.
#[rstest]
#[case::of_plans("portolan", 3)]
#[case::of_policies("policies", 1)]
#[case::without_objects("nowhere", 0)]
fn namespace_excludes_cluster_scoped_objects(#[case] namespace: &str, #[case] count: usize) {
    let asked = OwnQuestion {
        namespace: Some(namespace),
        ..OwnQuestion::default()
    };
    let all = diagnose_own(&harbor(), asked);
    assert_eq!(all.len(), count, "{all:?}");
    let is_namespaced = |one: &Diagnosis| {
        let kind = &one.subject.object.kind;
        kind == OwnKind::InstallPlan.as_str() || kind == OwnKind::OperatorPolicy.as_str()
    };
    assert!(all.iter().all(is_namespaced), "{all:?}");
}

#[test]
fn unlisted_kind_is_reported_as_unknown() {
    for kind in OwnKind::ALL {
        let troubles = vec!["forbidden: no".to_owned(), "object x is invalid".to_owned()];
        let mut own = OwnObjects::default();
        match kind {
            OwnKind::Operator => own.operators.troubles = troubles,
            OwnKind::InstallPlan => own.plans.troubles = troubles,
            OwnKind::Install => own.installs.troubles = troubles,
            OwnKind::OperatorPolicy => own.operator_policies.troubles = troubles,
            OwnKind::Policy => own.policies.troubles = troubles,
            OwnKind::PolicyBinding => own.bindings.troubles = troubles,
            OwnKind::ComponentOperator => own.component_operators.troubles = troubles,
            OwnKind::ClusterExtension => own.extensions.troubles = troubles,
            OwnKind::ClusterCatalog => own.catalogs.troubles = troubles,
            OwnKind::Component => own.components.troubles = troubles,
        }
        // Few users can read these, and dumps of older versions do not have them.
        let is_rare = [OwnKind::ComponentOperator, OwnKind::Component].contains(kind);
        let all = diagnose_own(&own, OwnQuestion::default());
        assert_eq!(all.is_empty(), is_rare);
        let asked = OwnQuestion {
            kind: is_rare.then_some(*kind),
            ..OwnQuestion::default()
        };
        let all = diagnose_own(&own, asked);
        assert_eq!(lines(&all), [format!("{} Working", kind.as_str())]);
        let root = all[0].cause.as_ref().expect("a cause");
        assert_eq!(root.code, Code::NotObserved);
        let expected = "cannot be read: forbidden: no (and 1 other problem).";
        assert!(root.message.ends_with(expected), "{}", root.message);
        assert!(own.trouble(asked).is_some());
    }
}

#[test]
fn kind_restricts_the_answer() {
    let asked = OwnQuestion {
        kind: Some(OwnKind::InstallPlan),
        ..OwnQuestion::default()
    };
    let all = diagnose_own(&harbor(), asked);
    assert_eq!(all.len(), 3, "plans of an owner are not left out: {all:?}");
}
