//! Parses the authentication that a registry requires, from the header `WWW-Authenticate`.

use http::{HeaderMap, header};

/// A method with which a client can authenticate at a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// A user name and a password with each request.
    Basic,
    /// A token from the token server `realm`.
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

/// Returns the authentication method to use. Prefers a token. Returns None if the registry offers
/// no supported method.
pub(crate) fn chosen(headers: &HeaderMap) -> Option<Challenge> {
    let values = headers.get_all(header::WWW_AUTHENTICATE).iter();
    let offered: Vec<Challenge> = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(challenges)
        .collect();
    let is_token = |challenge: &&Challenge| matches!(challenge, Challenge::Bearer { .. });
    offered
        .iter()
        .find(is_token)
        .or_else(|| offered.first())
        .cloned()
}

/// Splits a header into its challenges. An example is `Basic realm="a", Bearer
/// realm="b",service="c"`.
fn challenges(value: &str) -> Vec<Challenge> {
    let mut found: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for part in split(value) {
        let (name, rest) = part.split_once('=').unwrap_or((part, ""));
        let (scheme, key) = match name.trim().rsplit_once(' ') {
            Some((scheme, key)) => (Some(scheme.trim()), key),
            None if part.contains('=') => (None, name.trim()),
            None => (Some(name.trim()), ""),
        };
        if let Some(scheme) = scheme {
            found.push((scheme.to_ascii_lowercase(), Vec::new()));
        }
        if let Some((_, parameters)) = found.last_mut() {
            parameters.push((key.to_ascii_lowercase(), unquoted(rest.trim())));
        }
    }
    found.into_iter().filter_map(challenge).collect()
}

fn challenge((scheme, parameters): (String, Vec<(String, String)>)) -> Option<Challenge> {
    let of = |name: &str| {
        let parameter = parameters.iter().find(|(key, _)| key == name);
        parameter.map(|(_, value)| value.clone())
    };
    match scheme.as_str() {
        "basic" => Some(Challenge::Basic),
        "bearer" => Some(Challenge::Bearer {
            realm: of("realm")?,
            service: of("service"),
            scope: of("scope"),
        }),
        _ => None,
    }
}

/// Splits a text at commas outside of quotation marks, because quoted scopes contain commas.
fn split(value: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let parts = value.split(|c| {
        let is_plain = !std::mem::take(&mut is_escaped);
        match c {
            '"' if is_plain => is_quoted = !is_quoted,
            '\\' if is_plain && is_quoted => is_escaped = true,
            _ => {}
        }
        c == ',' && !is_quoted
    });
    let parts = parts.map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        return value.to_owned();
    };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut is_escaped = false;
    let kept = inner.chars().filter(|c| {
        is_escaped = *c == '\\' && !is_escaped;
        !is_escaped
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Option<Challenge> {
        Some(Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
        })
    }

    #[rstest]
    #[case::a_token(
        &[r#"Bearer realm="https://a.io/token",service="a.io",scope="repository:b/c:pull,push""#],
        bearer("https://a.io/token", Some("a.io"), Some("repository:b/c:pull,push"))
    )]
    #[case::blanks_and_capitals(
        &[r#"bearer Realm="https://a.io/token" , Service=a"#],
        bearer("https://a.io/token", Some("a"), None)
    )]
    #[case::quotes_within(&[r#"Bearer realm="https://a.io/\"t\"""#], bearer("https://a.io/\"t\"", None, None))]
    #[case::a_password(&[r#"Basic realm="a, b""#], Some(Challenge::Basic))]
    #[case::a_password_and_no_more(&["Basic"], Some(Challenge::Basic))]
    #[case::the_token_of_both(&[r#"Basic realm="a", Bearer realm="https://b""#], bearer("https://b", None, None))]
    #[case::the_token_of_two_headers(&["Basic", r#"Bearer realm="https://b""#], bearer("https://b", None, None))]
    #[case::first_supported_scheme(&["Negotiate", r#"Digest realm="a", Basic realm="b""#], Some(Challenge::Basic))]
    #[case::no_supported_scheme(&["Negotiate"], None)]
    #[case::token_server_without_a_realm(&["Bearer service=a"], None)]
    #[case::garbage(&["\",=,\"\"=\\"], None)]
    #[case::none(&[], None)]
    fn supported_challenge_is_chosen(#[case] values: &[&str], #[case] expected: Option<Challenge>) {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = value.parse().expect("a header");
            headers.append(header::WWW_AUTHENTICATE, value);
        }
        assert_eq!(chosen(&headers), expected);
    }
}
