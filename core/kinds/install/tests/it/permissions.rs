//! Tests of the permissions that a plan needs, and of the rules that grant missing permissions.

use std::collections::BTreeSet;

use portolan_core_install::{
    Access, Answers, Discovery, Grant, GroupKind, Needs, ObjectRef, Roles, ServedKind,
};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::kit::{config_map, describe, discovery, intent, members, stage};

const RBAC: &str = "rbac.authorization.k8s.io";

fn needs(manifests: &[Value]) -> Needs {
    let members = members(&intent(json!({"stages": [stage("all", manifests)]})));
    let discovery = discovery().with_definitions(&members);
    Needs::of(&members, &discovery, &Roles::default())
}

/// Returns true if the rules allow the access, computed independently of the tested code.
fn allows(held: &[Grant], access: &Access) -> bool {
    let has = |all: &BTreeSet<String>, one: &str| all.contains("*") || all.contains(one);
    held.iter().any(|Grant { namespace, rule }| {
        let is_there = namespace.is_none() || *namespace == access.namespace;
        let is_named = match &access.name {
            Some(name) => rule.resource_names.is_empty() || rule.resource_names.contains(name),
            None => rule.resource_names.is_empty(),
        };
        let is_on = match &access.path {
            Some(path) => has(&rule.non_resource_urls, path),
            None => {
                has(&rule.api_groups, &access.group)
                    && has(&rule.resources, &access.resource)
                    && is_named
            }
        };
        is_there && has(&rule.verbs, &access.verb) && is_on
    })
}

/// Makes access reviews until all answers are known. Returns the answers and the number of reviews.
fn answers(needs: &Needs, held: &[Grant]) -> Answers {
    let mut answers = Answers::new();
    loop {
        let reviews = needs.reviews(&answers);
        if reviews.is_empty() {
            return answers;
        }
        answers.extend(reviews.into_iter().map(|access| {
            let allowed = allows(held, &access);
            (access, allowed)
        }));
    }
}

fn grant(namespace: &str, rule: Value) -> Grant {
    let texts = |name: &str| {
        let list = rule[name].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    Grant {
        namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
        rule: portolan_core_install::Rule {
            api_groups: texts("apiGroups"),
            resources: texts("resources"),
            resource_names: texts("resourceNames"),
            non_resource_urls: texts("nonResourceURLs"),
            verbs: texts("verbs"),
        },
    }
}

fn role(kind: &str, namespace: Value, rules: Value) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": kind,
        "metadata": {"namespace": namespace, "name": "sailor"}, "rules": rules,
    })
}

fn binding(kind: &str, namespace: Value, to: &str) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": kind,
        "metadata": {"namespace": namespace, "name": "sailor"},
        "roleRef": {"apiGroup": RBAC, "kind": to, "name": "sailor"},
    })
}

fn deployment(namespace: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": namespace, "name": "ferry"},
    })
}

#[test]
fn all_missing_permissions_are_reported_together() {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbor"}});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "harbor", "name": "s"},
    });
    let needs = needs(&[
        namespace,
        config_map("a"),
        secret,
        deployment("harbor"),
        deployment("sea"),
    ]);
    assert_same!(
        describe(&needs.missing(&answers(&needs, &[]))),
        [
            r#"in the cluster: {"apiGroups":[""],"resources":["namespaces"],"verbs":["create","get","patch"]}"#,
            r#"in namespace harbor: {"apiGroups":[""],"resources":["configmaps","secrets"],"verbs":["create","get","patch"]}"#,
            r#"in namespace harbor: {"apiGroups":["apps"],"resources":["deployments"],"verbs":["create","get","patch"]}"#,
            r#"in namespace sea: {"apiGroups":["apps"],"resources":["deployments"],"verbs":["create","get","patch"]}"#,
        ]
    );
}

#[rstest]
#[case::nothing_is_missing(
    json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
    &[]
)]
#[case::two_verbs(
    json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}),
    &[r#"in namespace harbor: {"apiGroups":[""],"resources":["configmaps"],"verbs":["create","patch"]}"#]
)]
#[case::held_by_name(
    json!({"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a", "b"], "verbs": ["get", "patch"]}),
    &[r#"in namespace harbor: {"apiGroups":[""],"resources":["configmaps"],"verbs":["create"]}"#]
)]
#[case::one_name(
    json!({"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get", "patch", "create"]}),
    &[
        r#"in namespace harbor: {"apiGroups":[""],"resources":["configmaps"],"verbs":["create"]}"#,
        r#"in namespace harbor: {"apiGroups":[""],"resourceNames":["b"],"resources":["configmaps"],"verbs":["get","patch"]}"#,
    ]
)]
fn reports_missing_permissions_for_two_config_maps(#[case] held: Value, #[case] expected: &[&str]) {
    let needs = needs(&[config_map("a"), config_map("b")]);
    let held = [grant("harbor", held)];
    assert_same!(describe(&needs.missing(&answers(&needs, &held))), expected);
}

#[test]
fn access_allowed_for_all_names_is_reviewed_once() {
    let manifests: Vec<_> = (0..2_000).map(|at| config_map(&format!("c{at}"))).collect();
    let needs = needs(&manifests);
    let all = [grant(
        "",
        json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}),
    )];
    assert_eq!(answers(&needs, &all).len(), 3);
}

/// Returns a grant with all permissions except those that a role grants.
fn installer() -> Grant {
    let resources = [
        "roles",
        "rolebindings",
        "clusterroles",
        "clusterrolebindings",
    ];
    grant(
        "",
        json!({"apiGroups": [RBAC], "resources": resources, "verbs": ["create", "get", "patch"]}),
    )
}

const PODS: &str = r#"{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}"#;

#[rstest]
#[case::role_grants_rights_that_the_account_lacks(
    vec![role("Role", json!("harbor"), json!([serde_json::from_str::<Value>(PODS).expect("a rule")]))],
    vec![],
    vec![format!("in namespace harbor: {PODS}")]
)]
#[case::account_has_the_rights_in_the_whole_cluster(
    vec![role("Role", json!("harbor"), json!([serde_json::from_str::<Value>(PODS).expect("a rule")]))],
    vec![grant("", json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}))],
    vec![]
)]
#[case::account_may_escalate(
    vec![role("Role", json!("harbor"), json!([serde_json::from_str::<Value>(PODS).expect("a rule")]))],
    vec![grant("harbor", json!({"apiGroups": [RBAC], "resources": ["roles"], "verbs": ["escalate"]}))],
    vec![]
)]
#[case::some_rights_are_missing(
    vec![role("ClusterRole", Value::Null, json!([
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
    ]))],
    vec![grant("", json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}))],
    vec![
        r#"in the cluster: {"nonResourceURLs":["/metrics"],"verbs":["get"]}"#.to_owned(),
        r#"in the cluster: {"apiGroups":[""],"resources":["pods"],"verbs":["list"]}"#.to_owned(),
    ]
)]
#[case::unknown_role_is_bound(
    vec![binding("RoleBinding", json!("harbor"), "ClusterRole")],
    vec![],
    vec![format!(r#"in namespace harbor: {{"apiGroups":["{RBAC}"],"resourceNames":["sailor"],"resources":["clusterroles"],"verbs":["bind"]}}"#)]
)]
#[case::account_may_bind_the_role_by_name(
    vec![binding("RoleBinding", json!("harbor"), "ClusterRole")],
    vec![grant("", json!({"apiGroups": [RBAC], "resources": ["clusterroles"], "resourceNames": ["sailor"], "verbs": ["bind"]}))],
    vec![]
)]
#[case::bound_role_of_the_plan_grants_less(
    vec![
        binding("RoleBinding", json!("harbor"), "ClusterRole"),
        role("ClusterRole", Value::Null, json!([serde_json::from_str::<Value>(PODS).expect("a rule")])),
    ],
    vec![grant("", json!({"apiGroups": [RBAC], "resources": ["clusterroles"], "verbs": ["escalate"]}))],
    vec![format!("in namespace harbor: {PODS}")]
)]
fn privilege_escalation_is_detected(
    #[case] manifests: Vec<Value>,
    #[case] mut held: Vec<Grant>,
    #[case] expected: Vec<String>,
) {
    let needs = needs(&manifests);
    held.push(installer());
    assert_same!(describe(&needs.missing(&answers(&needs, &held))), expected);
    // The reported permissions are sufficient, so no permission is missing after they are granted.
    held.extend(needs.missing(&answers(&needs, &held)));
    assert_same!(
        describe(&needs.missing(&answers(&needs, &held))),
        Vec::<String>::new()
    );
}

/// Returns the existing ClusterRole `sailor`.
fn there(role: &Value) -> Roles {
    let identity = ObjectRef {
        kind: GroupKind::new(RBAC, "ClusterRole"),
        namespace: None,
        name: "sailor".to_owned(),
    };
    let mut roles = Roles::default();
    roles.insert(identity, Some(role));
    roles
}

/// An account that has all permissions of a role may bind the role. It makes no difference who
/// created the role.
#[test]
fn existing_role_may_be_bound_by_account_with_its_rights() {
    let manifests = [binding("RoleBinding", json!("harbor"), "ClusterRole")];
    let members = members(&intent(json!({"stages": [stage("all", &manifests)]})));
    let rule: Value = serde_json::from_str(PODS).expect("a rule");
    let roles = there(&json!({"rules": [rule]}));
    let needs = Needs::of(&members, &discovery(), &roles);
    let missing = describe(&needs.missing(&answers(&needs, &[installer()])));
    assert_same!(missing, vec![format!("in namespace harbor: {PODS}")]);
    let held = [installer(), grant("harbor", rule)];
    assert_same!(
        describe(&needs.missing(&answers(&needs, &held))),
        Vec::<String>::new()
    );
}

/// Other roles may add rules to an aggregated role later. To write it, the API server therefore
/// requires all permissions or the verb `escalate`.
#[test]
fn aggregated_role_requires_escalate_to_write_and_bind_to_bind() {
    let mut all = role("ClusterRole", Value::Null, json!([]));
    all["aggregationRule"] = json!({"clusterRoleSelectors": []});
    let needs = needs(&[all, binding("RoleBinding", json!("harbor"), "ClusterRole")]);
    assert_same!(
        describe(&needs.missing(&answers(&needs, &[installer()]))),
        [
            r#"in the cluster: {"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],"verbs":["escalate"]}"#,
            r#"in namespace harbor: {"apiGroups":["rbac.authorization.k8s.io"],"resourceNames":["sailor"],"resources":["clusterroles"],"verbs":["bind"]}"#,
        ]
    );
}

/// For an existing aggregated role, the API server checks the rules that the role has now.
#[test]
fn existing_aggregated_role_may_be_bound_with_its_rights() {
    let manifests = [binding("RoleBinding", json!("harbor"), "ClusterRole")];
    let members = members(&intent(json!({"stages": [stage("all", &manifests)]})));
    let rule: Value = serde_json::from_str(PODS).expect("a rule");
    let roles = there(&json!({"rules": [rule], "aggregationRule": {"clusterRoleSelectors": []}}));
    let needs = Needs::of(&members, &discovery(), &roles);
    let missing = describe(&needs.missing(&answers(&needs, &[installer()])));
    assert_same!(missing, vec![format!("in namespace harbor: {PODS}")]);
}

#[test]
fn resources_are_named_by_crds_of_the_plan() {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "sheep.ferry.example"},
        "spec": {
            "group": "ferry.example", "scope": "Namespaced",
            "names": {"kind": "Sheep", "plural": "sheep"},
            "versions": [{"name": "v1", "served": true}, {"name": "v0", "served": false}],
        },
    });
    let sheep = json!({
        "apiVersion": "ferry.example/v1", "kind": "Sheep",
        "metadata": {"namespace": "harbor", "name": "dolly"},
    });
    let members = members(&intent(
        json!({"stages": [stage("all", &[definition.clone(), sheep.clone()])]}),
    ));
    let discovery = Discovery::default().with_definitions(&members);
    let kind = ServedKind {
        plural: "sheep".to_owned(),
        is_namespaced: true,
        is_listed: true,
        versions: ["v1".to_owned()].into(),
    };
    assert_same!(
        discovery.kind(&GroupKind::new("ferry.example", "Sheep")),
        Some(&kind)
    );
    let needs = needs(&[definition, sheep]);
    let missing = describe(&needs.missing(&answers(&needs, &[])));
    assert!(
        missing
            .iter()
            .any(|rule| rule.contains(r#""resources":["sheep"]"#)),
        "{missing:?}"
    );
}

/// Returns a role of a few kilobytes that grants hundreds of millions of rights.
fn large_role() -> Value {
    let many = |count: usize| (0..count).map(|at| format!("n{at}")).collect::<Vec<_>>();
    let rule = json!({
        "apiGroups": [""], "resources": many(2_000), "resourceNames": many(100), "verbs": many(2_000),
    });
    role("ClusterRole", Value::Null, json!([rule]))
}

#[test]
fn role_with_too_many_rights_is_not_reviewed_one_by_one() {
    let needs = needs(&[
        large_role(),
        binding("ClusterRoleBinding", Value::Null, "ClusterRole"),
    ]);
    let answers = answers(&needs, &[installer()]);
    let asked = answers.keys().filter(|access| access.group == RBAC);
    let asked: Vec<_> = asked
        .filter(|access| ["bind", "escalate"].contains(&access.verb.as_str()))
        .map(|access| (access.verb.as_str(), access.name.as_deref()))
        .collect();
    assert_same!(
        asked,
        [("bind", None), ("bind", Some("sailor")), ("escalate", None)]
    );
    assert_eq!(answers.len(), 9);
    assert_same!(
        describe(&needs.missing(&answers)),
        [
            format!(
                r#"in the cluster: {{"apiGroups":["{RBAC}"],"resources":["clusterroles"],"verbs":["escalate"]}}"#
            ),
            format!(
                r#"in the cluster: {{"apiGroups":["{RBAC}"],"resourceNames":["sailor"],"resources":["clusterroles"],"verbs":["bind"]}}"#
            ),
        ]
    );
    assert_same!(needs.large(&answers), ["the ClusterRole sailor"].into());
}

#[rstest]
#[case::same_rule(json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}), json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}), true)]
#[case::everything(json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}), json!({"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]}), true)]
#[case::wildcard_is_more(json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}), json!({"apiGroups": [""], "resources": ["*"], "verbs": ["get"]}), false)]
#[case::another_group(json!({"apiGroups": [""], "resources": ["*"], "verbs": ["*"]}), json!({"apiGroups": ["apps"], "resources": ["a"], "verbs": ["get"]}), false)]
#[case::one_subresource_of_all(json!({"apiGroups": [""], "resources": ["*/scale"], "verbs": ["get"]}), json!({"apiGroups": [""], "resources": ["a/scale"], "verbs": ["get"]}), true)]
#[case::another_subresource(json!({"apiGroups": [""], "resources": ["*/scale"], "verbs": ["get"]}), json!({"apiGroups": [""], "resources": ["a/status"], "verbs": ["get"]}), false)]
#[case::one_name_of_all(json!({"apiGroups": [""], "resources": ["a"], "verbs": ["get"]}), json!({"apiGroups": [""], "resources": ["a"], "resourceNames": ["x"], "verbs": ["get"]}), true)]
#[case::all_names(json!({"apiGroups": [""], "resources": ["a"], "resourceNames": ["x"], "verbs": ["get"]}), json!({"apiGroups": [""], "resources": ["a"], "verbs": ["get"]}), false)]
#[case::path(json!({"nonResourceURLs": ["/metrics/*"], "verbs": ["get"]}), json!({"nonResourceURLs": ["/metrics/a"], "verbs": ["get"]}), true)]
#[case::another_path(json!({"nonResourceURLs": ["/metrics/*"], "verbs": ["get"]}), json!({"nonResourceURLs": ["/logs"], "verbs": ["get"]}), false)]
#[case::resources_are_no_paths(json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}), json!({"nonResourceURLs": ["/logs"], "verbs": ["get"]}), false)]
fn rule_coverage_matches_the_api_server(
    #[case] rule: Value,
    #[case] other: Value,
    #[case] expected: bool,
) {
    let [rule, other] = [grant("", rule), grant("", other)].map(|it| it.rule);
    assert_eq!(rule.covers(&other), expected);
    let accesses = other.accesses(None);
    assert_eq!(accesses.iter().all(|it| rule.allows(it)), expected);
}

/// A rule is omitted if another rule includes it. If two rules include each other, one of them is
/// kept.
#[rstest]
#[case::wildcard_verb(&["* apps deployments", "get apps deployments"], &["* apps deployments"])]
#[case::wildcard_group(&["get * *", "get apps deployments", "list apps deployments"], &[
    "get * *",
    "get,list apps deployments",
])]
#[case::equal_rules(&["get * pods", "get *,apps pods"], &["get * pods"])]
fn rules_that_other_rules_cover_are_omitted(#[case] wanted: &[&str], #[case] left: &[&str]) {
    let accesses = wanted.iter().flat_map(|text| {
        let words: Vec<_> = text.split(' ').collect();
        words[1].split(',').map(move |group| Access {
            verb: words[0].to_owned(),
            group: group.to_owned(),
            resource: words[2].to_owned(),
            ..Access::default()
        })
    });
    let grants = Grant::all(accesses.collect());
    let told = grants.iter().map(|Grant { rule, .. }| {
        let texts = [&rule.verbs, &rule.api_groups, &rule.resources];
        texts
            .map(|set| set.iter().cloned().collect::<Vec<_>>().join(","))
            .join(" ")
    });
    assert_same!(told.collect::<Vec<_>>(), left);
}
