//! Reads the plans of a cluster or a folder, with their Secrets and ResourceManifests.

use std::sync::Arc;

use clap::Args;
use jiff::Timestamp;
use portolan_api::plan::{GROUP, InstallPlan, Intent, Source};
use portolan_core_install::{Contents, Peer, PlanVersion, Succession};
use portolan_core_names::{Gvk, ObjectRef, nearest};
use portolan_world::{AnyWorld, Area, Cluster, Dump, Key, Objects, State, View, World as _};

use super::contents;
use crate::facts::{WorldArgs, another_place, left_out, read_view};
use crate::failure::Failure;
use crate::print::words;
use crate::{print, progress};

/// The source of plans.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    world: WorldArgs,
}

/// The plans that exist, sorted by name.
pub(crate) struct Plans {
    world: AnyWorld,
    pub(super) all: Vec<(Key, Arc<InstallPlan>)>,
    /// The namespace whose plans were read. Empty for all namespaces.
    namespace: String,
    /// True if the plans come from a dump, which contains no Secrets.
    is_dump: bool,
}

// === impl PlanArgs ===

impl PlanArgs {
    /// Returns true if the user specified a cluster or a folder.
    pub(crate) fn is_given(&self) -> bool {
        self.world.is_given()
    }

    /// Reads the plans of a namespace, or of all namespaces.
    pub(crate) async fn read(&self, namespace: &str) -> Result<Plans, Failure> {
        self.follow(namespace).await.map(|(plans, _)| plans)
    }

    /// Reads the plans of a namespace, or of all namespaces. Also returns the watch, which receives
    /// later changes.
    pub(super) async fn follow(
        &self,
        namespace: &str,
    ) -> Result<(Plans, Objects<InstallPlan>), Failure> {
        let (world, doing) = self.world.open().await?;
        if left_out::<InstallPlan>(&world).await.is_some() {
            return Err(another_place(&format!("InstallPlan of {GROUP}")));
        }
        let area = Area::namespace(namespace);
        let objects = world.objects_in::<InstallPlan>(area.clone());
        let view = progress::show_while(&doing, read_view::<InstallPlan>(&world, &area)).await?;
        if view.state == State::NotServed {
            return Err(Failure::usage(format!(
                "the CRD of the InstallPlans of {GROUP} is not installed on the cluster"
            )));
        }
        let plans = Plans {
            is_dump: self.is_dump()?,
            all: listed(&view),
            world,
            namespace: namespace.to_owned(),
        };
        Ok((plans, objects))
    }

    /// Returns true if the folder is a dump.
    fn is_dump(&self) -> Result<bool, Failure> {
        let Some(root) = self.world.folder() else {
            return Ok(false);
        };
        let dump = Dump::of(root).map_err(Failure::refused)?;
        Ok(dump.is_some())
    }
}

fn listed(view: &View<InstallPlan>) -> Vec<(Key, Arc<InstallPlan>)> {
    let all = view.objects.iter();
    all.map(|(key, plan)| (key.clone(), plan.clone())).collect()
}

// === impl Plans ===

impl Plans {
    /// Replaces the plans with the plans of a newer view.
    pub(super) fn renew(&mut self, view: &View<InstallPlan>) {
        self.all = listed(view);
    }

    /// Returns the cluster with the plans. Returns None if the plans come from files.
    pub(super) fn cluster(&self) -> Option<&Cluster> {
        match &self.world {
            AnyWorld::Cluster(cluster) => Some(cluster),
            AnyWorld::Files(_) => None,
        }
    }

    /// Keeps only the plans of this namespace. An empty namespace keeps all plans.
    pub(super) fn within(mut self, namespace: &str) -> Self {
        self.all
            .retain(|(key, _)| namespace.is_empty() || *key.namespace == *namespace);
        namespace.clone_into(&mut self.namespace);
        self
    }

    /// Returns the plan with this name, or an error if there is no such plan.
    pub(crate) fn named(&self, name: &str) -> Result<&Arc<InstallPlan>, Failure> {
        let mut found = self.all.iter().filter(|(key, _)| *key.name == *name);
        match (found.next(), found.next()) {
            (Some((_, plan)), None) => Ok(plan),
            (None, _) => {
                let names: Vec<_> = self
                    .all
                    .iter()
                    .map(|(key, _)| key.name.to_string())
                    .collect();
                let near = words::did_you_mean(nearest(name, names.iter()));
                let place = words::within(&self.namespace);
                Err(Failure::usage(format!(
                    "InstallPlan {name} of {GROUP} not found{place}{near}"
                )))
            }
            (Some((first, _)), Some((second, _))) => Err(Failure::usage(format!(
                "InstallPlan {name} exists in namespaces {} and {}; select the namespace with -n",
                first.namespace, second.namespace
            ))),
        }
    }

    /// Returns the Succession of a plan, which relates it to the other plans of its namespace. A
    /// plan that does not exist yet counts as the newest plan.
    pub(super) fn succession(&self, plan: &InstallPlan) -> Succession {
        let own = peer(plan);
        let namespace = plan.metadata.namespace.as_deref().unwrap_or_default();
        let there = self.all.iter();
        let there = there.filter(|(key, _)| *key.namespace == *namespace);
        let mut peers: Vec<_> = there.map(|(_, plan)| peer(plan)).collect();
        let same = peers.iter().position(|peer| peer.name == own.name);
        let created = same.map_or(Timestamp::MAX, |at| peers.remove(at).created);
        let uid = own.uid.clone();
        peers.push(Peer { created, ..own });
        Succession::of(&uid, &peers)
    }

    /// Returns the names of the plans that the plan `name` replaces. This plan is in the same
    /// namespace as the plan `beside`.
    pub(super) fn replaced_by(&self, beside: &InstallPlan, name: &str) -> Vec<String> {
        let namespace = beside.metadata.namespace.as_deref().unwrap_or_default();
        let mut there = self.all.iter();
        let found = there.find(|(key, _)| *key.namespace == *namespace && *key.name == *name);
        let predecessors = found.map(|(_, plan)| self.succession(plan).predecessors);
        let predecessors = predecessors.into_iter().flatten();
        predecessors.map(|peer| peer.name).collect()
    }

    /// Returns a plan with the content of its Secrets and ResourceManifests. An object that `given`
    /// does not contain is read from the cluster.
    pub(super) async fn version(
        &self,
        plan: &InstallPlan,
        mut given: Contents,
    ) -> Result<PlanVersion, Failure> {
        let intent = Intent::parse(plan);
        let resources = intent.iter().flat_map(|intent| &intent.stages);
        let resources = resources.flat_map(|stage| &stage.resources);
        let namespace = plan.metadata.namespace.clone();
        let id = |api_version: &str, kind: &str, name: &str| {
            ObjectRef::new(Gvk::new(api_version, kind), namespace.as_deref(), name)
        };
        let names = resources.filter_map(|resource| match &resource.source {
            Source::ResourceManifest(name) if !given.resource_manifests.contains_key(name) => {
                Some(id(&format!("{GROUP}/v1alpha1"), "ResourceManifest", name))
            }
            Source::Secret(name) if !given.secrets.contains_key(name) => {
                Some(id("v1", "Secret", name))
            }
            Source::Inline(_) | Source::ResourceManifest(_) | Source::Secret(_) => None,
        });
        let names: Vec<_> = names.collect();
        if !names.is_empty() {
            let looking = self.world.written(names);
            let found = progress::show_while("reading manifests", looking).await;
            found
                .values()
                .for_each(|object| contents::put(object, &mut given));
            if self.is_dump {
                warn_of_missing_secrets(intent.as_ref().ok(), &given);
            }
        }
        version(plan, &given)
    }
}

/// Prints a warning for the Secrets of a plan that a dump does not contain.
fn warn_of_missing_secrets(intent: Option<&Intent>, given: &Contents) {
    let resources = intent.into_iter().flat_map(|intent| &intent.stages);
    for resource in resources.flat_map(|stage| &stage.resources) {
        if let Source::Secret(name) = &resource.source
            && !given.secrets.contains_key(name)
        {
            print::warn(&format!(
                "the content of Secret {name} is unknown, because a dump does not contain Secrets"
            ));
        }
    }
}

/// Returns the Peer of a plan. A plan without a uid was never in a cluster, so its name identifies
/// it.
fn peer(plan: &InstallPlan) -> Peer {
    let peer = Peer::of(plan);
    match peer.uid.as_str() {
        "" => Peer {
            uid: peer.name.clone(),
            ..peer
        },
        _ => peer,
    }
}

/// Resolves a plan with these contents.
pub(super) fn version(plan: &InstallPlan, contents: &Contents) -> Result<PlanVersion, Failure> {
    PlanVersion::read(plan, contents).map_err(|refusals| {
        let name = plan.metadata.name.as_deref().unwrap_or_default();
        Failure::usage(format!("plan {name} is invalid: {refusals}"))
    })
}
