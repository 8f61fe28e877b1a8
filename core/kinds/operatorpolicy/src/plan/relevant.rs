//! Selects the InstallPlan that the condition is about. It installs the operator or one of its
//! dependencies.

use std::cmp::Reverse;

use portolan_core_olm::{InstallPlan, InstallPlanPhase, Subscription};

use super::review::any;
use crate::State;
use crate::case::Case;
use crate::phrase::listed;

/// The relevant InstallPlan and its Subscription.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relevant<'a> {
    pub(crate) case: &'a Case<'a>,
    pub(crate) subscription: &'a Subscription,
    pub(crate) plan: &'a InstallPlan,
    /// The bundle that depends on bundles of this InstallPlan. None if the InstallPlan also
    /// installs the operator itself.
    pub(super) needed_by: Option<&'a str>,
}

impl<'a> Relevant<'a> {
    /// Returns the InstallPlan to judge. Returns None if there is no candidate.
    ///
    /// A candidate installs the Subscription's `currentCSV` or `installedCSV`. A candidate that is
    /// installing `currentCSV` now is preferred. Otherwise, the newest candidate is chosen. An
    /// InstallPlan without a generation is incomplete, so it is ignored.
    pub(crate) fn of(case: &'a Case<'a>) -> Option<Self> {
        let subscription = case.subscription()?;
        let status = &subscription.status;
        let brings = |plan: &InstallPlan, name: &str| {
            !name.is_empty() && plan.spec.csvs.iter().any(|csv| csv == name)
        };
        let plans = case.namespace.plans.iter().map(|plan| &**plan);
        let candidates = plans.filter(|plan| {
            plan.spec.generation.is_some()
                && (brings(plan, &status.current_csv) || brings(plan, &status.installed_csv))
        });
        let candidates: Vec<_> = candidates.collect();
        let next = candidates
            .iter()
            .filter(|plan| brings(plan, &status.current_csv));
        let failed = next
            .filter(|plan| plan.status.phase == InstallPlanPhase::Failed)
            .filter_map(|plan| plan.spec.generation)
            .max();
        let has_arrived = case.csv(&status.current_csv).is_some();
        let rank = |plan: &&InstallPlan| {
            let is_bringing = match plan.status.phase {
                InstallPlanPhase::Installing => true,
                // A complete InstallPlan can exist longer than the bundle that it installed.
                InstallPlanPhase::Complete => has_arrived && plan.spec.generation > failed,
                InstallPlanPhase::Planning
                | InstallPlanPhase::RequiresApproval
                | InstallPlanPhase::Failed
                | InstallPlanPhase::Other(_) => false,
            };
            let wins = is_bringing && brings(plan, &status.current_csv);
            let name = Reverse(plan.metadata.name.clone());
            (wins, plan.spec.generation, name)
        };
        Some(Self {
            case,
            subscription,
            plan: candidates.into_iter().max_by_key(rank)?,
            needed_by: None,
        })
    }

    /// Returns true if the InstallPlan waits for approval although its bundle is already installed.
    pub(crate) fn is_past(&self) -> bool {
        let waits = self.plan.status.phase == InstallPlanPhase::RequiresApproval;
        waits && !self.installed().is_empty() && self.installed() == self.current()
    }

    /// Returns true if OLM has installed the bundle of the InstallPlan.
    pub(super) fn is_over(&self) -> bool {
        let is_done = self.plan.status.phase == InstallPlanPhase::Complete;
        self.is_past() || (is_done && self.installed() == self.current())
    }

    /// Returns true if the InstallPlan waits for its approval.
    pub(crate) fn awaits_approval(&self) -> bool {
        let is_held = self.plan.status.phase == InstallPlanPhase::RequiresApproval;
        is_held && !self.plan.spec.approved && !self.is_past()
    }

    /// Returns true if this InstallPlan installs the Subscription's `currentCSV`.
    pub(crate) fn is_next(&self) -> bool {
        !self.current().is_empty() && self.plan.spec.csvs.iter().any(|csv| csv == self.current())
    }

    /// Returns true if this InstallPlan installs the Subscription's `currentCSV` and OLM has not
    /// installed this bundle yet.
    pub(super) fn is_on_its_way(&self) -> bool {
        self.is_next() && self.installed() != self.current()
    }

    pub(crate) fn name(&self) -> &'a str {
        self.plan.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> Option<&'a str> {
        self.plan.metadata.namespace.as_deref()
    }

    /// Returns the Subscription's `currentCSV`. Empty if OLM has not set it.
    pub(crate) fn current(&self) -> &'a str {
        &self.subscription.status.current_csv
    }

    /// Returns the Subscription's `installedCSV`. Empty if no bundle is installed.
    pub(crate) fn installed(&self) -> &'a str {
        &self.subscription.status.installed_csv
    }

    /// Returns the main ClusterServiceVersion of the InstallPlan: the Subscription's `currentCSV`
    /// if the InstallPlan installs it, and the first ClusterServiceVersion otherwise.
    pub(super) fn lead(&self) -> &'a str {
        let mut csvs = self.plan.spec.csvs.iter();
        if self.is_next() {
            self.current()
        } else {
            csvs.next().map_or("", String::as_str)
        }
    }

    /// Returns the ClusterServiceVersions of the InstallPlan, without the main one.
    pub(super) fn rest(&self) -> Vec<&'a str> {
        let lead = self.lead();
        let csvs = self.plan.spec.csvs.iter().map(String::as_str);
        let mut rest: Vec<_> = csvs.filter(|csv| *csv != lead).collect();
        rest.sort_unstable();
        rest.dedup();
        rest
    }

    /// Returns text that lists all ClusterServiceVersions of the InstallPlan.
    pub(super) fn brings(&self) -> String {
        let mut all = vec![self.lead()];
        all.extend(self.rest());
        listed(&all)
    }
}

/// Returns the newest InstallPlan that waits for approval, installs a dependency of a bundle that
/// this policy allows, and is allowed by the policies. No other policy manages the dependency, so
/// this policy approves the InstallPlan.
pub(super) fn needed<'a>(case: &'a Case<'a>) -> Option<Relevant<'a>> {
    if !case.intent.allows_dependencies {
        return None;
    }
    let own = case.subscription()?;
    let plans = case.namespace.plans.iter().map(|plan| &**plan);
    let waiting = plans.filter(|plan| awaits_approval(plan));
    let needed = waiting.filter_map(|plan| {
        let (bundle, by) = passed_on(case, plan)?;
        Some(Relevant {
            case,
            subscription: asking(case, bundle).unwrap_or(own),
            plan,
            needed_by: Some(by),
        })
    });
    needed.max_by_key(|one| {
        let name = Reverse(one.plan.metadata.name.clone());
        (one.plan.spec.generation, name)
    })
}

fn awaits_approval(plan: &InstallPlan) -> bool {
    plan.status.phase == InstallPlanPhase::RequiresApproval && !plan.spec.approved
}

/// Returns a bundle of the InstallPlan that the policy allows only as a dependency, and the bundle
/// that depends on it.
fn passed_on<'a>(case: &Case<'a>, plan: &InstallPlan) -> Option<(&'a str, &'a str)> {
    let policy = case.observed.policy.metadata.uid.as_deref();
    let review = any(case, plan).filter(|review| review.verdict.state == State::Yes)?;
    review.bundles.iter().find_map(|bundle| {
        let mut allowances = bundle.allowances.iter();
        let own = allowances.find(|allowance| Some(allowance.uid.as_str()) == policy)?;
        Some((bundle.name.as_str(), own.needed_by.last()?.as_str()))
    })
}

/// Returns the Subscription whose `currentCSV` is the bundle. OLM created this Subscription for the
/// bundle. Returns None if no such Subscription exists.
fn asking<'a>(case: &Case<'a>, bundle: &str) -> Option<&'a Subscription> {
    let mut all = case.namespace.subscriptions.iter();
    all.find(|each| each.status.current_csv == bundle)
        .map(|each| &**each)
}
