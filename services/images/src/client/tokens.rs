//! Authenticates at registries, with a password in each request or with a token. A token server
//! issues the token for the password.
//!
//! A token server may be a different host. Only the registry to which the credentials belong may
//! name the token server. The token server is contacted over TLS, unless plain HTTP is permitted
//! for it. Its redirects are not followed.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use serde::Deserialize;

use super::body::Body;
use super::{Client, Target, plain_request, unknown};
use crate::challenge::Challenge;
use crate::credentials::Login;
use crate::failure::{Answer, Failure, Unknown};
use crate::reference::Repository;
use crate::retry;

/// The maximum size of a response from a token server, in bytes.
const LONGEST_TOKEN: u64 = 256 << 10;

#[derive(Deserialize)]
struct Given {
    token: Option<String>,
    access_token: Option<String>,
}

// === impl Client ===

impl Client {
    /// Returns the value of the header that authenticates the client at a registry, with the method
    /// that the registry requires.
    pub(super) async fn proof(
        &self,
        repository: &Repository,
        challenge: Option<Challenge>,
    ) -> Result<HeaderValue, Failure> {
        let login = self.options.credentials.login(repository);
        let login = login.map_err(|kept| unknown(repository, Unknown::Helper(kept)))?;
        match (challenge, login) {
            (_, Some(Login::Registry(token))) => {
                secret(&format!("Bearer {token}")).ok_or_else(|| declined(repository))
            }
            (Some(Challenge::Basic), Some(Login::Password { user, password })) => {
                basic(user, password).ok_or_else(|| declined(repository))
            }
            (Some(Challenge::Basic), Some(Login::Identity(_))) => Err(declined(repository)),
            (Some(Challenge::Basic) | None, _) => Err(unknown(repository, Unknown::NoLogin)),
            (Some(Challenge::Bearer { realm, service, .. }), login) => {
                let service = service.unwrap_or_default();
                let token = self.token(repository, &realm, &service, login).await?;
                secret(&format!("Bearer {token}")).ok_or_else(|| declined(repository))
            }
        }
    }

    async fn token(
        &self,
        repository: &Repository,
        realm: &str,
        service: &str,
        login: Option<&Login>,
    ) -> Result<String, Failure> {
        let failed = |why: String| unknown(repository, Unknown::Tokens(why));
        // The client sets the scope itself and ignores the scope that the registry requests.
        let scope = format!("repository:{}:pull", repository.path());
        let fields = [("service", service), ("scope", &scope)];
        let question = match login {
            Some(Login::Identity(token)) => {
                let own = [
                    ("grant_type", "refresh_token"),
                    ("client_id", "portolan"),
                    ("refresh_token", token),
                ];
                (
                    Method::POST,
                    realm.to_owned(),
                    form(&[&own[..], &fields].concat()),
                )
            }
            _ => {
                let mark = if realm.contains('?') { '&' } else { '?' };
                let asked = format!("{realm}{mark}{}", form(&fields));
                (Method::GET, asked, String::new())
            }
        };
        let (method, url, body) = question;
        let target = Target::of(&url);
        let target = target.ok_or_else(|| failed(format!("{realm:?} is not an address")))?;
        self.may_be_led_to(&target)?;
        let mut request = plain_request(method, target.uri.clone(), Bytes::from(body));
        let headers = request.headers_mut();
        match login {
            Some(Login::Password { user, password }) => {
                let proof = basic(user, password).ok_or_else(|| declined(repository))?;
                headers.insert(header::AUTHORIZATION, proof);
            }
            Some(Login::Identity(_)) => {
                let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
                headers.insert(header::CONTENT_TYPE, kind);
            }
            Some(Login::Registry(_)) | None => {}
        }
        let answer = self.send(request).await?;
        let host = target.authority.as_str();
        match answer.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if login.is_some() => {
                return Err(declined(repository));
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(unknown(repository, Unknown::NoLogin));
            }
            status => {
                let after = retry::wish(answer.headers(), SystemTime::now());
                let answer = Answer {
                    status,
                    what: "a token".to_owned(),
                    said: String::new(),
                    after,
                };
                let host = host.to_owned();
                return Err(Failure::Status { host, answer });
            }
        }
        let mut body = Body::new(host, answer.into_body(), &self.options);
        let body = body.up_to(LONGEST_TOKEN).await?;
        // The error of serde is dropped, because its message could contain a part of the token.
        let given: Option<Given> = serde_json::from_slice(&body).ok();
        let token = given.and_then(|given| given.token.or(given.access_token));
        token.ok_or_else(|| failed(format!("{host} did not send a token")))
    }
}

fn declined(repository: &Repository) -> Failure {
    unknown(repository, Unknown::Declined)
}

fn basic(user: &str, password: &str) -> Option<HeaderValue> {
    secret(&format!(
        "Basic {}",
        STANDARD.encode(format!("{user}:{password}"))
    ))
}

/// Returns a header value that is hidden in logs.
fn secret(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Encodes the fields for the query of a URL, or for the body of a form.
fn form(fields: &[(&str, &str)]) -> String {
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let fields: Vec<_> = fields
        .map(|(name, value)| format!("{name}={}", encoded(value)))
        .collect();
    fields.join("&")
}

fn encoded(value: &str) -> String {
    let bytes = value.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    });
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_fields_are_percent_encoded() {
        let fields = [
            ("service", "a b&scope=x"),
            ("none", ""),
            ("scope", "r:a/b:pull"),
        ];
        assert_eq!(
            form(&fields),
            "service=a%20b%26scope%3Dx&scope=r%3Aa%2Fb%3Apull"
        );
    }

    #[test]
    fn debug_output_hides_credentials() {
        let proof = basic("me", "secret").expect("a header");
        assert_eq!(format!("{proof:?}"), "Sensitive");
        assert_eq!(proof, "Basic bWU6c2VjcmV0");
    }
}
