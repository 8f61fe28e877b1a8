//! Objections to a bundle. Each objection is a sentence, with the policy change that would resolve
//! the objection.

use std::collections::BTreeSet;

use portolan_core_names::PackageName;
use portolan_core_names::text::listed;

use crate::facts::Facts;
use crate::identity::KnownBundle;
use crate::policy::POLICY;
use crate::reach::{Miss, Restriction};
use crate::review::reason;
use crate::words::{escaped, named};
use crate::{Allows, ApprovalCode, Fix, Overlap, PolicyId, Reason, Standing, State, Withheld};

/// A reason against a bundle, and the policy change that would resolve it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Objection {
    /// The reason against the bundle, as a sentence.
    pub(crate) reason: Reason,
    /// The policy change that would resolve the objection. None if no change is known.
    pub(crate) fix: Option<Fix>,
}

// === impl Objection ===

impl Objection {
    fn new(
        state: State,
        code: ApprovalCode,
        object: (&'static str, &str, &str),
        message: &str,
    ) -> Self {
        let reason = reason(state, code, object, message);
        Self { reason, fix: None }
    }

    /// Returns an objection about a policy.
    fn of(policy: &Standing, state: State, code: ApprovalCode, message: &str) -> Self {
        let PolicyId {
            namespace, name, ..
        } = &policy.id;
        Self::new(state, code, (POLICY, namespace, name), message)
    }

    fn with_fix(
        mut self,
        policy: Option<&Standing>,
        field: &'static str,
        value: &str,
        message: &str,
    ) -> Self {
        let policy = policy.map(|policy| (policy.id.namespace.clone(), policy.id.name.clone()));
        let (value, message) = (value.to_owned(), escaped(message));
        self.fix = Some(Fix {
            policy,
            field,
            is_list: false,
            value,
            message,
        });
        self
    }

    /// Adds a fix that appends `value` to a list of the policy.
    fn with_entry(self, policy: &Standing, list: &'static str, value: &str, message: &str) -> Self {
        let Self { reason, fix } = self.with_fix(Some(policy), list, value, message);
        let fix = fix.map(|fix| Fix {
            is_list: true,
            ..fix
        });
        Self { reason, fix }
    }

    /// Returns the objection that the identity of a bundle is unknown or contradictory. With
    /// `may_end`, OLM has not unpacked the bundle or written the plan completely, so the identity
    /// may become known.
    pub(crate) fn unknown(facts: &Facts<'_>, bundle: &str, why: &str, may_end: bool) -> Self {
        let state = if may_end { State::NotYet } else { State::No };
        Self::new(
            state,
            ApprovalCode::UnknownPackage,
            (
                portolan_core_olm::ClusterServiceVersion::KIND,
                facts.name,
                bundle,
            ),
            why,
        )
    }

    /// Returns the objection that no policy manages the bundle's package, and that no allowed
    /// bundle needs the bundle.
    pub(crate) fn no_policy(facts: &Facts<'_>, known: &KnownBundle<'_>, asking: &[&str]) -> Self {
        let bundle = named(known.bundle.as_str());
        let (package, here) = (known.package, named(facts.name));
        let rest = match asking {
            [] => format!("nothing needs {bundle}"),
            [one] => format!("{}, which requires {bundle}, is not allowed", named(one)),
            several => {
                let names = listed(several.iter().map(|name| named(name)));
                format!("{names}, which require {bundle}, are not allowed")
            }
        };
        let message = format!("No policy names {package} in {here}, and {rest}");
        let object = (
            portolan_core_olm::ClusterServiceVersion::KIND,
            facts.name,
            known.bundle.as_str(),
        );
        Self::new(State::No, ApprovalCode::NoPolicy, object, &message)
            .with_new_policy(facts, known, "")
    }

    /// Returns the objection that no Subscription requests the bundle any more, and that no other
    /// bundle needs it. The remedy is to delete the plan.
    pub(crate) fn no_subscription(facts: &Facts<'_>, plan: &str, known: &KnownBundle<'_>) -> Self {
        let bundle = named(known.bundle.as_str());
        let (package, here, plan) = (known.package, named(facts.name), named(plan));
        let message = format!(
            "No Subscription in {here} requests {package}, and no bundle requires {bundle}. Delete \
             InstallPlan {here}/{plan}; OLM then creates an InstallPlan without {bundle}"
        );
        let object = (
            portolan_core_olm::ClusterServiceVersion::KIND,
            facts.name,
            known.bundle.as_str(),
        );
        Self::new(State::No, ApprovalCode::NoSubscription, object, &message)
    }

    /// Returns the objection that an allowed bundle needs this bundle, but that the policy of the
    /// allowed bundle does not allow dependencies or upgrades.
    pub(crate) fn restricted(
        facts: &Facts<'_>,
        known: &KnownBundle<'_>,
        policy: &Standing,
        chain: &[&str],
        restriction: Restriction,
    ) -> Self {
        let (bundle, by, policy_name) = (&known.bundle, through(chain), called(&policy.id));
        let needed = format!("{bundle} is needed by {by}");
        match restriction {
            Restriction::NoDependencies => {
                let message =
                    format!("{needed}, but policy {policy_name} does not allow dependencies");
                Self::of(
                    policy,
                    State::No,
                    ApprovalCode::DependencyNotAllowed,
                    &message,
                )
                .with_new_policy(facts, known, "")
            }
            Restriction::NoUpdates => {
                let message = format!(
                    "{needed}, but policy {policy_name} allows no upgrades of installed operators \
                     or their dependencies"
                );
                Self::of(policy, State::No, ApprovalCode::UpdatesNotAllowed, &message)
                    .with_updates(policy)
            }
        }
    }

    /// Returns the objection that an allowed bundle needs another version of this bundle's package.
    pub(crate) fn out_of_range(
        facts: &Facts<'_>,
        known: &KnownBundle<'_>,
        policy: &Standing,
        miss: &Miss<'_>,
    ) -> Self {
        let (bundle, package, by) = (&known.bundle, known.package, named(miss.by));
        let version = match known.version() {
            None => "of an unknown version".to_owned(),
            Some(version) => format!("version {version}"),
        };
        let message = format!(
            "{by}, which policy {} allows, requires {package} in the range {}, but {bundle} is \
             {version}",
            called(&policy.id),
            miss.range
        );
        let object = (
            portolan_core_olm::ClusterServiceVersion::KIND,
            facts.name,
            known.bundle.as_str(),
        );
        let why = format!("; OLM does not install the bundle because of {by}");
        Self::new(
            State::No,
            ApprovalCode::DependencyOutOfRange,
            object,
            &message,
        )
        .with_new_policy(facts, known, &why)
    }

    /// Returns the objection that the policy does not list this bundle in its consents.
    pub(crate) fn not_allowed(policy: &Standing, allows: &Allows, known: &KnownBundle<'_>) -> Self {
        let (bundle, name, field) = (&known.bundle, called(&policy.id), allows.field);
        let allowed = match allows.consents.as_slice() {
            [] => "no bundle at all".to_owned(),
            consents => format!("only {}", listed(consents)),
        };
        let version = match known.version() {
            None => "of an unknown version".to_owned(),
            Some(version) => format!("version {version}"),
        };
        let message = format!("Policy {name} allows {allowed}, but {bundle} is {version}");
        let way_out = format!("Add {bundle} to {field} of policy {name}");
        Self::of(policy, State::No, ApprovalCode::NotAllowed, &message).with_entry(
            policy,
            field,
            bundle.as_str(),
            &way_out,
        )
    }

    /// Returns the objection that the policy requires the bundle to come from another catalog.
    pub(crate) fn other_catalog(policy: &Standing, known: &KnownBundle<'_>, wanted: &str) -> Self {
        let (bundle, name, wanted) = (&known.bundle, called(&policy.id), named(wanted));
        let catalog = named(known.catalog);
        let message = format!(
            "Policy {name} allows only bundles from catalog {wanted}, but {bundle} is from \
             {catalog}"
        );
        let way_out = format!(
            "Set the catalog of the Subscription to {wanted} again, or set {catalog} in \
             spec.subscription.source and spec.subscription.sourceNamespace of policy {name}"
        );
        Self::of(policy, State::No, ApprovalCode::OtherCatalog, &message).with_fix(
            Some(policy),
            "spec.subscription.source",
            known.catalog,
            &way_out,
        )
    }

    /// Returns the objection that the bundle is an upgrade, and that its policy does not allow
    /// upgrades.
    pub(crate) fn no_updates(policy: &Standing, known: &KnownBundle<'_>, installed: &str) -> Self {
        let (bundle, name, installed) = (&known.bundle, called(&policy.id), named(installed));
        let message =
            format!("Policy {name} allows no upgrades, but {bundle} would replace {installed}");
        Self::of(policy, State::No, ApprovalCode::UpdatesNotAllowed, &message).with_updates(policy)
    }

    /// Returns the objection that the policy does not allow any bundle.
    pub(crate) fn withheld(facts: &Facts<'_>, policy: &Standing, withheld: &Withheld) -> Self {
        let name = called(&policy.id);
        let (package, here) = (&policy.package, named(facts.name));
        match withheld {
            Withheld::Inform => {
                let message = format!(
                    "Policy {name} has remediationAction inform, so it allows no \
                                       bundle"
                );
                let way_out = format!(
                    "Set spec.remediationAction of policy {name} to enforce, so that the policy \
                     can allow upgrades"
                );
                Self::of(policy, State::No, ApprovalCode::PolicyInforms, &message).with_fix(
                    Some(policy),
                    "spec.remediationAction",
                    "enforce",
                    &way_out,
                )
            }
            Withheld::MustNotHave => {
                let message = format!(
                    "Policy {name} requires that {package} is not installed in \
                                       {here}"
                );
                let way_out = format!(
                    "Policy {name} and the Subscription for {package} contradict each other: \
                     delete the Subscription, or set spec.complianceType of the policy to musthave"
                );
                Self::of(policy, State::No, ApprovalCode::PolicyForbids, &message).with_fix(
                    Some(policy),
                    "spec.complianceType",
                    "musthave",
                    &way_out,
                )
            }
            Withheld::Invalid(faults) => Self::invalid(policy, faults),
            Withheld::Overlaps(overlap) => Self::overlaps(facts, policy, overlap),
            Withheld::Leaving => {
                let message = format!(
                    "Policy {name} is being deleted, so it allows no bundle; it is unknown which \
                     policy applies after the deletion"
                );
                Self::of(
                    policy,
                    State::NotYet,
                    ApprovalCode::PolicyTerminating,
                    &message,
                )
            }
        }
    }

    fn invalid(policy: &Standing, faults: &[String]) -> Self {
        let name = called(&policy.id);
        let faults: Vec<&str> = faults
            .iter()
            .map(|fault| fault.trim_end_matches('.'))
            .collect();
        let why = match faults.as_slice() {
            [] => String::new(),
            faults => format!(": {}", faults.join("; ")),
        };
        let message = format!("Policy {name} is invalid, so it allows no bundle{why}");
        let way_out = format!("Correct policy {name}{why}");
        Self::of(policy, State::No, ApprovalCode::PolicyInvalid, &message).with_fix(
            Some(policy),
            "spec",
            "",
            &way_out,
        )
    }

    fn overlaps(facts: &Facts<'_>, policy: &Standing, overlap: &Overlap) -> Self {
        let name = called(&policy.id);
        let all: BTreeSet<_> = overlap.all().iter().chain([&policy.id]).collect();
        let all = listed(all.into_iter().map(called));
        let others = listed(overlap.others(&policy.id).map(called));
        let (package, here) = (&policy.package, named(facts.name));
        let message = format!(
            "Policy {name} overlaps with {others}: all these policies apply to {package} in \
             {here}, so none of them has an effect"
        );
        let way_out = format!(
            "Keep one of the policies {all}. Delete the other policies, or set \
             spec.remediationAction to inform in the other policies"
        );
        Self::of(policy, State::No, ApprovalCode::PolicyOverlaps, &message).with_fix(
            Some(policy),
            "spec.remediationAction",
            "inform",
            &way_out,
        )
    }

    /// Returns the objection that the namespace in which the policy installs its operator is
    /// unknown.
    pub(crate) fn unresolved(facts: &Facts<'_>, policy: &Standing) -> Self {
        let message = format!(
            "It is not known yet in which namespace policy {} installs its operator, which may be \
             {}; set spec.subscription.namespace of the policy",
            called(&policy.id),
            named(facts.name)
        );
        Self::of(
            policy,
            State::NotYet,
            ApprovalCode::PolicyUnresolved,
            &message,
        )
    }

    /// Returns the objection that OLM created the plan before OLM had read the Subscription of the
    /// policy.
    pub(crate) fn awaited(facts: &Facts<'_>, policy: &Standing, package: &PackageName) -> Self {
        let message = format!(
            "Policy {} requires a Subscription for {package} in {}, but this InstallPlan is older \
             than that Subscription: OLM would create a second Subscription",
            called(&policy.id),
            named(facts.name)
        );
        Self::of(
            policy,
            State::NotYet,
            ApprovalCode::SubscriptionMissing,
            &message,
        )
    }

    fn with_updates(self, policy: &Standing) -> Self {
        let name = called(&policy.id);
        let way_out = format!("Set spec.upgradeApproval of policy {name} to Automatic");
        self.with_fix(Some(policy), "spec.upgradeApproval", "Automatic", &way_out)
    }

    fn with_new_policy(self, facts: &Facts<'_>, known: &KnownBundle<'_>, why: &str) -> Self {
        let (package, bundle, here) = (known.package, &known.bundle, named(facts.name));
        let way_out = format!(
            "Create an OperatorPolicy with spec.subscription.name {package} and \
             spec.subscription.namespace {here} that allows {bundle}{why}"
        );
        self.with_fix(None, "spec.subscription.name", package.as_str(), &way_out)
    }
}

/// Returns the policy's display name, `namespace/name`.
fn called(policy: &PolicyId) -> String {
    named(&format!("{}/{}", policy.namespace, policy.name))
}

/// Formats the chain of bundles from the bundle with a consent to the needed bundle.
fn through(chain: &[&str]) -> String {
    match chain {
        [] => "nothing".to_owned(),
        [only] => named(only),
        [first, between @ ..] => {
            let between = listed(between.iter().map(|name| named(name)));
            format!("{} through {between}", named(first))
        }
    }
}
