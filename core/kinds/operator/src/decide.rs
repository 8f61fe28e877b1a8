//! Decides the next steps of an Operator, and computes its status.
//!
//! The checks before a version is installed run in this order. The first check that fails ends the
//! decision:
//!
//! 1. No other installer has installed the package.
//! 2. No hop is in progress.
//! 3. The common route contains a next move, and no other operator must move first.
//! 4. All operators on the route have been ready for their settle time.
//! 5. All bundles on the route of this Operator can be rendered.
//! 6. The suspended plan exists and is valid, and a user has approved it if the Operator requires
//!    approval.
//! 7. The partners, which move at the same time, can also move now.
//! 8. The policies approve the move.
//!
//! Then the controller releases the plan.

mod adopt;
mod believable;
mod checks;
mod condition;
mod config;
mod consent;
mod deletion;
mod dependencies;
mod deprecation;
mod history;
mod leftover;
mod live;
mod observation;
mod own_route;
mod plan;
mod prepare;
mod report;
mod restore;
mod revert;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use portolan_api::operator::sentence::Remedied;
use portolan_api::operator::{Account, Intent, OnFailure, Reason, Remedy, Status};
use portolan_core_names::text::one_line;

use crate::answer::Answer;
use crate::fleet::Installer;
use crate::hop::{HopState, OperatorHop, Partner};
use crate::member::FleetMember;
use crate::offer::{Choice, Offers};
use own_route::OwnRoute;
use report::{Report, UndatedCondition};

pub use observation::{
    Act, Ask, BundleId, BundleRef, Decision, Home, Knowledge, Observation, ResourceQuery, Step,
};

/// The interval after which the controller reads the cluster again, if no watch covers the objects
/// that a decision depends on.
const READ_AGAIN: SignedDuration = SignedDuration::from_secs(60);

/// The reason why a decision ends early.
enum Halt {
    /// The decision needs more information first.
    Ask(BTreeSet<Ask>),
    /// The decision ends. The Operator reports this condition.
    Say(UndatedCondition),
    /// The decision ends. The Operator reports this condition. No watch covers the objects that the
    /// condition depends on, so the controller reads the cluster again later.
    Poll(UndatedCondition),
    /// The decision ends. The Operator reports this condition, with the command that resolves the
    /// problem.
    Remedied(Box<Halt>, Remedy),
}

impl Halt {
    fn no(reason: Reason, message: impl Into<String>) -> Self {
        Self::Say(UndatedCondition::no(reason, message))
    }

    /// Returns a halt with the command that resolves the problem.
    fn remedied(reason: Reason, said: Remedied) -> Self {
        Self::Remedied(Box::new(Self::no(reason, said.text)), said.remedy)
    }

    /// Returns a halt for a problem of a plan. If other owners manage objects of the plan, the halt
    /// contains the command that takes over these objects.
    fn of_plan(hop: &OperatorHop, reason: Reason, said: String) -> Self {
        match hop.taking_over(&said) {
            Some(said) => Self::remedied(reason, said),
            None => Self::no(reason, said),
        }
    }

    /// Returns the same halt. Afterward, the controller also reads the cluster again at a later
    /// time.
    fn polled(self) -> Self {
        match self {
            Self::Say(said) | Self::Poll(said) => Self::Poll(said),
            Self::Ask(asks) => Self::Ask(asks),
            Self::Remedied(halt, remedy) => Self::Remedied(Box::new(halt.polled()), remedy),
        }
    }
}

impl Decision {
    /// Returns the condition of a halt. For [`Halt::Poll`], also schedules the next read of the
    /// cluster.
    ///
    /// # Errors
    /// Returns the information that must be read first.
    fn halted(&mut self, halt: Halt, now: Timestamp) -> Result<UndatedCondition, BTreeSet<Ask>> {
        match halt {
            Halt::Ask(asks) => Err(asks),
            Halt::Say(said) => Ok(said),
            Halt::Poll(said) => {
                self.until = now.checked_add(READ_AGAIN).ok();
                Ok(said)
            }
            Halt::Remedied(halt, remedy) => {
                self.remedy = Some(remedy);
                self.halted(*halt, now)
            }
        }
    }
}

/// An Operator, with the observation on which its decision is based.
#[derive(Clone, Copy)]
struct OperatorContext<'o> {
    observed: &'o Observation,
    member: &'o FleetMember,
    intent: &'o Intent,
}

/// Decides the next steps for an Operator.
///
/// # Guarantees
/// The decision releases no plan before two conditions are true: all bundles on the Operator's
/// route can be rendered, and all plans that must be released together can be released. The
/// decision is stable: without a change, it returns no further steps and the same status.
pub fn decide(observed: &Observation) -> Decision {
    let Some(member) = observed.fleet.members.get(&observed.name).map(Arc::as_ref) else {
        return Decision::saying(observed.status.clone());
    };
    let adoption = adopt::status(observed, member.current());
    let mut report = Report::of(observed, member, adoption);
    let mut decision = Decision::saying(Status::default());
    if !member.is_terminating {
        restore::retire(observed, member, &mut decision);
        restore::reset(member, &mut decision);
    }
    let installing = advance(observed, member, &mut report, &mut decision);
    let installing = installing.or_else(|halt| decision.halted(halt, observed.now));
    let installing = match installing {
        Ok(condition) if member.is_terminating => {
            deletion::with_left_behind(observed, member, condition)
        }
        other => other,
    };
    match installing {
        Ok(condition) => {
            report.installing = Some(condition);
            report.remedy = decision.remedy.take();
        }
        Err(asks) => {
            decision.asks = asks;
            return decision;
        }
    }
    decision.status = report.render(observed, member.generation);
    decision
}

/// Runs the phases in order: first the checks, then the adoption from OLM, and then the deletion or
/// the installation. The first phase that has work to do ends the decision.
fn advance(
    observed: &Observation,
    member: &FleetMember,
    report: &mut Report,
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let case = if member.is_terminating {
        if let Some(hold) = deletion::hold(observed, member) {
            return Ok(hold);
        }
        None
    } else {
        Some(checked(observed, member)?)
    };
    if let Some(condition) = adopt::adopt((observed, member), case, decision)? {
        return Ok(condition);
    }
    match case {
        Some(case) => install(case, report, decision),
        None => Ok(deletion::delete(member, decision)),
    }
}

/// Returns the context of an Operator. Returns an error if the spec is invalid, or if an older
/// Operator requests the same package.
fn checked<'o>(
    observed: &'o Observation,
    member: &'o FleetMember,
) -> Result<OperatorContext<'o>, Halt> {
    let intent = member.intent.as_ref();
    let intent = intent.map_err(|refusals| Halt::no(Reason::SpecInvalid, refusals.to_string()))?;
    let case = OperatorContext {
        observed,
        member,
        intent,
    };
    duplicate(case)?;
    config::config(intent)?;
    Ok(case)
}

/// Installs the next version. If the plan of the current version is missing, reinstalls the current
/// version first.
fn install(
    case: OperatorContext<'_>,
    report: &mut Report,
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    neighbors(case)?;
    restore::restore(case, decision, report)?;
    if let Some(next) = case.member.next()
        && let Some(condition) = case.follow(next, decision)
    {
        return Ok(condition);
    }
    let catalog = catalog(case)?;
    report.available(case, &catalog)?;
    match under_way(case) {
        Some(UnderWay::Failed(problem)) if case.intent.on_failure == OnFailure::Revert => {
            return revert::revert(case, problem, decision, report);
        }
        Some(under_way) => return under_way.condition(case),
        None => {}
    }
    let own_route = OwnRoute::find(case, &catalog)?;
    report.path = own_route.statuses();
    if let Some(wanted) = own_route.wanted() {
        report.wants(case, wanted);
    }
    let moved = own_route.go(case, decision, report);
    let moved = moved.or_else(|halt| decision.halted(halt, case.observed.now));
    let condition = moved.map_err(Halt::Ask)?;
    if let Some(hop) = report.path.first_mut() {
        hop.waits_for = Some(one_line(&condition.message));
    }
    history::prune(case, decision);
    Ok(condition)
}

/// Returns an error if an older Operator requests the same package.
fn duplicate(case: OperatorContext<'_>) -> Result<(), Halt> {
    let Some(older) = case.observed.fleet.older(case.member) else {
        return Ok(());
    };
    let sentence = format!(
        "the older Operator {} is for the same package; delete one of the two Operators",
        older.name
    );
    Err(Halt::no(Reason::Duplicate, sentence))
}

/// Returns an error if another installer, such as OLM, has already installed the package.
fn neighbors(case: OperatorContext<'_>) -> Result<(), Halt> {
    let OperatorContext {
        observed, member, ..
    } = case;
    let fleet = &observed.fleet;
    let package = case.intent.package.as_str();
    let Some(present) = fleet.present(package) else {
        return Ok(());
    };
    let is_installed = member.current().is_some();
    let object = &present.object;
    Err(match (present.by, is_installed) {
        (Installer::Olm, false) => Halt::no(
            Reason::InstalledByOlm,
            format!(
                "OLM installed {object}; the Operator installs nothing while this object exists; \
                 to adopt the installation of OLM: portolan adopt {package} --dry-run"
            ),
        ),
        (Installer::Olm, true) => Halt::no(
            Reason::AlsoInstalledByOlm,
            format!(
                "OLM also installed {object}; the Operator installs no upgrade while this object \
                 exists"
            ),
        ),
        (Installer::ClusterExtension, _) => Halt::no(
            Reason::InstalledByClusterExtension,
            format!(
                "{object} already installs the package; the Operator installs nothing while \
                     this object exists"
            ),
        ),
    })
}

/// Returns the name of the catalog from which the Operator installs its package.
fn catalog(case: OperatorContext<'_>) -> Result<String, Halt> {
    let offers = case.observed.offers()?;
    let package = case.intent.package.as_str();
    match Choice::of(offers, package, Some(case.intent)) {
        Choice::Catalog(catalog) => Ok(catalog),
        Choice::None => Err(Halt::no(
            Reason::PackageNotFound,
            format!("no catalog has the package {package}"),
        )),
        Choice::NotSelected(sentence) => Err(Halt::no(Reason::PackageNotFound, sentence)),
        Choice::Ambiguous(sentence) => Err(Halt::no(Reason::AmbiguousCatalog, sentence)),
        Choice::UnknownChannel(sentence) => Err(Halt::no(Reason::NoUpgradePath, sentence)),
    }
}

/// A hop that has begun and is not complete.
enum UnderWay<'o> {
    Applying(&'o str),
    /// A problem prevents the completion of the hop. The text describes the problem.
    Failed(&'o str),
}

impl UnderWay<'_> {
    fn condition(&self, case: OperatorContext<'_>) -> Result<UndatedCondition, Halt> {
        let current = case.member.current();
        let bundle = current.map(|hop| &*hop.facts.installs.bundle);
        let bundle = bundle.unwrap_or_default();
        match self {
            Self::Applying(message) => Ok(UndatedCondition::yes(
                Reason::Applying,
                format!("{bundle} is being installed: {message}"),
            )),
            Self::Failed(problem) => {
                let said = format!("the installation of {bundle} fails: {problem}");
                Err(match current {
                    Some(hop) => Halt::of_plan(hop, Reason::InstallFailed, said),
                    None => Halt::no(Reason::InstallFailed, said),
                })
            }
        }
    }
}

/// Returns the state of the hop in progress. Returns None if no hop is in progress, or if the
/// Operator now requests another version.
fn under_way<'o>(case: OperatorContext<'o>) -> Option<UnderWay<'o>> {
    let hop = case.member.current()?;
    let HopState::Begun {
        is_applied,
        ready_since,
        problem,
        message,
    } = &hop.state
    else {
        return None;
    };
    if ready_since.is_some() || case.member.is_overruled() {
        return None;
    }
    match problem {
        Some(problem) => Some(UnderWay::Failed(problem)),
        None if *is_applied => None,
        None => Some(UnderWay::Applying(message)),
    }
}

impl OperatorContext<'_> {
    /// Returns the ServiceAccount that applies the plans of the Operator, and the namespace of the
    /// plans.
    fn account(self) -> Account {
        let home = &self.observed.home;
        let default = || Account {
            namespace: home.namespace.clone(),
            name: home.service_account.clone(),
        };
        self.intent.service_account.clone().unwrap_or_else(default)
    }

    /// Releases the plan of the next hop if the plan of one of its partners was already released.
    /// Returns None if no partner's plan was released.
    fn follow(self, next: &OperatorHop, decision: &mut Decision) -> Option<UndatedCondition> {
        let has_begun = |partner: &Partner| {
            let member = self.observed.fleet.by_package(&partner.package);
            let current = member.and_then(FleetMember::current);
            // The partner may have installed this bundle earlier and without this Operator. That
            // hop does not name this Operator, so it does not count.
            current.is_some_and(|hop| {
                hop.facts.installs.bundle == partner.bundle && hop.is_with(&next.facts)
            })
        };
        if next.is_terminating || !next.facts.with.iter().any(has_begun) {
            return None;
        }
        decision.steps.push(Step::release(next));
        let bundle = &next.facts.installs.bundle;
        let sentence =
            format!("{bundle} is installed after the operators that are upgraded with it");
        Some(UndatedCondition::yes(Reason::Applying, sentence))
    }
}

impl Observation {
    fn offers(&self) -> Result<&Offers, Halt> {
        match &self.offers {
            None => Err(Halt::Ask([Ask::Offers(self.fleet.packages())].into())),
            Some(Answer::Known(offers)) => Ok(offers),
            Some(Answer::Refused(sentence) | Answer::Unavailable(sentence)) => {
                Err(Halt::no(Reason::ResolverUnavailable, sentence.clone()))
            }
        }
    }
}
