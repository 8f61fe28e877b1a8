//! Minor releases of OpenShift and Kubernetes.

use std::fmt;
use std::str::FromStr;

use portolan_core_names::Version;
use thiserror::Error;

/// A minor release, such as `4.22` or `1.35`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minor {
    pub major: u64,
    pub minor: u64,
}

/// The error for a text that is not a minor release.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a minor release, such as 4.22")]
pub struct NotMinor(String);

/// A stage of the upgrade: a release that the cluster runs for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// The release of OpenShift. None if the cluster is not an OpenShift cluster.
    pub openshift: Option<Minor>,
    pub kubernetes: Minor,
}

/// The minor number of the last release of OpenShift 4. OpenShift 5.0 is the same release.
const LAST_OF_4: u64 = 23;

/// The minor number of Kubernetes minus the minor number of OpenShift 4.
const AHEAD: u64 = 13;

/// The releases of Kubernetes that stopped serving an API of objects that bundles may contain. The
/// objects are NetworkPolicies in `extensions/v1beta1` (1.16), CRDs and RBAC objects in beta
/// versions (1.22), and PodDisruptionBudgets in `policy/v1beta1` (1.25).
const REMOVALS: [Minor; 3] = [Minor::new(1, 16), Minor::new(1, 22), Minor::new(1, 25)];

// === impl Minor ===

impl Minor {
    pub const fn new(major: u64, minor: u64) -> Self {
        Self { major, minor }
    }

    /// Returns the minor release of a version.
    pub fn of(version: &Version) -> Self {
        Self::new(version.major(), version.minor())
    }

    /// Returns the release in the form in which OLM compares releases: 4.23 becomes 5.0.
    pub(super) fn normalized(self) -> Self {
        match (self.major, self.minor) {
            (4, LAST_OF_4) => Self::new(5, 0),
            (major, minor) => Self::new(major, minor),
        }
    }

    /// Returns the Kubernetes release of this OpenShift release. Returns None if it is unknown.
    pub fn kubernetes_of_openshift(self) -> Option<Self> {
        match (self.major, self.minor) {
            (4, minor @ ..=LAST_OF_4) => Some(Self::new(1, minor + AHEAD)),
            (5, 0) => Some(Self::new(1, LAST_OF_4 + AHEAD)),
            (_, _) => None,
        }
    }

    /// Returns the OpenShift release before this release. Returns None if the release is unknown.
    pub fn openshift_before(self) -> Option<Self> {
        match (self.major, self.minor) {
            (4, LAST_OF_4) | (5, 0) => Some(Self::new(4, LAST_OF_4 - 1)),
            (4, minor @ 1..=LAST_OF_4) => Some(Self::new(4, minor - 1)),
            (_, _) => None,
        }
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Minor {
    type Err = NotMinor;

    fn from_str(text: &str) -> Result<Self, NotMinor> {
        let refused = || NotMinor(text.to_owned());
        let (major, minor) = text.split_once('.').ok_or_else(refused)?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| text.parse().ok()).flatten();
            number.ok_or_else(refused)
        };
        Ok(Self::new(number(major)?, number(minor)?))
    }
}

// === impl Stage ===

impl Stage {
    /// Returns the stage of an OpenShift release. Returns None if its Kubernetes release is
    /// unknown.
    pub fn of_openshift(release: Minor) -> Option<Self> {
        Some(Self {
            openshift: Some(release),
            kubernetes: release.kubernetes_of_openshift()?,
        })
    }

    pub fn of_kubernetes(release: Minor) -> Self {
        Self {
            openshift: None,
            kubernetes: release,
        }
    }

    /// Returns the release of OpenShift. For other clusters, returns the release of Kubernetes.
    pub fn release(self) -> Minor {
        self.openshift.unwrap_or(self.kubernetes)
    }

    /// Returns true if the Kubernetes release of this stage is older than the minimum version of a
    /// bundle. The cluster may have any patch release, so only minor releases are compared.
    pub(super) fn is_below(self, minimum: &str) -> bool {
        let minimum = Version::parse(minimum.trim_start_matches('v'));
        minimum.is_ok_and(|minimum| self.kubernetes < Minor::of(&minimum))
    }
}

/// Formats the release as `OpenShift 4.22` or `Kubernetes 1.35`.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.openshift {
            Some(release) => write!(f, "OpenShift {release}"),
            None => write!(f, "Kubernetes {}", self.kubernetes),
        }
    }
}

/// Returns the first release that removes an API of bundle objects. Only releases after `from`, up
/// to and including `to`, are considered.
pub(super) fn removal(from: Stage, to: Stage) -> Option<Minor> {
    let passed = |release: &&Minor| **release > from.kubernetes && **release <= to.kubernetes;
    REMOVALS.iter().find(passed).copied()
}
