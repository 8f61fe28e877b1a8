//! The rules of users that forbid or delay the updates of an operator.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::inventory::{InstalledOperator, Manager};
use portolan_api::operator::{self, Operator};
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_api::{Claim, OperatorPolicy};
use portolan_approval::ReviewTerms;
use portolan_core_approval::consent::{Move, OperatorId, PolicySet, Version};
use portolan_core_names::{BundleName, Consent, GroupKind, Key, ObjectRef};
use portolan_core_olm::Subscription;
use portolan_resolver::readiness::{Readiness, Restraint, RestraintRule};
use portolan_world::{AnyWorld, Area, Kind, View};

use super::Assessment;

/// The objects that contain rules about updates.
pub(super) struct Rules {
    policies: View<OperatorPolicy>,
    operators: View<Operator>,
    consent: PolicySet,
    /// The existing operators, which a PolicyBinding can name.
    existing: BTreeSet<OperatorId>,
    terms: ReviewTerms,
}

// === impl Rules ===

impl Rules {
    /// Reads the rules. Returns a sentence for each kind that cannot be read. Kinds of operators
    /// are left out, because they are already gaps of the inventory.
    pub(super) async fn read(world: &AnyWorld, terms: ReviewTerms) -> (Self, Vec<String>) {
        let mut gaps = Vec::new();
        let policies = read::<OperatorPolicy>(world, &mut Vec::new()).await;
        let operators = read::<Operator>(world, &mut Vec::new()).await;
        let windows = read::<Policy>(world, &mut gaps).await;
        let bindings = read::<PolicyBinding>(world, &mut gaps).await;
        let existing = existing(&policies, SubjectKind::OperatorPolicy);
        let existing = existing.chain(self::existing(&operators, SubjectKind::Operator));
        let rules = Self {
            existing: existing.collect(),
            consent: PolicySet::of(
                windows.objects.values().map(|it| &**it),
                bindings.objects.values().map(|it| &**it),
            ),
            policies,
            operators,
            terms,
        };
        (rules, gaps)
    }

    /// Adds rules to each operator that must be updated before the cluster upgrade.
    pub(super) fn apply(&self, assessment: &mut Assessment, answers: &[Readiness]) {
        for (at, answer) in answers.iter().enumerate() {
            if answer.legs.is_empty() {
                continue;
            }
            let operator = &assessment.inventory[at];
            let mut all = self.standing(operator, assessment.operators[at].is_manual);
            all.extend(self.denied(operator, answer));
            assessment.question.operators[at].restraints = all;
        }
    }

    /// Returns the rules that apply to every update of the operator.
    fn standing(&self, operator: &InstalledOperator, is_manual: bool) -> Vec<Restraint> {
        match operator.manager {
            Manager::Olm if operator.policies.is_empty() => {
                let key = operator.subscription.as_ref().filter(|_| is_manual);
                let manual = key.map(|key| Restraint {
                    object: reference::<Subscription>(key),
                    rule: RestraintRule::Approval,
                });
                manual.into_iter().collect()
            }
            Manager::Olm => {
                let policies = operator.policies.iter();
                policies.filter_map(|key| self.of_policy(key)).collect()
            }
            Manager::Operator => self.of_operator(&operator.object).into_iter().collect(),
            Manager::ClusterExtension | Manager::Install | Manager::Plan => Vec::new(),
        }
    }

    fn of_policy(&self, key: &Key) -> Option<Restraint> {
        let policy = self.policies.objects.get(key)?;
        let allows = Claim::of(policy)?.says.ok()?.allows;
        let rule = if !allows.updates {
            RestraintRule::NoUpdates
        } else if allows.consents.contains(&Consent::Any) {
            return None;
        } else {
            RestraintRule::Bundles {
                field: allows.field,
                consents: allows.consents,
            }
        };
        Some(Restraint {
            object: reference::<OperatorPolicy>(key),
            rule,
        })
    }

    fn of_operator(&self, object: &ObjectRef) -> Option<Restraint> {
        let found = self.operators.objects.get(&object.key())?;
        let intent = operator::Intent::parse(found).ok()?;
        let rule = match (intent.version, intent.approval) {
            (operator::Wanted::Once, _) => RestraintRule::NoUpdates,
            (operator::Wanted::Range(_), operator::Approval::Manual) => RestraintRule::Approval,
            (operator::Wanted::Range(_), operator::Approval::Automatic) => return None,
        };
        Some(Restraint {
            object: object.clone(),
            rule,
        })
    }

    /// Returns the UpgradePolicies that do not allow an update now. Each has the first update that
    /// it denies.
    fn denied(&self, operator: &InstalledOperator, answer: &Readiness) -> Vec<Restraint> {
        let mut denied: Vec<Restraint> = Vec::new();
        for id in ids(operator) {
            let labels = self.labels(&id);
            let mut from = Version {
                bundle: operator.bundle.clone(),
                version: operator.version.clone(),
            };
            for hop in answer.legs.iter().flat_map(|leg| &leg.hops) {
                let version = hop.version.as_ref().map(ToString::to_string);
                let to = Version {
                    bundle: hop.name.to_string(),
                    version: version.unwrap_or_default(),
                };
                let asked = Move {
                    labels: labels.clone(),
                    operator: id.clone(),
                    package: operator.package.clone(),
                    from: Some(from),
                    to: to.clone(),
                };
                from = to;
                for restraint in self.denials(&asked, &hop.name) {
                    if denied.iter().all(|known| known.object != restraint.object) {
                        denied.push(restraint);
                    }
                }
            }
        }
        denied
    }

    /// Returns the UpgradePolicies that do not allow this update now.
    fn denials(&self, asked: &Move, to: &BundleName) -> Vec<Restraint> {
        let answer = self.terms.review(&self.consent, &self.existing, asked);
        let reasons = answer.reasons.into_iter().filter(|_| !answer.allows);
        let denials = reasons.map(|reason| {
            let kind = GroupKind::new(operator::GROUP, reason.object.kind);
            Restraint {
                object: ObjectRef::new(kind, &*reason.object.namespace, &reason.object.name),
                rule: RestraintRule::Denied {
                    to: to.clone(),
                    message: reason.message,
                },
            }
        });
        denials.collect()
    }

    fn labels(&self, id: &OperatorId) -> BTreeMap<String, String> {
        let key = Key::new(&id.namespace, &id.name);
        let labels = match id.kind {
            SubjectKind::OperatorPolicy => {
                let found = self.policies.objects.get(&key);
                found.and_then(|it| it.metadata.labels.clone())
            }
            SubjectKind::Operator => {
                let found = self.operators.objects.get(&key);
                found.and_then(|it| it.metadata.labels.clone())
            }
        };
        labels.unwrap_or_default()
    }
}

/// Returns the objects by which a PolicyBinding can name an operator.
fn ids(operator: &InstalledOperator) -> Vec<OperatorId> {
    let of_policy =
        |key: &Key| OperatorId::of(SubjectKind::OperatorPolicy, &key.namespace, &key.name);
    match operator.manager {
        Manager::Olm => operator.policies.iter().map(of_policy).collect(),
        Manager::Operator => {
            vec![OperatorId::of(
                SubjectKind::Operator,
                "",
                &operator.object.name,
            )]
        }
        Manager::ClusterExtension | Manager::Install | Manager::Plan => Vec::new(),
    }
}

fn existing<K: Kind>(view: &View<K>, kind: SubjectKind) -> impl Iterator<Item = OperatorId> {
    let keys = view.objects.keys();
    keys.map(move |key| OperatorId::of(kind, &key.namespace, &key.name))
}

async fn read<K: Kind>(world: &AnyWorld, unread: &mut Vec<String>) -> View<K> {
    match super::read::<K>(world, Area::everywhere()).await {
        Ok(view) => view,
        Err(why) => {
            unread.push(why);
            View::default()
        }
    }
}

fn reference<K: Kind>(key: &Key) -> ObjectRef {
    let kind = GroupKind::new(&K::group(&()), &K::kind(&()));
    ObjectRef::new(kind, &*key.namespace, &key.name)
}
