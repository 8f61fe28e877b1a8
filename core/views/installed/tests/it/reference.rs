//! A reference implementation of Installed. It computes all Installed objects from all original
//! objects at once. It is slow and simple, and shares no code with the real implementation.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The annotations that Installed objects must not show.
const HIDDEN: [&str; 3] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "olm.targetNamespaces",
    "operators.operatorframework.io/internal-objects",
];

/// Returns all Installed objects of a world, by namespace and name. They have no versions and uids.
pub(crate) fn installed(objects: &[Value]) -> BTreeMap<(String, String), Value> {
    let mut all = BTreeMap::new();
    let own = own(objects);
    for namespace in of_kind(objects, "Namespace") {
        let here = text(namespace, "/metadata/name");
        let csvs = of_kind(objects, "ClusterServiceVersion").filter(|csv| !is_copy(csv));
        let csvs = csvs.chain(&own);
        let watching: Vec<_> = csvs
            .filter(|csv| watches(objects, csv, namespace))
            .collect();
        for csv in &watching {
            let home = text(csv, "/metadata/namespace");
            let alike = watching.iter();
            let alike = alike.filter(|other| name(other) == name(csv));
            let mut alike: Vec<_> = alike.collect();
            alike.sort_by_key(|other| {
                let home = text(other, "/metadata/namespace");
                (home != here, standing(objects, other), home.to_owned())
            });
            let shown_name = if alike[0] == csv {
                name(csv).to_owned()
            } else {
                format!("{}:{home}", name(csv))
            };
            let mut others: Vec<_> = alike
                .iter()
                .map(|other| text(other, "/metadata/namespace"))
                .filter(|other| *other != home)
                .collect();
            others.sort_unstable();
            let object = object(objects, csv, here, &shown_name, &others);
            all.insert((here.to_owned(), shown_name), object);
        }
    }
    all
}

/// Returns the ClusterServiceVersions of operators that are installed without OLM. Each has its
/// Operator in the field `own`.
fn own(objects: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut operators: Vec<_> = of_kind(objects, "Operator").collect();
    operators.sort_by_key(|operator| name(operator));
    for operator in operators {
        let wanted = text(operator, "/status/plan/clusterServiceVersion");
        let mut stored = of_kind(objects, "ResourceManifest");
        let Some(stored) = stored.find(|stored| name(stored) == wanted) else {
            continue;
        };
        let mut csv = stored["spec"]["manifest"].clone();
        let is_same = |other: &&Value| {
            name(other) == name(&csv)
                && text(other, "/metadata/namespace") == text(&csv, "/metadata/namespace")
        };
        let mut of_olm = of_kind(objects, "ClusterServiceVersion").filter(|csv| !is_copy(csv));
        if of_olm.any(|other| is_same(&other)) || all.iter().any(|other| is_same(&other)) {
            continue;
        }
        let ready = &operator["status"]["conditions"][0];
        let is_ready = ready["status"] == "True";
        let phase = if is_ready { "Succeeded" } else { "Installing" };
        csv["status"] = json!({"phase": phase, "message": ready["message"]});
        csv["metadata"]["creationTimestamp"] = operator["metadata"]["creationTimestamp"].clone();
        csv["own"] = operator.clone();
        all.push(csv);
    }
    all
}

fn object(objects: &[Value], csv: &Value, here: &str, shown: &str, others: &[&str]) -> Value {
    let own = csv.get("own");
    // An operator that is installed without OLM has no Subscription, and no other
    // ClusterServiceVersion replaces it.
    let objects = if own.is_some() { &[] } else { objects };
    let home = text(csv, "/metadata/namespace");
    let at_home = |kind| {
        let all = of_kind(objects, kind);
        all.filter(move |each| text(each, "/metadata/namespace") == home)
    };
    let asked = |field: &str| {
        let mut asking: Vec<_> = at_home("Subscription").collect();
        asking.retain(|each| text(each, field) == name(csv));
        asking.sort_by_key(|each| (text(each, "/metadata/creationTimestamp"), name(each)));
        asking.first().copied()
    };
    let subscription = asked("/status/installedCSV").or_else(|| asked("/status/currentCSV"));
    let mut labels = serde_json::Map::new();
    for from in own.into_iter().chain(subscription).chain([csv]) {
        let own = from.pointer("/metadata/labels").and_then(Value::as_object);
        labels.extend(own.cloned().unwrap_or_default());
    }
    labels.remove("olm.managed");
    labels.insert("operators.coreos.com/csv".to_owned(), json!(name(csv)));
    labels.remove("operators.coreos.com/sub");
    if let Some(own) = own {
        labels.insert(
            "operators.portolan.dev/operator".to_owned(),
            json!(name(own)),
        );
    }
    let mut status = json!({"clusterServiceVersion": sanitized(csv)});
    if let Some(subscription) = subscription {
        labels.insert(
            "operators.coreos.com/sub".to_owned(),
            json!(name(subscription)),
        );
        status["subscription"] = sanitized(subscription);
    }
    let mut metadata = json!({"name": shown, "namespace": here, "labels": labels});
    if let Some(created) = csv.pointer("/metadata/creationTimestamp") {
        metadata["creationTimestamp"] = created.clone();
    }
    let mut next: Vec<_> = at_home("ClusterServiceVersion")
        .filter(|each| !is_copy(each))
        .collect();
    next.retain(|each| text(each, "/spec/replaces") == name(csv));
    next.sort_by_key(|each| name(each));
    if let Some(next) = next.first() {
        metadata["annotations"]["installed.portolan.dev/replaced-by"] = json!(name(next));
    }
    if !others.is_empty() {
        metadata["annotations"]["installed.portolan.dev/same-name-in"] = json!(others.join(","));
    }
    json!({
        "apiVersion": "packages.operators.coreos.com/v2alpha1",
        "kind": "Installed",
        "metadata": metadata,
        "status": status,
    })
}

/// Returns the rank of an operator among operators with the same name: its catalog, and the
/// creation time of its Subscription.
fn standing(objects: &[Value], csv: &Value) -> (u8, String) {
    let created = |object| text(object, "/metadata/creationTimestamp").to_owned();
    if csv.get("own").is_some() {
        return (0, created(csv));
    }
    let home = text(csv, "/metadata/namespace");
    let installing = of_kind(objects, "Subscription").filter(|each| {
        text(each, "/metadata/namespace") == home && text(each, "/status/installedCSV") == name(csv)
    });
    match installing.min_by_key(|each| (created(each), name(each))) {
        Some(each) if text(each, "/spec/sourceNamespace") == home => (1, created(each)),
        Some(each) => (0, created(each)),
        None => (2, created(csv)),
    }
}

/// Returns true if an operator watches a namespace. For an operator of OLM, the OperatorGroup of
/// its namespace decides, unless OLM rejects the operator. For an operator without OLM, its own
/// ClusterServiceVersion decides.
fn watches(objects: &[Value], csv: &Value, namespace: &Value) -> bool {
    let home = text(csv, "/metadata/namespace");
    let is_own = csv.get("own").is_some();
    let groups = of_kind(objects, "OperatorGroup").filter(|_| !is_own);
    let groups: Vec<_> = groups
        .filter(|each| text(each, "/metadata/namespace") == home)
        .collect();
    let here = text(namespace, "/metadata/name");
    let has = |names: &[&str]| names.contains(&"") || names.contains(&here);
    if is_own {
        let targets = text(csv, "/metadata/annotations/olm.targetNamespaces");
        return has(&targets.split(',').collect::<Vec<_>>());
    }
    let [group] = groups[..] else {
        return false;
    };
    let has_reason = !["", "InstallSucceeded"].contains(&text(csv, "/status/reason"));
    if has_reason || text(csv, "/status/phase").is_empty() {
        return false;
    }
    let names = |place| {
        let names = group.pointer(place).and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.collect::<Vec<_>>()
    };
    let (written, wished) = (names("/status/namespaces"), names("/spec/targetNamespaces"));
    let selector = group
        .pointer("/spec/selector/matchLabels")
        .and_then(Value::as_object);
    match (written.is_empty(), wished.is_empty(), selector) {
        (false, ..) => has(&written),
        (true, false, _) => has(&wished),
        (true, true, None) => true,
        (true, true, Some(selector)) => selector.iter().all(|(key, value)| {
            namespace
                .pointer("/metadata/labels")
                .and_then(|labels| labels.get(key))
                == Some(value)
        }),
    }
}

fn is_copy(csv: &Value) -> bool {
    csv.pointer("/metadata/labels/olm.copiedFrom").is_some()
}

fn sanitized(object: &Value) -> Value {
    let mut object = object.clone();
    object.as_object_mut().expect("an object").remove("own");
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    metadata.remove("managedFields");
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.retain(|name, _| !HIDDEN.contains(&name.as_str()));
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        spec.remove("icon");
    }
    object
}

fn of_kind<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |object| object["kind"] == *kind)
}

fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

fn text<'a>(object: &'a Value, place: &str) -> &'a str {
    object
        .pointer(place)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
