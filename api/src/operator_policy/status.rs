//! The status of a policy.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, Time};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::status_schema;

/// Writes a status type: each field may be absent, and one that says nothing is not written.
macro_rules! status {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
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
    OperatorPolicyStatus {
        compliant: Option<Compliance>,
        /// One per type.
        conditions: Vec<Condition>,
        /// The last messages, newest first.
        history: Vec<HistoryEvent>,
        /// The generation of the policy that the status describes.
        observed_generation: Option<i64>,
        /// Enforced policies for the same Subscription, as `name.namespace`.
        overlapping_policies: Vec<String>,
        /// The objects that the operator consists of or was installed from.
        related_objects: Vec<RelatedObject>,
        /// Recorded before the first object is removed.
        removal: Option<RemovalRecord>,
        /// `package.namespace` of the Subscription, cut to 63 characters.
        resolved_subscription_label: Option<String>,
        /// The time of the next repair of a Subscription that lost its ClusterServiceVersion.
        subscription_intervention_time: Option<Time>,
        /// The upgrades of an operator.
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
        last_timestamp: Option<MicroTime>,
        message: Option<String>,
    }
}

status! {
    /// An object and its compliance.
    RelatedObject {
        /// `Compliant`, `NonCompliant` or `Inapplicable`. None if the object was kept.
        compliant: Option<String>,
        object: Object,
        properties: Option<Properties>,
        reason: Option<String>,
    }
}

status! {
    /// A reference to an object, as in Open Cluster Management.
    Object {
        api_version: String,
        kind: String,
        /// Its name.
        metadata: Metadata,
    }
}

status! {
    /// The name of an object. `-` if no object exists.
    Metadata {
        name: String,
        namespace: Option<String>,
    }
}

status! {
    /// Further facts about an object.
    Properties {
        /// True if the object was created for the policy.
        created_by_policy: Option<bool>,
        uid: Option<String>,
    }
}

status! {
    /// The upgrades of an operator.
    Upgrades {
        /// The newest first.
        available: Vec<Bundle>,
        blocked: Vec<Blocked>,
        installed: Option<Installed>,
        next: Option<Next>,
        /// The bundles on the upgrade path to the target, next first.
        path: Vec<Bundle>,
        /// The end of the path.
        target: Option<Bundle>,
    }
}

status! {
    /// A bundle of a channel.
    Bundle {
        channel: Option<String>,
        name: String,
        version: Option<String>,
    }
}

status! {
    /// The installed bundle.
    Installed {
        name: String,
        version: Option<String>,
    }
}

status! {
    /// The bundle that the next upgrade installs.
    Next {
        channel: Option<String>,
        name: String,
        /// The InstallPlan that installs the bundle.
        plan: Option<String>,
        version: Option<String>,
    }
}

status! {
    /// An obstacle to further upgrades.
    Blocked {
        message: Option<String>,
        object: Option<ObjectRef>,
        reason: Option<String>,
    }
}

status! {
    /// A reference to an object.
    ObjectRef {
        api_version: String,
        kind: String,
        name: String,
        namespace: Option<String>,
    }
}

status! {
    /// A removal in progress.
    RemovalRecord {
        objects: Vec<RemovedObject>,
        phase: Option<String>,
        /// The remaining objects that block the removal.
        remaining: Vec<RemainingObject>,
        started: Option<Time>,
    }
}

status! {
    /// An object to delete or to keep.
    RemovedObject {
        api_version: String,
        kind: String,
        name: String,
        namespace: Option<String>,
        state: Option<String>,
        uid: Option<String>,
    }
}

status! {
    /// An object that blocks a removal.
    RemainingObject {
        api_version: String,
        finalizers: Vec<String>,
        kind: String,
        name: String,
        namespace: Option<String>,
    }
}

/// In JSON of Kubernetes a null says what an absent field says.
fn null_is_nothing<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A value that is not written where it says nothing.
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

impl JsonSchema for OperatorPolicyStatus {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OperatorPolicyStatus".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        status_schema::status()
    }
}
