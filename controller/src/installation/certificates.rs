//! Issues the certificates of the services. One certificate authority signs a certificate for each
//! service.
//!
//! Secrets of other owners, such as cert-manager, are not changed. A valid certificate is kept. The
//! authority has a separate Secret, because the private key of the authority must not be mounted
//! into Pods.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::api::DynamicObject;
use kube::core::ApiResource;
use portolan_core_certificate::{Note, Reason, SecretStep, Validity};
use portolan_runtime::certificates::{Content, MakeCertificate};
use serde_json::{Value, json};
use thiserror::Error;

use super::decide::{Owner, owner};
use super::{INSTALLER, MANAGED_BY, ObjectInstaller, ObjectNotChanged};
use crate::server_side_apply::answer;

/// The name of the Secret with the certificate authority.
const AUTHORITY: &str = "portolan-authority";
/// The entry with the private key of the authority. Only the Secret of the authority has this
/// entry.
const AUTHORITY_KEY: &str = "ca.key";
/// The services whose clients trust only one authority.
const TRUSTED: [&str; 3] = ["approval", "health", "resolver"];

const VALID_DAYS: i64 = 3650;
/// A certificate is renewed when its remaining validity is shorter than this time, in days.
const RENEWED_DAYS: i64 = 365;

/// Returns the names of all Secrets with certificates: the Secret of the authority, and one Secret
/// for each service.
pub fn certificate_secrets(services: &[&str]) -> Vec<String> {
    let leaves = services.iter().map(|service| secret_of(service));
    leaves.chain([AUTHORITY.to_owned()]).collect()
}

/// A Secret with a certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct CertificateSecret {
    pub name: String,
    pub manifest: Value,
}

/// The reason why no certificates were issued.
#[derive(Debug, Error)]
pub enum NotIssued {
    /// A certificate is missing. It must be signed by the authority of the existing certificates,
    /// which belongs to another owner.
    #[error(
        "Secret {missing} is missing, but Secret {present} belongs to {owner}; create {missing} with the same \
         authority, or delete {present}"
    )]
    OtherAuthority {
        missing: String,
        present: String,
        owner: Owner,
    },
    #[error("cannot create a certificate")]
    Make(#[from] MakeCertificate),
    #[error(transparent)]
    Read(#[from] ObjectNotChanged),
}

/// A Secret in the cluster.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ObservedSecret {
    Absent,
    Ours(Content),
    Foreign(Owner),
}

// === impl ObjectInstaller ===

impl ObjectInstaller {
    /// Returns the Secrets that must be applied so that each of these services has a valid
    /// certificate.
    ///
    /// # Errors
    /// Returns an error if a Secret cannot be read, or if no certificate can be issued.
    pub async fn missing_certificates(
        &self,
        namespace: &str,
        services: &[&'static str],
        now: Timestamp,
    ) -> Result<Vec<CertificateSecret>, NotIssued> {
        let authority = self.observed(namespace, AUTHORITY).await?;
        let mut all = BTreeMap::new();
        for service in services {
            let secret = self.observed(namespace, &secret_of(service)).await?;
            all.insert(*service, secret);
        }
        issued(namespace, (authority, all), now)
    }

    async fn observed(&self, namespace: &str, name: &str) -> Result<ObservedSecret, NotIssued> {
        let api = self.api(&secret(namespace, name, "Opaque", json!({})));
        let live = answer(api.get_opt(name)).await;
        let Some(live) = live.map_err(ObjectNotChanged::from)? else {
            return Ok(ObservedSecret::Absent);
        };
        Ok(match owner(&live.metadata) {
            Owner::Portolan => ObservedSecret::Ours(Content::of(&live.data["data"])),
            owner @ (Owner::Unknown | Owner::Helm(_) | Owner::Other(_)) => {
                ObservedSecret::Foreign(owner)
            }
        })
    }
}

/// Returns the new content of the Secrets that are missing or expire soon.
pub(super) fn issued(
    namespace: &str,
    (authority, services): (ObservedSecret, BTreeMap<&'static str, ObservedSecret>),
    now: Timestamp,
) -> Result<Vec<CertificateSecret>, NotIssued> {
    let kept = match &authority {
        ObservedSecret::Ours(content) if signs(content, now) => Some(content.clone()),
        ObservedSecret::Ours(_) | ObservedSecret::Absent | ObservedSecret::Foreign(_) => None,
    };
    let is_needed = |(service, observed): &(&&'static str, &ObservedSecret)| match observed {
        ObservedSecret::Absent => true,
        ObservedSecret::Ours(content) => {
            let is_signed = |kept: &Content| content.stored().ca_bundle == kept.stored().ca_bundle;
            !kept.as_ref().is_some_and(is_signed)
                || !is_current(content, &names(service, namespace), now)
        }
        ObservedSecret::Foreign(_) => false,
    };
    let needed: Vec<_> = services
        .iter()
        .filter(is_needed)
        .map(|(service, _)| *service)
        .collect();
    if needed.is_empty() {
        return Ok(Vec::new());
    }
    same_authority(&needed, &services)?;
    let mut secrets = Vec::new();
    let signer = match kept {
        Some(content) => content,
        None => {
            let made = Content::default().after(&step(Some(validity(now)), None))?;
            let manifest = secret(namespace, AUTHORITY, "Opaque", made.data());
            secrets.push(named(AUTHORITY, manifest));
            made
        }
    };
    for service in needed {
        let leaf = (names(service, namespace), validity(now));
        let mut data = signer.after(&step(None, Some(leaf)))?.data();
        if let Some(data) = data.as_object_mut() {
            data.remove(AUTHORITY_KEY);
        }
        let name = secret_of(service);
        let manifest = secret(namespace, &name, "kubernetes.io/tls", data);
        secrets.push(named(&name, manifest));
    }
    Ok(secrets)
}

/// Returns an error if the certificates have different authorities, because clients trust only one
/// authority.
fn same_authority(
    needed: &[&'static str],
    services: &BTreeMap<&'static str, ObservedSecret>,
) -> Result<(), NotIssued> {
    let Some(missing) = needed.iter().find(|service| TRUSTED.contains(service)) else {
        return Ok(());
    };
    let present = services
        .iter()
        .find_map(|(service, observed)| match observed {
            ObservedSecret::Foreign(owner) if TRUSTED.contains(service) => Some((service, owner)),
            ObservedSecret::Foreign(_) | ObservedSecret::Ours(_) | ObservedSecret::Absent => None,
        });
    match present {
        None => Ok(()),
        Some((present, owner)) => Err(NotIssued::OtherAuthority {
            missing: secret_of(missing),
            present: secret_of(present),
            owner: owner.clone(),
        }),
    }
}

/// Returns true if the newest authority is valid for long enough to sign a certificate.
fn signs(content: &Content, now: Timestamp) -> bool {
    let stored = content.stored();
    let authorities = stored.authorities.unwrap_or_default();
    stored.can_sign
        && authorities
            .last()
            .is_some_and(|it| is_long(it.validity, now))
}

fn is_current(content: &Content, names: &BTreeSet<String>, now: Timestamp) -> bool {
    let leaf = content.stored().leaf;
    leaf.is_ok_and(|leaf| leaf.names.is_superset(names) && is_long(leaf.validity, now))
}

fn is_long(validity: Validity, now: Timestamp) -> bool {
    validity.until > later(now, RENEWED_DAYS)
}

/// Returns the validity of a new certificate. The validity begins in the past, because the clocks
/// of other machines may be behind.
fn validity(now: Timestamp) -> Validity {
    Validity {
        from: later(now, -1),
        until: later(now, VALID_DAYS),
    }
}

fn later(now: Timestamp, days: i64) -> Timestamp {
    now.saturating_add(SignedDuration::from_hours(24 * days))
        .unwrap_or(now)
}

fn step(authority: Option<Validity>, leaf: Option<(BTreeSet<String>, Validity)>) -> SecretStep {
    let kept = match authority {
        Some(_) => Vec::new(),
        None => vec![0],
    };
    let note = Note {
        reason: Reason::CertificateMade,
        message: String::new(),
    };
    SecretStep {
        kept,
        authority,
        leaf,
        note,
    }
}

/// Returns the DNS names of a service. The console also has names for browsers that use port
/// forwarding.
fn names(service: &str, namespace: &str) -> BTreeSet<String> {
    let host = format!("portolan-{service}.{namespace}.svc");
    let mut names = BTreeSet::from([format!("{host}.cluster.local"), host]);
    if service == "console" {
        names.insert("localhost".to_owned());
    }
    names
}

fn secret_of(service: &str) -> String {
    format!("portolan-{service}-tls")
}

fn named(name: &str, manifest: DynamicObject) -> CertificateSecret {
    CertificateSecret {
        name: name.to_owned(),
        manifest: json!(manifest),
    }
}

fn secret(namespace: &str, name: &str, kind: &str, data: Value) -> DynamicObject {
    let resource = ApiResource::erase::<Secret>(&());
    let content = json!({"type": kind, "data": data});
    let mut object = DynamicObject::new(name, &resource)
        .within(namespace)
        .data(content);
    let labels = [
        ("app.kubernetes.io/name", "portolan"),
        (MANAGED_BY, INSTALLER),
    ];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    object.metadata.labels = Some(labels.into());
    object
}
