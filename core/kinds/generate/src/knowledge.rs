//! The queries about catalogs, and their results.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::Gvk;
use portolan_core_operator::{CommonRoute, Deprecations, Installation, Offers, Question};

/// A query for information that is needed first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The catalogs with their packages.
    Offers,
    Graph(PackageKey),
    Bundle(BundleKey),
    Resolution(ResolveQuestion),
    Routes(Question),
    /// The packages with a bundle that provides an API.
    Providers(Gvk),
}

/// A package of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageKey {
    pub catalog: String,
    pub package: String,
}

/// A bundle of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleKey {
    pub catalog: String,
    pub package: String,
    pub bundle: String,
}

/// A query that resolves packages to a set of operators.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResolveQuestion {
    pub wishes: Vec<PackageWish>,
    pub installed: Vec<Installation>,
    /// True to grant as many requests as possible. False to grant either all requests or none.
    pub is_each: bool,
}

/// A requested package.
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

/// A bundle of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphBundle {
    pub name: String,
    /// The version. Empty if the catalog has no such bundle.
    pub version: String,
    pub channels: BTreeSet<String>,
    pub is_deprecated: bool,
    /// The minimum Kubernetes version. Empty if unknown.
    pub least_kubernetes: String,
}

/// A permitted update between two bundles in one channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelUpdate {
    pub channel: String,
    pub from: String,
    pub to: String,
}

/// The result of a query about a bundle of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleAnswer {
    /// The image. Empty if the catalog contains the manifests.
    pub image: String,
}

/// The result of a [`ResolveQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    Solved(Solved),
    Refused(RequestConflict),
    /// The search reached its step limit.
    GaveUp,
}

/// A set of operators that meets the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Solved {
    pub operators: Vec<SolvedOperator>,
    /// The indexes of the requests that are not granted.
    pub refused: BTreeSet<usize>,
}

/// An operator of the set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SolvedOperator {
    /// The package. Empty if it is unknown.
    pub package: String,
    pub bundle: String,
    /// The version. Empty if it is unknown.
    pub version: String,
    /// The catalog. Empty if the installed operator stays unchanged.
    pub catalog: String,
    /// The indexes of the requests that the operator grants.
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
    /// The bundle that meets the requirement.
    pub by: String,
}

/// The reason why requests cannot be granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestConflict {
    /// The explanation as readable text.
    pub text: String,
    /// The packages of conflicting installed operators that are not part of the request.
    pub staying: BTreeSet<String>,
}

/// The results of queries. An error is a sentence.
pub type Answers<Q, A> = BTreeMap<Q, Result<A, String>>;

/// The information that is known so far.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub offers: Option<Offers>,
    pub graphs: Answers<PackageKey, GraphAnswer>,
    pub bundles: Answers<BundleKey, BundleAnswer>,
    pub resolutions: Answers<ResolveQuestion, Resolution>,
    pub routes: Answers<Question, Vec<CommonRoute>>,
    pub providers: Answers<Gvk, BTreeSet<String>>,
}

/// The reason why there is no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// More information is needed first.
    Asks(Vec<Ask>),
    /// The request cannot be fulfilled. Contains a sentence for each reason.
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

    /// Returns the graphs of packages. If graphs are missing, requests all of them together.
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
