//! The parts of the responses about a policy. For each part, this module decides if it is needed,
//! and how to request it.

use std::sync::Arc;

use portolan_core_operatorpolicy::{
    Answer, Catalog, Modes, Offer, Operator, PlanReview, ReachableBundles,
};

use super::catalogs::BundleId;
use super::changes::Topic;
use super::followed::StreamKey;
use super::streams::HealthItem;
use super::subject::Subject;
use super::wire::Packaged;
use super::{Services, wire};

// === impl Services ===

impl Services {
    /// Returns the package in the catalog. If the policy sets no namespace, also returns the
    /// namespace that the author of the operator suggests.
    pub(super) async fn offer(
        &self,
        asker: &Topic,
        subject: &Subject<'_>,
        package: &Answer<Arc<Packaged>>,
    ) -> Answer<Offer> {
        let package = match package {
            Answer::Found(package) => package,
            silent => return without_value(silent),
        };
        let mut offer = package.offer.clone();
        let head = subject.head(package).filter(|_| subject.is_homeless());
        if let Some(head) = head {
            let bundle = named(package, subject, head);
            match self.catalogs.suggestion(asker, bundle).await {
                Answer::Found(suggested) => offer.suggested_namespace = suggested,
                // Without the suggestion, the namespace of the operator is unknown.
                Answer::Unavailable(unavailable) => return Answer::Unavailable(unavailable),
                Answer::NotAsked | Answer::NotFound(_) => {}
            }
        }
        Answer::Found(offer)
    }

    pub(super) async fn modes(
        &self,
        asker: &Topic,
        subject: &Subject<'_>,
        package: &Answer<Arc<Packaged>>,
    ) -> Answer<Modes> {
        if !subject.is_wanted() {
            return Answer::NotAsked;
        }
        if let Some(modes) = subject.installed_modes() {
            return Answer::Found(modes);
        }
        let package = match package {
            Answer::Found(package) => package,
            silent => return without_value(silent),
        };
        match subject.first_bundle(package) {
            Some(bundle) => {
                let bundle = named(package, subject, bundle);
                self.catalogs.modes(asker, bundle).await
            }
            None => Answer::NotFound(format!(
                "no channel of package {} determines the first bundle",
                subject.package()
            )),
        }
    }

    pub(super) async fn route(
        &self,
        asker: &Topic,
        subject: &Subject<'_>,
        package: &Answer<Arc<Packaged>>,
    ) -> Answer<ReachableBundles> {
        let Some(installed) = subject.installed().filter(|_| subject.is_wanted()) else {
            return Answer::NotAsked;
        };
        let package = match package {
            Answer::Found(package) => package.clone(),
            silent => return without_value(silent),
        };
        let from = (installed, subject.subscribed_channel());
        let package = (subject.package(), package);
        self.catalogs.route(asker, package, from).await
    }

    pub(super) async fn conflict(&self, asker: &Topic, subject: &Subject<'_>) -> Answer<String> {
        let is_asked = subject.is_wanted() && subject.is_unresolved();
        let Some(state) = subject.state().filter(|_| is_asked) else {
            return Answer::NotAsked;
        };
        match self.catalogs.prediction(asker, state).await {
            Answer::Found(Some(tree)) => Answer::Found(tree),
            Answer::Found(None) => Answer::NotFound(format!(
                "the resolver found no reason why OLM cannot resolve namespace {}",
                state.name
            )),
            silent => without_value(&silent),
        }
    }

    pub(super) async fn reviews(&self, subject: &Subject<'_>) -> Answer<Vec<PlanReview>> {
        match subject.state() {
            Some(state) => self.reviews.of(state).await,
            None => Answer::NotAsked,
        }
    }

    /// Returns the health of the operator that belongs to the policy's Subscription. If there is no
    /// Subscription, returns the health of the operator of the package.
    pub(super) fn operator(&self, subject: &Subject<'_>) -> Answer<Operator> {
        let Some(namespace) = subject.namespace() else {
            return Answer::NotAsked;
        };
        let wanted = subject.package();
        let found = self.health.read(|judged| {
            let key = |kind: &str| StreamKey {
                namespace: namespace.to_owned(),
                kind: kind.to_owned(),
                name: wanted.to_owned(),
            };
            let own = judged.get(&key("Subscription"));
            let csvs = judged.range(key("ClusterServiceVersion").before()..);
            let csvs = csvs.take_while(|(key, _)| {
                key.namespace == namespace && key.kind == "ClusterServiceVersion"
            });
            let mut all = own.into_iter().chain(csvs.map(|(_, judged)| judged));
            all.find_map(|judged| judged.operator_of(wanted)).cloned()
        });
        match found {
            Ok(Some(operator)) => Answer::Found(operator),
            Ok(None) => Answer::NotFound(format!(
                "health found no operator of package {wanted} in namespace {namespace}"
            )),
            Err(unavailable) => Answer::Unavailable(unavailable),
        }
    }

    /// Returns the health of a catalog with the name `namespace/name`.
    pub(super) fn catalog(&self, catalog: &str) -> Answer<Catalog> {
        let Some((namespace, name)) = catalog.split_once('/') else {
            return Answer::NotAsked;
        };
        let key = StreamKey {
            namespace: namespace.to_owned(),
            kind: wire::CATALOG_SOURCE.to_owned(),
            name: name.to_owned(),
        };
        match self.health.read(|judged| judged.get(&key).cloned()) {
            Ok(Some(HealthItem::Catalog(catalog))) => Answer::Found(catalog),
            Ok(Some(HealthItem::Operator { .. }) | None) => {
                Answer::NotFound(format!("health found no CatalogSource {catalog}"))
            }
            Err(unavailable) => Answer::Unavailable(unavailable),
        }
    }
}

fn named(package: &Packaged, subject: &Subject<'_>, bundle: &str) -> BundleId {
    BundleId {
        catalog: package.offer.catalog.clone(),
        package: subject.package().to_owned(),
        bundle: bundle.to_owned(),
    }
}

/// Converts a response that has no value to the response type of another request.
fn without_value<A, B>(answer: &Answer<A>) -> Answer<B> {
    match answer {
        Answer::NotAsked | Answer::Found(_) => Answer::NotAsked,
        Answer::NotFound(sentence) => Answer::NotFound(sentence.clone()),
        Answer::Unavailable(unavailable) => Answer::Unavailable(unavailable.clone()),
    }
}

// === impl HealthItem ===

impl HealthItem {
    /// Returns the operator if it belongs to this package.
    fn operator_of(&self, wanted: &str) -> Option<&Operator> {
        match self {
            Self::Operator { package, operator } if package == wanted => Some(operator),
            Self::Operator { .. } | Self::Catalog(_) => None,
        }
    }
}

// === impl StreamKey ===

impl StreamKey {
    /// Returns a key of the same kind and namespace that sorts before all names.
    fn before(self) -> Self {
        Self {
            name: String::new(),
            ..self
        }
    }
}
