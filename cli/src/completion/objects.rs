//! Completes the names of objects: NAME, NAMESPACE/NAME and KIND/NAME.

use std::collections::BTreeSet;

use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_names::Key;
use portolan_core_olm::{
    CatalogSource, ClusterCatalog, ClusterExtension, ClusterServiceVersion, ComponentOperator,
    InstallPlan, Subscription,
};
use portolan_world::{AnyWorld, Kind as Watched, World as _};

use crate::approve;
use crate::named::Kind;

/// The kinds of objects that the user can name in an argument of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedObjects {
    /// The kinds for an argument without a kind, such as NAME or NAMESPACE/NAME.
    bare: &'static [Kind],
    /// The kinds for an argument with a kind, such as KIND/NAME.
    kinds: &'static [Kind],
}

const HEALTHY: [Kind; 8] = [
    Kind::Subscription,
    Kind::Csv,
    Kind::Package,
    Kind::Operator,
    Kind::Extension,
    Kind::Install,
    Kind::Plan,
    Kind::Catalog,
];

/// The arguments that name objects: the command, the id of the argument, and the kinds.
const OF_OBJECTS: [(&str, &str, NamedObjects); 4] = [
    (
        "approve",
        "name",
        NamedObjects {
            bare: &[Kind::Subscription, Kind::InstallPlan, Kind::Install],
            kinds: &approve::KINDS,
        },
    ),
    (
        "diagnose",
        "name",
        NamedObjects {
            bare: &[Kind::Subscription],
            kinds: &Kind::DIAGNOSED,
        },
    ),
    (
        "explain",
        "policies",
        NamedObjects {
            bare: &[Kind::Policy],
            kinds: &[Kind::Policy, Kind::Operator, Kind::Extension],
        },
    ),
    (
        "health",
        "name",
        NamedObjects {
            bare: &[Kind::Subscription],
            kinds: &HEALTHY,
        },
    ),
];

/// Returns the kinds of objects for an argument of a command. Returns None for other arguments.
pub(super) fn of_argument(command: &str, argument: &str) -> Option<NamedObjects> {
    let mut found = OF_OBJECTS.iter();
    let found = found.find(|(of, id, _)| (*of, *id) == (command, argument));
    found.map(|(_, _, objects)| *objects)
}

// === impl NamedObjects ===

impl NamedObjects {
    /// Returns the possible words for the incomplete word, before they are filtered by its prefix.
    pub(super) async fn words(self, world: &AnyWorld, begun: &str) -> Vec<String> {
        let mut words = BTreeSet::new();
        let before = begun.split_once('/').map(|(before, _)| before);
        match before.map(|before| (before, Kind::read(before))) {
            Some((before, Some(kind))) if self.kinds.contains(&kind) => {
                let keys = keys(world, kind).await;
                words.extend(keys.iter().map(|key| format!("{before}/{}", key.name)));
            }
            Some((_, Some(_))) => {}
            Some((_, None)) => {
                for kind in self.bare {
                    let keys = keys(world, *kind).await.into_iter();
                    words.extend(
                        keys.filter(|it| !it.namespace.is_empty())
                            .map(|it| it.to_string()),
                    );
                }
            }
            None => {
                for kind in self.bare {
                    let keys = keys(world, *kind).await;
                    words.extend(keys.iter().map(|key| key.name.to_string()));
                }
            }
        }
        words.into_iter().collect()
    }
}

/// Returns the keys of all objects of a kind. For packages, each key contains the namespace of a
/// Subscription and the name of its package.
async fn keys(world: &AnyWorld, kind: Kind) -> Vec<Key> {
    match kind {
        Kind::Subscription => listed::<Subscription>(world).await,
        Kind::Csv => listed::<ClusterServiceVersion>(world).await,
        Kind::Package => packages(world).await,
        Kind::Catalog => listed::<CatalogSource>(world).await,
        Kind::InstallPlan => listed::<InstallPlan>(world).await,
        Kind::Policy => listed::<OperatorPolicy>(world).await,
        Kind::Plan => listed::<plan::InstallPlan>(world).await,
        Kind::Operator => listed::<Operator>(world).await,
        Kind::Install => listed::<Install>(world).await,
        Kind::UpgradePolicy => listed::<Policy>(world).await,
        Kind::PolicyBinding => listed::<PolicyBinding>(world).await,
        Kind::Extension => listed::<ClusterExtension>(world).await,
        Kind::ClusterCatalog => listed::<ClusterCatalog>(world).await,
        Kind::ComponentOperator => listed::<ComponentOperator>(world).await,
        // The components of Portolan are objects of several kinds. Their names are not completed.
        Kind::Component => Vec::new(),
    }
}

async fn listed<K: Watched>(world: &AnyWorld) -> Vec<Key> {
    let mut objects = world.objects::<K>();
    let view = objects.known().await.unwrap_or_default();
    view.objects.keys().cloned().collect()
}

async fn packages(world: &AnyWorld) -> Vec<Key> {
    let mut objects = world.objects::<Subscription>();
    let view = objects.known().await.unwrap_or_default();
    let subscriptions = view.objects.iter();
    let packages = subscriptions.map(|(key, it)| Key::new(&key.namespace, &it.spec.package));
    packages.collect()
}
