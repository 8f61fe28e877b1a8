//! The objects of OpenShift that define mirrors of image registries: `ImageDigestMirrorSet`,
//! `ImageTagMirrorSet`, and the older `ImageContentSourcePolicy`. OpenShift pulls from the mirrors
//! before it pulls from the original registries.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::{resource, word};

/// Mirrors for images that are pulled by digest.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ImageDigestMirrorSet {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ImageDigestMirrorSetSpec,
}

resource!(
    ImageDigestMirrorSet,
    "imagedigestmirrorsets",
    "config.openshift.io",
    "v1",
    ClusterResourceScope
);

/// The desired state of an ImageDigestMirrorSet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageDigestMirrorSetSpec {
    /// The mirrors of each source.
    pub image_digest_mirrors: Vec<ImageMirrors>,
}

/// Mirrors for images that are pulled by tag.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ImageTagMirrorSet {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ImageTagMirrorSetSpec,
}

resource!(
    ImageTagMirrorSet,
    "imagetagmirrorsets",
    "config.openshift.io",
    "v1",
    ClusterResourceScope
);

/// The desired state of an ImageTagMirrorSet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageTagMirrorSetSpec {
    /// The mirrors of each source.
    pub image_tag_mirrors: Vec<ImageMirrors>,
}

/// The older kind with the same purpose as [`ImageDigestMirrorSet`].
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ImageContentSourcePolicy {
    /// The metadata, such as the name and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ImageContentSourcePolicySpec,
}

resource!(
    ImageContentSourcePolicy,
    "imagecontentsourcepolicies",
    "operator.openshift.io",
    "v1alpha1",
    ClusterResourceScope
);

/// The desired state of an ImageContentSourcePolicy.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageContentSourcePolicySpec {
    /// The mirrors of each source.
    pub repository_digest_mirrors: Vec<ImageMirrors>,
}

/// The mirrors of one source.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageMirrors {
    /// The source: a registry, all repositories below a path of a registry, or all registries below
    /// a domain.
    pub source: String,
    /// The mirrors: registries or repositories, in the order in which OpenShift tries them.
    pub mirrors: Vec<String>,
    /// Determines whether OpenShift pulls from the source if all mirrors fail.
    #[serde(rename = "mirrorSourcePolicy")]
    pub source_policy: MirrorSourcePolicy,
}

word! {
    /// Determines whether OpenShift pulls from the source if all mirrors fail. By default,
    /// OpenShift pulls from it.
    MirrorSourcePolicy {
        /// OpenShift pulls from the source if all mirrors fail.
        Allow = "AllowContactingSource",
        /// OpenShift never pulls from the source.
        Never = "NeverContactSource",
    }
}
