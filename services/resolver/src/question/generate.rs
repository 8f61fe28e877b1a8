//! Generates Operators for a request, and previews the effect of a change.
//!
//! The core crate asks further queries to compute the result. The other modules of this folder
//! answer these queries with the same Snapshot.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_core_generate::{
    Ask, BundleAnswer, BundleKey, ChannelUpdate, Diagnostics, Document, Generated, GraphAnswer,
    GraphBundle, Knowledge, Outcome, PackageKey, PackageOwner, Request, RequestedOperator,
    Resolution, ResolveQuestion, generate,
};
use portolan_core_graph::{Graph, heads};
use portolan_core_names::{BundleName, Gvk, Version};
use portolan_core_operator::{CommonRoute, Deprecations, Offer, Offers, Question};

use super::known::{
    decode_question, decode_resolve, encode_api, encode_resolution, encode_routes, parsed,
};
use super::{Answering, GetBundle, GetGraph, RequestError};
use crate::Snapshot;

/// The catalogs that may be used.
#[derive(Debug, Clone, Default)]
pub(crate) enum Scope {
    /// All catalogs.
    #[default]
    All,
    /// The catalogs in these namespaces, and the cluster-scoped catalogs.
    Within(BTreeSet<String>),
}

/// The query for the Operators that satisfy a request.
#[derive(Debug, Clone)]
pub(crate) struct Generate {
    pub(crate) request: Request,
    pub(crate) scope: Scope,
}

/// The query for the effect of one change.
#[derive(Debug, Clone)]
pub(crate) struct Preview {
    pub(crate) operators: Vec<Document>,
    pub(crate) step: PreviewStep,
    pub(crate) kubernetes: Option<Version>,
    pub(crate) scope: Scope,
    pub(crate) owners: Vec<PackageOwner>,
}

/// The change to preview.
#[derive(Debug, Clone)]
pub(crate) enum PreviewStep {
    Add(RequestedOperator),
    Upgrade(RequestedOperator),
    Delete(String),
}

#[derive(Debug)]
pub(crate) struct GeneratedOperators<'a> {
    /// The catalogs that the result depends on. Empty if no catalog was needed.
    pub(crate) catalogs: Vec<Answering<'a>>,
    pub(crate) generated: Generated,
}

// === impl Scope ===

impl Scope {
    /// Returns a Snapshot that contains only the catalogs in this scope.
    pub(crate) fn of(&self, snapshot: &Snapshot) -> Snapshot {
        match self {
            Self::All => snapshot.clone(),
            Self::Within(namespaces) => snapshot.within(namespaces),
        }
    }
}

// === impl Generate ===

impl Generate {
    /// Answers the queries of the core crate until the result is complete or the caller stops
    /// waiting. The Snapshot must contain only the catalogs in the scope.
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
        most_updates: u64,
        abandoned: &Arc<AtomicBool>,
    ) -> Result<GeneratedOperators<'a>, RequestError> {
        let mut known = SnapshotKnowledge {
            snapshot,
            most_updates,
            abandoned,
            knowledge: Knowledge::default(),
        };
        let mut catalogs = Vec::new();
        loop {
            let asks = match generate(&self.request, &known.knowledge) {
                Outcome::Asks(asks) => asks,
                Outcome::Done(generated) => {
                    return Ok(GeneratedOperators {
                        catalogs,
                        generated: *generated,
                    });
                }
            };
            if catalogs.is_empty() {
                catalogs = snapshot.answering(None)?;
            }
            for ask in asks {
                known.answer(ask)?;
            }
        }
    }
}

// === impl Preview ===

impl Preview {
    /// Returns the Operators to generate. Existing Operators are not generated again. Operators
    /// that the request names but that do not exist are neither upgraded nor deleted. The Snapshot
    /// must contain only the catalogs in the scope.
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
        most_updates: u64,
        abandoned: &Arc<AtomicBool>,
    ) -> Result<GeneratedOperators<'a>, RequestError> {
        if let Some(error) = self.contradiction() {
            let diagnostics = Diagnostics {
                errors: vec![error],
                ..Diagnostics::default()
            };
            let generated = Generated {
                diagnostics,
                ..Generated::default()
            };
            return Ok(GeneratedOperators {
                catalogs: Vec::new(),
                generated,
            });
        }
        let (wishes, deletes) = match &self.step {
            PreviewStep::Add(wish) | PreviewStep::Upgrade(wish) => (vec![wish.clone()], Vec::new()),
            PreviewStep::Delete(name) => (Vec::new(), vec![name.clone()]),
        };
        let request = Request {
            documents: Some(self.operators.clone()),
            wishes,
            deletes,
            kubernetes: self.kubernetes.clone(),
            owners: self.owners.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Request::default()
        };
        Generate {
            request,
            scope: Scope::All,
        }
        .ask(snapshot, most_updates, abandoned)
    }

    fn contradiction(&self) -> Option<String> {
        let is_there = |name: &str| {
            self.operators.iter().any(|document| {
                let object = &document.object;
                let names = [&object["metadata"]["name"], &object["spec"]["packageName"]];
                names.iter().any(|it| it.as_str() == Some(name))
            })
        };
        match &self.step {
            PreviewStep::Add(RequestedOperator { name, .. }) if is_there(name) => {
                Some(format!("{name} already exists; request its upgrade"))
            }
            PreviewStep::Upgrade(RequestedOperator { name, .. }) if !is_there(name) => {
                Some(format!("there is no Operator {name}; request its creation"))
            }
            PreviewStep::Delete(name) if !is_there(name) => Some(format!(
                "there is no Operator {name}, so there is nothing to delete"
            )),
            PreviewStep::Add(_) | PreviewStep::Upgrade(_) | PreviewStep::Delete(_) => None,
        }
    }
}

/// The facts that the Snapshot has supplied so far.
struct SnapshotKnowledge<'s> {
    snapshot: &'s Snapshot,
    most_updates: u64,
    abandoned: &'s Arc<AtomicBool>,
    knowledge: Knowledge,
}

// === impl SnapshotKnowledge ===

impl SnapshotKnowledge<'_> {
    fn answer(&mut self, ask: Ask) -> Result<(), RequestError> {
        if self.abandoned.load(Ordering::Relaxed) {
            return Err(RequestError::Abandoned);
        }
        match ask {
            Ask::Offers => self.knowledge.offers = Some(self.offers()),
            Ask::Graph(key) => {
                let answer = error_as_answer(self.graph(&key))?;
                self.knowledge.graphs.insert(key, answer);
            }
            Ask::Bundle(key) => {
                let answer = error_as_answer(self.bundle(&key))?;
                self.knowledge.bundles.insert(key, answer);
            }
            Ask::Resolution(question) => {
                let answer = error_as_answer(self.resolution(&question))?;
                self.knowledge.resolutions.insert(question, answer);
            }
            Ask::Routes(question) => {
                let answer = error_as_answer(self.routes(&question))?;
                self.knowledge.routes.insert(question, answer);
            }
            Ask::Providers(api) => {
                let providers = self.providers(&api);
                self.knowledge.providers.insert(api, Ok(providers));
            }
        }
        Ok(())
    }

    fn offers(&self) -> Offers {
        let mut offers = Offers::new();
        for catalog in self.snapshot.with_content() {
            let rank = &catalog.offer.rank;
            for (package, _) in catalog.content.charts() {
                offers.entry(package.to_string()).or_default().push(Offer {
                    catalog: catalog.name.to_string(),
                    priority: rank.priority,
                    labels: rank.labels_with_name(catalog.name),
                    channels: None,
                });
            }
        }
        offers
    }

    fn graph(&self, key: &PackageKey) -> Result<GraphAnswer, RequestError> {
        let question = GetGraph {
            catalog: Some(parsed("catalog", &key.catalog)?),
            package: parsed("package", &key.package)?,
            channel: None,
        };
        let drawn = question.ask(self.snapshot, self.most_updates)?;
        let graph = drawn.found.chart.graph();
        let least_kubernetes = |name: &BundleName| {
            let bundle = graph.package().bundles.get(name)?;
            Some(bundle.display.min_kube_version.as_deref()?.to_owned())
        };
        let nodes = graph.nodes().iter().map(|node| GraphBundle {
            name: node.name.to_string(),
            version: node
                .version
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            channels: drawn
                .channels_of(&node.name)
                .map(ToString::to_string)
                .collect(),
            is_deprecated: node.deprecation.is_some(),
            least_kubernetes: least_kubernetes(&node.name).unwrap_or_default(),
        });
        let updates = graph.updates(None).map(|update| ChannelUpdate {
            channel: update.channel.to_string(),
            from: update.from.name.to_string(),
            to: update.to.name.to_string(),
        });
        Ok(GraphAnswer {
            bundles: nodes.collect(),
            updates: updates.collect(),
            deprecations: deprecations(graph),
        })
    }

    fn bundle(&self, key: &BundleKey) -> Result<BundleAnswer, RequestError> {
        let question = GetBundle {
            catalog: Some(parsed("catalog", &key.catalog)?),
            package: parsed("package", &key.package)?,
            bundle: parsed("bundle", &key.bundle)?,
            wants_objects: false,
        };
        let described = question.ask(self.snapshot)?;
        let image = described.bundle.image.as_deref();
        Ok(BundleAnswer {
            image: image.unwrap_or_default().to_owned(),
        })
    }

    fn resolution(&self, question: &ResolveQuestion) -> Result<Resolution, RequestError> {
        let question = decode_resolve(question)?;
        let resolved = question.ask(self.snapshot, Arc::clone(self.abandoned))?;
        Ok(encode_resolution(&resolved.answer))
    }

    fn routes(&self, question: &Question) -> Result<Vec<CommonRoute>, RequestError> {
        let planned = decode_question(question)?.ask(self.snapshot)?;
        Ok(encode_routes(&planned.plan))
    }

    /// Returns the packages that provide an API with the newest bundle of their default channel.
    fn providers(&self, api: &Gvk) -> BTreeSet<String> {
        let catalogs = self.snapshot.with_content();
        let packages = catalogs.flat_map(|catalog| catalog.content.packages());
        let providers = packages.filter(|charted| {
            let package = charted.package();
            let default = package.default_channel.as_ref();
            let channel = default.and_then(|name| package.channels.get(name));
            let heads = channel.into_iter().flat_map(|channel| heads(channel));
            let mut bundles = heads.filter_map(|head| package.bundles.get(head));
            bundles.any(|bundle| bundle.provides.iter().any(|it| encode_api(it) == *api))
        });
        providers
            .map(|charted| charted.package().name.to_string())
            .collect()
    }
}

/// Converts an error about the request to a field of the response.
fn error_as_answer<T>(
    answered: Result<T, RequestError>,
) -> Result<Result<T, String>, RequestError> {
    match answered {
        Ok(answer) => Ok(Ok(answer)),
        Err(
            refusal @ (RequestError::Field { .. }
            | RequestError::UnknownCatalog { .. }
            | RequestError::UnknownPackage { .. }
            | RequestError::UnknownChannel(_)
            | RequestError::NoChannels { .. }
            | RequestError::UnknownBundle { .. }),
        ) => Ok(Err(refusal.to_string())),
        Err(refusal) => Err(refusal),
    }
}

fn deprecations(graph: &Graph) -> Deprecations {
    let words = &graph.package().deprecations;
    let channels = words.channels.iter();
    let bundles = graph.nodes().iter().filter_map(|node| {
        let version = node.version.as_ref().map(ToString::to_string);
        let why = node.deprecation.as_deref()?.to_owned();
        Some((node.name.to_string(), (version.unwrap_or_default(), why)))
    });
    Deprecations {
        package: words.package.as_deref().map(str::to_owned),
        channels: channels
            .map(|(name, why)| (name.to_string(), why.to_string()))
            .collect(),
        bundles: bundles.collect(),
    }
}
