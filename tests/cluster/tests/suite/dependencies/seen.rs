//! Reads the actions of OLM from its objects.

use kube::api::DynamicObject;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::Value;

use super::{Course, End, Pass, text};
use crate::objects;

/// The kinds that a Forecast depends on.
const READ: [Kind; 4] = [
    Kind::CatalogSource,
    Kind::OperatorGroup,
    Kind::Subscription,
    Kind::ClusterServiceVersion,
];

/// Returns all objects of a namespace that a forecast needs.
pub(super) async fn objects(world: &World) -> Result<Vec<Value>, Failure> {
    let mut objects = Vec::new();
    for kind in READ {
        for object in listed(world, kind).await? {
            let object = serde_json::to_value(object);
            objects.push(object.map_err(Failure::read("an object"))?);
        }
    }
    Ok(objects)
}

/// Waits until OLM has reached the end of the Forecast. Returns the actions of OLM so far.
///
/// OLM may do more afterwards. To detect this, a test must make OLM reconcile the namespace again.
pub(super) async fn course(world: &World, forecast: &Course) -> Result<Course, Failure> {
    let what = format!("OLM to do {forecast:?}");
    let end = until(what, PATIENCE, async || {
        let subscriptions = listed(world, Kind::Subscription).await?;
        let end = match &forecast.end {
            End::Settled(_) => settled(world, &subscriptions).await?,
            End::Failed { .. } => failed(&subscriptions),
            End::AwaitsApproval => awaits_approval(world, forecast.passes.len()).await?,
            End::Silent => panic!("a wait needs an expected action"),
        };
        Ok(match end {
            Some(end) if is_like(&end, &forecast.end) => Seen::Yes(end),
            _ => Seen::NotYet(format!(
                "{:?}, {:?}",
                passes(world).await?,
                subscriptions
                    .iter()
                    .map(|each| &each.data["status"])
                    .collect::<Vec<_>>()
            )),
        })
    })
    .await?;
    let passes = passes(world).await?;
    Ok(Course { passes, end })
}

/// Returns true if the end that was observed is of the same type as the end of the Forecast. The
/// text of an error is compared later. The installed versions are compared here, because OLM also
/// has intermediate states in which it has nothing to do.
fn is_like(seen: &End, forecast: &End) -> bool {
    matches!((seen, forecast), (End::Failed { .. }, End::Failed { .. })) || seen == forecast
}

/// Returns the installed versions of the Subscriptions. Returns None while a version still has to
/// replace another version.
async fn settled(world: &World, subscriptions: &[DynamicObject]) -> Result<Option<End>, Failure> {
    let versions = listed(world, Kind::ClusterServiceVersion).await?;
    let is_replaced = |csv: &DynamicObject| {
        let mut others = versions.iter();
        others.any(|other| text(&other.data, "/spec/replaces") == name(csv))
    };
    let is_idle = |each: &DynamicObject| each.data["status"]["state"] == "AtLatestKnown";
    if versions.iter().any(is_replaced) || !subscriptions.iter().all(is_idle) {
        return Ok(None);
    }
    let stays = subscriptions.iter().map(|each| {
        let installed = text(&each.data, "/status/installedCSV");
        (name(each), installed.to_owned())
    });
    Ok(Some(End::Settled(stays.collect())))
}

/// Returns the end if the last plan waits for approval. OLM creates a plan first, and adds its
/// steps and its phase later.
async fn awaits_approval(world: &World, passes: usize) -> Result<Option<End>, Failure> {
    let plans = plans(world).await?;
    let phase = plans.last().map(|plan| text(&plan.data, "/status/phase"));
    let is_reached = plans.len() == passes && phase == Some("RequiresApproval");
    Ok(is_reached.then_some(End::AwaitsApproval))
}

/// Returns the failure if all Subscriptions have the same condition.
fn failed(subscriptions: &[DynamicObject]) -> Option<End> {
    let ends = subscriptions.iter().map(|subscription| {
        let conditions = subscription.data["status"]["conditions"].as_array()?;
        let failed = conditions.iter().find(|condition| {
            condition["type"] == "ResolutionFailed" && condition["status"] == "True"
        })?;
        Some(End::Failed {
            reason: text(failed, "/reason").to_owned(),
            message: text(failed, "/message").to_owned(),
        })
    });
    let mut ends: Vec<_> = ends.collect::<Option<_>>()?;
    ends.dedup();
    match ends.len() {
        1 => ends.pop(),
        _ => None,
    }
}

/// Waits until OLM has created this number of InstallPlans. Returns each InstallPlan as a pass.
pub(super) async fn passes_made(world: &World, wanted: usize) -> Result<Vec<Pass>, Failure> {
    until(
        format!("OLM to make {wanted} plans"),
        PATIENCE,
        async || {
            let passes = passes(world).await?;
            Ok(if passes.len() < wanted {
                Seen::NotYet(format!("{passes:?}"))
            } else {
                Seen::Yes(passes)
            })
        },
    )
    .await
}

/// Returns each InstallPlan as a pass.
pub(super) async fn passes(world: &World) -> Result<Vec<Pass>, Failure> {
    Ok(plans(world).await?.iter().map(pass).collect())
}

/// Returns the InstallPlans in the order of their creation.
async fn plans(world: &World) -> Result<Vec<DynamicObject>, Failure> {
    let mut plans = listed(world, Kind::InstallPlan).await?;
    plans.sort_by_key(|plan| plan.data["spec"]["generation"].as_i64());
    Ok(plans)
}

fn pass(plan: &DynamicObject) -> Pass {
    let names = plan.data["spec"]["clusterServiceVersionNames"].as_array();
    let steps = plan.data["status"]["plan"].as_array();
    let made = steps.into_iter().flatten().filter_map(|step| {
        let resource = &step["resource"];
        (resource["kind"] == "Subscription").then(|| text(resource, "/name").to_owned())
    });
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    Pass {
        bundles: names.map(str::to_owned).collect(),
        made: made.collect(),
    }
}

pub(super) async fn listed(world: &World, kind: Kind) -> Result<Vec<DynamicObject>, Failure> {
    let kind = kind.resource();
    let place = [&*kind.api_version, &*kind.kind, world.namespace()];
    objects::listed(world.client(), place).await
}

fn name(object: &DynamicObject) -> String {
    object.metadata.name.clone().unwrap_or_default()
}
