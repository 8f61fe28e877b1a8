//! Builds namespaces for tests. `harbor()` returns a healthy namespace, and each method of
//! [`Story`] changes some of its objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_approval as approval;
use portolan_core_catalog::{Bundle, Catalog, Reading};
use portolan_core_graph::Charted;
use portolan_core_health::*;
use portolan_core_names::PackageName;
use portolan_core_olm::{
    CatalogSource, CustomResourceDefinition, InstallPlan, OperatorGroup, Pod, Subscription,
};
use portolan_kit::catalog;

use crate::{
    Around, Asked, Cluster, Content, Diagnosis, Offer, Offered, Situation, Unpack, diagnose,
};

mod approvals;
mod objects;
pub(crate) mod resolved;
mod tale;

pub(crate) use self::approvals::policy;
pub(crate) use self::objects::*;

/// The namespace of the operators in all scenarios.
pub(crate) const HOME: &str = "demo";

/// The content of a catalog in a scenario, if it is known.
#[derive(Debug, Clone)]
pub(crate) enum Shop {
    Known(Catalog),
    Stale(Catalog, String),
    Unavailable(String),
}

/// A catalog of a scenario.
#[derive(Debug, Clone)]
pub(crate) struct Stall {
    pub(crate) registry: Registry,
    pub(crate) pods: ObservedObjects<Item<Pod>>,
    /// The names of the pull secrets that the kubelet cannot read.
    pub(crate) missing_secrets: BTreeSet<String>,
    /// True if the catalog returns the details of a bundle only in response to a query, as a
    /// registry does.
    pub(crate) tells_if_asked: bool,
    pub(crate) shop: Shop,
}

/// A namespace that a test builds.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) namespace: Namespace,
    pub(crate) stalls: Vec<Stall>,
    /// The names of the Subscriptions with manual approval.
    pub(crate) manual: BTreeSet<String>,
    /// The `startingCSV` of Subscriptions, by the name of the Subscription.
    pub(crate) starts: BTreeMap<String, String>,
    pub(crate) policies: Vec<approval::Standing>,
    /// The reasons why the policies may be incomplete.
    pub(crate) unseen_policies: Vec<String>,
    pub(crate) elsewhere: Vec<Csv>,
    /// The visibility of objects in other namespaces.
    pub(crate) far_sight: Sight,
    pub(crate) unpacks: Vec<Unpack>,
    pub(crate) around: Around,
    pub(crate) cluster: Cluster,
    /// The responses of catalogs to queries about bundles.
    pub(crate) asked: Asked,
    /// The reason why the input for the resolution is unknown. None if it is known.
    pub(crate) unresolved: Option<String>,
}

/// The packages and versions in the catalog of most scenarios.
pub(crate) const FERRIES: &str = "ferry: 1.0.0 -> 1.1.0 -> 2.0.0; dock: 1.0.0; buoy: 1.0.0";

pub(crate) fn read(text: &str) -> Catalog {
    let json = catalog(text).to_json_lines();
    Catalog::of([Reading::of("text", json.as_bytes())])
}

/// Returns a namespace that contains only an OperatorGroup. The catalog `olm/shop` with this
/// content is visible.
pub(crate) fn shore(text: &str) -> Story {
    let namespace = Namespace {
        name: HOME.to_owned(),
        groups: vec![group("only")].into(),
        ..Namespace::default()
    };
    let story = Story {
        namespace,
        stalls: Vec::new(),
        manual: BTreeSet::new(),
        starts: BTreeMap::new(),
        policies: Vec::new(),
        unseen_policies: Vec::new(),
        elsewhere: Vec::new(),
        far_sight: Sight::Clear,
        unpacks: Vec::new(),
        around: Around::default(),
        cluster: Cluster::default(),
        asked: Asked::new(),
        unresolved: None,
    };
    story.stall("olm", "shop", Shop::Known(read(text)))
}

/// Returns a healthy namespace. The newest version of package ferry is installed from the catalog
/// `olm/shop`.
pub(crate) fn harbor() -> Story {
    shore(FERRIES).with("ferry", "ferry.v2.0.0")
}

/// Returns a healthy namespace with this installed version. The catalog has the content `text`.
pub(crate) fn at(text: &str, csv: &str) -> Story {
    let package = csv
        .split(".v")
        .next()
        .expect("a bundle must have a package");
    shore(text).with(package, csv)
}

// === impl Story ===

impl Story {
    pub(crate) fn change(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Adds a catalog with this content.
    pub(crate) fn stall(self, namespace: &str, name: &str, shop: Shop) -> Self {
        let stall = Stall {
            registry: Registry {
                probe: Probe::Answered { packages: 3 },
                ..Registry::of(source(namespace, name))
            },
            pods: ObservedObjects::default(),
            missing_secrets: BTreeSet::new(),
            tells_if_asked: false,
            shop,
        };
        self.change(|all| all.stalls.push(stall))
    }

    /// Adds a Subscription that has no status yet.
    pub(crate) fn subscription(self, name: &str, package: &str) -> Self {
        let subscription = subscription(name, package);
        self.change(|all| all.namespace.subscriptions.objects.push(subscription))
    }

    /// Adds a working operator, with its Subscription, plan, Deployment and
    /// CustomResourceDefinition.
    pub(crate) fn with(self, package: &str, csv: &str) -> Self {
        self.subscription(package, package).arrived(package, csv)
    }

    /// Adds the installed operator of a Subscription.
    pub(crate) fn arrived(self, name: &str, csv: &str) -> Self {
        let plan = format!("install-{name}");
        self.subscriptions(name, |subscription| {
            subscription.status.state = "AtLatestKnown".to_owned();
            subscription.status.current_csv = csv.to_owned();
            subscription.status.installed_csv = csv.to_owned();
            subscription.status.install_plan_ref = plan_ref(&plan);
        })
        .change(|all| {
            let operator = operator(csv);
            let package = parts(csv).0.to_owned();
            all.namespace
                .plans
                .objects
                .push(install_plan(&plan, &[csv]));
            all.namespace.csvs.objects.push(operator);
            all.namespace
                .deployments
                .objects
                .push(deployment(&package, csv));
            let crds = &mut all.namespace.crds.objects;
            crds.push(crd(&defined(&package)));
        })
    }

    /// Upgrades the installed operator of the Subscription `name` to the version `to`. The new
    /// version has this phase and reason.
    pub(crate) fn upgrading(self, name: &str, to: &str, phase: CsvPhase, reason: &str) -> Self {
        let plan = format!("upgrade-{name}");
        let from = self.subscription_named(name).status.installed_csv.clone();
        let is_bearing = phase != CsvPhase::Pending;
        self.subscriptions(name, |subscription| {
            subscription.status.current_csv = to.to_owned();
            subscription.status.installed_csv = to.to_owned();
            subscription.status.install_plan_ref = plan_ref(&plan);
        })
        .csv(&from, |csv| {
            csv.status.phase = CsvPhase::Replacing;
            csv.status.reason = "BeingReplaced".to_owned();
        })
        .change(|all| {
            let mut newer = operator(to);
            newer.spec.replaces = from.clone();
            newer.status.phase = phase;
            newer.status.reason = reason.to_owned();
            newer.status.message = String::new();
            let package = parts(to).0;
            all.namespace.plans.objects.push(install_plan(&plan, &[to]));
            all.namespace.csvs.objects.push(newer);
            if is_bearing {
                let mut all = all.namespace.deployments.objects.iter_mut();
                let own = all.find(|one| one.observed.object.name == package);
                own.into_iter()
                    .for_each(|one| label(&mut one.metadata, "olm.owner", to));
            }
        })
    }

    fn subscription_named(&self, name: &str) -> &Item<Subscription> {
        let mut subscriptions = self.namespace.subscriptions.objects.iter();
        let found = subscriptions.find(|subscription| subscription.observed.object.name == name);
        found.expect("the story must have the Subscription")
    }

    pub(crate) fn subscriptions(
        self,
        name: &str,
        change: impl FnOnce(&mut Item<Subscription>),
    ) -> Self {
        self.change(|all| {
            pick(
                &mut all.namespace.subscriptions.objects,
                name,
                |one| &one.observed,
                change,
            )
        })
    }

    pub(crate) fn csv(self, name: &str, change: impl FnOnce(&mut Csv)) -> Self {
        self.change(|all| {
            pick(
                &mut all.namespace.csvs.objects,
                name,
                |one| &one.observed,
                change,
            )
        })
    }

    pub(crate) fn deployment(self, name: &str, change: impl FnOnce(&mut Workload)) -> Self {
        self.change(|all| {
            pick(
                &mut all.namespace.deployments.objects,
                name,
                |one| &one.observed,
                change,
            )
        })
    }

    pub(crate) fn crd(
        self,
        package: &str,
        change: impl FnOnce(&mut Item<CustomResourceDefinition>),
    ) -> Self {
        let name = defined(package);
        self.change(|all| {
            pick(
                &mut all.namespace.crds.objects,
                &name,
                |one| &one.observed,
                change,
            )
        })
    }

    pub(crate) fn plan(self, name: &str, change: impl FnOnce(&mut Item<InstallPlan>)) -> Self {
        self.change(|all| {
            pick(
                &mut all.namespace.plans.objects,
                name,
                |one| &one.observed,
                change,
            )
        })
    }

    pub(crate) fn group(self, change: impl FnOnce(&mut Item<OperatorGroup>)) -> Self {
        self.change(|all| change(&mut all.namespace.groups.objects[0]))
    }

    /// Changes the first catalog.
    pub(crate) fn shop(self, change: impl FnOnce(&mut Stall)) -> Self {
        self.change(|all| change(&mut all.stalls[0]))
    }

    /// Sets the phase of a ClusterServiceVersion.
    pub(crate) fn phase(self, csv: &str, phase: CsvPhase, reason: &str, message: &str) -> Self {
        self.csv(csv, |csv| {
            csv.status.phase = phase;
            csv.status.reason = reason.to_owned();
            csv.status.message = message.to_owned();
        })
    }

    /// Adds a resolution failure with this message to all Subscriptions.
    pub(crate) fn fails(self, message: &str) -> Self {
        self.condition("ResolutionFailed", "ConstraintsNotSatisfiable", message)
    }

    /// Adds a condition with the status True to all Subscriptions.
    pub(crate) fn condition(self, kind: &str, reason: &str, message: &str) -> Self {
        self.change(|all| {
            for subscription in &mut all.namespace.subscriptions.objects {
                subscription
                    .status
                    .conditions
                    .push(condition(kind, "True", reason, message));
            }
        })
    }

    /// Changes a bundle of the first catalog.
    pub(crate) fn bundle(self, name: &str, change: impl Fn(&mut Bundle)) -> Self {
        self.shop(|stall| {
            let (Shop::Known(catalog) | Shop::Stale(catalog, _)) = &mut stall.shop else {
                panic!("the story must know the content");
            };
            for package in catalog.packages.values_mut() {
                let package = Arc::make_mut(package);
                if let Some(bundle) = package.bundles.get_mut(name) {
                    change(Arc::make_mut(bundle));
                }
            }
        })
    }

    /// Makes the content of the first catalog unavailable, with the reason `why`.
    pub(crate) fn unread(self, why: &str) -> Self {
        self.shop(|stall| stall.shop = Shop::Unavailable(why.to_owned()))
    }

    pub(crate) fn diagnose(&self) -> Vec<Diagnosis> {
        let charts: Vec<_> = self.stalls.iter().map(charts).collect();
        let offers = self.stalls.iter().zip(&charts);
        let catalogs = offers.map(|(stall, charts)| Offer {
            registry: stall.registry.clone(),
            pods: stall.pods.clone(),
            missing_secrets: stall.missing_secrets.clone(),
            content: content(stall, charts),
        });
        diagnose(&self.situation(catalogs.collect()))
    }

    /// Returns the input of the diagnosis, with these catalogs.
    pub(crate) fn situation<'a>(&self, catalogs: Vec<Offer<'a>>) -> Situation<'a> {
        Situation {
            namespace: self.health_namespace(),
            resolved: match &self.unresolved {
                Some(why) => Err(why.clone()),
                None => Ok(resolved::namespace(self)),
            },
            global_namespace: "olm".to_owned(),
            catalogs,
            approval: approvals::namespace(self),
            elsewhere: ObservedObjects {
                objects: self.elsewhere.clone(),
                sight: self.far_sight.clone(),
            },
            unpacks: self.unpacks.clone().into(),
            around: self.around.clone(),
            cluster: self.cluster.clone(),
            asked: self.asked.clone(),
        }
    }

    /// Returns the namespace as input of the health crate, with the catalogs that its Subscriptions
    /// refer to.
    fn health_namespace(&self) -> Namespace {
        let mentioned = Mentioned::by([], &self.namespace.subscriptions.objects);
        let is_named = |source: &&Item<CatalogSource>| {
            let Object {
                namespace, name, ..
            } = &source.observed.object;
            mentioned
                .catalogs
                .contains(&(namespace.clone(), name.clone()))
        };
        let sources = self.stalls.iter().map(|stall| &stall.registry.source);
        let sources: Vec<Item<CatalogSource>> = sources.filter(is_named).cloned().collect();
        Namespace {
            catalogs: sources.into(),
            ..self.namespace.clone()
        }
    }
}

type Charts = BTreeMap<PackageName, Arc<Charted>>;

fn charts(stall: &Stall) -> Charts {
    let (Shop::Known(catalog) | Shop::Stale(catalog, _)) = &stall.shop else {
        return Charts::new();
    };
    let packages = catalog.packages.iter();
    packages
        .map(|(name, package)| (name.clone(), Arc::new(Charted::new(Arc::clone(package)))))
        .collect()
}

fn content<'a>(stall: &'a Stall, charts: &'a Charts) -> Content<'a> {
    let offered = |catalog| Offered {
        catalog,
        charts,
        tells_if_asked: stall.tells_if_asked,
    };
    match &stall.shop {
        Shop::Known(catalog) => Content::Known(offered(catalog)),
        Shop::Stale(catalog, why) => Content::Stale(offered(catalog), why.clone()),
        Shop::Unavailable(why) => Content::Unavailable(why.clone()),
    }
}

fn pick<T>(
    objects: &mut [T],
    name: &str,
    observed: impl Fn(&T) -> &ObjectVersion,
    change: impl FnOnce(&mut T),
) {
    let mut objects = objects.iter_mut();
    let found = objects.find(|object| observed(object).object.name == name);
    change(found.unwrap_or_else(|| panic!("the story has no {name}")));
}
