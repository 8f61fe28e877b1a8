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

/// The maximum number of objects that one controller reconciles at once.
pub const AT_ONCE: usize = 8;

/// A controller of a process with flags `F` and shared parts `S`.
#[derive(Debug)]
pub struct Registration<F: 'static, S: 'static> {
    /// The description.
    pub about: Description,
    /// Returns true if the flags switch it on.
    pub is_on: fn(&F) -> bool,
    /// Creates the cache and the reconciler, and starts both.
    pub start: fn(&S, Starter<'_>) -> Result<(), Start>,
}

/// The description of a controller, for metrics, help pages, docs and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// The name: the label `controller` of the metrics.
    pub name: &'static str,
    /// The objects that it carries out, for help texts.
    pub objects: &'static str,
    /// The flags that switch it on, each without the others.
    pub flags: &'static [&'static str],
    /// The CustomResourceDefinitions that it needs.
    pub crds: &'static [&'static str],
    /// The kinds that it writes, or writes most often: the label `kind` of its metrics.
    pub writes: &'static [&'static str],
    /// The folder of `deploy` with its permissions and its flag.
    pub permissions: &'static str,
    /// The conditions under which it can run outside of the cluster.
    pub requires: Requirements,
    /// The way to see its changes without running it.
    pub preview: ChangePreview,
}

/// The way to see the changes of a controller without running it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangePreview {
    /// A dry run: `portolan up` and `portolan explain` show its changes.
    Rehearsed,
    /// No preview is needed: it writes only statuses and events.
    OnlyStatuses,
    /// A command shows a part, such as `portolan plan diff`.
    Command(&'static str),
    /// No preview exists.
    Nowhere,
}

/// The requirements of a controller beside its CustomResourceDefinitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirements {
    /// The names of the other controllers that it needs.
    pub controllers: &'static [&'static str],
    /// True if it manages the whole cluster, and cannot be limited to one namespace.
    pub whole_cluster: bool,
    /// The ValidatingAdmissionPolicies that restrict the users of its objects.
    pub admission_policies: &'static [&'static str],
    /// The server that API servers call for its objects. It must run in the cluster.
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
    /// None if the process reads files.
    replica: Option<&'a Replica>,
    metrics: &'a ControllerMetrics,
    controllers: &'a mut Controllers,
}

// === impl Controllers ===

impl Controllers {
    /// Starts these controllers of a table.
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
    /// Returns the client that reads.
    ///
    /// # Errors
    /// Returns an error if the process reads files.
    pub fn client(&self) -> Result<Client, Start> {
        Ok(self.replica()?.client().clone())
    }

    /// Returns the client that writes, whose requests are counted for this controller.
    ///
    /// # Errors
    /// Returns an error if the process reads files, or the configuration of the client cannot be
    /// used.
    pub fn writing(&self) -> Result<FencedClient, Start> {
        let Description { name, writes, .. } = self.about;
        self.replica()?.writing(self.metrics.writes(name, writes))
    }

    /// Starts the controller. The process becomes ready independently of it, because the kinds that
    /// it reads may not be served or permitted yet.
    pub fn start<R: Reconciler>(self, cache: R::Cache, reconciler: R) {
        self.start_awaited(cache, reconciler, Readiness::pending());
    }

    /// Starts the controller, and sets `ready` once its cache is synced.
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
