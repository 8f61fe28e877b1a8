//! Services that look at a world in this process.

use portolan_api::OperatorPolicy;
use portolan_approval::Approval;
use portolan_core_olm::{ClusterServiceVersion, InstallPlan, Subscription};
use portolan_diagnosis::Diagnosis;
use portolan_health::Health;
use portolan_health::probe::Pace;
use portolan_shell::client::{self, Connection};
use portolan_world::{AnyWorld, Area, Kind};

use crate::facts::left_out::Needed;

/// A service that looks at a world in this process.
pub(in crate::facts) trait LocalService {
    /// The objects that a question is about.
    type AskedAbout: Kind;
    /// Others without which there is nothing to say.
    type Besides: Kind;

    /// What people call both.
    const WHAT: &'static str;

    /// What to say where a cluster does not know these kinds.
    const UNKNOWN: [Option<&'static str>; 2];

    /// Kinds without which much looks worse than it is: who left them out of a folder is told so.
    const LEANS_ON: &[Needed];

    /// Where the others are, if those that the question is about are in this area.
    fn area_besides(area: Area) -> Area {
        area
    }

    /// Waits until everything has been looked at.
    fn settled(&self) -> impl Future<Output = ()> + Send;

    fn into_connection(self) -> Connection;
}

impl LocalService for Health {
    type AskedAbout = ClusterServiceVersion;
    type Besides = Subscription;

    const WHAT: &'static str = "operator";

    const UNKNOWN: [Option<&'static str>; 2] = [
        Some("the cluster does not know ClusterServiceVersions: it has no OLM (v0)"),
        None,
    ];

    /// It tells of each operator what it does not know.
    const LEANS_ON: &[Needed] = &[];

    fn settled(&self) -> impl Future<Output = ()> + Send {
        Self::settled(self)
    }

    fn into_connection(self) -> Connection {
        client::local(self.into_service())
    }
}

impl LocalService for Approval {
    type AskedAbout = InstallPlan;
    type Besides = OperatorPolicy;

    const WHAT: &'static str = "InstallPlan and no policy";

    const UNKNOWN: [Option<&'static str>; 2] = [
        Some("the cluster does not know InstallPlans: it has no OLM (v0)"),
        Some("the cluster does not know OperatorPolicies: nobody allows anything"),
    ];

    const LEANS_ON: &[Needed] = &[Needed::OperatorPolicy, Needed::Subscription];

    /// Policies are wherever their authors put them.
    fn area_besides(_area: Area) -> Area {
        Area::everywhere()
    }

    fn settled(&self) -> impl Future<Output = ()> + Send {
        Self::settled(self)
    }

    fn into_connection(self) -> Connection {
        client::local(self.into_service())
    }
}

impl LocalService for Diagnosis {
    type AskedAbout = ClusterServiceVersion;
    type Besides = Subscription;

    const WHAT: &'static str = "operator";

    const UNKNOWN: [Option<&'static str>; 2] = <Health as LocalService>::UNKNOWN;

    /// It tells of each operator what it does not know.
    const LEANS_ON: &[Needed] = &[];

    fn settled(&self) -> impl Future<Output = ()> + Send {
        Self::settled(self)
    }

    fn into_connection(self) -> Connection {
        client::local(self.into_service())
    }
}

/// Health that looks at a world from now on.
pub(super) fn health(world: AnyWorld, namespace: Option<&str>) -> Health {
    let reach = portolan_health::Reach {
        namespace: namespace.map(str::to_owned),
        probes: Some(Pace::default()),
        ..portolan_health::Reach::default()
    };
    Health::of(world, reach)
}

/// Approval that looks at a world from now on.
pub(super) fn approval(world: AnyWorld, namespace: Option<&str>) -> Approval {
    let reach = portolan_approval::Reach {
        namespace: namespace.map(str::to_owned),
        ..portolan_approval::Reach::default()
    };
    Approval::of(world, reach)
}
