//! Decides which stages a bundle supports. The limit of the bundle and the APIs of its objects
//! decide.

use portolan_core_graph::Installed;
use portolan_core_names::BundleName;

use super::judge::Case;
use super::{InvalidLimit, Limit};

// === impl Case ===

impl Case<'_> {
    /// Returns the limit of a bundle. Returns None if the limit is unknown, because no catalog
    /// contains the bundle.
    pub(super) fn limit(self, bundle: &BundleName) -> Option<Result<Limit, InvalidLimit>> {
        let installed = self.subject.installed.as_ref();
        if let Some(limit) = &self.subject.limit
            && installed.is_some_and(|installed| installed.name == *bundle)
        {
            return Some(limit.clone());
        }
        let found = self.offered(bundle)?;
        Some(Limit::parse(found.max_openshift_version.as_deref()))
    }

    /// Returns true if the limit of the bundle permits an upgrade of the cluster to this stage.
    /// Also returns true for an unknown limit. In this case, another check prevents the verdict
    /// `Ready`.
    pub(super) fn permits_stage(self, bundle: &BundleName, stage: usize) -> bool {
        let Some(release) = self.stages[stage].openshift else {
            return true;
        };
        match self.limit(bundle) {
            None => true,
            Some(Ok(limit)) => limit.permits(release),
            Some(Err(_)) => false,
        }
    }

    /// Returns true if the bundle supports this stage: its limit permits the stage, and the stage
    /// serves the APIs of its objects.
    pub(super) fn supports(self, bundle: &Installed, stage: usize) -> bool {
        self.permits_stage(&bundle.name, stage) && self.serves(&bundle.name, stage)
    }

    pub(super) fn supports_after(self, bundle: &Installed, stage: usize) -> bool {
        (stage + 1..self.stages.len()).all(|later| self.supports(bundle, later))
    }

    pub(super) fn first_unsupported(self, installed: &Installed) -> Option<usize> {
        (1..self.stages.len()).find(|stage| !self.supports(installed, *stage))
    }
}
