//! The name of a certificate in objects, and the DNS names of a certificate.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use crate::INJECT_CA_FROM;

/// The Secret of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CertificateName {
    /// The namespace of the Secret.
    pub namespace: String,
    /// The name of the Secret.
    pub secret: String,
}

/// A text that is not a namespace and a name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a namespace and a name, such as portolan/certificate")]
pub struct NotAName(String);

/// The reason why an annotation is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "annotation {INJECT_CA_FROM} is {0:?}; it must be NAMESPACE/SECRET, such as harbor/ferry-cert"
)]
pub struct InvalidCertificateName(pub String);

/// Returns the certificate that an object names, if any.
///
/// # Errors
/// Returns an error if the annotation does not name a Secret.
pub fn named(object: &Value) -> Result<Option<CertificateName>, InvalidCertificateName> {
    let Some(text) = object["metadata"]["annotations"][INJECT_CA_FROM].as_str() else {
        return Ok(None);
    };
    let names = text.split_once('/');
    let names = names.filter(|(namespace, secret)| is_label(namespace) && is_subdomain(secret));
    let (namespace, secret) = names.ok_or_else(|| InvalidCertificateName(text.to_owned()))?;
    Ok(Some(CertificateName {
        namespace: namespace.to_owned(),
        secret: secret.to_owned(),
    }))
}

/// Returns the DNS names of a Service for the API server and other clients in the cluster.
pub fn dns_names(service: &str, namespace: &str) -> [String; 3] {
    ["", ".svc", ".svc.cluster.local"].map(|suffix| format!("{service}.{namespace}{suffix}"))
}

fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_part(text)
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_part)
}

/// Returns true if a name, or a part of one between dots, is valid in Kubernetes.
fn is_part(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_cut = text.starts_with('-') || text.ends_with('-');
    !text.is_empty() && text.bytes().all(is_fine) && !is_cut
}

impl FromStr for CertificateName {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        let names = text.split_once('/');
        let names = names.filter(|(namespace, secret)| {
            !namespace.is_empty() && !secret.is_empty() && !secret.contains('/')
        });
        let (namespace, secret) = names.ok_or_else(|| NotAName(text.to_owned()))?;
        Ok(Self {
            namespace: namespace.to_owned(),
            secret: secret.to_owned(),
        })
    }
}

impl fmt::Display for CertificateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, secret } = self;
        write!(f, "{namespace}/{secret}")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::a_secret("harbor/ferry-cert", Some(("harbor", "ferry-cert")))]
    #[case::a_secret_with_dots("harbor/ferry.v1.cert", Some(("harbor", "ferry.v1.cert")))]
    #[case::no_namespace("ferry-cert", None)]
    #[case::an_empty_namespace("/ferry-cert", None)]
    #[case::an_empty_secret("harbor/", None)]
    #[case::three_parts("harbor/ferry/cert", None)]
    #[case::a_path("../harbor", None)]
    #[case::capitals("Harbor/ferry", None)]
    fn an_annotation(#[case] text: &str, #[case] expected: Option<(&str, &str)>) {
        let object = json!({"metadata": {"annotations": {INJECT_CA_FROM: text}}});
        let expected = expected.ok_or_else(|| InvalidCertificateName(text.to_owned()));
        let expected = expected.map(|(namespace, secret)| {
            Some(CertificateName {
                namespace: namespace.to_owned(),
                secret: secret.to_owned(),
            })
        });
        assert_eq!(named(&object), expected);
    }

    #[rstest]
    #[case::no_namespace("certificate")]
    #[case::an_empty_namespace("/certificate")]
    #[case::an_empty_name("portolan/")]
    #[case::three_parts("portolan/a/b")]
    fn rejects_invalid_certificate_name(#[case] text: &str) {
        let refused = text.parse::<CertificateName>();
        assert_eq!(refused, Err(NotAName(text.to_owned())));
    }

    #[test]
    fn object_without_annotation_has_no_certificate_name() {
        let object = json!({"metadata": {"annotations": {"other": "harbor/ferry"}}});
        assert_eq!(named(&object), Ok(None));
        assert_eq!(named(&json!({})), Ok(None));
    }

    #[test]
    fn error_shows_the_expected_format() {
        let message = InvalidCertificateName("ferry".to_owned()).to_string();
        let expected = "annotation portolan.dev/inject-ca-from is \"ferry\"; it must be \
                        NAMESPACE/SECRET, such as harbor/ferry-cert";
        assert_eq!(message, expected);
    }
}
