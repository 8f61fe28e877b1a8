//! Finds Deployments that another client changes again and again, so that OLM never completes the
//! installation.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{Csv, CsvPhase, Workload};
use portolan_core_names::text::cite;

use crate::case::Case;
use crate::command::Target;
use crate::cure::Cure;
use crate::{Cause, Code, Evidence, Object, State, Step, evidence, words};

/// The number of installations that indicates a conflict with another client.
const REPEATED: usize = 3;
/// The maximum time in seconds between the first and the last of these installations. Users make
/// manual changes less often.
const WITHIN: i64 = 3600;

/// The kind of Applications of Argo CD.
pub(crate) const APPLICATION: &str = "Application.argoproj.io";

/// Returns the cause if another client keeps changing a Deployment of the operator. In this case,
/// OLM has installed the operator several times in a short time, and the conflict still continues.
pub(crate) fn cause(case: Case<'_>) -> Option<Cause> {
    let csv = case.newest()?;
    let resets: Vec<&Time> = csv.resets().collect();
    let last = resets
        .len()
        .checked_sub(REPEATED)
        .and_then(|at| resets.get(at..))?;
    let seconds = last.last()?.0.as_second() - last.first()?.0.as_second();
    let relabeled = relabeled(case, csv);
    let is_under_way = matches!(
        csv.status.phase,
        CsvPhase::Pending | CsvPhase::InstallReady | CsvPhase::Installing
    );
    if seconds > WITHIN || !(is_under_way || relabeled.is_some()) {
        return None;
    }
    let own = || case.deployments(csv);
    let contested = relabeled.or_else(|| own().max_by_key(|one| one.last_other_writer()));
    Some(contest(csv, contested?, &resets))
}

/// Returns the time of the first installation in OLM's status. OLM removes older installations from
/// the status.
pub(crate) fn since(case: Case<'_>) -> Option<Time> {
    case.newest()?.resets().next().cloned()
}

/// Returns the version whose Deployment the other client applies.
pub(crate) fn running(case: Case<'_>) -> Option<String> {
    let owner = relabeled(case, case.newest()?)?.owner()?;
    Some(owner.to_owned())
}

/// Returns the end of a sentence about how often the Pods of the operator are replaced.
pub(crate) fn pace(case: Case<'_>) -> String {
    let csv = case.newest();
    let resets: Vec<&Time> = csv.into_iter().flat_map(|csv| csv.resets()).collect();
    rate(&resets).unwrap_or_else(|| "with each change".to_owned())
}

/// Returns the average time between the installations as text, for example "about once a minute".
/// Returns None if fewer than two times are known.
fn rate(resets: &[&Time]) -> Option<String> {
    let (first, last) = (resets.first()?, resets.last()?);
    let gaps = i64::try_from(resets.len().checked_sub(1)?).ok()?;
    let seconds = (last.0.as_second() - first.0.as_second()).checked_div(gaps)?;
    Some(match seconds {
        ..=0 => return None,
        1..45 => format!("about every {seconds} seconds"),
        45..90 => "about once a minute".to_owned(),
        90.. => format!("about every {} minutes", (seconds + 30) / 60),
    })
}

fn relabeled<'a>(case: Case<'a>, csv: &'a Csv) -> Option<&'a Workload> {
    case.deployments(csv).find(|one| is_relabeled(csv, one))
}

/// Returns true if the label and the owner reference of the Deployment name different versions. OLM
/// never writes such a Deployment, so another client has written it.
fn is_relabeled(csv: &Csv, deployment: &Workload) -> bool {
    let name = &csv.observed.object.name;
    let is_own = deployment.owning_csvs().any(|owner| owner == name);
    is_own && deployment.owner().is_some_and(|owner| owner != name)
}

fn contest(csv: &Csv, deployment: &Workload, resets: &[&Time]) -> Cause {
    let object = Object::from(&deployment.observed.object);
    let manager = deployment.last_other_writer();
    let by = match manager {
        Some(manager) => format!("Field manager {}", cite(manager)),
        None => "Another client".to_owned(),
    };
    let times = resets.len();
    let seen = resets.first().map_or_else(String::new, |first| {
        format!(" since {}", words::time(first))
    });
    let rate = rate(resets).map_or_else(String::new, |rate| format!(", {rate}"));
    let old = match deployment.owner().filter(|_| is_relabeled(csv, deployment)) {
        Some(owner) => format!(
            " The other client applies the Deployment of {owner}, as the label olm.owner of the \
             Deployment shows. So {owner} runs, and not {}.",
            csv.observed.object.name
        ),
        None => String::new(),
    };
    let message = format!(
        "{by} changes {object}. OLM reverts the change and installs {} again. This has happened at \
         least {times} times{seen}{rate}. OLM does not report earlier changes. The conflict \
         between OLM and the other client does not end by itself.{old}",
        csv.observed.object
    );
    let at_fault = source(deployment).unwrap_or_else(|| object.clone());
    let cause = Cause::new(Code::DeploymentContested, State::Stuck, at_fault, &message);
    let (who, place) = owner(deployment);
    let action = format!(
        "Remove {object} from {place}, but do not delete {object} from the cluster. For Argo CD, \
         first add annotation argocd.argoproj.io/sync-options: Prune=false to the Deployment in \
         Git, and let Argo CD sync. After the removal, OLM finishes the installation by itself. Do \
         not delete the ClusterServiceVersion."
    );
    let look = Target::named(&object).map(|target| {
        let comment = format!("Show {object}, with the clients that change it");
        Step::new(&comment, target.get_with_managers())
    });
    let cause = cause.cured(Cure::external(&who, &action)).looked(look);
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

/// Returns the Argo CD Application that manages the Deployment. The namespace of the Application is
/// unknown.
fn source(deployment: &Workload) -> Option<Object> {
    let application = deployment.application()?;
    Some(Object::new(APPLICATION, "", cite(application)))
}

/// Returns the owner of the other client, and the source from which the other client applies the
/// Deployment.
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
                format!("the manifests that {manager} applies"),
            )
        }
        None => (
            "the owner of the other client".to_owned(),
            "the manifests that the other client applies".to_owned(),
        ),
    }
}
