//! Watches Portolan's own objects. They are diagnosed with their status.

use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_diagnosis::{Listed, OwnObjects, Removal};
use portolan_core_olm::{ClusterCatalog, ClusterExtension, ComponentOperator, applied_by_plan};
use portolan_world::{Area, Ended, FaultPlace, Kind, Objects, State, View, World};

use crate::components::FollowedComponents;
use crate::objects::known;
use crate::workloads::{FollowedWorkloads, FoundWorkloads, NearbyReader};

/// The watched kinds of Portolan.
#[derive(Debug, Clone)]
pub(crate) struct OwnKinds {
    plans: Objects<InstallPlan>,
    operator_policies: Objects<OperatorPolicy>,
    workloads: FollowedWorkloads,
    pub(crate) nearby: NearbyReader,
    /// The watched cluster-scoped kinds. None if only one namespace is watched.
    cluster_scoped: Option<ClusterScoped>,
}

/// The watched kinds that are cluster-scoped.
#[derive(Debug, Clone)]
struct ClusterScoped {
    operators: Objects<Operator>,
    installs: Objects<Install>,
    policies: Objects<Policy>,
    bindings: Objects<PolicyBinding>,
    component_operators: Objects<ComponentOperator>,
    extensions: Objects<ClusterExtension>,
    catalogs: Objects<ClusterCatalog>,
    components: FollowedComponents,
}

// === impl OwnKinds ===

impl OwnKinds {
    /// Watches the objects in the whole world or in one namespace.
    pub(crate) fn of(world: &impl World, namespace: Option<&str>) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            workloads: FollowedWorkloads::of(world, area.clone().with_labels(applied_by_plan())),
            nearby: NearbyReader::of(world),
            plans: world.objects_in(area.clone()),
            operator_policies: world.objects_in(area),
            cluster_scoped: namespace.is_none().then(|| ClusterScoped {
                operators: world.objects(),
                installs: world.objects(),
                policies: world.objects(),
                bindings: world.objects(),
                component_operators: world.objects(),
                extensions: world.objects(),
                catalogs: world.objects(),
                components: FollowedComponents::of(world),
            }),
        }
    }

    /// Waits until each kind has been listed or cannot be listed.
    pub(crate) async fn settled(&self) -> Result<(), Ended> {
        known(&self.plans).await?;
        known(&self.operator_policies).await?;
        self.workloads.settled().await?;
        let Some(cluster_scoped) = &self.cluster_scoped else {
            return Ok(());
        };
        known(&cluster_scoped.operators).await?;
        known(&cluster_scoped.installs).await?;
        known(&cluster_scoped.policies).await?;
        known(&cluster_scoped.bindings).await?;
        known(&cluster_scoped.component_operators).await?;
        known(&cluster_scoped.extensions).await?;
        known(&cluster_scoped.catalogs).await?;
        cluster_scoped.components.settled().await
    }

    /// Returns the current workloads that InstallPlans have applied. Returns None until every kind
    /// has been listed.
    pub(crate) fn workloads(&self) -> Option<FoundWorkloads> {
        let found = self.workloads.now()?;
        Some(found.with_jobs(&self.plans))
    }

    /// Returns the operators that OperatorPolicies remove.
    pub(crate) fn removals(&self) -> Vec<Removal> {
        let policies = self.operator_policies.clone().now();
        let policies = policies.objects.values();
        policies.flat_map(|policy| Removal::of(policy)).collect()
    }

    /// Returns the current workloads of Portolan's components. Returns None until every kind has
    /// been listed.
    pub(crate) fn of_portolan(&self) -> Option<FoundWorkloads> {
        let cluster_scoped = self.cluster_scoped.as_ref();
        cluster_scoped.map_or_else(
            || Some(FoundWorkloads::default()),
            |it| it.components.workloads(),
        )
    }

    /// Returns the current objects. Returns None until all kinds have been listed.
    pub(crate) fn now(&self) -> Option<OwnObjects> {
        let mut own = OwnObjects {
            plans: listed(&self.plans)?,
            operator_policies: listed(&self.operator_policies)?,
            ..OwnObjects::default()
        };
        if let Some(cluster_scoped) = &self.cluster_scoped {
            own.operators = listed(&cluster_scoped.operators)?;
            own.installs = listed(&cluster_scoped.installs)?;
            own.policies = listed(&cluster_scoped.policies)?;
            own.bindings = listed(&cluster_scoped.bindings)?;
            own.component_operators = listed(&cluster_scoped.component_operators)?;
            own.extensions = listed(&cluster_scoped.extensions)?;
            own.catalogs = listed(&cluster_scoped.catalogs)?;
            own.components = cluster_scoped.components.now()?;
        }
        Some(own)
    }
}

/// Returns the objects of a kind, and the reasons why objects may be missing. Returns None until
/// the kind has been listed. A kind that the API server does not serve has no objects.
pub(crate) fn listed<K: Kind>(objects: &Objects<K>) -> Option<Listed<K>> {
    let view = objects.clone().now();
    (view.state != State::Pending).then(|| Listed {
        objects: view.objects.values().cloned().collect(),
        troubles: troubles(&view),
    })
}

pub(crate) fn troubles<K>(view: &View<K>) -> Vec<String> {
    // The time of the error is left out, so that a dump and the cluster give the same result.
    let state = view.state.trouble().map(|(trouble, _)| trouble.to_string());
    // A document of unknown kind is a fault of every kind, so the caller reports its fault only
    // once.
    let faults = view.faults.iter().filter(|fault| match &fault.place {
        FaultPlace::Object(_) => true,
        FaultPlace::File { object, .. } => object.is_some(),
    });
    state
        .into_iter()
        .chain(faults.map(ToString::to_string))
        .collect()
}
