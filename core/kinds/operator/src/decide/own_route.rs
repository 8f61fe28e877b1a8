//! The route of an Operator: the next hop, its preconditions, and the steps that begin it.

use std::collections::BTreeSet;

use portolan_api::operator::{HopStatus, Reason, Wanted};
use portolan_core_names::text::listed;

use super::believable;
use super::checks::{good, provided, settled, together, unapproved, upgradeable};
use super::consent::consent;
use super::leftover::is_left_by_olm;
use super::prepare::{facts, keeps_objects, options, prepared};
use super::report::{Report, UndatedCondition};
use super::revert::refuse_again;
use super::{Ask, BundleId, BundleRef, Decision, Halt, OperatorContext, Step};
use crate::answer::{Answer, Blocked, CommonRoute, Move, RenderedBundle, WantedBundle};
use crate::hop::{HopFacts, Partner};

/// The route of one Operator, which is a part of the common route.
pub(super) struct OwnRoute<'o> {
    catalog: String,
    route: Option<&'o CommonRoute>,
    /// The moves of this Operator, each with the index of its step.
    moves: Vec<(usize, Move)>,
    blocked: Option<&'o Blocked>,
    wanted: Option<&'o WantedBundle>,
}

impl<'o> OwnRoute<'o> {
    pub(super) fn find(case: OperatorContext<'o>, catalog: &str) -> Result<Self, Halt> {
        let routes = routes(case)?;
        let package = case.intent.package.as_str();
        let route = CommonRoute::of(routes, package);
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
            // If the current version must be reinstalled, the reinstallation precedes all other
            // moves.
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

    /// Returns the target bundle. Returns None if the target bundle is already installed.
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

    /// Returns the other operators that move in the same step.
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

    /// Advances the next hop as far as possible now. If all checks pass, releases the plan of the
    /// hop. If the Operator has no next hop, deletes its suspended plan.
    pub(super) fn go(
        &self,
        case: OperatorContext<'_>,
        decision: &mut Decision,
        report: &mut Report,
    ) -> Result<UndatedCondition, Halt> {
        let Some((at, next)) = self.moves.first() else {
            withdraw(case, decision);
            self.is_same_bundle(case)?;
            return Ok(self.idle(case));
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

    /// Returns an error if the catalog now has another image for the installed bundle. Portolan
    /// then does not reinstall this bundle, even if the install options change. Another version can
    /// still be installed.
    fn is_same_bundle(&self, case: OperatorContext<'_>) -> Result<(), Halt> {
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
            // The catalog may no longer contain the bundle, so its image cannot be compared.
            Some(Answer::Refused(_) | Answer::Unavailable(_)) => return Ok(()),
        };
        match self::digest(image) {
            Some(now) if now != digest => {
                let sentence = format!(
                    "{} is installed from {digest}, but catalog {} now has another image with this \
                     name: {now}; the installed version is kept; choose another version",
                    installs.bundle, self.catalog
                );
                Err(Halt::no(Reason::BundleChanged, sentence))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the reason why the Operator makes no move.
    fn idle(&self, case: OperatorContext<'_>) -> UndatedCondition {
        let installed = case.member.installed();
        let version = installed.map(|hop| hop.facts.installs.version.as_str());
        match (self.blocked, version, &case.intent.version) {
            (Some(blocked), ..) => {
                let reason = if blocked.waits {
                    Reason::WaitingForDependencies
                } else {
                    Reason::NoUpgradePath
                };
                UndatedCondition::no(reason, blocked.message())
            }
            (None, Some(version), Wanted::Once) => UndatedCondition::no(
                Reason::Frozen,
                format!(
                    "the operator stays at {version}, because spec.version is empty; to upgrade \
                     it, set a version or a range"
                ),
            ),
            (None, Some(version), Wanted::Range(_)) => UndatedCondition::no(
                Reason::UpToDate,
                format!("the operator has the desired version {version}"),
            ),
            (None, None, _) => UndatedCondition::no(
                Reason::NoUpgradePath,
                "no upgrade path leads to a version that can be installed",
            ),
        }
    }

    /// Returns an error if other operators must move before this Operator.
    fn in_order(&self, case: OperatorContext<'_>, at: usize) -> Result<(), Halt> {
        let Some((first, before)) = self
            .route
            .filter(|_| at > 0)
            .and_then(|route| route.steps.split_first())
        else {
            return Ok(());
        };
        let moves = first
            .iter()
            .map(|one| format!("{} is upgraded to {}", one.package, one.version));
        let more = if before.len() > 1 && at > 1 {
            ", and until other operators have followed"
        } else {
            ""
        };
        let unapproved = first.iter().filter_map(|one| unapproved(case, one));
        let unapproved: String = unapproved.collect();
        let sentence = format!(
            "the upgrade waits until {}{more}{unapproved}",
            listed(moves)
        );
        Err(Halt::no(Reason::WaitingForDependencies, sentence))
    }

    /// Returns the rendered bundles on the route of the Operator, starting with the next bundle.
    /// Only the next bundle contains its manifests.
    fn bundles(&self, case: OperatorContext<'o>) -> Result<Vec<&'o RenderedBundle>, Halt> {
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
                    return Err(Halt::no(Reason::BundleNotInstallable, sentence));
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

/// Returns the digest in an image reference. Returns None if there is no digest.
fn digest(image: &str) -> Option<&str> {
    image.split_once('@').map(|(_, digest)| digest)
}

/// Returns a move to the installed bundle if the install options have changed since its
/// installation. Returns None otherwise.
fn again(case: OperatorContext<'_>) -> Option<Move> {
    let current = case.member.current()?;
    let installs = &current.facts.installs;
    (current.facts.options != options(case).text()).then(|| Move {
        package: installs.package.clone(),
        bundle: installs.bundle.clone(),
        version: installs.version.clone(),
    })
}

fn routes<'o>(case: OperatorContext<'o>) -> Result<&'o [CommonRoute], Halt> {
    match &case.observed.routes {
        None => Err(Halt::Ask([Ask::Routes].into())),
        Some(Answer::Known(routes)) => Ok(routes),
        Some(Answer::Refused(sentence)) => Err(Halt::no(Reason::NoUpgradePath, sentence.clone())),
        Some(Answer::Unavailable(sentence)) => {
            Err(Halt::no(Reason::ResolverUnavailable, sentence.clone()))
        }
    }
}

/// Deletes the suspended plan of an Operator that has no next hop.
fn withdraw(case: OperatorContext<'_>, decision: &mut Decision) {
    let held = case.member.next().filter(|held| !held.is_terminating);
    decision.steps.extend(held.map(Step::delete));
}
