//! Compares two sets of objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Objects by names that are the same in both sets. OLM and Portolan derive the names of roles from
/// different hashes. So the name of a role is replaced with a description of its rules.
pub(super) struct Side(BTreeMap<(String, String), Value>);

/// A difference between the two sets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    /// An object that only Portolan renders: kind and name.
    Ours(String, String),
    Olms(String, String),
    /// A value that differs: kind, name, and the path of the value. In the path, the name of a list
    /// item identifies the item.
    Value(String, String, String),
}

// === impl Side ===

impl Side {
    /// Creates a set from the objects of these ClusterServiceVersions.
    pub(super) fn of(objects: &[Value], csvs: &[String]) -> Self {
        let roles = Roles::of(objects, csvs);
        let objects = objects.iter().map(|object| {
            let mut object = object.clone();
            let name = roles.shared_name(&mut object);
            strip(&mut object);
            let name = match text(&object, "/metadata/namespace") {
                "" => name,
                namespace => format!("{namespace}/{name}"),
            };
            ((text(&object, "/kind").to_owned(), name), object)
        });
        Self(objects.collect())
    }
}

/// The rules and the ServiceAccounts of each role whose name contains a hash, by kind and name.
struct Roles(BTreeMap<(String, String), String>);

// === impl Roles ===

impl Roles {
    fn of(objects: &[Value], csvs: &[String]) -> Self {
        let roles = objects.iter().filter(|object| is_generated(object, csvs));
        let roles = roles.filter(|object| text(object, "/kind").ends_with("Role"));
        let roles = roles.map(|role| {
            let (kind, name) = (text(role, "/kind"), text(role, "/metadata/name"));
            let bindings = objects.iter().filter(|binding| {
                (
                    text(binding, "/roleRef/kind"),
                    text(binding, "/roleRef/name"),
                ) == (kind, name)
            });
            let accounts: BTreeSet<_> = bindings
                .flat_map(|binding| binding["subjects"].as_array().into_iter().flatten())
                .map(|subject| format!("{}/{}", subject["namespace"], subject["name"]))
                .collect();
            let allows = format!("{accounts:?} may {}", role["rules"]);
            ((kind.to_owned(), name.to_owned()), allows)
        });
        Self(roles.collect())
    }

    /// Returns the name of an object that is the same in both sets. Also replaces names in
    /// references to other objects.
    fn shared_name(&self, object: &mut Value) -> String {
        let (kind, name) = (text(object, "/kind"), text(object, "/metadata/name"));
        let role = (text(object, "/roleRef/kind"), text(object, "/roleRef/name"));
        let allows = |(kind, name): (&str, &str)| self.0.get(&(kind.to_owned(), name.to_owned()));
        if let Some(allows) = allows((kind, name)) {
            return allows.clone();
        }
        if let Some(allows) = allows(role) {
            object["roleRef"]["name"] = allows.as_str().into();
            return allows.clone();
        }
        match name.rsplit_once('-') {
            // OLM uses generateName, so the API server appends random characters.
            Some((base, random)) if kind.ends_with("WebhookConfiguration") && random.len() == 5 => {
                base.to_owned()
            }
            _ => name.to_owned(),
        }
    }
}

/// Removes the fields that the API server writes, and the field managers.
fn strip(object: &mut Value) {
    const SERVER: [&str; 8] = [
        "creationTimestamp",
        "generateName",
        "generation",
        "managedFields",
        "name",
        "ownerReferences",
        "resourceVersion",
        "uid",
    ];
    // A controller of Kubernetes writes the rules of an aggregated ClusterRole.
    let is_aggregated = object.get("aggregationRule").is_some();
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
        if is_aggregated {
            object.remove("rules");
        }
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|key, _| !SERVER.contains(&key.as_str()));
        }
    }
}

/// Returns true if the name of an object is derived from a ClusterServiceVersion: the name of the
/// ClusterServiceVersion, truncated, and a hash.
fn is_generated(object: &Value, csvs: &[String]) -> bool {
    let name = text(object, "/metadata/name");
    let begins = csvs
        .iter()
        .any(|csv| name.starts_with(&csv[..csv.len().min(17)]));
    let hash = name.rsplit_once('-').map_or("", |(_, hash)| hash);
    begins && hash.len() > 30 && hash.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// Returns the differences between the two sets.
pub(super) fn compared(ours: &Side, olms: &Side) -> BTreeSet<Difference> {
    let mut differences = BTreeSet::new();
    for ((kind, name), object) in &ours.0 {
        match olms.0.get(&(kind.clone(), name.clone())) {
            None => drop(differences.insert(Difference::Ours(kind.clone(), name.clone()))),
            Some(other) => values(object, other, "", &mut |at| {
                differences.insert(Difference::Value(kind.clone(), name.clone(), at));
            }),
        }
    }
    let olms = olms.0.keys().filter(|key| !ours.0.contains_key(key));
    let olms = olms.map(|(kind, name)| Difference::Olms(kind.clone(), name.clone()));
    differences.extend(olms);
    differences
}

/// Calls `tell` with the path of each value that differs.
fn values(one: &Value, other: &Value, at: &str, tell: &mut impl FnMut(String)) {
    let keyed = match (one, other) {
        (Value::Object(_), Value::Object(_)) => Some((fields(one), fields(other))),
        (Value::Array(one), Value::Array(other)) => named(one).zip(named(other)),
        (Value::Null, Value::Array(other)) => named(&[]).zip(named(other)),
        (Value::Array(one), Value::Null) => named(one).zip(named(&[])),
        _ => None,
    };
    if let (Value::Array(one), Value::Array(other)) = (one, other)
        && keyed.is_some()
        && common(one, other) != common(other, one)
    {
        tell(at.to_owned());
    }
    match keyed {
        Some((one, other)) => {
            let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            for key in keys {
                let of = |side: &BTreeMap<_, &Value>| {
                    side.get(key).map_or(Value::Null, |it| (*it).clone())
                };
                values(&of(&one), &of(&other), &format!("{at}/{key}"), tell);
            }
        }
        None if one == other => {}
        // If only one set has a field, each of its subfields is a difference.
        None => match (one, other) {
            (Value::Null, Value::Object(some)) | (Value::Object(some), Value::Null) => {
                some.keys().for_each(|key| tell(format!("{at}/{key}")));
            }
            _ => tell(at.to_owned()),
        },
    }
}

/// Returns the names that both lists contain, in the order of the first list.
fn common<'l>(list: &'l [Value], other: &[Value]) -> Vec<&'l Value> {
    let names = list.iter().map(|item| &item["name"]);
    let common = names.filter(|name| other.iter().any(|other| other["name"] == **name));
    common.collect()
}

fn fields(object: &Value) -> BTreeMap<String, &Value> {
    let fields = object.as_object().into_iter().flatten();
    fields.map(|(key, value)| (key.clone(), value)).collect()
}

/// Returns the items of a list by their names. Returns None if an item has no name, or if a name is
/// repeated.
fn named(list: &[Value]) -> Option<BTreeMap<String, &Value>> {
    let items = list
        .iter()
        .map(|item| Some((item["name"].as_str()?.to_owned(), item)));
    let items: BTreeMap<_, _> = items.collect::<Option<_>>()?;
    (items.len() == list.len()).then_some(items)
}

fn text<'o>(object: &'o Value, at: &str) -> &'o str {
    object
        .pointer(at)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
