use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::Action;

/// Returns a plan with this status.
fn plan(spec: Value, status: Value) -> InstallPlan {
    let mut plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": "ferry-2", "namespace": "harbor", "generation": 2},
        "spec": {"serviceAccountName": "installer", "stages": [{"name": "all", "resources": [
            {"manifest": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quay"}}},
        ]}]},
        "status": {"observedGeneration": 2, "phase": "Applying"},
    });
    merge(&mut plan["spec"], spec);
    merge(&mut plan["status"], status);
    serde_json::from_value(plan).expect("a plan")
}

fn merge(into: &mut Value, from: Value) {
    if let Value::Object(from) = from {
        for (name, value) in from {
            into[name] = value;
        }
    }
}

fn said(type_: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": type_,
        "status": "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    })
}

fn one(type_: &str, reason: &str, message: &str) -> InstallPlan {
    plan(
        json!({}),
        json!({"conditions": [said(type_, reason, message)]}),
    )
}

fn member(object: &str, state: &str, message: &str) -> Value {
    json!({"stage": "all", "index": 0, "object": object, "state": state, "message": message})
}

/// Returns the status of a Deployment whose Pod crash-loops.
pub(crate) fn crashing() -> MemberStatus {
    let mut member = member(
        "Deployment.apps harbor/ferry",
        "NotReady",
        "0 of 1 replicas are available",
    );
    member["pod"] = json!({
        "name": "ferry-0", "cause": "CrashLooping", "container": "main", "reason": "CrashLoopBackOff",
        "exitCode": 1,
    });
    serde_json::from_value(member).expect("a member")
}

/// Returns a plan with this condition and this failing member.
fn with_member(said: Value, member: Value) -> InstallPlan {
    plan(
        json!({}),
        json!({"conditions": [said], "members": [member]}),
    )
}

fn of_operator(mut plan: InstallPlan) -> InstallPlan {
    let label = (
        "operators.portolan.dev/operator".to_owned(),
        "ferry".to_owned(),
    );
    plan.metadata
        .labels
        .get_or_insert_default()
        .insert(label.0, label.1);
    plan
}

/// Returns a plan with three missing rules, two of which are for this namespace.
fn lacking(namespace: &str) -> InstallPlan {
    let of = |place: Option<&str>, group: &str, resource: &str, verb: &str| {
        let mut rule = json!({"apiGroups": [group], "resources": [resource], "verbs": [verb]});
        if let Some(place) = place {
            rule["namespace"] = json!(place);
        }
        rule
    };
    let rules = json!([
        of(None, "", "namespaces", "create"),
        of(Some(namespace), "apps", "deployments", "get"),
        of(Some(namespace), "", "secrets", "get"),
    ]);
    let conditions = json!([said("Permitted", "PermissionMissing", "it lacks rules")]);
    plan(
        json!({}),
        json!({"conditions": conditions, "missingRules": rules}),
    )
}

fn job_failed() -> InstallPlan {
    let job = json!({
        "stage": "all", "name": "migrate", "run": 2, "failures": 2, "job": "ferry-2-migrate-2", "state": "Failed",
    });
    let members = [member(
        "Job.batch harbor/ferry-2-migrate-2",
        "Failed",
        "has failed: exit code 1",
    )];
    let conditions = [said(
        "Applied",
        "JobFailed",
        "stage 1 of 1 (all): exit code 1",
    )];
    plan(
        json!({}),
        json!({"phase": "Failed", "conditions": conditions, "members": members, "jobs": [job]}),
    )
}

fn stage_stuck() -> InstallPlan {
    with_member(
        said(
            "Applied",
            "StageDeadlineExceeded",
            "stage 1 of 1 (all): it has no Pod",
        ),
        member("Deployment.apps harbor/ferry", "NotReady", "has no Pod"),
    )
}

fn blocked(state: &str, message: &str) -> InstallPlan {
    let mut plan = leftovers(state, message);
    let time = serde_json::from_value(json!("2026-01-01T06:00:00Z"));
    plan.metadata.deletion_timestamp = Some(time.expect("a time"));
    plan
}

/// Returns a plan that has replaced another plan and could not delete one object of it.
fn leftovers(state: &str, message: &str) -> InstallPlan {
    with_member(
        said("Replaced", "DeletionBlocked", "1 object is left"),
        member("Ship.ferry.example quay/ursula", state, message),
    )
}

fn contested() -> InstallPlan {
    let conditions = [said(
        "Drifted",
        "DriftContested",
        "1 object: it was changed by pilot",
    )];
    let members = [member(
        "ConfigMap harbor/timetable",
        "Contested",
        "was changed by pilot",
    )];
    plan(
        json!({"lifecycle": {"onDrift": "Revert"}}),
        json!({"phase": "Applied", "conditions": conditions, "members": members}),
    )
}

/// Returns a plan in a namespace where plans are not enabled. The status has this field with this
/// value.
fn not_enabled(field: &str, value: &str) -> InstallPlan {
    let conditions = [said("Permitted", "NamespaceNotEnabled", "no")];
    plan(json!({}), json!({"conditions": conditions, field: value}))
}

fn webhook_away(reason: &str, state: &str) -> InstallPlan {
    let mut member = member("ConfigMap harbor/a", state, "no");
    member["failingWebhook"] = json!("pilot.example");
    with_member(said("Applied", reason, "no"), member)
}

/// Returns a plan that conflicts with an existing object. The object has this owner.
fn owned(collisions: &str, owner: Option<Value>) -> InstallPlan {
    let mut plan = collision(collisions, "ObjectNotOwned");
    let members = &mut plan.status.get_or_insert_default().members;
    members[0].owner = owner.map(|owner| serde_json::from_value(owner).expect("an owner"));
    plan
}

fn held(mut plan: InstallPlan) -> InstallPlan {
    let members = &mut plan.status.get_or_insert_default().members;
    members[0].finalizers = vec!["ferry.example/dock".to_owned()];
    plan
}

fn collision(collisions: &str, reason: &str) -> InstallPlan {
    let conditions = [said("Applied", reason, "it is there already")];
    let members = [member("Namespace quay", "Refused", "is there already")];
    plan(
        json!({"collisions": collisions}),
        json!({"conditions": conditions, "members": members}),
    )
}

/// Returns diagnoses for each code that only plans have.
pub(crate) fn stories() -> Vec<Diagnosis> {
    let plans = [
        one("Valid", "SpecInvalid", "no"),
        one("Applied", "Suspended", "no"),
        one("Ready", "MembersFailed", "no"),
        job_failed(),
        stage_stuck(),
        contested(),
        collision("Refuse", "ObjectNotOwned"),
        blocked("Held", "waits"),
    ];
    plans.iter().map(diagnose_plan).collect()
}

/// Formats the state, the code, the object at fault, and either the command or the responsible
/// person.
fn headline(diagnosis: &Diagnosis) -> String {
    let state = diagnosis.state.as_str();
    let Some(cause) = &diagnosis.cause else {
        return state.to_owned();
    };
    let change = cause.remedy.procedures().next();
    let last = change.and_then(|change| change.texts().last());
    let cure = match (last, cause.responsible.who.as_str()) {
        (Some(last), _) => last.trim_end(),
        (None, "") => "time",
        (None, who) => who,
    };
    format!("{state} {} {}\n{cure}", cause.code, cause.at_fault)
}

#[rstest]
#[case::is_invalid(
    one("Valid", "SpecInvalid", "no"),
    "Stuck PlanInvalid PLAN\nkubectl delete PLANS/ferry-2 -n harbor"
)]
#[case::had_started(
    plan(json!({}), json!({"conditions": [said("Valid", "ManifestsChanged", "no")], "record": {"digest": "x"}})),
    "Stuck PlanInvalid PLAN\nthe author of the plan"
)]
#[case::webhook_is_unavailable(
    webhook_away("WriteRejected", "Refused"),
    "Stuck StageBlocked webhook pilot.example\nthe administrator of webhook pilot.example"
)]
#[case::webhook_is_unavailable_until_the_deadline(
    webhook_away("StageDeadlineExceeded", "NotApplied"),
    "Stuck StageBlocked webhook pilot.example\nthe administrator of webhook pilot.example"
)]
#[case::old_status_names_no_webhook(
    one(
        "Applied",
        "WriteRejected",
        "a is tried again: failed calling webhook \"pilot.example\""
    ),
    "Stuck StageBlocked PLAN\nthe owner of the webhook, policy or quota that refuses the write"
)]
#[case::waits_for_a_crd(
    one("Valid", "KindNotServed", "no"),
    "Waiting PlanInvalid PLAN\nthe provider of the CRD of the kind"
)]
#[case::without_a_service_account(
    one("Permitted", "ServiceAccountMissing", "no"),
    "Stuck PermissionMissing ServiceAccount harbor/installer\nkubectl create serviceaccount installer -n harbor"
)]
#[case::in_a_namespace_without_the_label(
    not_enabled("missingNamespaceLabel", "plans.portolan.dev/enabled"),
    "Stuck PermissionMissing Namespace harbor\nkubectl label --overwrite namespaces/harbor plans.portolan.dev/enabled=true"
)]
#[case::in_a_namespace_without_the_binding(
    not_enabled("missingControllerRole", "portolan-plans-namespace"),
    "Stuck PermissionMissing Namespace harbor\nkubectl create rolebinding portolan-plans -n harbor \
     --clusterrole=portolan-plans-namespace --serviceaccount=portolan:portolan-controller"
)]
#[case::missing_rules_are_not_listed(
    one("Permitted", "PermissionMissing", "it lacks rules"),
    "Stuck PermissionMissing ServiceAccount harbor/installer\na user who can grant permissions in this cluster"
)]
#[case::stage_is_stuck(
    stage_stuck(),
    "Stuck StageBlocked Deployment.apps harbor/ferry\nthe owner of the object"
)]
#[case::job_has_failed(
    job_failed(),
    "Stuck JobFailed PLAN\nkubectl annotate --overwrite PLANS/ferry-2 -n harbor \
     plans.portolan.dev/retry=\"$(date +%s)\""
)]
#[case::object_exists_already(
    collision("Refuse", "ObjectNotOwned"),
    "Stuck ObjectNotOwned Namespace quay\nkubectl patch PLANS/ferry-2 -n harbor --type merge \
     -p '{\"spec\":{\"collisions\":\"IfUnowned\"}}'"
)]
#[case::object_is_claimed(
    collision("IfUnowned", "ObjectNotOwned"),
    "Stuck ObjectNotOwned Namespace quay\nkubectl patch PLANS/ferry-2 -n harbor --type merge \
     -p '{\"spec\":{\"collisions\":\"Adopt\"}}'"
)]
#[case::object_belongs_to_another_plan(
    owned("Refuse", Some(json!({
        "group": "plans.portolan.dev", "kind": "InstallPlan", "namespace": "harbor", "name": "other",
    }))),
    "Stuck ObjectNotOwned Namespace quay\nthe author of the plan"
)]
#[case::object_belongs_to_a_tool(
    owned("Refuse", Some(json!({"kind": "Helm", "namespace": "harbor", "name": "other"}))),
    "Stuck ObjectNotOwned Namespace quay\nkubectl patch PLANS/ferry-2 -n harbor --type merge \
     -p '{\"spec\":{\"collisions\":\"Adopt\"}}'"
)]
#[case::old_status_names_no_owner(
    one(
        "Applied",
        "ObjectNotOwned",
        "a is there already, and belongs to the InstallPlan harbor/other"
    ),
    "Stuck ObjectNotOwned PLAN\nkubectl patch PLANS/ferry-2 -n harbor --type merge \
     -p '{\"spec\":{\"collisions\":\"IfUnowned\"}}'"
)]
#[case::fields_have_other_owners(
    collision("Refuse", "FieldConflict"),
    "Stuck ObjectNotOwned Namespace quay\nkubectl patch PLANS/ferry-2 -n harbor --type merge \
     -p '{\"spec\":{\"collisions\":\"Adopt\"}}'"
)]
#[case::others_change_its_objects(
    contested(),
    "Stuck DriftContested ConfigMap harbor/timetable\nkubectl patch PLANS/ferry-2 -n harbor \
     --type merge -p '{\"spec\":{\"lifecycle\":{\"onDrift\":\"Report\"}}}'"
)]
#[case::finalizer_blocks_deletion(
    held(blocked("Terminating", "is being deleted")),
    "Stuck DeletionBlocked Ship.ferry.example quay/ursula\nkubectl patch \
     ship.ferry.example/ursula -n quay --type merge -p '{\"metadata\":{\"finalizers\":null}}'"
)]
#[case::old_status_names_no_finalizers(
    blocked("Terminating", "is being deleted, held by ferry.example/dock"),
    "Stuck DeletionBlocked Ship.ferry.example quay/ursula\nkubectl annotate --overwrite \
     PLANS/ferry-2 -n harbor plans.portolan.dev/abandon=true"
)]
#[case::objects_of_others_block_deletion(
    blocked(
        "Held",
        "waits, because objects that are kept would be deleted with it"
    ),
    "Stuck DeletionBlocked Ship.ferry.example quay/ursula\nkubectl annotate --overwrite \
     PLANS/ferry-2 -n harbor plans.portolan.dev/abandon=true"
)]
#[case::remaining_objects_cannot_be_deleted(
    leftovers(
        "Held",
        "waits, because objects that are kept would be deleted with it"
    ),
    "Stuck DeletionBlocked Ship.ferry.example quay/ursula\nthe owner of the objects that \
     Kubernetes would also delete"
)]
#[case::is_suspended(
    one("Applied", "Suspended", "the plan is suspended"),
    "Waiting PlanSuspended PLAN\nkubectl patch PLANS/ferry-2 -n harbor --type merge \
     -p '{\"spec\":{\"suspend\":false}}'"
)]
#[case::operator_has_not_released_it(
    of_operator(one("Applied", "Suspended", "the plan is suspended")),
    "Waiting PlanSuspended PLAN\nOperator ferry, which starts the plan"
)]
#[case::of_an_invalid_operator(
    of_operator(one("Valid", "ManifestInvalid", "no")),
    "Stuck PlanInvalid PLAN\nthe publisher of the bundle"
)]
#[case::members_have_failed(
    with_member(
        said("Ready", "MembersFailed", "1 object has failed"),
        member("Deployment.apps harbor/ferry", "Failed", "no"),
    ),
    "Broken MembersNotReady Deployment.apps harbor/ferry\nthe owner of the object"
)]
#[case::is_in_progress(one("Applied", "Applying", "no"), "Working InProgress PLAN\ntime")]
#[case::is_healthy(one("Ready", "AllReady", "no"), "Well")]
#[case::that_rests(
    plan(json!({}), json!({"phase": "Superseded", "conditions": [said("Applied", "StageDeadlineExceeded", "no")]})),
    "Well"
)]
#[case::others_have_changed_its_objects(one("Drifted", "MembersDrifted", "no"), "Well")]
#[case::has_not_been_reconciled(
    plan(json!({}), json!({"phase": null})),
    "Working NotObserved PLAN\nthe administrator of Portolan"
)]
#[case::of_another_version(one("Valid", "Other", "no"), "Well")]
fn plan_conditions_are_diagnosed(#[case] plan: InstallPlan, #[case] wanted: &str) {
    let wanted = wanted
        .replace("PLANS/", "installplans.plans.portolan.dev/")
        .replace(
            " PLAN\n",
            " InstallPlan.plans.portolan.dev harbor/ferry-2\n",
        );
    assert_eq!(headline(&diagnose_plan(&plan)), wanted);
}

/// After the fix, the ServiceAccount of the plan has all missing rules.
#[test]
fn fix_contains_roles_with_the_missing_rules() {
    let diagnosis = diagnose_plan(&lacking("pier"));
    let cause = diagnosis.cause.expect("a cause");
    let Action::Manifest(manifest) = &cause.remedy.decide[0].steps[0].action else {
        panic!("{cause:?}");
    };
    let list: Value = serde_json::from_str(manifest).expect("JSON");
    let documents = list["items"].as_array().expect("items");
    let found: Vec<_> = documents
        .iter()
        .map(|it| {
            let rules = it["rules"].as_array().map_or(0, Vec::len);
            let place = it["metadata"]["namespace"].as_str().unwrap_or_default();
            format!(
                "{} {place} {rules}",
                it["kind"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let wanted = [
        "ClusterRole  1",
        "ClusterRoleBinding  0",
        "Role pier 2",
        "RoleBinding pier 0",
    ];
    assert_eq!(found, wanted);
    let subject = json!({"kind": "ServiceAccount", "name": "installer", "namespace": "harbor"});
    assert_eq!(documents[3]["subjects"], json!([subject]));
}

/// A Role cannot be created before the plan creates its namespace. A ClusterRole is no alternative,
/// because it would grant the rules in all namespaces.
#[test]
fn rules_of_a_namespace_that_the_plan_creates_are_omitted() {
    let diagnosis = diagnose_plan(&lacking("quay"));
    let cause = diagnosis.cause.expect("a cause");
    let fix = &cause.remedy.decide[0];
    let Action::Manifest(manifest) = &fix.steps[0].action else {
        panic!("{cause:?}");
    };
    let list: Value = serde_json::from_str(manifest).expect("JSON");
    let items = list["items"].as_array().expect("items");
    let found = items.iter().map(|it| {
        let rules = it["rules"].as_array().map_or(0, Vec::len);
        format!("{} {rules}", it["kind"].as_str().unwrap_or_default())
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["ClusterRole 1", "ClusterRoleBinding 0"]
    );
    assert!(
        fix.risk.contains("2 missing rules are not included"),
        "{}",
        fix.risk
    );
    assert!(fix.risk.contains("--broad`"), "{}", fix.risk);
}

#[test]
fn fix_creates_the_missing_namespace() {
    let conditions = [said("Valid", "ReferenceMissing", "no")];
    let status = json!({"conditions": conditions, "missingNamespaces": ["pier", "quay"]});
    let diagnosis = diagnose_plan(&plan(json!({}), status));
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(
        cause.remedy.fix.expect("a fix").steps[0].action,
        Action::Command("kubectl create namespace pier".to_owned())
    );
}

/// Portolan does not parse the message of a status. An old status has no fields with the facts, so
/// the cure is general.
#[test]
fn old_status_gets_the_general_cure() {
    let said = "ConfigMap pier/a at stages[0] is in namespace pier, which does not exist";
    let diagnosis = diagnose_plan(&one("Valid", "ReferenceMissing", said));
    let cause = diagnosis.cause.expect("a cause");
    assert!(!cause.remedy.is_actionable(), "{:?}", cause.remedy);
    assert_eq!(
        cause.responsible.who,
        "the provider of the referenced object"
    );
    let said = "label the namespace plans.portolan.dev/enabled=true";
    let diagnosis = diagnose_plan(&one("Permitted", "NamespaceNotEnabled", said));
    let cause = diagnosis.cause.expect("a cause");
    let texts = cause.remedy.decide[0].texts();
    let verbs = texts.map(|text| text.split(' ').nth(1));
    assert_eq!(verbs.collect::<Vec<_>>(), [Some("label"), Some("create")]);
}

/// The status describes an older generation of the plan.
#[test]
fn outdated_plan_status_is_reported_as_unknown() {
    let mut plan = one("Ready", "AllReady", "no");
    plan.metadata.generation = Some(3);
    let unknowns = diagnose_plan(&plan).unknowns;
    assert_eq!(
        unknowns,
        ["The controller has not reconciled the plan since its last change."]
    );
}

#[test]
fn progress_is_reported_only_without_failures() {
    let conditions = [
        said("Applied", "Applying", "no"),
        said("Drifted", "DriftContested", "no"),
    ];
    let diagnosis = diagnose_plan(&plan(json!({}), json!({"conditions": conditions})));
    let codes: Vec<_> = diagnosis.causes().map(|cause| cause.code).collect();
    assert_eq!(codes, [Code::DriftContested]);
}

/// The controller restores the field `onDrift` in plans of an Operator, so the remedy does not
/// contain this change.
#[test]
fn contested_object_of_an_operator_is_not_left_to_other_owners() {
    let commands = |plan: &InstallPlan| {
        let cause = diagnose_plan(plan).cause.expect("a cause");
        let remedy = cause.remedy;
        (remedy.decide.len(), remedy.later.len())
    };
    assert_eq!(commands(&contested()), (1, 1));
    assert_eq!(commands(&of_operator(contested())), (0, 1));
}

/// A failing Pod is the root cause, both before and after the deadline of the stage.
#[rstest]
#[case::applying(said("Applied", "Applying", "stage 1 of 1"))]
#[case::stuck(said("Applied", "StageDeadlineExceeded", "stage 1 of 1"))]
#[case::unready(said("Ready", "MembersNotReady", "1 object"))]
fn failing_pod_is_the_cause(#[case] said: Value) {
    let mut plan = plan(json!({}), json!({"conditions": [said]}));
    plan.status.get_or_insert_default().members = vec![crashing()];
    let diagnosis = diagnose_plan(&plan);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(
        (cause.code, cause.state),
        (Code::CrashLooping, State::Broken)
    );
    assert_eq!(cause.at_fault.to_string(), "Deployment.apps harbor/ferry");
    assert_eq!(
        cause.remedy.look[0].action.text(),
        "kubectl logs pods/ferry-0 -n harbor -c main --previous"
    );
}

/// Before the deadline of the stage, a running container that is not ready is no failure.
#[rstest]
#[case::applying("Applying", Code::InProgress)]
#[case::stuck("StageDeadlineExceeded", Code::ProbeFailing)]
fn unready_container_is_the_cause_after_the_deadline(#[case] reason: &str, #[case] code: Code) {
    let conditions = json!([said("Applied", reason, "stage 1 of 1")]);
    let mut plan = plan(json!({}), json!({"conditions": conditions}));
    let mut member = crashing();
    member.pod.get_or_insert_default().cause = "ContainerNotReady".to_owned();
    plan.status.get_or_insert_default().members = vec![member];
    let cause = diagnose_plan(&plan).cause.expect("a cause");
    assert_eq!(cause.code, code);
}

#[test]
fn quota_that_refuses_an_object_is_at_fault() {
    let refusal = "is retried: configmaps \"a\" is forbidden: exceeded quota: tight, requested: configmaps=1, used: \
                   configmaps=3, limited: configmaps=3";
    let diagnosis = diagnose_plan(&with_member(
        said("Applied", "WriteRejected", refusal),
        member("ConfigMap harbor/a", "NotApplied", refusal),
    ));
    let cause = diagnosis.cause.as_ref().expect("a cause");
    assert_eq!(cause.code, Code::QuotaExceeded);
    assert_eq!(
        cause.at_fault,
        Object::new("ResourceQuota", "harbor", "tight")
    );
    let message = "The API server refuses to write ConfigMap harbor/a, because ResourceQuota harbor/tight is \
                   exceeded: ConfigMap harbor/a needs 1 of configmaps (0 of 3 is free).";
    assert_eq!(cause.message, message);
    let action = "Raise the quota, or delete configmaps of the namespace that are not needed. The write is then \
                  retried by itself.";
    assert_eq!(cause.responsible.action, action);
    let command = "kubectl patch resourcequotas/tight -n harbor --type merge -p \
                   '{\"spec\":{\"hard\":{\"configmaps\":\"4\"}}}'";
    assert_eq!(cause.remedy.decide[0].texts().next(), Some(command));
}
