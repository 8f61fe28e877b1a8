//! The installed operators, as the question about readiness needs them.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::inventory::{InstalledOperator, Inventory, Manager};
use portolan_core_graph::Installed;
use portolan_core_names::{CatalogName, Key, PackageName, Version, VersionRange};
use portolan_core_olm::{
    Approval, ClusterCatalog, ClusterExtension, ClusterServiceVersion, Subscription, all_properties,
};
use portolan_core_route::readiness::{
    Contents, Installer, InvalidLimit, Limit, Offer, Question, Stage, Subject,
};
use portolan_world::{AnyWorld, Area, View};

use super::catalogs::StagedCatalogs;
use crate::facts::{read_view, read_view_silently};
use crate::failure::Failure;
use crate::subscribed;

/// The property of a bundle with its last OpenShift release.
const LIMIT: &str = "olm.maxOpenShiftVersion";

/// The question, and what is known about its operators.
pub(super) struct Gathered {
    pub(super) question: Question,
    /// The operators, in the order of the question.
    pub(super) operators: Vec<NamedOperator>,
    /// The objects that could not be read. Their operators are missing.
    pub(super) gaps: Vec<String>,
}

/// An operator, as people name it.
pub(super) struct NamedOperator {
    pub(super) inventory: InstalledOperator,
    /// True if a person approves the InstallPlans of its Subscription.
    pub(super) is_manual: bool,
    /// Its catalogs, in the order of their use. Empty if it follows none.
    pub(super) catalogs: Vec<CatalogName>,
}

/// The objects that say more than the inventory.
struct Objects<'a> {
    csvs: View<ClusterServiceVersion>,
    subscriptions: View<Subscription>,
    extensions: BTreeMap<String, Vec<CatalogName>>,
    catalogs: &'a StagedCatalogs,
}

/// Reads the operators of a namespace, or of all namespaces.
pub(super) async fn gather(
    world: &AnyWorld,
    namespace: &str,
    stages: &[Stage],
    catalogs: &StagedCatalogs,
) -> Result<Gathered, Failure> {
    let area = Area::namespace(namespace);
    let (csvs, subscriptions, inventory) = tokio::join!(
        read_view::<ClusterServiceVersion>(world, &area),
        read_view::<Subscription>(world, &area),
        subscribed::inventory(world, namespace)
    );
    let objects = Objects {
        csvs: csvs?,
        subscriptions: subscriptions?,
        extensions: extensions(world).await,
        catalogs,
    };
    let operators: Vec<_> = inventory.within(namespace).cloned().collect();
    let (subjects, operators) = operators.into_iter().map(|it| objects.subject(it)).unzip();
    Ok(Gathered {
        question: Question {
            stages: stages.to_vec(),
            operators: subjects,
        },
        operators,
        gaps: gaps(&inventory),
    })
}

fn gaps(inventory: &Inventory) -> Vec<String> {
    inventory.gaps().iter().map(ToString::to_string).collect()
}

/// Returns the catalogs that each ClusterExtension selects. Objects that cannot be read are gaps of
/// the inventory.
async fn extensions(world: &AnyWorld) -> BTreeMap<String, Vec<CatalogName>> {
    let everywhere = Area::everywhere();
    let (extensions, catalogs) = tokio::join!(
        read_view_silently::<ClusterExtension>(world, &everywhere),
        read_view_silently::<ClusterCatalog>(world, &everywhere)
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

// === impl Objects ===

impl Objects<'_> {
    fn subject(&self, operator: InstalledOperator) -> (Subject, NamedOperator) {
        let names = self.catalogs_of(&operator);
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
            installed: installed(&operator),
            is_followed: names.is_some(),
            channels: operator
                .channels
                .iter()
                .filter_map(|it| it.parse().ok())
                .collect::<BTreeSet<_>>(),
            allowed: allowed(&operator),
            limit: self.limit(&operator),
            offers,
            contents: Contents::new(),
            restraints: Vec::new(),
            requests: Vec::new(),
        };
        let subscription = operator.subscription.as_ref();
        let subscription = subscription.and_then(|key| self.subscriptions.objects.get(key));
        let approval = subscription.map(|it| &it.spec.install_plan_approval);
        let named = NamedOperator {
            is_manual: approval == Some(&Approval::Manual),
            catalogs: names.unwrap_or_default(),
            inventory: operator,
        };
        (subject, named)
    }

    /// Returns the catalogs of an operator. None if it follows no catalog.
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
                Err(_) => Some(self.catalogs.current.offers.keys().cloned().collect()),
            },
            Manager::Install | Manager::Plan => None,
        }
    }

    /// Returns the limit in the ClusterServiceVersion, which is the only one that OLM v0 reads.
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

fn installed(operator: &InstalledOperator) -> Option<Installed> {
    Some(Installed {
        name: operator.bundle.parse().ok()?,
        version: Version::parse(&operator.version).ok(),
    })
}

/// Returns the versions that its object allows. None for all versions, or for an invalid range.
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
