//! Simulates the services that read catalogs and compute routes.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_names::{ObjectRef, Version, VersionRange};
use portolan_core_operator::{
    Answer, Ask, Asked, Blocked, BundleRef, CommonRoute, ConsentQuestion, End, Fleet, Goal,
    Installation, Knowledge, Observation, Offer, Offers, PackageFacts, PolicyDecision,
    RenderedBundle, Requirements,
};
use serde_json::{Value, json};

use super::{Cluster, move_to};

/// Returns the routes. Packages that must move together get one route with common steps.
fn joined(routes: Vec<CommonRoute>, packages: &BTreeSet<&str>) -> Vec<CommonRoute> {
    let is_joined = |route: &CommonRoute| packages.contains(&*route.ends[0].package);
    let (joined, mut routes): (Vec<_>, Vec<_>) = routes.into_iter().partition(is_joined);
    let length = joined.iter().map(|route| route.steps.len()).max();
    if let Some(length) = length {
        let step = |at: usize| {
            let steps = joined.iter().filter_map(|route| route.steps.get(at));
            steps.flatten().cloned().collect()
        };
        routes.push(CommonRoute {
            steps: (0..length).map(step).collect(),
            ends: joined.iter().flat_map(|it| it.ends.clone()).collect(),
        });
    }
    routes
}

impl Cluster {
    pub(super) fn look(&self, ask: Ask, observed: &mut Observation) {
        let knowledge = match &ask {
            Ask::Offers(_) => Knowledge::Offers(Answer::Known(Arc::new(self.offers()))),
            Ask::Package { package, .. } => {
                let versions = self.packages[package].iter().map(|it| (*it).to_owned());
                Knowledge::Package(Answer::Known(PackageFacts {
                    versions: versions.collect(),
                    deprecations: self.deprecations.clone(),
                    resolver: Some("0.2.0".to_owned()),
                }))
            }
            Ask::Routes => Knowledge::Routes(Answer::Known(self.routes(&observed.fleet))),
            Ask::Bundle(bundle) => {
                Knowledge::Bundle(Box::new(match self.refused.get(&bundle.bundle) {
                    Some(sentence) => Answer::Refused(sentence.clone()),
                    None => Answer::Known(self.rendered(bundle)),
                }))
            }
            Ask::Image(bundle) => Knowledge::Image(Answer::Known(self.image(&bundle.bundle))),
            Ask::Consent(question) => Knowledge::Consent(self.consent(question)),
            Ask::Live(query) => {
                let is_asked = |it: &&Value| query.objects.contains(&ObjectRef::versioned(it));
                let mut found = self.olm.live(query);
                found.extend(self.there.iter().filter(is_asked).cloned());
                Knowledge::Live(Answer::Known(found))
            }
            Ask::Resources(_) => Knowledge::Resources(match &self.resources {
                Some(resources) => Answer::Known(resources.clone()),
                None => Answer::Refused("may not list".to_owned()),
            }),
        };
        observed.learn(ask, knowledge);
    }

    pub(crate) fn routes(&self, fleet: &Fleet) -> Arc<Vec<CommonRoute>> {
        let question = fleet.question(&self.offers());
        Arc::new(match &self.routes {
            Some(routes) => routes.clone(),
            None => {
                let routes = question.operators.iter().map(|it| self.route(it));
                joined(routes.collect(), &self.together)
            }
        })
    }

    fn consent(&self, question: &ConsentQuestion) -> Answer<PolicyDecision> {
        let asked = &question.asked;
        let from = asked.from.as_ref().map_or("nothing", |from| &from.version);
        let words = format!("{}: {from} -> {}", asked.operator.name, asked.to.version);
        self.consulted.borrow_mut().push(words);
        let answer = self.consents.get(&asked.to.bundle).cloned();
        answer.unwrap_or(Answer::Known(PolicyDecision::Given))
    }

    fn offers(&self) -> Offers {
        let offer = || Offer {
            catalog: "demo".to_owned(),
            ..Offer::default()
        };
        let packages = self.packages.keys();
        packages.map(|it| (it.clone(), vec![offer()])).collect()
    }

    fn image(&self, bundle: &str) -> String {
        let digest = self.digests.get(bundle).unwrap_or(&"0");
        format!("registry.test/{bundle}@sha256:{digest}")
    }

    fn rendered(&self, bundle: &BundleRef) -> RenderedBundle {
        let BundleRef {
            package, bundle, ..
        } = bundle;
        let version = bundle.split_once(".v").expect("a version").1;
        let name = json!({"name": package, "namespace": "harbor", "labels": {"version": version}});
        let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "manager"}]}});
        let requires = self.requires.get(bundle).cloned();
        let other = self.others.get(bundle).cloned();
        RenderedBundle {
            installs: other.unwrap_or_else(|| Installation {
                package: package.clone(),
                bundle: bundle.clone(),
                version: version.to_owned(),
                provides: self.provides.clone(),
                requires: Requirements {
                    packages: requires.into_iter().collect(),
                    ..Requirements::default()
                },
                ..Installation::default()
            }),
            image: self.image(bundle),
            named: self.named.get(bundle).cloned().unwrap_or_default(),
            manifests: [json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": name,
                "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template},
            })]
            .into_iter()
            .chain(self.more.iter().cloned())
            .chain(self.definitions.get(bundle).cloned())
            .collect(),
            csv: json!({
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {"name": bundle, "namespace": "harbor"}, "spec": {"version": version},
            }),
        }
    }

    /// Returns the route through all versions. An operator that is not installed yet is installed
    /// directly in the best version.
    fn route(&self, asked: &Asked) -> CommonRoute {
        let versions = &self.packages[&asked.package];
        let is_wished = |version: &str| match &asked.wish {
            Goal::Stay => false,
            Goal::Any => true,
            Goal::Range(range) => {
                let range = VersionRange::parse(range).expect("a range");
                range.matches(&Version::parse(version).expect("a version"))
            }
        };
        let best = versions.iter().rposition(|version| is_wished(version));
        let from = asked.installed.as_ref().map(|installed| {
            let mut versions = versions.iter();
            versions
                .position(|it| *it == installed.version)
                .expect("a version")
        });
        let steps: Vec<usize> = match (from, best) {
            (None, Some(best)) => vec![best],
            (Some(from), Some(best)) => (from + 1..=best).collect(),
            (_, None) => Vec::new(),
        };
        let is_blocked = best.is_none() && asked.wish != Goal::Stay;
        CommonRoute {
            steps: steps
                .iter()
                .map(|at| vec![move_to(&asked.package, versions[*at])])
                .collect(),
            ends: vec![End {
                package: asked.package.clone(),
                version: String::new(),
                blocked: is_blocked.then(|| Blocked {
                    text: "no version is in the range".to_owned(),
                    ..Blocked::default()
                }),
                wanted: None,
            }],
        }
    }
}
