//! Finds the objects that make the resolution of a namespace fail.

use portolan_core_health::Item;
use portolan_core_olm::Subscription;

use crate::Situation;
use crate::trouble::{Clause, Lacking};

/// A problem that makes the resolution of a namespace fail, with the object at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) culprit: Culprit,
    pub(crate) matter: Matter,
}

/// The object that has the problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Culprit {
    /// A Subscription of the namespace, by name.
    Subscription(String),
    /// A ClusterServiceVersion of the namespace, by name.
    Csv(String),
    /// A CatalogSource, as `namespace/name`.
    Catalog(String),
}

/// The kind of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Matter {
    /// The catalog, package, channel or bundle that the Subscription names does not exist.
    Nothing(Lacking),
    /// A bundle has an unsatisfied requirement. The text of the requirement is quoted from OLM.
    Needs { bundle: String, what: String },
    /// The Subscription and other Subscriptions require something that can exist only once.
    Clash {
        what: Contested,
        rivals: Vec<String>,
    },
    /// The ClusterServiceVersion has no Subscription.
    Orphan,
    /// The ClusterServiceVersion is replacing an older one. The older ClusterServiceVersion exists
    /// until the upgrade is complete.
    Upgrade { old: String },
    /// The bundle that satisfies the Subscription has the property `olm.deprecated`.
    Forbidden { bundle: String },
    /// The catalog cannot be queried.
    Catalog { why: String },
    /// OLM cannot process the content of the catalog.
    Unusable {
        what: String,
        /// The affected package. Empty if it is unknown.
        package: String,
    },
}

/// An operator or API of which a namespace can have only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Contested {
    /// The operator of this package.
    Package(String),
    /// The provider of this API.
    Api(String),
}

/// Returns the problems in these statements. Each object appears only once for each kind of
/// problem.
pub(crate) fn troubles(said: &[Clause], situation: &Situation<'_>) -> Vec<Trouble> {
    let mut troubles: Vec<Trouble> = Vec::new();
    let all = Context { said, situation };
    for one in said {
        let trouble = all.trouble(one);
        let is_new = |new: &Trouble| !troubles.iter().any(|known| known.is_like(new));
        troubles.extend(trouble.filter(is_new));
    }
    troubles
}

// === impl Trouble ===

impl Trouble {
    fn new(culprit: Culprit, matter: Matter) -> Self {
        Self { culprit, matter }
    }

    /// Returns true if both are the same kind of problem of the same object, for example in
    /// different bundles of one Subscription.
    fn is_like(&self, other: &Self) -> bool {
        let is_same_kind =
            std::mem::discriminant(&self.matter) == std::mem::discriminant(&other.matter);
        let is_of_catalog = matches!(self.matter, Matter::Unusable { .. });
        let is_same = is_same_kind && (!is_of_catalog || self.matter == other.matter);
        self.culprit == other.culprit && is_same
    }
}

/// The statements of one failure, with the namespace.
struct Context<'a> {
    said: &'a [Clause],
    situation: &'a Situation<'a>,
}

// === impl Context ===

impl Context<'_> {
    fn trouble(&self, said: &Clause) -> Option<Trouble> {
        match said {
            Clause::Nothing {
                subscription,
                lacking,
            } => Some(Trouble::new(
                Culprit::Subscription(subscription.clone()),
                Matter::Nothing(lacking.clone()),
            )),
            Clause::Needs { bundle, what } => {
                let (bundle, what) = (bundle.clone(), what.clone());
                let culprit = self.asking(&bundle)?;
                Some(Trouble::new(culprit, Matter::Needs { bundle, what }))
            }
            Clause::Forbidden { bundle } => {
                let bundle = bundle.clone();
                let culprit = self.asking(&bundle)?;
                Some(Trouble::new(culprit, Matter::Forbidden { bundle }))
            }
            Clause::Unreferenced { csv } => self.unreferenced(csv),
            Clause::OnePackage { package } => self.clash(Contested::Package(package.clone())),
            Clause::OneProvider { api } => self.clash(Contested::Api(api.clone())),
            Clause::Catalog { catalog, why } => Some(Trouble::new(
                Culprit::Catalog(catalog.clone()),
                Matter::Catalog { why: why.clone() },
            )),
            Clause::Unusable {
                what,
                package,
                bundle,
                catalog,
            } => {
                let what = what.clone();
                let package = match package.as_str() {
                    "" => self.package_of(bundle).unwrap_or_default(),
                    package => package.to_owned(),
                };
                let culprit = self.catalog_of(&package, catalog)?;
                Some(Trouble::new(culprit, Matter::Unusable { what, package }))
            }
            Clause::Wants { .. } | Clause::Exists { .. } => None,
        }
    }

    /// Returns the object that requires a bundle. This is the ClusterServiceVersion if the bundle
    /// is installed without a Subscription. Otherwise, it is the Subscription that the bundle can
    /// satisfy, or the first Subscription with candidates.
    fn asking(&self, bundle: &str) -> Option<Culprit> {
        let mut all = self.said.iter();
        if all.any(|said| matches!(said, Clause::Unreferenced { csv } if csv == bundle)) {
            return Some(Culprit::Csv(bundle.to_owned()));
        }
        let wants = || {
            let all = self.said.iter();
            all.filter_map(|said| {
                if let Clause::Wants {
                    subscription,
                    bundles,
                } = said
                {
                    Some((subscription, bundles))
                } else {
                    None
                }
            })
        };
        let mut wanting = wants().filter(|(_, bundles)| bundles.iter().any(|one| one == bundle));
        let subscription = wanting.next().or_else(|| wants().next());
        subscription.map(|(name, _)| Culprit::Subscription(name.clone()))
    }

    /// Returns the problem of a ClusterServiceVersion without a Subscription. Either a newer
    /// ClusterServiceVersion is replacing it, or its Subscription was deleted.
    fn unreferenced(&self, csv: &str) -> Option<Trouble> {
        let mut all = self.said.iter();
        let is_needy =
            all.any(|said| matches!(said, Clause::Needs { bundle, .. } if bundle == csv));
        let mut subscriptions = self.situation.namespace.subscriptions.objects.iter();
        // If a Subscription has this ClusterServiceVersion installed, only the forecast has removed
        // the Subscription. Then the ClusterServiceVersion is not at fault.
        let is_referenced =
            subscriptions.any(|subscription| subscription.status.installed_csv == csv);
        if is_needy || is_referenced {
            return None;
        }
        let mut csvs: Vec<_> = self.situation.namespace.csvs.objects.iter().collect();
        csvs.sort();
        let next = csvs.into_iter().find(|other| other.spec.replaces == csv);
        Some(match next {
            Some(next) => Trouble::new(
                Culprit::Csv(next.observed.object.name.clone()),
                Matter::Upgrade {
                    old: csv.to_owned(),
                },
            ),
            None => Trouble::new(Culprit::Csv(csv.to_owned()), Matter::Orphan),
        })
    }

    /// Returns the problem of Subscriptions whose bundles exclude each other. The last Subscription
    /// without an installed operator is at fault.
    fn clash(&self, what: Contested) -> Option<Trouble> {
        let mut rivals = Vec::new();
        for said in self.said {
            if let Clause::Unreferenced { .. } = said {
                // The ClusterServiceVersion without a Subscription blocks all Subscriptions, so it
                // has the problem.
                return None;
            }
            if let Clause::Wants { subscription, .. } = said {
                rivals.push(subscription.clone());
            }
        }
        let is_installed = |name: &String| {
            let subscription = self.situation.subscription(name);
            subscription.is_some_and(|subscription| !subscription.status.installed_csv.is_empty())
        };
        rivals.sort_by_key(|name| (!is_installed(name), name.clone()));
        rivals.dedup();
        let at_fault = rivals.pop()?;
        let matter = Matter::Clash { what, rivals };
        Some(Trouble::new(Culprit::Subscription(at_fault), matter))
    }

    /// Returns the package of a bundle according to the visible catalogs.
    fn package_of(&self, bundle: &str) -> Option<String> {
        let visible = self.situation.visible();
        let offered = visible.iter().filter_map(|offer| offer.content.offered());
        let mut packages = offered.flat_map(|offered| offered.catalog.packages.values());
        let found = packages.find(|package| package.bundles.contains_key(bundle))?;
        Some(found.name.to_string())
    }

    /// Returns the named catalog. If `catalog` is empty, returns the catalog of the Subscription
    /// for this package.
    fn catalog_of(&self, package: &str, catalog: &str) -> Option<Culprit> {
        if !catalog.is_empty() {
            return Some(Culprit::Catalog(catalog.to_owned()));
        }
        let subscriptions = &self.situation.namespace.subscriptions.objects;
        let of_package = |subscription: &&Item<Subscription>| {
            package.is_empty() || subscription.spec.package == package
        };
        let subscription = subscriptions.iter().filter(of_package).min()?;
        let catalog = format!(
            "{}/{}",
            subscription.spec.source_namespace, subscription.spec.source
        );
        Some(Culprit::Catalog(catalog))
    }
}
