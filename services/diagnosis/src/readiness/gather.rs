//! Collects the installed operators for the question about readiness.

use std::collections::{BTreeMap, BTreeSet};

use futures::FutureExt as _;
use portolan_api::OperatorPolicy;
use portolan_api::inventory::{InstalledOperator, Manager};
use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_api::{installs, plan};
use portolan_core_names::{AddressedObject, CatalogName, Key, PackageName, Version, VersionRange};
use portolan_core_olm::{
    Approval, ClusterCatalog, ClusterExtension, ClusterServiceVersion, Subscription, all_properties,
};
use portolan_resolver::readiness::{
    Contents, Installed, Installer, InvalidLimit, Limit, NamedOperator, Offer, Question, Stage,
    StagedCatalogs, Subject,
};
use portolan_world::{AnyWorld, Area, Objects, View, World as _, addressed, read_inventory};

use super::{Assessment, read};

/// The bundle property with the last OpenShift release that the bundle supports.
const LIMIT: &str = "olm.maxOpenShiftVersion";

/// The objects with facts that the inventory does not contain.
struct KnownObjects<'a> {
    csvs: View<ClusterServiceVersion>,
    subscriptions: View<Subscription>,
    extensions: BTreeMap<String, Vec<CatalogName>>,
    catalogs: &'a StagedCatalogs,
}

/// Watches the objects of operators while this value exists, so that an assessment does not have to
/// list them again.
#[derive(Debug)]
pub struct WatchedObjects {
    csvs: Objects<ClusterServiceVersion>,
    subscriptions: Objects<Subscription>,
    policies: Objects<OperatorPolicy>,
    operators: Objects<Operator>,
    extensions: Objects<ClusterExtension>,
    catalogs: Objects<ClusterCatalog>,
    plans: Objects<plan::InstallPlan>,
    installs: Objects<installs::Install>,
    upgrade_policies: Objects<Policy>,
    bindings: Objects<PolicyBinding>,
}

// === impl WatchedObjects ===

impl WatchedObjects {
    /// Starts to watch the objects of a namespace, or of all namespaces.
    pub fn of(world: &AnyWorld, namespace: &str) -> Self {
        let area = Area::namespace(namespace);
        Self {
            csvs: world.objects_in(area.clone()),
            subscriptions: world.objects_in(area.clone()),
            policies: world.objects(),
            operators: world.objects(),
            extensions: world.objects(),
            catalogs: world.objects(),
            plans: world.objects_in(area),
            installs: world.objects(),
            upgrade_policies: world.objects(),
            bindings: world.objects(),
        }
    }

    /// Waits until each kind was listed or cannot be listed. Later changes are new.
    pub(super) async fn known(&mut self) {
        let Self {
            csvs,
            subscriptions,
            policies,
            operators,
            extensions,
            catalogs,
            plans,
            installs,
            upgrade_policies,
            bindings,
        } = self;
        // A kind that is no longer watched counts as changed.
        let _ = tokio::join!(
            csvs.known(),
            subscriptions.known(),
            policies.known(),
            operators.known(),
            extensions.known(),
            catalogs.known(),
            plans.known(),
            installs.known(),
            upgrade_policies.known(),
            bindings.known(),
        );
    }

    /// Returns true if an object may have changed since all kinds were known.
    pub(super) fn have_changed(&mut self) -> bool {
        let Self {
            csvs,
            subscriptions,
            policies,
            operators,
            extensions,
            catalogs,
            plans,
            installs,
            upgrade_policies,
            bindings,
        } = self;
        [
            has_changed(csvs),
            has_changed(subscriptions),
            has_changed(policies),
            has_changed(operators),
            has_changed(extensions),
            has_changed(catalogs),
            has_changed(plans),
            has_changed(installs),
            has_changed(upgrade_policies),
            has_changed(bindings),
        ]
        .contains(&true)
    }
}

/// Returns true if the objects of a kind may have changed, or if they are no longer watched.
fn has_changed<K: Clone>(objects: &mut Objects<K>) -> bool {
    objects.changed().now_or_never().is_some()
}

/// Reads the operators of a namespace, or of all namespaces.
pub(super) async fn gather(
    world: &AnyWorld,
    namespace: &str,
    stages: &[Stage],
    catalogs: &StagedCatalogs,
) -> Result<Assessment, String> {
    let area = Area::namespace(namespace);
    // All kinds are requested at the same time, so that the world does not start a watch twice.
    let (csvs, subscriptions, inventory) = tokio::join!(
        read::<ClusterServiceVersion>(world, area.clone()),
        read::<Subscription>(world, area),
        read_inventory(world, namespace)
    );
    let (csvs, subscriptions) = (csvs?, subscriptions?);
    let faults = csvs.faults.iter().chain(subscriptions.faults.iter());
    let faults = faults.cloned().collect();
    let objects = KnownObjects {
        csvs,
        subscriptions,
        extensions: extensions(world).await,
        catalogs,
    };
    let installed: Vec<_> = inventory.within(namespace).cloned().collect();
    let (subjects, operators) = installed.iter().map(|it| objects.subject(it)).unzip();
    Ok(Assessment {
        question: Question {
            stages: stages.to_vec(),
            operators: subjects,
        },
        operators,
        inventory: installed,
        unread: inventory.gaps().iter().map(ToString::to_string).collect(),
        faults,
        gaps: inventory.gaps().iter().cloned().collect(),
        ..Assessment::default()
    })
}

/// Returns the catalogs that each ClusterExtension selects. An object that cannot be read is
/// already a gap of the inventory.
async fn extensions(world: &AnyWorld) -> BTreeMap<String, Vec<CatalogName>> {
    let everywhere = Area::everywhere();
    let (extensions, catalogs) = tokio::join!(
        read::<ClusterExtension>(world, everywhere.clone()),
        read::<ClusterCatalog>(world, everywhere)
    );
    let (Ok(extensions), Ok(catalogs)) = (extensions, catalogs) else {
        return BTreeMap::new();
    };
    let selected = extensions.objects.iter().map(|(key, extension)| {
        let source = &extension.spec.source.catalog;
        let selected = catalogs.objects.iter();
        let selected = selected.filter(|(_, catalog)| source.may_be_from(catalog));
        let mut selected: Vec<_> = selected
            .filter_map(|(key, catalog)| {
                let name = CatalogName::parse(&key.name).ok()?;
                Some((-i64::from(catalog.spec.priority), name))
            })
            .collect();
        selected.sort();
        let names = selected.into_iter().map(|(_, name)| name);
        (key.name.to_string(), names.collect())
    });
    selected.collect()
}

// === impl KnownObjects ===

impl KnownObjects<'_> {
    fn subject(&self, operator: &InstalledOperator) -> (Subject, NamedOperator) {
        let names = self.catalogs_of(operator);
        let package = PackageName::parse(&operator.package);
        let stages = self.catalogs.stages();
        let offers = match (&package, &names) {
            (Ok(package), Some(names)) => self.catalogs.offers(names, package),
            (Err(_), Some(_)) => unknown(stages, "the package of the operator is unknown"),
            (_, None) => vec![Offer::default(); stages],
        };
        let subject = Subject {
            installer: match operator.manager {
                Manager::Olm => Installer::OlmV0,
                Manager::ClusterExtension => Installer::OlmV1,
                Manager::Operator | Manager::Install | Manager::Plan => Installer::Other,
            },
            namespace: operator.namespace.clone(),
            installed: installed(operator),
            is_followed: names.is_some(),
            channels: operator
                .channels
                .iter()
                .filter_map(|it| it.parse().ok())
                .collect::<BTreeSet<_>>(),
            allowed: allowed(operator),
            limit: self.limit(operator),
            offers,
            contents: Contents::new(),
            restraints: Vec::new(),
            requests: Vec::new(),
        };
        let subscription = operator.subscription.as_ref();
        let subscription = subscription.and_then(|key| self.subscriptions.objects.get(key));
        let approval = subscription.map(|it| &it.spec.install_plan_approval);
        let named = NamedOperator {
            object: own(operator),
            subscription: operator
                .subscription
                .as_ref()
                .map(addressed::<Subscription>),
            policies: operator
                .policies
                .iter()
                .map(addressed::<OperatorPolicy>)
                .collect(),
            package: operator.package.clone(),
            bundle: operator.bundle.clone(),
            channels: operator.channels.iter().cloned().collect(),
            catalogs: names.unwrap_or_default(),
            is_manual: approval == Some(&Approval::Manual),
        };
        (subject, named)
    }

    /// Returns the catalogs of an operator. Returns None if the operator is not upgraded from a
    /// catalog.
    fn catalogs_of(&self, operator: &InstalledOperator) -> Option<Vec<CatalogName>> {
        match operator.manager {
            Manager::Olm => {
                operator.subscription.as_ref()?;
                Some(CatalogName::parse(&operator.catalog).into_iter().collect())
            }
            Manager::ClusterExtension => Some(
                self.extensions
                    .get(&operator.object.name)
                    .cloned()
                    .unwrap_or_default(),
            ),
            Manager::Operator => match CatalogName::parse(&operator.catalog) {
                Ok(name) => Some(vec![name]),
                Err(_) => Some(self.catalogs.current_names().cloned().collect()),
            },
            Manager::Install | Manager::Plan => None,
        }
    }

    /// Returns the limit in the ClusterServiceVersion. OLM v0 reads only this limit.
    fn limit(&self, operator: &InstalledOperator) -> Option<Result<Limit, InvalidLimit>> {
        if operator.manager != Manager::Olm {
            return None;
        }
        let key = Key::new(&operator.namespace, &operator.bundle);
        let csv = self.csvs.objects.get(&key)?;
        let Some(text) = csv.properties_text() else {
            return Some(Ok(Limit::None));
        };
        Some(match all_properties(text) {
            Ok(all) => {
                let limits = all.iter().filter(|property| &*property.kind == LIMIT);
                Limit::parse(limits.map(|property| &*property.value))
            }
            Err(fault) => Err(InvalidLimit::Unreadable(fault.to_string())),
        })
    }
}

/// Returns the object that installs the operator.
fn own(operator: &InstalledOperator) -> AddressedObject {
    let key = operator.object.key();
    match operator.manager {
        Manager::Olm if operator.object.kind.kind == "Subscription" => {
            addressed::<Subscription>(&key)
        }
        Manager::Olm => addressed::<ClusterServiceVersion>(&key),
        Manager::Operator => addressed::<Operator>(&key),
        Manager::ClusterExtension => addressed::<ClusterExtension>(&key),
        Manager::Install => addressed::<installs::Install>(&key),
        Manager::Plan => addressed::<plan::InstallPlan>(&key),
    }
}

fn installed(operator: &InstalledOperator) -> Option<Installed> {
    Some(Installed {
        name: operator.bundle.parse().ok()?,
        version: Version::parse(&operator.version).ok(),
    })
}

/// Returns the versions that the object of the operator allows. Returns None if all versions are
/// allowed, or if the range is invalid.
fn allowed(operator: &InstalledOperator) -> Option<VersionRange> {
    let versions = Some(operator.versions.as_str()).filter(|it| !it.is_empty())?;
    VersionRange::parse(versions).ok()
}

fn unknown(stages: usize, why: &str) -> Vec<Offer> {
    let offer = Offer {
        package: None,
        gap: Some(why.to_owned()),
    };
    vec![offer; stages]
}
