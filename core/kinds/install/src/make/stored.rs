//! The objects that store manifests beside a plan: all Secrets, and other manifests if the plan
//! would be too large.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::reading::Read;
use super::{API_VERSION, Flaw, Recipe, digits};
use crate::manifest::{SECRET_KEY, canonical, digest, pack};

/// The maximum size of an object in bytes. The API server accepts 1.5 times this size. The
/// difference is reserved for the status and the managed fields.
const LARGEST: usize = 900 << 10;
/// The approximate size in bytes of a reference to a stored manifest, and of a plan without
/// resources.
const REFERENCE: usize = 128;
const FRAME: usize = 4 << 10;
/// The number of digits of the digest in the name of an object stored beside a plan.
const DIGITS: usize = 16;
/// The type of Secrets that contain a manifest.
const SECRET_TYPE: &str = "plans.portolan.dev/manifest";

/// The objects stored beside a plan.
pub(super) struct Store<'r> {
    recipe: &'r Recipe,
    objects: Vec<Value>,
}

impl<'r> Store<'r> {
    pub(super) fn of(recipe: &'r Recipe) -> Self {
        Self {
            recipe,
            objects: Vec::new(),
        }
    }

    pub(super) fn into_objects(self) -> Vec<Value> {
        self.objects
    }

    /// Returns true for each manifest that must be stored beside the plan. These are all Secrets,
    /// and the largest other manifests until the remaining ones fit in the plan.
    pub(super) fn beside(&self, all: &[Read]) -> Vec<bool> {
        let is_beside = |read: &Read| self.recipe.is_split || is_secret(read);
        let mut beside: Vec<_> = all.iter().map(is_beside).collect();
        let sizes: Vec<_> = all.iter().map(|read| size(&read.member.manifest)).collect();
        let taken = |at: usize, beside: bool| if beside { REFERENCE } else { sizes[at] };
        let mut total: usize = FRAME;
        total += (0..all.len())
            .map(|at| taken(at, beside[at]))
            .sum::<usize>();
        let mut largest: Vec<_> = (0..all.len()).filter(|at| !beside[*at]).collect();
        largest.sort_by_key(|at| std::cmp::Reverse(sizes[*at]));
        for at in largest {
            if total <= LARGEST {
                break;
            }
            total -= sizes[at].saturating_sub(REFERENCE);
            beside[at] = true;
        }
        beside
    }

    /// Stores a manifest in an object beside the plan, and returns the reference to this object.
    /// Two plans with the same manifest refer to the same object.
    pub(super) fn put(&mut self, read: &Read) -> Result<Value, Flaw> {
        let manifest = &read.member.manifest;
        let digest = digest(manifest);
        let name = format!("{}-{}", self.recipe.name, digits(&digest, DIGITS));
        let metadata = self.recipe.metadata(&name);
        let (object, reference) = if is_secret(read) {
            let data = secret_data(manifest);
            let object = json!({
                "apiVersion": "v1", "kind": "Secret", "metadata": metadata, "immutable": true,
                "type": SECRET_TYPE, "data": {SECRET_KEY: data},
            });
            (object, json!({"secret": name}))
        } else {
            let spec = spec(manifest, &digest);
            (resource_manifest(&metadata, spec), json!({"name": name}))
        };
        // The data of a Secret may be larger, because Base64 encodes three bytes as four
        // characters.
        let most = if is_secret(read) {
            LARGEST / 3 * 4
        } else {
            LARGEST
        };
        let bytes = size(&object);
        if bytes > most + FRAME {
            let identity = &read.member.identity;
            return Err(Flaw {
                manifest: Some(read.place),
                sentence: format!(
                    "{identity} has {bytes} bytes when compressed, but an object can hold at most \
                     {most} bytes; split the object into several objects"
                ),
            });
        }
        self.objects.push(object);
        Ok(reference)
    }
}

/// Returns a ResourceManifest that is stored beside a plan but describes no object to apply. For
/// example, it describes the installed content. Its name contains a digest of the content.
///
/// # Errors
///
/// Returns a sentence if the content is too large to be stored.
pub fn description(
    (namespace, name): (Option<&str>, &str),
    manifest: &Value,
) -> Result<Value, String> {
    let digest = digest(manifest);
    let mut metadata = json!({"name": format!("{name}-{}", digits(&digest, DIGITS))});
    if let Some(namespace) = namespace {
        metadata["namespace"] = json!(namespace);
    }
    let object = resource_manifest(&metadata, spec(manifest, &digest));
    let bytes = size(&object);
    if bytes > LARGEST + FRAME {
        return Err(format!(
            "the manifest has {bytes} bytes when compressed, but an object can hold at most \
             {LARGEST}"
        ));
    }
    Ok(object)
}

fn resource_manifest(metadata: &Value, spec: Value) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "ResourceManifest", "metadata": metadata, "spec": spec,
    })
}

fn spec(manifest: &Value, digest: &str) -> Value {
    if size(manifest) > LARGEST {
        json!({"digest": digest, "compressed": pack(manifest)})
    } else {
        json!({"digest": digest, "manifest": manifest})
    }
}

/// Returns a flaw if the plan is too large, even with all manifests stored beside it. Returns None
/// otherwise.
pub(super) fn too_large(plan: &Value) -> Option<Flaw> {
    let bytes = size(plan);
    (bytes > LARGEST + FRAME).then(|| {
        Flaw::of_plan(format!(
            "the plan has {bytes} bytes although it contains only references; the maximum is \
             {LARGEST}; split the manifests into two plans"
        ))
    })
}

/// Returns the manifest of a Secret as the data of another Secret. The manifest is compressed only
/// if it is too large. Other versions of Portolan may compress the same manifest to different
/// bytes.
fn secret_data(manifest: &Value) -> String {
    let bytes = canonical(manifest);
    if bytes.len() > LARGEST {
        pack(manifest)
    } else {
        STANDARD.encode(bytes)
    }
}

fn is_secret(read: &Read) -> bool {
    read.member.identity.kind.is("", "Secret")
}

fn size(value: &Value) -> usize {
    canonical(value).len()
}
