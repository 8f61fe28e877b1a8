//! Parses the spec of a ResourceManifest.

use serde_json::{Map, Value};

use super::ResourceManifest;
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, Refusals};

const SPEC_FIELDS: &[&str] = &["compressed", "digest", "manifest"];

/// The error message for a spec with both fields or with neither field.
pub(super) const ONE_BODY: &str = "must have either manifest or compressed";

/// The parsed spec of a ResourceManifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The required digest of the manifest's canonical JSON: `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    pub body: Body,
}

/// The manifest, compressed or not.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Plain JSON.
    Plain(Map<String, Value>),
    /// The JSON of the manifest, compressed with gzip, in base64.
    Compressed(String),
}

impl Stored {
    /// Parses a ResourceManifest. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors of the spec at once.
    pub fn parse(manifest: &ResourceManifest) -> Result<Self, Refusals> {
        let spec = ManifestPlace::new("spec", manifest.spec.as_json());
        let mut refused = Vec::new();
        let draft = draft(&spec, &mut refused);
        Refusals::unless(refused, draft)
    }
}

fn draft(spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Stored> {
    spec.require("write a manifest and its digest", refused);
    spec.only(SPEC_FIELDS, refused)?;
    let digest = spec.field("digest");
    digest.require("write sha256: and the digest of the manifest", refused);
    let text = digest.text(refused);
    if text.is_some_and(|text| !is_digest(text)) {
        let way_out = "is not a digest; write sha256: and 64 lower-case hexadecimal digits";
        digest.refuse_value(way_out, refused);
    }
    let (plain, compressed) = (spec.field("manifest"), spec.field("compressed"));
    let body = match (plain.is_given(), compressed.is_given()) {
        (true, false) => Body::Plain(plain.object(refused)?.clone()),
        (false, true) => Body::Compressed(compressed.text(refused)?.to_owned()),
        (true, true) | (false, false) => {
            spec.refuse_value(ONE_BODY, refused);
            return None;
        }
    };
    let digest = text?.to_owned();
    Some(Stored { digest, body })
}

fn is_digest(text: &str) -> bool {
    let is_hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let digits = text.strip_prefix("sha256:");
    digits.is_some_and(|digits| digits.len() == 64 && digits.chars().all(is_hex))
}
