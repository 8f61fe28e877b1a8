//! The installed operators, for questions about them.

use portolan_core_olm::{ClusterServiceVersion, Subscription};
use portolan_proto::health::v1::Operator;
use portolan_world::{AnyWorld, Area, Key};

use tonic::Code;

use crate::facts::{HealthConnection, read_view};
use crate::failure::Failure;
use crate::named::{self, Named};
use crate::print::words;
use crate::program_name::ProgramName;
use crate::scope::ChannelArgs;

/// An installed operator with a Subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subscribed {
    /// The names of its Subscription.
    pub(crate) key: Key,
    pub(crate) start: Start,
}

/// The point that updates start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) package: String,
    /// Empty for any.
    pub(crate) channel: String,
    pub(crate) catalog: String,
    /// The bundle.
    pub(crate) bundle: String,
    /// Empty where it is not known.
    pub(crate) version: String,
}

/// The source that knows what is installed.
pub(crate) enum Source {
    /// The objects themselves.
    World(AnyWorld),
    /// A server, which follows them.
    Server(HealthConnection),
}

// === impl Subscribed ===

impl Subscribed {
    /// The same with the channel, the catalog and the version of the command line, where it names them.
    pub(crate) fn within(self, scope: &ChannelArgs) -> Self {
        Self {
            start: self.start.within(scope),
            ..self
        }
    }

    /// Returns None for an operator without a Subscription, or without an installed version.
    fn of(operator: &Operator) -> Option<Self> {
        let subject = operator.subject.as_ref()?;
        let is_newest = operator.csv == operator.installed;
        let version = operator.version.clone();
        (!operator.installed.is_empty()).then(|| Self {
            key: Key::new(&subject.namespace, &subject.name),
            start: Start {
                package: operator.package.clone(),
                channel: operator.channel.clone(),
                catalog: operator.catalog.clone(),
                bundle: operator.installed.clone(),
                version: if is_newest { version } else { String::new() },
            },
        })
    }
}

// === impl Start ===

impl Start {
    /// The same with the channel, the catalog and the version of the command line, where it names them.
    pub(crate) fn within(self, scope: &ChannelArgs) -> Self {
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
            catalog: or(&scope.within.catalog, self.catalog),
            version: or(&scope.installed_version, self.version),
            ..self
        }
    }
}

// === impl Source ===

impl Source {
    /// Returns the operators of a namespace, or of all namespaces, sorted by name.
    pub(crate) async fn all(&mut self, namespace: &str) -> Result<Vec<Subscribed>, Failure> {
        match self {
            Self::World(world) => of_world(world, namespace).await,
            Self::Server(health) => of_server(health, namespace).await,
        }
    }

    /// Returns the error for a Subscription of this name that has not installed anything yet.
    pub(crate) async fn pending(&self, namespace: &str, named: &Named) -> Option<Failure> {
        let Self::World(world) = self else {
            return None;
        };
        let area = Area::namespace(namespace);
        let subscriptions = read_view::<Subscription>(world, &area).await.ok()?;
        let name = named.name.as_str();
        let mut pending = subscriptions.objects.iter().filter(|(key, it)| {
            let is_named = *key.name == *name || it.spec.package == name;
            is_named && it.status.installed_csv.is_empty()
        });
        let (key, subscription) = pending.next()?;
        let package = &subscription.spec.package;
        Some(Failure::usage(format!(
            "Subscription {key} has not installed anything yet; `{} diagnose {key}` shows why; for a bundle of the package use package/{package} --from BUNDLE",
            ProgramName::now().typed()
        )))
    }
}

async fn of_server(
    health: &mut HealthConnection,
    namespace: &str,
) -> Result<Vec<Subscribed>, Failure> {
    served(health, namespace).await?.ok_or_else(|| {
        Failure::usage(
            "the server has no health service, so installed operators are unknown; use PACKAGE --from BUNDLE, or --world DIR",
        )
    })
}

/// Returns the installed operators, as a server reports them; None if it serves no health.
pub(crate) async fn served(
    health: &mut HealthConnection,
    namespace: &str,
) -> Result<Option<Vec<Subscribed>>, Failure> {
    match health.operators(namespace).await {
        Ok(operators) => Ok(Some(operators.iter().filter_map(Subscribed::of).collect())),
        Err(status) if status.code() == Code::Unimplemented => Ok(None),
        Err(status) => Err(health.failure(&status)),
    }
}

async fn of_world(world: &AnyWorld, namespace: &str) -> Result<Vec<Subscribed>, Failure> {
    let area = Area::namespace(namespace);
    let subscriptions = read_view::<Subscription>(world, &area).await?;
    let csvs = read_view::<ClusterServiceVersion>(world, &area).await?;
    let installed = subscriptions
        .objects
        .iter()
        .filter_map(|(key, subscription)| {
            let spec = &subscription.spec;
            let bundle = &subscription.status.installed_csv;
            let csv = csvs.object(&key.namespace, bundle);
            (!bundle.is_empty()).then(|| Subscribed {
                key: key.clone(),
                start: Start {
                    package: spec.package.clone(),
                    channel: spec.channel.clone(),
                    catalog: words::located(&spec.source_namespace, &spec.source),
                    bundle: bundle.clone(),
                    version: csv.map(|csv| csv.spec.version.clone()).unwrap_or_default(),
                },
            })
        });
    Ok(installed.collect())
}

/// Returns the operator by the name of its Subscription, package or bundle.
pub(crate) fn one(
    all: &[Subscribed],
    namespace: &str,
    Named { kind, name, .. }: &Named,
) -> Result<Subscribed, Failure> {
    let is_meant = |each: &&Subscribed| {
        let Start {
            package, bundle, ..
        } = &each.start;
        match kind {
            None => [&*each.key.name, package, bundle].contains(&name.as_str()),
            Some(named::Kind::Subscription) => *each.key.name == **name,
            Some(named::Kind::Csv) => bundle == name,
            Some(named::Kind::Package) => package == name,
            Some(
                named::Kind::Catalog
                | named::Kind::InstallPlan
                | named::Kind::Policy
                | named::Kind::Plan
                | named::Kind::Operator
                | named::Kind::Install
                | named::Kind::Extension,
            ) => false,
        }
    };
    let mut meant = all.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one.clone()),
        (Some(one), Some(other)) => {
            let way_out = if one.key.namespace == other.key.namespace {
                "use sub/NAME, csv/NAME or package/NAME"
            } else {
                "select the namespace with -n"
            };
            Err(Failure::usage(format!(
                "{name} may be any of {}, {}; {way_out}",
                one.key, other.key
            )))
        }
        (None, _) => {
            let place = match namespace {
                "" => String::new(),
                namespace => format!(" in {namespace}"),
            };
            let near = near(all, name);
            Err(Failure::usage(format!(
                "no operator {name} is installed{place}; {near}"
            )))
        }
    }
}

fn near(all: &[Subscribed], name: &str) -> String {
    let names = all.iter().map(|each| &each.key.name);
    match portolan_core_names::nearest(name, names) {
        Some(nearest) => format!("is it {nearest}?"),
        None if all.is_empty() => "none is".to_owned(),
        None => "for a package use NAME --from BUNDLE".to_owned(),
    }
}
