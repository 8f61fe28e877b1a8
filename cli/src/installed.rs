//! What is installed in a world, for questions about it.

use portolan_core_olm::{ClusterServiceVersion, Subscription};
use portolan_world::{AnyWorld, Area, Key, Kind, Trouble, View, World as _};
use thiserror::Error;

use crate::failure::Failure;
use crate::print::words;
use crate::scope::Scope;

/// An operator that somebody subscribes to, and that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Installed {
    /// The names of its Subscription.
    pub(crate) key: Key,
    pub(crate) package: String,
    /// Empty for any.
    pub(crate) channel: String,
    pub(crate) catalog: String,
    /// The bundle.
    pub(crate) bundle: String,
    /// Empty where nobody knows it.
    pub(crate) version: String,
}

// === impl Installed ===

impl Installed {
    /// As it is looked at where somebody says in which channel or catalog, or from which version.
    pub(crate) fn within(self, scope: &Scope) -> Self {
        let or = |given: &str, usual: String| match given {
            "" => usual,
            given => given.to_owned(),
        };
        Self {
            channel: or(&scope.channel, self.channel),
            catalog: or(&scope.within.from, self.catalog),
            version: or(&scope.installed_version, self.version),
            ..self
        }
    }
}

/// There is none of that name.
#[derive(Debug, Error)]
#[error("no operator {name} is installed{place}; {near}")]
struct NoOperator {
    name: String,
    place: String,
    near: String,
}

/// Several have that name.
#[derive(Debug, Error)]
#[error("{name} may be any of {all}; -n says in which namespace")]
struct Ambiguous {
    name: String,
    all: String,
}

/// Nobody sees them.
#[derive(Debug, Error)]
#[error("look at {kind}s")]
struct SeeKind {
    kind: &'static str,
    #[source]
    trouble: Trouble,
}

/// All of a namespace, or of all namespaces, in order of their names.
pub(crate) async fn all(world: &AnyWorld, namespace: &str) -> Result<Vec<Installed>, Failure> {
    let area = Area::namespace(namespace);
    let subscriptions = seen::<Subscription>(world, &area, "Subscription").await?;
    let csvs = seen::<ClusterServiceVersion>(world, &area, "ClusterServiceVersion").await?;
    let installed = subscriptions
        .objects
        .iter()
        .filter_map(|(key, subscription)| {
            let spec = &subscription.spec;
            let bundle = &subscription.status.installed_csv;
            let csv = csvs.object(&key.namespace, bundle);
            (!bundle.is_empty()).then(|| Installed {
                key: key.clone(),
                package: spec.package.clone(),
                channel: spec.channel.clone(),
                catalog: words::located(&spec.source_namespace, &spec.source),
                bundle: bundle.clone(),
                version: csv.map(|csv| csv.spec.version.clone()).unwrap_or_default(),
            })
        });
    Ok(installed.collect())
}

/// The one of that name: that of its Subscription, of its package or of its bundle.
pub(crate) async fn one(
    world: &AnyWorld,
    namespace: &str,
    name: &str,
) -> Result<Installed, Failure> {
    let all = all(world, namespace).await?;
    let is_meant = |each: &&Installed| {
        let names = [&*each.key.name, &each.package, &each.bundle];
        names.contains(&name)
    };
    let mut meant = all.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one.clone()),
        (Some(one), Some(other)) => Err(Failure::refused(Ambiguous {
            name: name.to_owned(),
            all: format!("{}, {}", one.key, other.key),
        })),
        (None, _) => Err(Failure::refused(NoOperator {
            name: name.to_owned(),
            place: match namespace {
                "" => String::new(),
                namespace => format!(" in {namespace}"),
            },
            near: near(&all, name),
        })),
    }
}

fn near(all: &[Installed], name: &str) -> String {
    let names = all.iter().map(|each| &*each.key.name);
    let nearest = names.max_by(|a, b| {
        let likeness = |other: &str| strsim::jaro_winkler(name, other);
        likeness(a).total_cmp(&likeness(b))
    });
    match nearest {
        Some(nearest) => format!("is it {nearest}?"),
        None => "none is".to_owned(),
    }
}

async fn seen<K: Kind>(
    world: &AnyWorld,
    area: &Area,
    kind: &'static str,
) -> Result<View<K>, Failure> {
    let mut objects = world.objects_in::<K>(area.clone());
    let view = objects.known().await;
    let view = view.unwrap_or_default();
    match view.state.trouble() {
        Some((trouble, _)) => Err(Failure::failed(SeeKind {
            kind,
            trouble: trouble.clone(),
        })),
        None => Ok(view),
    }
}
