//! Creates the objects of a cluster in a few lines, as OLM would create them.
//!
//! Each object is created in the namespace of the last call of `namespace`. The specs and statuses
//! are as OLM writes them. The values that only an API server sets are missing (`uid`,
//! `resourceVersion`, owner references). So a test can also create these objects on an API server,
//! but must write their statuses in a second request. [`World::stamped`] sets the missing values.
//! The objects below a Deployment then refer to their owner by uid.
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

/// The objects of a cluster, in the order of their creation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    objects: Vec<Value>,
    namespace: String,
    /// The name and the namespace of the CatalogSource to which new Subscriptions refer.
    source: (String, String),
}

/// Creates an empty world, with the namespace `default`.
pub fn world() -> World {
    World {
        objects: Vec::new(),
        namespace: "default".into(),
        source: ("shop".into(), "olm".into()),
    }
}

impl World {
    /// Creates a namespace. Later objects are created in this namespace.
    #[must_use]
    pub fn namespace(mut self, name: &str) -> Self {
        self.namespace = name.into();
        self.push(objects::namespace(name))
    }

    /// Adds a CatalogSource that is ready and has this address. Later Subscriptions refer to it.
    #[must_use]
    pub fn catalog_source(mut self, name: &str, address: &str) -> Self {
        self.source = (name.into(), self.namespace.clone());
        let source = objects::catalog_source(name, &self.namespace, address);
        self.push(source)
    }

    /// Adds an OperatorGroup that targets its own namespace.
    #[must_use]
    pub fn operator_group(self) -> Self {
        let group = objects::operator_group(&self.namespace, Some(&self.namespace));
        self.push(group)
    }

    /// Adds an OperatorGroup that targets all namespaces.
    #[must_use]
    pub fn global_operator_group(self) -> Self {
        let group = objects::operator_group(&self.namespace, None);
        self.push(group)
    }

    /// Adds a Subscription with manual approval and without a status.
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

    /// Sets the installed and the current ClusterServiceVersion of the last Subscription.
    #[must_use]
    pub fn installed(self, csv: &str) -> Self {
        let status = objects::installed(csv);
        self.last("Subscription", |subscription| {
            subscription["status"] = status
        })
    }

    /// Sets the installed ClusterServiceVersion of the last Subscription, and an incomplete
    /// InstallPlan for another version. If `installed` is empty, the InstallPlan is for the first
    /// installation.
    #[must_use]
    pub fn pending(self, installed: &str, next: &str, plan: &str) -> Self {
        let status = objects::pending(&self.namespace, installed, next, plan);
        self.last("Subscription", |subscription| {
            subscription["status"] = status
        })
    }

    /// Adds a ClusterServiceVersion in this phase, with the reason that OLM sets for the phase.
    ///
    /// # Panics
    /// Panics if the name is not `<package>.v<version>`, or OLM has no such phase.
    #[must_use]
    #[track_caller]
    pub fn csv(self, name: &str, phase: &str) -> Self {
        let csv = objects::csv(&self.namespace, name, phase);
        self.push(csv)
    }

    /// Makes the last ClusterServiceVersion replace another ClusterServiceVersion.
    #[must_use]
    pub fn replacing(self, csv: &str) -> Self {
        self.last("ClusterServiceVersion", |object| {
            object["spec"]["replaces"] = json!(csv)
        })
    }

    /// Adds an InstallPlan that waits for approval.
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

    /// Makes the last InstallPlan approved and complete.
    #[must_use]
    pub fn complete(self) -> Self {
        self.last("InstallPlan", objects::complete)
    }

    /// Adds a Deployment of the last ClusterServiceVersion, with this number of available replicas.
    #[must_use]
    pub fn deployment(self, name: &str, available: u32, replicas: u32) -> Self {
        let mut objects = self.objects.iter();
        let csv = objects.rfind(|object| object["kind"] == "ClusterServiceVersion");
        let owner = csv.and_then(|csv| csv["metadata"]["name"].as_str());
        let deployment = objects::deployment(&self.namespace, name, owner, available, replicas);
        self.push(deployment)
    }

    /// Applies a change to the last object.
    ///
    /// # Panics
    /// Panics if the world is empty.
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

    /// Adds an object of any kind, without changes.
    #[must_use]
    pub fn object(self, object: Value) -> Self {
        self.push(object)
    }

    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// Returns the objects as YAML documents.
    pub fn to_yaml(&self) -> String {
        self.objects
            .iter()
            .map(|object| format!("---\n{}", yaml(object)))
            .collect()
    }

    /// Writes each object into its own file, `<namespace>/<kind>-<name>.yaml` in lower case. The
    /// files of cluster-scoped objects are directly in `folder`.
    ///
    /// # Panics
    /// Panics if the folder cannot be written.
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

    /// Writes the objects to a temporary folder. Dropping the returned value removes the folder.
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
