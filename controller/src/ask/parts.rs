//! Each answer of its own: whether it is needed, and where it comes from.

use std::sync::Arc;

use portolan_core_operatorpolicy::{Catalog, Heard, Modes, Offer, Operator, Review, Route};

use super::catalogs::ObjectId;
use super::followed::Key;
use super::news::Topic;
use super::streams::Judged;
use super::subject::Subject;
use super::wire::Packaged;
use super::{Services, wire};

// === impl Services ===

impl Services {
    /// The offer, with the namespace that its author suggests where nobody else names one.
    pub(super) async fn offer(
        &self,
        asker: &Topic,
        subject: &Subject<'_>,
        package: &Heard<Arc<Packaged>>,
    ) -> Heard<Offer> {
        let package = match package {
            Heard::Said(package) => package,
            silent => return unsaid(silent),
        };
        let mut offer = package.offer.clone();
        let head = subject.head(package).filter(|_| subject.is_homeless());
        if let Some(head) = head {
            let bundle = named(package, subject, head);
            match self.catalogs.suggestion(asker, bundle).await {
                Heard::Said(suggested) => offer.suggested_namespace = suggested,
                // Without it the namespace cannot be told from one that nobody suggests.
                Heard::Silent(silence) => return Heard::Silent(silence),
                Heard::Unasked | Heard::Nothing(_) => {}
            }
        }
        Heard::Said(offer)
    }

    pub(super) async fn modes(
        &self,
        asker: &Topic,
        subject: &Subject<'_>,
        package: &Heard<Arc<Packaged>>,
    ) -> Heard<Modes> {
        if !subject.is_wanted() {
            return Heard::Unasked;
        }
        if let Some(modes) = subject.installed_modes() {
            return Heard::Said(modes);
        }
        let package = match package {
            Heard::Said(package) => package,
            silent => return unsaid(silent),
        };
        match subject.first_bundle(package) {
            Some(bundle) => {
                let bundle = named(package, subject, bundle);
                self.catalogs.modes(asker, bundle).await
            }
            None => Heard::Nothing(format!(
                "no channel of package {} says which bundle to begin with",
                subject.package()
            )),
        }
    }

    pub(super) async fn route(
        &self,
        asker: &Topic,
        subject: &Subject<'_>,
        package: &Heard<Arc<Packaged>>,
    ) -> Heard<Route> {
        let Some(installed) = subject.installed().filter(|_| subject.is_wanted()) else {
            return Heard::Unasked;
        };
        let package = match package {
            Heard::Said(package) => package.clone(),
            silent => return unsaid(silent),
        };
        let from = (installed, subject.subscribed_channel());
        let package = (subject.package(), package);
        self.catalogs.route(asker, package, from).await
    }

    pub(super) async fn conflict(&self, asker: &Topic, subject: &Subject<'_>) -> Heard<String> {
        let is_asked = subject.is_wanted() && subject.is_unresolved();
        let Some(scene) = subject.scene().filter(|_| is_asked) else {
            return Heard::Unasked;
        };
        match self.catalogs.prediction(asker, scene).await {
            Heard::Said(Some(tree)) => Heard::Said(tree),
            Heard::Said(None) => Heard::Nothing(format!(
                "the resolver finds nothing that keeps OLM from resolving namespace {}",
                scene.name
            )),
            silent => unsaid(&silent),
        }
    }

    pub(super) async fn reviews(&self, subject: &Subject<'_>) -> Heard<Vec<Review>> {
        match subject.scene() {
            Some(scene) => self.reviews.of(scene).await,
            None => Heard::Unasked,
        }
    }

    /// The operator of the Subscription of the policy, else the one of its package that no
    /// Subscription asks for.
    pub(super) fn operator(&self, subject: &Subject<'_>) -> Heard<Operator> {
        let Some(namespace) = subject.namespace() else {
            return Heard::Unasked;
        };
        let wanted = subject.package();
        let found = self.health.read(|judged| {
            let key = |kind: &str| Key {
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
            Ok(Some(operator)) => Heard::Said(operator),
            Ok(None) => Heard::Nothing(format!(
                "health knows no operator of package {wanted} in namespace {namespace}"
            )),
            Err(silence) => Heard::Silent(silence),
        }
    }

    /// A catalog, as `namespace/name`.
    pub(super) fn catalog(&self, catalog: &str) -> Heard<Catalog> {
        let Some((namespace, name)) = catalog.split_once('/') else {
            return Heard::Unasked;
        };
        let key = Key {
            namespace: namespace.to_owned(),
            kind: wire::CATALOG_SOURCE.to_owned(),
            name: name.to_owned(),
        };
        match self.health.read(|judged| judged.get(&key).cloned()) {
            Ok(Some(Judged::Catalog(catalog))) => Heard::Said(catalog),
            Ok(Some(Judged::Operator { .. }) | None) => {
                Heard::Nothing(format!("health knows no CatalogSource {catalog}"))
            }
            Err(silence) => Heard::Silent(silence),
        }
    }
}

fn named(package: &Packaged, subject: &Subject<'_>, bundle: &str) -> ObjectId {
    ObjectId {
        catalog: package.offer.catalog.clone(),
        package: subject.package().to_owned(),
        bundle: bundle.to_owned(),
    }
}

/// The same of another question, where the first one has no good answer.
fn unsaid<A, B>(heard: &Heard<A>) -> Heard<B> {
    match heard {
        Heard::Unasked | Heard::Said(_) => Heard::Unasked,
        Heard::Nothing(sentence) => Heard::Nothing(sentence.clone()),
        Heard::Silent(silence) => Heard::Silent(silence.clone()),
    }
}

// === impl Judged ===

impl Judged {
    /// The operator, if it is one of this package.
    fn operator_of(&self, wanted: &str) -> Option<&Operator> {
        match self {
            Self::Operator { package, operator } if package == wanted => Some(operator),
            Self::Operator { .. } | Self::Catalog(_) => None,
        }
    }
}

// === impl Key ===

impl Key {
    /// What stands before all names of the kind.
    fn before(self) -> Self {
        Self {
            name: String::new(),
            ..self
        }
    }
}
