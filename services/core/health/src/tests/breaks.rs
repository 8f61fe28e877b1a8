//! Ways to break one thing of a namespace.

use super::kit::*;
use crate::*;

/// One thing that breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    Bind,
    CatalogGone,
    CsvDeleted,
    CsvFailed,
    DeploymentBehind,
    DeploymentDeleted,
    DeploymentDown,
    DeploymentGone,
    DeploymentLate,
    DeploymentPaused,
    DeploymentRefused,
    DefinitionGone,
    DefinitionGoing,
    DefinitionLost,
    GroupAdded,
    GroupDeleted,
    GroupGone,
    Modes,
    PlanFailed,
    PodCrashes,
    Resolution,
    Scaled,
    Served,
    Stored,
}

impl Break {
    pub(super) const ALL: &[Self] = &[
        Self::Bind,
        Self::CatalogGone,
        Self::CsvDeleted,
        Self::CsvFailed,
        Self::DeploymentBehind,
        Self::DeploymentDeleted,
        Self::DeploymentDown,
        Self::DeploymentGone,
        Self::DeploymentLate,
        Self::DeploymentPaused,
        Self::DeploymentRefused,
        Self::DefinitionGone,
        Self::DefinitionGoing,
        Self::DefinitionLost,
        Self::GroupAdded,
        Self::GroupDeleted,
        Self::GroupGone,
        Self::Modes,
        Self::PlanFailed,
        Self::PodCrashes,
        Self::Resolution,
        Self::Scaled,
        Self::Served,
        Self::Stored,
    ];

    /// Breaks one thing, if it is there: of several the one that `which` points at.
    pub(super) fn strike(self, all: &mut Namespace, which: usize) {
        match self {
            Self::Bind => pick(&mut all.csvs, which, |csv| {
                csv.requirements
                    .push(requirement("ServiceAccount", "deckhand", "NotPresent"));
            }),
            Self::CatalogGone => remove(&mut all.catalogs, which),
            Self::CsvDeleted => pick(&mut all.csvs, which, |csv| csv.is_deleting = true),
            Self::CsvFailed => pick(&mut all.csvs, which, |csv| csv.phase = Phase::Failed),
            Self::DeploymentBehind => pick(&mut all.deployments, which, |one| one.generation += 1),
            Self::DeploymentDeleted => {
                pick(&mut all.deployments, which, |one| one.is_deleting = true);
            }
            Self::DeploymentDown => pick(&mut all.deployments, which, |one| {
                one.available = 0;
                says(
                    &mut one.conditions,
                    "Available",
                    "False",
                    "MinimumReplicasUnavailable",
                );
            }),
            Self::DeploymentGone => remove(&mut all.deployments, which),
            Self::DeploymentLate => pick(&mut all.deployments, which, |one| {
                says(
                    &mut one.conditions,
                    "Progressing",
                    "False",
                    "ProgressDeadlineExceeded",
                );
            }),
            Self::DeploymentPaused => pick(&mut all.deployments, which, |one| one.is_paused = true),
            Self::DeploymentRefused => pick(&mut all.deployments, which, |one| {
                says(
                    &mut one.conditions,
                    "ReplicaFailure",
                    "True",
                    "FailedCreate",
                );
            }),
            Self::DefinitionGone => remove(&mut all.definitions, which),
            Self::DefinitionGoing => {
                pick(&mut all.definitions, which, |one| one.is_deleting = true);
            }
            Self::DefinitionLost => pick(&mut all.definitions, which, |one| {
                says(&mut one.conditions, "Established", "False", "Installing");
            }),
            Self::GroupAdded => all.groups.objects.push(group("one-too-many")),
            Self::GroupDeleted => pick(&mut all.groups, which, |group| group.is_deleting = true),
            // Of several groups one that goes is no break.
            Self::GroupGone if all.groups.objects.len() == 1 => all.groups.objects.clear(),
            Self::GroupGone => {}
            Self::Modes => pick(&mut all.csvs, which, |csv| csv.modes.clear()),
            Self::PlanFailed => pick(&mut all.plans, which, |one| one.phase = PlanPhase::Failed),
            Self::PodCrashes => pick(&mut all.deployments, which, crash),
            Self::Resolution => pick(&mut all.subscriptions, which, |wish| {
                says(
                    &mut wish.conditions,
                    "ResolutionFailed",
                    "True",
                    "ConstraintsNotSatisfiable",
                );
            }),
            Self::Scaled => scale(all, which),
            Self::Served => pick(&mut all.served, which, |one| {
                says(
                    &mut one.conditions,
                    "Available",
                    "False",
                    "MissingEndpoints",
                );
            }),
            Self::Stored => pick(&mut all.definitions, which, |one| {
                one.stored.insert("v0lost".to_owned());
            }),
        }
    }
}

fn pick<T>(seen: &mut Seen<T>, which: usize, change: impl FnOnce(&mut T)) {
    let count = seen.objects.len().max(1);
    if let Some(object) = seen.objects.get_mut(which % count) {
        change(object);
    }
}

fn remove<T>(seen: &mut Seen<T>, which: usize) {
    if !seen.objects.is_empty() {
        let which = which % seen.objects.len();
        seen.objects.remove(which);
    }
}

fn says(conditions: &mut Vec<Condition>, kind: &str, status: &str, reason: &str) {
    conditions.retain(|said| said.kind != kind);
    conditions.push(condition(kind, status, reason, ""));
}

/// Every container of every Pod is in a loop.
fn crash(deployment: &mut Deployment) {
    if let Below::Looked { pods, .. } = &mut deployment.below {
        for container in pods.objects.iter_mut().flat_map(|pod| &mut pod.containers) {
            (
                container.is_ready,
                container.is_running,
                container.terminated,
            ) = (false, false, None);
            container.waiting = Some(Waiting {
                reason: "CrashLoopBackOff".to_owned(),
                message: String::new(),
            });
        }
    }
}

/// Scaled to zero, which is no break where nothing is wanted.
fn scale(all: &mut Namespace, which: usize) {
    let mut wanted = all.csvs.objects.iter().flat_map(|csv| &csv.deployments);
    if wanted.all(|wanted| wanted.replicas != Some(0)) {
        pick(&mut all.deployments, which, |one| one.replicas = 0);
    }
}
