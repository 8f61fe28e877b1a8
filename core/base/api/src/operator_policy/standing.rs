//! The combined effect of several policies.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_names::{Consent, PackageName};

use crate::{Claim, Cluster, PolicyId, Presence, Valid};

/// The effect of one policy on its operator, in combination with all other policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub id: PolicyId,
    pub package: PackageName,
    /// The namespace of its operator; None if it is unknown and may be any.
    pub namespace: Option<String>,
    pub cluster: Cluster,
    pub says: Says,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    Allows(Allows),
    Withholds(Withheld),
}

/// The effective consents of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allows {
    pub consents: Vec<Consent>,
    /// The field that contains them, so that a fix can add another entry.
    pub field: &'static str,
    /// The required catalog of the operator, as `namespace/name`. None if any catalog is accepted.
    pub catalog: Option<String>,
    /// True if these are also allowed as upgrades of an installed operator.
    pub updates: bool,
    /// True if dependencies without a policy of their own are allowed.
    pub dependencies: bool,
}

/// The reason why a policy allows nothing. Only the first reason in this order is reported: the
/// policy is being deleted, it is invalid, its author allows nothing, other policies are in
/// conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    /// The policy is being deleted.
    Leaving,
    /// The policy is invalid. Contains one sentence for each error.
    Invalid(Vec<String>),
    Inform,
    MustNotHave,
    /// Other enforced policies have the same Subscription.
    Overlaps(Overlap),
}

/// The enforced policies for one Subscription, in order. Their standings share the list, because a
/// copy for each policy would need quadratic memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap(Arc<[PolicyId]>);

// === impl Overlap ===

impl Overlap {
    /// Returns the overlap of the given policies, which can be in any order.
    pub fn of(policies: impl IntoIterator<Item = PolicyId>) -> Self {
        let mut policies: Vec<_> = policies.into_iter().collect();
        policies.sort();
        Self(policies.into())
    }

    /// Returns all policies.
    pub fn all(&self) -> &[PolicyId] {
        &self.0
    }

    /// Returns all policies except one.
    pub fn others(&self, own: &PolicyId) -> impl Iterator<Item = &PolicyId> + use<'_> {
        let own = (own.namespace.clone(), own.name.clone());
        let all = self.0.iter();
        all.filter(move |id| (&id.namespace, &id.name) != (&own.0, &own.1))
    }
}

/// A Subscription on a cluster, by separate names. A joined label or string with dots would be
/// ambiguous.
type Meant<'a> = (&'a PackageName, &'a str, &'a Cluster);

/// The policies that change the cluster for each Subscription.
type Enforcing<'a> = BTreeMap<Meant<'a>, Overlap>;

/// Returns the standing of each of `claims` among all of them, in their order.
///
/// Two policies overlap if both are enforced, valid and not being deleted, and have the same
/// package in the same namespace of the same cluster. A policy with an unknown namespace overlaps
/// with no other.
pub fn standings(claims: &[&Claim]) -> Vec<Standing> {
    let mut enforcing: BTreeMap<Meant<'_>, Vec<&PolicyId>> = BTreeMap::new();
    for (meant, id) in claims.iter().filter_map(|claim| enforced(claim)) {
        enforcing.entry(meant).or_default().push(id);
    }
    let enforcing: Enforcing<'_> = enforcing
        .into_iter()
        .map(|(meant, ids)| (meant, Overlap::of(ids.into_iter().cloned())))
        .collect();
    let among = |claim: &&Claim| Standing {
        id: claim.id.clone(),
        package: claim.package.clone(),
        namespace: claim.namespace.clone(),
        cluster: claim.cluster.clone(),
        says: evaluate(claim, &enforcing),
    };
    claims.iter().map(among).collect()
}

/// Returns the Subscription that the policy changes. Returns None if it changes no Subscription.
fn enforced(claim: &Claim) -> Option<(Meant<'_>, &PolicyId)> {
    let Claim {
        id,
        package,
        namespace,
        cluster,
        is_leaving,
        says,
    } = claim;
    let is_enforced = !is_leaving && says.as_ref().is_ok_and(|valid| valid.is_enforced);
    let namespace = namespace.as_deref().filter(|_| is_enforced)?;
    Some(((package, namespace, cluster), id))
}

fn evaluate(claim: &Claim, enforcing: &Enforcing<'_>) -> Says {
    if claim.is_leaving {
        return Says::Withholds(Withheld::Leaving);
    }
    let Valid {
        is_enforced,
        presence,
        allows,
    } = match &claim.says {
        Ok(valid) => valid,
        Err(sentences) => return Says::Withholds(Withheld::Invalid(sentences.clone())),
    };
    match (is_enforced, presence) {
        (false, _) => Says::Withholds(Withheld::Inform),
        (true, Presence::MustNotHave) => Says::Withholds(Withheld::MustNotHave),
        (true, Presence::MustHave) => match overlap(claim, enforcing) {
            None => Says::Allows(allows.clone()),
            Some(overlap) => Says::Withholds(Withheld::Overlaps(overlap)),
        },
    }
}

/// Returns all policies that change the cluster for the same Subscription, if there is more than
/// one.
fn overlap(claim: &Claim, enforcing: &Enforcing<'_>) -> Option<Overlap> {
    let (meant, _) = enforced(claim)?;
    let overlap = enforcing.get(&meant)?;
    let is_another = overlap.others(&claim.id).next().is_some();
    is_another.then(|| overlap.clone())
}
