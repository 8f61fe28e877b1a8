//! What gives a ServiceAccount the rules that it lacks.

use portolan_api::plan::sentence::PlacedRule;
use portolan_core_names::text::cut;
use serde_json::{Value, json};

/// The longest name that Kubernetes takes for what is made here.
const LONGEST_NAME: usize = 200;

/// A List of roles and bindings that give a ServiceAccount these rules.
pub(super) fn manifest(
    plan: &str,
    (namespace, account): (&str, &str),
    mut grants: Vec<PlacedRule>,
) -> String {
    grants.sort_by(|(a, _), (b, _)| a.cmp(b));
    let name = cut(&format!("{account}-{plan}"), LONGEST_NAME);
    let mut documents = Vec::new();
    let mut places: Vec<_> = grants.iter().map(|(place, _)| place).collect();
    places.dedup();
    for place in places {
        let rules = grants.iter().filter(|(other, _)| other == place);
        let rules: Vec<_> = rules.map(|(_, rule)| rule.clone()).collect();
        let kind = match place {
            Some(_) => "Role",
            None => "ClusterRole",
        };
        let metadata = match place {
            Some(place) => json!({"name": name, "namespace": place}),
            None => json!({"name": name}),
        };
        documents.push(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": kind,
            "metadata": metadata,
            "rules": rules,
        }));
        documents.push(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": format!("{kind}Binding"),
            "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
        }));
    }
    // One document, as several cannot stand further to the right. JSON is YAML, and nobody has to know how it is
    // written there.
    let items: Vec<_> = documents.iter().map(Value::to_string).collect();
    let items = items.join(",\n");
    format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{items}\n]}}\n")
}
