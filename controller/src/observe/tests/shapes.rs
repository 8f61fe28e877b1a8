//! The names of the objects that were observed for a policy, for comparisons in tests.

use std::path::Path;

use kube::Resource;
use portolan_api::{PolicyId, Says, Standing, Withheld};
use portolan_core_operatorpolicy::Observed;
use portolan_kit::{World, world};
use serde_json::Value;

/// The names of the objects that were observed for a policy.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) standing: Option<&'static str>,
    pub(super) neighbors: &'static [&'static str],
    pub(super) name: Option<&'static str>,
    pub(super) groups: &'static [&'static str],
    pub(super) subscriptions: &'static [&'static str],
    pub(super) csvs: &'static [&'static str],
    pub(super) elsewhere: &'static [&'static str],
    pub(super) owners: &'static [&'static str],
    pub(super) crds: &'static [&'static str],
    pub(super) catalogs: &'static [&'static str],
}

/// A shape in a form that tests can compare.
pub(super) type Summary = (Vec<String>, Vec<String>, Option<String>, Vec<Vec<String>>);

impl Shape {
    pub(super) fn summary(self) -> Summary {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let objects = match self.name {
            None => Vec::new(),
            Some(_) => [
                self.groups,
                self.subscriptions,
                self.csvs,
                self.elsewhere,
                self.owners,
                self.crds,
                self.catalogs,
            ]
            .map(owned)
            .into(),
        };
        (
            self.standing.map(str::to_owned).into_iter().collect(),
            owned(self.neighbors),
            self.name.map(str::to_owned),
            objects,
        )
    }
}

pub(super) fn shape(observed: &Observed) -> Summary {
    let state = observed.namespace.as_ref();
    let objects = state.map(|state| {
        vec![
            names(&state.groups),
            names(&state.subscriptions),
            names(&state.csvs),
            names(&state.elsewhere),
            names(&state.owners),
            names(&state.crds),
            names(&state.catalogs),
        ]
    });
    (
        observed.standing.iter().map(standing_text).collect(),
        observed.neighbors.iter().map(standing_text).collect(),
        state.map(|state| state.name.clone()),
        objects.unwrap_or_default(),
    )
}

/// Returns a world of these objects.
pub(super) fn of(objects: Vec<Value>) -> World {
    objects.into_iter().fold(world(), World::object)
}

fn names<K: Resource, P: AsRef<K>>(objects: &[P]) -> Vec<String> {
    let names = objects
        .iter()
        .map(|object| object.as_ref().meta().name.clone());
    names.map(Option::unwrap_or_default).collect()
}

fn standing_text(standing: &Standing) -> String {
    let says = match &standing.says {
        Says::Allows(_) => "allows".to_owned(),
        Says::Withholds(Withheld::Overlaps(overlap)) => {
            let others: Vec<_> = overlap.others(&standing.id).map(id).collect();
            format!("overlaps {}", others.join(", "))
        }
        Says::Withholds(other) => format!("{other:?}"),
    };
    format!("{} {says}", id(&standing.id))
}

fn id(id: &PolicyId) -> String {
    Path::new(&id.namespace)
        .join(&id.name)
        .display()
        .to_string()
}
