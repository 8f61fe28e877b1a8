use rstest::rstest;
use serde_json::{Value, json};

use portolan_api::operator::Remedy;

use super::*;

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    })
}

/// Returns an Operator with these conditions. Its next bundle is ferry.v1.1.0.
fn operator(conditions: &[Value]) -> Operator {
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "ferry", "generation": 2},
        "spec": {"packageName": "ferry"},
        "status": {
            "observedGeneration": 2,
            "conditions": conditions,
            "bundle": {"name": "ferry.v1.0.0", "catalog": "demo"},
            "path": [{"bundle": "ferry.v1.1.0", "version": "1.1.0"}],
            "plan": {"namespace": "portolan", "name": "ferry-1"},
        },
    });
    serde_json::from_value(operator).expect("an Operator")
}

fn installing(status: &str, reason: &str) -> Operator {
    operator(&[
        condition("Ready", "True", "Installed", "ferry.v1.0.0 works"),
        condition("Installing", status, reason, "why it is so"),
    ])
}

/// Returns the diagnosis of an Operator for each reason.
pub(crate) fn stories() -> Vec<Diagnosis> {
    let reasons = Reason::ALL.iter();
    let operators = reasons.map(|reason| installing("False", reason.as_str()));
    operators.map(|it| diagnose_operator(&it, &[])).collect()
}

fn headline(diagnosis: &Diagnosis) -> String {
    let cause = diagnosis.cause.as_ref();
    let cause = cause.map(|cause| format!(" {}: {}", cause.code, cause.message));
    format!("{:?}{}", diagnosis.state, cause.unwrap_or_default())
}

#[rstest]
#[case::up_to_date("UpToDate", "Well")]
#[case::frozen("Frozen", "Well")]
#[case::applying(
    "Applying",
    "Working InProgress: The controller is working on the Operator: why it is so."
)]
#[case::settling(
    "Settling",
    "Working InProgress: The controller is working on the Operator: why it is so."
)]
#[case::invalid(
    "SpecInvalid",
    "Stuck OperatorInvalid: The Operator is invalid: why it is so."
)]
#[case::no_catalogs(
    "ResolverUnavailable",
    "Waiting NotObserved: The content of the catalogs is unknown: why it is so."
)]
#[case::no_package(
    "PackageNotFound",
    "Stuck PackageMissing: Nothing can be installed: why it is so."
)]
#[case::two_catalogs(
    "AmbiguousCatalog",
    "Stuck AmbiguousCatalog: The catalog is ambiguous: why it is so."
)]
#[case::no_way(
    "NoUpgradePath",
    "Stuck NoUpgradePath: The requested version cannot be reached: why it is so."
)]
#[case::needs(
    "WaitingForDependencies",
    "Waiting DependencyMissing: The version waits for its dependencies: why it is so."
)]
#[case::bundle(
    "BundleNotInstallable",
    "Stuck BundleNotInstallable: A bundle cannot be installed: why it is so."
)]
#[case::not_now(
    "NotUpgradeable",
    "Waiting NotUpgradeable: The installed version must not be upgraded now: why it is so."
)]
#[case::closed(
    "TimeRestricted",
    "Working BlockedByPolicy: The next version does not start: why it is so."
)]
#[case::denied(
    "DeniedByPolicy",
    "Waiting BlockedByPolicy: The next version does not start: why it is so."
)]
#[case::reverted(
    "Reverted",
    "Stuck InstallFailed: The installation of a version failed: why it is so."
)]
#[case::taken(
    "InstalledByOlm",
    "Stuck PackageTaken: Another object already installs the package: why it is so."
)]
#[case::blocked(
    "DeletionBlocked",
    "Stuck DeletionBlocked: The deletion of the Operator is blocked: why it is so."
)]
fn headline_follows_the_reason_of_the_condition(#[case] reason: &str, #[case] expected: &str) {
    let diagnosis = diagnose_operator(&installing("False", reason), &[]);
    assert_eq!(headline(&diagnosis), expected);
}

/// The remedy contains the command, so the message must not repeat the command. A status from an
/// older controller version has no remedy, and Portolan does not parse its message.
#[rstest]
#[case::with_a_remedy(Some("why it is so"), "why it is so.")]
#[case::status_of_an_older_version(None, "why it is so: kubectl annotate it.")]
fn message_has_no_command(#[case] message: Option<&str>, #[case] expected: &str) {
    let text = "why it is so: kubectl annotate it";
    let mut operator = operator(&[condition("Installing", "False", "ApprovalRequired", text)]);
    let status = operator.status.as_mut().expect("a status");
    status.remedy = message.map(|message| Remedy {
        message: message.to_owned(),
        command: "kubectl annotate it".to_owned(),
    });
    let start = "Waiting ApprovalRequired: The next version waits for approval";
    let diagnosis = diagnose_operator(&operator, &[]);
    assert_eq!(headline(&diagnosis), format!("{start}: {expected}"));
}

/// Every reason of the API has a diagnosis.
#[test]
fn every_reason_of_the_api_is_diagnosed() {
    for reason in Reason::ALL {
        let diagnosis = diagnose_operator(&installing("False", reason.as_str()), &[]);
        assert_eq!(
            trouble(*reason).is_none(),
            diagnosis.cause.is_none(),
            "{reason:?}"
        );
    }
}

#[rstest]
#[case::approval(
    "ApprovalRequired",
    "kubectl annotate --overwrite operators.operators.operatorframework.io/ferry \
     operators.portolan.dev/approve=ferry.v1.1.0"
)]
#[case::breaks(
    "CrdUpgradeUnsafe",
    "kubectl annotate --overwrite operators.operators.operatorframework.io/ferry \
     operators.portolan.dev/accept-breaks=ferry.v1.1.0"
)]
#[case::another_one(
    "Duplicate",
    "kubectl delete operators.operators.operatorframework.io/ferry"
)]
fn fix_is_a_command(#[case] reason: &str, #[case] expected: &str) {
    let diagnosis = diagnose_operator(&installing("False", reason), &[]);
    let cause = diagnosis.cause.expect("a cause");
    let changes: Vec<_> = cause.remedy.changes().collect();
    let [change] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(change.texts().last(), Some(expected));
}

fn commands(diagnosis: &Diagnosis) -> Vec<&str> {
    let cause = diagnosis.cause.as_ref().expect("a cause");
    let texts = cause.remedy.changes().flat_map(|change| change.texts());
    texts.filter(|text| !text.contains(" > ")).collect()
}

/// If a user deleted the Operators that need this Operator, the controller would uninstall working
/// operators.
#[test]
fn blocked_deletion_offers_to_keep_the_software_and_deletes_no_user() {
    let mut operator = installing("False", "DeletionBlocked");
    let used_by = json!([
        {"name": "rope", "version": "1.0.0"},
        {"name": "buoy", "version": "1.0.0", "terminating": true},
    ]);
    let status = operator.status.as_mut().expect("a status");
    status.used_by = serde_json::from_value(used_by).expect("users");
    let diagnosis = diagnose_operator(&operator, &[]);
    let object = "operators.operators.operatorframework.io/ferry";
    let expected = [
        "kubectl annotate installplans.plans.portolan.dev -n portolan -l \
         operators.portolan.dev/operator=ferry --overwrite plans.portolan.dev/abandon=true"
            .to_owned(),
        r"kubectl wait installplans.plans.portolan.dev -n portolan -l operators.portolan.dev/operator=ferry '--for=jsonpath={.metadata.annotations.plans\.portolan\.dev/abandon}=true' --timeout=10m"
            .to_owned(),
        format!("kubectl annotate --overwrite {object} operators.portolan.dev/force-deletion=true"),
        format!("kubectl wait {object} --for=delete --timeout=10m"),
        "kubectl create -f operator-ferry.yaml".to_owned(),
    ];
    assert_eq!(commands(&diagnosis), expected);
    let cause = diagnosis.cause.expect("a cause");
    assert!(cause.remedy.fix.is_none());
    let action = cause.responsible.action;
    assert!(
        action.contains("the owners of Operator rope must"),
        "{action}"
    );
}

/// A condition does not change its time if only its reason changes, so the headline uses the
/// deletion timestamp. The message of the condition recommends a deletion, so the diagnosis does
/// not quote it.
#[test]
fn blocked_deletion_is_as_old_as_the_deletion_and_quotes_no_advice() {
    let mut operator = installing("False", "DeletionBlocked");
    let time = serde_json::from_value(json!("2026-03-01T22:14:37Z"));
    operator.metadata.deletion_timestamp = Some(time.expect("a time"));
    let application = ("argocd.argoproj.io/tracking-id", "edge:a/b:/ferry");
    let annotations = operator.metadata.annotations.get_or_insert_default();
    annotations.insert(application.0.to_owned(), application.1.to_owned());
    let status = operator.status.as_mut().expect("a status");
    let used_by = json!([{"name": "rope", "version": "1.0.0"}]);
    status.used_by = serde_json::from_value(used_by).expect("users");
    let diagnosis = diagnose_operator(&operator, &[]);
    let since = "blocked since 2026-03-01 22:14 UTC.";
    assert!(
        diagnosis.headline.ends_with(since),
        "{}",
        diagnosis.headline
    );
    let cause = diagnosis.cause.expect("a cause");
    let message = "Operator ferry was deleted at 2026-03-01 22:14 UTC. The controller keeps \
                   Operator ferry, because Operator rope needs it. A deletion cannot be undone.";
    assert_eq!(cause.message, message);
    let who = "a cluster administrator, with the owner of Argo CD Application edge";
    assert_eq!(cause.responsible.who, who);
    let title = "If the deletion was a mistake, first restore Operator ferry in the Git source of \
                 Argo CD Application edge. Otherwise, Argo CD may delete this Operator again. Then \
                 end the deletion without uninstalling the software, and create Operator ferry \
                 again.";
    assert_eq!(cause.remedy.decide[0].title, title);
}

/// The condition `Installing` had another reason before the catalog offered a higher version.
/// Therefore its time is not used.
#[test]
fn upgrade_waits_since_the_catalog_has_the_version() {
    let mut available = condition("UpgradeAvailable", "True", "HigherVersions", "2.0.0");
    available["lastTransitionTime"] = json!("2026-02-01T06:00:00Z");
    let waits = condition("Installing", "False", "ApprovalRequired", "why it is so");
    let diagnosis = diagnose_operator(&operator(&[waits, available]), &[]);
    let since = "has been waiting for a person since 2026-02-01 06:00 UTC.";
    assert!(
        diagnosis.headline.ends_with(since),
        "{}",
        diagnosis.headline
    );
}

/// The annotation on the plans keeps the objects. Without a known plan it cannot be set, so the
/// objects would be deleted.
#[test]
fn blocked_deletion_without_a_known_plan_has_no_command() {
    let mut operator = installing("False", "DeletionBlocked");
    operator.status.as_mut().expect("a status").plan = None;
    assert_eq!(commands(&diagnose_operator(&operator, &[])), [""; 0]);
}

/// The annotation contains a list of bundles. The command must keep the bundles that are already in
/// the list.
#[test]
fn accepting_one_more_bundle_keeps_the_accepted_bundles() {
    let mut operator = installing("False", "CrdUpgradeUnsafe");
    let annotations = operator.metadata.annotations.get_or_insert_default();
    let written = "ferry.v1.0.0, odd $(name)".to_owned();
    annotations.insert("operators.portolan.dev/accept-breaks".to_owned(), written);
    let diagnosis = diagnose_operator(&operator, &[]);
    let command = "kubectl annotate --overwrite operators.operators.operatorframework.io/ferry \
                   'operators.portolan.dev/accept-breaks=ferry.v1.0.0,ferry.v1.1.0,odd $(name)'";
    assert_eq!(commands(&diagnosis), [command]);
}

/// The API server rejects the change even if a user accepts it.
#[test]
fn dropped_stored_version_cannot_be_accepted() {
    let mut operator = installing("False", "CrdUpgradeUnsafe");
    let change = json!([{
        "crd": "ships.ferry.example", "check": "storedVersionRemoval", "message": "it is dropped",
    }]);
    let status = operator.status.as_mut().expect("a status");
    status.unsafe_changes = serde_json::from_value(change).expect("changes");
    let diagnosis = diagnose_operator(&operator, &[]);
    assert_eq!(commands(&diagnosis), [""; 0]);
    let cause = diagnosis.cause.expect("a cause");
    let crd = Object::new("CustomResourceDefinition", "", "ships.ferry.example");
    assert_eq!((cause.state, &cause.at_fault), (State::Stuck, &crd));
    assert_eq!(cause.responsible.who, "the administrator of the CRD");
}

#[test]
fn unreachable_version_comes_with_a_complete_route_command() {
    let mut operator = installing("False", "NoUpgradePath");
    let spec = json!({"packageName": "ferry", "version": ">=2.0.0 <3.0.0"});
    operator.spec = serde_json::from_value(spec).expect("a spec");
    let cause = diagnose_operator(&operator, &[]).cause.expect("a cause");
    let command = "portolan route 'ferry@>=2.0.0 <3.0.0'".to_owned();
    assert_eq!(cause.remedy.look[0].action, crate::Action::Command(command));
}

#[test]
fn operator_without_status_is_not_observed() {
    let mut operator = installing("False", "UpToDate");
    operator.status = None;
    let diagnosis = diagnose_operator(&operator, &[]);
    assert_eq!(
        headline(&diagnosis),
        "Working NotObserved: The controller has not reconciled the Operator yet."
    );
}

#[test]
fn outdated_status_is_reported_as_unknown() {
    let mut operator = installing("False", "UpToDate");
    operator.metadata.generation = Some(3);
    let diagnosis = diagnose_operator(&operator, &[]);
    assert_eq!(
        diagnosis.unknowns,
        ["The controller has not reconciled the Operator since its last change."]
    );
}

fn plan(name: &str, operator: &str, is_suspended: bool, condition: Value) -> InstallPlan {
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {
            "name": name, "namespace": "portolan", "generation": 1,
            "labels": {"operators.portolan.dev/operator": operator},
        },
        "spec": {"serviceAccountName": "installer", "suspend": is_suspended, "stages": []},
        "status": {"observedGeneration": 1, "phase": "Applying", "conditions": [condition]},
    });
    serde_json::from_value(plan).expect("a plan")
}

/// The plan has more details than the Operator, so the cure of the plan's cause is used.
#[test]
fn plan_adds_the_cause_and_the_cure() {
    let failed = operator(&[
        condition("Ready", "False", "NotReady", "it does not work"),
        condition("Installing", "False", "InstallFailed", "stuck"),
    ]);
    let stuck = || {
        condition(
            "Applied",
            "False",
            "StageDeadlineExceeded",
            "stage a takes longer than 600 s",
        )
    };
    let all = [
        plan(
            "ferry-1",
            "rope",
            false,
            condition("Applied", "False", "JobFailed", "another"),
        ),
        plan("ferry-1", "ferry", false, stuck()),
    ];
    let all: Vec<_> = all.iter().collect();
    let diagnosis = diagnose_operator(&failed, &all);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(cause.code, Code::InstallFailed);
    let below: Vec<_> = cause.below.iter().map(|below| below.code).collect();
    assert_eq!(below, [Code::StageBlocked]);
    assert_eq!(cause.remedy.decide, cause.below[0].remedy.decide);
    assert_eq!(cause.responsible, cause.below[0].responsible);

    let lacks = installing("False", "PermissionMissing");
    let permitted = condition("Permitted", "False", "PermissionMissing", "it lacks rules");
    let held = plan("ferry-2", "ferry", true, permitted);
    let diagnosis = diagnose_operator(&lacks, &[&held]);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(cause.below[0].code, Code::PermissionMissing);
}

/// While a version is being applied, its members may be unready.
#[test]
fn operator_being_applied_is_not_broken() {
    let diagnosis = diagnose_operator(
        &operator(&[
            condition("Ready", "False", "NotReady", "it does not work"),
            condition("Installing", "True", "Applying", "stage 1 of 3"),
        ]),
        &[],
    );
    assert_eq!(
        headline(&diagnosis),
        "Working InProgress: The controller is working on the Operator: stage 1 of 3."
    );
}

/// If a Pod crash-loops while a version is being applied, the Operator is broken and not in
/// progress.
#[test]
fn crash_looping_pod_of_the_plan_is_named() {
    let mut operator = operator(&[
        condition(
            "Ready",
            "False",
            "NotReady",
            "ferry.v2 is not installed whole",
        ),
        condition("Installing", "True", "Applying", "ferry.v2 is applied"),
    ]);
    let current = json!({"namespace": "portolan", "name": "ferry-1"});
    operator.status.get_or_insert_default().plan = serde_json::from_value(current).ok();
    let mut plan = plan(
        "ferry-1",
        "ferry",
        false,
        condition("Applied", "False", "Applying", "Container main crash-loops"),
    );
    plan.status.get_or_insert_default().members = vec![crate::own_plan::tests::crashing()];
    let diagnosis = diagnose_operator(&operator, &[&plan]);
    assert_eq!(
        headline(&diagnosis),
        "Broken CrashLooping: A Pod does not run: ferry.v2 is not installed whole."
    );
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(cause.at_fault.to_string(), "Deployment.apps harbor/ferry");
    assert!(
        cause.remedy.look[0].action.text().contains("--previous"),
        "{:?}",
        cause.remedy
    );
}

/// Returns the current plan of the Operator, with a crash-looping Pod.
fn crashing_plan(phase: &str, type_: &str, status: &str, reason: &str) -> InstallPlan {
    let mut plan = crate::own_plan::live_tests::plan(phase, type_, status, reason);
    plan.metadata.name = Some("ferry-1".to_owned());
    plan.metadata.namespace = Some("portolan".to_owned());
    let label = (
        "operators.portolan.dev/operator".to_owned(),
        "ferry".to_owned(),
    );
    plan.metadata.labels = Some([label].into());
    plan
}

const STAY: &str = "spec.onFailure is Stay: if the installation fails, the failed version stays \
                    installed. With Revert, the controller would restore the previous version, if \
                    a previous version exists.";
const REVERT: &str = "spec.onFailure is Revert: if the installation fails, the controller restores \
                      the previous version.";
const AT_REST: &str = "No upgrade is in progress, so spec.onFailure has no effect.";

#[rstest]
#[case::at_rest("UpToDate", "NotReady", "Revert", ("Applied", "Ready", "False", "MembersFailed"), AT_REST)]
#[case::after_an_upgrade("Applying", "NotReady", "Stay", ("Applying", "Applied", "False", "Applying"), STAY)]
#[case::that_may_revert("Applying", "Installed", "Revert", ("Applying", "Applied", "False", "Applying"), REVERT)]
fn crashing_pod_is_the_cause_of_an_operator(
    #[case] installing: &str,
    #[case] ready: &str,
    #[case] on_failure: &str,
    #[case] (phase, of_plan, status, why): (&str, &str, &str, &str),
    #[case] policy: &str,
) {
    let mut operator = operator(&[
        condition("Ready", "False", ready, "why it is so"),
        condition("Installing", "False", installing, "why it is so"),
    ]);
    let mut spec = operator.spec.as_json().clone();
    spec["onFailure"] = json!(on_failure);
    operator.spec = spec.into();
    let plan = crashing_plan(phase, of_plan, status, why);
    let crashing = crate::own_plan::live_tests::crashing();
    let workloads = crate::own_plan::live_tests::workload("Deployment.apps", &crashing);
    let diagnosis = diagnose_among(&operator, &[&plan], &workloads, OperatorFacts::default());
    let cause = diagnosis.cause.as_ref().expect("a cause");
    assert_eq!(
        (diagnosis.state, cause.code),
        (State::Broken, Code::CrashLooping)
    );
    assert!(
        cause.message.contains("exit code 3 (7 restarts)."),
        "{}",
        cause.message
    );
    assert!(cause.message.ends_with(policy), "{}", cause.message);
    assert_eq!(cause.below, []);
    assert_eq!(cause.at_fault.to_string(), "Deployment.apps harbor/ferry");
}

#[test]
fn crashing_pod_is_found_before_the_status_reports_it() {
    let operator = operator(&[condition("Ready", "True", "Installed", "it works")]);
    let plan = crashing_plan("Ready", "Ready", "True", "AllReady");
    let crashing = crate::own_plan::live_tests::crashing();
    let workloads = crate::own_plan::live_tests::workload("Deployment.apps", &crashing);
    let diagnosis = diagnose_among(&operator, &[&plan], &workloads, OperatorFacts::default());
    assert_eq!(diagnosis.state, State::Broken);
    assert_eq!(diagnosis.cause.expect("a cause").code, Code::CrashLooping);
}
