use portolan_api::installs;
use portolan_core_olm::AnyDeployment;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::running::RunningWorkload;

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

/// Returns the diagnoses of an Install for each reason, and of policies with problems.
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
    let never = restricted("0 1 * * 2-4", "0 4 * * 2-4");
    let others = others.chain([never]);
    installs.chain(policies).chain(others).collect()
}

/// Returns the state, and the code and message of the root cause.
fn headline(diagnosis: &Diagnosis) -> String {
    let root = diagnosis.cause.as_ref();
    let root = root.map(|cause| format!(" {}: {}", cause.code, cause.message));
    format!("{:?}{}", diagnosis.state, root.unwrap_or_default())
}

/// Formats the object and the state of each diagnosis.
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

/// Returns an Operator and an Install with one plan each, a plan without an owner, and two policies
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
    "Working InProgress: The controller is working on the Install: why it is so."
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
#[case::unknown_reason_of_a_newer_controller(
    "Ready",
    "False",
    "Eaten",
    "Stuck InstallFailed: The Install does not continue: why it is so."
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
    "Stuck PolicyInvalid: The policy is invalid: why it is so."
)]
#[case::deprecated(
    "NoDeprecations",
    "False",
    "ChannelDeprecated",
    "Stuck PolicyNonCompliant: NoDeprecations: why it is so."
)]
#[case::reason_of_another_controller(
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
#[case::violated_condition_without_effect_on_compliance(
    json!({
        "compliant": "Compliant",
        "conditions": [condition("NoDeprecations", "False", "ChannelDeprecated")],
    }),
    "Well"
)]
#[case::non_compliant(
    json!({"compliant": "NonCompliant"}),
    "Stuck PolicyNonCompliant: The policy is NonCompliant, but no condition shows the reason."
)]
#[case::pending(
    json!({"compliant": "Pending"}),
    "Working NotObserved: The compliance of the policy is not known yet."
)]
#[case::missing_status(
    Value::Null,
    "Working NotObserved: The controller has not written the status of the object yet."
)]
fn policy_headline_follows_its_compliance(#[case] status: Value, #[case] expected: &str) {
    let diagnosis = diagnose_operator_policy(&operator_policy("ferry", status));
    assert_eq!(headline(&diagnosis), expected);
}

/// The status of a policy may quote variables of a Subscription. Their values may be secret.
#[rstest]
#[case::whole(r#"is [{"name":"A","value":"mellon\"mellon"}], not []"#)]
#[case::cut(r#"is [{"name":"A","value":"mellon\"mellon"#)]
fn values_of_variables_are_omitted(#[case] message: &str) {
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
    "Stuck PolicyInvalid: The policy is invalid: why it is so."
)]
#[case::broken(
    "Broken",
    "True",
    "ReferenceMissing",
    "Stuck ReferenceMissing: The PolicyBinding has no effect: why it is so."
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
    let expected = "Stuck PolicyInvalid: The rule is invalid: the rule reads \
                    input.move.to.versoin, which does not exist; did you mean \
                    input.move.to.version?";
    assert_eq!(headline(&diagnose_policy(&policy)), expected);
}

#[test]
fn answer_has_all_kinds_and_omits_plans_with_owners() {
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
fn question_by_name_neither_summarizes_nor_omits_objects() {
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

/// A question about one namespace returns no objects outside of this namespace.
#[rstest]
#[case::question_about_plans("portolan", 3)]
#[case::question_about_policies("policies", 1)]
#[case::namespace_without_objects("nowhere", 0)]
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
        // Few users have the permission to read these kinds, and dumps of older versions do not
        // contain them.
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

/// Returns an Operator with this condition. `more` contains additional fields of the status.
fn operator_with(name: &str, reason: &str, more: Value) -> Operator {
    let mut status = json!({
        "observedGeneration": 1, "conditions": [condition("Installing", "False", reason)],
        "plan": {"namespace": "portolan", "name": format!("{name}-1")},
        "bundle": {"name": format!("{name}.v1.0.0"), "catalog": "demo"},
        "path": [{"bundle": format!("{name}.v1.1.0"), "version": "1.1.0"}],
    });
    for (field, value) in more.as_object().expect("an object") {
        status[field] = value.clone();
    }
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": name}, "spec": {"packageName": format!("{name}-package")}, "status": status,
    });
    serde_json::from_value(operator).expect("an Operator")
}

/// The diagnosis of the deleted Operator also lists the waiting Operator.
#[test]
fn operator_that_waits_for_a_deletion_names_the_operator_that_is_deleted() {
    let mut rope = operator_with(
        "rope",
        "DeletionBlocked",
        json!({"usedBy": [{"name": "tug", "version": "1.0.0"}]}),
    );
    rope.metadata.deletion_timestamp = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
        k8s_openapi::jiff::Timestamp::UNIX_EPOCH,
    ));
    let needs = json!({"dependencies": [
        {"name": "rope-package", "bundle": "ferry.v1.1.0", "satisfied": false, "terminating": true},
    ]});
    let ferry = operator_with("ferry", "WaitingForDependencies", needs);
    let own = OwnObjects {
        operators: listed_objects([ferry, rope]),
        ..OwnObjects::default()
    };
    let all = diagnose_own(&own, OwnQuestion::default());
    let [ferry, rope] = all.as_slice() else {
        panic!("{all:?}");
    };
    let [subject, root] = [&ferry.subject.object, &rope.subject.object];
    let cause = ferry.cause.as_ref().expect("a cause");
    assert_eq!(
        (ferry.state, cause.code),
        (State::Stuck, Code::DependencyMissing)
    );
    assert_eq!(
        (&cause.at_fault, cause.blocked_by.as_ref()),
        (root, Some(root))
    );
    assert!(!cause.remedy.is_actionable());
    assert_eq!(rope.victims.iter().collect::<Vec<_>>(), [subject]);
}

fn scheduled(name: &str, start: &str, end: &str) -> Policy {
    let mut policy = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Policy",
        "metadata": {"name": name}, "spec": {"schedule": [{"start": start, "end": end}]},
        "status": {"conditions": [condition("Accepted", "True", "Accepted")]},
    });
    if name == "weekends" {
        // The status contains the window that was the next window when the controller wrote the
        // status.
        policy["status"]["windows"] =
            json!([{"opens": "2026-12-05T00:00:00Z", "closes": "2026-12-06T23:59:00Z"}]);
    }
    serde_json::from_value(policy).expect("a Policy")
}

fn bound(name: &str, policy: &str, operator: &str) -> PolicyBinding {
    let group = "operators.operatorframework.io";
    let binding = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "PolicyBinding",
        "metadata": {"name": name},
        "spec": {
            "policyRef": [{"apiGroup": group, "kind": "Policy", "name": policy}],
            "subjects": [{"apiGroup": group, "kind": "Operator", "name": operator}],
        },
        "status": {"conditions": [condition("Accepted", "True", "Accepted")]},
    });
    serde_json::from_value(binding).expect("a PolicyBinding")
}

/// Returns the diagnosis of an Operator that waits for the time windows of two policies. One window
/// is the weekend. The other window has this start and end.
fn restricted(start: &str, end: &str) -> Diagnosis {
    let own = OwnObjects {
        operators: listed_objects([operator_with("ferry", "TimeRestricted", json!({}))]),
        policies: listed_objects([
            scheduled("weekends", "0 0 * * 6", "59 23 * * 0"),
            scheduled("nights", start, end),
        ]),
        bindings: listed_objects([
            bound("all", "weekends", "*"),
            bound("harbor", "nights", "ferry"),
        ]),
        ..OwnObjects::default()
    };
    let asked = OwnQuestion {
        kind: Some(OwnKind::Operator),
        ..OwnQuestion::default()
    };
    let [diagnosis] = diagnose_own(&own, asked).try_into().expect("one diagnosis");
    diagnosis
}

#[test]
fn windows_that_never_overlap_block_an_operator_permanently() {
    let diagnosis = restricted("0 1 * * 2-4", "0 4 * * 2-4");
    let headline = "ferry.v1.0.0 keeps running. The upgrade to ferry.v1.1.0 has been blocked since \
                    2026-01-01 06:00 UTC.";
    assert_eq!(diagnosis.headline, headline);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(
        (diagnosis.state, cause.code),
        (State::Stuck, Code::WindowsNeverOverlap)
    );
    let message = "ferry.v1.1.0 can never start: the windows of all its Policies must be open at \
                   the same time, but these windows never overlap. Policy weekends (by \
                   PolicyBinding all) opens next from Sat 2026-12-05 00:00 to Sun 2026-12-06 23:59 \
                   UTC, by its schedule \"0 0 * * 6\" to \"59 23 * * 0\". Policy nights (by \
                   PolicyBinding harbor) opens, for example, from Tue 2026-01-06 01:00 to Tue \
                   2026-01-06 04:00 UTC, by its schedule \"0 1 * * 2-4\" to \"0 4 * * 2-4\". No \
                   upgrade starts in either window, because the other window is closed at that \
                   time.";
    assert_eq!(cause.message, message);
    let binding =
        |name: &str| Object::new("PolicyBinding.operators.operatorframework.io", "", name);
    assert_eq!(
        (cause.at_fault, cause.also_at_fault),
        (binding("harbor"), vec![binding("all")])
    );
    assert_eq!(
        cause.responsible.who,
        "the owners of PolicyBindings all and harbor"
    );
    let action = "The Policies of Operator ferry have no common window. Either remove ferry from \
                  one of the PolicyBindings, or add a window to one Policy so that the windows \
                  overlap. \
                  PolicyBinding all selects all Operators (*): instead, list the Operators by \
                  name, without ferry. The upgrade then starts by itself in the window.";
    assert_eq!(cause.responsible.action, action);
}

#[test]
fn windows_that_overlap_once_a_week_need_no_action() {
    let diagnosis = restricted("0 1 * * 6", "0 4 * * 6");
    let code = diagnosis.cause.map(|cause| cause.code);
    assert_eq!(
        (diagnosis.state, code),
        (State::Working, Some(Code::BlockedByPolicy))
    );
}

/// The installed version refers to the same role, so it has lost its permissions too.
#[test]
fn missing_role_of_an_install_is_at_fault() {
    let mut said = condition("Ready", "False", "RoleNotFound");
    said["message"] = json!(
        "ClusterRoleBinding.rbac.authorization.k8s.io plumbus names ClusterRole.rbac.authorization.k8s.io \
         metrics-reader, which is missing or which the controller cannot read"
    );
    let mut plan = plan("plumbus-1", json!({}));
    let binding = |name: &str| json!({"manifest": {"kind": "ClusterRoleBinding", "metadata": {"name": format!("plumbus-{name}")}, "roleRef": {"kind": "ClusterRole", "name": name}}});
    let own = json!({"manifest": {"kind": "ClusterRole", "metadata": {"name": "metrics"}}});
    let stages =
        json!({"stages": [{"resources": [own, binding("metrics"), binding("metrics-reader")]}]});
    plan.spec = serde_json::from_value(stages).expect("a spec");
    let diagnosis = diagnose_install(&install(&[said]), &[&plan]);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(
        cause.at_fault,
        Object::new("ClusterRole", "", "metrics-reader")
    );
    assert!(cause.is_at_fault_missing());
    let message = "ClusterRole metrics-reader is missing, or the controller cannot read it. The new version refers \
                   to this role, so the new version is not installed. The installed version refers to it, too \
                   (ClusterRoleBinding plumbus-metrics-reader): if the role is missing, that version lacks the \
                   permissions of this role, although it is reported as ready.";
    assert_eq!(cause.message, message);
}

/// The policy deletes the remaining objects after the CRDs, so their conditions need no action.
#[test]
fn removal_that_waits_for_finalizers_names_them_first() {
    let mut waits = condition(
        "CustomResourceDefinitionCompliant",
        "False",
        "CustomResourceDefinitionDeleting",
    );
    waits["message"] =
        json!("waiting for CustomResourceDefinition a; finalizers hold Ferry harbor/a");
    let conditions = [
        condition("Compliant", "False", "CustomResourceDefinitionDeleting"),
        condition(
            "ClusterServiceVersionCompliant",
            "False",
            "ClusterServiceVersionPresent",
        ),
        waits,
    ];
    let status = json!({"compliant": "NonCompliant", "conditions": conditions});
    let diagnosis = diagnose_operator_policy(&operator_policy("ferry", status));
    let expected = "Stuck PolicyNonCompliant: The removal of the operator is waiting for \
                    CustomResourceDefinition a; finalizers hold Ferry harbor/a.";
    assert_eq!(headline(&diagnosis), expected);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(
        cause.responsible.who,
        "the administrator of the operator that is removed"
    );
}

/// Returns a policy that removes `ferry.v1` in namespace `harbor`. The removal waits for
/// finalizers.
fn removing() -> OperatorPolicy {
    let mut waits = condition(
        "CustomResourceDefinitionCompliant",
        "False",
        "CustomResourceDefinitionDeleting",
    );
    waits["message"] = json!("waiting for CustomResourceDefinition a");
    let csv = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": "harbor", "name": "ferry.v1"}});
    let related = json!([{"object": csv, "compliant": "NonCompliant", "reason": "a"}]);
    let later = condition(
        "ClusterServiceVersionCompliant",
        "False",
        "ClusterServiceVersionPresent",
    );
    let conditions = [waits, later];
    let removed = |kind: &str, state: &str| json!({"apiVersion": "a/v1", "kind": kind, "name": "ferry.v1", "namespace": "harbor", "state": state});
    let objects = [
        removed("CustomResourceDefinition", "Deleting"),
        removed("ClusterServiceVersion", "Pending"),
    ];
    let removal = json!({"objects": objects, "remaining": []});
    let status = json!({"compliant": "NonCompliant", "conditions": conditions, "relatedObjects": related, "removal": removal});
    operator_policy("ferry", status)
}

/// Returns a Deployment without a ready Pod. `csv` is the ClusterServiceVersion that owns the
/// Deployment.
fn stopped(namespace: &str, name: &str, csv: &str, desired: i32) -> RunningWorkload {
    RunningWorkload {
        object: Object::new("Deployment.apps", namespace, name),
        csv: csv.to_owned(),
        desired,
        ..RunningWorkload::of("Deployment.apps", &AnyDeployment::default())
    }
}

/// Only a Deployment of the removed operator processes the finalizers.
#[rstest]
#[case::scaled_to_zero(
    "ferry.v1",
    0,
    "Deployment harbor/ferry must process these finalizers, but it is scaled to 0."
)]
#[case::without_a_pod(
    "ferry.v1",
    1,
    "Deployment harbor/ferry must process these finalizers, but it has no ready Pod."
)]
#[case::of_another_operator("tug.v1", 0, "")]
fn removal_blames_the_deployment_that_does_not_run(
    #[case] csv: &str,
    #[case] desired: i32,
    #[case] expected: &str,
) {
    let own = OwnObjects {
        operator_policies: listed_objects([removing()]),
        workloads: Workloads {
            nearby: vec![stopped("harbor", "ferry", csv, desired)],
            ..Workloads::default()
        },
        ..OwnObjects::default()
    };
    assert_eq!(own.namespaces_to_inspect(), ["harbor"].into());
    let [diagnosis] = diagnose_own(&own, OwnQuestion::default())
        .try_into()
        .expect("one diagnosis");
    let cause = diagnosis.cause.expect("a cause");
    let is_blamed = cause.at_fault == Object::new("Deployment", "harbor", "ferry");
    assert_eq!(is_blamed, !expected.is_empty());
    assert!(cause.message.ends_with(expected), "{}", cause.message);
    let next = "The policy then deletes ClusterServiceVersion harbor/ferry.v1.";
    let action = cause.responsible.action;
    assert_eq!(action.contains(next), is_blamed, "{action}");
}
