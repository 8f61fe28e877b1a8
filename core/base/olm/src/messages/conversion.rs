//! Messages of API servers about a conversion webhook that fails.

use super::CONVERSION;

/// A conversion webhook that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversionFailure<'a> {
    /// The CRD whose objects OLM could not list. None if the message does not name the CRD.
    pub crd: Option<&'a str>,
    /// The version in which OLM could not list the objects. None if the message does not name the
    /// version.
    pub version: Option<&'a str>,
    /// The error of the API server, beginning with the webhook.
    pub words: &'a str,
    /// The time at which the certificate of the webhook expired. None if the failure has another
    /// cause.
    pub expired: Option<&'a str>,
}

/// Returns the failure of the conversion webhook in a message. Returns None for other messages.
pub fn conversion_failure(message: &str) -> Option<ConversionFailure<'_>> {
    let at = message.find(CONVERSION)?;
    let (before, words) = message.split_at_checked(at)?;
    let crd = before.split_once("schema for \"");
    let crd = crd.and_then(|(_, rest)| rest.split_once('"'));
    let version = before.split_once("Version:\"");
    let version = version.and_then(|(_, rest)| rest.split_once('"'));
    Some(ConversionFailure {
        crd: crd.map(|(crd, _)| crd),
        version: version.map(|(version, _)| version),
        words,
        expired: expired(words),
    })
}

/// Returns the time at which a certificate expired, from the TLS error of a client.
fn expired(words: &str) -> Option<&str> {
    let (_, rest) = words.split_once("certificate has expired")?;
    let (_, time) = rest.split_once(" is after ")?;
    let is_end = |c: char| c.is_whitespace() || [',', ';', ')', '"'].contains(&c);
    time.split(is_end).next().filter(|time| !time.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPIRED: &str = "error validating existing CRs against new CRD's schema for \"tugs.quay.example\": error \
        listing resources in GroupVersionResource schema.GroupVersionResource{Group:\"quay.example\", \
        Version:\"v1beta1\", Resource:\"tugs\"}: conversion webhook for quay.example/v2, Kind=Tug failed: Post \"https://tug.quay.svc:443/convert?timeout=30s\": tls: \
        failed to verify certificate: x509: certificate has expired or is not yet valid: current time \
        2026-02-03T00:00:00Z is after 2026-02-01T10:20:30Z";

    #[test]
    fn expired_certificate_of_a_conversion_webhook_has_a_time() {
        let failure = conversion_failure(EXPIRED).expect("a failure");
        assert_eq!(failure.crd, Some("tugs.quay.example"));
        assert_eq!(failure.version, Some("v1beta1"));
        assert_eq!(failure.expired, Some("2026-02-01T10:20:30Z"));
        assert!(
            failure
                .words
                .starts_with("conversion webhook for quay.example/v2")
        );
    }

    #[test]
    fn other_failure_of_a_conversion_webhook_has_no_time() {
        let message =
            "conversion webhook for quay.example/v2, Kind=Tug failed: Post \"https://a\": EOF";
        let failure = conversion_failure(message).expect("a failure");
        assert_eq!((failure.crd, failure.expired), (None, None));
        assert_eq!(conversion_failure("EOF"), None);
    }
}
