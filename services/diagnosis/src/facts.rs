//! The facts at one point in time, and the diagnoses that the core crate derives from these facts.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_approval as approval;
use portolan_core_diagnosis::{
    Around, Asked, Cluster, Content, Diagnosis, Offer, Offered, Removal, Situation,
    UnqueriedBundle, diagnose, undiagnosed,
};
use portolan_core_health::{self as health, ObservedObjects, Registry, Sight};
use portolan_core_names::CatalogName;
use portolan_resolver::Snapshot;
use portolan_resolver::snapshot::{self, CatalogState};

use crate::elsewhere::Elsewhere;
use crate::objects::Views;
use crate::question::RequestError;
use crate::unpacks::Unpacks;
use crate::untold;

/// All facts that are known at one point in time.
#[derive(Debug)]
pub(crate) struct DiagnosisFacts {
    known: FactSources,
    elsewhere: Elsewhere,
    unpacks: Unpacks,
}

/// The facts from each source.
#[derive(Debug)]
pub(crate) struct FactSources {
    /// The only observed namespace. None for all namespaces.
    pub(crate) only: Option<String>,
    /// The namespace of the global catalogs.
    pub(crate) global: String,
    pub(crate) cluster: Cluster,
    pub(crate) views: Views,
    pub(crate) judged: portolan_health::Grounds,
    pub(crate) reviewed: portolan_approval::Grounds,
    pub(crate) catalogs: Arc<Snapshot>,
    /// The operators that policies remove.
    pub(crate) removals: Vec<Removal>,
}

// === impl DiagnosisFacts ===

impl DiagnosisFacts {
    pub(crate) fn of(known: FactSources) -> Self {
        Self {
            elsewhere: Elsewhere::of(known.judged.namespaces.values()),
            unpacks: known.views.unpacks(),
            known,
        }
    }

    /// Returns the namespaces with operators, sorted. With `only`, returns at most this namespace.
    pub(crate) fn namespaces(&self, only: Option<&str>) -> Vec<Arc<str>> {
        let names = self.known.judged.namespaces.keys();
        let meant = names.filter(|name| only.is_none_or(|only| ***name == *only));
        meant.cloned().collect()
    }

    /// Returns an error if no operator was found and operators may exist that cannot be listed.
    pub(crate) fn are_operators_seen(&self, namespace: Option<&str>) -> Result<(), RequestError> {
        match &self.known.judged.unseen {
            Some(why) if self.namespaces(namespace).is_empty() => {
                Err(RequestError::Unseen(why.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the diagnoses of all operators of a namespace. `asked` contains details of bundles
    /// that catalogs have returned on request.
    pub(crate) fn diagnoses(&self, namespace: &str, asked: Asked) -> Vec<Diagnosis> {
        let judged = self.known.judged.namespaces.get(namespace);
        judged.map_or_else(Vec::new, |judged| diagnose(&self.situation(judged, asked)))
    }

    /// Returns the diagnoses of a namespace whose diagnosis has failed. Each operator is unknown
    /// for this reason.
    pub(crate) fn undiagnosed(&self, namespace: &str, why: &str) -> Vec<Diagnosis> {
        let judged = self.known.judged.namespaces.get(namespace);
        judged.map_or_else(Vec::new, |judged| undiagnosed(judged, why))
    }

    /// Requests details of these bundles from catalogs and returns the details.
    pub(crate) async fn ask(&self, untold: BTreeSet<UnqueriedBundle>) -> Asked {
        untold::ask(&self.known.catalogs, untold).await
    }

    fn situation(&self, namespace: &health::Namespace, asked: Asked) -> Situation<'_> {
        let known = &self.known;
        let name = namespace.name.as_str();
        let subscriptions = namespace.subscriptions.objects.iter();
        let shops: BTreeSet<_> = subscriptions
            .map(|subscription| subscription.spec.source_namespace.as_str())
            .collect();
        let reviewed = known.reviewed.get(name).map(|ground| (**ground).clone());
        Situation {
            namespace: namespace.clone(),
            resolved: known.views.resolved(name, &known.global),
            global_namespace: known.global.clone(),
            catalogs: self.offers(namespace),
            approval: reviewed.unwrap_or_else(|| approval::Namespace {
                name: name.to_owned(),
                ..approval::Namespace::default()
            }),
            elsewhere: ObservedObjects {
                objects: self.elsewhere.from(namespace),
                sight: match &known.only {
                    Some(only) => Sight::Dim(format!("this server observes only namespace {only}")),
                    None => Sight::Clear,
                },
            },
            unpacks: self.unpacks.within(shops.into_iter()),
            around: Around {
                removals: known.removals.clone(),
                ..known.views.around(namespace, known.only.as_deref())
            },
            cluster: known.cluster.clone(),
            asked,
        }
    }

    /// Returns the CatalogSources that are visible in a namespace: its own catalogs, the global
    /// catalogs, and the catalogs to which its objects refer.
    fn offers(&self, namespace: &health::Namespace) -> Vec<Offer<'_>> {
        let subscriptions = namespace.subscriptions.objects.iter();
        let named: BTreeSet<_> = subscriptions
            .map(|each| {
                (
                    each.spec.source_namespace.as_str(),
                    each.spec.source.as_str(),
                )
            })
            .collect();
        let seen = self.known.judged.catalogs.iter().filter(|registry| {
            let (place, name) = (registry.source.namespace(), registry.source.name());
            place == namespace.name || place == self.known.global || named.contains(&(place, name))
        });
        seen.map(|registry| self.offer(registry)).collect()
    }

    fn offer(&self, registry: &Registry) -> Offer<'_> {
        let (namespace, name) = (registry.source.namespace(), registry.source.name());
        Offer {
            registry: registry.clone(),
            pods: self.known.views.registries(namespace, name),
            missing_secrets: self.known.views.missing_secrets(namespace, name),
            content: self.content(namespace, name),
        }
    }

    fn content(&self, namespace: &str, name: &str) -> Content<'_> {
        let catalog = format!("{namespace}/{name}");
        let named = CatalogName::parse(&catalog).ok();
        let offer = named.and_then(|name| self.known.catalogs.offers.get(&name));
        let Some(offer) = offer else {
            return Content::Unavailable(format!(
                "its content is not available; use --catalog {catalog}=PLACE to read the content \
                 from another place"
            ));
        };
        match &offer.state {
            CatalogState::Serving { content, .. } => Content::Known(offered(content)),
            CatalogState::Stale { content, why, .. } => {
                Content::Stale(offered(content), why.message.clone())
            }
            CatalogState::Failed { why, .. } => Content::Unavailable(why.message.clone()),
            CatalogState::Pending => {
                Content::Unavailable("the content is still being read".to_owned())
            }
        }
    }
}

fn offered(content: &snapshot::Content) -> Offered<'_> {
    Offered {
        catalog: content.catalog(),
        charts: content.charted(),
        tells_if_asked: content.tells_if_asked(),
    }
}
