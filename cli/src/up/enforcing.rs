//! `portolan up --enforce`: runs the controllers in this process.

use std::time::Duration;

use portolan_api::operator::UPDATER;
use portolan_controller::{
    Availability, ClusterFacts, Connections, ControllerConfig, ControllerFlags, LeaseName,
    LeaseState, MissingForPlans, Off, OperatorFlags, PolicyFlags, availability, beside,
    lease_state,
};
use portolan_scaffold::Process;
use portolan_shell::Bound;
use portolan_updater::UpdaterConfig;
use portolan_world::{Access, WorldFlags};

use super::UpArgs;
use crate::exit;
use crate::failure::Failure;
use crate::print;

/// The maximum number of past messages in the status of a policy. The deployed controller has the
/// same limit.
const HISTORY: u8 = 10;
/// The objects of the updater, as its line of output names them.
const UPGRADES: &str = "Automatic upgrades";

/// The time between two checks for CRDs that a user installs later.
const PAUSE: Duration = Duration::from_secs(5);

/// The controllers that will run, and their settings.
pub(super) struct Enforcement {
    config: ControllerConfig,
    updater: Option<UpdaterConfig>,
    lacking: Lacking,
}

/// The controllers that do not run, because their CRDs are missing.
struct Lacking {
    access: Access,
    only_namespace: Option<String>,
    controllers: Vec<&'static str>,
}

/// The running controllers, which write to the cluster.
pub(super) struct Writers {
    controller: Process,
    updater: Option<Process>,
    lacking: Lacking,
}

// === impl Enforcement ===

impl Enforcement {
    /// Determines which controllers can run in the cluster, and prints a line for each controller.
    /// A controller whose CRDs are missing never runs in this process.
    pub(super) async fn prepare(args: &UpArgs, access: &Access) -> Result<Self, Failure> {
        let client = access.client().await.map_err(Failure::refused)?;
        let facts = ClusterFacts::read(&client).await;
        let facts = facts.map_err(|error| Failure::failed_to("cannot read the CRDs", &error))?;
        let all = availability(&facts, args.only_namespace().as_deref());
        all.iter().for_each(|it| print::note(&it.to_string()));
        let updater = args.updater(access, &all);
        print::note(&updater_line(args.updater, updater.as_ref()));
        let enforcement = Self {
            config: args.config(access, &all),
            updater,
            lacking: Lacking::of(access, args.only_namespace(), &all),
        };
        let missing = if has_operators(&all) {
            args.print_preparation(access).await?
        } else {
            None
        };
        enforcement.print_leases(access, missing.as_deref()).await?;
        Ok(enforcement)
    }

    /// Prints a line for each Lease that this process cannot acquire immediately. `missing` is a
    /// namespace that does not exist. No line is printed for its Leases, because a line about the
    /// namespace was already printed.
    async fn print_leases(&self, access: &Access, missing: Option<&str>) -> Result<(), Failure> {
        let client = access.client().await.map_err(Failure::refused)?;
        for lease in self.leases() {
            let LeaseName { namespace, name } = &lease;
            match lease_state(&client, namespace, name).await {
                Ok(LeaseState::NoNamespace) if missing == Some(namespace) => {}
                Ok(state) => lease_line(&lease, &state)
                    .iter()
                    .for_each(|it| print::note(it)),
                Err(error) => {
                    print::warn(&format!("Lease {namespace}/{name} cannot be read: {error}"))
                }
            }
        }
        Ok(())
    }

    /// Returns the Leases that the controllers and the updater need.
    fn leases(&self) -> Vec<LeaseName> {
        let controller = self.config.lease.lease().cloned();
        let updater = self.updater.iter().filter(|it| !it.no_lease);
        let updater = updater.map(|it| LeaseName {
            namespace: it.operators_namespace.clone(),
            name: UPDATER.to_owned(),
        });
        controller.into_iter().chain(updater).collect()
    }

    /// Returns the Lease of the controllers. Returns None if the controllers write without a Lease.
    pub(super) fn lease(&self) -> Option<&LeaseName> {
        self.config.lease.lease()
    }

    /// Creates the controllers and the updater, which call the services in this process. `server`
    /// answers their health probes and serves their metrics.
    pub(super) fn start(
        self,
        connections: Connections,
        server: &mut Bound,
    ) -> Result<Writers, Failure> {
        let resolver = connections.resolver.clone();
        let (controller, counted) = beside(self.config, connections, server)?;
        let updater = self
            .updater
            .map(|config| portolan_updater::beside(config, (resolver, counted), server));
        Ok(Writers {
            controller,
            updater,
            lacking: self.lacking,
        })
    }
}

// === impl Writers ===

impl Writers {
    /// Runs the controllers and the updater until a signal stops them.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (to_controller, to_updater) = (exit::stops()?, exit::stops()?);
        let updating = async {
            match self.updater {
                Some(updater) => updater.run(to_updater).await,
                None => Ok(()),
            }
        };
        let running = async { tokio::try_join!(self.controller.run(to_controller), updating) };
        tokio::select! {
            ended = running => {
                ended?;
                Ok(())
            }
            never = self.lacking.report() => never,
        }
    }
}

// === impl Lacking ===

impl Lacking {
    fn of(access: &Access, only_namespace: Option<String>, all: &[Availability]) -> Self {
        let lacking = all.iter().filter(|it| matches!(it.off, Some(Off::Crds(_))));
        Self {
            access: access.clone(),
            only_namespace,
            controllers: lacking.map(|it| it.about.name).collect(),
        }
    }

    /// Waits for the missing CRDs, and prints a line for each controller whose CRDs are then
    /// installed. The controller runs only after this process is restarted.
    async fn report(mut self) -> Result<(), Failure> {
        let client = self.access.client().await.map_err(Failure::refused)?;
        while !self.controllers.is_empty() {
            tokio::time::sleep(PAUSE).await;
            let Ok(facts) = ClusterFacts::read(&client).await else {
                continue;
            };
            let all = availability(&facts, self.only_namespace.as_deref());
            for about in all.iter().filter(|it| it.off.is_none()).map(|it| it.about) {
                if self.controllers.contains(&about.name) {
                    self.controllers.retain(|name| *name != about.name);
                    print::note(&installed_later(about.objects));
                }
            }
        }
        std::future::pending().await
    }
}

/// Returns the line about a controller whose CRDs were installed while this process was running.
fn installed_later(objects: &str) -> String {
    format!(
        "The CRDs of {objects} have been installed. To run the controller of {objects}, restart this process"
    )
}

// === impl UpArgs ===

impl UpArgs {
    /// Returns the settings of the controllers. Controllers that cannot run are disabled.
    fn config(&self, access: &Access, all: &[Availability]) -> ControllerConfig {
        let off = all.iter().filter(|it| it.off.is_some());
        ControllerConfig {
            objects: WorldFlags {
                world: None,
                access: access.clone(),
            },
            policies: PolicyFlags {
                enforce: true,
                read_only: false,
                take_over: self.take_over,
                default_namespace: self.default_namespace.clone(),
                only_namespace: self.only_namespace(),
                history: HISTORY,
            },
            controllers: ControllerFlags::all(self.operators.flags()),
            lease: self.lease.clone(),
            off: off.map(|it| it.about.name).collect(),
        }
    }

    /// Prints the commands that are required before an Operator can be installed. Returns the
    /// namespace for the InstallPlans of Operators if this namespace does not exist. Ignores
    /// objects that cannot be read.
    async fn print_preparation(&self, access: &Access) -> Result<Option<String>, Failure> {
        let OperatorFlags {
            operators_namespace: namespace,
            installer,
            ..
        } = self.operators.flags();
        let client = access.client().await.map_err(Failure::refused)?;
        let missing = MissingForPlans::read(&client, &namespace, &installer).await;
        let missing = missing.unwrap_or_default();
        let commands = missing.commands(&namespace, &installer);
        if !commands.is_empty() {
            print::note("Before Operators can be installed, run these commands:");
        }
        commands
            .iter()
            .for_each(|it| print::note(&format!("  {it}")));
        Ok(missing.has_no_namespace().then_some(namespace))
    }

    /// Returns the settings of the updater. Returns None if the updater does not run.
    fn updater(&self, access: &Access, all: &[Availability]) -> Option<UpdaterConfig> {
        (self.updater && has_operators(all)).then(|| self.updater_config(access))
    }

    /// Returns the settings of the updater.
    pub(super) fn updater_config(&self, access: &Access) -> UpdaterConfig {
        let OperatorFlags {
            operators_namespace,
            catalog_namespaces,
            ..
        } = self.operators.flags();
        UpdaterConfig {
            operators_namespace,
            catalog_namespaces,
            no_lease: self.lease.no_lease,
            access: access.clone(),
        }
    }
}

/// Returns true if the controller for Operators can run.
fn has_operators(all: &[Availability]) -> bool {
    let mut operators = all.iter().filter(|it| it.about.name == "operators");
    operators.any(|it| it.off.is_none())
}

/// Returns the line about the state of the updater.
fn updater_line(is_wanted: bool, updater: Option<&UpdaterConfig>) -> String {
    match updater {
        Some(UpdaterConfig {
            operators_namespace,
            ..
        }) => format!(
            "{UPGRADES}: on, for the Operators that ConfigMap {operators_namespace}/{UPDATER} names"
        ),
        None if is_wanted => format!("{UPGRADES}: off, because the controller of Operators is off"),
        None => format!("{UPGRADES}: off; use --updater to upgrade automatically"),
    }
}

/// Returns the line about a Lease. Returns None if this process can acquire the Lease immediately.
fn lease_line(lease: &LeaseName, state: &LeaseState) -> Option<String> {
    let LeaseName { namespace, name } = lease;
    match state {
        LeaseState::Free => None,
        LeaseState::HeldBy(holder) => Some(format!(
            "Lease {namespace}/{name} is held by {holder}; this process writes nothing until the Lease is released"
        )),
        LeaseState::NoNamespace => Some(format!(
            "Namespace {namespace} of Lease {namespace}/{name} does not exist, so this process writes nothing. Run `kubectl create namespace {namespace}`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_lease_and_missing_namespace_are_reported() {
        let lease: LeaseName = "portolan/portolan-controller".parse().expect("a name");
        let line = |state| lease_line(&lease, &state).unwrap_or_default();
        assert_eq!(line(LeaseState::Free), "");
        assert_eq!(
            line(LeaseState::HeldBy("controller-0".to_owned())),
            "Lease portolan/portolan-controller is held by controller-0; this process writes nothing until the Lease is released"
        );
        assert_eq!(
            line(LeaseState::NoNamespace),
            "Namespace portolan of Lease portolan/portolan-controller does not exist, so this process writes nothing. Run `kubectl create namespace portolan`"
        );
    }
}
