//! Builds the plan of a hop.

use std::collections::BTreeMap;

use portolan_api::operator::{CONTENT, CSV, GROUP, HOP, OPERATOR};
use portolan_api::plan::Disposition;
use portolan_core_install::{Flaw, Predecessors, Recipe, description, make};
use portolan_core_names::text::listed;
use serde_json::{Value, json};

use super::{OperatorContext, condition};
use crate::hop::HopFacts;
use crate::plan_fields;
use crate::waits::Waits;

/// Returns the suspended plan of a hop and the objects that belong to it, in the order of creation.
///
/// # Errors
/// Returns an error if the manifests cannot be installed with a plan.
pub(super) fn held_plan(
    case: OperatorContext<'_>,
    mut facts: HopFacts,
    (manifests, csv): (&[Value], &Value),
) -> Result<Vec<Value>, String> {
    let account = case.account();
    let operator = case.member;
    let csv = stored(&account.namespace, &operator.name, (&facts, csv))?;
    facts.csv = csv
        .as_ref()
        .and_then(|it| it["metadata"]["name"].as_str().map(str::to_owned));
    let mut manifests = with_namespace(manifests);
    for manifest in &mut manifests {
        rename(manifest, &facts.renamed);
    }
    if let Some(name) = &facts.condition {
        manifests = match &facts.adopts {
            Some(_) => condition::beside(manifests, name),
            None => condition::with(manifests, name),
        };
    }
    let made = make(
        &manifests,
        &Recipe {
            name: operator.name.clone(),
            namespace: Some(account.namespace),
            service_account: account.name,
            predecessors: match case.member.predecessor() {
                Some(hop) => Predecessors::Named(vec![hop.plan.clone()]),
                None => Predecessors::None,
            },
            on_plan_deletion: Some(Disposition::Delete),
            collisions: None,
            is_split: false,
            heeds_annotations: false,
        },
    );
    let made = made.map_err(|flaws| sentences(&flaws))?;
    let mut objects = made.beside;
    objects.extend(csv);
    objects.push(made.plan);
    for object in &mut objects {
        object["metadata"]["labels"][OPERATOR.name()] = json!(operator.name);
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": format!("{GROUP}/v1alpha1"),
            "kind": "Operator",
            "name": operator.name,
            "uid": operator.uid,
        }]);
    }
    Waits::of(case.intent).write(&mut objects);
    let Some(plan) = objects.last_mut() else {
        return Ok(objects);
    };
    plan["metadata"]["name"] = json!(format!("{}-{}", operator.name, facts.number));
    plan["metadata"]["annotations"][HOP] = json!(json!(facts).to_string());
    plan_fields::set(plan);
    // OLM's labels mark the existing objects as managed by OLM, so the plan must be allowed to
    // adopt them.
    let is_adoption = facts.adopts.is_some() || facts.takes_left;
    plan["spec"]["collisions"] = json!(if is_adoption { "Adopt" } else { "IfUnowned" });
    Ok(objects)
}

/// Returns the ResourceManifest that contains the bundle's ClusterServiceVersion. Other programs
/// read this object to find the installed version and its namespace. The plan does not refer to
/// this object.
fn stored(
    namespace: &str,
    operator: &str,
    (facts, csv): (&HopFacts, &Value),
) -> Result<Option<Value>, String> {
    if csv.is_null() {
        return Ok(None);
    }
    let name = &facts.installs.bundle;
    let object = description((Some(namespace), operator), csv);
    let mut object = object.map_err(|why| format!("ClusterServiceVersion {name}: {why}"))?;
    object["metadata"]["labels"][CONTENT.name()] = json!(CSV);
    Ok(Some(object))
}

/// Returns the manifests, and adds the Namespace of the operator if the bundle does not contain it.
fn with_namespace(manifests: &[Value]) -> Vec<Value> {
    let is = |manifest: &Value, kind: &str| manifest["kind"] == kind;
    let missing = condition::namespace(manifests).filter(|name| {
        let is_it = |it: &Value| is(it, "Namespace") && it["metadata"]["name"] == *name;
        !manifests.iter().any(is_it)
    });
    let missing = missing
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    missing
        .into_iter()
        .chain(manifests.iter().cloned())
        .collect()
}

/// Gives an object the name that it had when the plan adopted it from OLM. With another name, the
/// plan would create a second object. The API server would not trust a second webhook until its CA
/// bundle is set.
fn rename(manifest: &mut Value, renamed: &BTreeMap<String, String>) {
    if renamed.is_empty() {
        return;
    }
    let text = |pointer| manifest.pointer(pointer).and_then(Value::as_str);
    let (kind, name) = (text("/kind"), text("/metadata/name"));
    let key = format!("{}/{}", kind.unwrap_or_default(), name.unwrap_or_default());
    if let Some(name) = renamed.get(&key) {
        manifest["metadata"]["name"] = json!(name);
    }
}

fn sentences(flaws: &[Flaw]) -> String {
    listed(flaws.iter().map(|flaw| &flaw.sentence))
}
