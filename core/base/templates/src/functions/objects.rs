//! The functions that read objects of a cluster.

use serde_json::Value as Json;

use super::{Function, Kind, Ran, made, string};
use crate::host::{Failure, Host};
use crate::json::{Escapes, encoded};
use crate::objects::{Answer, Lookup};
use crate::origin::Origins;
use crate::secret::{self, is_secret};
use crate::selector::Selector;
use crate::value::{Elements, Value};

const TWO: &[Kind] = &[Kind::Text, Kind::Text];
const THREE: &[Kind] = &[Kind::Text, Kind::Text, Kind::Text];
const CLAIMS: &str = "cluster.open-cluster-management.io/v1alpha1";
const INVALID: &str = "the input is invalid";
const DEPENDS: &str = "which object is read depends on a Secret and would reveal it; write its \
 name";
const ROLE: &str = "node-role.kubernetes.io";

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("fromConfigMap", THREE, |host, values| {
        entry(host, "ConfigMap", values)
    })
    .keeping_origins(),
    Function::new("fromSecret", THREE, |host, values| {
        entry(host, "Secret", values)
    })
    .keeping_origins(),
    Function::new("copyConfigMapData", TWO, |host, values| {
        data(host, "ConfigMap", values)
    })
    .keeping_origins(),
    Function::new("copySecretData", TWO, |host, values| {
        data(host, "Secret", values)
    }),
    Function::new("fromClusterClaim", &[Kind::Text], |host, values| {
        claim(host, &values[0])?.ok_or_else(|| {
            let kind = "clusterclaims.cluster.open-cluster-management.io";
            format!("{kind} {:?} not found", string(&values[0])).into()
        })
    })
    .keeping_origins(),
    Function::new("lookupClusterClaim", &[Kind::Text], |host, values| {
        Ok(claim(host, &values[0])?.unwrap_or_else(|| "".into()))
    })
    .keeping_origins(),
    Function::new(
        "lookup",
        &[Kind::Text, Kind::Text, Kind::Text, Kind::Text],
        lookup,
    )
    .and(Kind::Text)
    .keeping_origins(),
    Function::new("getNodesWithExactRoles", &[], |host, values| {
        Ok(nodes(host, values)?.1)
    })
    .and(Kind::Text),
    Function::new("hasNodesWithExactRoles", &[], |host, values| {
        Ok((nodes(host, values)?.0 > 0).into())
    })
    .and(Kind::Text),
    Function::new("protect", &[Kind::Text], |_, _| {
        Err("the protect template function is not enabled in this mode".into())
    }),
];

/// Implements `fromConfigMap` and `fromSecret`.
fn entry(host: &mut Host<'_>, kind: &str, values: &[Value]) -> Ran {
    if values.iter().any(|value| !value.is_true()) {
        return Err(format!("{INVALID}: namespace, name, and key must be specified").into());
    }
    if !values[2].origins.is_empty() {
        return Err(DEPENDS.into());
    }
    let object = required(host, kind, values)?;
    let key = string(&values[2]);
    let text = object
        .pointer("/data")
        .and_then(|data| data.get(&key))
        .and_then(Json::as_str);
    let value = Value::from(text.unwrap_or_default());
    if is_secret(kind) {
        return Ok(value.depending_on(&secret::origin(&object, &key)));
    }
    Ok(value)
}

/// Implements `copyConfigMapData` and `copySecretData`.
fn data(host: &mut Host<'_>, kind: &str, values: &[Value]) -> Ran {
    if values.iter().any(|value| !value.is_true()) {
        return Err(format!("{INVALID}: namespace and name must be specified").into());
    }
    let object = required(host, kind, values)?;
    let data = object.get("data").filter(|data| data.is_object());
    let value = data.map_or_else(Value::nil_map, Value::from_object);
    let origins = match (kind, data) {
        ("Secret", Some(Json::Object(data))) => {
            let mut origins = Origins::default();
            for key in data.keys() {
                origins.join(&secret::origin(&object, key));
            }
            origins
        }
        _ => Origins::default(),
    };
    let made = host.about(&origins, |host| made(host, encoded(&value, Escapes::Html)?))?;
    Ok(made.depending_on(&origins))
}

/// Looks up a ConfigMap or Secret. Fails if the object does not exist.
fn required(host: &mut Host<'_>, kind: &str, values: &[Value]) -> Result<Json, Failure> {
    let (namespace, name) = (string(&values[0]), string(&values[1]));
    let what = match kind {
        "Secret" => format!("failed to get the secret {name} from {namespace}"),
        _ => format!("failed getting the ConfigMap {name} from {namespace}"),
    };
    let plural = format!("{}s", kind.to_lowercase());
    match look_up(host, "v1", kind, &values[0], &values[1])? {
        LookedUp::Object(object) => Ok(object),
        LookedUp::Absent => Err(format!("{what}: {plural} {name:?} not found").into()),
        LookedUp::Objects(_) => Err(format!("{what}: it is a list").into()),
    }
}

fn claim(host: &mut Host<'_>, name: &Value) -> Result<Option<Value>, Failure> {
    if !name.is_true() {
        return Err("a claim name must be provided".into());
    }
    let LookedUp::Object(object) = look_up(host, CLAIMS, "ClusterClaim", &"".into(), name)? else {
        return Ok(None);
    };
    let Some(spec) = object.get("spec").filter(|spec| spec.is_object()) else {
        return Err(format!("unexpected ClusterClaim format: {}", string(name)).into());
    };
    Ok(Some(
        spec.get("value")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .into(),
    ))
}

fn lookup(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let [version, kind, namespace, name, labels @ ..] = values else {
        return Err("lookup takes four arguments".into());
    };
    if values.iter().any(|value| !value.origins.is_empty()) {
        return Err(DEPENDS.into());
    }
    if !version.is_true() || !kind.is_true() {
        return Err("the apiVersion and kind are required".into());
    }
    let labels: Vec<String> = labels.iter().map(string).collect();
    let selector = Selector::parse(&labels.join(","))?;
    let kind_name = string(kind);
    match look_up(host, &string(version), &kind_name, namespace, name)? {
        LookedUp::Object(object) => Ok(marked(&kind_name, &object)),
        LookedUp::Absent => Ok(Value::nil_map()),
        LookedUp::Objects(objects) => Ok(list(&kind_name, &selected(objects, &selector))),
    }
}

fn selected(mut objects: Vec<Json>, selector: &Selector) -> Vec<Json> {
    objects.retain(|object| selector.selects(object.pointer("/metadata/labels")));
    objects
}

/// Returns a list object with these objects as its items.
fn list(kind: &str, objects: &[Json]) -> Value {
    let items = objects.iter().map(|object| marked(kind, object)).collect();
    let items = Value::list(Elements::Any, items);
    Value::map(Elements::Any, [(b"items".as_slice().into(), items)].into())
}

/// Returns the nodes that have exactly these roles, and their number. Ignores the role `worker`.
fn nodes(host: &mut Host<'_>, values: &[Value]) -> Result<(usize, Value), Failure> {
    let names = values
        .iter()
        .map(string)
        .filter(|name| !name.trim().is_empty());
    let mut roles: Vec<String> = names.map(|name| format!("{ROLE}/{name}")).collect();
    if roles.is_empty() {
        return Err(format!("{INVALID}: at least one name must be specified").into());
    }
    let selector = Selector::parse(&roles.join(","))?;
    roles.push(format!("{ROLE}/worker"));
    let nodes = match look_up(host, "v1", "Node", &"".into(), &"".into())? {
        LookedUp::Objects(nodes) => selected(nodes, &selector),
        LookedUp::Object(_) | LookedUp::Absent => Vec::new(),
    };
    let has_only_those = |node: &Json| {
        let labels = node.pointer("/metadata/labels").and_then(Json::as_object);
        let mut labels = labels.into_iter().flat_map(|labels| labels.keys());
        labels.all(|label| !label.starts_with(ROLE) || roles.contains(label))
    };
    let nodes: Vec<Json> = nodes.into_iter().filter(has_only_those).collect();
    Ok((nodes.len(), list("Node", &nodes)))
}

enum LookedUp {
    Object(Json),
    Objects(Vec<Json>),
    Absent,
}

/// Looks up objects. A Secret must not determine which objects are looked up: see
/// [`Host::look_up`].
fn look_up(
    host: &mut Host<'_>,
    api_version: &str,
    kind: &str,
    namespace: &Value,
    name: &Value,
) -> Result<LookedUp, Failure> {
    if !namespace.origins.is_empty() || !name.origins.is_empty() {
        return Err(DEPENDS.into());
    }
    if api_version.matches('/').count() > 1 {
        return Err(format!("unexpected GroupVersion string: {api_version}").into());
    }
    let lookup = Lookup {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        namespace: string(namespace),
        name: string(name),
    };
    host.steps(10)?;
    match host.look_up(lookup)? {
        Answer::Object(object) => {
            count(host, kind, &object)?;
            Ok(LookedUp::Object(object))
        }
        Answer::Objects(objects) => {
            for object in &objects {
                count(host, kind, object)?;
            }
            Ok(LookedUp::Objects(objects))
        }
        Answer::Absent => Ok(LookedUp::Absent),
        Answer::NoSuchKind => {
            Err("one or more API resources are not installed on the API server".into())
        }
        Answer::NotAllowed(reason) => Err(reason.into()),
        Answer::Unread => Err(Failure::Unread),
    }
}

/// Counts steps for the size of an object. The size of a Secret depends on its content, so these
/// steps count as hidden.
fn count(host: &mut Host<'_>, kind: &str, object: &Json) -> Result<(), Failure> {
    let origins = if is_secret(kind) {
        secret::origin(object, "data")
    } else {
        Origins::default()
    };
    host.about(&origins, |host| Ok(host.steps(weight(object))?))
}

/// Returns the number of values in an object. A long text counts as several values.
fn weight(json: &Json) -> usize {
    match json {
        Json::Array(values) => 1 + values.iter().map(weight).sum::<usize>(),
        Json::Object(entries) => 1 + entries.values().map(weight).sum::<usize>(),
        Json::String(text) => 1 + text.len() / 64,
        Json::Null | Json::Bool(_) | Json::Number(_) => 1,
    }
}

/// Returns an object as a value. In a Secret, the hidden entries are marked.
fn marked(kind: &str, object: &Json) -> Value {
    if is_secret(kind) {
        return secret::marked(object);
    }
    Value::from_object(object)
}
