//! Cases: one operator, with the ground that it stands on.

use crate::chain::Chain;
use crate::ground::{Found, Ground};
use crate::{InstallPlan, Phase, State, Subscription};

/// One operator before it is judged.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// The objects of its namespace.
    pub(crate) ground: &'a Ground<'a>,
    /// The wish for it, if there is one.
    pub(crate) subscription: Option<&'a Subscription>,
    /// Its ClusterServiceVersions.
    pub(crate) chain: Chain<'a>,
}

impl<'a> Case<'a> {
    /// Whether there is an operator, so that trouble with what comes next leaves it as it is.
    pub(crate) fn is_installed(&self) -> bool {
        !self.chain.all().is_empty()
    }

    /// Whether the bundle that OLM brought last is installed, so that what it did to bring it is of
    /// no interest.
    pub(crate) fn is_settled(&self) -> bool {
        let current = self.subscription.map_or("", |wish| &wish.current_csv);
        self.chain.newest().is_some_and(|newest| {
            newest.phase == Phase::Succeeded && (current.is_empty() || current == newest.name())
        })
    }

    /// The InstallPlan that the Subscription names.
    pub(crate) fn plan(&self) -> Option<Found<'a, InstallPlan>> {
        let name = self.subscription.map_or("", |wish| &wish.plan);
        (!name.is_empty()).then(|| self.ground.plans.find(name))
    }

    /// What it means that something is missing that OLM brings: nothing yet, while it is bringing.
    pub(crate) fn gap(&self) -> State {
        let plan = self.plan().and_then(Found::object);
        match plan.is_some_and(InstallPlan::is_under_way) && !self.is_settled() {
            true => State::NotYet,
            false => State::No,
        }
    }

    /// What trouble means that keeps OLM from bringing an operator: no more than a remark, if one
    /// is there.
    pub(crate) fn hindrance(&self) -> State {
        match self.is_installed() {
            true => State::Yes,
            false => State::No,
        }
    }

    /// The same of trouble that passes by itself.
    pub(crate) fn delay(&self) -> State {
        self.hindrance().min(State::NotYet)
    }
}
