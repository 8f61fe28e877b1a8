//! Tests of a ServiceAccount that loses permissions after the controller has cached its access
//! reviews.

use portolan_api::plan::{
    Breadth, ConditionType, InstallPlan, MOST_RULES, MissingRule, missing_roles,
};
use portolan_core_install::{Answers, ObjectRef, may_read};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::describe;
use crate::kit::{config_map, discovery, stage};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

fn spec() -> Value {
    json!({
        "lifecycle": {"onDrift": "Revert"},
        "stages": [stage("all", &[config_map("a"), config_map("b")])],
    })
}

/// Returns a plan that was applied, and the process that applied it.
fn applied() -> (Shell, Server) {
    let mut server = Server::new();
    let mut shell = Shell::new(&spec(), &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(describe(&server.status)[0], "Ready");
    (shell, server)
}

#[test]
fn denied_read_reports_missing_rules_and_unknown_drift_at_once() {
    let (mut shell, mut server) = applied();
    (server.is_allowed, server.hides_objects) = (false, true);
    let status = shell.decide(&server).status;
    let [_, _, permitted, _, ready, drifted, ..] = &describe(&status)[..] else {
        panic!("{status:?}");
    };
    let start = "Permitted False PermissionMissing the ServiceAccount installer lacks rules, ";
    assert!(permitted.starts_with(start), "{permitted}");
    assert!(ready.starts_with("Ready False"), "{ready}");
    assert_same!(
        drifted,
        "Drifted Unknown NotObserved 2 objects cannot be read, so changes by other clients are \
         not detected: ConfigMap harbor/a"
    );
    let rule = MissingRule {
        namespace: Some("harbor".to_owned()),
        api_groups: vec![String::new()],
        resources: vec!["configmaps".to_owned()],
        verbs: ["create", "get", "patch"].map(str::to_owned).into(),
        ..MissingRule::default()
    };
    assert_same!(status.missing_rules, [rule]);
}

/// After the permissions are granted again, the plan reports no missing permissions.
#[test]
fn returned_permissions_clear_missing_rules() {
    let (mut shell, mut server) = applied();
    (server.is_allowed, server.hides_objects) = (false, true);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(server.status.missing_rules.len(), 1);
    (server.is_allowed, server.hides_objects) = (true, false);
    let mut shell = Shell::new(&spec(), &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(describe(&server.status)[0], "Ready");
    assert_eq!(server.status.missing_rules, []);
}

/// The API server denies a dry run for a repair. This may also mean that a permission was lost.
#[test]
fn denied_repair_checks_permissions_again() {
    let (mut shell, mut server) = applied();
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    server.denies = ["patch"].into();
    server.tries_nothing = Some("forbidden".to_owned());
    let status = shell.decide(&server).status;
    let rules: Vec<_> = status
        .missing_rules
        .iter()
        .map(|rule| &rule.verbs)
        .collect();
    assert_same!(rules, [&["patch".to_owned()]]);
}

/// Reconciles once per second. Returns the number of access reviews in each reconciliation.
fn reviews(shell: &mut Shell, server: &mut Server, looks: usize) -> Vec<usize> {
    let look = |_| {
        server.reviews.set(0);
        let decision = shell.decide(server);
        server.status = decision.status;
        server.later(1);
        server.reviews.get()
    };
    (0..looks).map(look).collect()
}

/// An authorizer may deny a request although a review allows it. The controller reviews the
/// permissions at once after the first denial.
#[test]
fn lasting_denial_is_reviewed_once_per_pause_of_thirty_seconds() {
    let (mut shell, mut server) = applied();
    server.later(600);
    server.hides_objects = true;
    let all = reviews(&mut shell, &mut server, 61);
    let asked: Vec<_> = (0..61).filter(|at| all[*at] > 0).collect();
    assert_eq!(asked, [0, 30, 60]);
}

/// Another review follows when the pause ends, because a permission may have been lost during the
/// pause.
#[test]
fn reviews_permissions_after_the_pause_in_which_a_read_was_denied() {
    let (mut shell, mut server) = applied();
    server.later(600);
    server.hides_objects = true;
    reviews(&mut shell, &mut server, 1);
    server.is_allowed = false;
    let decision = shell.decide(&server);
    assert!(
        decision.status.is_true(ConditionType::Permitted),
        "it is not reviewed in the pause"
    );
    let rest = jiff::SignedDuration::from_secs(29);
    assert_eq!(decision.until, Some(server.now + rest));
    server.now += rest;
    let status = shell.decide(&server).status;
    assert!(!status.is_true(ConditionType::Permitted));
}

/// The controller reviews a missing permission often at first. The longer it is missing, the longer
/// the pauses become.
#[test]
fn missing_permission_is_reviewed_with_growing_pauses() {
    let (mut shell, mut server) = applied();
    server.later(600);
    (server.is_allowed, server.hides_objects) = (false, true);
    let all = reviews(&mut shell, &mut server, 121);
    let asked: Vec<_> = (0..121).filter(|at| all[*at] > 0).collect();
    assert_eq!(asked, [0, 1, 2, 4, 8, 16, 32, 62, 92]);
    (server.is_allowed, server.hides_objects) = (true, false);
    server.later(1);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    assert_eq!(describe(&server.status)[0], "Ready");
    // The permission is lost soon after it was granted, so the controller detects it at once.
    server.later(1);
    (server.is_allowed, server.hides_objects) = (false, true);
    assert_ne!(reviews(&mut shell, &mut server, 1), [0]);
}

#[test]
fn deletion_reports_rules_that_were_lost() {
    let mut spec = spec();
    spec["lifecycle"]["onPlanDeletion"] = json!("Delete");
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    server.delete_plan();
    (server.is_allowed, server.hides_objects) = (false, true);
    let status = shell.decide(&server).status;
    assert!(
        describe(&status)[2].starts_with("Permitted False PermissionMissing"),
        "{status:?}"
    );
    assert!(!status.missing_rules.is_empty());
}

#[test]
fn read_permission_may_apply_to_the_namespace_or_to_one_name() {
    let object = identity(&config_map("a"));
    let access = |name: Option<&str>| portolan_core_install::Access {
        verb: "get".to_owned(),
        resource: "configmaps".to_owned(),
        namespace: Some("harbor".to_owned()),
        name: name.map(str::to_owned),
        ..Default::default()
    };
    let may = |name: Option<&str>, is_allowed: bool, object: &ObjectRef| {
        may_read(
            &Answers::from([(access(name), is_allowed)]),
            &discovery(),
            object,
        )
    };
    assert!(may(None, true, &object) && may(Some("a"), true, &object));
    assert!(!may(Some("b"), true, &object) && !may(None, false, &object));
    assert!(!may(None, true, &identity(&crate::decide::ship("a"))));
}

#[test]
fn status_lists_a_bounded_number_of_rules() {
    let rule = |at: usize| MissingRule {
        resources: vec![format!("r{at}")],
        ..MissingRule::default()
    };
    let mut status = portolan_api::plan::Status::default();
    status.list_missing_rules((0..MOST_RULES + 5).map(rule).collect());
    assert_eq!(
        (status.missing_rules.len(), status.more_missing_rules),
        (MOST_RULES, 5)
    );
    let large = MissingRule {
        resource_names: vec!["x".repeat(250); 1_000],
        ..rule(1)
    };
    status.list_missing_rules(vec![rule(0), large, rule(2)]);
    assert_eq!(
        (status.missing_rules, status.more_missing_rules),
        (vec![rule(0)], 2)
    );
}

/// Roles with other rules, or for an account of another namespace, have other names. Therefore no
/// role overwrites another.
#[test]
fn roles_of_other_rules_have_other_names() {
    let name = |namespace: &str, verb: &str| {
        let spec = json!({"serviceAccountName": "installer", "stages": spec()["stages"]});
        let mut plan = InstallPlan::new("ferry", spec.into());
        plan.metadata.namespace = Some(namespace.to_owned());
        let rule = MissingRule {
            verbs: vec![verb.to_owned()],
            ..MissingRule::default()
        };
        let roles = missing_roles(&plan, &[rule], Breadth::Needed)
            .expect("roles")
            .manifests;
        roles[0]["metadata"]["name"]
            .as_str()
            .expect("a name")
            .to_owned()
    };
    assert_eq!(name("harbor", "get"), name("harbor", "get"));
    assert!(name("harbor", "get").starts_with("installer-ferry-"));
    assert_ne!(name("harbor", "get"), name("harbor", "list"));
    assert_ne!(name("harbor", "get"), name("quay", "get"));
}

/// Rules with which the account could gain further permissions are omitted. An administrator must
/// review them.
#[rstest]
#[case::escalating(rule_of("clusterroles", &["create", "escalate"]))]
#[case::impersonating(rule_of("users", &["impersonate"]))]
#[case::binding_any_role(rule_of("clusterroles", &["bind"]))]
#[case::of_all_kinds(rule_of("*", &["list"]))]
#[case::of_all_verbs(rule_of("secrets", &["*"]))]
fn omits_rules_that_grant_more_than_required(#[case] broad: MissingRule) {
    let spec = json!({"serviceAccountName": "installer", "stages": spec()["stages"]});
    let plan = InstallPlan::new("ferry", spec.into());
    let needed = rule_of("configmaps", &["get"]);
    let all = [broad.clone(), needed];
    let roles = missing_roles(&plan, &all, Breadth::Needed).expect("roles");
    assert_eq!((roles.manifests.len(), roles.broad), (2, vec![broad]));
    assert_eq!(
        roles.manifests[0]["rules"].as_array().map(Vec::len),
        Some(1)
    );
    let roles = missing_roles(&plan, &all, Breadth::All).expect("roles");
    assert_eq!(
        roles.manifests[0]["rules"].as_array().map(Vec::len),
        Some(2)
    );
}

fn rule_of(resource: &str, verbs: &[&str]) -> MissingRule {
    MissingRule {
        resources: vec![resource.to_owned()],
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
        ..MissingRule::default()
    }
}

/// The status reports the permission to read Secrets together with all other missing permissions.
#[test]
fn denied_secret_is_reported_with_all_missing_rules() {
    let mut server = Server::new();
    server.secrets.insert("door".to_owned(), config_map("b"));
    (server.is_allowed, server.hides_secrets) = (false, true);
    let mut all = stage("all", &[config_map("a")]);
    let resources = all["resources"].as_array_mut().expect("resources");
    resources.push(json!({"ref": {"secret": "door"}}));
    let spec = json!({"stages": [all]});
    let mut shell = Shell::new(&spec, &server);
    assert_eq!(shell.run(&mut server, None), End::Rest);
    let said = describe(&server.status);
    assert!(
        said[1].starts_with("Valid Unknown ReferenceMissing"),
        "{said:?}"
    );
    assert!(
        said[2].starts_with("Permitted False PermissionMissing"),
        "{said:?}"
    );
    let rules = server.status.missing_rules.iter();
    let rules: Vec<_> = rules
        .map(|rule| {
            format!(
                "{:?} {:?} {:?}",
                rule.verbs, rule.resources, rule.resource_names
            )
        })
        .collect();
    assert_same!(
        rules,
        [
            r#"["create", "get", "patch"] ["configmaps"] []"#,
            r#"["get"] ["secrets"] ["door"]"#,
        ]
    );
    (server.is_allowed, server.hides_secrets) = (true, false);
    assert_eq!(Shell::new(&spec, &server).run(&mut server, None), End::Rest);
    assert_eq!(describe(&server.status)[0], "Ready");
}
