//! What is installed in a world, for questions about it.

use portolan_core_olm::{ClusterServiceVersion, Subscription};
use portolan_world::{AnyWorld, Area, Key, Kind, View, World as _};

use crate::failure::Failure;
use crate::named::{self, Named};
use crate::print::words;
use crate::scope::Scope;

/// An installed operator with a Subscription.
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
    /// Empty where it is not known.
    pub(crate) version: String,
}

// === impl Installed ===

impl Installed {
    /// The same with the channel, the catalog and the version of the command line, where it names them.
    pub(crate) fn within(self, scope: &Scope) -> Self {
        let or = |given: &str, usual: String| match given {
            "" => usual,
            given => given.to_owned(),
        };
        let followed = match (&*scope.channel, scope.all_channels) {
            ("", true) => String::new(),
            (channel, _) => or(channel, self.channel),
        };
        Self {
            channel: followed,
            catalog: or(&scope.within.from, self.catalog),
            version: or(&scope.installed_version, self.version),
            ..self
        }
    }
}

/// All of a namespace, or of all namespaces, in order of their names.
pub(crate) async fn all(world: &AnyWorld, namespace: &str) -> Result<Vec<Installed>, Failure> {
    let area = Area::namespace(namespace);
    let subscriptions = seen::<Subscription>(world, &area).await?;
    let csvs = seen::<ClusterServiceVersion>(world, &area).await?;
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
    Named { kind, name, .. }: &Named,
) -> Result<Installed, Failure> {
    let all = all(world, namespace).await?;
    let is_meant = |each: &&Installed| match kind {
        None => [&*each.key.name, &each.package, &each.bundle].contains(&name.as_str()),
        Some(named::Kind::Subscription) => *each.key.name == **name,
        Some(named::Kind::Csv) => each.bundle == *name,
        Some(named::Kind::Package) => each.package == *name,
        Some(named::Kind::Catalog | named::Kind::InstallPlan) => false,
    };
    let mut meant = all.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one.clone()),
        (Some(one), Some(other)) => Err(Failure::taught(format!(
            "{name} may be any of {}, {}; -n says in which namespace",
            one.key, other.key
        ))),
        (None, _) => {
            let place = match namespace {
                "" => String::new(),
                namespace => format!(" in {namespace}"),
            };
            let near = near(&all, name);
            Err(Failure::taught(format!(
                "no operator {name} is installed{place}; {near}"
            )))
        }
    }
}

fn near(all: &[Installed], name: &str) -> String {
    let names = all.iter().map(|each| &*each.key.name);
    let likeness = |other: &str| strsim::jaro_winkler(name, other);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest {
        Some(nearest) => format!("is it {nearest}?"),
        None => "none is".to_owned(),
    }
}

async fn seen<K: Kind>(world: &AnyWorld, area: &Area) -> Result<View<K>, Failure> {
    let mut objects = world.objects_in::<K>(area.clone());
    let view = objects.known().await.unwrap_or_default();
    match view.state.trouble() {
        Some((trouble, _)) => {
            let act = format!("look at {}s", K::kind(&()));
            Err(Failure::failed_to(act, trouble))
        }
        None => Ok(view),
    }
}
