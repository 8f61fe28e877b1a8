//! Decides if policies allow a bundle of an InstallPlan. The result contains the policy that allows
//! the bundle, or the reason why no policy allows the bundle.

use portolan_core_olm::InstallPlanPhase;

use crate::facts::{Facts, allows, consent, counts, other_catalog};
use crate::identity::{Brought, KnownBundle};
use crate::objection::Objection;
use crate::reach::{Coverage, Dependencies, Restriction};
use crate::review::verdict;
use crate::{Allowance, Allows, BundleReview, Plan, Says, Standing, Withheld};

/// An InstallPlan under review.
#[derive(Debug)]
pub(crate) struct Case<'g, 'a> {
    facts: &'g Facts<'a>,
    plan: &'a Plan,
    brought: &'g [Brought<'a>],
    dependencies: Dependencies<'a>,
    /// The bundles that the consent of each policy covers.
    reaches: Vec<Coverage<'a>>,
    /// The bundles that each policy with a restriction would cover without this restriction.
    restricted: Vec<(Restriction, Coverage<'a>)>,
}

/// The findings about one bundle: allowances of policies, and objections.
#[derive(Debug, Default)]
struct BundleFindings<'a> {
    allowances: Vec<Allowance>,
    objections: Vec<Objection>,
    /// The policies that affect the bundle.
    policies: Vec<&'a Standing>,
}

// === impl Case ===

impl<'g, 'a> Case<'g, 'a> {
    pub(crate) fn new(facts: &'g Facts<'a>, plan: &'a Plan, brought: &'g [Brought<'a>]) -> Self {
        let dependencies = Dependencies::new(facts, brought);
        let restricted = [Restriction::NoDependencies, Restriction::NoUpdates]
            .into_iter()
            .flat_map(|restriction| {
                let reaches = dependencies.reaches(facts, Some(restriction)).into_iter();
                reaches.map(move |reach| (restriction, reach))
            });
        Self {
            facts,
            plan,
            brought,
            restricted: restricted.collect(),
            reaches: dependencies.reaches(facts, None),
            dependencies,
        }
    }

    /// Returns the review of each bundle, sorted by bundle name. Also returns all policies that
    /// affect these bundles.
    pub(crate) fn judge(&self) -> (Vec<BundleReview>, Vec<&'a Standing>) {
        let mut policies = Vec::new();
        let judged = self.brought.iter().map(|bundle| {
            let finding = self.find(bundle);
            policies.extend(finding.policies.iter().copied());
            self.review(bundle, finding)
        });
        (judged.collect(), policies)
    }

    fn find(&self, bundle: &Brought<'a>) -> BundleFindings<'a> {
        let known = match &bundle.is {
            Ok(known) => known,
            Err(why) => {
                let may_end =
                    bundle.is_pending() || matches!(self.plan.phase.as_str(), "" | "Planning");
                let unknown = Objection::unknown(self.facts, bundle.name, why, may_end);
                return BundleFindings {
                    objections: vec![unknown],
                    ..BundleFindings::default()
                };
            }
        };
        let managers = self.facts.managers(known.package);
        let mut finding = match managers {
            [] => self.needed(known),
            managers if are_done(managers) && self.is_abandoned(known) => BundleFindings {
                objections: vec![Objection::no_subscription(
                    self.facts,
                    &self.plan.name,
                    known,
                )],
                ..BundleFindings::default()
            },
            managers => self.managed(managers, known),
        };
        finding.policies.extend(managers);
        finding
            .policies
            .extend(self.facts.unresolved(known.package));
        finding
    }

    /// Checks a bundle whose package at least one policy manages. The bundle is allowed if one of
    /// these policies allows it.
    fn managed(&self, managers: &[&'a Standing], known: &KnownBundle<'a>) -> BundleFindings<'a> {
        let mut finding = BundleFindings::default();
        let mut against = Vec::new();
        for policy in managers {
            match &policy.says {
                Says::Allows(allows) => match self.held(policy, allows, known) {
                    Ok(allowance) => finding.allowances.push(allowance),
                    Err(objections) => against.extend(objections),
                },
                Says::Withholds(withheld) => {
                    against.push(Objection::withheld(self.facts, policy, withheld));
                }
            }
        }
        let is_open = self.may_be_allowed(known) && !managers.iter().any(|policy| counts(policy));
        if !finding.allowances.is_empty() {
            finding.objections.extend(self.awaited(managers, known));
        } else if !is_open {
            finding.objections = against;
        }
        finding
            .objections
            .extend(self.unresolved(self.facts.doubts(known.package)));
        finding
    }

    /// Checks a bundle against the consents of one policy that manages the bundle's package.
    /// Returns the allowance, or the objections of the policy.
    fn held(
        &self,
        policy: &Standing,
        allows: &Allows,
        known: &KnownBundle<'a>,
    ) -> Result<Allowance, Vec<Objection>> {
        let consent = consent(allows, known);
        let update = if allows.updates {
            None
        } else {
            self.facts.other_installed(known)
        };
        match (consent, update) {
            (Some(consent), None) => Ok(Allowance {
                policy: policy.id.clone(),
                consent: consent.clone(),
                needed_by: Vec::new(),
            }),
            (consent, update) => {
                let unnamed = || match other_catalog(allows, known) {
                    Some(wanted) => Objection::other_catalog(policy, known, wanted),
                    None => Objection::not_allowed(policy, allows, known),
                };
                let unnamed = consent.is_none().then(unnamed);
                let update = update.map(|other| Objection::no_updates(policy, known, other));
                Err(unnamed.into_iter().chain(update).collect())
            }
        }
    }

    /// Checks a bundle whose package no policy manages. The bundle is allowed if another allowed
    /// bundle needs it.
    fn needed(&self, known: &KnownBundle<'a>) -> BundleFindings<'a> {
        let mut finding = BundleFindings::default();
        let mut doubts = Vec::new();
        let mut is_certain = false;
        for reach in &self.reaches {
            let Some((consent, chain)) = reach.chain(known.bundle.as_str()) else {
                continue;
            };
            let doubted = reach.doubts(self.facts, &chain);
            is_certain |= doubted.is_empty();
            doubts.extend(doubted);
            finding.policies.push(reach.policy);
            finding.allowances.push(Allowance {
                policy: reach.policy.id.clone(),
                consent: consent.clone(),
                needed_by: chain.into_iter().map(str::to_owned).collect(),
            });
        }
        if finding.allowances.is_empty() && !self.may_be_allowed(known) {
            return self.uncovered(known);
        }
        if is_certain {
            doubts.clear();
        }
        finding.policies.extend(doubts.iter().copied());
        doubts.extend(self.facts.doubts(known.package));
        finding.objections = self.unresolved(doubts.into_iter());
        finding
    }

    /// Returns the reasons why no policy allows a bundle as the dependency of an allowed bundle.
    fn uncovered(&self, known: &KnownBundle<'a>) -> BundleFindings<'a> {
        let mut finding = BundleFindings::default();
        for reach in &self.reaches {
            if let Some(miss) = reach.miss(known) {
                let missed = Objection::out_of_range(self.facts, known, reach.policy, &miss);
                finding.objections.push(missed);
                finding.policies.push(reach.policy);
            }
        }
        for (restriction, reach) in &self.restricted {
            if let Some((_, chain)) = reach.chain(known.bundle.as_str()) {
                let restricted =
                    Objection::restricted(self.facts, known, reach.policy, &chain, *restriction);
                finding.objections.push(restricted);
                finding.policies.push(reach.policy);
            }
        }
        if finding.objections.is_empty() {
            let asking: Vec<&str> = self.dependencies.asking(known).into_iter().collect();
            finding.objections.push(if self.is_abandoned(known) {
                Objection::no_subscription(self.facts, &self.plan.name, known)
            } else {
                Objection::no_policy(self.facts, known, &asking)
            });
        }
        finding
    }

    /// Returns true if nothing requests a bundle of the waiting plan: the Subscription of the
    /// bundle was deleted, and no other bundle needs the bundle. The remedy is to delete the plan,
    /// because OLM creates no plan for other Subscriptions while this plan waits.
    fn is_abandoned(&self, known: &KnownBundle<'_>) -> bool {
        let (name, steps) = (known.bundle.as_str(), &self.plan.steps);
        let waits = InstallPlanPhase::RequiresApproval.to_string() == self.plan.phase;
        let is_written = steps.iter().any(|step| step.bundle == name);
        let is_asked_for = self.facts.subscriptions_of(known.package).next().is_some();
        let is_needed = !self.dependencies.asking(known).is_empty();
        waits
            && !self.plan.is_approved
            && self.facts.unseen.is_empty()
            && is_written
            && !(is_asked_for || is_needed || self.subscribes(known))
    }

    /// Returns true if the plan creates a Subscription for the package of a bundle.
    fn subscribes(&self, known: &KnownBundle<'_>) -> bool {
        self.plan.steps.iter().any(|step| {
            step.kind == portolan_core_olm::Subscription::KIND
                && step.package.as_ref() == Some(known.package)
        })
    }

    /// Returns true if a policy with an unknown namespace may allow the bundle.
    fn may_be_allowed(&self, known: &KnownBundle<'_>) -> bool {
        let mut unresolved = self.facts.unresolved(known.package).iter();
        unresolved.any(|policy| allows(policy).is_some())
    }

    fn unresolved(&self, policies: impl Iterator<Item = &'a Standing>) -> Vec<Objection> {
        policies
            .map(|policy| Objection::unresolved(self.facts, policy))
            .collect()
    }

    /// Returns the objections of the allowing policies if no Subscription for the package exists,
    /// or if the plan itself creates one. In both cases, OLM created the plan without the
    /// Subscription of the policy.
    fn awaited(&self, managers: &[&'a Standing], known: &KnownBundle<'_>) -> Vec<Objection> {
        let is_there = self.facts.subscriptions_of(known.package).next().is_some();
        if is_there && !self.subscribes(known) {
            return Vec::new();
        }
        let allowing = managers.iter().filter(|policy| allows(policy).is_some());
        allowing
            .map(|policy| Objection::awaited(self.facts, policy, known.package))
            .collect()
    }

    fn review(&self, bundle: &Brought<'a>, finding: BundleFindings<'a>) -> BundleReview {
        let known = bundle.is.as_ref().ok();
        let (reasons, fixes): (Vec<_>, Vec<_>) = finding
            .objections
            .into_iter()
            .map(|one| (one.reason, one.fix))
            .unzip();
        let mut fixes: Vec<_> = fixes.into_iter().flatten().collect();
        fixes.sort_by_key(|fix| fix.policy.is_none());
        fixes.dedup();
        BundleReview {
            name: bundle.name.to_owned(),
            package: bundle.package().cloned(),
            version: known.and_then(|known| known.version().cloned()),
            replaces: bundle.replaces().to_owned(),
            installed: bundle.package().and_then(|it| self.facts.installed_of(it)),
            catalog: bundle.catalog().to_owned(),
            source: known.map(|known| known.source),
            subscription: self.subscription(bundle).to_owned(),
            verdict: verdict(self.facts, reasons),
            allowances: finding.allowances,
            fixes,
        }
    }

    /// Returns the name of the Subscription that requests a bundle. A Subscription that names this
    /// bundle comes first, then any Subscription for the package. Empty if neither exists.
    fn subscription(&self, bundle: &Brought<'a>) -> &'a str {
        let mut all = self.facts.subscriptions.iter();
        let naming = all.find(|one| !one.current.is_empty() && one.current == bundle.name);
        let of_package = || {
            bundle
                .package()
                .and_then(|package| self.facts.subscriptions_of(package).next())
        };
        match naming.copied().or_else(of_package) {
            Some(subscription) => &subscription.name,
            None => "",
        }
    }
}

/// Returns true if no policy of a package can ever require a Subscription, even if an invalid
/// policy becomes valid.
fn are_done(managers: &[&Standing]) -> bool {
    managers.iter().all(|policy| match &policy.says {
        Says::Withholds(Withheld::Inform | Withheld::MustNotHave | Withheld::Leaving) => true,
        Says::Allows(_) | Says::Withholds(Withheld::Invalid(_) | Withheld::Overlaps(_)) => false,
    })
}
