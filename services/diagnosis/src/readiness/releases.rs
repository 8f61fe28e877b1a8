//! The releases of a cluster, from the current release to the target of an upgrade.

use std::fmt;
use std::str::FromStr;

use portolan_core_names::{Version, kubernetes};
use portolan_core_olm::ClusterVersion;
use portolan_resolver::readiness::{Minor, Stage};
use portolan_world::{AnyWorld, Area, World as _};
use thiserror::Error;

use super::read;

/// The release to which a user wants to upgrade a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetRelease {
    Openshift(Minor),
    /// A release of Kubernetes, for clusters without OpenShift.
    Kubernetes(Minor),
}

/// The error for a text that is not a target release.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a target, such as openshift=4.22 or kubernetes=1.35")]
pub struct NotTarget(String);

/// The reason why a cluster cannot be upgraded to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CannotPass {
    #[error("the cluster has no ClusterVersion")]
    NoClusterVersion,
    #[error("the Kubernetes version of the cluster is unknown")]
    NoKubernetesVersion,
    #[error(
        "the cluster runs OpenShift, and the OpenShift release determines the Kubernetes version"
    )]
    IsOpenshift,
    #[error("no upgrade leads from release {from} to {target}")]
    NotAfter { from: Minor, target: Minor },
    #[error("the Kubernetes version of OpenShift {0} is unknown")]
    UnknownOpenshift(Minor),
}

/// Returns the stages of an upgrade: the current release, the releases in between, and the target.
/// `from` is the current release, if the user specifies it. For a cluster without OpenShift, the
/// releases in between are only those that have separate catalogs: `via`.
///
/// # Errors
/// Returns an error if the current release is unknown, or if no upgrade leads to the target.
pub async fn stages(
    world: &AnyWorld,
    target: TargetRelease,
    from: Option<Minor>,
    via: &[Minor],
) -> Result<Vec<Stage>, CannotPass> {
    let openshift = current_openshift(world).await;
    match target {
        TargetRelease::Openshift(target) => {
            let from = from.or(openshift).ok_or(CannotPass::NoClusterVersion)?;
            of_openshift(from, target)
        }
        TargetRelease::Kubernetes(_) if openshift.is_some() => Err(CannotPass::IsOpenshift),
        TargetRelease::Kubernetes(target) => {
            let from = match from {
                Some(from) => from,
                None => current_kubernetes(world).await?,
            };
            of_kubernetes(from, target, via)
        }
    }
}

async fn current_openshift(world: &AnyWorld) -> Option<Minor> {
    let view = read::<ClusterVersion>(world, Area::everywhere()).await;
    let view = view.ok()?;
    let version = view.objects.values().next()?;
    Version::parse(version.version())
        .ok()
        .map(|version| Minor::of(&version))
}

async fn current_kubernetes(world: &AnyWorld) -> Result<Minor, CannotPass> {
    let version = world.kubernetes().await;
    let version = version.and_then(|version| kubernetes::release(&version));
    let known = version.map(|version| Minor::of(&version));
    known.ok_or(CannotPass::NoKubernetesVersion)
}

fn of_openshift(from: Minor, target: Minor) -> Result<Vec<Stage>, CannotPass> {
    let not_after = CannotPass::NotAfter { from, target };
    let mut releases = vec![target];
    let mut first = target;
    while first != from {
        first = first.openshift_before().ok_or(not_after)?;
        releases.push(first);
    }
    if releases.len() < 2 {
        return Err(not_after);
    }
    let stages = releases.into_iter().rev().map(|release| {
        let stage = Stage::of_openshift(release);
        stage.ok_or(CannotPass::UnknownOpenshift(release))
    });
    stages.collect()
}

/// Returns the stages of a cluster without OpenShift. A release in between is a stage only if the
/// user names catalogs for it.
fn of_kubernetes(from: Minor, target: Minor, via: &[Minor]) -> Result<Vec<Stage>, CannotPass> {
    if target <= from {
        return Err(CannotPass::NotAfter { from, target });
    }
    let between = via.iter().filter(|it| **it > from && **it < target);
    let mut releases: Vec<_> = between.copied().chain([from, target]).collect();
    releases.sort_unstable();
    releases.dedup();
    Ok(releases.into_iter().map(Stage::of_kubernetes).collect())
}

// === impl TargetRelease ===

impl FromStr for TargetRelease {
    type Err = NotTarget;

    fn from_str(text: &str) -> Result<Self, NotTarget> {
        let refused = || NotTarget(text.to_owned());
        let (kind, release) = text.split_once('=').ok_or_else(refused)?;
        let release = release.parse().map_err(|_| refused())?;
        match kind {
            "openshift" => Ok(Self::Openshift(release)),
            "kubernetes" => Ok(Self::Kubernetes(release)),
            _ => Err(refused()),
        }
    }
}

/// Formats the target as `OpenShift 4.22` or `Kubernetes 1.35`.
impl fmt::Display for TargetRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Openshift(release) => write!(f, "OpenShift {release}"),
            Self::Kubernetes(release) => write!(f, "Kubernetes {release}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::openshift("openshift=4.22", Some("OpenShift 4.22"))]
    #[case::kubernetes("kubernetes=1.35", Some("Kubernetes 1.35"))]
    #[case::release_alone("4.22", None)]
    #[case::another_product("rancher=2.9", None)]
    #[case::patch_release("openshift=4.22.1", None)]
    fn target_has_a_kind_and_a_release(#[case] text: &str, #[case] expected: Option<&str>) {
        let target = text.parse::<TargetRelease>().ok();
        assert_eq!(target.map(|it| it.to_string()).as_deref(), expected);
    }

    #[rstest]
    #[case::two_releases(20, 22, Ok(vec![20, 21, 22]))]
    #[case::next_release(21, 22, Ok(vec![21, 22]))]
    #[case::same_release(22, 22, Err(()))]
    #[case::older_target(22, 21, Err(()))]
    fn openshift_upgrade_includes_each_release_in_between(
        #[case] from: u64,
        #[case] target: u64,
        #[case] expected: Result<Vec<u64>, ()>,
    ) {
        let stages = of_openshift(Minor::new(4, from), Minor::new(4, target));
        let minors = stages.map(|all| all.iter().map(|it| it.release().minor).collect());
        assert_eq!(minors.map_err(|_| ()), expected);
    }

    #[test]
    fn kubernetes_upgrade_includes_only_releases_with_catalogs() {
        let via = [33, 34, 36].map(|minor| Minor::new(1, minor));
        let stages = of_kubernetes(Minor::new(1, 33), Minor::new(1, 35), &via);
        let minors = stages.map(|all| all.iter().map(|it| it.release().minor).collect());
        assert_eq!(minors, Ok(vec![33, 34, 35]));
    }
}
