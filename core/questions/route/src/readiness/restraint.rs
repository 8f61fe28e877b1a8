//! Finds rules of users that forbid or delay an update that an operator needs.

use portolan_core_graph::Node;
use portolan_core_names::{BundleName, Consent, ObjectRef};

use super::judge::Case;
use super::{Leg, Reason};

/// A rule about the updates of an operator, with the object that states the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restraint {
    pub object: ObjectRef,
    pub rule: RestraintRule,
}

/// The rule of a [`Restraint`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestraintRule {
    /// The object allows no updates.
    NoUpdates,
    /// A user must approve each update.
    Approval,
    /// The object allows only the bundles that it lists in this field.
    Bundles {
        field: &'static str,
        consents: Vec<Consent>,
    },
    /// A Policy does not allow the update to this bundle now.
    Denied { to: BundleName, message: String },
}

// === impl Restraint ===

impl Restraint {
    /// Returns true if the rule forbids or delays the update to a bundle.
    fn concerns(&self, case: Case<'_>, hop: &Node) -> bool {
        match &self.rule {
            RestraintRule::NoUpdates | RestraintRule::Approval => true,
            RestraintRule::Bundles { consents, .. } => {
                let offers = case.subject.offers.iter();
                let mut packages = offers.filter_map(|offer| offer.package.as_ref());
                let package = packages.next().map(|charted| &charted.package().name);
                let covers = |consent: &Consent| {
                    package.is_some_and(|it| consent.covers(&hop.name, it, hop.version.as_ref()))
                };
                !consents.iter().any(covers)
            }
            RestraintRule::Denied { to, .. } => *to == hop.name,
        }
    }
}

// === impl Case ===

impl Case<'_> {
    /// Returns a reason for each restraint that affects an update before the target. The reason
    /// names the first update that it affects.
    pub(super) fn restrained(self, legs: &[Leg]) -> Vec<Reason> {
        let restraints = self.subject.restraints.iter();
        let reasons = restraints.filter_map(|restraint| {
            let mut hops = legs.iter().flat_map(|leg| &leg.hops);
            let hop = hops.find(|hop| restraint.concerns(self, hop))?;
            Some(Reason::Restrained {
                bundle: hop.name.clone(),
                restraint: restraint.clone(),
            })
        });
        reasons.collect()
    }
}
