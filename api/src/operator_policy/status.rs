//! What is known about the operator of a policy.

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
    /// What is known about the operator of a policy.
    OperatorPolicyStatus {
        /// Whether the cluster is as the policy wants it.
        compliant: Option<Compliance>,
        /// What is known, one of each type.
        conditions: Vec<Condition>,
        /// The last messages, the newest first.
        history: Vec<HistoryEvent>,
        /// The generation of the policy that all this is about.
        observed_generation: Option<i64>,
        /// Enforced policies that mean the same Subscription, as `name.namespace`.
        overlapping_policies: Vec<String>,
        /// The objects that the operator consists of or comes from.
        related_objects: Vec<RelatedObject>,
        /// What is to be removed, recorded before the first of it is.
        removal: Option<RemovalRecord>,
        /// `package.namespace` of the Subscription, cut to 63 characters.
        resolved_subscription_label: Option<String>,
        /// When a Subscription that lost its ClusterServiceVersion is mended.
        subscription_intervention_time: Option<Time>,
        /// Which upgrades there are.
        upgrades: Option<Upgrades>,
    }
}

/// Whether the cluster is as a policy wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compliance {
    /// It is.
    Compliant,
    /// It is not known yet.
    Pending,
    /// It is not.
    NonCompliant,
    /// The policy is being deleted.
    Terminating,
}

status! {
    /// A message of the past.
    HistoryEvent {
        /// When it was last said.
        last_timestamp: Option<MicroTime>,
        /// What was said.
        message: Option<String>,
    }
}

status! {
    /// An object, and how it is.
    RelatedObject {
        /// `Compliant`, `NonCompliant` or `Inapplicable`; None for what was kept.
        compliant: Option<String>,
        /// Which object.
        object: Object,
        /// What else is known of it.
        properties: Option<Properties>,
        /// Why it is so.
        reason: Option<String>,
    }
}

status! {
    /// An object, as lists of policies name one.
    Object {
        /// Its group and version.
        api_version: String,
        /// Its kind.
        kind: String,
        /// Its name.
        metadata: Metadata,
    }
}

status! {
    /// The name of an object; `-` where there is none.
    Metadata {
        /// Its name.
        name: String,
        /// Its namespace.
        namespace: Option<String>,
    }
}

status! {
    /// What else is known of an object.
    Properties {
        /// Whether it was made because of the policy.
        created_by_policy: Option<bool>,
        /// Its uid.
        uid: Option<String>,
    }
}

status! {
    /// Which upgrades there are.
    Upgrades {
        /// What can be had, the newest first.
        available: Vec<Bundle>,
        /// Why it goes no further.
        blocked: Vec<Blocked>,
        /// What is installed.
        installed: Option<Installed>,
        /// What comes next.
        next: Option<Next>,
        /// The bundles on the way to the target, the next first.
        path: Vec<Bundle>,
        /// Where it leads in the end.
        target: Option<Bundle>,
    }
}

status! {
    /// A bundle of a channel.
    Bundle {
        /// The channel that it is in.
        channel: Option<String>,
        /// Its name.
        name: String,
        /// Its version.
        version: Option<String>,
    }
}

status! {
    /// The bundle that is installed.
    Installed {
        /// Its name.
        name: String,
        /// Its version.
        version: Option<String>,
    }
}

status! {
    /// The bundle that the next update leads to.
    Next {
        /// The channel that it is in.
        channel: Option<String>,
        /// Its name.
        name: String,
        /// The InstallPlan that brings it.
        plan: Option<String>,
        /// Its version.
        version: Option<String>,
    }
}

status! {
    /// A reason why it goes no further.
    Blocked {
        /// Why, for people.
        message: Option<String>,
        /// The object that is in the way.
        object: Option<ObjectRef>,
        /// Why, in a word.
        reason: Option<String>,
    }
}

status! {
    /// An object, in few words.
    ObjectRef {
        /// Its group and version.
        api_version: String,
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
        /// Its namespace.
        namespace: Option<String>,
    }
}

status! {
    /// A removal on its way.
    RemovalRecord {
        /// What is to go or to stay.
        objects: Vec<RemovedObject>,
        /// How far it is.
        phase: Option<String>,
        /// What is still there and holds it up.
        remaining: Vec<RemainingObject>,
        /// Since when.
        started: Option<Time>,
    }
}

status! {
    /// An object that is to go or to stay.
    RemovedObject {
        /// Its group and version.
        api_version: String,
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
        /// Its namespace.
        namespace: Option<String>,
        /// What became of it.
        state: Option<String>,
        /// Its uid.
        uid: Option<String>,
    }
}

status! {
    /// An object that holds a removal up.
    RemainingObject {
        /// Its group and version.
        api_version: String,
        /// What it waits for.
        finalizers: Vec<String>,
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
        /// Its namespace.
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

/// What may say nothing, and then is not written.
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
