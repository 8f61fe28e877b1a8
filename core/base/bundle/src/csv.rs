//! The types of OLM for a ClusterServiceVersion.
//!
//! The types define the fields that OLM knows, so that any other field can be reported as dropped.
//! Rendering also uses the JSON of the ClusterServiceVersion, which contains all known fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::DeploymentSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use portolan_core_names::Version;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::typed::{Checked, Placed, Unread};

/// The ClusterServiceVersion of a bundle.
#[derive(Debug, Clone)]
pub(crate) struct Csv {
    pub(crate) file: Arc<str>,
    pub(crate) line: u64,
    pub(crate) version: Option<Version>,
    /// The ClusterServiceVersion as JSON, without unknown fields.
    pub(crate) json: Json,
    pub(crate) metadata: Metadata,
    pub(crate) spec: Spec,
}

/// Defines a type with the fields that are read, and the fields that are known but not read.
macro_rules! known {
    (
        $(#[$meta:meta])*
        $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }
        unread { $($key:literal => $unread:ident: $unread_type:ty,)* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
            $(#[serde(rename = $key)] $unread: $unread_type,)*
        }
    };
}

known! {
    CsvObject {
        metadata: Metadata,
        spec: Spec,
    }
    unread {
        "apiVersion" => _api_version: Unread,
        "kind" => _kind: Unread,
        "status" => _status: Unread,
    }
}

known! {
    /// The metadata of an object.
    Metadata {
        name: Placed<String>,
        namespace: Placed<String>,
        labels: BTreeMap<String, String>,
        annotations: BTreeMap<String, String>,
    }
    unread {
        "generateName" => _generate_name: Unread,
        "selfLink" => _self_link: Unread,
        "uid" => _uid: Unread,
        "resourceVersion" => _resource_version: Unread,
        "generation" => _generation: Unread,
        "creationTimestamp" => _creation_timestamp: Unread,
        "deletionTimestamp" => _deletion_timestamp: Unread,
        "deletionGracePeriodSeconds" => _deletion_grace_period_seconds: Unread,
        "ownerReferences" => _owner_references: Unread,
        "finalizers" => _finalizers: Unread,
        "managedFields" => _managed_fields: Unread,
    }
}

known! {
    Spec {
        install: Install,
        version: Placed<String>,
        #[serde(rename = "customresourcedefinitions")]
        crds: Apis<CrdDescription>,
        #[serde(rename = "apiservicedefinitions")]
        api_services: Apis<ApiServiceDescription>,
        #[serde(rename = "webhookdefinitions")]
        webhooks: Vec<Placed<Webhook>>,
        install_modes: Vec<Placed<InstallMode>>,
        related_images: Vec<RelatedImage>,
    }
    unread {
        "maturity" => _maturity: String,
        "nativeAPIs" => _native_apis: Vec<NativeApi>,
        "minKubeVersion" => _min_kube_version: String,
        "displayName" => _display_name: String,
        "description" => _description: String,
        "keywords" => _keywords: Vec<String>,
        "maintainers" => _maintainers: Vec<Maintainer>,
        "provider" => _provider: Link,
        "links" => _links: Vec<Link>,
        "icon" => _icon: Vec<Icon>,
        "replaces" => _replaces: String,
        "labels" => _labels: BTreeMap<String, String>,
        "annotations" => _annotations: BTreeMap<String, String>,
        "selector" => _selector: Option<Checked<LabelSelector>>,
        "cleanup" => _cleanup: Cleanup,
        "skips" => _skips: Vec<String>,
    }
}

known! {
    Install {
        spec: Strategy,
    }
    unread {
        "strategy" => _strategy: String,
    }
}

known! {
    Strategy {
        deployments: Vec<Placed<Deployment>>,
        permissions: Vec<Placed<Permission>>,
        cluster_permissions: Vec<Placed<Permission>>,
    }
    unread {}
}

known! {
    Deployment {
        name: String,
        label: BTreeMap<String, String>,
    }
    unread {
        "spec" => _spec: Checked<DeploymentSpec>,
    }
}

known! {
    #[derive(PartialEq)]
    Permission {
        service_account_name: String,
        /// The rules. None if the list is missing, because the hash of a missing list differs from
        /// the hash of an empty list.
        rules: Option<Vec<PolicyRule>>,
    }
    unread {}
}

known! {
    #[derive(PartialEq)]
    PolicyRule {
        verbs: Option<Vec<String>>,
        api_groups: Vec<String>,
        resources: Vec<String>,
        resource_names: Vec<String>,
        #[serde(rename = "nonResourceURLs")]
        non_resource_urls: Vec<String>,
    }
    unread {}
}

known! {
    CrdDescription {
        name: String,
        version: String,
        kind: String,
    }
    unread {
        "displayName" => _display_name: String,
        "description" => _description: String,
        "resources" => _resources: Vec<ResourceReference>,
        "statusDescriptors" => _status_descriptors: Vec<Descriptor>,
        "specDescriptors" => _spec_descriptors: Vec<Descriptor>,
        "actionDescriptors" => _action_descriptors: Vec<Descriptor>,
    }
}

known! {
    ApiServiceDescription {
        group: String,
        version: String,
        deployment_name: String,
        container_port: i32,
    }
    unread {
        "name" => _name: String,
        "kind" => _kind: String,
        "displayName" => _display_name: String,
        "description" => _description: String,
        "resources" => _resources: Vec<ResourceReference>,
        "statusDescriptors" => _status_descriptors: Vec<Descriptor>,
        "specDescriptors" => _spec_descriptors: Vec<Descriptor>,
        "actionDescriptors" => _action_descriptors: Vec<Descriptor>,
    }
}

known! {
    Webhook {
        generate_name: String,
        #[serde(rename = "type")]
        kind: String,
        deployment_name: String,
        container_port: i32,
        target_port: Option<IntOrString>,
        rules: Vec<WebhookRule>,
        webhook_path: Option<String>,
        #[serde(rename = "conversionCRDs")]
        conversion_crds: Vec<String>,
        admission_review_versions: Vec<String>,
    }
    unread {
        "failurePolicy" => _failure_policy: Option<String>,
        "matchPolicy" => _match_policy: Option<String>,
        "objectSelector" => _object_selector: Option<Checked<LabelSelector>>,
        "sideEffects" => _side_effects: Option<String>,
        "timeoutSeconds" => _timeout_seconds: Option<i32>,
        "reinvocationPolicy" => _reinvocation_policy: Option<String>,
    }
}

known! {
    WebhookRule {
        api_groups: Vec<String>,
        resources: Vec<String>,
    }
    unread {
        "operations" => _operations: Vec<String>,
        "apiVersions" => _api_versions: Vec<String>,
        "scope" => _scope: Option<String>,
    }
}

known! {
    InstallMode {
        #[serde(rename = "type")]
        kind: String,
        supported: bool,
    }
    unread {}
}

known! {
    RelatedImage {
        name: String,
        image: String,
    }
    unread {}
}

/// The owned and the required APIs of an operator.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Apis<T: Default> {
    pub(crate) owned: Vec<Placed<T>>,
    pub(crate) required: Vec<Placed<T>>,
}

impl<T: Default> Default for Apis<T> {
    fn default() -> Self {
        Self {
            owned: Vec::new(),
            required: Vec::new(),
        }
    }
}

known! {
    Descriptor {}
    unread {
        "path" => _path: String,
        "displayName" => _display_name: String,
        "description" => _description: String,
        "x-descriptors" => _x_descriptors: Vec<String>,
        "value" => _value: Unread,
    }
}

known! {
    ResourceReference {}
    unread {
        "name" => _name: String,
        "kind" => _kind: String,
        "version" => _version: String,
    }
}

known! {
    NativeApi {}
    unread {
        "group" => _group: String,
        "version" => _version: String,
        "kind" => _kind: String,
    }
}

known! {
    Maintainer {}
    unread {
        "name" => _name: String,
        "email" => _email: String,
    }
}

known! {
    Link {}
    unread {
        "name" => _name: String,
        "url" => _url: String,
    }
}

known! {
    Icon {}
    unread {
        "base64data" => _data: String,
        "mediatype" => _media_type: String,
    }
}

known! {
    Cleanup {}
    unread {
        "enabled" => _enabled: bool,
    }
}

// === impl Csv ===

impl Csv {
    /// Returns the name of the ClusterServiceVersion. The names of rendered objects are derived
    /// from it.
    pub(crate) fn name(&self) -> &str {
        &self.metadata.name.value
    }

    pub(crate) fn annotations(&self) -> &BTreeMap<String, String> {
        &self.metadata.annotations
    }

    pub(crate) fn annotate(&mut self, key: &str, value: String) {
        self.json["metadata"]["annotations"][key] = value.as_str().into();
        self.metadata.annotations.insert(key.to_owned(), value);
    }

    pub(crate) fn deployments(&self) -> &[Placed<Deployment>] {
        &self.spec.install.spec.deployments
    }

    /// Returns the spec of a deployment as JSON, or null if it is missing.
    pub(crate) fn deployment_spec(&self, at: usize) -> &Json {
        &self.json["spec"]["install"]["spec"]["deployments"][at]["spec"]
    }

    pub(crate) fn webhooks(&self) -> &[Placed<Webhook>] {
        &self.spec.webhooks
    }

    pub(crate) fn webhook_json(&self, at: usize) -> &Json {
        &self.json["spec"]["webhookdefinitions"][at]
    }

    /// Returns the names of the supported install modes, sorted and without duplicates.
    pub(crate) fn modes(&self) -> Vec<&str> {
        let modes = self.spec.install_modes.iter().map(|mode| &mode.value);
        let supported = modes.filter(|mode| mode.supported);
        let mut modes: Vec<_> = supported.map(|mode| mode.kind.as_str()).collect();
        modes.sort_unstable();
        modes.dedup();
        modes
    }

    pub(crate) fn supports(&self, mode: &str) -> bool {
        self.modes().contains(&mode)
    }
}
