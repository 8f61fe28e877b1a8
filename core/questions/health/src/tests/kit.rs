//! Builds test namespaces: `world()` returns a healthy namespace, and each method of [`World`]
//! changes one object.

use portolan_core_olm::{
    CatalogSource, Condition, ContainerStatus, CustomResourceDefinition, Event, InstallPlan,
    OperatorGroup, Pod, ReplicaSet, Subscription,
};

use crate::*;

mod objects;
mod tale;

pub(crate) use objects::*;
pub(crate) use tale::*;

/// The name of the namespace in all test scenarios.
pub(crate) const HOME: &str = "demo";

/// A namespace under construction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct World(pub(crate) Namespace);

/// Returns a healthy namespace with package ferry in version 1, from the catalog `ports`.
pub(crate) fn world() -> World {
    World(Namespace {
        name: HOME.to_owned(),
        subscriptions: vec![subscription("ferry", "ferry.v1")].into(),
        groups: vec![group("only")].into(),
        plans: vec![plan("install-a", &["ferry.v1"])].into(),
        csvs: vec![csv("ferry.v1")].into(),
        copied: Vec::new().into(),
        conditions: Vec::new().into(),
        deployments: vec![deployment("ferry", "ferry.v1")].into(),
        crds: vec![crd("ferries.demo.example")].into(),
        served: Vec::new().into(),
        catalogs: vec![catalog("ports")].into(),
    })
}

/// Returns the namespace before any installation.
pub(crate) fn fresh() -> World {
    world().namespace(|namespace| {
        namespace.csvs.objects.clear();
        namespace.deployments.objects.clear();
        namespace.crds.objects.clear();
        namespace.plans.objects.clear();
        namespace.subscriptions.objects[0].status = Default::default();
    })
}

/// Returns a namespace in which OLM upgrades the operator from version 1 to version 2. The newer
/// ClusterServiceVersion has this phase.
pub(crate) fn upgrade(phase: CsvPhase, reason: &str) -> World {
    let next = phase.clone();
    world().namespace(|namespace| {
        namespace.csvs.objects[0].status.phase = CsvPhase::Replacing;
        let mut newer = csv("ferry.v2");
        newer.spec.replaces = "ferry.v1".to_owned();
        newer.spec.version = "2.0.0".to_owned();
        newer.status.phase = next;
        newer.status.reason = reason.to_owned();
        newer.status.message = String::new();
        namespace.csvs.objects.push(newer);
        let subscription = &mut namespace.subscriptions.objects[0];
        subscription.status.current_csv = "ferry.v2".to_owned();
        subscription.status.install_plan_ref = plan_ref("install-b");
        namespace
            .plans
            .objects
            .push(plan("install-b", &["ferry.v2"]));
        if phase == CsvPhase::Installing {
            let deployment = &mut namespace.deployments.objects[0];
            label(&mut deployment.metadata, "olm.owner", "ferry.v2");
        }
    })
}

/// Returns a namespace whose Deployment is in its first rollout and has one Pod.
pub(crate) fn rollout(pod: impl FnOnce(&mut Item<Pod>)) -> World {
    let mut only = self::pod("ferry-1-a");
    pod(&mut only);
    world().deployment(|deployment| {
        deployment.status.available_replicas = 0;
        deployment.status.conditions = vec![
            condition("Available", "False", "MinimumReplicasUnavailable", ""),
            condition("Progressing", "True", "ReplicaSetUpdated", ""),
        ];
        deployment.below = looked_below(vec![only], Vec::new());
    })
}

/// Returns a namespace whose Deployment is rolled out but unavailable, and has one Pod.
pub(crate) fn outage(pod: impl FnOnce(&mut Item<Pod>)) -> World {
    rollout(pod).deployment(|deployment| {
        deployment.status.conditions[1].reason = "NewReplicaSetAvailable".to_owned();
    })
}

/// Returns a namespace whose Deployment is in its first rollout. `container` changes its only
/// container.
pub(crate) fn container(container: impl FnOnce(&mut ContainerStatus)) -> World {
    rollout(|pod| container(&mut pod.status.container_statuses[0]))
}

/// Returns a namespace in which the only container waits with this reason.
pub(crate) fn waiting(reason: &str, message: &str) -> World {
    container(|container| set_waiting(container, reason, message))
}

// === impl World ===

impl World {
    pub(crate) fn namespace(mut self, change: impl FnOnce(&mut Namespace)) -> Self {
        change(&mut self.0);
        self
    }

    pub(crate) fn subscription(self, change: impl FnOnce(&mut Item<Subscription>)) -> Self {
        self.namespace(|all| change(&mut all.subscriptions.objects[0]))
    }

    pub(crate) fn group(self, change: impl FnOnce(&mut Item<OperatorGroup>)) -> Self {
        self.namespace(|all| change(&mut all.groups.objects[0]))
    }

    /// Changes the last InstallPlan.
    pub(crate) fn plan(self, change: impl FnOnce(&mut Item<InstallPlan>)) -> Self {
        self.namespace(|all| {
            all.plans
                .objects
                .last_mut()
                .into_iter()
                .for_each(change_once(change))
        })
    }

    /// Changes the newest ClusterServiceVersion.
    pub(crate) fn csv(self, change: impl FnOnce(&mut Csv)) -> Self {
        self.namespace(|all| {
            all.csvs
                .objects
                .last_mut()
                .into_iter()
                .for_each(change_once(change))
        })
    }

    pub(crate) fn deployment(self, change: impl FnOnce(&mut Workload)) -> Self {
        self.namespace(|all| change(&mut all.deployments.objects[0]))
    }

    pub(crate) fn crd(self, change: impl FnOnce(&mut Item<CustomResourceDefinition>)) -> Self {
        self.namespace(|all| change(&mut all.crds.objects[0]))
    }

    pub(crate) fn catalog(self, change: impl FnOnce(&mut Item<CatalogSource>)) -> Self {
        self.namespace(|all| change(&mut all.catalogs.objects[0]))
    }

    /// Sets the phase of the newest ClusterServiceVersion.
    pub(crate) fn phase(self, phase: CsvPhase, reason: &str, message: &str) -> Self {
        self.csv(|csv| {
            csv.status.phase = phase;
            csv.status.reason = reason.to_owned();
            csv.status.message = message.to_owned();
        })
    }

    /// Makes the newest ClusterServiceVersion wait for this missing requirement.
    pub(crate) fn lacks(self, kind: &str, name: &str, status: &str) -> Self {
        let waits = self.phase(
            CsvPhase::Pending,
            "RequirementsNotMet",
            "one or more requirements couldn't be found",
        );
        waits.csv(|csv| {
            csv.status
                .requirements
                .push(requirement(kind, name, status))
        })
    }

    /// Sets a condition of the Subscription.
    pub(crate) fn condition(self, kind: &str, reason: &str, message: &str) -> Self {
        self.subscription(|subscription| {
            subscription
                .status
                .conditions
                .push(condition(kind, "True", reason, message))
        })
    }

    /// Sets the phase of the last InstallPlan.
    pub(crate) fn planned(self, phase: InstallPlanPhase) -> Self {
        self.plan(|plan| {
            plan.spec.approved = phase != InstallPlanPhase::RequiresApproval;
            plan.status.phase = phase;
        })
    }

    /// Adds an InstallPlan in this phase. It installs the first ClusterServiceVersion.
    pub(crate) fn first_plan(self, phase: InstallPlanPhase) -> Self {
        let named = self.namespace(|all| all.plans.objects.push(plan("install-a", &["ferry.v1"])));
        named.planned(phase).subscription(|subscription| {
            subscription.status.state = "UpgradePending".to_owned();
            subscription.status.install_plan_ref = plan_ref("install-a");
            subscription.status.current_csv = "ferry.v1".to_owned();
        })
    }

    /// Sets a condition of the Deployment. Replaces the previous condition of the same type.
    pub(crate) fn rolls(self, kind: &str, status: &str, reason: &str, message: &str) -> Self {
        self.deployment(|one| {
            one.status.conditions.retain(|said| said.r#type != kind);
            one.status
                .conditions
                .push(condition(kind, status, reason, message));
        })
    }

    /// Adds a warning about the Pod.
    pub(crate) fn event(self, reason: &str, message: &str, last_seen: &str) -> Self {
        let mut event = event("ferry-1-a");
        event.reason = reason.to_owned();
        event.message = message.to_owned();
        event.last_timestamp = Some(last_seen.to_owned());
        self.below(|_, _, events| events.push(event))
    }

    /// Changes the ReplicaSets, Pods and Events of the Deployment.
    pub(crate) fn below(
        self,
        change: impl FnOnce(&mut Vec<Item<ReplicaSet>>, &mut Vec<Item<Pod>>, &mut Vec<Item<Event>>),
    ) -> Self {
        self.deployment(|deployment| match &mut deployment.below {
            Below::Looked {
                replica_sets,
                pods,
                events,
            } => change(
                &mut replica_sets.objects,
                &mut pods.objects,
                &mut events.objects,
            ),
            Below::NotLooked | Below::TooMany(_) => panic!("the story has nothing below"),
        })
    }

    /// Sets the conditions that an operator reports about itself.
    pub(crate) fn operator_says(self, csv: &str, said: &[(&str, &str, &str)]) -> Self {
        let conditions = said
            .iter()
            .map(|(kind, status, message)| Condition {
                observed_generation: Some(1),
                ..condition(kind, status, "Said", message)
            })
            .collect();
        let mut own = operator_condition(csv);
        own.status.conditions = conditions;
        self.namespace(|all| all.conditions.objects.push(own))
    }
}

fn change_once<T>(change: impl FnOnce(&mut T)) -> impl FnMut(&mut T) {
    let mut change = Some(change);
    move |object| change.take().into_iter().for_each(|change| change(object))
}
