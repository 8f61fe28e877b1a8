//! One operator, with the objects that determine its health.

use portolan_core_olm::{InstallPlan, Subscription};

use crate::chain::Chain;
use crate::objects::{LookupResult, Objects};
use crate::{CsvPhase, Item, State};

/// One operator before its health is judged.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// The objects of the operator's namespace.
    pub(crate) objects: &'a Objects<'a>,
    /// The Subscription of the operator. None if the operator has no Subscription.
    pub(crate) subscription: Option<&'a Item<Subscription>>,
    /// The ClusterServiceVersions of the operator, newest first.
    pub(crate) chain: Chain<'a>,
}

impl<'a> Case<'a> {
    /// Returns true if a ClusterServiceVersion of the operator exists. Then a failing upgrade does
    /// not affect the health of the operator.
    pub(crate) fn is_installed(&self) -> bool {
        !self.chain.all().is_empty()
    }

    /// Returns true if OLM has installed the newest bundle that it selected. The steps of this
    /// installation are then no longer relevant.
    pub(crate) fn is_settled(&self) -> bool {
        let current = self.subscription.map_or("", |one| &one.status.current_csv);
        self.chain.newest().is_some_and(|newest| {
            newest.status.phase == CsvPhase::Succeeded
                && (current.is_empty() || current == newest.name())
        })
    }

    /// Returns the InstallPlan that the Subscription names. Returns None if the Subscription names
    /// no InstallPlan.
    pub(crate) fn plan(&self) -> Option<LookupResult<'a, Item<InstallPlan>>> {
        let name = self.subscription.map_or("", |one| one.plan());
        (!name.is_empty()).then(|| self.objects.plans.find(name))
    }

    /// Returns the state for a missing object that OLM installs. The state is NotYet while OLM
    /// executes the InstallPlan, and No otherwise.
    pub(crate) fn gap(&self) -> State {
        let plan = self.plan().and_then(LookupResult::object);
        if plan.is_some_and(|plan| plan.is_under_way()) && !self.is_settled() {
            State::NotYet
        } else {
            State::No
        }
    }

    /// Returns the state for a problem that prevents OLM from installing the operator. If the
    /// operator is already installed, the state is Yes, because the problem is only a remark.
    pub(crate) fn hindrance(&self) -> State {
        if self.is_installed() {
            State::Yes
        } else {
            State::No
        }
    }

    /// Returns the state for a problem that delays the installation and that resolves without a
    /// user's action.
    pub(crate) fn delay(&self) -> State {
        self.hindrance().min(State::NotYet)
    }
}
