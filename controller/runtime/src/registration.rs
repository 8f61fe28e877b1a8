//! The table of the controllers of a process.

use std::sync::Arc;

use kube::Client;
use portolan_scaffold::Start;
use portolan_shell::Readiness;

use crate::client::FencedClient;
use crate::controllers::Controllers;
use crate::driver::{Driver, Reconciler};
use crate::metrics::ControllerMetrics;
use crate::replica::Replica;

/// The maximum number of objects that a controller reconciles at the same time.
pub const AT_ONCE: usize = 8;

/// A controller of a process. `F` is the type of the process's flags, and `S` is the type of the
/// data that its controllers share.
#[derive(Debug)]
pub struct Registration<F: 'static, S: 'static> {
    /// The description of the controller.
    pub about: Description,
    /// Returns true if the flags enable the controller.
    pub is_on: fn(&F) -> bool,
    /// Creates the cache and the reconciler, and starts both.
    pub start: fn(&S, Starter<'_>) -> Result<(), Start>,
}

/// The description of a controller, for metrics, help pages, docs and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// The name of the controller, which is the label `controller` in metrics.
    pub name: &'static str,
    /// The objects that the controller reconciles, for help texts.
    pub objects: &'static str,
    /// The flags that enable the controller. Any one of them is sufficient.
    pub flags: &'static [&'static str],
    /// The CustomResourceDefinitions that the controller needs.
    pub crds: &'static [&'static str],
    /// The kinds that the controller usually writes. They are the values of the label `kind` in its
    /// metrics.
    pub writes: &'static [&'static str],
    /// The folder in `deploy` that contains the permissions and the flag of the controller.
    pub permissions: &'static str,
    /// The conditions under which the controller can run.
    pub requires: Requirements,
    /// The way to preview the changes of the controller without running it.
    pub preview: ChangePreview,
}

/// The way to preview the changes of a controller without running it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangePreview {
    /// A dry run. `portolan up` and `portolan explain` show the changes.
    Rehearsed,
    /// No preview is needed, because the controller writes only statuses and events.
    OnlyStatuses,
    /// A command that shows some of the changes, such as `portolan plan diff`.
    Command(&'static str),
    /// No preview exists.
    Nowhere,
}

/// The requirements of a controller, in addition to its CustomResourceDefinitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirements {
    /// The names of other controllers that the controller needs.
    pub controllers: &'static [&'static str],
    /// True if the controller must manage the whole cluster, and cannot be limited to one
    /// namespace.
    pub whole_cluster: bool,
    /// The ValidatingAdmissionPolicies that restrict what users may write into objects of the
    /// controller.
    pub admission_policies: &'static [&'static str],
    /// The webhook for objects of the controller. API servers call it, so it must run in the
    /// cluster.
    pub webhook: Option<&'static str>,
}

impl Requirements {
    /// No requirements.
    pub const NONE: Self = Self {
        controllers: &[],
        whole_cluster: false,
        admission_policies: &[],
        webhook: None,
    };
}

/// Creates the clients of a controller, and starts it.
#[derive(Debug)]
pub struct Starter<'a> {
    about: &'static Description,
    /// The replica. None if the process reads files.
    replica: Option<&'a Replica>,
    metrics: &'a ControllerMetrics,
    controllers: &'a mut Controllers,
}

// === impl Controllers ===

impl Controllers {
    /// Starts the controllers of these registrations.
    ///
    /// # Errors
    /// Returns an error if a controller cannot be created.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn start_all<F: 'static, S: 'static>(
        &mut self,
        table: impl IntoIterator<Item = &'static Registration<F, S>>,
        shared: &S,
        replica: Option<&Replica>,
        metrics: &ControllerMetrics,
    ) -> Result<(), Start> {
        for Registration { about, start, .. } in table {
            let starter = Starter {
                about,
                replica,
                metrics,
                controllers: self,
            };
            start(shared, starter)?;
        }
        Ok(())
    }
}

// === impl Starter ===

impl Starter<'_> {
    /// Returns the client for reads.
    ///
    /// # Errors
    /// Returns an error if the process reads files.
    pub fn client(&self) -> Result<Client, Start> {
        Ok(self.replica()?.client().clone())
    }

    /// Returns the client for writes. Its requests are counted for this controller.
    ///
    /// # Errors
    /// Returns an error if the process reads files, or if the configuration of the client is
    /// invalid.
    pub fn writing(&self) -> Result<FencedClient, Start> {
        let Description { name, writes, .. } = self.about;
        self.replica()?.writing(self.metrics.writes(name, writes))
    }

    /// Starts the controller. The readiness of the process does not depend on the controller,
    /// because kinds that the controller reads may not be served or permitted yet.
    pub fn start<R: Reconciler>(self, cache: R::Cache, reconciler: R) {
        self.start_awaited(cache, reconciler, Readiness::pending());
    }

    /// Starts the controller. Sets `ready` when the cache of the controller is synced.
    pub fn start_awaited<R: Reconciler>(self, cache: R::Cache, reconciler: R, ready: Readiness) {
        self.controllers.start(Driver {
            cache,
            reconciler: Arc::new(reconciler),
            at_once: AT_ONCE,
            ready,
            metrics: self.metrics.reconciles(self.about.name),
        });
    }

    fn replica(&self) -> Result<&Replica, Start> {
        self.replica.ok_or_else(|| {
            let Description { name, .. } = self.about;
            Start::Flags(
                format!(
                    "controller {name} needs a cluster, but --world selects \
             files"
                )
                .into(),
            )
        })
    }
}
