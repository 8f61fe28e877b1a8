//! The rules that a ServiceAccount lacks, as its plan says them, and what gives them.

use std::collections::BTreeSet;

use portolan_core_names::text::cut;
use serde_json::{Value, json};

/// The beginnings of a list of rules in the message of a plan.
const IN_CLUSTER: &str = "in the cluster: ";
const IN_NAMESPACE: &str = "in namespace ";

/// The longest name that Kubernetes takes for what is made here.
const LONGEST_NAME: usize = 200;

/// A List of roles and bindings that give a ServiceAccount the rules that a sentence names; None if
/// they cannot be read. Rules for one of the namespaces `to_come`, where no role can be yet, are
/// given for all namespaces.
pub(super) fn manifest(
    plan: &str,
    (namespace, account): (&str, &str),
    said: &str,
    to_come: &BTreeSet<String>,
) -> Option<String> {
    let (_, rules) = said.split_once(" lacks rules, ")?;
    let mut grants = read(rules)?;
    for (place, _) in &mut grants {
        place.take_if(|place| to_come.contains(place));
    }
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
    (!documents.is_empty())
        .then(|| format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{items}\n]}}\n"))
}

/// Rules with the namespaces that they are for; None where one was cut off.
fn read(mut text: &str) -> Option<Vec<(Option<String>, Value)>> {
    let mut grants: Vec<(Option<String>, Value)> = Vec::new();
    loop {
        let (place, rest) = if let Some(rest) = text.strip_prefix(IN_CLUSTER) {
            (None, rest)
        } else {
            let (place, rest) = text.strip_prefix(IN_NAMESPACE)?.split_once(": ")?;
            (Some(place.to_owned()), rest)
        };
        let mut rules = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let rule = rules.next()?.ok()?;
        let behind = &rest[rules.byte_offset()..];
        grants.push((place, rule));
        match behind.strip_prefix("; ") {
            Some(more) => text = more,
            // What follows the rules is a sentence of its own.
            None => break,
        }
    }
    Some(grants)
}
