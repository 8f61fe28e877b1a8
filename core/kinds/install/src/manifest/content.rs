//! Reads manifests that are stored in other objects. They may be compressed.

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use portolan_api::plan::{Body, ResourceManifest, Stored};
use portolan_core_names::text::cite;
use portolan_core_olm::State;
use serde_json::Value;

use super::{canonical, digest};

/// The maximum size in bytes of an unpacked manifest.
const UNPACKED: u64 = 8 << 20;
/// The first bytes of content that is compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The key of a Secret whose value is a manifest in JSON. The JSON may be compressed by gzip.
pub const SECRET_KEY: &str = "manifest";

/// The objects that store manifests of a plan, by name. None means that the object does not exist.
/// A missing entry means that the object was not read yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    pub resource_manifests: BTreeMap<String, Option<ResourceManifest>>,
    /// The Secrets, by name. If a Secret cannot be read, contains the error message of the API
    /// server.
    pub secrets: BTreeMap<String, Result<Option<SecretContent>, String>>,
}

/// The part of a Secret that a plan needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretContent {
    pub is_immutable: bool,
    /// The value of the key [`SECRET_KEY`]. None if it is missing or not valid Base64.
    pub manifest: Option<Vec<u8>>,
}

impl SecretContent {
    /// Reads a Secret, given as JSON.
    pub fn of(secret: &Value) -> Self {
        let data = secret.pointer(&format!("/data/{SECRET_KEY}"));
        let data = data.and_then(Value::as_str);
        Self {
            is_immutable: secret["immutable"] == true,
            manifest: data.and_then(|data| STANDARD.decode(data.trim()).ok()),
        }
    }
}

/// The reason why a manifest is missing. The state is `NotYet` if the manifest may appear later.
type Missing = (State, String);

impl Contents {
    pub(super) fn resource_manifest(&self, name: &str) -> Result<Value, Missing> {
        let no = |sentence: String| {
            let sentence = format!("refers to the ResourceManifest {name}, {sentence}");
            (State::No, sentence)
        };
        let found = lookup(self.resource_manifests.get(name), "ResourceManifest", name)?;
        let stored = Stored::parse(found);
        let stored = stored.map_err(|refusals| no(format!("which is not valid: {refusals}")))?;
        let manifest = opened(stored.body).map_err(no)?;
        let is = digest(&manifest);
        if is == stored.digest {
            Ok(manifest)
        } else {
            let said = stored.digest;
            Err(no(format!(
                "whose content has the digest {is} and not {said}"
            )))
        }
    }

    pub(super) fn secret(&self, name: &str) -> Result<Value, Missing> {
        let no = |sentence: String| {
            let sentence = format!("refers to the Secret {name}, {sentence}");
            (State::No, sentence)
        };
        let found = match self.secrets.get(name) {
            Some(Ok(found)) => Some(found),
            Some(Err(sentence)) => {
                let sentence = format!("which the ServiceAccount cannot read: {}", cite(sentence));
                let (_, sentence) = no(sentence);
                return Err((State::NotYet, sentence));
            }
            None => None,
        };
        let found = lookup(found, "Secret", name)?;
        if !found.is_immutable {
            let way_out = "which is not immutable; create the Secret again with immutable: true";
            return Err(no(way_out.to_owned()));
        }
        let bytes = found.manifest.as_deref();
        let bytes = bytes.ok_or_else(|| no(format!("which has no key {SECRET_KEY}")))?;
        unpack(bytes).map_err(|sentence| no(format!("whose content {sentence}")))
    }
}

fn lookup<'a, T>(found: Option<&'a Option<T>>, kind: &str, name: &str) -> Result<&'a T, Missing> {
    match found {
        Some(Some(found)) => Ok(found),
        Some(None) => {
            let sentence = format!("refers to the {kind} {name}, which does not exist");
            Err((State::NotYet, sentence))
        }
        None => {
            let sentence = format!("refers to the {kind} {name}, which has not been read yet");
            Err((State::NotYet, sentence))
        }
    }
}

/// Returns the manifest that a ResourceManifest contains. Does not check its digest.
///
/// # Errors
///
/// Returns the reason why the manifest cannot be unpacked, as the end of a sentence about the
/// ResourceManifest.
pub fn opened(body: Body) -> Result<Value, String> {
    match body {
        Body::Plain(manifest) => Ok(Value::Object(manifest)),
        Body::Compressed(text) => {
            let bytes = STANDARD.decode(text.trim());
            let bytes =
                bytes.map_err(|_| "whose spec.compressed is not valid base64".to_owned())?;
            unpack(&bytes).map_err(|sentence| format!("whose content {sentence}"))
        }
    }
}

fn unpack(bytes: &[u8]) -> Result<Value, String> {
    let mut unpacked = Vec::new();
    let json = if bytes.starts_with(&GZIP) {
        let mut reader = GzDecoder::new(bytes).take(UNPACKED + 1);
        let read = reader.read_to_end(&mut unpacked);
        read.map_err(|error| format!("cannot be unpacked: {error}"))?;
        unpacked.as_slice()
    } else {
        bytes
    };
    if json.len() as u64 > UNPACKED {
        return Err(format!("is longer than {UNPACKED} bytes"));
    }
    serde_json::from_slice(json).map_err(|error| format!("is no JSON: {error}"))
}

/// Compresses a manifest for the field `spec.compressed` of a ResourceManifest. The same manifest
/// always gives the same text.
pub fn pack(manifest: &Value) -> String {
    let mut packed = Vec::new();
    let json = canonical(manifest);
    let mut encoder = GzEncoder::new(json.as_slice(), Compression::best());
    // The read cannot fail, because the source is in memory. If it did, the digest would reveal the
    // truncated content.
    let _ = encoder.read_to_end(&mut packed);
    STANDARD.encode(packed)
}
