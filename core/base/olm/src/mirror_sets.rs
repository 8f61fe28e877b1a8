//! The mirrors in which OpenShift searches for images before the original registries:
//! `ImageDigestMirrorSet`, `ImageTagMirrorSet`, and the older `ImageContentSourcePolicy`.

#[cfg(test)]
mod tests;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::{resource, word};

/// Mirrors of images that are pulled by their digests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ImageDigestMirrorSet {
    /// The name and versions.
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
    /// The mirrors, by their source.
    pub image_digest_mirrors: Vec<ImageMirrors>,
}

/// Mirrors of images that are pulled by their tags.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ImageTagMirrorSet {
    /// The name and versions.
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
    /// The mirrors, by their source.
    pub image_tag_mirrors: Vec<ImageMirrors>,
}

/// The former name of an [`ImageDigestMirrorSet`].
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ImageContentSourcePolicy {
    /// The name and versions.
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
    /// The mirrors, by their source.
    pub repository_digest_mirrors: Vec<ImageMirrors>,
}

/// The mirrors of a source.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageMirrors {
    /// A registry, all repositories below a path of it, or all registries below a domain.
    pub source: String,
    /// The mirrors: registries or repositories, in the order in which they are contacted.
    pub mirrors: Vec<String>,
    /// Decides if the source is contacted after its mirrors.
    #[serde(rename = "mirrorSourcePolicy")]
    pub source_policy: MirrorSourcePolicy,
}

word! {
    /// Determines whether the source is contacted if no mirror responds. By default it is
    /// contacted.
    MirrorSourcePolicy {
        /// The source is contacted.
        Allow = "AllowContactingSource",
        /// The source is not contacted, even if all mirrors fail.
        Never = "NeverContactSource",
    }
}
