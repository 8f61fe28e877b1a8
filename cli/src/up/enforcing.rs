//! `portolan up --enforce`: runs the controllers in this process.

use portolan_api::operator::UPDATER;
use portolan_controller::{
    Availability, ClusterFacts, Connections, ControllerConfig, ControllerFlags, LeaseName,
    LeaseState, OperatorFlags, PolicyFlags, availability, beside, lease_state,
};
use portolan_scaffold::Process;
use portolan_shell::Bound;
use portolan_updater::UpdaterConfig;
use portolan_world::{Access, WorldFlags};

use super::UpArgs;
use crate::exit;
use crate::failure::Failure;
use crate::print;

/// The maximum number of past messages in a status, as in the deployed controller.
const HISTORY: u8 = 10;
/// The objects that the updater handles, as named in its line of output.
const UPGRADES: &str = "Automatic upgrades";

/// The controllers that run, and their settings.
pub(super) struct Enforcement {
    config: ControllerConfig,
    updater: Option<UpdaterConfig>,
}

/// The processes that write to the cluster.
pub(super) struct Writers {
    controller: Process,
    updater: Option<Process>,
}

// === impl Enforcement ===

impl Enforcement {
    /// Reads which controllers can run on the cluster, and prints a line for each controller. A
    /// controller that is off never runs.
    pub(super) async fn prepare(args: &UpArgs, access: &Access) -> Result<Self, Failure> {
        let client = access.client().await.map_err(Failure::refused)?;
        let facts = ClusterFacts::read(&client).await;
        let facts = facts.map_err(|error| Failure::failed_to("read the CRDs", &error))?;
        let all = availability(&facts, args.only_namespace().as_deref());
        all.iter().for_each(|it| print::note(&it.to_string()));
        let updater = args.updater(access, &all);
        print::note(&updater_line(args.updater, updater.as_ref()));
        let enforcement = Self {
            config: args.config(access, &all),
            updater,
        };
        for lease in enforcement.leases() {
            let LeaseName { namespace, name } = &lease;
            match lease_state(&client, namespace, name).await {
                Ok(state) => lease_line(&lease, &state)
                    .iter()
                    .for_each(|it| print::note(it)),
                Err(error) => {
                    print::warn(&format!("Lease {namespace}/{name} is not read: {error}"))
                }
            }
        }
        Ok(enforcement)
    }

    /// Returns the Leases that the processes need.
    fn leases(&self) -> Vec<LeaseName> {
        let controller = self.config.lease.lease().cloned();
        let updater = self.updater.iter().filter(|it| !it.no_lease);
        let updater = updater.map(|it| LeaseName {
            namespace: it.operators_namespace.clone(),
            name: UPDATER.to_owned(),
        });
        controller.into_iter().chain(updater).collect()
    }

    /// Returns the Lease of the controllers. Returns None if they write without a Lease.
    pub(super) fn lease(&self) -> Option<&LeaseName> {
        self.config.lease.lease()
    }

    /// Creates the processes. They call the services in this process. The server answers health
    /// probes and serves metrics for them.
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
        })
    }
}

// === impl Writers ===

impl Writers {
    /// Runs the processes until a signal stops them.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (to_controller, to_updater) = (exit::stops()?, exit::stops()?);
        let updating = async {
            match self.updater {
                Some(updater) => updater.run(to_updater).await,
                None => Ok(()),
            }
        };
        tokio::try_join!(self.controller.run(to_controller), updating)?;
        Ok(())
    }
}

// === impl UpArgs ===

impl UpArgs {
    /// Returns the settings of the controllers. Disabled controllers do not run.
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

    /// Returns the settings of the updater. Returns None if it does not run.
    fn updater(&self, access: &Access, all: &[Availability]) -> Option<UpdaterConfig> {
        let mut operators = all.iter().filter(|it| it.about.name == "operators");
        let has_operators = operators.any(|it| it.off.is_none());
        (self.updater && has_operators).then(|| self.updater_config(access))
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

/// Returns the line about the updater.
fn updater_line(is_wanted: bool, updater: Option<&UpdaterConfig>) -> String {
    match updater {
        Some(UpdaterConfig {
            operators_namespace,
            ..
        }) => format!(
            "{UPGRADES}: on, for the Operators that ConfigMap {operators_namespace}/{UPDATER} names"
        ),
        None if is_wanted => format!("{UPGRADES}: off; it needs Operators, which are off"),
        None => format!("{UPGRADES}: off; start with --updater"),
    }
}

/// Returns the line about a Lease. Returns None if this process can acquire the Lease immediately.
fn lease_line(lease: &LeaseName, state: &LeaseState) -> Option<String> {
    let LeaseName { namespace, name } = lease;
    match state {
        LeaseState::Free => None,
        LeaseState::HeldBy(holder) => Some(format!(
            "Lease {namespace}/{name} is held by {holder}: nothing is written until it is released"
        )),
        LeaseState::NoNamespace => Some(format!(
            "Namespace {namespace} of Lease {namespace}/{name} does not exist: nothing is written \
             until it does. Run `kubectl create namespace {namespace}`"
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
            "Lease portolan/portolan-controller is held by controller-0: nothing is written until it is released"
        );
        assert_eq!(
            line(LeaseState::NoNamespace),
            "Namespace portolan of Lease portolan/portolan-controller does not exist: nothing is \
             written until it does. Run `kubectl create namespace portolan`"
        );
    }
}
