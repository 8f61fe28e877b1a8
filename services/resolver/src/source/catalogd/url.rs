//! The URL of a catalog.

use http::Uri;
use http::uri::{PathAndQuery, Scheme};
use thiserror::Error;

use super::FILE;

/// The error for an invalid URL of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{url}` is not the URL of a catalog: {flaw}; use the URL in `status.urls.base` of a \
     ClusterCatalog, such as https://catalogd.olmv1-system.svc/catalogs/operatorhubio"
)]
pub struct ParseUrl {
    url: String,
    flaw: &'static str,
}

/// Parses the URL of a catalog or of its content. Returns the URL of the content.
pub(super) fn parse(text: &str) -> Result<Uri, ParseUrl> {
    let flawed = |flaw| ParseUrl {
        url: text.to_owned(),
        flaw,
    };
    let mut parts = text
        .parse::<Uri>()
        .map_err(|_| flawed("it cannot be read"))?
        .into_parts();
    if ![Some(Scheme::HTTP), Some(Scheme::HTTPS)].contains(&parts.scheme) {
        return Err(flawed("it begins with neither https:// nor http://"));
    }
    let authority = parts.authority.as_ref();
    if authority.is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(flawed(
            "it contains a user, which catalogd does not support",
        ));
    }
    let given = parts.path_and_query.take();
    if given.as_ref().is_some_and(|given| given.query().is_some()) {
        return Err(flawed("it contains a query"));
    }
    let path = given.as_ref().map_or("/", PathAndQuery::path);
    let path = path.trim_end_matches('/');
    let base = path
        .strip_suffix(FILE)
        .map_or(path, |base| base.trim_end_matches('/'));
    let path = format!("{base}/{FILE}");
    parts.path_and_query = path.parse().ok();
    Uri::from_parts(parts).map_err(|_| flawed("it cannot be read"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::base("https://c.test/catalogs/a", "https://c.test/catalogs/a/api/v1/all")]
    #[case::base_with_a_slash("http://c.test/catalogs/a/", "http://c.test/catalogs/a/api/v1/all")]
    #[case::content(
        "https://c.test/catalogs/a/api/v1/all",
        "https://c.test/catalogs/a/api/v1/all"
    )]
    #[case::content_with_a_slash("https://c.test/a/api/v1/all/", "https://c.test/a/api/v1/all")]
    #[case::a_catalog_called_all(
        "https://c.test/catalogs/all",
        "https://c.test/catalogs/all/api/v1/all"
    )]
    #[case::a_host("http://127.0.0.1:8080", "http://127.0.0.1:8080/api/v1/all")]
    #[case::an_address(
        "https://[::1]:8443/catalogs/a",
        "https://[::1]:8443/catalogs/a/api/v1/all"
    )]
    fn content_url_is_derived_from_a_given_url(#[case] given: &str, #[case] expected: &str) {
        assert_eq!(
            parse(given).map(|url| url.to_string()),
            Ok(expected.to_owned())
        );
    }

    #[rstest]
    #[case::no_scheme("c.test/catalogs/a", "it cannot be read")]
    #[case::a_path("/catalogs/a", "it begins with neither https:// nor http://")]
    #[case::another_scheme(
        "oci://c.test/catalogs/a",
        "it begins with neither https:// nor http://"
    )]
    #[case::a_user(
        "https://me:secret@c.test/a",
        "it contains a user, which catalogd does not support"
    )]
    #[case::a_query("https://c.test/a?schema=olm.bundle", "it contains a query")]
    #[case::blanks("https://c.test/a b", "it cannot be read")]
    fn invalid_catalog_url_is_refused(#[case] given: &str, #[case] flaw: &str) {
        let refusal = parse(given).expect_err("it must be refused").to_string();
        assert!(
            refusal.starts_with(&format!("`{given}` is not the URL of a catalog: {flaw}; ")),
            "{refusal}"
        );
    }
}
