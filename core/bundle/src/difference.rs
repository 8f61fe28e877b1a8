//! What changes from one version of an operator to another.

mod definition;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::bundle::Bundle;
use crate::object::{Identity, text};
use crate::permissions::{Permission, permissions};
use crate::render::Manifest;

pub use definition::{Break, Migration, breaks, migration};

/// A bundle and what it is rendered to.
#[derive(Debug, Clone, Copy)]
pub struct Release<'b> {
    pub bundle: &'b Bundle,
    pub manifests: &'b [Manifest],
}

/// What changes from one Release to another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// CustomResourceDefinitions that no longer take what they took, by name.
    pub breaks: BTreeMap<String, Vec<Break>>,
    /// What would help those that drop a version which objects are stored in.
    pub migrations: BTreeMap<String, Migration>,
    /// What the operator may do that it might not before.
    pub grown: Vec<Permission>,
    /// Objects that come, go, and are not what they were, in the order of their names. A role
    /// whose rules change goes, and another one comes: its name has their hash.
    pub added: Vec<Identity>,
    pub removed: Vec<Identity>,
    pub changed: Vec<Identity>,
    pub images_added: Vec<String>,
    pub images_removed: Vec<String>,
    /// What was too much to be compared one by one, a sentence each.
    pub coarse: Vec<String>,
}

/// What changes on the way from an old version to a new one.
pub fn difference(old: Release<'_>, new: Release<'_>) -> Difference {
    let (before, after) = (objects(old.manifests), objects(new.manifests));
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
            "{} rules of roles are too many to be compared right by right; they are told whole",
            beyond.whole
        )
    });
    let (old_images, new_images) = (images(old.bundle), images(new.bundle));
    Difference {
        breaks: of_definitions(&before, &after, |old, new| {
            Some(breaks(old, new)).filter(|breaks| !breaks.is_empty())
        }),
        migrations: of_definitions(&before, &after, migration),
        grown: beyond.permissions,
        added: of(|before, after| !before && after),
        removed: of(|before, after| before && !after),
        changed,
        images_added: new_images.difference(&old_images).cloned().collect(),
        images_removed: old_images.difference(&new_images).cloned().collect(),
        coarse: coarse.into_iter().collect(),
    }
}

fn objects(manifests: &[Manifest]) -> BTreeMap<Identity, &Json> {
    let objects = manifests.iter();
    objects
        .map(|manifest| (manifest.identity(), &manifest.object))
        .collect()
}

/// What there is to say of each definition that is in both.
fn of_definitions<T>(
    before: &BTreeMap<Identity, &Json>,
    after: &BTreeMap<Identity, &Json>,
    say: impl Fn(&Json, &Json) -> Option<T>,
) -> BTreeMap<String, T> {
    let definitions = before
        .iter()
        .filter(|(identity, _)| identity.kind == "CustomResourceDefinition");
    let said = definitions.filter_map(|(identity, old)| {
        let new = after.get(identity)?;
        Some((identity.name.clone(), say(old, new)?))
    });
    said.collect()
}

/// The images that a bundle names: those of its containers, and those that the operator may start
/// itself.
pub fn images(bundle: &Bundle) -> BTreeSet<String> {
    let csv = &bundle.csv;
    let related = csv.spec.related_images.iter();
    let mut images: BTreeSet<String> = related.map(|related| related.image.clone()).collect();
    for at in 0..csv.deployments().len() {
        let pod = &csv.deployment_spec(at)["template"]["spec"];
        for containers in ["containers", "initContainers"] {
            for container in pod[containers].as_array().into_iter().flatten() {
                images.insert(text(&container["image"]).to_owned());
                let env = container["env"].as_array().into_iter().flatten();
                let related =
                    env.filter(|variable| text(&variable["name"]).starts_with("RELATED_IMAGE_"));
                images.extend(related.map(|variable| text(&variable["value"]).to_owned()));
            }
        }
    }
    images.remove("");
    images
}
