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
        /// One of each type.
        conditions: Vec<Condition>,
        /// The last messages, the newest first.
        history: Vec<HistoryEvent>,
        /// The generation of the policy that all this is about.
        observed_generation: Option<i64>,
        /// Enforced policies that mean the same Subscription, as `name.namespace`.
        overlapping_policies: Vec<String>,
        /// The objects that the operator consists of or comes from.
        related_objects: Vec<RelatedObject>,
        /// Recorded before the first object is removed.
        removal: Option<RemovalRecord>,
        /// `package.namespace` of the Subscription, cut to 63 characters.
        resolved_subscription_label: Option<String>,
        /// When a Subscription that lost its ClusterServiceVersion is mended.
        subscription_intervention_time: Option<Time>,
        /// The upgrades of an operator.
        upgrades: Option<Upgrades>,
    }
}

/// Whether the cluster is as a policy wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compliance {
    Compliant,
    /// It is not known yet.
    Pending,
    NonCompliant,
    /// The policy is being deleted.
    Terminating,
}

status! {
    /// A message of the past.
    HistoryEvent {
        last_timestamp: Option<MicroTime>,
        message: Option<String>,
    }
}

status! {
    /// An object, and how it is.
    RelatedObject {
        /// `Compliant`, `NonCompliant` or `Inapplicable`; None for what was kept.
        compliant: Option<String>,
        object: Object,
        properties: Option<Properties>,
        reason: Option<String>,
    }
}

status! {
    /// An object, as lists of policies name one.
    Object {
        api_version: String,
        kind: String,
        /// Its name.
        metadata: Metadata,
    }
}

status! {
    /// The name of an object; `-` where there is none.
    Metadata {
        name: String,
        namespace: Option<String>,
    }
}

status! {
    /// Further facts about an object.
    Properties {
        /// Whether it was made because of the policy.
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
        /// The bundles on the way to the target, the next first.
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
    /// The bundle that is installed.
    Installed {
        name: String,
        version: Option<String>,
    }
}

status! {
    /// The bundle that the next update leads to.
    Next {
        channel: Option<String>,
        name: String,
        /// The InstallPlan that brings it.
        plan: Option<String>,
        version: Option<String>,
    }
}

status! {
    /// A reason why it goes no further.
    Blocked {
        message: Option<String>,
        object: Option<ObjectRef>,
        reason: Option<String>,
    }
}

status! {
    /// An object, in few words.
    ObjectRef {
        api_version: String,
        kind: String,
        name: String,
        namespace: Option<String>,
    }
}

status! {
    /// A removal on its way.
    RemovalRecord {
        objects: Vec<RemovedObject>,
        phase: Option<String>,
        /// The objects that hold it up.
        remaining: Vec<RemainingObject>,
        started: Option<Time>,
    }
}

status! {
    /// An object that is to go or to stay.
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
    /// An object that holds a removal up.
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
