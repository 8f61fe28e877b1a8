//! Tests of decisions on a small simulated API server, one case for each test.

use portolan_api::plan::{InstallPlan, Phase, Status};
use portolan_core_install::{Account, Ask, GroupKind, ObjectRead, ObjectRef, Peer, manager};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::kit::{config_map, stage, with};
use crate::model::{End, LINEAGE, Server, identity};
use crate::shell::Shell;

pub(crate) fn namespace() -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbor"}})
}

pub(crate) fn deployment(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "harbor", "name": name}, "spec": {"replicas": 1},
    })
}

pub(crate) fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ship.ferry.example"},
        "spec": {
            "group": "ferry.example", "scope": "Namespaced",
            "names": {"kind": "Ship", "plural": "ship"},
            "versions": [{"name": "v1", "served": true, "subresources": {"status": {}}}],
        },
    })
}

fn definition_name() -> String {
    "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example".to_owned()
}

pub(crate) fn ship(name: &str) -> Value {
    json!({
        "apiVersion": "ferry.example/v1", "kind": "Ship",
        "metadata": {"namespace": "harbor", "name": name},
    })
}

/// Formats a status in a few lines: the phase, the conditions, and the members with a problem.
/// Omits the `Drifted` condition if nothing has drifted.
pub(crate) fn describe(status: &Status) -> Vec<String> {
    let phase = status.phase.map(|phase| format!("{phase:?}"));
    let conditions = status.conditions.iter();
    let conditions = conditions.filter(|condition| condition.reason != "NotDrifted");
    let conditions = conditions.map(|condition| {
        let said = [
            &condition.type_,
            &condition.status,
            &condition.reason,
            &condition.message,
        ];
        said.map(String::as_str).join(" ")
    });
    let members = status.members.iter().map(|member| {
        let [stage, object, message] = [&member.stage, &member.object, &member.message];
        format!(
            "- {stage}[{}] {object} {:?}: {message}",
            member.index, member.state
        )
    });
    phase.into_iter().chain(conditions).chain(members).collect()
}

pub(crate) fn run(spec: &Value, server: &mut Server) -> Vec<String> {
    assert_eq!(Shell::new(spec, server).run(server, None), End::Rest);
    describe(&server.status)
}

fn names(server: &Server) -> Vec<String> {
    server.objects.keys().map(ToString::to_string).collect()
}

/// Returns the owners of an object's fields, with their operations.
pub(crate) fn managers(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"]
        .as_array()
        .expect("entries");
    let names = entries.iter().map(|entry| {
        let text = |name: &str| entry[name].as_str().expect("a text").to_owned();
        format!("{} {}", text("manager"), text("operation"))
    });
    names.collect()
}

pub(crate) const READY: [&str; 5] = [
    "Ready",
    "Valid True PlanValid the plan is valid",
    "Permitted True PermissionsSufficient the ServiceAccount has all permissions",
    "Applied True AllApplied 4 objects were applied",
    "Ready True AllReady 4 objects are ready",
];

pub(crate) fn ferry() -> Value {
    json!({"stages": [
        stage("definitions", &[namespace(), definition()]),
        stage("operator", &[deployment("ferry"), ship("one")]),
    ]})
}

#[test]
fn applies_plan_stage_by_stage() {
    let mut server = Server::new();
    assert_same!(run(&ferry(), &mut server), READY);
    let all = [
        "Namespace harbor",
        "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example",
        "Deployment.apps harbor/ferry",
        "Ship.ferry.example harbor/one",
    ];
    assert_same!(names(&server), all);
    let record = server.status.record.clone().expect("a record");
    assert_eq!(record.found.len(), 0);
    // The controller creates objects with an apply, so it owns their fields as applied fields. A
    // later apply then removes the fields that it lacks.
    let ours = format!("{} Apply", manager(LINEAGE));
    for object in server.objects.values() {
        assert_same!(managers(object), std::slice::from_ref(&ours));
    }
    // A new process has nothing to write.
    let writes = server.writes;
    server.later(3_600);
    assert_same!(run(&ferry(), &mut server), READY);
    assert_eq!(server.writes, writes);
}

/// The controller writes the status first, and then creates and applies the members. The test
/// checks the cluster after each write.
#[test]
fn writes_status_before_it_writes_objects() {
    let mut server = Server::new();
    let mut shell = Shell::new(&ferry(), &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    assert_same!(names(&server), Vec::<String>::new());
    assert_same!(
        describe(&server.status),
        [
            "Applying",
            "Valid True PlanValid the plan is valid",
            "Permitted True PermissionsSufficient the ServiceAccount has all permissions",
            "Applied False Applying the plan starts with stage definitions",
            "Ready False Waiting waiting until the plan is applied",
        ]
    );
}

#[rstest]
#[case::no_account(
    Account::Missing,
    "Permitted False ServiceAccountMissing the ServiceAccount installer does not exist in the \
     namespace of the plan"
)]
#[case::namespace_does_not_permit_plans(
    Account::NotEnabled,
    "Permitted False NamespaceNotEnabled plans in this namespace may not use its ServiceAccounts; \
     set the label plans.portolan.dev/enabled=true on the namespace"
)]
fn unusable_account_is_reported(#[case] account: Account, #[case] expected: &str) {
    let mut server = Server::new();
    server.account = account;
    assert_same!(
        run(&ferry(), &mut server),
        [
            "Pending",
            "Valid Unknown NotObserved the dry run starts once the ServiceAccount has all \
             permissions",
            expected,
            "Applied False Waiting waiting until the plan is valid",
            "Ready False Waiting waiting until the plan is applied",
        ]
    );
    assert_same!(names(&server), Vec::<String>::new());
}

/// A field of the status names the missing label or ClusterRole until it exists.
#[test]
fn status_has_fields_for_missing_label_and_missing_role() {
    let mut server = Server::new();
    let mut fields = |account| {
        server.account = account;
        run(&ferry(), &mut server);
        let status = &server.status;
        (
            status.missing_namespace_label.clone(),
            status.missing_controller_role.clone(),
        )
    };
    let label = Some("plans.portolan.dev/enabled".to_owned());
    let role = Some("portolan-plans-namespace".to_owned());
    assert_eq!(fields(Account::Missing), (None, None));
    assert_eq!(fields(Account::NotEnabled), (label, None));
    assert_eq!(fields(Account::NotGranted), (None, role));
    assert_eq!(fields(Account::There), (None, None));
}

#[test]
fn missing_permissions_block_all_writes() {
    let mut server = Server::new();
    server.is_allowed = false;
    let spec = json!({"stages": [stage("one", &[config_map("a")])]});
    let said = run(&spec, &mut server);
    assert_same!(
        said[2],
        r#"Permitted False PermissionMissing the ServiceAccount installer lacks rules, in namespace harbor: {"apiGroups":[""],"resources":["configmaps"],"verbs":["create","get","patch"]}; `portolan plan permissions plan -n harbor` prints the roles to apply"#
    );
    server.is_allowed = true;
    assert_same!(run(&spec, &mut server)[0], "Ready");
}

/// The size of a status is limited, so it cannot list all results.
#[test]
fn first_of_many_refused_objects_are_named() {
    let manifests: Vec<_> = (0..150)
        .map(|at| config_map(&format!("c{at:03}")))
        .collect();
    let mut all = stage("all", &manifests);
    all["order"] = json!("Any");
    let spec = json!({"stages": [all]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, Some(1)), End::Stopped);
    server.refuses = manifests[50..].iter().map(identity).collect();
    run(&spec, &mut server);
    let members = server.status.members.iter();
    let members: Vec<_> = members.map(|member| member.object.clone()).collect();
    let expected = manifests[50..].iter().take(100);
    assert_same!(
        members,
        expected
            .map(|each| identity(each).to_string())
            .collect::<Vec<_>>()
    );
}

#[rstest]
#[case::in_its_group_and_version("ferry.example", "v1", "Valid True PlanValid the plan is valid")]
#[case::in_another_version(
    "ferry.example",
    "v2",
    "Valid Unknown KindNotServed spec.stages[0].resources[1] (Ship.ferry.example harbor/one) has \
     the kind Ship.ferry.example, which the API server does not serve"
)]
#[case::in_another_group(
    "metrics.example",
    "v1",
    "Valid Unknown KindNotServed spec.stages[0].resources[1] (Ship.ferry.example harbor/one) has \
     the kind Ship.ferry.example, which the API server does not serve"
)]
fn api_service_in_the_plan_serves_its_kinds(
    #[case] group: &str,
    #[case] version: &str,
    #[case] expected: &str,
) {
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": {"name": format!("{version}.{group}")},
        "spec": {"group": group, "version": version},
    });
    let spec = json!({"stages": [stage("all", &[service, ship("one")])]});
    assert_same!(run(&spec, &mut Server::new())[1], expected);
}

#[rstest]
#[case::crd_in_a_later_stage(
    json!([stage("one", &[ship("a")]), stage("two", &[definition()])]),
    "Valid False OrderInvalid spec.stages[0].resources[0] (Ship.ferry.example harbor/a) needs \
     CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example, which the plan applies \
     later, at spec.stages[1].resources[0]; apply that object earlier"
)]
#[case::namespace_in_a_later_stage(
    json!([stage("one", &[config_map("a"), namespace()])]),
    "Valid False OrderInvalid spec.stages[0].resources[0] (ConfigMap harbor/a) needs Namespace \
     harbor, which the plan applies later, at spec.stages[0].resources[1]; apply that object \
     earlier"
)]
#[case::kind_is_not_served(
    json!([stage("one", &[ship("a")])]),
    "Valid Unknown KindNotServed spec.stages[0].resources[0] (Ship.ferry.example harbor/a) has \
     the kind Ship.ferry.example, which the API server does not serve"
)]
#[case::kind_is_misspelled(
    json!([stage("one", &[with(config_map("a"), "/kind", json!("ConfigMop"))])]),
    "Valid Unknown KindNotServed spec.stages[0].resources[0] (ConfigMop harbor/a) has the kind \
     ConfigMop, which the API server does not serve; did you mean ConfigMap?"
)]
#[case::version_is_not_served(
    json!([stage("one", &[with(config_map("a"), "/apiVersion", json!("v2"))])]),
    "Valid Unknown KindNotServed spec.stages[0].resources[0] (ConfigMap harbor/a) has version v2, \
     but the API server serves v1; write a served version"
)]
#[case::namespace_is_missing(
    json!([stage("one", &[with(config_map("a"), "/metadata/namespace", Value::Null)])]),
    "Valid False ManifestInvalid spec.stages[0].resources[0] (ConfigMap a) has no namespace; set \
     metadata.namespace"
)]
#[case::namespace_on_a_cluster_scoped_object(
    json!([stage("one", &[with(namespace(), "/metadata/namespace", json!("b"))])]),
    "Valid False ManifestInvalid spec.stages[0].resources[0] (Namespace b/harbor) has a namespace, \
     but Namespace is cluster-scoped; remove metadata.namespace"
)]
#[case::object_occurs_twice(
    json!([stage("one", &[config_map("a"), config_map("a")])]),
    "Valid False ManifestInvalid spec.stages[0].resources[1] (ConfigMap harbor/a) is already \
     listed at spec.stages[0].resources[0]; remove one of the two entries"
)]
fn invalid_plan_is_reported(#[case] stages: Value, #[case] expected: &str) {
    let mut server = Server::new();
    let said = run(&json!({"stages": stages}), &mut server);
    assert_same!(said[1], expected);
    assert_same!(names(&server), Vec::<String>::new());
}

#[test]
fn invalid_objects_are_reported_before_the_first_write() {
    let mut server = Server::new();
    let spec =
        json!({"stages": [stage("one", &[config_map("a"), config_map("b"), config_map("c")])]});
    server.refuses = ["b", "c"].map(|name| identity(&config_map(name))).into();
    let said = run(&spec, &mut server);
    assert_same!(
        said[..2],
        [
            "Invalid",
            "Valid False DryRunRejected spec.stages[0].resources[1] (ConfigMap harbor/b) is refused: no \
             such ship. spec.stages[0].resources[2] (ConfigMap harbor/c) is refused: no such ship",
        ]
    );
    assert_same!(names(&server), Vec::<String>::new());
}

/// Another client may create the Namespace later, so the plan waits.
#[test]
fn plan_waits_for_missing_namespace() {
    let mut server = Server::new();
    let spec = json!({"stages": [stage("one", &[config_map("a"), config_map("b")])]});
    server.without_namespace = [identity(&config_map("a"))].into();
    assert_same!(
        run(&spec, &mut server)[..2],
        [
            "Pending",
            "Valid Unknown ReferenceMissing spec.stages[0].resources[0] (ConfigMap harbor/a) is \
             in namespace harbor, which does not exist",
        ]
    );
    assert_same!(server.status.missing_namespaces, ["harbor"]);
    server.refuses = [identity(&config_map("b"))].into();
    assert_same!(
        run(&spec, &mut server)[1],
        "Valid False DryRunRejected spec.stages[0].resources[0] (ConfigMap harbor/a) is in \
         namespace harbor, which does not exist. spec.stages[0].resources[1] (ConfigMap harbor/b) \
         is refused: no such ship"
    );
    assert_same!(server.status.missing_namespaces, ["harbor"]);
    server.refuses.clear();
    server.without_namespace.clear();
    assert_same!(run(&spec, &mut server)[0], "Ready");
    assert!(server.status.missing_namespaces.is_empty());
}

#[test]
fn late_rejection_is_reported_with_the_message_of_the_api_server() {
    let mut server = Server::new();
    // The API server cannot make a dry run of the object until it serves the kind.
    server.refuses = [identity(&ship("one"))].into();
    let said = run(&ferry(), &mut server);
    assert_same!(
        said[3..],
        [
            "Applied False WriteRejected Ship.ferry.example harbor/one is refused: no such ship",
            "Ready False Waiting waiting until the plan is applied",
            "- operator[1] Ship.ferry.example harbor/one Refused: is refused: no such ship",
        ]
    );
    assert_eq!(server.objects.len(), 3);
}

#[rstest]
#[case::waits_until_all_are_ready("Ready", false)]
#[case::waits_until_all_are_applied("Applied", true)]
fn next_stage_waits_as_configured(#[case] wait_for: &str, #[case] goes_on: bool) {
    let mut first = stage("first", &[deployment("ferry")]);
    first["waitFor"] = json!(wait_for);
    let spec = json!({"stages": [first, stage("second", &[config_map("a")])]});
    let mut server = Server::new();
    server.stuck = [identity(&deployment("ferry"))].into();
    let said = run(&spec, &mut server);
    assert_eq!(
        server.objects.contains_key(&identity(&config_map("a"))),
        goes_on
    );
    let not_ready = "Deployment.apps harbor/ferry";
    assert!(
        said.last().expect("a member").contains(not_ready),
        "{said:?}"
    );
    assert_same!(said[0], if goes_on { "Applied" } else { "Applying" });
}

#[test]
fn slow_stage_is_reported_and_continues() {
    let spec = json!({"stages": [stage("first", &[deployment("ferry")])]});
    let mut server = Server::new();
    let identity = identity(&deployment("ferry"));
    server.stuck = [identity.clone()].into();
    run(&spec, &mut server);
    server.later(599);
    let decision = Shell::new(&spec, &server).decide(&server);
    assert_same!(
        decision.until,
        Some(server.now + jiff::SignedDuration::from_secs(1))
    );
    assert_same!(
        describe(&decision.status)[3].split(':').next(),
        Some("Applied False Applying stage 1 of 1 (first)")
    );
    server.later(1);
    let decision = Shell::new(&spec, &server).decide(&server);
    // After twenty seconds, the controller lists the Pods of the object again.
    assert_same!(
        decision.until,
        Some(server.now + jiff::SignedDuration::from_secs(20))
    );
    assert_same!(
        run(&spec, &mut server)[3],
        "Applied False StageDeadlineExceeded stage first takes longer than 600 s: stage 1 of 1 (first): \
         Deployment.apps harbor/ferry has 0 of 1 replicas created"
    );
    server.stuck.clear();
    assert_same!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn deadline_excludes_time_in_which_the_plan_is_suspended() {
    let mut spec = json!({"stages": [stage("first", &[deployment("ferry")])]});
    let mut server = Server::new();
    server.stuck = [identity(&deployment("ferry"))].into();
    run(&spec, &mut server);
    server.later(599);
    spec["suspend"] = json!(true);
    run(&spec, &mut server);
    server.later(3_600);
    assert_same!(run(&spec, &mut server)[0], "Suspended");
    spec["suspend"] = json!(false);
    assert_same!(
        run(&spec, &mut server)[3].split(':').next(),
        Some("Applied False Applying stage 1 of 1 (first)")
    );
    server.later(600);
    let said = run(&spec, &mut server);
    assert!(
        said[3].starts_with("Applied False StageDeadlineExceeded"),
        "{said:?}"
    );
}

#[test]
fn parallel_members_wait_only_for_their_dependencies() {
    let mut all = stage("all", &[ship("one"), config_map("a"), definition()]);
    all["order"] = json!("Any");
    let spec = json!({"stages": [all]});
    let mut server = Server::new();
    server.stuck = [identity(&definition())].into();
    let said = run(&spec, &mut server);
    assert_same!(
        said[5..],
        [
            "- all[0] Ship.ferry.example harbor/one NotApplied: waits for \
             CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example",
            "- all[2] CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example NotReady: \
             is not established yet",
        ]
    );
    server.stuck.clear();
    assert_same!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn members_in_order_wait_for_each_other() {
    let spec = json!({"stages": [stage("all", &[definition(), ship("one"), config_map("a")])]});
    let mut server = Server::new();
    server.stuck = [identity(&definition())].into();
    run(&spec, &mut server);
    assert_same!(names(&server), [definition_name()]);
    server.stuck.clear();
    assert_same!(run(&spec, &mut server)[0], "Ready");
}

#[test]
fn object_is_ready_after_its_new_controller_observed_it() {
    let mut server = Server::new();
    server.stuck = [identity(&ship("one"))].into();
    let said = run(&ferry(), &mut server);
    assert_same!(
        said.last().map(String::as_str),
        Some(
            "- operator[1] Ship.ferry.example harbor/one NotReady: has no status from its \
             controller yet"
        )
    );
}

/// The order of creation, for a stage with a role and a binding of this role.
#[rstest]
#[case::parallel("Any", &["Role", "RoleBinding"])]
#[case::in_order("InOrder", &["RoleBinding", "Role"])]
fn role_and_binding_are_written_in_order(#[case] order: &str, #[case] expected: &[&str]) {
    let rbac = |kind: &str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"namespace": "harbor", "name": "sailor"},
        })
    };
    let binding = with(
        rbac("RoleBinding"),
        "/roleRef",
        json!({"kind": "Role", "name": "sailor"}),
    );
    let mut all = stage("all", &[binding, rbac("Role")]);
    all["order"] = json!(order);
    let spec = json!({"stages": [all]});
    let mut server = Server::new();
    assert_same!(run(&spec, &mut server)[0], "Ready");
    let mut made: Vec<_> = server.objects.iter().collect();
    made.sort_by_key(|(_, object)| object["metadata"]["uid"].to_string());
    let made: Vec<_> = made
        .iter()
        .map(|(identity, _)| identity.kind.kind.as_str())
        .collect();
    assert_same!(made, expected);
}

#[test]
fn suspended_plan_is_checked_but_not_started() {
    let mut spec = ferry();
    spec["suspend"] = json!(true);
    let mut server = Server::new();
    assert_same!(
        run(&spec, &mut server),
        [
            "Suspended",
            READY[1],
            READY[2],
            "Applied False Suspended the plan is suspended; set spec.suspend to false",
            "Ready False Waiting waiting until the plan is applied",
        ]
    );
    assert_same!(names(&server), Vec::<String>::new());
    assert_same!(run(&ferry(), &mut server), READY);
}

#[test]
fn plan_suspended_during_apply_stops_writing() {
    let mut server = Server::new();
    let mut shell = Shell::new(&ferry(), &server);
    assert_eq!(shell.run(&mut server, Some(3)), End::Stopped);
    let before = names(&server);
    let mut spec = ferry();
    spec["suspend"] = json!(true);
    assert_same!(run(&spec, &mut server)[0], "Suspended");
    assert_same!(names(&server), before);
    assert_same!(run(&ferry(), &mut server), READY);
}

fn successor() -> Peer {
    let mut plan = InstallPlan::new("plan-b", ferry().into());
    plan.metadata.uid = Some("u-b".to_owned());
    Peer::of(&plan)
}

#[test]
fn replaced_plan_stops_for_its_successor() {
    let mut server = Server::new();
    let mut shell = Shell::new(&ferry(), &server)
        .with(|observed| observed.succession.successor = Some(successor()));
    assert_eq!(shell.run(&mut server, None), End::Rest);
    let said = describe(&server.status);
    assert_same!(
        [&said[0], &said[3]],
        [
            "Superseded",
            "Applied False Superseded plan-b replaces this plan"
        ]
    );
    assert_same!(names(&server), Vec::<String>::new());
}

#[test]
fn plan_uses_the_manifests_with_which_it_began() {
    let mut server = Server::new();
    run(&ferry(), &mut server);
    let other = json!({"stages": [stage("definitions", &[namespace()])]});
    let said = run(&other, &mut server);
    assert_same!(
        said[1],
        "Valid False ManifestsChanged the manifests changed after the plan had started; create \
         another plan for the new manifests, or restore the objects that this plan refers to"
    );
    assert_same!(said[3], READY[3]);
}

#[test]
fn reports_unreadable_objects() {
    let spec = json!({"stages": [stage("one", &[config_map("a")])]});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    let decision = shell.decide(&server);
    server.status = decision.status;
    let asked = ObjectRef {
        kind: GroupKind::new("", "ConfigMap"),
        namespace: Some("harbor".to_owned()),
        name: "a".to_owned(),
    };
    let mut observed = None;
    let _ = shell.with(|known| {
        known.status = server.status.clone();
        known.objects.clear();
        assert_eq!(
            portolan_core_install::decide(known).asks,
            [Ask::Object(asked.clone())].into()
        );
        known
            .objects
            .insert(asked, ObjectRead::Unreadable("forbidden".to_owned()));
        observed = Some(portolan_core_install::decide(known));
    });
    let decision = observed.expect("a decision");
    assert_eq!(decision.status.phase, Some(Phase::Applying));
    assert_same!(
        describe(&decision.status)[3],
        "Applied False WriteRejected stage 1 of 1 (one): ConfigMap harbor/a cannot be read: forbidden"
    );
}
