//! The requests of the resolver. Each request finds its objects in the Snapshot and calls a core
//! crate.

mod bundles;
mod catalogs;
mod find;
mod generate;
mod known;
mod page;
mod resolve;
mod route;
mod upgrades;

use std::borrow::Cow;

use portolan_core_graph::UnknownChannel;
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};
use portolan_core_solver::Unsound;
use thiserror::Error;

pub(crate) use self::bundles::{
    Asked, DiffBundles, Installed, Installing, NotRendered, Outcome, RenderBundle, Rendered,
    both_installed, changes, installed,
};
pub(crate) use self::catalogs::{
    CheckCatalogs, Checked, DescribedBundle, DescribedPackage, GetBundle, GetPackage, ListCatalogs,
    ListPackages, ListedPackages, NameBundle,
};
pub(crate) use self::find::{Answering, FoundPackage};
pub(crate) use self::generate::{Generate, GeneratedOperators, Preview, PreviewStep, Scope};
pub(crate) use self::page::{Page, PageRequest};
pub(crate) use self::resolve::{PredictOlm, Predicted, Resolve, Resolved, placed};
pub(crate) use self::route::{PlanRoute, PlannedRoute, RoutedOperator};
pub(crate) use self::upgrades::{
    DrawnGraph, FindPath, FoundPath, GetGraph, ListUpgrades, ListedUpgrades,
};

/// A request that cannot be processed with this Snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// A field has an invalid value.
    #[error("{field}: {message}")]
    Field {
        /// The field of the request, such as `package` or `wishes[2].range`.
        field: Cow<'static, str>,
        /// A description of the invalid value and of the valid values.
        message: String,
    },
    /// There is no catalog with this name.
    #[error("catalog {name} not found; available catalogs: {}", names(known))]
    UnknownCatalog {
        name: CatalogName,
        known: Vec<CatalogName>,
    },
    /// No catalog for this query has content.
    #[error("{0}")]
    NoContent(String),
    /// The package does not exist. The message names the searched catalogs.
    #[error("{message}")]
    UnknownPackage { name: PackageName, message: String },
    /// There is no channel with this name.
    #[error(transparent)]
    UnknownChannel(#[from] UnknownChannel),
    /// The package has no channels. The message contains the fault because of which the channels
    /// were removed.
    #[error("{message}")]
    NoChannels {
        channel: ChannelName,
        message: String,
    },
    /// There is no bundle with this name.
    #[error("package {package} has no bundle {name}{}", meant(near.as_ref()))]
    UnknownBundle {
        name: BundleName,
        package: PackageName,
        near: Option<BundleName>,
    },
    /// The catalogs have changed since the previous page was returned.
    #[error("the catalogs have changed since the first page; start again without a page_token")]
    PageGone,
    /// The graph contains more updates than fit into one response.
    #[error(
        "the graph of package {package} has {updates} updates; the maximum of one response is \
         {most}; {}print all of them with portolan graph --catalog NAME=PLACE -o json",
        if *has_choice { "select one channel, or " } else { "" }
    )]
    TooManyUpdates {
        package: PackageName,
        updates: u64,
        most: u64,
        /// True if the request can select a single channel.
        has_choice: bool,
    },
    /// The caller no longer waits for the response, so this error is never sent.
    #[error("the call ended before the answer was complete")]
    Abandoned,
    /// The result violates the rules of upgrades because of a bug in this program.
    #[error("{0}; this is a bug of the resolver")]
    Unsound(#[from] Unsound),
}

// === impl RequestError ===

impl RequestError {
    /// Prefixes the field of the error with the name of the message that contains the field. If the
    /// error has no field, the field becomes this name.
    pub(crate) fn within(self, part: &str) -> Self {
        match self {
            Self::Field { field, message } => Self::Field {
                field: match &*field {
                    "" => part.to_owned().into(),
                    field => format!("{part}.{field}").into(),
                },
                message,
            },
            other => other,
        }
    }
}

fn names(names: &[CatalogName]) -> String {
    let names: Vec<_> = names.iter().map(CatalogName::as_str).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn meant<T: std::fmt::Display>(near: Option<&T>) -> String {
    near.map(|name| format!("; did you mean {name}?"))
        .unwrap_or_default()
}
