//! Renders a bundle into the manifests that install it.
//!
//! The functions correspond to those of OLM v1, and run in the same order. If an API server would
//! reject a manifest that OLM v1 renders, the manifest is corrected, unless [`Oddities::Keep`] is
//! set.

mod additions;
mod api_service;
mod bounds;
mod certificate;
mod config;
mod crd;
mod csv;
mod deployment;
mod extra;
mod rbac;
mod targets;
mod twins;
mod webhook;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use portolan_core_certificate::{INJECT_CA_FROM, secret_of};
use portolan_core_names::ObjectRef;
use portolan_core_names::text::{Instead, harmless};
use serde_json::Value as Json;

use crate::bundle::{ALL_NAMESPACES, Bundle, MULTI_NAMESPACE, OWN_NAMESPACE, SINGLE_NAMESPACE};
use crate::csv::{ApiServiceDescription, Webhook};
use crate::fault::BundleFault;
use crate::go;
use crate::object::Scope;
use crate::validate;

pub use additions::{Additions, Proxy};
pub use certificate::{Certificate, certificates};
pub use config::Config;
pub use csv::cluster_service_version;

/// The options for rendering a bundle.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The namespace in which the operator runs.
    pub namespace: String,
    /// The namespaces that the operator watches.
    pub targets: Targets,
    /// The component that creates the certificates of webhooks and APIServices.
    pub certificates: Certificates,
    /// The changes to all Deployments. They have the format of `spec.config` in a Subscription of
    /// OLM v0.
    pub config: Config,
    /// The additions that OLM v0 makes and OLM v1 does not.
    pub additions: Additions,
    /// Determines how invalid manifests of OLM v1 are handled.
    pub oddities: Oddities,
}

/// The namespaces that an operator watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Every namespace, if the bundle supports this install mode.
    Default,
    /// Every namespace.
    All,
    /// These namespaces. The set is never empty.
    Of(BTreeSet<String>),
}

/// The component that creates the certificates of webhooks and APIServices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificates {
    /// No component creates certificates. A bundle that needs certificates is rejected.
    None,
    /// cert-manager creates the certificates, from an Issuer and a Certificate for each Deployment.
    CertManager,
    /// The service CA of OpenShift creates the certificates, because of annotations.
    ServiceCa,
    /// Portolan creates the certificates. The manifests name the Secrets, and [`certificates`]
    /// lists them for the reconciler.
    Own,
}

/// Determines how manifests are handled that OLM v1 renders and every API server rejects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddities {
    /// Corrects the manifests. Port 0 becomes 443, duplicate objects are merged, cluster-scoped
    /// objects get no namespace, and every Service gets a valid name.
    Mend,
    /// Keeps the manifests unchanged, so that they can be compared with the manifests of OLM v1.
    Keep,
}

/// A manifest that is applied to install a bundle.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The object. Its keys are sorted.
    pub object: Json,
    /// The file of the bundle from which the manifest comes.
    pub origin: Arc<str>,
    /// The changes to the object that its author may not expect. Each entry is a sentence.
    pub notes: Vec<String>,
}

/// A reason why a bundle cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RenderRefusal {
    /// OLM v1 rejects the bundle with any options.
    Invalid(BundleFault),
    /// The bundle cannot be installed with these options.
    Option {
        /// The option, such as `targets`.
        option: &'static str,
        sentence: String,
    },
    /// The bundle needs a feature that Portolan does not support. Contains a sentence.
    Unsupported(String),
}

// === impl Options ===

impl Options {
    /// Returns options for a namespace, with the default additions of Portolan.
    pub fn new(namespace: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            targets: Targets::Default,
            certificates: Certificates::Own,
            config: Config::default(),
            additions: Additions {
                api_roles: true,
                namespace: true,
                proxy: Proxy::default(),
            },
            oddities: Oddities::Mend,
        }
    }

    /// Returns options that the bundle supports, for callers that accept any namespaces. The
    /// operator watches all namespaces if the bundle supports this, or else preferably its own
    /// namespace. The namespace is the namespace that the bundle suggests, or else the name of its
    /// package.
    pub fn fitting(bundle: &Bundle) -> Self {
        Self::fitting_in(namespace(bundle, bundle.package()), &bundle.install_modes())
    }

    /// Returns options for an old bundle and for the new bundle that replaces it. Both options have
    /// the same install mode if the bundles have a common install mode. The namespace is chosen for
    /// the old bundle.
    pub fn fitting_both(old: &Bundle, new: &Bundle) -> [Self; 2] {
        let namespace = namespace(old, old.package());
        let mut both = old.install_modes();
        both.retain(|mode| new.install_modes().contains(mode));
        let modes = |bundle: &Bundle| match both.as_slice() {
            [] => Self::fitting_in(namespace.clone(), &bundle.install_modes()),
            both => Self::fitting_in(namespace.clone(), both),
        };
        [modes(old), modes(new)]
    }

    fn fitting_in(namespace: String, modes: &[&str]) -> Self {
        let of =
            |names: &[&str]| Targets::Of(names.iter().map(|name| (*name).to_owned()).collect());
        let targets = if modes.contains(&ALL_NAMESPACES) {
            Targets::All
        } else if modes.contains(&OWN_NAMESPACE) {
            of(&[&namespace])
        } else if modes.contains(&SINGLE_NAMESPACE) {
            of(&["watched"])
        } else if modes.contains(&MULTI_NAMESPACE) {
            of(&["watched", "watched-too"])
        } else {
            Targets::Default
        };
        Self {
            targets,
            certificates: Certificates::CertManager,
            ..Self::new(namespace)
        }
    }

    /// Returns options for a namespace that render exactly as OLM v1 does.
    pub fn of_olm_v1(namespace: impl Into<String>) -> Self {
        Self {
            certificates: Certificates::CertManager,
            additions: Additions::default(),
            oddities: Oddities::Keep,
            ..Self::new(namespace)
        }
    }
}

/// Returns the namespace that a bundle suggests, or else the name of its package.
pub fn namespace(bundle: &Bundle, package: &str) -> String {
    let suggested = bundle.suggested_namespace();
    suggested.unwrap_or_else(|| package.to_owned())
}

// === impl Manifest ===

impl Manifest {
    pub fn identity(&self) -> ObjectRef {
        ObjectRef::of(&self.object)
    }
}

// === impl RenderRefusal ===

impl fmt::Display for RenderRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(fault) => write!(f, "{fault}"),
            Self::Option { option, sentence } => {
                write!(f, "{option}: {}", harmless(sentence, Instead::Escape))
            }
            Self::Unsupported(sentence) => f.write_str(&harmless(sentence, Instead::Escape)),
        }
    }
}

/// Renders the manifests that install a bundle. Equal bundles and options give identical manifests.
///
/// # Errors
///
/// Returns all reasons why the bundle cannot be rendered with these options.
pub fn render(bundle: &Bundle, options: &Options) -> Result<Vec<Manifest>, Vec<RenderRefusal>> {
    let mut refusals: Vec<_> = validate::errors(bundle)
        .into_iter()
        .map(RenderRefusal::Invalid)
        .collect();
    unsupported(bundle, options, &mut refusals);
    let targets = targets::resolve(bundle, options, &mut refusals);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let plan = Plan::of(bundle, options, &targets);
    bounds::hold(&plan).map_err(|refusal| vec![refusal])?;
    let mut manifests = Vec::new();
    for generate in GENERATORS {
        generate(&plan, &mut manifests);
    }
    Ok(match options.oddities {
        Oddities::Mend => twins::merged(manifests),
        Oddities::Keep => manifests,
    })
}

/// The functions that render manifests, in the order of OLM v1. Functions for additions come before
/// and after them.
const GENERATORS: [fn(&Plan<'_>, &mut Vec<Manifest>); 12] = [
    additions::namespace,
    rbac::accounts,
    rbac::permissions,
    rbac::cluster_permissions,
    crd::crds,
    extra::objects,
    deployment::deployments,
    webhook::configurations,
    webhook::services,
    certificate::objects,
    api_service::objects,
    additions::api_roles,
];

fn unsupported(bundle: &Bundle, options: &Options, refusals: &mut Vec<RenderRefusal>) {
    api_service::refused(bundle, options, refusals);
    let called = [
        ("webhooks", bundle.csv.webhooks().len()),
        ("APIServices", api_service::owned(bundle).count()),
    ];
    let called = called.iter().filter(|(_, count)| *count > 0);
    let called: Vec<_> = called
        .map(|(what, count)| format!("{what} ({count})"))
        .collect();
    if !called.is_empty() && options.certificates == Certificates::None {
        refusals.push(RenderRefusal::Option {
            option: "certificates",
            sentence: format!(
                "the bundle has {}, which need a certificate; choose cert-manager, openshift or own",
                called.join(" and ")
            ),
        });
    }
    crd::refused(bundle, refusals);
}

/// The data that the functions need to render manifests.
struct Plan<'b> {
    bundle: &'b Bundle,
    options: &'b Options,
    /// The watched namespaces, sorted. A single empty string stands for all namespaces.
    targets: &'b [String],
    /// The webhooks that each deployment serves.
    webhooks: BTreeMap<&'b str, Vec<&'b Webhook>>,
    /// The aggregated APIs that each deployment serves.
    api_services: BTreeMap<&'b str, Vec<&'b ApiServiceDescription>>,
    /// The conversion webhook of each CRD, by the name of the CRD.
    conversions: BTreeMap<&'b str, &'b Webhook>,
    /// The scope of each kind that the bundle defines, by group and kind.
    scopes: BTreeMap<(&'b str, &'b str), Scope>,
}

// === impl Plan ===

impl<'b> Plan<'b> {
    fn of(bundle: &'b Bundle, options: &'b Options, targets: &'b [String]) -> Self {
        let mut webhooks: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for webhook in bundle.csv.webhooks() {
            let of_deployment = webhooks.entry(&*webhook.value.deployment_name);
            of_deployment.or_default().push(&webhook.value);
        }
        let mut api_services: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for owned in api_service::owned(bundle) {
            let of_deployment = api_services.entry(&*owned.deployment_name);
            of_deployment.or_default().push(owned);
        }
        Self {
            bundle,
            options,
            targets,
            webhooks,
            api_services,
            conversions: crd::conversions(bundle),
            scopes: extra::scopes(bundle),
        }
    }

    fn namespace(&self) -> &str {
        &self.options.namespace
    }

    fn watches_all(&self) -> bool {
        self.targets.iter().any(String::is_empty)
    }

    fn mends(&self) -> bool {
        self.options.oddities == Oddities::Mend
    }

    /// Returns a manifest that is rendered from the ClusterServiceVersion.
    fn made(&self, object: Json) -> Manifest {
        Manifest {
            object,
            origin: Arc::clone(&self.bundle.csv.file),
            notes: Vec::new(),
        }
    }

    /// Returns the port of a webhook. A missing port becomes the default port, if manifests are
    /// corrected.
    fn port(&self, written: i32) -> i32 {
        if written == 0 && self.mends() {
            webhook::DEFAULT_PORT
        } else {
            written
        }
    }

    /// Returns the name of the Service of a deployment.
    fn service(&self, deployment: &str) -> String {
        let base = deployment.replace('.', "-");
        if self.mends() {
            go::label(&base, "service")
        } else {
            go::joined(&base, "service")
        }
    }

    /// Returns the name of the Secret with the certificate of a deployment.
    fn secret(&self, deployment: &str) -> String {
        secret_of(&self.service(deployment))
    }

    /// Returns true if API servers call the deployment, for a webhook or for an APIService.
    fn is_called(&self, deployment: &str) -> bool {
        self.webhooks.contains_key(deployment) || self.api_services.contains_key(deployment)
    }

    /// Returns the annotation that makes a component set the field `caBundle` of an object.
    fn injection(&self, deployment: &str) -> Option<(&'static str, String)> {
        let key = match self.options.certificates {
            Certificates::None => return None,
            Certificates::ServiceCa => {
                let key = "service.beta.openshift.io/inject-cabundle";
                return Some((key, "true".to_owned()));
            }
            Certificates::CertManager => "cert-manager.io/inject-ca-from",
            Certificates::Own => INJECT_CA_FROM,
        };
        let secret = self.secret(deployment);
        Some((key, format!("{}/{secret}", self.namespace())))
    }
}
