//! Creates Snapshots from objects: watches the objects that affect InstallPlans, and reviews each
//! namespace that a change affects.
//!
//! ```text
//! plans, Subscriptions, CSVs --> their namespaces ----\
//! policies --> Claims --> namespaces of the policies --+-> review -> Snapshot
//!                   \---> or, if they are unknown,     /
//!                         namespaces with the package
//! ```
//!
//! If a review does not change, the new Snapshot shares the review with the previous Snapshot.

mod claims;
mod gathered;
mod kinds;
mod upgrades;
mod verdicts;

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_core_approval::review;
use portolan_core_names::PackageName;
use portolan_core_olm::{ClusterServiceVersion, InstallPlan, Subscription};
use portolan_scaffold::{Cache, Rounds, SnapshotCell};
use portolan_world::{Changes, Ended, Index, Informer, Notifier, World};

use self::claims::{Claims, PolicyScope};
use self::gathered::Gathered;
use self::kinds::Kinds;
use self::upgrades::UpgradeKinds;
use self::verdicts::Verdicts;
use crate::snapshot::Snapshot;
use crate::{Grounds, Options};

/// The watched objects, and the reviews that were computed from them.
#[derive(Debug)]
pub(crate) struct ReviewCache {
    kinds: Kinds,
    claims: Claims,
    /// The packages that the InstallPlans of each namespace may install.
    packages: Index<PackageName>,
    verdicts: Verdicts,
    /// The facts for judging upgrades. None if upgrades are disabled.
    upgrades: Option<UpgradeKinds>,
    /// The facts with which each namespace was reviewed last. None if facts are not stored.
    grounds: Option<Grounds>,
    /// The only observed namespace. None for all namespaces.
    only: Option<Arc<str>>,
    /// True if the claims of policies with an unknown namespace have changed. Then a Snapshot must
    /// be published although no namespace was reviewed.
    has_unplaced: bool,
}

/// Watches a world and publishes Snapshots until the world ends.
pub(crate) async fn follow(
    world: impl World,
    options: Options,
    cell: SnapshotCell<Snapshot>,
) -> Ended {
    rounds(&world, options).run(cell).await
}

pub(crate) fn rounds(world: &impl World, options: Options) -> Rounds<ReviewCache> {
    let Options {
        namespace,
        keeps_grounds,
        upgrades,
        at: _,
    } = options;
    let notifier = Notifier::default();
    let cache = ReviewCache {
        kinds: Kinds::of(world, namespace.as_deref(), &notifier),
        claims: Claims::default(),
        packages: Index::default(),
        verdicts: Verdicts::default(),
        upgrades: upgrades.map(|terms| UpgradeKinds::of(world, terms, &notifier)),
        grounds: keeps_grounds.then(Grounds::new),
        only: namespace.map(Into::into),
        has_unplaced: false,
    };
    Rounds::new(cache, notifier)
}

// === impl ReviewCache ===

impl Cache for ReviewCache {
    type Snapshot = Snapshot;

    fn kinds(&mut self) -> Vec<&mut dyn Informer> {
        let mut all = self.kinds.all();
        all.extend(self.upgrades.iter_mut().flat_map(UpgradeKinds::kinds));
        all
    }

    /// Applies changes. Returns the namespaces to review: the namespaces of the changed objects,
    /// and the namespaces to which a changed policy applies or may apply.
    fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>> {
        if let Some(upgrades) = &mut self.upgrades {
            upgrades.look(changes, &self.kinds.policies);
        }
        let policies = changes.of::<OperatorPolicy>();
        let places = self.claims.look(&self.kinds.policies, policies);
        self.has_unplaced = places
            .iter()
            .any(|place| matches!(place, PolicyScope::Package(_) | PolicyScope::Nowhere));
        let mut touched: BTreeSet<_> = changes.namespaces::<InstallPlan>().collect();
        touched.extend(changes.namespaces::<Subscription>());
        touched.extend(changes.namespaces::<ClusterServiceVersion>());
        for place in places {
            match place {
                PolicyScope::Namespace(name) => {
                    touched.insert(name);
                }
                PolicyScope::Package(package) => {
                    touched.extend(self.packages.speaking_of(&package).cloned());
                }
                PolicyScope::Nowhere => {}
            }
        }
        self.within_reach(touched)
    }

    fn namespaces(&self) -> BTreeSet<Arc<str>> {
        let mut namespaces = self.kinds.plans.namespaces();
        namespaces.append(&mut self.claims.namespaces());
        namespaces.append(&mut self.verdicts.namespaces());
        self.within_reach(namespaces)
    }

    fn judge(&mut self, name: &Arc<str>) -> bool {
        let gathered = Gathered::of(name, &self.kinds, &self.claims);
        let reviews = review(&gathered.namespace);
        self.packages.put(name, gathered.packages);
        let is_kept = self.grounds.is_some();
        if let Some(grounds) = &mut self.grounds {
            grounds.insert(name.clone(), Arc::new(gathered.namespace));
        }
        let policies = self.claims.of_namespace(name);
        self.verdicts.put(name, reviews, policies) || is_kept
    }

    fn judge_rest(&mut self, _: &Changes) -> bool {
        let upgrades = self.upgrades.as_mut();
        let is_about_upgrades = upgrades.is_some_and(|it| it.refresh(&self.kinds.policies));
        std::mem::take(&mut self.has_unplaced) || is_about_upgrades
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            namespaces: self.verdicts.all().clone(),
            unplaced: self.claims.unplaced().into(),
            missing: self.claims.missing().into(),
            only: self.only.clone(),
            unseen: self.kinds.plans.unknown(),
            grounds: self.grounds.clone().unwrap_or_default(),
            upgrades: self.upgrades.as_ref().map(|it| it.facts.clone()),
        }
    }
}

impl ReviewCache {
    fn within_reach(&self, mut namespaces: BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
        namespaces.retain(|name| self.only.as_ref().is_none_or(|only| only == name));
        namespaces
    }
}
