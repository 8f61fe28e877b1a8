//! The Operators that a cluster has, beside those of files.

use portolan_api::operator::Operator;
use portolan_world::{State, World as _};
use serde_json::{Value, json};

use crate::facts::CatalogFacts;

/// Those of the world that catalogs are read from: their names, their specs, and what is installed.
/// None where there is no world, or nothing is known of them.
pub(super) async fn operators(facts: &CatalogFacts) -> Option<Vec<Value>> {
    if !facts.is_of_world() {
        return None;
    }
    let world = facts.open().await.ok()?;
    let mut objects = world.objects::<Operator>();
    let view = objects.known().await.ok()?;
    let operators = view.objects.values().map(|operator| {
        let status = operator.status.as_ref();
        let installed = status.and_then(|status| status.versions.installed.as_ref());
        json!({
            "metadata": {"name": operator.metadata.name},
            "spec": operator.spec.as_json(),
            "status": {"versions": {"installed": installed}},
        })
    });
    (view.state == State::Synced).then(|| operators.collect())
}
