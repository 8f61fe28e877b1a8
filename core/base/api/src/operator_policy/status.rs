//! The status of a policy.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, Time};
use portolan_core_names::codes;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::schema::{self, moment, structural};

/// Defines a type of the status. Each field may be missing, and empty fields are not written. The
/// comments of fields become descriptions in `kubectl explain`, but the comments of types do not.
macro_rules! status {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)+ }
    ) => {
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        #[schemars(description = "")]
        $(#[$doc])*
        pub struct $name {
            $(
                $(#[$field_doc])*
                #[serde(
                    deserialize_with = "null_is_nothing",
                    skip_serializing_if = "Nothing::is_nothing"
                )]
                pub $field: $type,
            )+
        }
    };
}

status! {
    /// The status of a policy.
    #[schemars(transform = observed)]
    OperatorPolicyStatus {
        /// The compliance of the cluster. Compliant: the cluster matches the policy. NonCompliant: the cluster violates
        /// the policy. Pending: the compliance is not known yet. Terminating: the policy is being deleted.
        #[schemars(
            with = "String",
            extend("enum" = ["Compliant", "Pending", "NonCompliant", "Terminating"])
        )]
        compliant: Option<Compliance>,
        /// The current conditions, one per type.
        #[schemars(schema_with = "conditions")]
        conditions: Vec<Condition>,
        /// The last 10 messages, newest first.
        history: Vec<HistoryEvent>,
        /// The generation of the policy that the status describes.
        observed_generation: Option<i64>,
        /// The other enforced policies that manage the same Subscription, each as name.namespace.
        overlapping_policies: Vec<String>,
        /// The objects of the operator, and the objects that it was installed from.
        related_objects: Vec<RelatedObject>,
        // Written before the first object is removed.
        removal: Option<RemovalRecord>,
        /// The package and the namespace of the Subscription, as package.namespace. A longer text
        /// is cut off after 63 characters.
        resolved_subscription_label: Option<String>,
        /// The time when the controller will next repair the Subscription, because its
        /// ClusterServiceVersion is missing.
        #[schemars(schema_with = "moment")]
        subscription_intervention_time: Option<Time>,
        upgrades: Option<Upgrades>,
    }
}

/// The compliance of a cluster with a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compliance {
    Compliant,
    /// The compliance is not known yet.
    Pending,
    NonCompliant,
    /// The policy is being deleted.
    Terminating,
}

status! {
    /// A past message.
    HistoryEvent {
        /// The time when the message was last reported.
        #[schemars(schema_with = "moment")]
        last_timestamp: Option<MicroTime>,
        /// The message.
        message: Option<String>,
    }
}

status! {
    /// An object and its compliance.
    RelatedObject {
        /// The compliance of the object: Compliant, NonCompliant or Inapplicable. Absent if the object was kept.
        compliant: Option<String>,
        object: Object,
        properties: Option<Properties>,
        /// The reason for the compliance.
        reason: Option<String>,
    }
}

status! {
    /// A reference to an object, as in Open Cluster Management.
    Object {
        /// The API group and version of the object.
        api_version: String,
        /// The kind of the object.
        kind: String,
        metadata: Metadata,
    }
}

status! {
    /// The name of an object. `-` if no object exists.
    Metadata {
        /// The name of the object. If no object exists, the name is a hyphen.
        name: String,
        /// The namespace of the object.
        namespace: Option<String>,
    }
}

status! {
    /// Further facts about an object.
    Properties {
        /// True if the policy created the object.
        created_by_policy: Option<bool>,
        /// The UID of the object.
        uid: Option<String>,
    }
}

status! {
    /// The upgrades of an operator.
    Upgrades {
        /// The available bundles, newest first. At most 10 are listed.
        available: Vec<Bundle>,
        /// The obstacles that block further upgrades.
        blocked: Vec<Blocked>,
        installed: Option<Installed>,
        next: Option<Next>,
        /// The bundles on the upgrade path to the target, in the order of installation.
        path: Vec<Bundle>,
        // The last bundle of the path.
        target: Option<Bundle>,
    }
}

status! {
    /// A bundle of a channel.
    Bundle {
        /// The channel of the bundle.
        channel: Option<String>,
        /// The name of the bundle.
        name: String,
        /// The version of the bundle.
        version: Option<String>,
    }
}

status! {
    /// The installed bundle.
    Installed {
        /// The name of the installed bundle.
        name: String,
        /// The version of the installed bundle.
        version: Option<String>,
    }
}

status! {
    /// The bundle that the next upgrade installs.
    Next {
        /// The channel of the bundle.
        channel: Option<String>,
        /// The name of the bundle.
        name: String,
        /// The InstallPlan that installs the bundle.
        plan: Option<String>,
        /// The version of the bundle.
        version: Option<String>,
    }
}

status! {
    /// An obstacle to further upgrades.
    Blocked {
        /// A human-readable message.
        message: Option<String>,
        object: Option<BlockingObject>,
        /// The reason, as one word in CamelCase for programs.
        reason: Option<String>,
    }
}

status! {
    /// The object that blocks upgrades.
    BlockingObject {
        /// The API group and version of the object.
        api_version: String,
        /// The kind of the object.
        kind: String,
        /// The name of the object.
        name: String,
        /// The namespace of the object.
        namespace: Option<String>,
    }
}

status! {
    /// A removal in progress.
    RemovalRecord {
        /// The objects to delete or to keep.
        objects: Vec<RemovedObject>,
        /// The current phase: Subscriptions, CustomResourceDefinitions, ClusterServiceVersions, OperatorGroups,
        /// InstallPlans or Done.
        phase: Option<String>,
        /// The objects that still exist and block the removal.
        remaining: Vec<RemainingObject>,
        /// The time when the removal started.
        #[schemars(schema_with = "moment")]
        started: Option<Time>,
    }
}

status! {
    /// An object to delete or to keep.
    RemovedObject {
        /// The API group and version of the object.
        api_version: String,
        /// The kind of the object.
        kind: String,
        /// The name of the object.
        name: String,
        /// The namespace of the object.
        namespace: Option<String>,
        /// The state of the object. Keep: the object is kept. Pending: its deletion has not
        /// started. Deleting: the object is being deleted. Gone: the object no longer exists.
        /// ByOlm: OLM deletes the object together with its ClusterServiceVersion.
        state: Option<String>,
        /// The UID of the object.
        uid: Option<String>,
    }
}

codes! {
    /// The state of an object in the record of a removal.
    pub enum RemovedState;

    /// The object is kept.
    Keep,
    /// The object will be deleted, but its deletion has not started.
    Pending,
    /// The object is being deleted.
    Deleting,
    /// The object no longer exists.
    Gone,
    /// OLM deletes the object together with its ClusterServiceVersion.
    ByOlm,
}

impl RemovedObject {
    /// Returns the state. Returns None if it is missing, or if another version of Portolan wrote a
    /// state that this version does not know.
    pub fn parsed_state(&self) -> Option<RemovedState> {
        RemovedState::parse(self.state.as_deref()?)
    }
}

status! {
    /// An object that blocks a removal.
    RemainingObject {
        /// The API group and version of the object.
        api_version: String,
        /// The finalizers that block the deletion of the object.
        finalizers: Vec<String>,
        /// The kind of the object.
        kind: String,
        /// The name of the object.
        name: String,
        /// The namespace of the object.
        namespace: Option<String>,
    }
}

/// Deserializes null like a missing field, as Kubernetes does.
fn null_is_nothing<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A value that may be empty. Empty values are not written.
trait Nothing {
    fn is_nothing(&self) -> bool;
}

impl<T> Nothing for Option<T> {
    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

impl<T> Nothing for Vec<T> {
    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Nothing for String {
    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Nothing for Object {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Nothing for Metadata {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

fn observed(schema: &mut Schema) {
    let description = "The observed state of the operator of the policy.";
    schema.insert("description".to_owned(), description.into());
    structural(schema);
}

fn conditions(_: &mut SchemaGenerator) -> Schema {
    schema::finished(schema::conditions("policy"))
}
