//! Shows the changes that a plan would make in a cluster at this time.

mod report;

use portolan_api::plan::{InstallPlan, Intent};
use portolan_core_install::{Contents, Lineages, Succession};
use portolan_plans::LivePlan;

use self::report::LiveDocument;
use super::{PlanArgs, PlanFile, PlanRef, Plans};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::{self, Format};
use crate::progress;

/// The uid for a plan that does not exist in the cluster yet. A dry run marks objects with the uid
/// of their plan.
const NOT_YET: &str = "00000000-0000-0000-0000-000000000000";

/// The plans of the cluster, with their lineages if these are known.
struct Ground {
    plans: Plans,
    living: Lineages,
}

pub(super) async fn run(
    facts: &PlanArgs,
    asked: &PlanRef,
    (said, output): (&str, Format),
) -> Result<Exit, Failure> {
    let written = match asked {
        PlanRef::File(file) => Some(PlanFile::within(file, said)?),
        PlanRef::Name(_) => None,
    };
    let namespace = match &written {
        Some(written) => written.namespace()?,
        None => said,
    };
    let Ground { plans, living } = ground(facts, namespace).await?;
    let (plan, contents) = match (asked, written) {
        (_, Some(PlanFile { plan, contents })) => (in_cluster(plan, &plans), contents),
        (PlanRef::Name(name), None) => ((**plans.named(name)?).clone(), Contents::default()),
        (PlanRef::File(_), None) => return Err(Failure::usage("name a plan")),
    };
    let name = plan.metadata.name.clone().unwrap_or_default();
    let succession = plans.succession(&plan);
    if let Some(why) = at_rest(&plan, &succession) {
        print::note(&format!("{name} changes nothing: {why}"));
        return Ok(Exit::Answered);
    }
    let Some(cluster) = plans.cluster() else {
        return Err(Failure::usage(
            "--live requires a cluster, and cannot be used with --world",
        ));
    };
    if Intent::parse(&plan).is_ok_and(|intent| intent.is_suspended) {
        print::warn(&format!(
            "plan {name} is suspended; the listed changes are made only when spec.suspend is false"
        ));
    }
    let asked = LivePlan {
        plan: &plan,
        contents,
        succession,
        living,
    };
    let comparing = portolan_plans::live(cluster.client(), asked);
    let live = progress::show_while("comparing with the cluster", comparing).await;
    let live = live.map_err(|failure| {
        Failure::failed_to("cannot compare the plan with the cluster", &failure)
    })?;
    output.show(&LiveDocument::of(name, live))
}

/// Reads the plans of all namespaces. If the user may not list all plans, reads the plans of the
/// namespace.
async fn ground(facts: &PlanArgs, namespace: &str) -> Result<Ground, Failure> {
    let (plans, is_complete) = match facts.read("").await {
        Ok(plans) => (plans, true),
        Err(_) if !namespace.is_empty() => (facts.read(namespace).await?, false),
        Err(failure) => return Err(failure),
    };
    Ok(Ground {
        living: Lineages::of(plans.all.iter().map(|(_, plan)| &**plan), is_complete),
        plans: plans.within(namespace),
    })
}

/// Returns a plan that was read from a file. If the cluster has a plan with the same name, the
/// returned plan has the metadata and the status of this plan. Otherwise it has a placeholder uid.
fn in_cluster(plan: InstallPlan, plans: &Plans) -> InstallPlan {
    let name = plan.metadata.name.as_deref().unwrap_or_default();
    let mut there = plans.all.iter().filter(|(key, _)| *key.name == *name);
    let mut whole = plan.clone();
    match there.next() {
        Some((_, there)) => {
            whole.metadata = there.metadata.clone();
            whole.status.clone_from(&there.status);
        }
        None => whole.metadata.uid = Some(NOT_YET.to_owned()),
    }
    whole
}

/// Returns the reason why the plan writes no objects. Returns None if the plan would write objects.
fn at_rest(plan: &InstallPlan, succession: &Succession) -> Option<String> {
    if plan.metadata.deletion_timestamp.is_some() {
        return Some("it is being deleted".to_owned());
    }
    let successor = succession.successor.as_ref()?;
    Some(format!("{} has replaced this plan", successor.name))
}
