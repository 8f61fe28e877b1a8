//! The constraints that OLM reports, each with OLM's text.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::Api;
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};

/// The identifier that OLM uses for a bundle: `catalog/namespace/channel/bundle`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleId {
    /// The origin of the bundle.
    pub origin: Origin,
    /// The name of the bundle.
    pub bundle: BundleName,
}

/// The origin of a bundle: the namespace, or a channel of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The bundle is installed in this namespace.
    Installed(Arc<str>),
    /// The bundle is in a channel of a catalog.
    Offered {
        /// The catalog that contains the bundle.
        catalog: CatalogName,
        /// The channel that contains the bundle.
        channel: ChannelName,
    },
}

/// A constraint of OLM. `Display` formats its text.
///
/// OLM also has two mandatory constraints: "there can be only one operator from package" and "there
/// can be only one provider of" an API. These two constraints never cause a contradiction by
/// themselves, so they have no variant here. The limits that follow from them are the variants
/// [`OnePackage`](Self::OnePackage) and [`OneProvider`](Self::OneProvider).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A Subscription exists. OLM must install a bundle for it.
    SubscriptionExists {
        /// The name of the Subscription.
        subscription: String,
    },
    /// No bundle matches a Subscription.
    NothingFound {
        subscription: String,
        /// The missing part of the catalog.
        missing: Missing,
    },
    /// A Subscription requires one of these bundles. The most preferred bundle comes first.
    SubscriptionRequires {
        subscription: String,
        choices: Vec<BundleId>,
    },
    /// A bundle requires another bundle.
    BundleRequires {
        bundle: BundleName,
        /// The requirement in OLM's text.
        requirement: String,
    },
    /// OLM keeps an installed operator that has no Subscription.
    Unreferenced { csv: BundleName },
    /// A bundle has the property `olm.deprecated`, so OLM does not install it.
    Deprecated { bundle: BundleId },
    /// OLM removes the installed bundle when OLM installs its successor, so a solution cannot
    /// contain both bundles.
    Conflict {
        bundle: BundleId,
        installed: BundleId,
    },
    /// A solution can contain only one bundle of a package.
    OnePackage {
        package: PackageName,
        bundles: Vec<BundleId>,
    },
    /// A solution can contain only one bundle that provides an API.
    OneProvider { api: Api, bundles: Vec<BundleId> },
}

/// The missing object that a Subscription requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The catalog does not exist, is not visible from the namespace, or is empty.
    Catalog(CatalogName),
    /// The catalog does not contain the package.
    Package(PackageName),
    /// The package does not contain the channel.
    Channel {
        package: PackageName,
        channel: ChannelName,
    },
    /// No entry with the name `startingCSV` exists in the channel. If the Subscription has no
    /// channel, no channel of the package has such an entry.
    Start {
        package: PackageName,
        channel: Option<ChannelName>,
        start: BundleName,
    },
}

// === impl BundleId ===

impl fmt::Display for BundleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundle = &self.bundle;
        match &self.origin {
            Origin::Installed(namespace) => write!(f, "@existing/{namespace}//{bundle}"),
            Origin::Offered { catalog, channel } => {
                let namespace = catalog.namespace().unwrap_or_default();
                write!(f, "{}/{namespace}/{channel}/{bundle}", catalog.object())
            }
        }
    }
}

// === impl Reason ===

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SubscriptionExists { subscription } => {
                write!(f, "subscription {subscription} exists")
            }
            Self::NothingFound {
                subscription,
                missing,
            } => write!(
                f,
                "no operators found {missing} referenced by subscription {subscription}"
            ),
            Self::SubscriptionRequires {
                subscription,
                choices,
            } => match joined(choices, "or") {
                None => write!(
                    f,
                    "no operators found matching the criteria of subscription {subscription}"
                ),
                Some(list) => {
                    let any = if choices.len() > 1 {
                        "at least one of "
                    } else {
                        ""
                    };
                    write!(f, "subscription {subscription} requires {any}{list}")
                }
            },
            Self::BundleRequires {
                bundle,
                requirement,
            } => write!(f, "bundle {bundle} requires an operator {requirement}"),
            Self::Unreferenced { csv } => write!(
                f,
                "clusterserviceversion {csv} exists and is not referenced by a subscription"
            ),
            Self::Deprecated { bundle } => write!(f, "bundle {bundle} is deprecated"),
            Self::Conflict { bundle, installed } => {
                write!(f, "{bundle} conflicts with {installed}")
            }
            Self::OnePackage { package, bundles } => {
                let list = joined(bundles, "and").unwrap_or_default();
                write!(f, "{list} originate from package {package}")
            }
            Self::OneProvider { api, bundles } => {
                let list = joined(bundles, "and").unwrap_or_default();
                let Api {
                    group,
                    version,
                    kind,
                } = api;
                write!(f, "{list} provide {kind} ({group}/{version})")
            }
        }
    }
}

impl Reason {
    /// Returns the text for a package or API that a solution can contain only once. Returns None
    /// for other reasons.
    pub(super) fn contested(&self) -> Option<String> {
        match self {
            Self::OnePackage { package, .. } => Some(format!("an operator of package {package}")),
            Self::OneProvider { api, .. } => Some(format!("a provider of {api}")),
            Self::SubscriptionExists { .. }
            | Self::NothingFound { .. }
            | Self::SubscriptionRequires { .. }
            | Self::BundleRequires { .. }
            | Self::Unreferenced { .. }
            | Self::Deprecated { .. }
            | Self::Conflict { .. } => None,
        }
    }

    /// Returns the bundles between which OLM had to choose. Empty for other reasons.
    pub(super) fn bundles(&self) -> &[BundleId] {
        match self {
            Self::SubscriptionRequires { choices, .. } => choices,
            Self::OnePackage { bundles, .. } | Self::OneProvider { bundles, .. } => bundles,
            Self::SubscriptionExists { .. }
            | Self::NothingFound { .. }
            | Self::BundleRequires { .. }
            | Self::Unreferenced { .. }
            | Self::Deprecated { .. }
            | Self::Conflict { .. } => &[],
        }
    }
}

// === impl Missing ===

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalog(catalog) => {
                let namespace = catalog.namespace().unwrap_or_default();
                let object = catalog.object();
                write!(f, "from catalog {object} in namespace {namespace}")
            }
            Self::Package(package) => write!(f, "in package {package} in the catalog"),
            Self::Channel { package, channel } => {
                write!(
                    f,
                    "in channel {channel} of package {package} in the catalog"
                )
            }
            Self::Start {
                package,
                channel,
                start,
            } => {
                let channel = channel.as_ref().map_or("", ChannelName::as_str);
                write!(
                    f,
                    "with name {start} in channel {channel} of package {package} in the catalog"
                )
            }
        }
    }
}

/// Formats `a`, `a or b`, or `a, b or c`. Returns None for an empty list.
fn joined(bundles: &[BundleId], word: &str) -> Option<String> {
    let (last, others) = bundles.split_last()?;
    let others: Vec<_> = others.iter().map(ToString::to_string).collect();
    Some(match others.as_slice() {
        [] => last.to_string(),
        others => format!("{} {word} {last}", others.join(", ")),
    })
}
