//! Tests of the CRD of OperatorPolicy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;
use std::{fs, iter};

use cel::{Context, Program};
use kube_core::CustomResourceExt;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::{InstallPlan, ResourceManifest};
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_api::{Flaw, Intent, OperatorPolicy, manifests};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{design, established, manifest, names, policy, refused, with};
use crate::status::whole;

/// After a change of a kind, run `cargo run -p portolan-api --example crdgen` and commit its
/// output.
#[test]
fn checked_in_crds_match_crdgen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/crds");
    let mut checked_in = BTreeMap::new();
    for folder in ["", "installs/", "operators/", "policies/"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none() {
                // This is a file of Kustomize or a folder, not a CRD.
                continue;
            }
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = fs::read_to_string(&path).expect("a text");
            checked_in.insert(format!("{folder}{name}"), text);
        }
    }
    let written: BTreeMap<_, _> = manifests()
        .expect("manifests")
        .into_iter()
        .map(|manifest| (manifest.file, manifest.text))
        .collect();
    assert_eq!(
        checked_in, written,
        "run `cargo run -p portolan-api --example crdgen`"
    );
}

#[test]
fn yaml_equals_the_crds() {
    let read: Vec<Value> = manifests()
        .expect("manifests")
        .iter()
        .map(|manifest| serde_saphyr::from_str(&manifest.text).expect("YAML"))
        .collect();
    let definitions = [
        OperatorPolicy::crd(),
        InstallPlan::crd(),
        ResourceManifest::crd(),
        Install::crd(),
        Operator::crd(),
        Policy::crd(),
        PolicyBinding::crd(),
    ];
    let definitions = definitions.map(|mut definition| {
        let labels = definition.metadata.labels.get_or_insert_default();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        labels.insert("app.kubernetes.io/name".to_owned(), "portolan".to_owned());
        labels.insert("app.kubernetes.io/version".to_owned(), version);
        let definition = serde_json::to_string(&definition).expect("JSON");
        serde_json::from_str::<Value>(&definition).expect("JSON")
    });
    assert_eq!(read, definitions);
}

#[test]
fn crd_has_the_established_group_and_version() {
    let definition = serde_json::to_value(OperatorPolicy::crd()).expect("JSON");
    let (metadata, spec) = (&definition["metadata"], &definition["spec"]);
    assert_eq!(
        *metadata,
        json!({
            "name": "operatorpolicies.policy.open-cluster-management.io",
            "labels": {"policy.open-cluster-management.io/policy-type": "template"},
        })
    );
    assert_eq!(spec["group"], json!("policy.open-cluster-management.io"));
    assert_eq!(spec["scope"], json!("Namespaced"));
    let version = &spec["versions"][0];
    assert_eq!(version["name"], json!("v1beta1"));
    assert_eq!(version["subresources"], json!({"status": {}}));
}

/// Returns the columns of `kubectl get`, without the columns that only `-o wide` shows.
fn columns(version: &Value) -> Vec<&str> {
    let columns = version["additionalPrinterColumns"].as_array();
    let usual = columns.into_iter().flatten();
    let usual = usual.filter(|column| column["priority"] != json!(1));
    usual.filter_map(|column| column["name"].as_str()).collect()
}

#[test]
fn kubectl_shows_columns_of_each_kind() {
    for (crd, expected) in [
        (
            OperatorPolicy::crd(),
            &["Compliant", "Installed", "Next", "Age"][..],
        ),
        (Policy::crd(), &["Accepted", "Opens", "Age"][..]),
        (PolicyBinding::crd(), &["Accepted", "Broken", "Age"][..]),
    ] {
        let crd = serde_json::to_value(crd).expect("JSON");
        assert_eq!(columns(&crd["spec"]["versions"][0]), expected);
    }
    let version = portolan_api::components::version();
    let expected = ["Display", "Version", "Update", "Diverged", "Age"];
    assert_eq!(columns(&version), expected);
}

fn schema() -> Value {
    let definition = serde_json::to_value(OperatorPolicy::crd()).expect("JSON");
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

fn spec_schema() -> Value {
    schema()["properties"]["spec"].clone()
}

/// Returns every schema inside a schema, with its path.
pub(crate) fn each<'a>(schema: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let inner = properties.flat_map(|(name, inner)| each(inner, &format!("{path}.{name}")));
    let items = schema.get("items").into_iter();
    let items = items.flat_map(|items| each(items, &format!("{path}[]")));
    iter::once((path.to_owned(), schema))
        .chain(inner)
        .chain(items)
        .collect()
}

#[test]
fn only_remediation_action_has_a_default() {
    let schema = schema();
    let all = each(&schema, "");
    let defaults: Vec<_> = all
        .iter()
        .filter_map(|(path, schema)| Some((path.as_str(), schema.get("default")?)))
        .collect();
    assert_eq!(defaults, [(".spec.remediationAction", &json!("inform"))]);
}

#[test]
fn lists_and_texts_of_the_spec_are_bounded() {
    let schema = spec_schema();
    for (path, schema) in each(&schema, "") {
        let bound = match schema["type"].as_str() {
            Some("string") => schema.get("maxLength").or(schema.get("enum")),
            Some("array") => schema.get("maxItems"),
            Some(_) | None => continue,
        };
        assert!(bound.is_some(), "{path} has no bound");
    }
}

/// The schema and the parser have the same fields.
#[rstest]
#[case::spec("", established())]
#[case::subscription("subscription", established())]
#[case::operator_group("operatorGroup", established())]
#[case::removal_behavior("removalBehavior", established())]
#[case::compliance_config("complianceConfig", established())]
#[case::status_config("statusConfig", design())]
fn parser_accepts_every_field_of_the_schema(#[case] field: &str, #[case] json: Value) {
    let (at, schema) = match field {
        "" => ("/spec/0".to_owned(), spec_schema()),
        field => (
            format!("/spec/{field}/0"),
            spec_schema()["properties"][field].clone(),
        ),
    };
    let refusals = Intent::parse(&policy(with(json, &at, json!(1)))).expect_err("a refused policy");
    let known = refusals.iter().find_map(|refusal| match &refusal.flaw {
        Flaw::Unknown { known, .. } => Some(known.iter().copied().collect::<BTreeSet<_>>()),
        _ => None,
    });
    let declared = schema["properties"].as_object().expect("fields").keys();
    let declared: BTreeSet<_> = declared.map(String::as_str).collect();
    assert_eq!(known, Some(declared));
}

/// The schema and the parser accept the same enum values. Each field is tested in a form that has
/// all its values.
#[test]
fn parser_accepts_every_enum_value_of_the_schema() {
    let schema = spec_schema();
    for (path, schema) in each(&schema, "spec") {
        let Some(words) = schema["enum"].as_array() else {
            continue;
        };
        let of_the_design = path.contains("statusConfig") || path.contains("removalBehavior");
        let base = if of_the_design {
            design()
        } else {
            established()
        };
        let at = format!("/{}", path.replace('.', "/"));
        for word in words {
            let parsed = Intent::parse(&policy(with(base.clone(), &at, word.clone())));
            assert!(parsed.is_ok(), "{path}: {word} is refused: {parsed:?}");
        }
        let refusals = Intent::parse(&policy(with(base, &at, json!("?")))).expect_err("refused");
        let options = refusals.iter().find_map(|refusal| match &refusal.flaw {
            Flaw::Word { options, .. } => Some(json!(options)),
            _ => None,
        });
        assert_eq!(options, Some(json!(words)), "{path}");
    }
}

/// Collects the paths of all fields in a value. The items of a list have the same path.
pub(crate) fn fields(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(inner) => inner
            .iter()
            .for_each(|(name, value)| fields(value, &format!("{path}.{name}"), all)),
        Value::Array(items) => items
            .iter()
            .for_each(|item| fields(item, &format!("{path}[]"), all)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            all.insert(path.to_owned());
        }
    }
}

#[test]
fn the_schema_declares_each_field_of_the_status_and_no_other() {
    let status = schema()["properties"]["status"].clone();
    let declared: BTreeSet<_> = each(&status, "")
        .into_iter()
        .filter(|(_, schema)| schema.get("properties").or(schema.get("items")).is_none())
        .map(|(path, _)| path)
        .collect();
    let mut written = BTreeSet::new();
    fields(
        &serde_json::to_value(whole()).expect("JSON"),
        "",
        &mut written,
    );
    assert_eq!(declared, written);
}

/// The CEL rules of the CRD, each with its message. A rule is compiled twice: for a new policy, and
/// for an update of a policy.
static RULES: LazyLock<Vec<([Program; 2], String)>> = LazyLock::new(|| {
    let schema = spec_schema();
    let rules = schema["x-kubernetes-validations"].as_array();
    let compiled = rules.expect("rules").iter().map(|rule| {
        let text = rule["rule"].as_str().expect("a rule");
        let programs = ["optional.none()", "optional.of(old)"].map(|old| {
            let program = Program::compile(&text.replace("oldSelf", old));
            program.expect("CEL")
        });
        let message = rule["message"].as_str().expect("a message").to_owned();
        (programs, message)
    });
    compiled.collect()
});

/// Returns the messages of the violated rules for a new spec.
fn ruled(spec: &Value) -> Vec<String> {
    ruled_after(&Value::Null, spec)
}

/// Returns the messages of the violated rules for an update of `old`. If `old` is null, the policy
/// is new.
fn ruled_after(old: &Value, spec: &Value) -> Vec<String> {
    let mut context = Context::default();
    context.add_variable("self", spec).expect("a value");
    context.add_variable("old", old).expect("a value");
    let broken = RULES.iter().filter(|([new, update], _)| {
        let program = if old.is_null() { new } else { update };
        program.execute(&context).expect("a value") != cel::Value::Bool(true)
    });
    broken.map(|(_, message)| message.clone()).collect()
}

/// Removes nulls, as an API server does for fields that are not nullable.
fn without_nulls(spec: &Value) -> Value {
    match spec {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_nulls(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => spec.clone(),
    }
}

#[test]
fn rules_accept_valid_policies() {
    for name in names() {
        let spec = without_nulls(manifest(&name).spec.as_json());
        assert_eq!(ruled(&spec), Vec::<String>::new(), "{name}");
    }
}

/// While another CRD was installed, a write may have dropped the fields that determine the form of
/// the policy. The status and finalizers of such a policy must remain writable.
#[rstest]
#[case::stored_without_a_form(json!({"removalBehavior": {"operatorGroups": "Delete"}}), true)]
#[case::new(Value::Null, false)]
#[case::stored_in_the_design_form(json!({"allowedCSVs": ["*"]}), false)]
#[case::stored_in_the_established_form(json!({"complianceType": "musthave"}), false)]
fn accepts_update_of_policy_that_already_lacks_form_fields(
    #[case] old: Value,
    #[case] is_taken: bool,
) {
    let new = json!({
        "subscription": {"name": "etcd"},
        "removalBehavior": {"operatorGroups": "Delete", "installPlans": "Keep"},
    });
    assert_eq!(ruled_after(&old, &new).is_empty(), is_taken);
}

#[test]
fn each_cel_rule_names_only_declared_fields() {
    let schema = spec_schema();
    let declared: BTreeSet<_> = each(&schema, "")
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    for rule in schema["x-kubernetes-validations"]
        .as_array()
        .expect("rules")
    {
        let path = rule["fieldPath"].as_str().expect("a path");
        assert!(declared.contains(path), "{path}");
        let message = rule["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("spec{path} ")), "{message}");
    }
}

/// Generates a field with one of these values, or with null.
fn any_field(name: &'static str, values: Vec<Value>) -> impl Strategy<Value = (String, Value)> {
    let values: Vec<_> = iter::once(Value::Null).chain(values).collect();
    prop::sample::select(values).prop_map(move |value| (name.to_owned(), value))
}

/// Generates specs that the schema accepts, with fields of both forms.
fn any_mixture() -> impl Strategy<Value = Value> {
    let removal = vec![
        json!({}),
        json!({"operatorGroups": "Delete"}),
        json!({"operatorGroups": "DeleteIfUnused", "installPlans": "Keep"}),
        json!({"apiServiceDefinitions": "Delete", "subscriptions": "Keep"}),
    ];
    let fields = (
        any_field("allowedCSVs", vec![json!(["*"])]),
        any_field(
            "complianceType",
            vec![json!("musthave"), json!("mustnothave")],
        ),
        any_field("upgradeApproval", vec![json!("None")]),
        any_field("versions", vec![json!([]), json!(["etcd@>=1.0.0"])]),
        any_field(
            "complianceConfig",
            vec![json!({}), json!({"upgradesAvailable": "Compliant"})],
        ),
        any_field(
            "statusConfig",
            vec![json!({}), json!({"upgradesAvailable": "Condition"})],
        ),
        any_field("removalBehavior", removal),
        Just(("subscription".to_owned(), json!({"name": "etcd"}))),
    );
    fields.prop_map(|(a, b, c, d, e, f, g, h)| {
        let fields = [a, b, c, d, e, f, g, h];
        let given = fields.into_iter().filter(|(_, value)| !value.is_null());
        Value::Object(given.collect())
    })
}

proptest! {
    #[test]
    fn rules_and_parser_report_the_same_errors(spec in any_mixture()) {
        let mut ruled = ruled(&spec);
        let policy = policy(json!({"metadata": {}, "spec": spec}));
        let mut parsed = match Intent::parse(&policy) {
            Ok(_) => Vec::new(),
            Err(refusals) => refusals.sentences(),
        };
        ruled.sort();
        parsed.sort();
        prop_assert_eq!(ruled, parsed);
    }
}

#[test]
fn rules_and_parser_reject_mixed_forms_with_the_same_message() {
    let json = with(design(), "/spec/complianceType", json!("musthave"));
    assert_eq!(ruled(&json["spec"]), refused(json.clone()));
    assert_eq!(refused(json).len(), 1);
}
