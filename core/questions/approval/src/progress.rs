//! Checks the progress of an InstallPlan, and finds newer InstallPlans that make it obsolete.

use portolan_core_names::text::listed;

use crate::facts::Facts;
use crate::identity::Brought;
use crate::review::reason;
use crate::words::named;
use crate::{ApprovalCode, Plan, Reason, State, Step, Subscription};

/// The phase of an InstallPlan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// OLM is still writing the plan.
    Open,
    /// The plan waits for approval.
    RequiresApproval,
    /// OLM is installing the plan.
    Installing,
    /// OLM has completed the plan, or the plan has failed.
    Over,
    /// A phase that Portolan does not know.
    Other,
}

/// An InstallPlan with its phase and its bundles, for checks that do not depend on policies.
#[derive(Debug)]
pub(crate) struct Progress<'g, 'a> {
    facts: &'g Facts<'a>,
    plan: &'a Plan,
    brought: &'g [Brought<'a>],
    phase: Phase,
}

// === impl Progress ===

impl<'g, 'a> Progress<'g, 'a> {
    pub(crate) fn new(facts: &'g Facts<'a>, plan: &'a Plan, brought: &'g [Brought<'a>]) -> Self {
        let phase = match plan.phase.as_str() {
            "" | "Planning" => Phase::Open,
            "RequiresApproval" => Phase::RequiresApproval,
            "Installing" => Phase::Installing,
            "Complete" | "Failed" => Phase::Over,
            _ => Phase::Other,
        };
        Self {
            facts,
            plan,
            brought,
            phase,
        }
    }

    /// Returns true if the plan waits for an approval. Returns false if all of its bundles are
    /// already installed.
    pub(crate) fn awaits_approval(&self) -> bool {
        self.phase == Phase::RequiresApproval && !self.plan.is_approved && !self.is_in_place()
    }

    /// Returns the reasons against the plan that do not depend on policies. A finished plan is not
    /// compared with newer plans, because the reasons would change with each new plan.
    pub(crate) fn reasons(&self) -> Vec<Reason> {
        let mut reasons = self.stray();
        if let Some(finished) = self.finished() {
            reasons.push(finished);
            return reasons;
        }
        reasons.extend(self.unwritten());
        reasons.extend(self.unknown_newer());
        for bundle in self.brought {
            reasons.extend(self.superseded(bundle));
            reasons.extend(self.outrun(bundle));
        }
        reasons
    }

    /// Returns true if the ClusterServiceVersions of all bundles of the plan exist. Such a plan
    /// needs no approval, but OLM does not update its phase.
    fn is_in_place(&self) -> bool {
        let mut bundles = self.brought.iter();
        !self.brought.is_empty() && bundles.all(|bundle| self.facts.has_csv(bundle.name))
    }

    fn finished(&self) -> Option<Reason> {
        let name = named(&self.plan.name);
        let message = match self.phase {
            Phase::Over => format!(
                "InstallPlan {name} is {}, so it no longer needs an approval",
                self.plan.phase
            ),
            Phase::RequiresApproval if self.is_in_place() => {
                format!("All bundles of InstallPlan {name} are installed")
            }
            Phase::Open | Phase::RequiresApproval | Phase::Installing | Phase::Other => {
                return None;
            }
        };
        Some(self.reason(State::No, ApprovalCode::Finished, &message))
    }

    /// Returns a reason for each part of the plan that OLM has not written yet. Also returns a
    /// reason if the phase is unknown.
    fn unwritten(&self) -> Vec<Reason> {
        let (plan, name) = (self.plan, named(&self.plan.name));
        let is_empty = plan.bundles.is_empty() && plan.steps.is_empty();
        let mut missing = Vec::new();
        match self.phase {
            Phase::Open => missing.push(format!(
                "OLM has not prepared InstallPlan {name} for \
                                                 approval yet"
            )),
            Phase::Other => {
                let phase = named(&plan.phase);
                missing.push(format!(
                    "InstallPlan {name} is in phase {phase}, which this version of Portolan does \
                     not know"
                ));
            }
            Phase::RequiresApproval | Phase::Installing | Phase::Over if is_empty => {
                missing.push(format!(
                    "OLM has not written the content of InstallPlan {name} yet"
                ));
            }
            Phase::RequiresApproval | Phase::Installing | Phase::Over => {}
        }
        if plan.generation.is_none() {
            missing.push(format!(
                "InstallPlan {name} has no spec.generation, so it is unknown which InstallPlan is \
                 newer"
            ));
        }
        let untold: Vec<String> = self
            .without_steps()
            .map(|bundle| named(bundle.name))
            .collect();
        if missing.is_empty() && !untold.is_empty() {
            let untold = listed(untold);
            missing.push(format!(
                "InstallPlan {name} installs {untold}, but has no steps for this bundle"
            ));
        }
        let pending = self.brought.iter().filter(|bundle| bundle.is_pending());
        let pending: Vec<String> = pending.map(|bundle| named(bundle.name)).collect();
        if !pending.is_empty() {
            missing.push(format!("OLM is still unpacking {}", listed(pending)));
        }
        let missing = missing.into_iter();
        missing
            .map(|message| self.reason(State::NotYet, ApprovalCode::NotWritten, &message))
            .collect()
    }

    /// Returns the bundles that have no description and no step in the plan. Only a Subscription
    /// identifies their package.
    fn without_steps(&self) -> impl Iterator<Item = &'g Brought<'a>> {
        let steps = &self.plan.steps;
        let is_made = |name: &str| {
            steps.iter().any(|step| {
                step.kind == portolan_core_olm::ClusterServiceVersion::KIND && step.name == name
            })
        };
        let untold = self.brought.iter().filter(|bundle| bundle.told.is_empty());
        untold.filter(move |bundle| bundle.is.is_ok() && !is_made(bundle.name))
    }

    /// Returns a reason if the bundles of a newer plan are unknown, because this newer plan may
    /// replace this plan. Returns None otherwise.
    fn unknown_newer(&self) -> Option<Reason> {
        let own = self.plan.generation?;
        let mut newer = self.facts.plans.iter();
        let (plan, _) = newer.find(|(plan, brought)| {
            let other = Self::new(self.facts, plan, brought);
            let is_newer = plan.generation.is_some_and(|other| other > own);
            let is_known = !brought.is_empty() && brought.iter().all(|it| it.package().is_some());
            is_newer && other.phase != Phase::Over && !is_known
        })?;
        let message = format!(
            "The newer InstallPlan {} has no content yet",
            named(&plan.name)
        );
        let object = (
            portolan_core_olm::InstallPlan::KIND,
            self.facts.name,
            plan.name.as_str(),
        );
        Some(reason(
            State::NotYet,
            ApprovalCode::NotWritten,
            object,
            &message,
        ))
    }

    /// Returns reasons for steps that belong to no bundle, and for steps that create a Subscription
    /// for another package than the package of their bundle.
    fn stray(&self) -> Vec<Reason> {
        let mut steps: Vec<&Step> = self.plan.steps.iter().collect();
        steps.sort();
        steps.dedup();
        let name = named(&self.plan.name);
        let mut stray = Vec::new();
        let lost = steps.iter().filter(|step| step.bundle.is_empty());
        let lost: Vec<String> = lost.map(|step| titled(step)).collect();
        if !lost.is_empty() {
            let lost = listed(lost);
            stray.push(format!(
                "InstallPlan {name} creates {lost}, which belongs to no bundle"
            ));
        }
        for step in steps.iter().filter(|step| self.is_foreign_wish(step)) {
            let (title, bundle) = (titled(step), named(&step.bundle));
            let package = match &step.package {
                None => "an unreadable package".to_owned(),
                Some(package) => package.to_string(),
            };
            stray.push(format!(
                "InstallPlan {name} creates {title} for bundle {bundle}, but this Subscription \
                 requests {package}"
            ));
        }
        let stray = stray.into_iter();
        stray
            .map(|message| self.reason(State::No, ApprovalCode::StepWithoutBundle, &message))
            .collect()
    }

    /// Returns true if the step creates a Subscription for another package than the package of its
    /// bundle. OLM itself generates Subscriptions only for the package of the bundle, so a user may
    /// have changed the plan.
    fn is_foreign_wish(&self, step: &Step) -> bool {
        let mut bundles = self.brought.iter();
        let bundle = bundles.find(|bundle| bundle.name == step.bundle);
        match bundle.and_then(Brought::package) {
            Some(package) => {
                step.kind == portolan_core_olm::Subscription::KIND
                    && step.package.as_ref() != Some(package)
            }
            // A separate reason already reports the unknown package of the bundle.
            None => false,
        }
    }

    /// Returns a reason if a newer plan installs another bundle of the same package. The reason
    /// names the newest such plan. Returns None otherwise.
    fn superseded(&self, bundle: &Brought<'_>) -> Option<Reason> {
        let (package, own) = (bundle.package()?, self.plan.generation?);
        let newer = self.facts.plans.iter();
        let newer = newer.filter(|(plan, _)| plan.generation.is_some_and(|other| other > own));
        let found = newer.flat_map(|(plan, brought)| brought.iter().map(move |one| (plan, one)));
        let (plan, other) = found
            .filter(|(_, other)| other.package() == Some(package))
            .find(|(_, other)| other.name != bundle.name)?;
        let message = format!(
            "The newer InstallPlan {} installs {} instead of {}",
            named(&plan.name),
            named(other.name),
            named(bundle.name)
        );
        let object = (
            portolan_core_olm::InstallPlan::KIND,
            self.facts.name,
            plan.name.as_str(),
        );
        Some(reason(
            State::No,
            ApprovalCode::Superseded,
            object,
            &message,
        ))
    }

    /// Returns a reason for each Subscription of the package whose `status.currentCSV` is not this
    /// bundle. If another Subscription names this bundle, Subscriptions without `status.currentCSV`
    /// are ignored.
    fn outrun(&self, bundle: &Brought<'_>) -> Vec<Reason> {
        let Some(package) = bundle.package() else {
            return Vec::new();
        };
        let all: Vec<&Subscription> = self.facts.subscriptions_of(package).collect();
        let is_named = all.iter().any(|one| one.current == bundle.name);
        let others = all.iter().filter(|one| one.current != bundle.name);
        others
            .filter(|one| !(is_named && one.current.is_empty()))
            .map(|one| self.elsewhere(bundle, one))
            .collect()
    }

    fn elsewhere(&self, bundle: &Brought<'_>, subscription: &Subscription) -> Reason {
        let current = subscription.current.as_str();
        let replaced = match bundle.replaces() {
            "" => subscription.installed.as_str(),
            replaced => replaced,
        };
        let (name, next) = (named(&subscription.name), named(bundle.name));
        let (state, code, message) = if current.is_empty() {
            let message = format!("status.currentCSV of Subscription {name} is not {next} yet");
            (State::NotYet, ApprovalCode::NotCurrent, message)
        } else if current == replaced {
            let message = format!(
                "status.currentCSV of Subscription {name} is still {} and not yet {next}",
                named(current)
            );
            (State::NotYet, ApprovalCode::NotCurrent, message)
        } else {
            let message = format!(
                "status.currentCSV of Subscription {name} is {} and not {next}",
                named(current)
            );
            (State::No, ApprovalCode::Superseded, message)
        };
        let object = (
            portolan_core_olm::Subscription::KIND,
            self.facts.name,
            subscription.name.as_str(),
        );
        reason(state, code, object, &message)
    }

    fn reason(&self, state: State, code: ApprovalCode, message: &str) -> Reason {
        let object = (
            portolan_core_olm::InstallPlan::KIND,
            self.facts.name,
            self.plan.name.as_str(),
        );
        reason(state, code, object, message)
    }
}

fn titled(step: &Step) -> String {
    format!("{} {}", named(&step.kind), named(&step.name))
}
