//! Watches the objects that OLM uses to resolve namespaces, and other objects that only a diagnosis
//! needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_diagnosis::{Around, OlmPart, Openshift};
use portolan_core_forecast as olm_v0;
use portolan_core_health::{Item, Namespace, ObservedObjects, Sight};
use portolan_core_names::Version;
use portolan_core_olm::messages::missing_pull_secrets;
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, ClusterVersion, CopiedCsv, Job, JobEvent,
    NamespaceObjects, Node, OlmController, OlmDeployment, OperatorGroup, Pod, PullSecretEvent,
    Subscription,
};
use portolan_world::{Area, Ended, Key, Kind, Objects, State, View, World};

use crate::unpacks::Unpacks;

/// The name of the ClusterVersion. Each OpenShift cluster has only one ClusterVersion.
const VERSION: &str = "version";

/// The watched objects of each kind.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    groups: Objects<OperatorGroup>,
    subscriptions: Objects<Subscription>,
    csvs: Objects<ClusterServiceVersion>,
    copies: Objects<CopiedCsv>,
    sources: Objects<CatalogSource>,
    jobs: Objects<Job>,
    /// The Pods of Jobs.
    pods: Objects<Pod>,
    /// The Pods of CatalogSources.
    registries: Objects<Pod>,
    /// The Events about pull Secrets that kubelets cannot read.
    pull_secrets: Objects<PullSecretEvent>,
    refusals: Objects<JobEvent>,
    olm: Objects<OlmDeployment>,
    /// The Pods of each controller of OLM.
    olm_pods: [Objects<Pod>; 2],
    versions: Objects<ClusterVersion>,
    /// The cordoned nodes.
    nodes: Objects<Node>,
}

/// The current objects of these kinds.
#[derive(Debug)]
pub(crate) struct Views {
    groups: View<OperatorGroup>,
    subscriptions: View<Subscription>,
    csvs: View<ClusterServiceVersion>,
    copies: View<CopiedCsv>,
    sources: View<CatalogSource>,
    jobs: View<Job>,
    pods: View<Pod>,
    registries: View<Pod>,
    pull_secrets: View<PullSecretEvent>,
    refusals: View<JobEvent>,
    olm: View<OlmDeployment>,
    olm_pods: [View<Pod>; 2],
    versions: View<ClusterVersion>,
    nodes: View<Node>,
}

// === impl Kinds ===

impl Kinds {
    /// Watches the objects in the whole world or in one namespace. Catalogs are always watched in
    /// all namespaces, because operators of other namespaces use them. The objects with which OLM
    /// unpacks bundles are also watched in all namespaces, because they are in the namespaces of
    /// the catalogs.
    pub(crate) fn of(world: &impl World, namespace: Option<&str>) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            groups: world.objects_in(area.clone()),
            subscriptions: world.objects_in(area.clone()),
            csvs: world.objects_in(area.clone()),
            copies: world.objects_in(area),
            sources: world.objects(),
            jobs: world.objects(),
            pods: world.objects_in(Area::everywhere().with_labels(Job::unpacking())),
            registries: world.objects_in(Area::everywhere().with_labels(CatalogSource::serving())),
            pull_secrets: world.objects(),
            refusals: world.objects(),
            olm: world.objects(),
            olm_pods: OlmController::ALL.map(|controller| {
                world.objects_in(Area::everywhere().with_labels(controller.labeled()))
            }),
            versions: world.objects(),
            nodes: world.objects(),
        }
    }

    /// Waits until each kind has been listed or cannot be listed.
    pub(crate) async fn settled(&self) -> Result<(), Ended> {
        let Self {
            groups,
            subscriptions,
            csvs,
            copies,
            sources,
            jobs,
            pods,
            registries,
            pull_secrets,
            refusals,
            olm,
            olm_pods,
            versions,
            nodes,
        } = self;
        known(groups).await?;
        known(subscriptions).await?;
        known(csvs).await?;
        known(copies).await?;
        known(sources).await?;
        known(jobs).await?;
        known(pods).await?;
        known(registries).await?;
        known(pull_secrets).await?;
        known(refusals).await?;
        known(olm).await?;
        for pods in olm_pods {
            known(pods).await?;
        }
        known(versions).await?;
        known(nodes).await
    }

    /// Returns the current objects. Returns None until all kinds have been listed.
    pub(crate) fn now(&self) -> Option<Views> {
        Some(Views {
            groups: view(&self.groups)?,
            subscriptions: view(&self.subscriptions)?,
            csvs: view(&self.csvs)?,
            copies: view(&self.copies)?,
            sources: view(&self.sources)?,
            jobs: view(&self.jobs)?,
            pods: view(&self.pods)?,
            registries: view(&self.registries)?,
            pull_secrets: view(&self.pull_secrets)?,
            refusals: view(&self.refusals)?,
            olm: view(&self.olm)?,
            olm_pods: [view(&self.olm_pods[0])?, view(&self.olm_pods[1])?],
            versions: view(&self.versions)?,
            nodes: view(&self.nodes)?,
        })
    }
}

fn view<K: Kind>(objects: &Objects<K>) -> Option<View<K>> {
    let view = objects.clone().now();
    (view.state != State::Pending).then_some(view)
}

pub(crate) async fn known<K: Kind>(objects: &Objects<K>) -> Result<(), Ended> {
    let mut objects = objects.clone();
    let known = objects.known().await;
    known.map(drop)
}

// === impl Views ===

impl Views {
    /// Returns the objects with which OLM resolves a namespace, or the reason why they are unknown.
    pub(crate) fn resolved(
        &self,
        namespace: &str,
        global: &str,
    ) -> Result<olm_v0::Namespace, String> {
        check_observed("OperatorGroups", &self.groups)?;
        check_observed("Subscriptions", &self.subscriptions)?;
        check_observed("ClusterServiceVersions", &self.csvs)?;
        let objects = NamespaceObjects {
            name: namespace,
            operator_groups: within(&self.groups, namespace).map(|it| &**it).collect(),
            subscriptions: within(&self.subscriptions, namespace)
                .map(|it| &**it)
                .collect(),
            csvs: within(&self.csvs, namespace).map(|it| &**it).collect(),
            copies: within(&self.copies, namespace).map(|it| &**it).collect(),
        };
        olm_v0::Namespace::of(&objects, global)
    }

    /// Returns the Pods of a CatalogSource.
    pub(crate) fn registries(&self, namespace: &str, catalog: &str) -> ObservedObjects<Item<Pod>> {
        let pods = within(&self.registries, namespace);
        let own = pods.filter(|pod| pod.catalog() == Some(catalog));
        let trouble = self.registries.state.trouble();
        ObservedObjects {
            objects: own.map(|pod| Item::from(pod.clone())).collect(),
            sight: trouble.map_or(Sight::Clear, |_| {
                Sight::Dim(self.registries.state.to_string())
            }),
        }
    }

    /// Returns the names of the pull Secrets that the kubelet cannot read for the Pods of a
    /// CatalogSource.
    pub(crate) fn missing_secrets(&self, namespace: &str, catalog: &str) -> BTreeSet<String> {
        let pods = within(&self.registries, namespace);
        let own = pods.filter(|pod| pod.catalog() == Some(catalog));
        let own: BTreeSet<_> = own.filter_map(|pod| pod.metadata.name.as_deref()).collect();
        let events = within(&self.pull_secrets, namespace);
        let about = events.filter(|event| own.contains(event.involved_object.name.as_str()));
        let names = about.flat_map(|event| missing_pull_secrets(&event.message));
        names.map(str::to_owned).collect()
    }

    /// Returns the Jobs with which OLM unpacks bundles.
    pub(crate) fn unpacks(&self) -> Unpacks {
        Unpacks::of(&self.jobs, &self.pods, &self.refusals)
    }

    /// Returns other objects that a diagnosis of a namespace needs.
    pub(crate) fn around(&self, namespace: &Namespace, only: Option<&str>) -> Around {
        let sight = match (only, self.groups.state.trouble()) {
            (Some(only), _) => Sight::Dim(format!("this server observes only namespace {only}")),
            (None, Some(_)) => Sight::Dim(self.groups.state.to_string()),
            (None, None) => Sight::Clear,
        };
        Around {
            groups: ObservedObjects {
                objects: Around::claiming(namespace, self.groups.objects.values()),
                sight,
            },
            olm: self.olm_parts(),
            removals: Vec::new(),
            cordoned: self.cordoned(),
        }
    }

    /// Returns the cordoned nodes.
    fn cordoned(&self) -> ObservedObjects<Arc<Node>> {
        let nodes = self.nodes.objects.values();
        let trouble = self.nodes.state.trouble();
        ObservedObjects {
            objects: nodes.map(Arc::clone).collect(),
            sight: trouble.map_or(Sight::Clear, |_| Sight::Dim(self.nodes.state.to_string())),
        }
    }

    /// Returns the Deployments and Pods of OLM's controllers.
    fn olm_parts(&self) -> Vec<OlmPart> {
        let all = OlmController::ALL.iter().zip(&self.olm_pods);
        let parts = all.flat_map(|(controller, pods)| {
            let named = self.olm.objects.iter();
            let named = named.filter(|(key, _)| *key.name == *controller.name());
            named.map(|(key, deployment)| OlmPart {
                controller: *controller,
                deployment: Arc::clone(deployment),
                pods: within(pods, &key.namespace)
                    .map(|pod| Item::from(Arc::clone(pod)))
                    .collect(),
            })
        });
        parts.collect()
    }

    /// Returns if the cluster is OpenShift. The result is unknown for files that contain no
    /// ClusterVersion.
    pub(crate) fn openshift(&self) -> Openshift {
        if self.versions.state == State::NotServed {
            return Openshift::No;
        }
        let version = self.versions.object("", VERSION);
        let version = version.and_then(|told| Version::parse(told.version()).ok());
        version.map_or(Openshift::Unknown, Openshift::Yes)
    }

    /// Returns the namespace of the global catalogs. This is the OLM namespace of OpenShift if it
    /// contains catalogs, and otherwise the default namespace.
    pub(crate) fn global_namespace(&self) -> &'static str {
        const OPENSHIFT: &str = "openshift-marketplace";
        const USUAL: &str = "olm";
        let mut keys = self.sources.objects.keys();
        if keys.any(|key| &*key.namespace == OPENSHIFT) {
            OPENSHIFT
        } else {
            USUAL
        }
    }
}

pub(crate) fn within<'a, K>(
    view: &'a View<K>,
    namespace: &'a str,
) -> impl Iterator<Item = &'a Arc<K>> + use<'a, K> {
    let objects = view.objects.range(Key::new(namespace, "")..);
    let objects = objects.take_while(move |(key, _)| &*key.namespace == namespace);
    objects.map(|(_, object)| object)
}

fn check_observed<K>(kinds: &str, view: &View<K>) -> Result<(), String> {
    match view.state.trouble() {
        Some((trouble, _)) => Err(format!("{kinds} are not observed: {trouble}")),
        None => Ok(()),
    }
}
