//! The releases of a cluster on its way to the target.

use std::str::FromStr;

use portolan_core_names::{Version, kubernetes};
use portolan_core_olm::ClusterVersion;
use portolan_core_route::readiness::{Minor, Stage};
use portolan_resolver::source::CatalogAt;
use portolan_world::{AnyWorld, Area, World as _};

use super::TargetArgs;
use crate::facts::read_view_silently;
use crate::failure::Failure;

/// A catalog of a release in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Via {
    pub(super) release: Minor,
    pub(super) catalog: CatalogAt,
}

// === impl Via ===

impl FromStr for Via {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (release, catalog) = text.split_once('=').ok_or_else(|| {
            format!("`{text}` is not RELEASE=NAME=PLACE, such as 4.21=olm/shop=./shop")
        })?;
        let release = release
            .parse::<Minor>()
            .map_err(|error| error.to_string())?;
        let catalog = catalog
            .parse::<CatalogAt>()
            .map_err(|error| error.to_string())?;
        Ok(Self { release, catalog })
    }
}

/// Returns the current release, the releases in between, and the target.
pub(super) async fn stages(
    world: &AnyWorld,
    target: TargetArgs,
    from: Option<Minor>,
    via: &[Via],
) -> Result<Vec<Stage>, Failure> {
    let openshift = current_openshift(world).await;
    let stages = match (target.openshift, target.kubernetes) {
        (Some(target), _) => {
            let from = from
                .or(openshift)
                .ok_or_else(|| unknown_release("the cluster has no ClusterVersion", "4.20"))?;
            of_openshift(from, target)?
        }
        (None, Some(_)) if openshift.is_some() => {
            return Err(Failure::usage(
                "the cluster runs OpenShift, whose release decides about Kubernetes; use --openshift RELEASE",
            ));
        }
        (None, Some(target)) => {
            let from = match from {
                Some(from) => from,
                None => current_kubernetes(world).await?,
            };
            of_kubernetes(from, target, via)?
        }
        (None, None) => {
            return Err(Failure::usage(
                "use --openshift RELEASE or --kubernetes RELEASE",
            ));
        }
    };
    Ok(stages)
}

/// Rejects a release in between that none of the clusters passes.
pub(super) fn must_be_passed(ways: &[Vec<Stage>], via: &[Via]) -> Result<(), Failure> {
    let passes = |stages: &Vec<Stage>, release| {
        let between = &stages[1..stages.len() - 1];
        between.iter().any(|stage| is(*stage, release))
    };
    let mut releases = via.iter().map(|via| via.release);
    let unused = releases.find(|release| !ways.iter().any(|way| passes(way, *release)));
    match (unused, ways) {
        (None, _) | (Some(_), []) => Ok(()),
        (Some(release), [stages]) => Err(Failure::usage(format!(
            "--via {release}: the cluster does not pass this release between {} and {}",
            stages[0],
            stages[stages.len() - 1]
        ))),
        (Some(release), _) => Err(Failure::usage(format!(
            "--via {release}: no cluster passes this release on its way to the target"
        ))),
    }
}

/// Returns true if the stage is the release.
pub(super) fn is(stage: Stage, release: Minor) -> bool {
    stage.openshift.unwrap_or(stage.kubernetes) == release
}

async fn current_openshift(world: &AnyWorld) -> Option<Minor> {
    let view = read_view_silently::<ClusterVersion>(world, &Area::everywhere()).await;
    let view = view.ok()?;
    let version = view.objects.values().next()?;
    Version::parse(version.version())
        .ok()
        .map(|version| Minor::of(&version))
}

async fn current_kubernetes(world: &AnyWorld) -> Result<Minor, Failure> {
    let version = world.kubernetes().await;
    let version = version.and_then(|version| kubernetes::release(&version));
    let known = version.map(|version| Minor::of(&version));
    known.ok_or_else(|| unknown_release("the Kubernetes version of the cluster is unknown", "1.34"))
}

fn unknown_release(why: &str, example: &str) -> Failure {
    Failure::usage(format!(
        "{why}; use --from RELEASE, such as --from {example}"
    ))
}

fn of_openshift(from: Minor, target: Minor) -> Result<Vec<Stage>, Failure> {
    let mut releases = vec![target];
    let mut first = target;
    while first != from {
        match first.openshift_before() {
            Some(before) if target != from => {
                releases.push(before);
                first = before;
            }
            Some(_) | None => return Err(not_after(from, target)),
        }
    }
    if releases.len() < 2 {
        return Err(not_after(from, target));
    }
    let stages = releases.into_iter().rev().map(|release| {
        let stage = Stage::of_openshift(release);
        let unknown = || format!("the Kubernetes version of OpenShift {release} is unknown");
        stage.ok_or_else(|| Failure::usage(unknown()))
    });
    stages.collect()
}

/// Returns the stages of a cluster without OpenShift, whose catalogs change only if the user says
/// so.
fn of_kubernetes(from: Minor, target: Minor, via: &[Via]) -> Result<Vec<Stage>, Failure> {
    if target <= from {
        return Err(not_after(from, target));
    }
    let mut releases: Vec<_> = via.iter().map(|via| via.release).collect();
    releases.retain(|release| (from..target).contains(release) && *release != from);
    releases.extend([from, target]);
    releases.sort_unstable();
    releases.dedup();
    Ok(releases.into_iter().map(Stage::of_kubernetes).collect())
}

fn not_after(from: Minor, target: Minor) -> Failure {
    Failure::usage(format!(
        "no upgrade leads from release {from} to {target}; use a newer target, or --from RELEASE"
    ))
}
