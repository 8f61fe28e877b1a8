//! ServiceAccounts with roles, and bundles.

use rstest::rstest;
use serde_json::json;

use super::*;

const ACCOUNT: AccountName<'static> = AccountName {
    namespace: "docks",
    name: "installer",
};

fn role(kind: &str, name: &str, rules: Value) -> Value {
    let mut role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name},
        "rules": rules,
    });
    if kind == "Role" {
        role["metadata"]["namespace"] = json!("docks");
    }
    role
}

fn binding(namespace: &str, role: &Value, subject: Value) -> Value {
    let kind = if namespace.is_empty() {
        "ClusterRoleBinding"
    } else {
        "RoleBinding"
    };
    let mut binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
        "metadata": {"name": role["metadata"]["name"]}, "subjects": [subject],
        "roleRef": {"kind": role["kind"], "name": role["metadata"]["name"]},
    });
    if !namespace.is_empty() {
        binding["metadata"]["namespace"] = json!(namespace);
    }
    binding
}

fn installer() -> Value {
    json!({"kind": "ServiceAccount", "namespace": "docks", "name": "installer"})
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": resources, "verbs": verbs})
}

/// Returns a cluster in which the installer has these rules in the whole cluster.
fn cluster(rules: Value) -> ClusterRoles {
    let role = role("ClusterRole", "installer", rules);
    let mut cluster = ClusterRoles::default();
    cluster.add(&binding("", &role, installer()));
    cluster.add(&role);
    cluster
}

fn account(name: &str) -> Value {
    let metadata = json!({"namespace": "docks", "name": name});
    json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
}

fn lacks(cluster: &ClusterRoles, next: &[Value], installed: &[Value]) -> Vec<String> {
    let missing = cluster.missing(ACCOUNT, BundleObjects { next, installed });
    missing.to_install.iter().map(ToString::to_string).collect()
}

const EVERYTHING: &str = r#"[{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]"#;

fn everything() -> ClusterRoles {
    cluster(serde_json::from_str(EVERYTHING).expect("rules"))
}

#[test]
fn administrator_has_all_permissions() {
    let own = role(
        "ClusterRole",
        "ferry",
        json!([rule("apps", &["deployments"], &["*"])]),
    );
    let next = [account("ferry"), binding("", &own, account("ferry")), own];
    let missing = everything().missing(
        ACCOUNT,
        BundleObjects {
            next: &next,
            installed: &[],
        },
    );
    assert_eq!(missing, MissingRights::default());
}

#[test]
fn new_object_requires_get_and_create() {
    let next = [account("ferry")];
    let expected = [
        r#"in namespace docks: {"apiGroups":[""],"resourceNames":["ferry"],"resources":["serviceaccounts"],"verbs":["get"]}"#,
        r#"in namespace docks: {"apiGroups":[""],"resources":["serviceaccounts"],"verbs":["create"]}"#,
    ];
    let mut lacking = lacks(&ClusterRoles::default(), &next, &[]);
    lacking.sort();
    assert_eq!(lacking, expected);
}

#[rstest]
#[case::unchanged(account("ferry"), &[])]
#[case::changed(
    json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "secrets": [],
        "metadata": {"namespace": "docks", "name": "ferry"},
    }),
    &["patch"]
)]
#[case::removed(account("barge"), &["create", "delete"])]
fn upgrade_needs_permissions_for_changes_only(#[case] next: Value, #[case] expected: &[&str]) {
    let cluster = cluster(json!([rule("", &["serviceaccounts"], &["get"])]));
    let objects = BundleObjects {
        next: &[next],
        installed: &[account("ferry")],
    };
    let missing = cluster.missing(ACCOUNT, objects);
    let lacking = missing.to_install.iter().chain(&missing.afterwards);
    let lacking: Vec<_> = lacking.map(ToString::to_string).collect();
    let has = |verb: &&&str| {
        lacking
            .iter()
            .any(|it| it.contains(&format!("[\"{verb}\"]")))
    };
    let all = ["create", "delete", "get", "patch"];
    let found: Vec<_> = all.iter().filter(has).copied().collect();
    assert_eq!(found, expected, "{lacking:?}");
}

const WRITES: [&str; 3] = ["get", "create", "patch"];

#[rstest]
#[case::without_the_rights(json!([]), 1)]
#[case::with_the_rights(json!([rule("apps", &["deployments"], &["get", "list"])]), 0)]
#[case::with_escalate(json!([rule(RBAC, &["clusterroles"], &["escalate"])]), 0)]
#[case::with_bind_only(json!([rule(RBAC, &["clusterroles"], &["bind"])]), 1)]
fn new_role_requires_the_rights_that_it_grants(#[case] more: Value, #[case] expected: usize) {
    let mut rules = vec![rule(RBAC, &["clusterroles"], &WRITES)];
    rules.extend(more.as_array().expect("rules").iter().cloned());
    let own = role(
        "ClusterRole",
        "ferry",
        json!([rule("apps", &["deployments"], &["get", "list"])]),
    );
    assert_eq!(lacks(&cluster(json!(rules)), &[own], &[]).len(), expected);
}

#[test]
fn unchanged_rules_require_no_rights() {
    let rules = json!([rule("apps", &["deployments"], &["get"])]);
    let before = role("ClusterRole", "ferry", rules);
    let mut after = before.clone();
    after["metadata"]["labels"] = json!({"color": "red"});
    let cluster = cluster(json!([rule(RBAC, &["clusterroles"], &WRITES)]));
    assert_eq!(lacks(&cluster, &[after], &[before]), Vec::<String>::new());
}

#[test]
fn binding_to_unknown_role_is_not_compared() {
    let view = role("ClusterRole", "view", json!([]));
    let next = [binding("", &view, account("ferry"))];
    let cluster = cluster(json!([rule(RBAC, &["clusterrolebindings"], &WRITES)]));
    let objects = BundleObjects {
        next: &next,
        installed: &[],
    };
    let missing = cluster.missing(ACCOUNT, objects);
    assert_eq!(missing.to_install, []);
    assert_eq!(missing.not_compared, [ObjectRef::of(&view)]);
}

#[test]
fn reports_missing_watch_permission_separately() {
    let cluster = cluster(json!([rule(
        "",
        &["serviceaccounts"],
        &["get", "create", "list"]
    )]));
    let next = [account("ferry")];
    let objects = BundleObjects {
        next: &next,
        installed: &[],
    };
    let missing = cluster.missing(ACCOUNT, objects);
    assert_eq!(missing.to_install, []);
    let watch: Vec<_> = missing.afterwards.iter().map(ToString::to_string).collect();
    let expected =
        r#"in the cluster: {"apiGroups":[""],"resources":["serviceaccounts"],"verbs":["watch"]}"#;
    assert_eq!(watch, [expected]);
}

#[rstest]
#[case::account(installer(), true)]
#[case::user(json!({"kind": "User", "name": "system:serviceaccount:docks:installer"}), true)]
#[case::accounts_of_namespace(json!({"kind": "Group", "name": "system:serviceaccounts:docks"}), true)]
#[case::all_accounts(json!({"kind": "Group", "name": "system:serviceaccounts"}), true)]
#[case::everyone(json!({"kind": "Group", "name": "system:authenticated"}), true)]
#[case::account_of_other_namespace(
    json!({"kind": "ServiceAccount", "namespace": "quay", "name": "installer"}), false
)]
#[case::other_group(json!({"kind": "Group", "name": "system:masters"}), false)]
fn detects_subject_that_selects_the_account(#[case] subject: Value, #[case] expected: bool) {
    assert_eq!(is_subject(&subject, ACCOUNT), expected);
}

/// A RoleBinding grants the rules of a ClusterRole only in its namespace.
#[test]
fn role_binding_grants_rules_in_its_namespace() {
    let admin = role(
        "ClusterRole",
        "admin",
        serde_json::from_str(EVERYTHING).expect("rules"),
    );
    let mut cluster = ClusterRoles::default();
    cluster.add(&binding("docks", &admin, installer()));
    cluster.add(&admin);
    assert_eq!(
        lacks(&cluster, &[account("ferry")], &[]),
        Vec::<String>::new()
    );
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ships.ferry.example"},
    });
    assert_eq!(lacks(&cluster, &[crd], &[]).len(), 2);
}

#[rstest]
#[case("NetworkPolicy", "networkpolicies")]
#[case("Deployment", "deployments")]
#[case("PriorityClass", "priorityclasses")]
#[case("ConsoleQuickStart", "consolequickstarts")]
fn returns_resource_plural_of_kind(#[case] kind: &str, #[case] expected: &str) {
    assert_eq!(plural(kind), expected);
}
