//! The annotation that names a certificate, and the DNS names of a certificate.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use crate::INJECT_CA_FROM;

/// The suffix of the name of a Service's Secret.
const SUFFIX: &str = "-cert";
/// The maximum length of a label as defined in RFC 1123.
const LONGEST: usize = 63;

/// The Secret that contains a certificate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CertificateName {
    /// The namespace of the Secret.
    pub namespace: String,
    /// The name of the Secret.
    pub secret: String,
}

/// The error for a text that is not NAMESPACE/NAME.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a namespace and a name, such as portolan/certificate")]
pub struct NotAName(String);

/// The error for an object whose annotation is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "annotation {INJECT_CA_FROM} is {0:?}; it must be NAMESPACE/SECRET, such as harbor/ferry-cert"
)]
pub struct InvalidCertificateName(pub String);

/// Returns the certificate in the annotation of an object. Returns None without the annotation.
///
/// # Errors
/// Returns an error if the annotation is not NAMESPACE/SECRET.
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

/// The error for a Service that names another Secret than its own. Contains its own Secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("annotation {INJECT_CA_FROM} of a Service must be {0}, the Secret for this Service")]
pub struct NotOfService(pub CertificateName);

/// Returns the certificate in the annotation of a Service. Returns None without the annotation.
///
/// # Errors
/// Returns an error if the annotation names another Secret than the Secret of this Service.
/// Otherwise, a user who may change this Service could change the certificate of another Service.
pub fn requested(service: &Value) -> Result<Option<CertificateName>, NotOfService> {
    let metadata = &service["metadata"];
    let Some(text) = metadata["annotations"][INJECT_CA_FROM].as_str() else {
        return Ok(None);
    };
    let field = |name: &str| metadata[name].as_str().unwrap_or_default();
    let own = CertificateName {
        namespace: field("namespace").to_owned(),
        secret: secret_of(field("name")),
    };
    if text == own.to_string() {
        Ok(Some(own))
    } else {
        Err(NotOfService(own))
    }
}

/// Returns the name of the Secret for a Service. As in OLM, names of more than 64 characters are
/// truncated to 63 characters.
pub fn secret_of(service: &str) -> String {
    if service.len() + SUFFIX.len() > LONGEST + 1 {
        let end = service.floor_char_boundary(LONGEST - SUFFIX.len());
        format!("{}{SUFFIX}", &service[..end])
    } else {
        format!("{service}{SUFFIX}")
    }
}

/// Returns the DNS names with which API servers and other clients in the cluster call a Service.
pub fn dns_names(service: &str, namespace: &str) -> [String; 3] {
    ["", ".svc", ".svc.cluster.local"].map(|suffix| format!("{service}.{namespace}{suffix}"))
}

fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_part(text)
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_part)
}

/// Returns true if the text is a valid label of a name in Kubernetes.
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
    fn parses_ca_injection_annotation(#[case] text: &str, #[case] expected: Option<(&str, &str)>) {
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

    #[rstest]
    #[case::its_own_secret("harbor/ferry-service-cert", true)]
    #[case::secret_of_another_service("harbor/pilot-service-cert", false)]
    #[case::any_secret("harbor/password", false)]
    #[case::another_namespace("kube-system/ferry-service-cert", false)]
    #[case::no_namespace("ferry-service-cert", false)]
    #[case::nothing("", false)]
    fn service_names_only_its_own_secret(#[case] text: &str, #[case] is_valid: bool) {
        let service = json!({"metadata": {
            "name": "ferry-service", "namespace": "harbor", "annotations": {INJECT_CA_FROM: text},
        }});
        let own = CertificateName {
            namespace: "harbor".to_owned(),
            secret: "ferry-service-cert".to_owned(),
        };
        let expected = if is_valid {
            Ok(Some(own))
        } else {
            Err(NotOfService(own))
        };
        assert_eq!(requested(&service), expected);
    }

    #[test]
    fn service_without_annotation_names_no_certificate() {
        let service = json!({"metadata": {"name": "ferry-service", "namespace": "harbor"}});
        assert_eq!(requested(&service), Ok(None));
    }

    #[test]
    fn error_for_a_service_contains_the_name_of_its_secret() {
        let own = "harbor/ferry-service-cert".parse().expect("a name");
        let message = NotOfService(own).to_string();
        let expected = "annotation portolan.dev/inject-ca-from of a Service must be \
                        harbor/ferry-service-cert, the Secret for this Service";
        assert_eq!(message, expected);
    }

    #[rstest]
    #[case::short(7, 12)]
    #[case::longest_that_olm_keeps(59, 64)]
    #[case::truncated(60, 63)]
    #[case::longest_service(63, 63)]
    fn secret_name_of_a_service_has_the_same_length_limit_as_in_olm(
        #[case] service: usize,
        #[case] secret: usize,
    ) {
        assert_eq!(secret_of(&"f".repeat(service)).len(), secret);
    }

    #[test]
    fn error_shows_the_expected_format() {
        let message = InvalidCertificateName("ferry".to_owned()).to_string();
        let expected = "annotation portolan.dev/inject-ca-from is \"ferry\"; it must be \
                        NAMESPACE/SECRET, such as harbor/ferry-cert";
        assert_eq!(message, expected);
    }
}
