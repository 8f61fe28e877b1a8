//! From objects to Snapshots: follows what bears on operators and catalogs, has judged what
//! changed, and posts it.
//!
//! ```text
//! Kinds ---\                             /-> Copies, Depths: what more to look at
//! Copies ---> touched namespaces -> judge
//! Depths --/                             \-> operators --\
//! catalogs, Probes -----------------------> catalogs ----> Snapshot
//! ```
//!
//! A round takes over all that there is, however many changes that is, and judges the namespaces
//! again that any of it bears on. What is judged as before stays the same value.

mod below;
mod catalogs;
mod copies;
mod ground;
mod kinds;
mod linger;
mod residents;
mod sight;

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use portolan_core_health::{Namespace, judge};
use portolan_world::{Bell, Ended, World};
use tokio::time::Instant;

use self::below::Depths;
use self::catalogs::Catalogs;
use self::copies::Copies;
use self::ground::Spoken;
use self::kinds::{Kinds, Turns};
use self::residents::Residence;
use crate::board::Board;
use crate::snapshot::Snapshot;
use crate::{Grounds, Reach};

/// The least time from the beginning of a round to the next: what comes in a burst is taken over in
/// a few rounds, and what comes alone waits for nothing.
const ROUND: Duration = Duration::from_millis(2);

/// How long the other kinds are waited for once one can be observed no longer, or again: seldom does
/// one alone, and each turns the Verdicts of all operators.
const TOGETHER: Duration = Duration::from_millis(50);

/// How many namespaces are judged before others get their turn on the thread.
const IN_A_ROW: usize = 16;

/// Everything that is followed, and what was made of it.
#[derive(Debug)]
struct Census<W> {
    world: W,
    bell: Bell,
    kinds: Kinds,
    copies: Copies,
    depths: Depths,
    spoken: Spoken,
    residence: Residence,
    catalogs: Catalogs,
    /// What each namespace was judged by last; None where nobody wants to know.
    grounds: Option<BTreeMap<Arc<str>, Arc<Namespace>>>,
    /// Whether there was an answer about every kind.
    is_known: bool,
}

/// Follows a world and posts what becomes of it, until the world ends.
pub(crate) async fn follow(world: impl World, reach: Reach, board: Board) -> Ended {
    let mut census = Census::of(world, reach);
    loop {
        let next = Instant::now() + ROUND;
        census.round(&board).await;
        if let Err(ended) = census.news().await {
            return ended;
        }
        tokio::time::sleep_until(next).await;
    }
}

// === impl Census ===

impl<W: World> Census<W> {
    fn of(world: W, reach: Reach) -> Self {
        let Reach {
            namespace,
            probes,
            keeps_grounds,
        } = reach;
        let bell = Bell::default();
        Self {
            kinds: Kinds::of(&world, namespace.as_deref(), &bell),
            copies: Copies::default(),
            depths: Depths::default(),
            spoken: Spoken::default(),
            residence: Residence::default(),
            catalogs: Catalogs::of(&world, probes, &bell),
            grounds: keeps_grounds.then(BTreeMap::new),
            is_known: false,
            world,
            bell,
        }
    }

    /// Waits until there is something to take over.
    async fn news(&mut self) -> Result<(), Ended> {
        tokio::select! {
            rung = self.bell.notified() => rung,
            () = self.catalogs.changed() => Ok(()),
            () = until(self.depths.next_end()) => Ok(()),
        }
    }

    /// Takes over what there is, and posts what becomes of it. Nothing is posted before there is an
    /// answer about every kind.
    async fn round(&mut self, board: &Board) {
        let mut turns = self.kinds.look();
        if self.is_known && turns.is_other_state {
            tokio::time::sleep(TOGETHER).await;
            turns.join(self.kinds.look());
        }
        let mut touched = self.touched(&turns);
        touched.append(&mut self.copies.look());
        touched.append(&mut self.depths.look());
        if !self.kinds.are_known() {
            return;
        }
        let is_first = !std::mem::replace(&mut self.is_known, true);
        if is_first || turns.is_other_state {
            touched = self.kinds.namespaces();
            touched.append(&mut self.residence.namespaces());
        }
        let mut is_changed = self.judge(touched).await;
        // What is looked at besides does not change what has to be: once is enough.
        let besides = self.look_besides();
        is_changed |= self.judge(besides).await;
        let are_catalogs_moved = is_first || turns.is_other_state || !turns.catalogs.is_empty();
        is_changed |= self
            .catalogs
            .judge(&self.kinds.catalogs, are_catalogs_moved);
        if is_first || is_changed || turns.is_other_state {
            board.post(self.snapshot());
        }
        if !self.copies.are_pending() && !self.depths.are_pending() && !self.catalogs.are_pending()
        {
            board.settle();
        }
    }

    /// The namespaces that a change bears on: those in which it is, and those that speak of it.
    fn touched(&self, turns: &Turns) -> BTreeSet<Arc<str>> {
        let mut touched = turns.namespaces.clone();
        touched.append(&mut self.spoken.speaking_of(turns));
        touched
    }

    /// Turns to what has to be looked at besides, and looks at what of it is there already; returns
    /// the namespaces on which that bears.
    fn look_besides(&mut self) -> BTreeSet<Arc<str>> {
        let mut turned = self.copies.turn(&self.world, &self.bell);
        turned.append(&mut self.depths.turn(&self.world, &self.bell, Instant::now()));
        turned.append(&mut self.copies.look());
        turned.append(&mut self.depths.look());
        turned
    }

    /// Says whether any operator is not as it was.
    async fn judge(&mut self, namespaces: BTreeSet<Arc<str>>) -> bool {
        let mut is_changed = false;
        for (number, namespace) in namespaces.iter().enumerate() {
            is_changed |= self.judge_one(namespace);
            if number % IN_A_ROW == IN_A_ROW - 1 {
                tokio::task::yield_now().await;
            }
        }
        is_changed
    }

    fn judge_one(&mut self, name: &Arc<str>) -> bool {
        let (namespace, mentioned) =
            ground::namespace(name, &self.kinds, &self.copies, &self.depths);
        let operators = judge(&namespace);
        self.spoken.put(name, mentioned);
        self.copies.doubt(name, ground::is_in_doubt(&namespace));
        let failing = ground::failing(&namespace, &self.kinds);
        self.depths.fail(name, failing);
        let is_kept = self.keep(name, namespace);
        self.residence.put(name, operators) || is_kept
    }

    /// Keeps what a namespace was judged by, where somebody wants to know. Says whether so.
    fn keep(&mut self, name: &Arc<str>, namespace: Namespace) -> bool {
        let Some(grounds) = &mut self.grounds else {
            return false;
        };
        match namespace.subscriptions.objects.is_empty() && namespace.csvs.objects.is_empty() {
            true => grounds.remove(name),
            false => grounds.insert(name.clone(), Arc::new(namespace)),
        };
        true
    }

    fn grounds(&self) -> Grounds {
        let Some(namespaces) = &self.grounds else {
            return Grounds::default();
        };
        Grounds {
            namespaces: namespaces.clone(),
            catalogs: self.catalogs.asked_of(&self.kinds.catalogs),
            unseen: self.kinds.unseen().operators().cloned(),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            operators: self.residence.all().clone(),
            catalogs: self.catalogs.all().clone(),
            unseen: self.kinds.unseen(),
            grounds: self.grounds(),
            revision: 0,
        }
    }
}

/// Waits until that moment; for ever if there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => pending().await,
    }
}
