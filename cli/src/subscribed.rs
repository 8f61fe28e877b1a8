//! The installed operators that queries about updates start with.

mod forecasts;
mod packages;

use portolan_api::inventory::{Gap, InstalledOperator, Inventory, Manager};
use portolan_core_names::{GroupKind, ObjectRef};
use portolan_core_olm::{ClusterServiceVersion, GROUP, Subscription};
use portolan_proto::health::v1::{Operator, operator};
use portolan_resolver::Following;
use portolan_resolver::extensions::ExtensionForecast;
use portolan_world::{AnyWorld, Area, read_inventory};

use tonic::Code;

pub(crate) use self::packages::find_packages;

use crate::facts::{HealthConnection, read_view};
use crate::failure::Failure;
use crate::named::{self, Named};
use crate::print;
use crate::program_name::ProgramName;
use crate::scope::ChannelArgs;

/// An installed operator, and the object that manages the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstalledEntry {
    pub(crate) manager: Manager,
    /// The object whose name users specify. For OLM, this is the Subscription, or the
    /// ClusterServiceVersion if there is no Subscription.
    pub(crate) object: ObjectRef,
    /// The namespace of the operator. Empty if it is unknown.
    pub(crate) namespace: String,
    /// The OperatorPolicies that manage its Subscription. For a ClusterExtension, the Policies that
    /// describe its package.
    pub(crate) policies: Vec<String>,
    pub(crate) start: Start,
}

/// The installed bundle of a query about updates, and the restrictions of its updates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) package: String,
    /// The channel that the operator follows. Empty if any channel is allowed.
    pub(crate) channel: String,
    pub(crate) catalog: String,
    /// The bundle.
    pub(crate) bundle: String,
    /// The version of the bundle. Empty if the version is unknown.
    pub(crate) version: String,
    /// The versions that the managing object allows. Empty if all versions are allowed.
    pub(crate) range: String,
    /// The prediction for OLM v1. None if OLM v1 does not manage the operator, or if the user
    /// specified another catalog or channel than the ClusterExtension.
    pub(crate) olm_v1: Option<Box<ExtensionForecast>>,
}

/// The source of installed operators.
pub(crate) enum Source {
    /// The objects of a world. The catalogs are needed to predict the decisions of OLM v1.
    World(AnyWorld, Option<Following>),
    /// A server with the health service, which lists the installed operators.
    Server(HealthConnection),
}

// === impl InstalledEntry ===

impl InstalledEntry {
    /// Replaces the channel, the catalog and the version with those that the user specified.
    pub(crate) fn within(self, scope: &ChannelArgs) -> Self {
        Self {
            start: self.start.within(scope),
            ..self
        }
    }

    /// Returns the object as text, such as `Operator ferry`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.object.kind.kind, self.object.key())
    }

    /// Converts an operator that the health service lists. Returns None if no bundle is installed.
    fn served(operator: &Operator) -> Option<Self> {
        let subject = operator.subject.as_ref()?;
        let (manager, group) = served_manager(operator.manager());
        let (bundle, is_newest) = match manager {
            Manager::Olm => (&operator.installed, operator.csv == operator.installed),
            Manager::Operator | Manager::ClusterExtension | Manager::Install | Manager::Plan => {
                (&operator.bundle, true)
            }
        };
        let version = operator.version.clone();
        let policies = Some(operator.policy.clone()).filter(|it| !it.is_empty());
        (!bundle.is_empty()).then(|| Self {
            manager,
            object: ObjectRef::new(
                GroupKind::new(group, &subject.kind),
                &*subject.namespace,
                &subject.name,
            ),
            namespace: subject.namespace.clone(),
            policies: policies.into_iter().collect(),
            start: Start {
                package: operator.package.clone(),
                channel: operator.channel.clone(),
                catalog: operator.catalog.clone(),
                bundle: bundle.clone(),
                version: if is_newest { version } else { String::new() },
                ..Start::default()
            },
        })
    }

    /// Converts an operator of the inventory. Returns None if no bundle is installed.
    fn of(operator: &InstalledOperator) -> Option<Self> {
        let mut channels = operator.channels.iter();
        let channel = match (channels.next(), channels.next()) {
            (Some(channel), None) => channel.clone(),
            (None | Some(_), _) => String::new(),
        };
        let kind = GroupKind::new(GROUP, "Subscription");
        let subscription = operator.subscription.as_ref();
        let subscription = subscription.map(|key| ObjectRef::new(kind, &*key.namespace, &key.name));
        (!operator.bundle.is_empty()).then(|| Self {
            manager: operator.manager,
            object: subscription.unwrap_or_else(|| operator.object.clone()),
            namespace: operator.namespace.clone(),
            policies: operator.policies.iter().map(ToString::to_string).collect(),
            start: Start {
                package: operator.package.clone(),
                channel,
                catalog: operator.catalog.clone(),
                bundle: operator.bundle.clone(),
                version: operator.version.clone(),
                range: operator.versions.clone(),
                olm_v1: None,
            },
        })
    }
}

// === impl Start ===

impl Start {
    /// Replaces the channel, the catalog and the version with those that the user specified.
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
            olm_v1: self.olm_v1.filter(|_| !scope.is_given()),
            ..self
        }
    }
}

// === impl Source ===

impl Source {
    /// Returns the operators of a namespace, or of all namespaces, sorted by name.
    pub(crate) async fn all(&mut self, namespace: &str) -> Result<Vec<InstalledEntry>, Failure> {
        match self {
            Self::World(world, catalogs) => {
                let mut all = of_world(world, namespace).await?;
                if let Some(catalogs) = catalogs {
                    forecasts::add(&mut all, world, catalogs).await;
                }
                Ok(all)
            }
            Self::Server(health) => of_server(health, namespace).await,
        }
    }

    /// Returns an error if a Subscription with this name exists, but has not installed a bundle
    /// yet.
    pub(crate) async fn pending(&self, namespace: &str, named: &Named) -> Option<Failure> {
        let Self::World(world, _) = self else {
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
            "Subscription {key} has not installed an operator yet. To see the reason, run `{} diagnose {key}`; to ask about the package without this Subscription, use package/{package} --from BUNDLE",
            ProgramName::now().typed()
        )))
    }
}

async fn of_server(
    health: &mut HealthConnection,
    namespace: &str,
) -> Result<Vec<InstalledEntry>, Failure> {
    served(health, namespace).await?.ok_or_else(|| {
        Failure::usage(
            "the server has no health service, so installed operators are unknown; use PACKAGE --from BUNDLE, or --world DIR",
        )
    })
}

/// Returns the manager of an operator, and the API group of the managing object.
fn served_manager(manager: operator::Manager) -> (Manager, &'static str) {
    match manager {
        // A server of an older version reports no manager, because it lists only operators of OLM
        // v0.
        operator::Manager::Unspecified | operator::Manager::Olm => (Manager::Olm, GROUP),
        operator::Manager::Operator => (Manager::Operator, portolan_api::operator::GROUP),
        operator::Manager::ClusterExtension => {
            (Manager::ClusterExtension, "olm.operatorframework.io")
        }
        operator::Manager::Install => (Manager::Install, portolan_api::installs::GROUP),
        operator::Manager::InstallPlan => (Manager::Plan, portolan_api::plan::GROUP),
    }
}

/// Returns the installed operators that a server lists. Returns None if the server has no health
/// service.
pub(crate) async fn served(
    health: &mut HealthConnection,
    namespace: &str,
) -> Result<Option<Vec<InstalledEntry>>, Failure> {
    match health.operators(namespace).await {
        Ok(operators) => Ok(Some(
            operators
                .iter()
                .filter_map(InstalledEntry::served)
                .collect(),
        )),
        Err(status) if status.code() == Code::Unimplemented => Ok(None),
        Err(status) => Err(health.failure(&status)),
    }
}

async fn of_world(world: &AnyWorld, namespace: &str) -> Result<Vec<InstalledEntry>, Failure> {
    let area = Area::namespace(namespace);
    // Reads all kinds at the same time, so that the world lists each kind only once.
    let (subscriptions, csvs, inventory) = tokio::join!(
        read_view::<Subscription>(world, &area),
        read_view::<ClusterServiceVersion>(world, &area),
        read_inventory(world, namespace)
    );
    // Returns an error if the objects of OLM cannot be read. Objects of other kinds may be missing.
    subscriptions?;
    csvs?;
    warn_of_gaps(inventory.gaps());
    let installed = inventory.within(namespace);
    Ok(installed.filter_map(InstalledEntry::of).collect())
}

/// Returns the operators of all installers. Prints a warning for each kind that cannot be read,
/// except the kinds of OLM v0 and of policies.
pub(crate) async fn inventory(world: &AnyWorld, namespace: &str) -> Inventory {
    let inventory = read_inventory(world, namespace).await;
    warn_of_gaps(inventory.gaps());
    inventory
}

/// Prints a warning for each kind that cannot be read, except the kinds of OLM v0 and of policies.
pub(crate) fn warn_of_gaps<'g>(gaps: impl IntoIterator<Item = &'g Gap>) {
    let is_extra = |kind: &GroupKind| {
        let is_of_olm = kind.group == GROUP && kind.kind != "Install";
        !is_of_olm && kind.kind != "OperatorPolicy"
    };
    for gap in gaps
        .into_iter()
        .filter(|gap| gap.kind.as_ref().is_some_and(is_extra))
    {
        print::warn(&gap.to_string());
    }
}

/// Returns the only operator with this name. The name can be that of the managing object, the
/// package or the bundle.
pub(crate) fn one(
    all: &[InstalledEntry],
    namespace: &str,
    Named { kind, name, .. }: &Named,
) -> Result<InstalledEntry, Failure> {
    let is_meant = |each: &&InstalledEntry| {
        let Start {
            package, bundle, ..
        } = &each.start;
        match kind {
            None => [&each.object.name, package, bundle].contains(&name),
            Some(named::Kind::Subscription) => {
                each.object.kind.kind == "Subscription" && each.object.name == *name
            }
            Some(named::Kind::Operator) => {
                each.manager == Manager::Operator && each.object.name == *name
            }
            Some(named::Kind::Extension) => {
                each.manager == Manager::ClusterExtension && each.object.name == *name
            }
            Some(named::Kind::Install) => {
                each.manager == Manager::Install && each.object.name == *name
            }
            Some(named::Kind::Plan) => each.manager == Manager::Plan && each.object.name == *name,
            Some(named::Kind::Csv) => bundle == name,
            Some(named::Kind::Package) => package == name,
            Some(
                named::Kind::Catalog
                | named::Kind::InstallPlan
                | named::Kind::Policy
                | named::Kind::UpgradePolicy
                | named::Kind::PolicyBinding
                | named::Kind::ClusterCatalog
                | named::Kind::ComponentOperator
                | named::Kind::Component,
            ) => false,
        }
    };
    let mut meant = all.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one.clone()),
        (Some(one), Some(other)) => {
            let is_of_olm = one.manager == Manager::Olm && other.manager == Manager::Olm;
            let (keys, way_out) = match (is_of_olm, one.namespace == other.namespace) {
                (false, _) => (
                    [one.title(), other.title()],
                    "use sub/NAME, csv/NAME, package/NAME or operator/NAME",
                ),
                (true, true) => (
                    [one, other].map(|it| it.object.key().to_string()),
                    "use sub/NAME, csv/NAME or package/NAME",
                ),
                (true, false) => (
                    [one, other].map(|it| it.object.key().to_string()),
                    "select the namespace with -n",
                ),
            };
            Err(Failure::usage(format!(
                "{name} is ambiguous: {}; {way_out}",
                keys.join(", ")
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

fn near(all: &[InstalledEntry], name: &str) -> String {
    let names = all.iter().map(|each| &each.object.name);
    match portolan_core_names::nearest(name, names) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None if all.is_empty() => "none is".to_owned(),
        None => "for a package, use NAME --from BUNDLE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::basis::v1 as basis;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::olm(operator::Manager::Olm, GROUP, "Subscription", "ferry.v1.0.0")]
    #[case::older_server(operator::Manager::Unspecified, GROUP, "Subscription", "ferry.v1.0.0")]
    #[case::operator(
        operator::Manager::Operator,
        "operators.operatorframework.io",
        "Operator",
        "ferry.v1.1.0"
    )]
    #[case::cluster_extension(
        operator::Manager::ClusterExtension,
        "olm.operatorframework.io",
        "ClusterExtension",
        "ferry.v1.1.0"
    )]
    fn server_reports_operators_of_every_installer(
        #[case] manager: operator::Manager,
        #[case] group: &str,
        #[case] kind: &str,
        #[case] bundle: &str,
    ) {
        let served = InstalledEntry::served(&Operator {
            subject: Some(basis::ObjectRef {
                kind: kind.to_owned(),
                namespace: String::new(),
                name: "ferry".to_owned(),
            }),
            installed: "ferry.v1.0.0".to_owned(),
            bundle: "ferry.v1.1.0".to_owned(),
            manager: manager.into(),
            ..Operator::default()
        });
        let served = served.expect("an operator");
        assert_eq!(served.object.kind, GroupKind::new(group, kind));
        assert_eq!(served.start.bundle, bundle);
    }
}
