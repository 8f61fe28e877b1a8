//! Carries out steps on the manifests, like an API server.

use portolan_api::{FINALIZER, MANAGER};
use serde_json::{Map, Value, json};

use super::Stage;
use crate::desired::{Action, Desired, Target};

impl Stage {
    /// Carries out all steps. Panics if the controller never sends such a write, or if an API
    /// server would reject it.
    pub(crate) fn play(&mut self, desired: &Desired) {
        for step in &desired.steps {
            self.carry_out(&step.action);
        }
    }

    fn carry_out(&mut self, action: &Action) {
        self.writes += 1;
        match action {
            Action::Create(manifest) => self.create(manifest.clone()),
            Action::Apply(manifest) => self.apply(manifest),
            Action::Replace {
                object,
                field,
                value,
            } => self.replace(object, field, value.as_ref()),
            Action::Approve(plan) => self.found_as(plan)["spec"]["approved"] = json!(true),
            Action::AdoptCsv { subscription, csv } => {
                self.found_as(subscription)["status"]["currentCSV"] = json!(csv);
            }
            Action::Delete { object, .. } => {
                let uid = object.uid.clone();
                self.found_as(object);
                self.objects.retain(|each| each["metadata"]["uid"] != uid);
            }
            Action::AddFinalizer => self.policy["metadata"]["finalizers"] = json!([FINALIZER]),
            Action::RemoveFinalizer => self.policy["metadata"]["finalizers"] = json!([]),
            Action::WriteStatus => {}
        }
    }

    fn create(&mut self, mut manifest: Value) {
        let is_same = |one: &Value, other: &Value, field: &str| {
            one["metadata"][field].as_str() == other["metadata"][field].as_str()
        };
        let is_there = |each: &Value| {
            each["kind"] == manifest["kind"]
                && is_same(each, &manifest, "name")
                && is_same(each, &manifest, "namespace")
        };
        assert!(!self.objects.iter().any(is_there), "{manifest} is there");
        let writes = self.writes;
        let (applied, whole) = split_whole(owned(&manifest));
        let metadata = &mut manifest["metadata"];
        metadata["uid"] = json!(format!("uid-{writes}"));
        metadata["resourceVersion"] = json!(format!("w{writes}"));
        metadata["managedFields"] = json!([entry("Apply", &applied), entry("Update", &whole)]);
        self.objects.push(manifest);
    }

    fn apply(&mut self, manifest: &Value) {
        let mut wanted = manifest.clone();
        let metadata = wanted["metadata"].as_object_mut().expect("metadata");
        let uid = metadata.remove("uid").expect("the observed uid");
        let seen = metadata.remove("resourceVersion");
        let seen = seen.expect("the observed resourceVersion");
        let version = format!("w{}", self.writes);
        let object = self
            .objects
            .iter_mut()
            .find(|each| {
                each["kind"] == manifest["kind"]
                    && each["metadata"]["name"] == manifest["metadata"]["name"]
                    && each["metadata"]["namespace"] == manifest["metadata"]["namespace"]
            })
            .expect("an object to apply to");
        assert_eq!(object["metadata"]["uid"], uid, "the same object");
        assert!(is_as_seen(object, &seen), "{manifest} has changed since");
        let before = applied(object);
        let owned = owned(&wanted);
        take_away(object, &before, &owned);
        lay_over(object, &wanted);
        let managed = object["metadata"]["managedFields"].as_array().cloned();
        let mut managed = managed.unwrap_or_default();
        managed.retain(|each| each["manager"] != MANAGER || each["operation"] != "Apply");
        managed.push(entry("Apply", &owned));
        object["metadata"]["managedFields"] = json!(managed);
        object["metadata"]["resourceVersion"] = json!(version);
    }

    fn replace(&mut self, target: &Target, field: &str, value: Option<&Value>) {
        let version = format!("w{}", self.writes);
        let object = self.found_as(target);
        let (holder, name) = field.rsplit_once('/').expect("a field");
        let fields = object.pointer_mut(holder).expect("the parent of the field");
        let fields = fields.as_object_mut().expect("an object");
        let names: Vec<_> = field.split('/').skip(1).collect();
        match value {
            Some(value) => drop(fields.insert(name.to_owned(), value.clone())),
            None => drop(fields.remove(name)),
        }
        let metadata = &mut object["metadata"];
        if metadata["managedFields"].is_null() {
            metadata["managedFields"] = json!([]);
        }
        let managed = metadata["managedFields"].as_array_mut().expect("a list");
        for entry in &mut *managed {
            disown(&mut entry["fieldsV1"], &names);
        }
        if value.is_some() {
            let inner = json!({format!("f:{name}"): {}});
            managed.push(entry("Update", &json!({format!("f:{}", names[0]): inner})));
        }
        object["metadata"]["resourceVersion"] = json!(version);
    }

    /// Returns the object. Panics unless the object has the observed version or a later version
    /// that the controller wrote.
    fn found_as(&mut self, target: &Target) -> &mut Value {
        let mut objects = self.objects.iter_mut();
        let object = objects
            .find(|each| each["metadata"]["uid"] == target.uid)
            .expect("an object with that uid");
        let seen = json!(target.resource_version);
        assert!(is_as_seen(object, &seen), "{target:?} has changed since");
        object
    }
}

/// Returns true if an object has the observed version or a later version that the controller wrote.
fn is_as_seen(object: &Value, seen: &Value) -> bool {
    let version = &object["metadata"]["resourceVersion"];
    let text = version.as_str();
    version == seen || text.is_some_and(|version| version.starts_with('w'))
}

fn entry(operation: &str, owned: &Value) -> Value {
    json!({
        "manager": MANAGER,
        "operation": operation,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned,
    })
}

/// Returns the fields of a manifest as managedFields lists them. A list counts as one field.
fn owned(manifest: &Value) -> Value {
    let mut fields = Map::new();
    for (name, value) in manifest.as_object().into_iter().flatten() {
        let inner = match (name.as_str(), value) {
            ("apiVersion" | "kind" | "uid" | "resourceVersion" | "namespace", _) => continue,
            ("name", _) if manifest.get("source").is_none() => continue,
            (_, Value::Object(_)) => owned(value),
            (_, _) => json!({}),
        };
        fields.insert(format!("f:{name}"), inner);
    }
    Value::Object(fields)
}

/// Separates the fields that the controller always writes as a whole and never applies. After a
/// create, all other fields count as applied.
fn split_whole(mut owned: Value) -> (Value, Value) {
    let mut whole = Map::new();
    let spec = owned.get_mut("f:spec").and_then(Value::as_object_mut);
    if let Some(fields) = spec {
        for name in ["f:config", "f:selector", "f:targetNamespaces"] {
            whole.extend(fields.remove_entry(name));
        }
    }
    (owned, json!({"f:spec": whole}))
}

fn applied(object: &Value) -> Value {
    let managed = object["metadata"]["managedFields"].as_array();
    let mut entries = managed.into_iter().flatten();
    let entry = entries.find(|each| each["manager"] == MANAGER && each["operation"] == "Apply");
    entry.map_or(json!({}), |entry| entry["fieldsV1"].clone())
}

/// Removes the fields that an earlier apply contained and the new apply does not contain.
fn take_away(object: &mut Value, before: &Value, now: &Value) {
    for (name, inner) in before.as_object().into_iter().flatten() {
        let plain = name.trim_start_matches("f:");
        match now.get(name) {
            Some(now) => take_away(&mut object[plain], inner, now),
            None => drop(object.as_object_mut().map(|fields| fields.remove(plain))),
        }
    }
}

fn lay_over(object: &mut Value, wanted: &Value) {
    match (object, wanted) {
        (Value::Object(fields), Value::Object(wanted)) => {
            for (name, value) in wanted {
                lay_over(fields.entry(name.as_str()).or_insert(Value::Null), value);
            }
        }
        (object, wanted) => *object = wanted.clone(),
    }
}

fn disown(owned: &mut Value, names: &[&str]) {
    let Some((name, rest)) = names.split_first() else {
        return;
    };
    let name = format!("f:{name}");
    match rest {
        [] => drop(owned.as_object_mut().map(|fields| fields.remove(&name))),
        rest => {
            if let Some(inner) = owned.get_mut(&name) {
                disown(inner, rest);
            }
        }
    }
}
