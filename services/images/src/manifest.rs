//! Parses the manifests and indexes of images, in the formats of OCI and of Docker's schema 2.

use std::collections::BTreeMap;

use portolan_core_names::text::cite;
use serde::Deserialize;

use crate::digest::OciDigest;

/// The accepted media types for a manifest or an index. The type of a document is determined from
/// its fields. Therefore a document from the cache, which has no media type, is parsed like a
/// document from a registry.
pub(crate) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
    application/vnd.oci.image.index.v1+json, \
    application/vnd.docker.distribution.manifest.v2+json, \
    application/vnd.docker.distribution.manifest.list.v2+json";

/// The maximum size in bytes of a manifest or index. Registries accept no larger manifests.
pub(crate) const LONGEST: u64 = 4 << 20;

/// The annotations with which build tools mark an entry that is not an image, but a statement about
/// another image.
const STATEMENT: &str = "vnd.docker.reference.type";

/// The manifest or index that was requested for an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ImageManifest {
    Image(Parts),
    /// An index, with one image for each platform.
    Index(Vec<IndexEntry>),
}

/// The descriptors of the blobs of an image. The lowest layer comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) config: Descriptor,
    pub(crate) layers: Vec<Descriptor>,
}

/// The expected digest and size of a blob.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Descriptor {
    pub(crate) digest: OciDigest,
    pub(crate) size: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct IndexEntry {
    #[serde(flatten)]
    manifest: Descriptor,
    platform: Option<Platform>,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Platform {
    #[serde(default)]
    os: String,
    #[serde(default)]
    architecture: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    schema_version: u64,
    config: Option<Descriptor>,
    layers: Option<Vec<Descriptor>>,
    manifests: Option<Vec<IndexEntry>>,
}

/// Parses a manifest or an index.
///
/// # Errors
///
/// Returns the fault, as the end of a sentence about the document.
pub(crate) fn parse(bytes: &[u8]) -> Result<ImageManifest, String> {
    let document: Document = serde_json::from_slice(bytes)
        .map_err(|error| format!("is not a manifest: {}", cite(&error.to_string())))?;
    if document.schema_version != 2 {
        return Err(format!(
            "is a manifest of schema {}, which is not supported; push the image again with a \
             current tool",
            document.schema_version
        ));
    }
    match (document.manifests, document.config, document.layers) {
        (Some(members), None, None) => Ok(ImageManifest::Index(members)),
        (None, Some(config), Some(layers)) => Ok(ImageManifest::Image(Parts { config, layers })),
        // Such a document is rejected, because some programs would treat it as an image and other
        // programs as an index.
        (Some(_), _, _) => Err("is both a manifest and an index".to_owned()),
        (None, _, _) => Err("is not a manifest: it has no config or no layers".to_owned()),
    }
}

/// Chooses the image for this architecture in an index. The architecture has the name that Go uses.
/// If there is no such image, returns the first image for Linux, because the content of bundles and
/// catalogs is the same for all platforms.
pub(crate) fn choose<'m>(members: &'m [IndexEntry], architecture: &str) -> Option<&'m Descriptor> {
    let mut candidates: Vec<_> = members.iter().filter(|member| member.is_image()).collect();
    candidates.sort_by_key(|member| match &member.platform {
        Some(platform) if platform.os == "linux" => {
            usize::from(platform.architecture != architecture)
        }
        None => 2,
        Some(_) => 3,
    });
    candidates.first().map(|member| &member.manifest)
}

/// Returns the architecture of this machine with the name that Go and images use.
pub(crate) fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    }
}

/// Returns the labels in the config of an image.
///
/// # Errors
///
/// Returns the same errors as [`parse`].
pub(crate) fn labels(config: &[u8]) -> Result<BTreeMap<String, String>, String> {
    #[derive(Deserialize)]
    struct Config {
        config: Option<Inner>,
    }
    #[derive(Deserialize)]
    struct Inner {
        #[serde(rename = "Labels")]
        labels: Option<BTreeMap<String, String>>,
    }
    let config: Config = serde_json::from_slice(config).map_err(|error| {
        format!(
            "is not the config of an image: {}",
            cite(&error.to_string())
        )
    })?;
    let labels = config.config.and_then(|inner| inner.labels);
    Ok(labels.unwrap_or_default())
}

// === impl IndexEntry ===

impl IndexEntry {
    fn is_image(&self) -> bool {
        !self
            .annotations
            .as_ref()
            .is_some_and(|all| all.contains_key(STATEMENT))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn descriptor(content: &str) -> Value {
        json!({"digest": OciDigest::of(content.as_bytes()).to_string(), "size": content.len(), "mediaType": "x"})
    }

    fn read(content: &str) -> Descriptor {
        Descriptor {
            digest: OciDigest::of(content.as_bytes()),
            size: content.len() as u64,
        }
    }

    fn member(content: &str, platform: &str) -> Value {
        let mut member = descriptor(content);
        if let Some((os, architecture)) = platform.split_once('/') {
            member["platform"] = json!({"os": os, "architecture": architecture});
        }
        member
    }

    #[test]
    fn image_has_a_config_and_layers() {
        let document = json!({
            "schemaVersion": 2,
            "config": descriptor("{}"),
            "layers": [descriptor("a"), descriptor("bc")],
        });
        let parts = Parts {
            config: read("{}"),
            layers: vec![read("a"), read("bc")],
        };
        assert_eq!(
            parse(document.to_string().as_bytes()),
            Ok(ImageManifest::Image(parts))
        );
    }

    #[rstest]
    #[case::its_own(&["linux/arm64", "linux/amd64"], Some(1))]
    #[case::the_first_of_its_own(&["linux/amd64", "linux/amd64"], Some(0))]
    #[case::another_where_it_is_missing(&["windows/amd64", "linux/s390x", "linux/arm64"], Some(1))]
    #[case::media_type_is_missing(&["windows/amd64", ""], Some(1))]
    #[case::no_statement(&["statement", "linux/arm64"], Some(1))]
    #[case::empty_index(&["statement"], None)]
    fn index_selects_the_image_of_the_platform(
        #[case] platforms: &[&str],
        #[case] chosen: Option<usize>,
    ) {
        let members = platforms.iter().enumerate().map(|(at, platform)| {
            let mut member = member(&at.to_string(), platform);
            if *platform == "statement" {
                member["annotations"] = json!({STATEMENT: "attestation-manifest"});
            } else {
                member["annotations"] = json!(null);
            }
            member
        });
        let members: Vec<Value> = members.collect();
        let document = json!({"schemaVersion": 2, "manifests": members});
        let Ok(ImageManifest::Index(members)) = parse(document.to_string().as_bytes()) else {
            panic!("an index must be read");
        };
        let found = choose(&members, "amd64").cloned();
        assert_eq!(found, chosen.map(|at| read(&at.to_string())));
    }

    #[rstest]
    #[case::a_page("<html>", "is not a manifest: expected value at line 1 column 1")]
    #[case::nothing(
        "{}",
        "is not a manifest: missing field `schemaVersion` at line 1 column 2"
    )]
    #[case::schema_1(
        r#"{"schemaVersion": 1}"#,
        "is a manifest of schema 1, which is not supported; push the image again with a current \
         tool"
    )]
    #[case::empty(
        r#"{"schemaVersion": 2}"#,
        "is not a manifest: it has no config or no layers"
    )]
    #[case::image_and_index(
        r#"{"schemaVersion": 2, "manifests": [], "layers": []}"#,
        "is both a manifest and an index"
    )]
    fn invalid_manifest_is_refused(#[case] document: &str, #[case] flaw: &str) {
        assert_eq!(parse(document.as_bytes()), Err(flaw.to_owned()));
    }

    #[test]
    fn path_instead_of_a_digest_is_rejected() {
        let document = r#"{"schemaVersion": 2, "layers": [],
            "config": {"digest": "sha256:../../passwd", "size": 1}}"#;
        let refused = parse(document.as_bytes()).expect_err("no digest");
        assert!(refused.contains("is not a digest"), "{refused}");
    }

    #[rstest]
    #[case::some(r#"{"config": {"Labels": {"a": "b"}}}"#, &[("a", "b")])]
    #[case::null(r#"{"config": {"Labels": null}}"#, &[])]
    #[case::none(r#"{"config": {}}"#, &[])]
    #[case::no_config("{}", &[])]
    fn labels_come_from_the_image_config(#[case] config: &str, #[case] expected: &[(&str, &str)]) {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let expected = expected.iter().map(owned).collect();
        assert_eq!(labels(config.as_bytes()), Ok(expected));
    }
}
