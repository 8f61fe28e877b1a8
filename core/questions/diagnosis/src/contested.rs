//! Deployments that another client changes again and again, so that OLM installs without end.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{Csv, CsvPhase, Workload};
use portolan_core_names::text::cite;

use crate::case::Case;
use crate::cure::Cure;
use crate::{Cause, Code, Evidence, Object, State, evidence};

/// The number of installations that count as repeated.
const REPEATED: usize = 3;
/// The time within which they must have begun, in seconds. Changes by hand are rarer.
const WITHIN: i64 = 3600;

/// Returns the cause if OLM has installed the operator several times in a short time, because its
/// Deployment was changed, and is doing so still.
pub(crate) fn cause(case: Case<'_>) -> Option<Cause> {
    let csv = case.newest()?;
    let resets: Vec<&Time> = csv.resets().collect();
    let last = resets
        .len()
        .checked_sub(REPEATED)
        .and_then(|at| resets.get(at..))?;
    let (first, newest) = (last.first()?, last.last()?);
    let seconds = newest.0.as_second() - first.0.as_second();
    let wanted = csv.deployments().iter();
    let deployments = wanted.filter_map(|wanted| case.situation().deployment(&wanted.name));
    let deployments: Vec<&Workload> = deployments.collect();
    let contested = deployments.iter().find(|one| is_relabeled(csv, one));
    let is_under_way = matches!(
        csv.status.phase,
        CsvPhase::Pending | CsvPhase::InstallReady | CsvPhase::Installing
    );
    if seconds > WITHIN || !(is_under_way || contested.is_some()) {
        return None;
    }
    let contested =
        contested.or_else(|| deployments.iter().max_by_key(|one| one.last_other_writer()));
    Some(contest(csv, contested?, (resets.len(), first)))
}

/// Returns true if the label of the Deployment names another version than its owner reference. Only
/// another client than OLM writes that.
fn is_relabeled(csv: &Csv, deployment: &Workload) -> bool {
    let name = &csv.observed.object.name;
    let is_own = deployment.owning_csvs().any(|owner| owner == name);
    is_own && deployment.owner().is_some_and(|owner| owner != name)
}

fn contest(csv: &Csv, deployment: &Workload, (times, since): (usize, &Time)) -> Cause {
    let at_fault = Object::from(&deployment.observed.object);
    let manager = deployment.last_other_writer();
    let by = match manager {
        Some(manager) => format!("field manager {}", cite(manager)),
        None => "another client".to_owned(),
    };
    let seen = since.0.strftime("%H:%M UTC");
    let old = match deployment.owner().filter(|_| is_relabeled(csv, deployment)) {
        Some(owner) => {
            format!(" Its label olm.owner names {owner}, so it comes from a copy of that version.")
        }
        None => String::new(),
    };
    let message = format!(
        "{} is installed again and again, {REPEATED} times since {seen}: {by} changes \
         {at_fault}, and OLM changes it back. This never ends by itself.{old}",
        csv.observed.object
    );
    let cause = Cause::new(Code::DeploymentContested, State::Stuck, at_fault, &message);
    let (who, place) = owner(deployment);
    let action = format!(
        "Take the Deployment out of {place}, without deleting it from the cluster (for Argo CD, first annotate it \
         with argocd.argoproj.io/sync-options: Prune=false). OLM then finishes by itself. Do not delete the \
         ClusterServiceVersion."
    );
    let cause = cause.cured(Cure::external(&who, &action));
    let written = manager.map(|manager| {
        Evidence::new(
            &deployment.observed.object,
            "metadata.managedFields[last]",
            manager,
        )
    });
    let resets = Evidence::new(
        &csv.observed.object,
        "status.conditions[deployment changed]",
        &times.to_string(),
    );
    cause
        .shown(written)
        .shown([resets])
        .shown(evidence::deployment(deployment))
}

/// Returns the owner of the other client, and the place from which it applies the Deployment.
fn owner(deployment: &Workload) -> (String, String) {
    if let Some(application) = deployment.application() {
        let application = format!("Argo CD Application {}", cite(application));
        return (format!("the owner of {application}"), application);
    }
    match deployment.last_other_writer() {
        Some(manager) => {
            let manager = cite(manager);
            (
                format!("the owner of {manager}"),
                format!("what {manager} applies"),
            )
        }
        None => (
            "the owner of the other client".to_owned(),
            "what it applies".to_owned(),
        ),
    }
}
