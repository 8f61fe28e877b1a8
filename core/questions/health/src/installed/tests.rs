use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::installs::Install;
use portolan_api::inventory::InstalledOperator;
use portolan_api::operator::{Operator, Reason};
use portolan_api::plan::InstallPlan;
use portolan_core_olm::{ClusterExtension, read_value};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

/// A test case: the kind, the conditions of the object, the expected state, and the expected codes.
type Case = (&'static str, &'static str, State, &'static [HealthCode]);

/// The conditions are written as `Ready=False/NotReady`, separated by spaces.
const OPERATORS: &[Case] = &[
    (
        "operator",
        "Ready=True/Installed Installing=False/UpToDate",
        State::Yes,
        &[],
    ),
    (
        "operator",
        "Ready=True/Installed Installing=False/PackageNotFound",
        State::Yes,
        &[HealthCode::InstallBlocked],
    ),
    (
        "operator",
        "Ready=True/Installed Installing=False/ApprovalRequired",
        State::Yes,
        &[HealthCode::InstallWaiting],
    ),
    (
        "operator",
        "Ready=True/Installed Installing=True/Applying",
        State::NotYet,
        &[HealthCode::InstallProgressing],
    ),
    (
        "operator",
        "Ready=True/Installed Installing=False/InstallFailed",
        State::No,
        &[HealthCode::InstallFailed],
    ),
    (
        "operator",
        "Ready=True/Installed Installing=False/Invented",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "operator",
        "Ready=False/NotInstalled Installing=False/PackageNotFound",
        State::No,
        &[HealthCode::InstallBlocked],
    ),
    (
        "operator",
        "Ready=False/NotInstalled Installing=False/InstalledByOlm",
        State::No,
        &[HealthCode::PackageTaken],
    ),
    (
        "operator",
        "Ready=False/NotInstalled Installing=False/SpecInvalid",
        State::No,
        &[HealthCode::ObjectInvalid],
    ),
    (
        "operator",
        "Ready=False/NotInstalled Installing=False/PermissionMissing",
        State::No,
        &[HealthCode::PermissionMissing],
    ),
    (
        "operator",
        "Ready=False/NotInstalled Installing=False/ApprovalRequired",
        State::NotYet,
        &[HealthCode::InstallWaiting],
    ),
    (
        "operator",
        "Ready=False/NotInstalled Installing=True/Applying",
        State::NotYet,
        &[HealthCode::InstallProgressing],
    ),
    (
        "operator",
        "Ready=False/NotInstalled",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "operator",
        "Ready=False/NotReady Installing=False/UpToDate",
        State::No,
        &[HealthCode::MembersNotReady],
    ),
    (
        "operator",
        "Ready=False/NotReady Installing=False/WaitingForOtherOperators",
        State::No,
        &[HealthCode::MembersNotReady, HealthCode::InstallWaiting],
    ),
    (
        "operator",
        "Ready=False/NotReady Installing=True/Applying",
        State::NotYet,
        &[HealthCode::InstallProgressing],
    ),
    (
        "operator",
        "Ready=Unknown/Installed",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "operator",
        "Ready=False/NotReady Installing=False/DeletionBlocked",
        State::No,
        &[HealthCode::MembersNotReady, HealthCode::DeletionBlocked],
    ),
    (
        "operator",
        "Installing=False/UpToDate",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "operator",
        "",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "operator",
        "old",
        State::NotYet,
        &[HealthCode::NotReconciled],
    ),
    (
        "operator",
        "none",
        State::NotYet,
        &[HealthCode::NotReconciled],
    ),
    (
        "operator",
        "deleted Ready=True/Installed",
        State::NotYet,
        &[HealthCode::ObjectDeleting],
    ),
];

const EXTENSIONS: &[Case] = &[
    (
        "extension",
        "Installed=True/Succeeded Progressing=True/Succeeded",
        State::Yes,
        &[],
    ),
    (
        "extension",
        "Installed=True/Succeeded Progressing=True/Retrying",
        State::NotYet,
        &[HealthCode::InstallFailed],
    ),
    (
        "extension",
        "Installed=False/Failed Progressing=True/Retrying",
        State::No,
        &[HealthCode::InstallFailed],
    ),
    (
        "extension",
        "Installed=False/Absent Progressing=True/RollingOut",
        State::NotYet,
        &[HealthCode::InstallProgressing],
    ),
    (
        "extension",
        "Installed=True/Succeeded Progressing=False/Blocked",
        State::No,
        &[HealthCode::InstallBlocked],
    ),
    (
        "extension",
        "Installed=True/Succeeded",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "extension",
        "Installed=Unknown/Failed Progressing=True/Succeeded",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "extension",
        "none",
        State::NotYet,
        &[HealthCode::NotReconciled],
    ),
    (
        "extension",
        "old",
        State::NotYet,
        &[HealthCode::NotReconciled],
    ),
];

const INSTALLS: &[Case] = &[
    (
        "install",
        "Ready=True/Installed PendingApproval=False/ApprovalGiven",
        State::Yes,
        &[],
    ),
    (
        "install",
        "Ready=True/Installed PendingApproval=True/NotApproved",
        State::Yes,
        &[HealthCode::InstallWaiting],
    ),
    (
        "install",
        "Ready=False/ApprovalRequired PendingApproval=True/NotApproved",
        State::NotYet,
        &[HealthCode::InstallWaiting],
    ),
    (
        "install",
        "Ready=False/ContentInvalid ContentImportError=True/RawInvalid",
        State::No,
        &[HealthCode::ObjectInvalid],
    ),
    (
        "install",
        "Ready=False/InstallPlanFailed",
        State::No,
        &[HealthCode::InstallFailed],
    ),
    (
        "install",
        "Ready=False/Installing",
        State::NotYet,
        &[HealthCode::InstallProgressing],
    ),
    (
        "install",
        "Ready=False/RoleNotFound",
        State::No,
        &[HealthCode::InstallBlocked],
    ),
    (
        "install",
        "Ready=Unknown/InstallPlanFailed",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    (
        "install",
        "",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
];

const PLANS: &[Case] = &[
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=True/AllApplied Ready=True/AllReady",
        State::Yes,
        &[],
    ),
    (
        "plan",
        "Valid=False/ManifestInvalid",
        State::No,
        &[HealthCode::ObjectInvalid],
    ),
    (
        "plan",
        "Valid=Unknown/ManifestInvalid",
        State::NotYet,
        &[HealthCode::ObjectInvalid],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=False/PermissionMissing",
        State::No,
        &[HealthCode::PermissionMissing],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=False/Suspended",
        State::NotYet,
        &[HealthCode::InstallWaiting],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=False/JobFailed",
        State::No,
        &[HealthCode::InstallFailed],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=False/WriteRejected",
        State::No,
        &[HealthCode::InstallBlocked],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=True/AllApplied Ready=False/MembersNotReady",
        State::NotYet,
        &[HealthCode::MembersNotReady],
    ),
    (
        "plan",
        "broken Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=True/AllApplied Ready=False/MembersNotReady",
        State::No,
        &[HealthCode::MembersNotReady],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=True/AllApplied Ready=True/AllReady Drifted=True/MembersDrifted",
        State::Yes,
        &[HealthCode::MembersNotReady],
    ),
    (
        "plan",
        "Valid=True/PlanValid Permitted=True/PermissionsSufficient Applied=True/AllApplied Ready=False/Invented",
        State::NotYet,
        &[HealthCode::ConditionUnknown],
    ),
    ("plan", "", State::NotYet, &[HealthCode::ConditionUnknown]),
];

fn all() -> impl Iterator<Item = &'static Case> {
    [OPERATORS, EXTENSIONS, INSTALLS, PLANS]
        .into_iter()
        .flatten()
}

/// Returns every code that occurs in these test cases.
pub(crate) fn codes() -> BTreeSet<HealthCode> {
    all()
        .flat_map(|(.., codes)| codes.iter().copied())
        .collect()
}

fn object(words: &str) -> Value {
    let condition = |word: &str| {
        let (said, reason) = word.split_once('/')?;
        let (type_, status) = said.split_once('=')?;
        Some(json!({
            "type": type_, "status": status, "reason": reason, "message": format!("because {reason}"),
            "observedGeneration": 2, "lastTransitionTime": "2026-11-29T00:00:00Z",
        }))
    };
    let conditions: Vec<_> = words.split(' ').filter_map(condition).collect();
    let has = |word: &str| words.split(' ').any(|it| it == word);
    let mut object = json!({
        "metadata": {"name": "ferry", "generation": 2},
        "spec": {},
        "status": {"observedGeneration": 2, "conditions": conditions},
    });
    if has("old") {
        object["status"] = json!({"observedGeneration": 1, "conditions": [{
            "type": "Installed", "status": "True", "reason": "Succeeded", "message": "",
            "observedGeneration": 1, "lastTransitionTime": "2026-11-29T00:00:00Z",
        }]});
    }
    if has("none") {
        object["status"] = json!({});
    }
    if has("broken") {
        object["status"]["members"] = json!([{
            "stage": "all", "index": 0, "object": "Deployment.apps harbor/ferry", "state": "Missing",
            "message": "it is missing",
        }]);
    }
    if has("deleted") {
        object["metadata"]["deletionTimestamp"] = "2026-11-29T00:00:00Z".into();
    }
    object
}

macro_rules! own {
    ($kind:ty, $object:expr) => {
        Item::from(Arc::new(
            serde_json::from_value::<$kind>($object).expect("an object"),
        ))
    };
}

fn judged(kind: &str, words: &str, sight: &Sight) -> crate::Operator {
    let object = object(words);
    match kind {
        "operator" => judge_installed(&own!(Operator, object), &[], sight),
        "install" => judge_installed(&own!(Install, object), &[], sight),
        "plan" => judge_installed(&own!(InstallPlan, object), &[], sight),
        _ => {
            let (extension, _) = read_value::<ClusterExtension>(object).expect("an extension");
            judge_installed(&Item::from(Arc::new(extension)), &[], sight)
        }
    }
}

fn codes_of(facts: &[Fact]) -> Vec<HealthCode> {
    let mut codes = Vec::new();
    for fact in facts {
        codes.extend((fact.code != HealthCode::Healthy).then_some(fact.code));
        codes.extend(codes_of(&fact.below));
    }
    codes
}

#[test]
fn conditions_determine_verdict() {
    for (kind, words, state, codes) in all() {
        let operator = judged(kind, words, &Sight::Clear);
        let found = (operator.verdict.state, codes_of(&operator.facts));
        assert_eq!(
            found,
            (*state, codes.to_vec()),
            "{kind}: {words}: {operator:#?}"
        );
    }
}

/// A status that was read before an outage proves nothing about the current state.
#[test]
fn unobserved_object_is_never_healthy() {
    for (kind, words, state, _) in all() {
        let sight = Sight::Dim("the API server has not answered".to_owned());
        let operator = judged(kind, words, &sight);
        assert_eq!(
            operator.verdict.state,
            (*state).max(State::NotYet),
            "{kind}: {words}"
        );
    }
}

#[rstest]
#[case::this_one("ferry", State::NotYet)]
#[case::another("rope", State::Yes)]
fn unreadable_object_affects_only_itself(#[case] name: &str, #[case] state: State) {
    let odd = [(
        (String::new(), name.to_owned()),
        "it has a fault".to_owned(),
    )];
    let words = "Ready=True/Installed Installing=False/UpToDate";
    let operator = judged("operator", words, &Sight::Odd(odd.into()));
    assert_eq!(operator.verdict.state, state);
}

/// If no version is installed, every reason for a failed installation is a problem.
#[test]
fn missing_operator_is_never_healthy() {
    for reason in Reason::ALL {
        let words = format!("Ready=False/NotInstalled Installing=False/{reason}");
        let state = judged("operator", &words, &Sight::Clear).verdict.state;
        assert_ne!(state, State::Yes, "{words}");
    }
}

#[test]
fn reports_manager_bundle_and_condition() {
    let mut object = object("Ready=True/Installed Installing=False/PackageNotFound");
    object["spec"] = json!({"packageName": "ferry"});
    object["status"]["bundle"] = json!({"name": "ferry.v1.0.0", "catalog": "demo"});
    object["status"]["versions"] = json!({"installed": "1.0.0"});
    let item = own!(Operator, object);
    let entry = InstalledOperator::of_operator(&item, None);
    let operator = judge_installed(&item, &[&entry], &Sight::Clear);
    let found = [
        &operator.package,
        &operator.bundle,
        &operator.version,
        &operator.phase,
        &operator.phase_reason,
    ];
    assert_eq!(
        found,
        ["ferry", "ferry.v1.0.0", "1.0.0", "Ready=True", "Installed"]
    );
    assert_eq!(operator.manager, Manager::Operator);
    let messages: Vec<_> = operator
        .facts
        .iter()
        .map(|fact| fact.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "Operator ferry has installed ferry.v1.0.0, which is ready.",
            "Operator ferry has Installing=False (PackageNotFound): because PackageNotFound",
        ]
    );
}
