//! The combined effect of several policies.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_names::{Consent, PackageName};

use crate::{Claim, Cluster, PolicyId, Presence, Valid};

/// The effect of a policy on its operator, in combination with all other policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub id: PolicyId,
    pub package: PackageName,
    /// The namespace of the operator. None if it is unknown, so that it may be any namespace.
    pub namespace: Option<String>,
    pub cluster: Cluster,
    pub says: Says,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    Allows(Allows),
    Withholds(Withheld),
}

/// The permissions that a policy gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allows {
    pub consents: Vec<Consent>,
    /// The name of the field that contains `consents`. A fix can add an entry to this field.
    pub field: &'static str,
    /// The required catalog of the operator, as `namespace/name`. None if any catalog is allowed.
    pub catalog: Option<String>,
    /// True if installed operators may be upgraded to the allowed bundles.
    pub updates: bool,
    /// True if dependencies may be installed without a policy of their own.
    pub dependencies: bool,
}

/// The reason why a policy allows nothing. If there are several reasons, only the first reason in
/// the order of the variants is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    /// The policy is being deleted.
    Leaving,
    /// The policy is invalid. Contains one sentence for each error.
    Invalid(Vec<String>),
    Inform,
    MustNotHave,
    /// Other enforced policies manage the same Subscription.
    Overlaps(Overlap),
}

/// The enforced policies that manage the same Subscription, sorted. Their Standings share this
/// list, because a copy for each policy would need too much memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap(Arc<[PolicyId]>);

// === impl Overlap ===

impl Overlap {
    /// Returns the overlap of these policies, which can be in any order.
    pub fn of(policies: impl IntoIterator<Item = PolicyId>) -> Self {
        let mut policies: Vec<_> = policies.into_iter().collect();
        policies.sort();
        Self(policies.into())
    }

    /// Returns all policies of the overlap.
    pub fn all(&self) -> &[PolicyId] {
        &self.0
    }

    /// Returns all policies of the overlap except this one.
    pub fn others(&self, own: &PolicyId) -> impl Iterator<Item = &PolicyId> + use<'_> {
        let own = (own.namespace.clone(), own.name.clone());
        let all = self.0.iter();
        all.filter(move |id| (&id.namespace, &id.name) != (&own.0, &own.1))
    }
}

/// A Subscription in a cluster: its package, its namespace and the cluster. The names are separate,
/// because a text that joins them with dots would be ambiguous.
type Meant<'a> = (&'a PackageName, &'a str, &'a Cluster);

/// The enforced policies for each Subscription.
type Enforcing<'a> = BTreeMap<Meant<'a>, Overlap>;

/// Returns the Standing of each claim among all claims, in the order of the claims.
///
/// Two policies overlap if both are enforced, valid and not being deleted, and name the same
/// package in the same namespace of the same cluster. A policy with an unknown namespace never
/// overlaps.
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

/// Returns the Subscription that a policy enforces. Returns None if the policy enforces none.
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

/// Returns the enforced policies for the Subscription of this claim. Returns None if there is only
/// one.
fn overlap(claim: &Claim, enforcing: &Enforcing<'_>) -> Option<Overlap> {
    let (meant, _) = enforced(claim)?;
    let overlap = enforcing.get(&meant)?;
    let is_another = overlap.others(&claim.id).next().is_some();
    is_another.then(|| overlap.clone())
}
