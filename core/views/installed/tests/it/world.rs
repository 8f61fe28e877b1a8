//! Builds original objects and an index for tests.

use portolan_core_installed::{Batch, Index, Key, Original, Resource, Revision};
use serde_json::{Value, json};

/// Original objects, and the index that is built from them.
pub(crate) struct World {
    pub(crate) objects: Vec<Value>,
    pub(crate) index: Index,
    revision: u64,
}

// === impl World ===

impl World {
    /// Returns a world without objects. All source lists are complete.
    pub(crate) fn empty() -> Self {
        let mut world = Self {
            objects: Vec::new(),
            index: Index::new(Resource::ALL),
            revision: 10,
        };
        for resource in Resource::ALL {
            world
                .index
                .replace(resource, [], &Revision::from(world.revision));
        }
        world
    }

    pub(crate) fn of(objects: impl IntoIterator<Item = Value>) -> Self {
        let mut world = Self::empty();
        for object in objects {
            world.put(object);
        }
        world
    }

    /// Creates or changes an object.
    pub(crate) fn put(&mut self, object: Value) -> Batch {
        self.revision += 1;
        let original = original(&object);
        self.objects.retain(|other| !is_same(other, &object));
        self.objects.push(object);
        self.index.put(original, &Revision::from(self.revision))
    }

    pub(crate) fn delete(&mut self, object: &Value) -> Batch {
        self.revision += 1;
        self.objects.retain(|other| !is_same(other, object));
        let original = original(object);
        let revision = Revision::from(self.revision);
        self.index
            .delete(original.resource(), original.key(), &revision)
    }

    /// Creates or changes objects of one kind at one revision, and deletes the last of them.
    pub(crate) fn apply(&mut self, objects: &[Value]) -> Batch {
        self.revision += 1;
        let last = objects.last().expect("objects");
        let changes = objects.iter().map(|object| {
            let original = original(object);
            self.objects.retain(|other| !is_same(other, object));
            if is_same(object, last) {
                return (original.key(), None);
            }
            self.objects.push(object.clone());
            (original.key(), Some(original))
        });
        let revision = Revision::from(self.revision);
        self.index
            .apply(of(last), changes.collect::<Vec<_>>(), &revision)
    }

    /// Replaces all objects of a kind by these objects.
    pub(crate) fn replace(&mut self, resource: Resource, objects: Vec<Value>) -> Batch {
        self.revision += 1;
        self.objects.retain(|other| of(other) != resource);
        self.objects.extend(objects.iter().cloned());
        let originals = objects.iter().map(original);
        self.index
            .replace(resource, originals, &Revision::from(self.revision))
    }

    /// Returns all Installed objects as `namespace/name`, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let all = self.index.snapshot().all();
        all.map(|each| format!("{}/{}", each.namespace, each.name))
            .collect()
    }
}

pub(crate) fn of(object: &Value) -> Resource {
    match object["kind"].as_str() {
        Some("ClusterServiceVersion") => Resource::ClusterServiceVersions,
        Some("Subscription") => Resource::Subscriptions,
        Some("OperatorGroup") => Resource::OperatorGroups,
        Some("Namespace") => Resource::Namespaces,
        Some("Operator") => Resource::Operators,
        Some("ResourceManifest") => Resource::ResourceManifests,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn original(object: &Value) -> Original {
    Original::read(of(object), &object.to_string()).expect("an original")
}

fn is_same(one: &Value, other: &Value) -> bool {
    let key = |object: &Value| (of(object), original_key(object));
    key(one) == key(other)
}

fn original_key(object: &Value) -> Key {
    let text = |place| {
        object
            .pointer(place)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    Key::new(text("/metadata/namespace"), text("/metadata/name"))
}

pub(crate) fn namespace(name: &str, labels: Value) -> Value {
    json!({"kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

pub(crate) fn csv(home: &str, name: &str, created: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": name,
            "namespace": home,
            "uid": format!("{home}-{name}"),
            "creationTimestamp": created,
        },
        "spec": {"version": name.rsplit(".v").next()},
        "status": {"phase": "Succeeded"},
    })
}

pub(crate) fn group(home: &str, name: &str, spec: Value, namespaces: Value) -> Value {
    json!({
        "kind": "OperatorGroup",
        "metadata": {"name": name, "namespace": home},
        "spec": spec,
        "status": {"namespaces": namespaces},
    })
}

pub(crate) fn subscription(home: &str, name: &str, installed: &str, current: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": name, "namespace": home},
        "spec": {"name": name, "channel": "stable"},
        "status": {"installedCSV": installed, "currentCSV": current},
    })
}

/// Returns an Operator of package `tugs`. Its status has this ClusterServiceVersion and this
/// readiness.
pub(crate) fn operator(name: &str, csv: &str, is_ready: &str) -> Value {
    json!({
        "kind": "Operator",
        "metadata": {
            "name": name,
            "uid": format!("uid-of-{name}"),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"team": "red"},
        },
        "spec": {"packageName": "tugs"},
        "status": {
            "versions": {"target": "1.1.0"},
            "plan": {"namespace": "portolan", "name": "p", "clusterServiceVersion": csv},
            "conditions": [{
                "type": "Ready", "status": is_ready, "reason": "R", "message": "as Ready says",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
        },
    })
}

/// Returns a ResourceManifest with the ClusterServiceVersion of a bundle, which is stored with a
/// plan.
pub(crate) fn stored(name: &str, home: &str, bundle: &str, targets: &str) -> Value {
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": bundle,
            "namespace": home,
            "annotations": {"olm.operatorNamespace": home, "olm.targetNamespaces": targets},
        },
        "spec": {"version": bundle.rsplit(".v").next()},
    });
    json!({
        "kind": "ResourceManifest",
        "metadata": {"name": name, "namespace": "portolan"},
        "spec": {"digest": portolan_core_install::digest(&csv), "manifest": csv},
    })
}
