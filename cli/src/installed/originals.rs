//! Reads the objects from which Installed objects are computed, such as ClusterServiceVersions.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::operator::Operator;
use portolan_api::plan::ResourceManifest;
use portolan_core_installed::{Index, Namespace, Original, Resource, Revision, StoredCsv, Targets};
use portolan_core_olm::{ClusterServiceVersion, OperatorGroup, Subscription};
use portolan_shell::with_causes;
use portolan_world::{AnyWorld, Area, Kind, RawView, RawWorld as _, State, Trouble, World as _};

use crate::facts::{another_place, installed_api, left_out};
use crate::failure::Failure;
use crate::print;

/// The objects from which Installed objects are computed: one list for each kind, with its resource
/// version.
pub(super) struct Originals(Vec<List>);

type List = (Resource, Vec<Original>, Revision);

// === impl Originals ===

impl Originals {
    /// Reads all original objects.
    ///
    /// # Errors
    /// Returns an error if the world cannot be read. `namespace` is the selected namespace, or
    /// empty.
    pub(super) async fn of(world: &AnyWorld, namespace: &str) -> Result<Self, Failure> {
        if left_out::<ClusterServiceVersion>(world).await.is_some() {
            return Err(another_place("ClusterServiceVersion"));
        }
        let mut all = Self(vec![
            list::<ClusterServiceVersion>(world, Resource::ClusterServiceVersions, namespace)
                .await?,
            list::<OperatorGroup>(world, Resource::OperatorGroups, namespace).await?,
            list::<Subscription>(world, Resource::Subscriptions, namespace).await?,
        ]);
        all.0
            .push(own::<Operator>(world, Area::everywhere(), Resource::Operators).await);
        let stored = Area::everywhere().with_labels(StoredCsv::selector());
        all.0
            .push(own::<ResourceManifest>(world, stored, Resource::ResourceManifests).await);
        let mut namespaces =
            list::<portolan_core_olm::Namespace>(world, Resource::Namespaces, namespace).await?;
        if left_out::<portolan_core_olm::Namespace>(world)
            .await
            .is_some()
        {
            print::warn(
                "the files contain no Namespaces; operators that watch all namespaces are listed only for namespaces in which the files contain other objects",
            );
            namespaces.1 = all.named_namespaces();
        }
        all.0.push(namespaces);
        Ok(all)
    }

    /// Returns the Installed objects that are computed from these objects.
    pub(super) fn index(self) -> Index {
        let mut index = Index::new(Resource::ALL);
        for (resource, originals, revision) in self.0 {
            index.replace(resource, originals, &revision);
        }
        index
    }

    /// Returns the namespaces that contain these objects, and the namespaces that OperatorGroups
    /// target.
    fn named_namespaces(&self) -> Vec<Original> {
        let originals = self.0.iter().flat_map(|(_, originals, _)| originals);
        let mut names = BTreeSet::new();
        for original in originals {
            names.insert(original.key().namespace);
            if let Original::Group(group) = original
                && let Targets::These(targets) = &group.targets
            {
                names.extend(targets.iter().cloned());
            }
        }
        let namespace = |name| Original::Namespace(Arc::new(Namespace::named(name)));
        names.into_iter().map(namespace).collect()
    }
}

/// Returns a list of a kind.
async fn list<K: Kind>(
    world: &AnyWorld,
    resource: Resource,
    namespace: &str,
) -> Result<List, Failure> {
    let mut objects = world.raw_of::<K>(Area::everywhere());
    let view = objects.until(|view| view.state != State::Pending).await;
    let view: RawView = view.unwrap_or_default();
    if let Some((trouble, _)) = view.state.trouble() {
        return Err(Failure::unknown(unread_note(resource, trouble, namespace)));
    }
    if view.state == State::NotServed {
        print::warn(&format!(
            "the CRD of {resource} is not installed on the cluster, because OLM v0 is not installed"
        ));
    }
    Ok(read(world, &view, resource))
}

/// Returns the message that a list cannot be read. The command lists objects in all namespaces, and
/// some users are not permitted to do this.
fn unread_note(resource: Resource, trouble: &Trouble, namespace: &str) -> String {
    let why = format!("cannot read {resource}: {}", with_causes(trouble));
    match trouble {
        Trouble::Forbidden(_) => format!(
            "{why}; this command requires permission to list in all namespaces; {}",
            installed_api(namespace)
        ),
        Trouble::Refused { .. }
        | Trouble::Silent(_)
        | Trouble::Unreachable(_)
        | Trouble::Missing(_)
        | Trouble::NotDumped(_)
        | Trouble::NotAsked { .. } => why,
    }
}

/// Lists the objects of a Portolan kind, which the cluster may not have. If the objects cannot be
/// read, prints a warning.
async fn own<K: Kind>(world: &AnyWorld, area: Area, resource: Resource) -> List {
    let mut objects = world.raw_of::<K>(area);
    let view = objects.until(|view| view.state != State::Pending).await;
    let view: RawView = view.unwrap_or_default();
    if let Some((trouble, _)) = view.state.trouble() {
        print::warn(&format!(
            "operators that are installed without OLM are not listed, because {resource} cannot be read: {trouble}"
        ));
    }
    read(world, &view, resource)
}

fn read(world: &AnyWorld, view: &RawView, resource: Resource) -> List {
    view.faults.iter().for_each(print::warn_of_unread);
    let originals = view.objects.iter().filter_map(|(key, object)| {
        let original = Original::read(resource, &object.json);
        let tell = |error| print::warn(&format!("{resource} {key} is omitted: {error}"));
        original.map_err(tell).ok()
    });
    // For files, the version of the view is a timestamp and not a resource version.
    let version = world.folder().map_or(view.version, |_| 0);
    (resource, originals.collect(), Revision::from(version))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_namespace("harbor", "kubectl get installed -n harbor")]
    #[case::all("", "kubectl get installed -A")]
    fn suggests_command_that_needs_no_more_permissions(
        #[case] namespace: &str,
        #[case] command: &str,
    ) {
        let forbidden = Trouble::Forbidden("no".to_owned());
        let note = unread_note(Resource::Subscriptions, &forbidden, namespace);
        assert!(
            note.starts_with("cannot read subscriptions: forbidden: no; "),
            "{note}"
        );
        assert!(note.ends_with(command), "{note}");
        let dumped = Trouble::NotDumped("forbidden: no".to_owned());
        let note = unread_note(Resource::Subscriptions, &dumped, namespace);
        assert_eq!(note, "cannot read subscriptions: forbidden: no");
    }
}
