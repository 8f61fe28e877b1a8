//! From objects to Snapshots: follows what bears on InstallPlans, has reviewed what changed, and
//! posts it.
//!
//! ```text
//! plans, Subscriptions, CSVs --> their namespaces ----\
//! policies --> Claims --> namespaces that they mean ---+-> review -> Snapshot
//!                   \---> or, where that is not known, /
//!                         those with their package
//! ```
//!
//! A round takes over all that there is, however many changes that is, and reviews the namespaces
//! again that any of it bears on. What is reviewed as before stays the same value.

mod claims;
mod ground;
mod kinds;
mod residence;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use portolan_core_approval::review;
use portolan_core_names::PackageName;
use portolan_world::{Bell, Ended, Index, World};
use tokio::time::Instant;

use self::claims::{Claims, Place};
use self::ground::Ground;
use self::kinds::{Kinds, Turns};
use self::residence::Residence;
use crate::board::Board;
use crate::snapshot::Snapshot;
use crate::{Grounds, Reach};

/// The least time from the beginning of a round to the next: what comes in a burst is taken over in
/// a few rounds, and what comes alone waits for nothing.
const ROUND: Duration = Duration::from_millis(2);

/// How long the other kinds are waited for once one can be observed no longer, or again: seldom
/// does one alone, and each turns all Verdicts.
const TOGETHER: Duration = Duration::from_millis(50);

/// How many namespaces are reviewed before others get their turn on the thread.
const IN_A_ROW: usize = 16;

/// Everything that is followed, and what was made of it.
#[derive(Debug)]
pub(crate) struct Census {
    bell: Bell,
    kinds: Kinds,
    claims: Claims,
    /// The packages that the plans of each namespace may be about.
    packages: Index<PackageName>,
    residence: Residence,
    /// What each namespace was reviewed from last; None where nobody wants to know.
    grounds: Option<Grounds>,
    /// The only namespace that is looked at; None for all.
    only: Option<Arc<str>>,
    /// Whether there was an answer about every kind.
    is_known: bool,
}

/// What has to be done in a round.
#[derive(Debug, Default)]
pub(crate) struct Due {
    /// The namespaces that are reviewed again.
    pub(crate) namespaces: BTreeSet<Arc<str>>,
    /// Whether there is something to post whatever comes of the reviews.
    is_other: bool,
}

/// Follows a world and posts what becomes of it, until the world ends.
pub(crate) async fn follow(world: impl World, reach: Reach, board: Board) -> Ended {
    let mut census = Census::of(&world, reach);
    loop {
        let next = Instant::now() + ROUND;
        census.round(&board).await;
        if let Err(ended) = census.bell.notified().await {
            return ended;
        }
        tokio::time::sleep_until(next).await;
    }
}

// === impl Census ===

impl Census {
    pub(crate) fn of(world: &impl World, reach: Reach) -> Self {
        let Reach {
            namespace,
            keeps_grounds,
        } = reach;
        let bell = Bell::default();
        Self {
            kinds: Kinds::of(world, namespace.as_deref(), &bell),
            claims: Claims::default(),
            packages: Index::default(),
            residence: Residence::default(),
            grounds: keeps_grounds.then(Grounds::new),
            only: namespace.map(Into::into),
            is_known: false,
            bell,
        }
    }

    pub(crate) async fn round(&mut self, board: &Board) {
        if let Some(due) = self.look().await {
            let Due {
                namespaces,
                is_other,
            } = due;
            let is_changed = self.review(&namespaces).await;
            if is_changed || is_other {
                board.post(self.snapshot());
            }
        }
    }

    /// Takes over what there is. None before there is an answer about every kind.
    pub(crate) async fn look(&mut self) -> Option<Due> {
        let mut turns = self.kinds.look();
        if self.is_known && turns.is_other_state {
            tokio::time::sleep(TOGETHER).await;
            turns.join(self.kinds.look());
        }
        let places = self.claims.look(&self.kinds.policies, &turns.policies);
        let mut namespaces = self.touched(&turns, &places);
        if !self.kinds.are_known() {
            return None;
        }
        let is_first = !std::mem::replace(&mut self.is_known, true);
        let is_other = is_first || turns.is_other_state;
        if is_other {
            namespaces = self.kinds.plans.namespaces();
            namespaces.append(&mut self.claims.namespaces());
            namespaces.append(&mut self.residence.namespaces());
        }
        namespaces.retain(|name| self.only.as_ref().is_none_or(|only| only == name));
        let is_unplaced = |place: &Place| matches!(place, Place::Package(_) | Place::Nowhere);
        Some(Due {
            namespaces,
            is_other: is_other || places.iter().any(is_unplaced),
        })
    }

    /// The namespaces that a change bears on: those in which it is, and those that a policy means
    /// or may mean.
    fn touched(&self, turns: &Turns, places: &BTreeSet<Place>) -> BTreeSet<Arc<str>> {
        let mut touched = turns.namespaces.clone();
        for place in places {
            match place {
                Place::Namespace(name) => {
                    touched.insert(name.clone());
                }
                Place::Package(package) => {
                    touched.extend(self.packages.speaking_of(package).cloned());
                }
                Place::Nowhere => {}
            }
        }
        touched
    }

    /// Says whether anything is not as it was.
    async fn review(&mut self, namespaces: &BTreeSet<Arc<str>>) -> bool {
        let mut is_changed = false;
        for (number, namespace) in namespaces.iter().enumerate() {
            is_changed |= self.review_one(namespace);
            if number % IN_A_ROW == IN_A_ROW - 1 {
                tokio::task::yield_now().await;
            }
        }
        is_changed
    }

    fn review_one(&mut self, name: &Arc<str>) -> bool {
        let ground = Ground::of(name, &self.kinds, &self.claims);
        let reviews = review(&ground.namespace);
        self.packages.put(name, ground.packages);
        let is_kept = self.grounds.is_some();
        if let Some(grounds) = &mut self.grounds {
            grounds.insert(name.clone(), Arc::new(ground.namespace));
        }
        let policies = self.claims.of_namespace(name);
        self.residence.put(name, reviews, policies) || is_kept
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            namespaces: self.residence.all().clone(),
            unplaced: self.claims.unplaced().into(),
            missing: self.claims.missing().into(),
            only: self.only.clone(),
            unseen: self.kinds.plans.unknown(),
            grounds: self.grounds.clone().unwrap_or_default(),
            revision: 0,
        }
    }
}
