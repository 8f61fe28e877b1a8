//! A cluster in a few lines, as the objects that OLM leaves behind.
//!
//! Objects go into the namespace that was named last. Their specs and statuses are such as OLM
//! writes them, without what only a server can give (`uid`, `resourceVersion`, owner references),
//! so that a server takes them too; there, a status is a second write. Where these are wanted,
//! [`World::stamped`] gives them, and what is below a Deployment names its owner by uid.
//!
//! ```
//! use portolan_kit::world;
//!
//! let shop = world()
//!     .namespace("olm").catalog_source("shop", "127.0.0.1:50051")
//!     .namespace("a-system").operator_group()
//!     .subscription("a", "stable").pending("a.v1.0.0", "a.v1.1.0", "install-1")
//!     .csv("a.v1.0.0", "Succeeded")
//!     .deployment("a", 1, 1)
//!     .plan("install-1", &["a.v1.1.0"]);
//! assert_eq!(shop.objects().len(), 8);
//! ```

mod objects;
mod operators;
mod plans;
mod replicas;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::{Value, json};

use crate::folder::{self, TempFolder};

/// The objects of a cluster, in the order in which they were named.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    objects: Vec<Value>,
    namespace: String,
    /// Name and namespace of the catalog source that subscriptions name.
    source: (String, String),
}

/// A world with nothing in it, which begins in the namespace `default`.
pub fn world() -> World {
    World {
        objects: Vec::new(),
        namespace: "default".into(),
        source: ("shop".into(), "olm".into()),
    }
}

impl World {
    /// A namespace, where the next objects go.
    #[must_use]
    pub fn namespace(mut self, name: &str) -> Self {
        self.namespace = name.into();
        self.push(objects::namespace(name))
    }

    /// A catalog source that is ready, served at an address; the next subscriptions name it.
    #[must_use]
    pub fn catalog_source(mut self, name: &str, address: &str) -> Self {
        self.source = (name.into(), self.namespace.clone());
        let source = objects::catalog_source(name, &self.namespace, address);
        self.push(source)
    }

    /// An operator group for its own namespace.
    #[must_use]
    pub fn operator_group(self) -> Self {
        let group = objects::operator_group(&self.namespace, Some(&self.namespace));
        self.push(group)
    }

    /// An operator group for all namespaces.
    #[must_use]
    pub fn global_operator_group(self) -> Self {
        let group = objects::operator_group(&self.namespace, None);
        self.push(group)
    }

    /// A subscription with manual approval, of which OLM has said nothing yet.
    #[must_use]
    pub fn subscription(self, package: &str, channel: &str) -> Self {
        let (source, source_namespace) = &self.source;
        let spec = json!({
            "name": package,
            "channel": channel,
            "source": source,
            "sourceNamespace": source_namespace,
            "installPlanApproval": "Manual",
        });
        let subscription = objects::subscription(&self.namespace, package, spec);
        self.push(subscription)
    }

    /// The last subscription has this version and knows of nothing newer.
    #[must_use]
    pub fn installed(self, csv: &str) -> Self {
        let status = objects::installed(csv);
        self.last("Subscription", |subscription| {
            subscription["status"] = status
        })
    }

    /// The last subscription has one version and a plan for another, which is not yet carried
    /// out. With an empty `installed` it is the first install.
    #[must_use]
    pub fn pending(self, installed: &str, next: &str, plan: &str) -> Self {
        let status = objects::pending(&self.namespace, installed, next, plan);
        self.last("Subscription", |subscription| {
            subscription["status"] = status
        })
    }

    /// A ClusterServiceVersion in a phase, with the reason that OLM gives for it.
    ///
    /// # Panics
    /// When the name is not `<package>.v<version>`, or OLM has no such phase.
    #[must_use]
    #[track_caller]
    pub fn csv(self, name: &str, phase: &str) -> Self {
        let csv = objects::csv(&self.namespace, name, phase);
        self.push(csv)
    }

    /// The last ClusterServiceVersion replaces another.
    #[must_use]
    pub fn replacing(self, csv: &str) -> Self {
        self.last("ClusterServiceVersion", |object| {
            object["spec"]["replaces"] = json!(csv)
        })
    }

    /// A plan that waits for approval.
    #[must_use]
    pub fn plan(self, name: &str, csvs: &[&str]) -> Self {
        let generation = 1 + self
            .objects
            .iter()
            .filter(|it| it["kind"] == "InstallPlan")
            .count();
        let plan = objects::plan(&self.namespace, name, csvs, &self.source, generation);
        self.push(plan)
    }

    /// The last plan was approved and is complete.
    #[must_use]
    pub fn complete(self) -> Self {
        self.last("InstallPlan", objects::complete)
    }

    /// A Deployment of the last ClusterServiceVersion, some of whose replicas are available.
    #[must_use]
    pub fn deployment(self, name: &str, available: u32, replicas: u32) -> Self {
        let mut objects = self.objects.iter();
        let csv = objects.rfind(|object| object["kind"] == "ClusterServiceVersion");
        let owner = csv.and_then(|csv| csv["metadata"]["name"].as_str());
        let deployment = objects::deployment(&self.namespace, name, owner, available, replicas);
        self.push(deployment)
    }

    /// Changes the last object in a way that has no word here.
    ///
    /// # Panics
    /// When there is no object.
    #[must_use]
    #[track_caller]
    pub fn edit(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(
            self.objects
                .last_mut()
                .expect("a world must have an object to edit"),
        );
        self
    }

    /// Any other object, as it is.
    #[must_use]
    pub fn object(self, object: Value) -> Self {
        self.push(object)
    }

    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// All objects as YAML documents.
    pub fn to_yaml(&self) -> String {
        self.objects
            .iter()
            .map(|object| format!("---\n{}", yaml(object)))
            .collect()
    }

    /// Writes a file an object, `<namespace>/<kind>-<name>.yaml`, in lower case; what has no
    /// namespace goes into the folder itself.
    ///
    /// # Panics
    /// When the folder cannot be written.
    pub fn write(&self, folder: &Path) {
        for object in &self.objects {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
            let metadata = &object["metadata"];
            let file = format!("{}-{}.yaml", text(&object["kind"]), text(&metadata["name"]));
            folder::write(
                &folder.join(text(&metadata["namespace"])).join(file),
                &yaml(object),
            );
        }
    }

    /// The objects in a folder of their own, which is removed with the returned value.
    pub fn temp(&self) -> TempFolder {
        let folder = TempFolder::empty();
        self.write(&folder);
        folder
    }

    fn push(mut self, object: Value) -> Self {
        self.objects.push(object);
        self
    }

    #[track_caller]
    fn last(mut self, kind: &str, change: impl FnOnce(&mut Value)) -> Self {
        let found = self
            .objects
            .iter_mut()
            .rfind(|object| object["kind"] == kind);
        change(found.unwrap_or_else(|| panic!("the world has no {kind} yet")));
        self
    }
}

fn yaml(object: &Value) -> String {
    serde_saphyr::to_string(object).expect("an object must have a YAML form")
}
