//! Finds the Operator for the package of a Subscription.

use std::collections::BTreeMap;

use portolan_api::components::{GROUP, VERSION};
use portolan_api::operator::name_for;
use serde_json::{Value, json};

use crate::component::Subscription;
use crate::question::wished;
use crate::stored::Stored;

/// The Operator that belongs to a Subscription.
#[derive(Debug, Clone, PartialEq)]
pub enum Association {
    /// An existing Operator names the same package, channel and CatalogSource. Contains its name.
    With(String),
    /// No Operator matches. The caller must create this Operator.
    Made { name: String, operator: Value },
    /// An Operator with the expected name exists, but it names another package, channel or
    /// CatalogSource. Contains the name.
    Taken(String),
}

/// Returns the Operator for this Subscription. The keys of `operators` are the names of the
/// existing Operators. `is_manual` is true if the Subscription requires an approval of each
/// InstallPlan.
pub fn associated_with(
    subscription: &Subscription,
    is_manual: bool,
    operators: &BTreeMap<String, Stored>,
) -> Association {
    let follows = |stored: &Stored| {
        let wished = wished(stored.spec.as_ref());
        wished.is_some_and(|it| {
            (it.package, it.channel, it.catalog)
                == (
                    subscription.package.clone(),
                    subscription.channel.clone(),
                    subscription.catalog.clone(),
                )
        })
    };
    if let Some((name, _)) = operators.iter().find(|(_, stored)| follows(stored)) {
        return Association::With(name.clone());
    }
    let name = name_for(&subscription.package);
    if operators.contains_key(&name) {
        return Association::Taken(name);
    }
    Association::Made {
        operator: made(&name, subscription, is_manual),
        name,
    }
}

fn made(name: &str, subscription: &Subscription, is_manual: bool) -> Value {
    let (namespace, catalog) = subscription.catalog.split_once('/').unwrap_or_default();
    let mut source = json!({
        "package": subscription.package,
        "ref": {"name": catalog, "namespace": namespace},
    });
    if !subscription.channel.is_empty() {
        source["channel"] = json!(subscription.channel);
    }
    if is_manual {
        source["approval"] = json!("Manual");
    }
    json!({
        "apiVersion": format!("{GROUP}/{VERSION}"),
        "kind": "Operator",
        "metadata": {"name": name},
        "spec": {"updates": {"type": "CatalogSource", "catalogSource": source}},
    })
}
