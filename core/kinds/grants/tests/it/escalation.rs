//! Tests in which the author of an Install tries to get more permissions than a user has approved.

use portolan_api::installs::Permission;
use portolan_core_grants::Step;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::stage::{Cluster, permission, raw};

const RBAC: &str = "rbac.authorization.k8s.io";

fn words(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{prefix}{at}")).collect()
}

/// Returns a rule with 60 resources and 7 verbs.
pub(crate) fn large_rule() -> Value {
    json!({"apiGroups": ["big.test"], "resources": words("r", 60), "verbs": words("v", 7)})
}

fn everything() -> Value {
    json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]})
}

fn role(kind: &str, rules: &Value) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": kind,
        "metadata": {"name": "big-operator"}, "rules": rules,
    })
}

fn binding(kind: &str, role: (&str, &str), subject: &Value) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": kind, "metadata": {"name": "big-operator"},
        "roleRef": {"apiGroup": RBAC, "kind": role.0, "name": role.1}, "subjects": [subject],
    })
}

pub(crate) fn operator() -> Value {
    json!({"kind": "ServiceAccount", "name": "op", "namespace": "harbor"})
}

fn mallory() -> Value {
    json!({"kind": "User", "name": "mallory", "apiGroup": RBAC})
}

/// Returns a ClusterRole with these rules, and a ClusterRoleBinding to the subject.
pub(crate) fn content(rules: &Value, subject: &Value) -> Value {
    let bound = ("ClusterRole", "big-operator");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [
        role("ClusterRole", rules), binding("ClusterRoleBinding", bound, subject),
    ]});
    raw(&list.to_string())
}

fn asked(content: Value) -> Cluster {
    let mut cluster = Cluster::with(json!({"content": content}));
    cluster.run();
    cluster
}

/// Returns an approved and ready Install.
fn installed(content: Value) -> Cluster {
    let mut cluster = asked(content);
    cluster.bind();
    cluster.approve();
    cluster.run();
    cluster.ready(0);
    cluster.run();
    assert_eq!(cluster.condition_words("Ready"), "True Installed");
    cluster
}

fn pending(cluster: &Cluster) -> Vec<Permission> {
    let pending = cluster.status().pending;
    pending.map(|it| it.permissions).unwrap_or_default()
}

/// Changes the content. Asserts that the new content waits and that the approval is reset. Returns
/// the missing permissions.
fn request_content(cluster: &mut Cluster, content: Value) -> Vec<Permission> {
    let before = cluster.plan_names();
    cluster.set("content", content);
    cluster.later(100);
    cluster.run();
    cluster.later(100);
    assert_eq!(cluster.run(), [Step::Unapprove]);
    assert_eq!(cluster.plan_names(), before);
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True UnsatisfiedPermissions"
    );
    // The author can set the approval, but this alone grants no permissions.
    cluster.approve();
    cluster.later(100);
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.plan_names(), before);
    pending(cluster)
}

fn verbs(permissions: &[Permission]) -> Vec<&str> {
    let verbs = permissions.iter().flat_map(|it| &it.verbs);
    verbs.map(String::as_str).collect()
}

#[rstest]
#[case::large_role(json!([large_rule()]))]
#[case::small_role(json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]))]
#[case::role_with_a_billion_rights(json!([{
    "apiGroups": words("g", 1_000), "resources": words("r", 1_000), "verbs": words("v", 1_000),
}]))]
fn lists_the_rules_of_a_role_unchanged(#[case] rules: Value) {
    let pending = pending(&asked(content(&rules, &operator())));
    assert!(
        !verbs(&pending)
            .iter()
            .any(|it| ["escalate", "bind"].contains(it))
    );
    let rule = pending.iter().find(|it| !it.subjects.is_empty());
    let rule = json!(rule.expect("a granted rule"));
    assert_eq!(rule["subjects"], json!(["ServiceAccount harbor/op"]));
    for field in ["apiGroups", "resources", "verbs"] {
        let mut wanted: Vec<String> =
            serde_json::from_value(rules[0][field].clone()).expect("words");
        wanted.sort();
        assert_eq!(rule[field], json!(wanted));
    }
}

#[rstest]
#[case::large_role(json!([large_rule()]))]
#[case::small_role(json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]))]
fn role_extended_to_all_permissions_waits_for_approval(#[case] rules: Value) {
    let mut cluster = installed(content(&rules, &operator()));
    let grown = json!([rules[0], everything()]);
    let pending = request_content(&mut cluster, content(&grown, &operator()));
    let expected = Permission {
        subjects: ["ServiceAccount harbor/op".to_owned()].into(),
        ..permission("*", "*", &["*"], &[])
    };
    assert_eq!(pending, [expected]);
}

/// The account has the verb `escalate`, because an earlier version of Portolan granted it on
/// approval.
#[test]
fn escalate_permission_of_the_account_does_not_cover_rules() {
    let mut cluster = installed(content(&json!([large_rule()]), &operator()));
    let verbs = ["create", "get", "patch", "delete", "escalate", "bind"];
    let all = permission(RBAC, "*", &verbs, &[]);
    let account = format!("{}/{}", crate::stage::HOME, Cluster::account());
    cluster.held.push((account, all));
    let pending = request_content(&mut cluster, content(&json!([everything()]), &operator()));
    assert!(!pending.is_empty());
}

#[test]
fn bundle_with_the_same_rules_does_not_wait() {
    let mut cluster = installed(content(&json!([large_rule()]), &operator()));
    let text = content(&json!([large_rule()]), &operator()).to_string();
    let renamed = text.replace("big-operator", "big-operator-v2");
    cluster.set("content", serde_json::from_str(&renamed).expect("content"));
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
}

#[test]
fn binding_with_another_subject_waits_for_approval() {
    let rules = json!([large_rule()]);
    let mut cluster = installed(content(&rules, &operator()));
    let pending = request_content(&mut cluster, content(&rules, &mallory()));
    let subjects = json!(pending)[0]["subjects"].clone();
    assert_eq!((pending.len(), subjects), (1, json!(["User mallory"])));

    cluster.bind();
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
}

/// The user approved the permission for one namespace. The new binding grants it in all namespaces.
#[test]
fn binding_with_a_wider_scope_waits_for_approval() {
    let rules = json!([large_rule()]);
    let bound = |kind: &str| {
        let mut binding = binding(kind, ("ClusterRole", "big-operator"), &operator());
        if kind == "RoleBinding" {
            binding["metadata"]["namespace"] = json!("harbor");
        }
        let items = json!([role("ClusterRole", &rules), binding]);
        raw(&json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string())
    };
    let mut cluster = installed(bound("RoleBinding"));
    let pending = request_content(&mut cluster, bound("ClusterRoleBinding"));
    let wider = pending.iter().find(|it| !it.subjects.is_empty());
    assert!(wider.expect("a rule").namespaces.is_empty());
}

/// Because of this label, the ClusterRole `view` aggregates the rules, and all its users get them.
#[test]
fn role_with_an_aggregation_label_waits_for_approval() {
    let rules = json!([large_rule()]);
    let list = |labels: Value| {
        let mut role = role("ClusterRole", &rules);
        role["metadata"]["labels"] = labels;
        raw(&role.to_string())
    };
    let mut cluster = installed(list(json!({"app": "big"})));
    let label = "rbac.authorization.k8s.io/aggregate-to-view";
    let pending = request_content(&mut cluster, list(json!({label: "true"})));
    assert_eq!(
        json!(pending)[0]["subjects"],
        json!([format!("Aggregation {label}=true")])
    );
}

/// Another Install could create this role later.
#[test]
fn binding_without_its_role_in_the_content_waits() {
    let rules = json!([large_rule()]);
    let mut cluster = installed(content(&rules, &operator()));
    let left = binding(
        "ClusterRoleBinding",
        ("ClusterRole", "big-operator"),
        &operator(),
    );
    cluster.rbac.push(role("ClusterRole", &rules));
    let pending = request_content(&mut cluster, raw(&left.to_string()));
    assert_eq!(pending[0].role, "ClusterRole big-operator");
}

/// A binding is missing in the new content, but a finalizer keeps it in the cluster. The API server
/// applies it until it is gone.
#[test]
fn role_with_more_rules_for_subjects_of_a_binding_waits() {
    let rule =
        |resource: &str| json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
    let of = |name: &str, mut object: Value| {
        object["metadata"]["name"] = json!(name);
        object
    };
    let bound = |name: &str, subject: &Value| {
        of(
            name,
            binding("ClusterRoleBinding", ("ClusterRole", name), subject),
        )
    };
    let list = |items: Value| {
        raw(&json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string())
    };
    let secrets = [
        of("secrets", role("ClusterRole", &rule("secrets"))),
        bound("secrets", &operator()),
    ];
    let left = bound("grows", &mallory());
    let first = of("grows", role("ClusterRole", &rule("pods")));
    let mut cluster = installed(list(json!([first, left, secrets[0], secrets[1]])));
    cluster.rbac.push(left);

    let grown = of("grows", role("ClusterRole", &rule("secrets")));
    let pending = request_content(&mut cluster, list(json!([grown, secrets[0], secrets[1]])));
    let expected = Permission {
        subjects: ["User mallory".to_owned()].into(),
        ..permission("", "secrets", &["get"], &[])
    };
    assert_eq!(pending, [expected]);
}

/// A Role cannot contain URL paths, and a RoleBinding does not grant the URL paths of a
/// ClusterRole.
#[test]
fn role_binding_needs_url_paths_of_its_role_cluster_wide() {
    let rules = json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}, large_rule()]);
    let mut left = binding("RoleBinding", ("ClusterRole", "paths"), &operator());
    left["metadata"]["namespace"] = json!("harbor");
    let mut cluster = Cluster::with(json!({"content": raw(&left.to_string())}));
    let mut outside = role("ClusterRole", &rules);
    outside["metadata"]["name"] = json!("paths");
    cluster.rbac.push(outside);
    cluster.run();
    let pending = pending(&cluster);
    let paths = pending.iter().filter(|it| !it.non_resource_urls.is_empty());
    let paths: Vec<_> = paths
        .map(|it| (it.namespaces.len(), it.subjects.len()))
        .collect();
    assert_eq!(paths, [(0, 0)]);
    cluster.bind();
    let mut roles = cluster.rbac.iter().filter(|it| it["kind"] == "Role");
    assert!(!roles.any(|it| it.to_string().contains("nonResourceURLs\":[\"/")));
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 1);
}

#[test]
fn missing_role_is_awaited_and_never_bound_by_name() {
    let left = binding(
        "ClusterRoleBinding",
        ("ClusterRole", "missing"),
        &operator(),
    );
    let mut cluster = asked(raw(&left.to_string()));
    assert_eq!(cluster.condition_words("Ready"), "False RoleNotFound");
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "Unknown NotChecked"
    );
    assert_eq!(pending(&cluster), []);
    let mut role = role("ClusterRole", &json!([large_rule()]));
    role["metadata"]["name"] = json!("missing");
    cluster.rbac.push(role);
    cluster.run();
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True UnsatisfiedPermissions"
    );
}

#[rstest]
#[case::aggregated(
    |role: &mut Value| role["aggregationRule"] = json!({"clusterRoleSelectors": []}), "has an aggregationRule"
)]
#[case::with_our_label(
    |role: &mut Value| role["metadata"]["labels"] = json!({"operators.portolan.dev/install": "u"}),
    "which only approvals write"
)]
#[case::with_our_annotation(
    |role: &mut Value| role["metadata"]["annotations"] = json!({"operators.portolan.dev/subjects": "{}"}),
    "which only approvals write"
)]
#[case::with_too_many_rules(
    |role: &mut Value| role["rules"] = json!(vec![json!({"verbs": ["get"]}); 5_001]), "give 5001 rules"
)]
fn rejects_role_that_an_approval_cannot_list(#[case] change: fn(&mut Value), #[case] why: &str) {
    let mut role = role("ClusterRole", &json!([large_rule()]));
    change(&mut role);
    let cluster = asked(json!([{"type": "Raw", "raw": role}]));
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True ContentNotInstallable"
    );
    let message = cluster.message("ContentImportError");
    assert!(message.contains(why), "{message}");
    assert_eq!(pending(&cluster), []);
}

/// A few hundred access reviews are sufficient to check an Install.
#[test]
fn content_with_many_rights_requires_few_access_reviews() {
    let roles = (0..200).map(|at| {
        let mut role = role("ClusterRole", &json!([{
            "apiGroups": [format!("g{at}")], "resources": words("r", 10), "verbs": words("v", 4),
        }]));
        role["metadata"]["name"] = json!(format!("role-{at}"));
        role
    });
    let list = json!({"apiVersion": "v1", "kind": "List", "items": roles.collect::<Vec<_>>()});
    let mut cluster = asked(raw(&list.to_string()));
    assert!(cluster.reviews.get() <= 500, "{}", cluster.reviews.get());
    assert!(pending(&cluster).len() >= 200);
    cluster.bind();
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 1);
}

/// The digest changes with each part of an approval.
#[test]
fn digest_covers_the_displayed_permissions() {
    let digest = |cluster: &Cluster| cluster.status().pending.expect("pending").digest;
    let rules = json!([large_rule()]);
    let shown = asked(content(&rules, &operator()));
    assert_eq!(digest(&shown), digest(&asked(content(&rules, &operator()))));
    assert_ne!(digest(&shown), digest(&asked(content(&rules, &mallory()))));
    let mut other = asked(content(&rules, &operator()));
    other.set("content", content(&json!([everything()]), &mallory()));
    other.run();
    assert_ne!(digest(&shown), digest(&other));
}
