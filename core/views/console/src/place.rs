//! Parses the URL of a request to a page of the console.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use crate::form::{self, Broken};
use crate::markup::Href;
use crate::view::{ObjectKind, Origin, ShownObject};

mod filter;
mod first_row;
mod graph;

pub use self::filter::{Column, Filter, Sort};
pub use self::first_row::FirstRow;
pub use self::graph::GraphFilter;

/// A page of the console, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsolePage {
    /// The overview page.
    Overview,
    /// The list of operators.
    Operators(Filter),
    /// The page of one operator.
    Operator {
        /// The system that installs the operator.
        origin: Origin,
        /// The namespace of the Subscription. Empty for other operators, which are cluster-scoped.
        namespace: String,
        /// The name of the Subscription, the ClusterExtension or the Operator.
        name: String,
    },
    /// The list of catalogs.
    Catalogs(Filter),
    /// The packages of a catalog.
    Catalog {
        /// The catalog.
        name: String,
        /// The first row of the page.
        first: FirstRow,
    },
    /// The packages of all catalogs whose names contain a text.
    Search {
        /// The text that the visitor typed.
        text: String,
        /// The first row of the page.
        first: FirstRow,
    },
    /// A package.
    Package {
        /// The catalog.
        catalog: String,
        /// The package.
        name: String,
        /// The selected part of the graph.
        graph: GraphFilter,
    },
    /// The update graph of a package, as a file.
    Graph {
        /// The catalog.
        catalog: String,
        /// The package.
        name: String,
        /// The selected part of the graph.
        graph: GraphFilter,
    },
    /// The page of a bundle.
    Bundle {
        /// The catalog.
        catalog: String,
        /// The package.
        package: String,
        /// The bundle.
        name: String,
    },
    /// The list of InstallPlans.
    Plans(Filter),
    /// The list of policies.
    Policies(Filter),
    /// The list of Installs.
    Installs(Filter),
    /// The page of a plan, a policy or an Install.
    Object(ShownObject),
    /// The diagnosis: the causes of problems, and their remedies.
    Diagnose(FirstRow),
    /// The operators that are updated automatically, and their update status.
    Updates(FirstRow),
    /// The readiness of the operators for a cluster upgrade.
    Readiness(FirstRow),
    /// A preview of changes to the Operators of Portolan, or to their automatic updates.
    Preview(Wanted),
}

/// A change that a visitor wants to make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The kind of the change.
    pub change: Change,
    /// The name of the operator to change. Empty if the visitor has not chosen an operator yet.
    pub operator: String,
    /// The requested version, range or rule. Empty for the newest version. For automatic updates,
    /// this is the update rule.
    pub version: String,
    /// The channel whose versions the form offers. Without a requested version, the newest version
    /// of this channel is used. Empty for all channels.
    pub channel: String,
}

/// A change that a visitor submits with a form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// The change to make.
    pub wanted: Wanted,
    /// The identifier of the preview that the visitor has confirmed. Empty if the visitor requests
    /// a preview first.
    pub seen: String,
}

/// The kinds of changes to an operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change {
    /// Adds an operator.
    #[default]
    Add,
    /// Changes the version of an operator.
    Upgrade,
    /// Deletes an operator.
    Delete,
    /// Enables, changes or disables automatic updates.
    Updates,
}

/// The error for a page that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    what: String,
}

impl From<Broken> for Unknown {
    fn from(broken: Broken) -> Self {
        Self {
            what: broken.to_string(),
        }
    }
}

/// The maximum length of a parameter in bytes. Names in Kubernetes are shorter.
const LONGEST: usize = 512;

// === impl ConsolePage ===

impl ConsolePage {
    /// The list of operators without a filter.
    pub(crate) const ALL_OPERATORS: Self = Self::Operators(Filter::NONE);
    /// The list of catalogs without a filter.
    pub(crate) const ALL_CATALOGS: Self = Self::Catalogs(Filter::NONE);
    /// The list of plans without a filter.
    pub(crate) const ALL_PLANS: Self = Self::Plans(Filter::NONE);
    /// The list of policies without a filter.
    pub(crate) const ALL_POLICIES: Self = Self::Policies(Filter::NONE);
    /// The list of Installs without a filter.
    pub(crate) const ALL_INSTALLS: Self = Self::Installs(Filter::NONE);

    /// The page of a catalog, from its first package.
    pub(crate) fn catalog(name: &str) -> Self {
        Self::Catalog {
            name: name.to_owned(),
            first: FirstRow::TOP,
        }
    }

    /// Returns the page of a package without a graph filter.
    pub(crate) fn package(catalog: &str, name: &str) -> Self {
        Self::Package {
            catalog: catalog.to_owned(),
            name: name.to_owned(),
            graph: GraphFilter::default(),
        }
    }

    /// Parses a path and its query.
    ///
    /// # Errors
    /// Returns an error if the page is unknown, or a parameter is missing, repeated, too long or
    /// not text.
    pub fn parse(path: &str, query: &str) -> Result<Self, Unknown> {
        let mut given = form::fields(query, LONGEST).map_err(Unknown::from)?;
        let mut take = |name: &str| given.remove(name).ok_or_else(|| missing(name));
        let place = match path {
            "/" => Self::Overview,
            "/operators" => Self::Operators(Filter::of_operators(&mut |name| take(name).ok())?),
            "/operator" => {
                let namespace = take("namespace").unwrap_or_default();
                Self::Operator {
                    origin: if namespace.is_empty() {
                        Origin::Portolan
                    } else {
                        Origin::Olm
                    },
                    namespace,
                    name: take("name")?,
                }
            }
            "/extension" => Self::Operator {
                origin: Origin::OlmV1,
                namespace: String::new(),
                name: take("name")?,
            },
            "/catalogs" => Self::Catalogs(Filter::parse(&mut |name| take(name).ok())?),
            "/catalog" => Self::Catalog {
                name: take("name")?,
                first: FirstRow::parse(&mut |name| take(name).ok())?,
            },
            "/search" => Self::Search {
                text: take("q").unwrap_or_default(),
                first: FirstRow::parse(&mut |name| take(name).ok())?,
            },
            "/package" => Self::Package {
                catalog: take("catalog")?,
                name: take("name")?,
                graph: GraphFilter::parse(&mut |name| take(name).ok())
                    .older_than(take("older").unwrap_or_default().trim()),
            },
            "/graph.svg" => Self::Graph {
                catalog: take("catalog")?,
                name: take("name")?,
                graph: GraphFilter::parse(&mut |name| take(name).ok()),
            },
            "/bundle" => Self::Bundle {
                catalog: take("catalog")?,
                package: take("package")?,
                name: take("name")?,
            },
            "/plans" => Self::Plans(Filter::parse(&mut |name| take(name).ok())?),
            "/policies" => Self::Policies(Filter::parse(&mut |name| take(name).ok())?),
            "/installs" => Self::Installs(Filter::parse(&mut |name| take(name).ok())?),
            "/object" => {
                let kind = filter::chosen(
                    &mut |name| take(name).ok(),
                    "kind",
                    &ObjectKind::ALL,
                    ObjectKind::word,
                )?;
                Self::Object(ShownObject {
                    kind: kind.ok_or_else(|| missing("kind"))?,
                    namespace: take("namespace").unwrap_or_default(),
                    name: take("name")?,
                })
            }
            "/diagnose" => Self::Diagnose(FirstRow::parse(&mut |name| take(name).ok())?),
            "/updates" => Self::Updates(FirstRow::parse(&mut |name| take(name).ok())?),
            "/readiness" => Self::Readiness(FirstRow::parse(&mut |name| take(name).ok())?),
            "/preview" => Self::Preview(Wanted::parse(&mut |name| take(name).ok())?),
            _ => {
                return Err(Unknown {
                    what: "there is no such page".to_owned(),
                });
            }
        };
        match given.keys().next() {
            None => Ok(place),
            Some(name) => Err(Unknown {
                what: format!("the page has no parameter {name}"),
            }),
        }
    }

    /// Returns the link to the page.
    pub fn href(&self) -> Href {
        match self {
            Self::Overview => Href::to("/"),
            Self::Operators(filter) => filter.link("/operators"),
            Self::Operator {
                origin: Origin::OlmV1,
                name,
                ..
            } => Href::to("/extension").with("name", name),
            Self::Operator {
                namespace, name, ..
            } => Href::to("/operator")
                .with_some("namespace", namespace)
                .with("name", name),
            Self::Catalogs(filter) => filter.link("/catalogs"),
            Self::Catalog { name, first } => first.add_to(Href::to("/catalog").with("name", name)),
            Self::Search { text, first } => first.add_to(Href::to("/search").with_some("q", text)),
            Self::Package {
                catalog,
                name,
                graph,
            } => {
                let package = Href::to("/package").with("catalog", catalog);
                graph.add_to(package.with("name", name))
            }
            Self::Graph {
                catalog,
                name,
                graph,
            } => {
                let file = Href::to("/graph.svg").with("catalog", catalog);
                graph.add_to(file.with("name", name))
            }
            Self::Bundle {
                catalog,
                package,
                name,
            } => Href::to("/bundle")
                .with("catalog", catalog)
                .with("package", package)
                .with("name", name),
            Self::Plans(filter) => filter.link("/plans"),
            Self::Policies(filter) => filter.link("/policies"),
            Self::Installs(filter) => filter.link("/installs"),
            Self::Object(ShownObject {
                kind,
                namespace,
                name,
            }) => Href::to("/object")
                .with("kind", kind.word())
                .with_some("namespace", namespace)
                .with("name", name),
            Self::Diagnose(first) => first.add_to(Href::to("/diagnose")),
            Self::Updates(first) => first.add_to(Href::to("/updates")),
            Self::Readiness(first) => first.add_to(Href::to("/readiness")),
            Self::Preview(wanted) => {
                let place = Href::to("/preview");
                if *wanted == Wanted::default() {
                    return place;
                }
                place
                    .with("change", wanted.change.as_str())
                    .with_some("operator", &wanted.operator)
                    .with_some("version", &wanted.version)
                    .with_some("channel", &wanted.channel)
            }
        }
    }
}

// === impl Wanted ===

impl Wanted {
    fn parse(take: &mut impl FnMut(&str) -> Option<String>) -> Result<Self, Unknown> {
        Ok(Self {
            change: Change::parse(&take("change").unwrap_or_default())?,
            operator: take("operator").unwrap_or_default(),
            version: take("version").unwrap_or_default(),
            channel: take("channel").unwrap_or_default(),
        })
    }
}

// === impl Order ===

impl Order {
    /// Parses the fields of a form.
    ///
    /// # Errors
    /// Returns an error if the change or the operator is missing or invalid.
    pub fn parse(mut fields: BTreeMap<String, String>) -> Result<Self, Unknown> {
        let mut take = |name: &str| fields.remove(name);
        let order = Self {
            wanted: Wanted::parse(&mut take)?,
            seen: take("seen").unwrap_or_default(),
        };
        if order.wanted.operator.trim().is_empty() {
            return Err(missing("operator"));
        }
        Ok(order)
    }
}

fn missing(name: &str) -> Unknown {
    Unknown {
        what: format!("the page needs the parameter {name}"),
    }
}

// === impl Change ===

impl Change {
    pub(crate) const ALL: [Self; 4] = [Self::Add, Self::Upgrade, Self::Delete, Self::Updates];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Upgrade => "upgrade",
            Self::Delete => "delete",
            Self::Updates => "updates",
        }
    }

    fn parse(text: &str) -> Result<Self, Unknown> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let known = Self::ALL.into_iter().find(|it| it.as_str() == text);
        known.ok_or_else(|| Unknown {
            what: "the parameter change is add, upgrade, delete or updates".to_owned(),
        })
    }
}

// === impl Unknown ===

impl Display for Unknown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Unknown {}
