//! Determines which controllers can run outside of the cluster, for example in `portolan up`, and
//! why other controllers cannot.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::ListParams;
use kube::core::discovery::v2::APIGroupDiscoveryList;
use kube::{Api, Client};
use portolan_api::crds;
use portolan_core_names::text::listed;
use portolan_runtime::Description;

use super::controllers;
use crate::crds::is_established;

/// The HTTP status code for missing permissions.
const FORBIDDEN: u16 = 403;

/// The facts about a cluster that determine which controllers can run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterFacts {
    /// The names of the CRDs that the API server serves.
    pub crds: BTreeSet<String>,
    /// The names of the ValidatingAdmissionPolicies. None if they are unknown.
    pub admission_policies: Option<BTreeSet<String>>,
}

/// A controller. If the controller cannot run, also the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Availability {
    pub about: &'static Description,
    /// The reason why the controller cannot run. None if the controller can run.
    pub off: Option<Off>,
    /// The ValidatingAdmissionPolicies that the controller needs and that are missing.
    pub unguarded: Vec<&'static str>,
}

/// The reason why a controller cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Off {
    /// API servers call a webhook for these objects, which must run in the cluster.
    Webhook {
        server: &'static str,
        folder: &'static str,
    },
    /// The controller manages the whole cluster, but a single namespace is selected.
    WholeCluster,
    /// The API server does not serve these CRDs.
    Crds(Vec<&'static str>),
    /// The controller needs another controller, which cannot run. Contains the objects of the other
    /// controller.
    Needs(&'static str),
}

// === impl ClusterFacts ===

impl ClusterFacts {
    /// Reads the facts about a cluster.
    ///
    /// # Errors
    /// Returns an error if the API server does not respond.
    pub async fn read(client: &Client) -> kube::Result<Self> {
        let policies: Api<ValidatingAdmissionPolicy> = Api::all(client.clone());
        let params = ListParams::default();
        let (crds, policies) = tokio::join!(crds_of(client), policies.list_metadata(&params));
        // Some users cannot list these policies, so an error means that the policies are unknown.
        let policies = policies.ok().map(|list| list.items.into_iter());
        Ok(Self {
            crds: crds?,
            admission_policies: policies.map(|all| all.filter_map(|it| it.metadata.name).collect()),
        })
    }
}

/// Returns the CRDs that controllers need and that the API server serves. If the user cannot read
/// CRDs, uses the discovery of the API server, which may be slightly outdated.
async fn crds_of(client: &Client) -> kube::Result<BTreeSet<String>> {
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let names: BTreeSet<_> = controllers()
        .flat_map(|it| it.crds.iter().copied())
        .collect();
    let mut established = BTreeSet::new();
    for name in names {
        match crds.get_opt(name).await {
            Ok(Some(crd)) if is_established(&crd) => drop(established.insert(name.to_owned())),
            Ok(_) => {}
            Err(kube::Error::Api(status)) if status.code == FORBIDDEN => {
                return Ok(served(&client.list_api_groups_aggregated().await?));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(established)
}

/// Returns the names of the CRDs for the kinds in a discovery response.
fn served(groups: &APIGroupDiscoveryList) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for group in &groups.items {
        let api = group.metadata.as_ref().and_then(|it| it.name.as_deref());
        let resources = group.versions.iter().flat_map(|version| &version.resources);
        let plurals = resources.filter_map(|resource| resource.resource.as_deref());
        names.extend(plurals.map(|plural| format!("{plural}.{}", api.unwrap_or_default())));
    }
    names
}

/// Returns for each controller if it can run on a cluster, in the order of the table.
pub fn availability(facts: &ClusterFacts, only_namespace: Option<&str>) -> Vec<Availability> {
    let all = controllers().map(|about| {
        let off = off(about, facts, only_namespace);
        let known = facts.admission_policies.as_ref();
        let policies = about.requires.admission_policies.iter().copied();
        let is_missing = |name: &&str| known.is_some_and(|known| !known.contains(*name));
        let unguarded = policies.filter(is_missing).filter(|_| off.is_none());
        let unguarded = unguarded.collect();
        Availability {
            about,
            off,
            unguarded,
        }
    });
    all.collect()
}

fn off(about: &Description, facts: &ClusterFacts, only_namespace: Option<&str>) -> Option<Off> {
    let folder = about.permissions;
    if let Some(server) = about.requires.webhook {
        return Some(Off::Webhook { server, folder });
    }
    if about.requires.whole_cluster && only_namespace.is_some() {
        return Some(Off::WholeCluster);
    }
    let crds = about.crds.iter().copied();
    let missing: Vec<_> = crds.filter(|crd| !facts.crds.contains(*crd)).collect();
    if !missing.is_empty() {
        return Some(Off::Crds(missing));
    }
    let needed = controllers().filter(|other| about.requires.controllers.contains(&other.name));
    let mut missing = needed.filter(|other| off(other, facts, only_namespace).is_some());
    missing.next().map(|other| Off::Needs(other.objects))
}

// === impl Availability ===

/// Formats the controller as one line: its objects, if it can run, and the reason.
impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            about,
            off,
            unguarded,
        } = self;
        let objects = capitalized(about.objects);
        let folder = about.permissions;
        match (off, unguarded.as_slice()) {
            (Some(off), _) => write!(f, "{objects}: off; {off}"),
            (None, []) => write!(f, "{objects}: on"),
            (None, policies) => {
                let (noun, verb) = match policies {
                    [_] => ("ValidatingAdmissionPolicy", "is"),
                    _ => ("ValidatingAdmissionPolicies", "are"),
                };
                let policies = listed(policies);
                write!(
                    f,
                    "{objects}: on, but {noun} {policies} {verb} not installed: users are not \
                     restricted as deploy/{folder} restricts them"
                )
            }
        }
    }
}

// === impl Off ===

impl fmt::Display for Off {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Webhook { server, folder } => write!(
                f,
                "API servers call `{server}` for these objects, and it must run in the cluster. \
                 Deploy deploy/{folder}"
            ),
            Self::WholeCluster => {
                f.write_str("its objects are cluster-scoped, but -n selects one namespace")
            }
            Self::Crds(names) => {
                let (noun, verb) = match names.as_slice() {
                    [_] => ("CRD", "is"),
                    _ => ("CRDs", "are"),
                };
                write!(f, "the {noun} {} {verb} not installed", listed(names))?;
                let ours = crds();
                if names.iter().all(|name| ours.contains_key(*name)) {
                    f.write_str(". Run `portolan install crds`, then restart")?;
                }
                Ok(())
            }
            Self::Needs(objects) => {
                write!(f, "it requires the controller of {objects}, which is off")
            }
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
