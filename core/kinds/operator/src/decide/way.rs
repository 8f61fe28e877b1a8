//! The route of an Operator: its next hop, what that waits for, and how it begins.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::{
    ACCEPT_BREAKS, APPROVE, Dependencies, HopStatus, Reason, Wanted, sentence,
};
use portolan_core_names::text::listed;
use serde_json::Value;

use super::believable;
use super::condition;
use super::consent::consent;
use super::dependencies::lasting;
use super::leftover::is_left_by_olm;
use super::live::losses;
use super::plan::held_plan;
use super::report::{Report, UndatedCondition};
use super::revert::refuse_again;
use super::{Ask, BundleId, BundleRef, Case, Decision, Halt, Step};
use crate::answer::{Answer, Blocked, Move, RenderedBundle, Route, WantedBundle};
use crate::hop::{Hop, HopFacts, HopState, Partner, Verdict};
use crate::member::Member;
use crate::question::RenderOptions;
use crate::unsafe_changes::{Acceptance, MOST_CHANGES};
use crate::waits::Waits;

/// The maximum number of breaking changes in the message.
const MOST_BREAKS: usize = 5;

/// The route of one Operator, as a part of the common route.
pub(super) struct Way<'o> {
    catalog: String,
    route: Option<&'o Route>,
    /// Its own moves, each with the index of its step.
    moves: Vec<(usize, Move)>,
    blocked: Option<&'o Blocked>,
    wanted: Option<&'o WantedBundle>,
}

impl<'o> Way<'o> {
    pub(super) fn find(case: Case<'o>, catalog: &str) -> Result<Self, Halt> {
        let routes = routes(case)?;
        let package = case.intent.package.as_str();
        let route = Route::of(routes, package);
        let steps = route
            .into_iter()
            .flat_map(|route| route.steps.iter().enumerate());
        let own = steps.flat_map(|(at, step)| step.iter().map(move |one| (at, one)));
        let mut moves: Vec<_> = own
            .filter(|(_, one)| one.package == package)
            .map(|(at, one)| (at, one.clone()))
            .collect();
        let ends = route.into_iter().flat_map(|route| &route.ends);
        let end = ends.into_iter().find(|end| end.package == package);
        let blocked = end.and_then(|end| end.blocked.as_ref());
        believable::moves(case, &moves, blocked.is_none())?;
        if let Some(again) = again(case) {
            // A reinstallation of the same version comes before all other moves.
            moves.insert(0, (0, again));
        }
        Ok(Self {
            catalog: catalog.to_owned(),
            route,
            wanted: end.and_then(|end| end.wanted.as_ref()),
            moves,
            blocked,
        })
    }

    /// Returns the target bundle, unless it is already installed.
    pub(super) fn wanted(&self) -> Option<&'o WantedBundle> {
        let is_there = self.moves.is_empty() && self.blocked.is_none();
        self.wanted.filter(|_| !is_there)
    }

    /// Returns the statuses of the remaining hops.
    pub(super) fn statuses(&self) -> Vec<HopStatus> {
        let statuses = self.moves.iter().map(|(at, one)| HopStatus {
            bundle: one.bundle.clone(),
            version: one.version.clone(),
            with: self
                .partners(*at, one)
                .into_iter()
                .map(|it| it.package)
                .collect(),
            waits_for: None,
        });
        statuses.collect()
    }

    /// Returns the operators that move in the same step.
    fn partners(&self, at: usize, own: &Move) -> BTreeSet<Partner> {
        let step = self.route.and_then(|route| route.steps.get(at));
        let moves = step.into_iter().flatten();
        let is_of_step = |one: &&Move| step.is_some_and(|step| step.contains(own) && *one != own);
        moves
            .filter(is_of_step)
            .map(|one| Partner {
                package: one.package.clone(),
                bundle: one.bundle.clone(),
            })
            .collect()
    }

    /// Takes the next hop, as far as possible.
    pub(super) fn go(
        &self,
        case: Case<'_>,
        decision: &mut Decision,
        report: &mut Report,
    ) -> Result<UndatedCondition, Halt> {
        let Some((at, next)) = self.moves.first() else {
            withdraw(case, decision);
            self.is_same_bundle(case)?;
            return Ok(self.rests(case));
        };
        self.is_same_bundle(case)?;
        if let Some((_, last)) = self.moves.last() {
            report.target(&last.version);
        }
        self.in_order(case, *at)?;
        settled(case, self.route, decision)?;
        upgradeable(case, case.member)?;
        let bundles = self.bundles(case)?;
        keeps_objects(case, next, &bundles[0].manifests, report)?;
        let with = self.partners(*at, next);
        let facts = HopFacts {
            takes_left: is_left_by_olm(case, &bundles[0].manifests)?,
            ..facts(
                case,
                (&self.catalog, with),
                (bundles[0], &bundles[0].manifests),
            )
        };
        refuse_again(case, &facts)?;
        let held = prepared(case, decision, facts, bundles[0])?;
        good(case.member, held)?;
        provided(case, case.member, held)?;
        together(case, held)?;
        consent(case, held, decision)?;
        decision.steps.push(Step::release(held));
        let sentence = format!("{} begins", next.bundle);
        Ok(UndatedCondition::yes(Reason::Applying, sentence))
    }

    /// Returns an error if the catalog now has another image for the installed bundle. In that case
    /// the bundle is not installed again, neither for changed content nor for changed options. The
    /// next version can still be installed.
    fn is_same_bundle(&self, case: Case<'_>) -> Result<(), Halt> {
        let Some(current) = case.member.current() else {
            return Ok(());
        };
        let installs = &current.facts.installs;
        let next = self.moves.first().map(|(_, next)| &next.bundle);
        let stays = next.is_none_or(|next| *next == installs.bundle);
        let Some(digest) = digest(&current.facts.image).filter(|_| stays) else {
            return Ok(());
        };
        let bundle = BundleId {
            catalog: self.catalog.clone(),
            package: installs.package.clone(),
            bundle: installs.bundle.clone(),
        };
        let image = match case.observed.images.get(&bundle) {
            None => return Err(Halt::Ask([Ask::Image(Box::new(bundle))].into())),
            Some(Answer::Known(image)) => image,
            // The bundle may have been removed from the catalog.
            Some(Answer::Refused(_) | Answer::Unavailable(_)) => return Ok(()),
        };
        match self::digest(image) {
            Some(now) if now != digest => {
                let sentence = format!(
                    "{} is installed from {digest}, and catalog {} has {now} under that name now; \
                     nothing is done about that: go to another version",
                    installs.bundle, self.catalog
                );
                Err(Halt::no(Reason::BundleChanged, sentence))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the reason why it does not move.
    fn rests(&self, case: Case<'_>) -> UndatedCondition {
        let installed = case.member.installed();
        let version = installed.map(|hop| hop.facts.installs.version.as_str());
        match (self.blocked, version, &case.intent.version) {
            (Some(blocked), ..) => {
                let reason = if blocked.waits {
                    Reason::WaitingForDependencies
                } else {
                    Reason::Unreachable
                };
                UndatedCondition::no(reason, blocked.message())
            }
            (None, Some(version), Wanted::Once) => UndatedCondition::no(
                Reason::Frozen,
                format!(
                    "it stays at {version}, as spec.version is empty; write a version or a range to \
                     have it move"
                ),
            ),
            (None, Some(version), Wanted::Range(_)) => {
                UndatedCondition::no(Reason::UpToDate, format!("it has {version}, as is wanted"))
            }
            (None, None, _) => UndatedCondition::no(
                Reason::Unreachable,
                "nothing leads to a version that can be installed",
            ),
        }
    }

    /// Returns an error if other operators must move first.
    fn in_order(&self, case: Case<'_>, at: usize) -> Result<(), Halt> {
        let Some((first, before)) = self
            .route
            .filter(|_| at > 0)
            .and_then(|route| route.steps.split_first())
        else {
            return Ok(());
        };
        let moves = first
            .iter()
            .map(|one| format!("{} is at {}", one.package, one.version));
        let more = if before.len() > 1 && at > 1 {
            ", and others after it"
        } else {
            ""
        };
        let unapproved = first.iter().filter_map(|one| unapproved(case, one));
        let unapproved: String = unapproved.collect();
        let sentence = format!("it waits until {}{more}{unapproved}", listed(moves));
        Err(Halt::no(Reason::WaitingForDependencies, sentence))
    }

    /// Returns the rendered bundles on its route, the next one first.
    fn bundles(&self, case: Case<'o>) -> Result<Vec<&'o RenderedBundle>, Halt> {
        let (mut all, mut asks) = (Vec::new(), BTreeSet::new());
        for (place, (_, one)) in self.moves.iter().enumerate() {
            let bundle = BundleRef {
                catalog: self.catalog.clone(),
                package: one.package.clone(),
                bundle: one.bundle.clone(),
                options: options(case),
                with_manifests: place == 0,
            };
            match case.observed.bundles.get(&bundle) {
                None => drop(asks.insert(Ask::Bundle(Box::new(bundle)))),
                Some(Answer::Known(rendered)) => {
                    believable::bundle(one, rendered)?;
                    all.push(rendered);
                }
                Some(Answer::Refused(sentence) | Answer::Unavailable(sentence)) => {
                    let sentence = format!("{}: {sentence}", one.bundle);
                    return Err(Halt::no(Reason::BundleRefused, sentence));
                }
            }
        }
        if asks.is_empty() {
            Ok(all)
        } else {
            Err(Halt::Ask(asks))
        }
    }
}

/// Returns the facts that the plan of the next hop records. `manifests` are those of the plan.
pub(super) fn facts(
    case: Case<'_>,
    (catalog, with): (&str, BTreeSet<Partner>),
    (bundle, manifests): (&RenderedBundle, &[Value]),
) -> HopFacts {
    let conditions = &case.observed.fleet.conditions;
    let before = case.member.predecessor();
    HopFacts {
        number: case.member.next_number(),
        installs: bundle.installs.clone(),
        image: bundle.image.clone(),
        catalog: catalog.to_owned(),
        options: options(case).text(),
        generation: case.member.generation,
        wish: Some(Member::wished(case.intent)),
        with,
        condition: conditions
            .are_served
            .then(|| condition::of_bundle(manifests, &bundle.installs.bundle))
            .flatten(),
        adopts: None,
        takes_left: false,
        waits: Waits::of(case.intent).digest(),
        renamed: before.map_or_else(BTreeMap::new, |hop| hop.facts.renamed.clone()),
        csv: None,
    }
}

/// Returns the suspended plan of the next hop once it is correct.
///
/// # Errors
/// Returns an error while the plan is missing, outdated or being deleted.
pub(super) fn prepared<'o>(
    case: Case<'o>,
    decision: &mut Decision,
    facts: HopFacts,
    bundle: &RenderedBundle,
) -> Result<&'o Hop, Halt> {
    let checking = |sentence: String| Err(Halt::no(Reason::Checking, sentence));
    let next = facts.installs.bundle.clone();
    let Some(held) = case.member.next() else {
        make(case, decision, facts, (&bundle.manifests, &bundle.csv))?;
        return checking(format!("{next} is looked at"));
    };
    if held.is_terminating {
        return checking(format!("the plan {} is deleted first", held.plan));
    }
    if !held.is_same(&facts) {
        decision.steps.push(Step::delete(held));
        let instead = held_bundle(held);
        return checking(format!("it goes to {next} instead of {instead}"));
    }
    Ok(held)
}

/// Checks that custom resources lose nothing by the next version, or that the loss is accepted.
///
/// # Errors
/// `DefinitionUnsafe` with the losses.
pub(super) fn keeps_objects(
    case: Case<'_>,
    next: &Move,
    manifests: &[Value],
    report: &mut Report,
) -> Result<(), Halt> {
    let from = case.member.current().filter(|hop| !hop.is_lost());
    let from = from.map(|current| current.facts.installs.bundle.as_str());
    let acceptance = Acceptance::new(&case.member.accepted, Some(case.intent));
    if from == Some(&next.bundle) || acceptance.accepts(&next.bundle) {
        return Ok(());
    }
    let losses = acceptance.rest(&next.bundle, losses(case, manifests)?);
    if losses.is_empty() {
        return Ok(());
    }
    report.unsafe_changes = losses.iter().take(MOST_CHANGES).cloned().collect();
    let more = match losses.len().saturating_sub(MOST_BREAKS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let told = losses.iter().take(MOST_BREAKS).map(ToString::to_string);
    let told: Vec<_> = told.collect();
    let sentence = format!("objects may lose something: {}{more}", told.join("; "));
    Err(unsafe_definition(case, (from, next), &sentence))
}

/// Returns the halt for unsafe CRD changes, with the annotation that accepts them.
fn unsafe_definition(case: Case<'_>, (from, next): (Option<&str>, &Move), broken: &str) -> Halt {
    let from = from.unwrap_or("nothing");
    let said = format!("{from} -> {}: {broken}", next.bundle);
    let member = case.member;
    let reason = Reason::DefinitionUnsafe;
    let halt = match sentence::accepting(&member.accepted, &next.bundle) {
        Some(list) => {
            let annotation = (ACCEPT_BREAKS, &*list);
            let said = sentence::annotating_if_meant(&said, &member.name, annotation);
            Halt::remedied(reason, said)
        }
        None => {
            let sentence = format!(
                "{said}; if that is meant, add {} to the annotation {ACCEPT_BREAKS}",
                next.bundle
            );
            Halt::no(reason, sentence)
        }
    };
    halt.polled()
}

/// Creates a suspended plan.
pub(super) fn make(
    case: Case<'_>,
    decision: &mut Decision,
    facts: HopFacts,
    rendered: (&[Value], &Value),
) -> Result<(), Halt> {
    if !case.member.has_finalizer {
        // The finalizer must exist before any object that depends on the Operator.
        decision.steps.push(Step::AddFinalizer);
        return Ok(());
    }
    let objects = held_plan(case, facts, rendered)
        .map_err(|sentence| Halt::no(Reason::BundleRefused, sentence))?;
    decision.steps.push(Step::Create(objects));
    Ok(())
}

/// Returns the digest in an image reference, if any.
fn digest(image: &str) -> Option<&str> {
    image.split_once('@').map(|(_, digest)| digest)
}

/// Returns the options for installing the bundles of an Operator.
pub(super) fn options(case: Case<'_>) -> RenderOptions {
    RenderOptions::of(case.intent)
}

/// Returns a move to the installed version, if its install options have changed.
fn again(case: Case<'_>) -> Option<Move> {
    let current = case.member.current()?;
    let installs = &current.facts.installs;
    (current.facts.options != options(case).text()).then(|| Move {
        package: installs.package.clone(),
        bundle: installs.bundle.clone(),
        version: installs.version.clone(),
    })
}

fn routes<'o>(case: Case<'o>) -> Result<&'o [Route], Halt> {
    match &case.observed.routes {
        None => Err(Halt::Ask([Ask::Routes].into())),
        Some(Answer::Known(routes)) => Ok(routes),
        Some(Answer::Refused(sentence)) => Err(Halt::no(Reason::Unreachable, sentence.clone())),
        Some(Answer::Unavailable(sentence)) => {
            Err(Halt::no(Reason::CatalogsUnknown, sentence.clone()))
        }
    }
}

/// Returns an error until the last version of each operator on the route has been ready long
/// enough.
fn settled(case: Case<'_>, route: Option<&Route>, decision: &mut Decision) -> Result<(), Halt> {
    let now = case.observed.now;
    let member = case.member;
    if !member.is_overruled() && !member.is_settled(now) {
        let version = member.current().map(|hop| &*hop.facts.installs.version);
        let version = version.unwrap_or_default();
        let sentence = match member.settled_at() {
            Some(at) => {
                decision.until = Some(at);
                format!("{version} has to be fine until {at} before the next version")
            }
            None => {
                let message = member.current().map_or("", Hop::message);
                format!("{version} has to be fine before the next version: {message}")
            }
        };
        return Err(Halt::no(Reason::Settling, sentence));
    }
    let ends = route.into_iter().flat_map(|route| &route.ends);
    let others = ends.filter(|end| end.package != case.intent.package.as_str());
    let others = others.filter_map(|end| case.observed.fleet.by_package(&end.package));
    let moves = || {
        route
            .into_iter()
            .flat_map(|route| route.steps.iter().flatten())
    };
    // An operator that leaves a broken version is not waited for, because it may wait for this one.
    let leaves = |other: &Member| {
        let has_ended = |hop: &Hop| hop.is_applied() || hop.problem().is_some();
        other.is_overruled()
            && other.current().is_some_and(has_ended)
            && moves().any(|one| other.package() == Some(&one.package))
    };
    let unsettled = others.filter(|other| !leaves(other) && !other.is_settled(now));
    let unsettled: Vec<_> = unsettled.collect();
    let Some(first) = unsettled.first() else {
        return Ok(());
    };
    decision.until = unsettled
        .iter()
        .filter_map(|other| other.settled_at())
        .max();
    let version = first.current().map(|hop| &*hop.facts.installs.version);
    let sentence = format!(
        "it waits until {} {} has been fine for a while",
        first.name,
        version.unwrap_or_default()
    );
    Err(Halt::no(Reason::Settling, sentence))
}

/// Returns an error if the installed operator reports that it must not be upgraded. A failed
/// version that is overruled is ignored.
fn upgradeable(case: Case<'_>, member: &Member) -> Result<(), Halt> {
    let has_failed = member.current().is_some_and(|hop| hop.problem().is_some());
    match case.observed.fleet.not_upgradeable(member) {
        Some(why) if !(member.is_overruled() && has_failed) => {
            Err(Halt::no(Reason::NotUpgradeable, why))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns an error unless a suspended plan can be released, according to its own state and its
/// Operator.
fn good(member: &Member, held: &Hop) -> Result<(), Halt> {
    sound(held)?;
    let bundle = held_bundle(held);
    if member.is_allowed(bundle) {
        return Ok(());
    }
    let sentence = sentence::annotating(
        &format!("somebody has to allow {bundle}"),
        &member.name,
        (APPROVE, bundle),
    );
    Err(Halt::remedied(Reason::ApprovalRequired, sentence))
}

/// Returns an error unless a suspended plan is valid and permitted.
pub(super) fn sound(held: &Hop) -> Result<(), Halt> {
    let bundle = held_bundle(held);
    match &held.state {
        HopState::Held(Verdict::Good) | HopState::Begun { .. } | HopState::Lost => Ok(()),
        HopState::Held(Verdict::Open(message)) => {
            let sentence = format!("{bundle} is looked at: {message}");
            Err(Halt::no(Reason::Checking, sentence))
        }
        HopState::Held(Verdict::Invalid(message)) => {
            let sentence = format!("{bundle} cannot be applied: {message}");
            Err(Halt::of_plan(held, Reason::PlanInvalid, sentence))
        }
        HopState::Held(Verdict::NotPermitted(message)) => {
            let sentence = format!("{bundle} may not be applied: {message}");
            Err(Halt::no(Reason::PermissionMissing, sentence))
        }
    }
}

/// Checks that no dependency of a held plan is satisfied only by an Operator that is being deleted.
fn provided(case: Case<'_>, member: &Member, held: &Hop) -> Result<(), Halt> {
    let intent = member.intent.as_ref();
    if intent.is_ok_and(|intent| intent.dependencies == Dependencies::Ignore) {
        return Ok(());
    }
    let requires = &held.facts.installs.requires;
    lasting(&case.observed.fleet, member, (held_bundle(held), requires))
}

/// Returns an error unless all operators that move at the same time can move.
fn together(case: Case<'_>, held: &Hop) -> Result<(), Halt> {
    for partner in &held.facts.with {
        let Partner { package, bundle } = partner;
        let other = case.observed.fleet.by_package(package);
        let next = other.and_then(|other| Some((other, other.next()?)));
        let is_good = next.is_some_and(|(other, next)| {
            let may_go = good(other, next).is_ok()
                && provided(case, other, next).is_ok()
                && upgradeable(case, other).is_ok();
            held_bundle(next) == bundle && may_go
        });
        if !is_good {
            let sentence =
                format!("it moves together with {package}, which cannot go to {bundle} yet");
            return Err(Halt::no(Reason::Lockstep, sentence));
        }
    }
    Ok(())
}

/// Returns a clause about a move that waits for approval.
fn unapproved(case: Case<'_>, one: &Move) -> Option<String> {
    let other = case.observed.fleet.by_package(&one.package)?;
    let held = other.next().map(held_bundle)?;
    let waits = held == one.bundle && !other.is_allowed(held);
    waits.then(|| format!("; Operator {} waits for approval of {held}", other.name))
}

/// Deletes a suspended plan that is no longer wanted.
fn withdraw(case: Case<'_>, decision: &mut Decision) {
    let held = case.member.next().filter(|held| !held.is_terminating);
    decision.steps.extend(held.map(Step::delete));
}

fn held_bundle(hop: &Hop) -> &str {
    &hop.facts.installs.bundle
}
