//! Computes the changes from one version of an operator to another.

mod beta;
mod crd;
mod schema;
mod stored;
mod versions;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::ObjectRef;
use serde_json::Value as Json;

use crate::bundle::Bundle;
use crate::object::text;
use crate::permissions::{Permission, permissions};
use crate::render::Manifest;

pub use crd::{Break, Migration, breaks, migration};
pub use stored::{applied, breaks_on_cluster, fill_in_schemas, lacks_schemas};
pub use versions::Versions;

/// A version of an operator: its bundle, and the manifests that were rendered from the bundle.
#[derive(Debug, Clone, Copy)]
pub struct Release<'b> {
    pub bundle: &'b Bundle,
    pub manifests: &'b [Manifest],
}

/// The changes from one version of an operator to another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// The breaking changes of CRDs, by the name of the CRD. A breaking change rejects objects that
    /// were accepted before, or changes their meaning.
    pub breaks: BTreeMap<String, Vec<Break>>,
    /// The migrations that are required before a CRD can drop a version in which objects are
    /// stored, by the name of the CRD.
    pub migrations: BTreeMap<String, Migration>,
    /// The changes of the served and stored versions of CRDs, by the name of the CRD.
    pub versions: BTreeMap<String, Versions>,
    /// The permissions that the new version of the operator has in addition to those of the old
    /// version.
    pub grown: Vec<Permission>,
    /// The objects that only the new version has, sorted. A role with changed rules counts as one
    /// removed and one added role, because its name contains a hash of the rules.
    pub added: Vec<ObjectRef>,
    pub removed: Vec<ObjectRef>,
    pub changed: Vec<ObjectRef>,
    pub images_added: Vec<String>,
    pub images_removed: Vec<String>,
    /// The parts that were too large for a detailed comparison. Each entry is a sentence.
    pub coarse: Vec<String>,
}

/// Returns the changes from the old version of an operator to the new version.
pub fn difference(old: Release<'_>, new: Release<'_>) -> Difference {
    let (before, after) = (objects(old), objects(new));
    let of = |wanted: fn(bool, bool) -> bool| {
        let all: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let of = all
            .into_iter()
            .filter(|identity| wanted(before.contains_key(identity), after.contains_key(identity)));
        of.cloned().collect::<Vec<_>>()
    };
    let mut changed = of(|before, after| before && after);
    changed.retain(|identity| before.get(identity) != after.get(identity));
    let beyond = permissions(new.manifests).beyond(&permissions(old.manifests));
    let coarse = (beyond.whole > 0).then(|| {
        format!(
            "{} rules of roles are too many to compare one by one; all of them are listed",
            beyond.whole
        )
    });
    let (old_images, new_images) = (images(old.bundle), images(new.bundle));
    Difference {
        breaks: of_crds(&before, &after, |old, new| {
            Some(breaks(old, new)).filter(|breaks| !breaks.is_empty())
        }),
        migrations: of_crds(&before, &after, migration),
        versions: of_crds(&before, &after, versions::changed),
        grown: beyond.permissions,
        added: of(|before, after| !before && after),
        removed: of(|before, after| before && !after),
        changed,
        images_added: new_images.difference(&old_images).cloned().collect(),
        images_removed: old_images.difference(&new_images).cloned().collect(),
        coarse: coarse.into_iter().collect(),
    }
}

/// Returns the objects in the manifests. Converts CRDs of old API versions to the current API
/// version.
fn objects(Release { bundle, manifests }: Release<'_>) -> BTreeMap<ObjectRef, Cow<'_, Json>> {
    let old_forms = bundle.crds.iter();
    let old_forms = old_forms.filter_map(|it| Some((it.name.as_str(), it.old_form.as_ref()?)));
    let old_forms: BTreeMap<_, _> = old_forms.collect();
    let objects = manifests.iter().map(|manifest| {
        let identity = manifest.identity();
        let old_form = Some(&identity).filter(|it| it.kind.is_definition());
        let old_form = old_form.and_then(|it| old_forms.get(it.name.as_str()));
        let object = match old_form {
            Some(old_form) => Cow::Owned(beta::in_v1(old_form, &manifest.object)),
            None => Cow::Borrowed(&manifest.object),
        };
        (identity, object)
    });
    objects.collect()
}

/// Calls `say` for each CRD that both versions contain, and returns its results by the name of the
/// CRD.
fn of_crds<T>(
    before: &BTreeMap<ObjectRef, Cow<'_, Json>>,
    after: &BTreeMap<ObjectRef, Cow<'_, Json>>,
    say: impl Fn(&Json, &Json) -> Option<T>,
) -> BTreeMap<String, T> {
    let crds = before
        .iter()
        .filter(|(identity, _)| identity.kind.is_definition());
    let said = crds.filter_map(|(identity, old)| {
        let new = after.get(identity)?;
        Some((identity.name.clone(), say(old, new)?))
    });
    said.collect()
}

/// Returns the images of a bundle: its related images, the images of its containers, and the values
/// of environment variables that name an image.
pub fn images(bundle: &Bundle) -> BTreeSet<String> {
    let csv = &bundle.csv;
    let related = csv.spec.related_images.iter();
    let mut images: BTreeSet<String> = related.map(|related| related.image.clone()).collect();
    for at in 0..csv.deployments().len() {
        images.extend(pod_images(&csv.deployment_spec(at)["template"]["spec"]));
    }
    images.remove("");
    images
}

/// Returns the images of the Deployments among rendered manifests, in the same way as [`images`].
pub fn manifest_images(manifests: &[Json]) -> BTreeSet<String> {
    let deployments = manifests.iter().filter(|it| it["kind"] == "Deployment");
    let images = deployments.flat_map(|it| pod_images(&it["spec"]["template"]["spec"]));
    let mut images: BTreeSet<String> = images.collect();
    images.remove("");
    images
}

fn pod_images(pod: &Json) -> Vec<String> {
    let mut images = Vec::new();
    for containers in ["containers", "initContainers"] {
        for container in pod[containers].as_array().into_iter().flatten() {
            images.push(text(&container["image"]).to_owned());
            let env = container["env"].as_array().into_iter().flatten();
            let related = env.filter(|variable| is_called_image(text(&variable["name"])));
            images.extend(related.map(|variable| text(&variable["value"]).to_owned()));
        }
    }
    images
}

/// Returns true for names of image variables. OLM recommends `RELATED_IMAGE_x`; authors also use
/// `x_IMAGE` and `OPERAND_IMAGE_x`.
fn is_called_image(variable: &str) -> bool {
    let begins = ["RELATED_IMAGE_", "OPERAND_IMAGE_"];
    begins.iter().any(|begin| variable.starts_with(begin)) || variable.ends_with("_IMAGE")
}
