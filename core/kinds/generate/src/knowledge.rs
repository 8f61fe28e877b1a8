//! The queries about catalogs, and the answers to them.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::Gvk;
use portolan_core_operator::{CommonRoute, Deprecations, Installation, Offers, Question};

/// A query about catalogs. The caller of [`generate`](crate::generate()) must answer it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// Asks for all catalogs, with their packages.
    Offers,
    Graph(PackageKey),
    Bundle(BundleKey),
    Resolution(ResolveQuestion),
    Routes(Question),
    /// Asks for the packages that contain a bundle which provides this API.
    Providers(Gvk),
}

/// The identity of a package in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageKey {
    pub catalog: String,
    pub package: String,
}

/// The identity of a bundle in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleKey {
    pub catalog: String,
    pub package: String,
    pub bundle: String,
}

/// Asks for a set of operators that satisfies the requested packages.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResolveQuestion {
    pub wishes: Vec<PackageWish>,
    pub installed: Vec<Installation>,
    /// True to satisfy as many requests as possible. False to satisfy all requests or none.
    pub is_each: bool,
}

/// A package that the request asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageWish {
    pub package: String,
    /// The version range. Empty for any version.
    pub range: String,
    pub catalog: String,
}

/// The versions of a package, and the upgrade edges between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphAnswer {
    pub bundles: Vec<GraphBundle>,
    pub updates: Vec<ChannelUpdate>,
    pub deprecations: Deprecations,
}

/// A bundle in the update graph of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphBundle {
    pub name: String,
    /// The version. Empty if the graph only refers to the bundle, and the catalog does not contain
    /// it.
    pub version: String,
    pub channels: BTreeSet<String>,
    pub is_deprecated: bool,
    /// The minimum Kubernetes version. Empty if unknown.
    pub least_kubernetes: String,
}

/// An update from one bundle to another that a channel allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelUpdate {
    pub channel: String,
    pub from: String,
    pub to: String,
}

/// The answer to a query about a bundle of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleAnswer {
    /// The image of the bundle. Empty if the catalog contains the manifests instead.
    pub image: String,
}

/// The answer to a [`ResolveQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    Solved(Solved),
    Refused(RequestConflict),
    /// The resolver gave up, because the search took too long.
    GaveUp,
}

/// A set of operators that satisfies the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Solved {
    pub operators: Vec<SolvedOperator>,
    /// The indexes of the requests that cannot be satisfied.
    pub refused: BTreeSet<usize>,
}

/// An operator in a set that satisfies the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SolvedOperator {
    /// The package. Empty if it is unknown.
    pub package: String,
    pub bundle: String,
    /// The version. Empty if it is unknown.
    pub version: String,
    /// The catalog. Empty if the operator is installed and does not change.
    pub catalog: String,
    /// The indexes of the requests that this operator satisfies.
    pub wishes: Vec<usize>,
    pub needs: Vec<Need>,
}

/// A requirement of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Need {
    /// The requirement as readable text.
    pub text: String,
    /// The required API. None if the requirement is not about an API.
    pub api: Option<Gvk>,
    /// The bundle that satisfies the requirement.
    pub by: String,
}

/// The reason why the requests cannot be satisfied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestConflict {
    /// The explanation as readable text.
    pub text: String,
    /// The packages of installed operators that are part of the conflict and must not change.
    pub staying: BTreeSet<String>,
}

/// The answers to queries. An error contains one sentence.
pub type Answers<Q, A> = BTreeMap<Q, Result<A, String>>;

/// The answers to all queries so far.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub offers: Option<Offers>,
    pub graphs: Answers<PackageKey, GraphAnswer>,
    pub bundles: Answers<BundleKey, BundleAnswer>,
    pub resolutions: Answers<ResolveQuestion, Resolution>,
    pub routes: Answers<Question, Vec<CommonRoute>>,
    pub providers: Answers<Gvk, BTreeSet<String>>,
}

/// The reason why the generation stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Queries about catalogs must be answered first.
    Asks(Vec<Ask>),
    /// The request cannot be satisfied. Contains one sentence for each reason.
    Errors(Vec<String>),
}

// === impl Stop ===

impl Stop {
    pub(crate) fn error(sentence: impl Into<String>) -> Self {
        Self::Errors(vec![sentence.into()])
    }
}

// === impl Knowledge ===

impl Knowledge {
    pub(crate) fn offers(&self) -> Result<&Offers, Stop> {
        let unknown = || Stop::Asks(vec![Ask::Offers]);
        self.offers.as_ref().ok_or_else(unknown)
    }

    /// Returns the update graphs of these packages.
    ///
    /// # Errors
    ///
    /// Returns the queries for all missing graphs together.
    pub(crate) fn graphs<'k, 'p>(
        &'k self,
        packages: impl IntoIterator<Item = &'p PackageKey>,
    ) -> Result<Vec<&'k GraphAnswer>, Stop> {
        all(packages, &self.graphs, Ask::Graph)
    }

    pub(crate) fn bundles<'k, 'b>(
        &'k self,
        bundles: impl IntoIterator<Item = &'b BundleKey>,
    ) -> Result<Vec<&'k BundleAnswer>, Stop> {
        all(bundles, &self.bundles, Ask::Bundle)
    }

    pub(crate) fn resolution(&self, question: &ResolveQuestion) -> Result<&Resolution, Stop> {
        one(question, &self.resolutions, Ask::Resolution)
    }

    pub(crate) fn routes(&self, question: &Question) -> Result<&[CommonRoute], Stop> {
        one(question, &self.routes, Ask::Routes).map(Vec::as_slice)
    }

    pub(crate) fn providers(&self, api: &Gvk) -> Result<&BTreeSet<String>, Stop> {
        one(api, &self.providers, Ask::Providers)
    }
}

fn one<'k, Q: Ord + Clone, A>(
    question: &Q,
    answers: &'k Answers<Q, A>,
    ask: impl Fn(Q) -> Ask,
) -> Result<&'k A, Stop> {
    match answers.get(question) {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(why)) => Err(Stop::error(why.clone())),
        None => Err(Stop::Asks(vec![ask(question.clone())])),
    }
}

fn all<'k, 'q, Q: Ord + Clone + 'q, A>(
    questions: impl IntoIterator<Item = &'q Q>,
    answers: &'k Answers<Q, A>,
    ask: impl Fn(Q) -> Ask,
) -> Result<Vec<&'k A>, Stop> {
    let mut found = Vec::new();
    let mut asks = Vec::new();
    let mut errors = Vec::new();
    for question in questions {
        match answers.get(question) {
            Some(Ok(answer)) => found.push(answer),
            Some(Err(why)) => errors.push(why.clone()),
            None => asks.push(ask(question.clone())),
        }
    }
    match (asks.is_empty(), errors.is_empty()) {
        (true, true) => Ok(found),
        (true, false) => Err(Stop::Errors(errors)),
        (false, _) => Err(Stop::Asks(asks)),
    }
}
