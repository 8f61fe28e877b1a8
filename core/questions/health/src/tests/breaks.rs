//! Functions that break one object in a namespace.

use portolan_core_olm::Condition;

use super::kit::*;
use crate::*;

/// A named function that breaks one object in a namespace. The second argument selects one of
/// several objects.
pub(super) type Break = (&'static str, fn(&mut Namespace, usize));

/// The functions that break one object. No function may improve a verdict.
pub(super) const BREAKS: &[Break] = &[
    ("a requirement is not met", |all, which| {
        pick(&mut all.csvs, which, |csv| {
            csv.status
                .requirements
                .push(requirement("ServiceAccount", "deckhand", "NotPresent"));
        });
    }),
    ("a catalog is gone", |all, which| {
        remove(&mut all.catalogs, which)
    }),
    ("a csv is being deleted", |all, which| {
        pick(&mut all.csvs, which, |csv| {
            csv.metadata.deletion_timestamp = deleted()
        });
    }),
    ("a csv has failed", |all, which| {
        pick(&mut all.csvs, which, |csv| {
            csv.status.phase = CsvPhase::Failed
        })
    }),
    ("a csv supports nothing", |all, which| {
        pick(&mut all.csvs, which, |csv| csv.spec.install_modes.clear())
    }),
    ("a deployment is not observed", |all, which| {
        pick(&mut all.deployments, which, |one| {
            one.metadata.generation = Some(2)
        });
    }),
    ("a deployment is being deleted", |all, which| {
        pick(&mut all.deployments, which, |one| {
            one.metadata.deletion_timestamp = deleted()
        });
    }),
    ("a deployment is down", |all, which| {
        pick(&mut all.deployments, which, |one| {
            one.status.available_replicas = 0;
            set_condition(
                &mut one.status.conditions,
                "Available",
                "False",
                "MinimumReplicasUnavailable",
            );
        });
    }),
    ("a deployment is gone", |all, which| {
        remove(&mut all.deployments, which)
    }),
    ("a deployment is late", |all, which| {
        pick(&mut all.deployments, which, |one| {
            set_condition(
                &mut one.status.conditions,
                "Progressing",
                "False",
                "ProgressDeadlineExceeded",
            );
        });
    }),
    ("a deployment is paused", |all, which| {
        pick(&mut all.deployments, which, |one| one.spec.paused = true);
    }),
    ("a deployment cannot make its pods", |all, which| {
        pick(&mut all.deployments, which, |one| {
            set_condition(
                &mut one.status.conditions,
                "ReplicaFailure",
                "True",
                "FailedCreate",
            );
        });
    }),
    ("a deployment is scaled to zero", scale),
    ("all pods crash", |all, which| {
        pick(&mut all.deployments, which, crash)
    }),
    ("a definition is gone", |all, which| {
        remove(&mut all.crds, which)
    }),
    ("a definition is being deleted", |all, which| {
        pick(&mut all.crds, which, |one| {
            one.metadata.deletion_timestamp = deleted()
        });
    }),
    ("a definition is not established", |all, which| {
        pick(&mut all.crds, which, |one| {
            set_condition(
                &mut one.status.conditions,
                "Established",
                "False",
                "Installing",
            );
        });
    }),
    ("a definition has lost a version", |all, which| {
        pick(&mut all.crds, which, |one| {
            one.status.stored_versions.push("v0lost".to_owned());
        });
    }),
    ("an api does not answer", |all, which| {
        pick(&mut all.served, which, |one| {
            set_condition(
                &mut one.status.conditions,
                "Available",
                "False",
                "MissingEndpoints",
            );
        });
    }),
    ("a group is one too many", |all, _| {
        if !all.groups.objects.is_empty() {
            all.groups.objects.push(group("one-too-many"));
        }
    }),
    ("a group is being deleted", |all, which| {
        pick(&mut all.groups, which, |group| {
            group.metadata.deletion_timestamp = deleted()
        });
    }),
    // If the namespace has several OperatorGroups, removing one of them can improve the verdict.
    ("the only group is gone", |all, which| {
        if all.groups.objects.len() == 1 {
            remove(&mut all.groups, which);
        }
    }),
    ("a plan has failed", |all, which| {
        pick(&mut all.plans, which, |plan| {
            plan.status.phase = InstallPlanPhase::Failed
        });
    }),
    ("nothing resolves", |all, which| {
        pick(&mut all.subscriptions, which, |subscription| {
            set_condition(
                &mut subscription.status.conditions,
                "ResolutionFailed",
                "True",
                "ConstraintsNotSatisfiable",
            );
        });
    }),
];

fn pick<T>(seen: &mut ObservedObjects<T>, which: usize, change: impl FnOnce(&mut T)) {
    let count = seen.objects.len().max(1);
    if let Some(object) = seen.objects.get_mut(which % count) {
        change(object);
    }
}

/// Removes an object. Does nothing if the kind was not read completely, because a missing object of
/// this kind does not count as deleted.
fn remove<T>(seen: &mut ObservedObjects<T>, which: usize) {
    if seen.sight == Sight::Clear && !seen.objects.is_empty() {
        let which = which % seen.objects.len();
        seen.objects.remove(which);
    }
}

fn set_condition(conditions: &mut Vec<Condition>, kind: &str, status: &str, reason: &str) {
    conditions.retain(|said| said.r#type != kind);
    conditions.push(condition(kind, status, reason, ""));
}

/// Puts every container of every Pod in a crash loop.
fn crash(deployment: &mut Workload) {
    if let Below::Looked { pods, .. } = &mut deployment.below {
        for pod in &mut pods.objects {
            let status = &mut pod.status;
            let first = status.init_container_statuses.iter_mut();
            for container in first.chain(&mut status.container_statuses) {
                container.ready = false;
                container.state.terminated = None;
                set_waiting(container, "CrashLoopBackOff", "");
            }
        }
    }
}

/// Scales a Deployment to zero. Does nothing if an operator requests zero replicas, because zero
/// replicas would then be correct.
fn scale(all: &mut Namespace, which: usize) {
    let mut wanted = all.csvs.objects.iter().flat_map(|csv| csv.deployments());
    if wanted.all(|wanted| wanted.replicas() != 0) {
        pick(&mut all.deployments, which, |one| {
            one.spec.replicas = Some(0)
        });
    }
}
