//! The decisions of the controller on the page of a preview, as `portolan explain` prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use portolan_api::operator::Operator;
use portolan_console::Rehearse;
use portolan_controller::{Connections, OperatorRehearsal, Proposed};
use portolan_core_console::view::{Rehearsed, Seen, Unseen};
use portolan_resolver::bundles::Bundles;
use portolan_world::{AnyWorld, Key, State, View};

use crate::explain::operators::ExplainedOperator;
use crate::explain::proposals::still;
use crate::facts::{LocalServices, default_operator_terms};

/// The facts of rehearsals: the world of a visitor, and the services that watch it.
#[derive(Debug)]
pub(super) struct PreviewRehearsal {
    world: AnyWorld,
    connections: Connections,
}

// === impl PreviewRehearsal ===

impl PreviewRehearsal {
    /// Creates rehearsals with these services. The resolver reads these bundles.
    pub(super) fn of(services: &LocalServices, bundles: Bundles) -> Self {
        Self {
            world: services.world().clone(),
            connections: services.connections_with(bundles),
        }
    }

    async fn rehearsed(&self, applied: Vec<Operator>) -> Seen<Vec<Rehearsed>> {
        let applied = applied.into_iter().map(|operator| {
            let name = operator.metadata.name.clone().unwrap_or_default();
            (Key::new("", &name), Arc::new(operator))
        });
        let applied: BTreeMap<_, _> = applied.collect();
        let names: BTreeSet<_> = applied.keys().map(|key| key.name.to_string()).collect();
        let view = View {
            objects: Arc::new(applied),
            state: State::Synced,
            ..View::default()
        };
        let proposed = Proposed::to(self.world.clone(), Vec::new(), vec![still(view)]);
        let connections = self.connections.clone();
        let mut rehearsal = OperatorRehearsal::of(&proposed, connections, default_operator_terms());
        let all = rehearsal.settled_for(&names).await;
        let all = all.map_err(|ended| Unseen(ended.to_string()))?;
        let unseen: Vec<_> = rehearsal.unseen().into_iter().collect();
        let all = all.into_iter().map(|it| {
            let mut it = shown(&ExplainedOperator::of(it));
            it.unknown.extend(unseen.iter().cloned());
            it
        });
        Ok(all.collect())
    }
}

impl Rehearse for PreviewRehearsal {
    fn rehearse(&self, applied: Vec<Operator>) -> BoxFuture<'_, Seen<Vec<Rehearsed>>> {
        self.rehearsed(applied).boxed()
    }
}

fn shown(it: &ExplainedOperator) -> Rehearsed {
    let conditions = it.conditions().map(|it| {
        let (type_, status, reason) = (it.type_, it.status, it.reason);
        format!("{type_}: {status} {reason} - {}", it.message)
    });
    Rehearsed {
        operator: it.place(),
        state: it.word().to_owned(),
        conditions: conditions.collect(),
        path: it.path(),
        changes: it.changes.iter().map(|it| it.title.clone()).collect(),
        unknown: it.unknown.clone(),
    }
}
