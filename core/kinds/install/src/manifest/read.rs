//! Reads the manifest of one resource, from the plan or from the object that stores it.

use std::collections::BTreeMap;

use portolan_api::plan::{OnImmutable, Resource, Source};
use portolan_core_names::ObjectRef;
use portolan_core_names::object::split_api_version;
use portolan_core_olm::State;
use serde_json::{Value, json};

use super::canonical::{canonical, digest};
use super::content::Contents;
use super::fault::{ManifestFault, ResourcePlace};
use super::{Member, form, normal};
use crate::object::text;

/// The maximum total size in bytes of all manifests that are stored beside a plan, as uncompressed
/// JSON. In memory, the parsed manifests are several times larger.
const MOST_BESIDE: usize = 32 << 20;

/// The stored manifests that were read so far. Their total size is limited, because a small
/// compressed manifest may be large after unpacking.
#[derive(Default)]
pub(super) struct Beside<'a> {
    pub(super) places: BTreeMap<(&'static str, &'a str), ResourcePlace>,
    pub(super) bytes: usize,
}

impl<'a> Beside<'a> {
    /// Reads a member, unless the size limit is exceeded. Only the member that exceeds the limit
    /// first causes a fault.
    pub(super) fn read(
        &mut self,
        place: ResourcePlace,
        resource: &'a Resource,
        contents: &Contents,
    ) -> Result<Member, Vec<ManifestFault>> {
        let fault = |sentence: String| ManifestFault {
            place,
            object: None,
            state: State::No,
            sentence,
        };
        let (kind, name) = match &resource.source {
            Source::Inline(_) => return member(place, resource, contents),
            Source::ResourceManifest(name) => ("ResourceManifest", name),
            Source::Secret(name) => ("Secret", name),
        };
        if let Some(before) = self.places.insert((kind, name), place) {
            return Err(vec![fault(format!(
                "refers to the {kind} {name}, as {before} does; remove one of the two references"
            ))]);
        }
        if self.bytes > MOST_BESIDE {
            return Err(Vec::new());
        }
        let member = member(place, resource, contents)?;
        self.bytes += canonical(&member.manifest).len();
        if self.bytes > MOST_BESIDE {
            return Err(vec![fault(format!(
                "is too large: together with this object, the content that the plan refers to \
                 exceeds {MOST_BESIDE} bytes; split the content into several plans"
            ))]);
        }
        Ok(member)
    }
}

pub(super) fn member(
    place: ResourcePlace,
    resource: &Resource,
    contents: &Contents,
) -> Result<Member, Vec<ManifestFault>> {
    let found = match &resource.source {
        Source::Inline(manifest) => Ok(manifest.clone()),
        Source::ResourceManifest(name) => contents.resource_manifest(name),
        Source::Secret(name) => contents.secret(name),
    };
    let fault = |object: Option<ObjectRef>, (state, sentence)| ManifestFault {
        place,
        object,
        state,
        sentence,
    };
    let mut manifest = found.map_err(|found| vec![fault(None, found)])?;
    normal::normalize(&mut manifest);
    let identity = form::identity(&manifest);
    let mut sentences = form::sentences(&manifest);
    let is_precious = |identity: &ObjectRef| identity.kind.is_precious();
    if resource.lifecycle.on_immutable == OnImmutable::Recreate
        && identity.as_ref().is_some_and(is_precious)
    {
        sentences.push(
            "cannot have onImmutable: Recreate, because the object contains data of other users; \
             remove onImmutable"
                .to_owned(),
        );
    }
    if let (Some(identity), true) = (&identity, sentences.is_empty()) {
        return Ok(Member {
            place,
            identity: identity.clone(),
            version: split_api_version(text(&manifest, "/apiVersion"))
                .1
                .to_owned(),
            digest: digest(&manifest),
            manifest,
            lifecycle: resource.lifecycle.clone(),
        });
    }
    let faults = sentences.into_iter();
    Err(faults
        .map(|sentence| fault(identity.clone(), (State::No, sentence)))
        .collect())
}

/// Removes the field at a JSON pointer. If the pointer selects a list item, nothing is removed.
pub(super) fn remove(manifest: &mut Value, pointer: &str) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        return;
    };
    let parent = manifest.pointer_mut(parent).and_then(Value::as_object_mut);
    if let Some(parent) = parent {
        parent.remove(&key.replace("~1", "/").replace("~0", "~"));
    }
}

pub(super) fn set(manifest: &mut Value, map: &str, key: &str, value: &str) {
    let map = &mut manifest["metadata"][map];
    if !map.is_object() {
        *map = json!({});
    }
    map[key] = json!(value);
}
