//! Tests of parsed Operators, their errors and their CRD.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector, Time};
use kube_core::CustomResourceExt as _;
use portolan_api::operator::{
    ACCEPT_BREAKS, Account, AdoptionStatus, AdoptionStep, Approval, BundleStatus, CrdChange,
    Dependencies, DependencyStatus, FORCE_DELETION, HopStatus, Intent, OnFailure, Operator,
    Overrides, PlanRef, Remedy, RevertedStatus, Status, SubscriptionStatus, UserStatus, Versions,
    Wanted,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::definition::{each, fields};
use crate::plan_definition::server::{changes, complaints};

const PAGE: &str = include_str!("../../../../../docs/operator.md");

fn parsed(spec: Value) -> Result<Intent, Vec<String>> {
    let operator = Operator::new("ferry", spec.into());
    Intent::parse(&operator).map_err(|refusals| refusals.sentences())
}

fn schema(field: &str) -> Value {
    let definition = serde_json::to_value(Operator::crd()).expect("JSON");
    let whole = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    whole["properties"][field].clone()
}

/// Returns a spec with every field.
fn spec() -> Value {
    json!({
        "packageName": "ferry", "version": ">=1.0.0 <2.0.0", "dependencies": "ignore",
        "channels": ["stable"], "namespace": "harbor", "watchNamespaces": ["a", "b"],
        "settleSeconds": 60, "approval": "Manual", "unsafeAllowDirectUpgrades": true,
        "unsafeAllowDowngrades": true, "unsafeIgnoreConflicts": true,
        "catalogSelector": {"matchLabels": {"tier": "gold"}}, "onFailure": "Revert",
        "config": {"env": [{"name": "A", "value": "1"}]},
        "serviceAccount": {"namespace": "harbor", "name": "deployer"}, "adopt": true,
        "crdUpgradeSafety": {
            "acceptBundles": ["ferry.v1.2.0"], "acceptChecks": ["existingFieldRemoval", "default"],
        },
        "progressDeadlineSeconds": 1200, "revisionHistoryLimit": 5,
        "readiness": [{"kind": "Ship.ferry.example", "cel": "self.status.phase == 'Sailing'"}],
    })
}

#[test]
fn operator_without_optional_fields_has_defaults() {
    let expected = Intent {
        package: "ferry".parse().expect("a package"),
        version: Wanted::Once,
        dependencies: Dependencies::Require,
        channels: BTreeSet::new(),
        catalog_selector: None,
        namespace: None,
        watch_namespaces: BTreeSet::new(),
        service_account: None,
        config: Value::Null,
        settle_seconds: 300,
        progress_deadline_seconds: None,
        readiness: Vec::new(),
        revision_history_limit: 2,
        approval: Approval::Automatic,
        on_failure: OnFailure::Stay,
        overrides: Overrides::default(),
        accepted_bundles: BTreeSet::new(),
        accepted_checks: BTreeSet::new(),
        adopts: false,
    };
    for version in [json!(null), json!(""), json!("  ")] {
        let spec = json!({"packageName": "ferry", "version": version});
        assert_eq!(parsed(spec), Ok(expected.clone()));
    }
}

#[test]
fn operator_with_every_field_is_parsed() {
    let expected = Intent {
        package: "ferry".parse().expect("a package"),
        version: Wanted::Range(">=1.0.0 <2.0.0".parse().expect("a range")),
        dependencies: Dependencies::Ignore,
        channels: ["stable".parse().expect("a channel")].into(),
        namespace: Some("harbor".to_owned()),
        watch_namespaces: ["a".to_owned(), "b".to_owned()].into(),
        catalog_selector: Some(LabelSelector {
            match_labels: Some([("tier".to_owned(), "gold".to_owned())].into()),
            match_expressions: None,
        }),
        service_account: Some(Account {
            namespace: "harbor".to_owned(),
            name: "deployer".to_owned(),
        }),
        config: json!({"env": [{"name": "A", "value": "1"}]}),
        settle_seconds: 60,
        progress_deadline_seconds: Some(1200),
        readiness: vec![
            json!({"kind": "Ship.ferry.example", "cel": "self.status.phase == 'Sailing'"}),
        ],
        revision_history_limit: 5,
        approval: Approval::Manual,
        on_failure: OnFailure::Revert,
        overrides: Overrides {
            direct_upgrades: true,
            downgrades: true,
            ignore_conflicts: true,
        },
        accepted_bundles: ["ferry.v1.2.0".to_owned()].into(),
        accepted_checks: ["default", "existingFieldRemoval"].into(),
        adopts: true,
    };
    assert_eq!(parsed(spec()), Ok(expected));
}

#[rstest]
#[case::nothing(json!(null), "spec is missing; write the package of the operator as packageName")]
#[case::no_package(json!({}), "spec.packageName is missing; write the package of the operator")]
#[case::the_field_of_old(
    json!({"packageName": "a", "packageVersion": "1.0.0"}),
    "spec.packageVersion is not a field of an Operator; write spec.version"
)]
#[case::an_unknown_field(
    json!({"packageName": "a", "versions": "1.0.0"}),
    "spec.versions is not a known field; did you mean \"version\"?"
)]
#[case::string_that_is_not_an_allowed_value(
    json!({"packageName": "a", "dependencies": "Require"}),
    "spec.dependencies is \"Require\"; write require or ignore"
)]
#[case::nothing_is_in_it(
    json!({"packageName": "a", "version": ">2.0.0 <1.0.0"}),
    "spec.version is \">2.0.0 <1.0.0\", which contains no version"
)]
#[case::a_namespace(
    json!({"packageName": "a", "namespace": "A"}),
    "spec.namespace is \"A\", which cannot be a Namespace; write at most 63 lower-case letters, \
     digits and hyphens, and start and end with a letter or digit"
)]
fn invalid_field_of_an_operator_is_reported(#[case] spec: Value, #[case] sentence: &str) {
    assert_eq!(parsed(spec), Err(vec![sentence.to_owned()]));
}

#[test]
fn rejects_invalid_readiness_rule() {
    let rule = json!({"kind": "Ship.ferry.example", "cel": "self."});
    let refused = parsed(json!({"packageName": "a", "readiness": [rule]})).expect_err("a refusal");
    assert!(
        refused[0].starts_with("spec.readiness[0].cel is no rule: "),
        "{refused:?}"
    );
}

/// The names of InstallPlans contain the name of the Operator, so it cannot contain dots.
#[rstest]
#[case::long(&"a".repeat(53), "metadata.name has 53 characters; at most 52 are allowed")]
#[case::with_a_dot(
    "a.b",
    "metadata.name has a dot, which is not allowed in the name of an InstallPlan"
)]
fn invalid_name_of_an_operator_is_rejected(#[case] name: &str, #[case] sentence: &str) {
    let operator = Operator::new(name, json!({"packageName": "a"}).into());
    let refused = Intent::parse(&operator).expect_err("a refusal").to_string();
    assert!(refused.starts_with(sentence), "{refused}");
}

#[rstest]
#[case::forced("true", true)]
#[case::forced_by_anything("", true)]
#[case::not_forced("false", false)]
fn annotation_forces_the_deletion(#[case] value: &str, #[case] expected: bool) {
    let mut operator = Operator::default();
    assert!(!operator.is_deletion_forced());
    let annotations = [(FORCE_DELETION.to_owned(), value.to_owned())];
    operator.metadata.annotations = Some(annotations.into());
    assert_eq!(operator.is_deletion_forced(), expected);
}

#[test]
fn operator_has_the_expected_kind_and_group() {
    let definition = serde_json::to_value(Operator::crd()).expect("JSON");
    let spec = &definition["spec"];
    assert_eq!(spec["group"], json!("operators.operatorframework.io"));
    assert_eq!(spec["scope"], json!("Cluster"));
    assert_eq!(
        spec["names"],
        json!({
            "kind": "Operator", "plural": "operators", "singular": "operator"
        })
    );
    let version = &spec["versions"][0];
    assert_eq!(version["name"], json!("v1alpha1"));
    assert_eq!(version["subresources"], json!({"status": {}}));
    let columns = version["additionalPrinterColumns"].as_array();
    let columns = columns.into_iter().flatten();
    let columns: Vec<_> = columns
        .filter(|column| column.get("priority").is_none_or(|it| *it == json!(0)))
        .map(|column| column["name"].clone())
        .collect();
    assert_eq!(columns, ["Package", "Installed", "Target", "Ready", "Age"]);
}

/// The schema accepts everything that the parser accepts. If a pattern can express a rule of the
/// parser, the schema also rejects what the parser rejects.
#[test]
fn schema_accepts_every_spec_that_the_parser_accepts() {
    let schema = schema("spec");
    for spec in [json!({"packageName": "ferry"}), spec()] {
        assert_eq!(complaints(&schema, &spec), Vec::<String>::new(), "{spec}");
    }
    for (field, value) in [
        ("packageName", json!("Ferry")),
        ("version", json!("~1.2")),
        ("version", json!(1)),
        ("dependencies", json!("maybe")),
        ("channels", json!(["a b"])),
        ("namespace", json!("A")),
        ("watchNamespaces", json!(["a/b"])),
        ("revisionHistoryLimit", json!(0)),
        ("settleSeconds", json!(-1)),
        ("approval", json!("manual")),
        ("unsafeAllowDowngrades", json!("yes")),
        (
            "catalogSelector",
            json!({"matchExpressions": [{"key": "a", "operator": "In"}]}),
        ),
        ("config", json!("a")),
        ("onFailure", json!("revert")),
        ("crdUpgradeSafety", json!({"acceptChecks": ["unhandled"]})),
        (
            "crdUpgradeSafety",
            json!({"acceptChecks": ["storedVersionRemoval"]}),
        ),
        ("serviceAccount", json!({"name": "a"})),
    ] {
        let mut spec = spec();
        spec[field] = value;
        assert_ne!(complaints(&schema, &spec), Vec::<String>::new(), "{spec}");
        assert!(parsed(spec.clone()).is_err(), "{spec}");
    }
}

/// The bundles are separated by commas. Blanks and empty entries are ignored.
#[test]
fn annotation_accepts_a_list_of_bundles() {
    let mut operator = Operator::new("ferry", spec().into());
    assert_eq!(operator.accepted(), BTreeSet::new());
    let written = "ferry.v1.1.0, ferry.v1.2.0,".to_owned();
    let annotations = operator.metadata.annotations.get_or_insert_default();
    annotations.insert(ACCEPT_BREAKS.to_owned(), written);
    let bundles = ["ferry.v1.1.0", "ferry.v1.2.0"].map(str::to_owned);
    assert_eq!(operator.accepted(), bundles.into());
}

#[test]
fn the_package_and_the_namespace_never_change() {
    let schema = schema("spec");
    let changed = |field: &str, value: Value| {
        let mut new = spec();
        new[field] = value;
        changes(&schema, &spec(), &new)
    };
    let never = "spec.packageName is immutable; create another Operator for the other package";
    assert_eq!(changed("packageName", json!("rope")), [never]);
    let never = "spec.namespace is immutable; to move the operator, delete the Operator and create a \
                 new one";
    assert_eq!(changed("namespace", json!("b")), [never]);
    let never = "spec.serviceAccount is immutable; to use another ServiceAccount, delete the Operator \
                 and create a new one";
    let other = json!({"namespace": "harbor", "name": "other"});
    assert_eq!(changed("serviceAccount", other), [never]);
    assert_eq!(changed("version", json!("1.0.0")), [""; 0]);
}

fn status() -> Status {
    let condition = Condition {
        type_: "Ready".to_owned(),
        status: "True".to_owned(),
        reason: "Installed".to_owned(),
        message: "m".to_owned(),
        observed_generation: Some(1),
        last_transition_time: Time("2026-01-01T00:00:00Z".parse().expect("a time")),
    };
    let text = || "a".to_owned();
    Status {
        observed_generation: Some(1),
        conditions: vec![condition],
        versions: Versions {
            installed: Some(text()),
            target: Some(text()),
            available: vec![text()],
            deprecated: vec![text()],
            controller: Some(text()),
            resolver: Some(text()),
        },
        bundle: Some(BundleStatus {
            name: text(),
            image: text(),
            catalog: text(),
        }),
        dependencies: vec![DependencyStatus {
            name: text(),
            bundle: text(),
            minimum_version: Some(text()),
            range: Some(text()),
            constraint: Some(text()),
            satisfied: Some(true),
            installed: Some(text()),
            terminating: true,
        }],
        used_by: vec![UserStatus {
            name: text(),
            version: text(),
            terminating: true,
            mutual: true,
        }],
        reverted: Some(RevertedStatus {
            bundle: text(),
            image: text(),
            generation: 1,
            message: text(),
        }),
        adoption: Some(AdoptionStatus {
            namespace: text(),
            cluster_service_version: text(),
            subscription: Some(SubscriptionStatus {
                name: text(),
                spec: json!({}),
            }),
            step: AdoptionStep::Beside,
        }),
        unsafe_changes: vec![CrdChange {
            crd: text(),
            version: text(),
            path: text(),
            check: text(),
            old_type: Some(text()),
            new_type: Some(text()),
            message: text(),
        }],
        remedy: Some(Remedy {
            message: text(),
            command: text(),
        }),
        path: vec![HopStatus {
            bundle: text(),
            version: text(),
            with: vec![text()],
            waits_for: Some(text()),
        }],
        plan: Some(PlanRef {
            namespace: text(),
            name: text(),
            cluster_service_version: Some(text()),
        }),
    }
}

#[test]
fn schema_contains_every_status_field() {
    let value = serde_json::to_value(status()).expect("JSON");
    let schema = schema("status");
    assert_eq!(complaints(&schema, &value), Vec::<String>::new());
    let known: BTreeSet<_> = each(&schema, "").into_iter().map(|(at, _)| at).collect();
    let mut all = BTreeSet::new();
    fields(&value, "", &mut all);
    let unknown: Vec<_> = all.difference(&known).collect();
    assert_eq!(unknown, Vec::<&String>::new());
}

#[test]
fn conditions_have_the_format_of_kubernetes() {
    let status = schema("status");
    let conditions = &status["properties"]["conditions"];
    assert_eq!(conditions["x-kubernetes-list-type"], "map");
    assert_eq!(conditions["x-kubernetes-list-map-keys"], json!(["type"]));
    let fields = ["lastTransitionTime", "message", "reason", "status", "type"];
    assert_eq!(conditions["items"]["required"], json!(fields));
    for (field, value) in [("status", "Maybe"), ("reason", "it is so"), ("type", "a b")] {
        let mut wrong = json!({"conditions": [{
            "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "m", "reason": "Installed",
            "status": "True", "type": "Ready",
        }]});
        assert_eq!(complaints(&status, &wrong), Vec::<String>::new());
        wrong["conditions"][0][field] = json!(value);
        assert_ne!(complaints(&status, &wrong), Vec::<String>::new(), "{field}");
    }
}

/// Parses the YAML blocks of the docs page.
#[test]
fn page_has_valid_examples_and_every_field() {
    let blocks = PAGE.split("```yaml\n").skip(1);
    let blocks: Vec<_> = blocks.map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for block in blocks.into_iter().flatten() {
        let operator: Operator = serde_saphyr::from_str(block).expect("an Operator");
        Intent::parse(&operator).expect("a valid Operator");
    }
    let written = spec();
    for field in written
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
    {
        assert!(PAGE.contains(&format!("| `{field}` |")), "{field}");
    }
}

#[test]
fn range_from_zero_accepts_every_release() {
    let spec = json!({"packageName": "ferry", "version": ">=0.0.0"});
    let Ok(Wanted::Range(range)) = parsed(spec).map(|intent| intent.version) else {
        panic!("a range");
    };
    for version in ["0.0.0", "1.2.3", "2.0.0-rc.1"] {
        assert!(
            range.matches(&version.parse().expect("a version")),
            "{version}"
        );
    }
}
