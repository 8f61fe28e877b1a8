//! The questions that Operators are made from, and who answers them.

use std::collections::{BTreeMap, BTreeSet};

use portolan_controller::{decode_api, decode_routes};
use portolan_core_generate::{Ask, BundleKey, Knowledge, PackageKey};
use portolan_core_operator::{Api, Offer};
use portolan_proto::resolver::v1::list_packages_response::Package;
use portolan_proto::resolver::v1::{
    GetBundleRequest, GetBundleResponse, GetGraphRequest, ListCatalogsRequest,
};
use tonic::{Code, Status};

use super::wire;
use crate::facts::ResolverConnection;
use crate::failure::Failure;

/// A resolver that is asked.
pub(super) struct Asker {
    resolver: ResolverConnection,
    packages: Option<Vec<Package>>,
    /// What the newest bundle of each package provides.
    provided: Option<BTreeMap<Api, BTreeSet<String>>>,
}

impl Asker {
    pub(super) fn of(resolver: ResolverConnection) -> Self {
        Self {
            resolver,
            packages: None,
            provided: None,
        }
    }

    /// Answers all of these.
    pub(super) async fn answer(
        &mut self,
        asks: Vec<Ask>,
        knowledge: &mut Knowledge,
    ) -> Result<(), Failure> {
        for ask in asks {
            self.answer_one(ask, knowledge).await?;
        }
        Ok(())
    }

    async fn answer_one(&mut self, ask: Ask, knowledge: &mut Knowledge) -> Result<(), Failure> {
        match ask {
            Ask::Offers => knowledge.offers = Some(self.offers().await?),
            Ask::Graph(key) => {
                let request = graph(&key);
                let answered = self
                    .resolver
                    .call(async |client| client.get_graph(request).await)
                    .await;
                let answer = self.told(answered)?.map(wire::decode_graph);
                knowledge.graphs.insert(key, answer);
            }
            Ask::Bundle(key) => {
                let answer = self.bundle(&key).await;
                let answer = self.told(answer)?.map(wire::decode_bundle);
                knowledge.bundles.insert(key, answer);
            }
            Ask::Resolution(question) => {
                let request = wire::encode_resolve(&question);
                let answered = self
                    .resolver
                    .call(async |client| client.resolve(request).await)
                    .await;
                let answer = self.told(answered)?.map(wire::decode_resolution);
                knowledge.resolutions.insert(question, answer);
            }
            Ask::Routes(question) => {
                let request = wire::encode_question(&question);
                let answered = self
                    .resolver
                    .call(async |client| client.plan_route(request).await)
                    .await;
                let answer = self.told(answered)?.map(decode_routes);
                knowledge.routes.insert(question, answer);
            }
            Ask::Providers(api) => {
                let all = self.provided().await?;
                let packages = all.get(&api).cloned().unwrap_or_default();
                knowledge.providers.insert(api, Ok(packages));
            }
        }
        Ok(())
    }

    /// An answer, or a refusal that is about what was asked for.
    fn told<T>(&self, answered: Result<T, Status>) -> Result<Result<T, String>, Failure> {
        match answered {
            Ok(answer) => Ok(Ok(answer)),
            Err(status) => {
                let failure = self.resolver.failure(&status);
                match status.code() {
                    Code::InvalidArgument | Code::NotFound => Ok(Err(failure.message().to_owned())),
                    _ => Err(failure),
                }
            }
        }
    }

    async fn bundle(&mut self, key: &BundleKey) -> Result<GetBundleResponse, Status> {
        let request = GetBundleRequest {
            catalog: key.catalog.clone(),
            package: key.package.clone(),
            bundle: key.bundle.clone(),
            objects: false,
        };
        let asked = self
            .resolver
            .call(async |client| client.get_bundle(request).await);
        asked.await
    }

    async fn packages(&mut self) -> Result<&[Package], Failure> {
        if self.packages.is_none() {
            self.packages = Some(self.resolver.packages("").await?.packages);
        }
        Ok(self.packages.as_deref().unwrap_or_default())
    }

    /// Which catalogs have which packages.
    async fn offers(&mut self) -> Result<portolan_core_operator::Offers, Failure> {
        let request = ListCatalogsRequest::default();
        let asked = self
            .resolver
            .ask(async |client| client.list_catalogs(request).await);
        let catalogs = asked.await?.catalogs.into_iter();
        let catalogs: BTreeMap<_, _> = catalogs.map(|one| (one.name.clone(), one)).collect();
        let mut offers = portolan_core_operator::Offers::new();
        for package in self.packages().await? {
            let catalog = catalogs.get(&package.catalog);
            let labels = catalog.map(|catalog| catalog.labels.clone().into_iter().collect());
            let offer = Offer {
                catalog: package.catalog.clone(),
                priority: catalog.map_or(0, |catalog| catalog.priority),
                labels: labels.unwrap_or_default(),
                channels: None,
            };
            offers.entry(package.name.clone()).or_default().push(offer);
        }
        Ok(offers)
    }

    /// What the head of the default channel of each package provides, by API.
    async fn provided(&mut self) -> Result<&BTreeMap<Api, BTreeSet<String>>, Failure> {
        if self.provided.is_none() {
            let heads = self.packages().await?.iter().flat_map(|package| {
                package.heads.iter().map(|head| BundleKey {
                    catalog: package.catalog.clone(),
                    package: package.name.clone(),
                    bundle: head.name.clone(),
                })
            });
            let heads: Vec<_> = heads.collect();
            let mut provided: BTreeMap<Api, BTreeSet<String>> = BTreeMap::new();
            for head in heads {
                // A head that no bundle stands behind provides nothing.
                let answer = self.bundle(&head).await;
                let Ok(bundle) = self.told(answer)? else {
                    continue;
                };
                for api in bundle.provides {
                    let packages = provided.entry(decode_api(api)).or_default();
                    packages.insert(head.package.clone());
                }
            }
            self.provided = Some(provided);
        }
        Ok(self.provided.get_or_insert_default())
    }
}

fn graph(key: &PackageKey) -> GetGraphRequest {
    GetGraphRequest {
        catalog: key.catalog.clone(),
        package: key.package.clone(),
        channel: String::new(),
    }
}
