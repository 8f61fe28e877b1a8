//! Compares the config of the Subscription. The controller replaces the config as a whole.

use portolan_core_olm::Subscription;
use serde_json::{Map, Value, json};

use crate::PrunedField;
use crate::case::{Case, DesiredSubscription};
use crate::change::{self, Field};
use crate::kinds::SUBSCRIPTION;

/// Returns the config as a field, with its current and its wanted value.
pub(super) fn field(
    case: &Case<'_>,
    wanted: &DesiredSubscription,
    present: &Subscription,
) -> Field {
    let found = filled(present.spec.config.as_ref());
    // If the API server dropped a part of the config, another write would have the same result.
    // Therefore, the current config counts as wanted.
    let wanted = match lost(case, wanted, present) {
        Some(_) => found.clone(),
        None => filled(wanted.config.as_ref()),
    };
    Field {
        name: "config",
        found,
        wanted: wanted.map_or(change::Wanted::Open, change::Wanted::Value),
        is_whole: true,
        secret: case.intent.subscription.secret_variables.clone(),
    }
}

/// Returns the config fields that the API server drops, as the end of a sentence. Empty if it drops
/// nothing.
pub(super) fn pruned(case: &Case<'_>, wanted: &DesiredSubscription) -> String {
    let present = case.subscription();
    let lost = present.and_then(|present| lost(case, wanted, present));
    let lost = lost.map(PrunedField::lost);
    match lost.unwrap_or_default().as_slice() {
        // The API server dropped nothing. If it added fields, this does not violate the policy.
        [] => String::new(),
        lost => format!(
            ", except {}, which the API server drops or changes; remove it from \
             spec.subscription.config, or write it as the Subscription CRD requires",
            lost.join(" and ")
        ),
    }
}

/// Returns the record that the API server kept another config than the controller wrote. Returns
/// None if there is no such record, or if the current or the wanted config has changed since then.
fn lost<'a>(
    case: &Case<'a>,
    wanted: &DesiredSubscription,
    present: &Subscription,
) -> Option<&'a PrunedField> {
    let (found, wanted) = (
        filled(present.spec.config.as_ref()),
        filled(wanted.config.as_ref()),
    );
    let mut pruned = case.observed.pruned.iter();
    pruned.find(|pruned| {
        let PrunedField {
            kind,
            name,
            field,
            wrote,
            kept,
        } = pruned;
        let is_it = *kind == SUBSCRIPTION.1
            && present.metadata.name.as_ref() == Some(name)
            && field == "spec.config";
        let kept = filled(kept.as_ref().and_then(Value::as_object));
        is_it && wanted.as_ref() == Some(wrote) && found == kept
    })
}

/// Returns the config. Returns None if it is empty.
fn filled(config: Option<&Map<String, Value>>) -> Option<Value> {
    let config = config.filter(|config| !config.is_empty());
    config.map(|config| json!(config))
}
