//! The keys of a process. They protect the secret of its address, cookies, and form tokens.
//!
//! The server stores no state for visitors, because the cookie contains the whole session. Only
//! this process has the key and can create cookies. The key is lost when the process ends.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use thiserror::Error;

/// The length of the names of sessions and of the secrets, in bytes.
const BYTES: usize = 32;
/// The purpose of a sealed cookie. A cookie with another purpose is invalid.
const PURPOSE: &[u8] = b"portolan console session 1";

/// The machine has no random numbers.
#[derive(Debug, Error)]
#[error("the system has no source of random numbers")]
pub struct NoRandom;

/// The keys of a process.
pub(crate) struct Keys {
    seal: LessSafeKey,
    forms: hmac::Key,
    random: SystemRandom,
}

/// A session of a visitor: a random name, and the visitor's token for the cluster, which is empty
/// on loopback.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct VisitorSession {
    name: [u8; BYTES],
    pub(crate) token: String,
    /// The namespace to show if the visitor has no permission for all namespaces. Empty if no
    /// namespace is set.
    pub(crate) namespace: String,
}

/// The secret in an address. It is compared in constant time and never logged.
pub(crate) struct Secret {
    text: String,
    key: hmac::Key,
}

// === impl Keys ===

impl Keys {
    pub(crate) fn new() -> Result<Self, NoRandom> {
        let random = SystemRandom::new();
        let seal = UnboundKey::new(&AES_256_GCM, &bytes(&random)?).map_err(|_| NoRandom)?;
        Ok(Self {
            seal: LessSafeKey::new(seal),
            forms: hmac::Key::new(hmac::HMAC_SHA256, &bytes(&random)?),
            random,
        })
    }

    /// Creates a session with a new random name.
    pub(crate) fn begin(
        &self,
        token: String,
        namespace: String,
    ) -> Result<VisitorSession, NoRandom> {
        let name = bytes(&self.random)?;
        Ok(VisitorSession {
            name,
            token,
            namespace,
        })
    }

    /// Returns the session of a client that sends a token with each request. The same token always
    /// results in the same session.
    pub(crate) fn of_bearer(&self, token: &str) -> VisitorSession {
        let tag = hmac::sign(&self.forms, format!("bearer {token}").as_bytes());
        let mut name = [0; BYTES];
        name.copy_from_slice(&tag.as_ref()[..BYTES]);
        VisitorSession {
            name,
            token: token.to_owned(),
            namespace: String::new(),
        }
    }

    /// Creates a new random secret.
    pub(crate) fn secret(&self) -> Result<Secret, NoRandom> {
        Ok(Secret {
            text: URL_SAFE_NO_PAD.encode(bytes(&self.random)?),
            key: hmac::Key::new(hmac::HMAC_SHA256, &bytes(&self.random)?),
        })
    }

    /// Seals a session as the value of a cookie.
    pub(crate) fn seal(&self, session: &VisitorSession) -> Result<String, NoRandom> {
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).map_err(|_| NoRandom)?;
        let VisitorSession {
            name,
            token,
            namespace,
        } = session;
        let texts = format!("{token}\n{namespace}");
        let mut sealed = [name.as_slice(), texts.as_bytes()].concat();
        let of = Nonce::assume_unique_for_key(nonce);
        let done = self
            .seal
            .seal_in_place_append_tag(of, Aad::from(PURPOSE), &mut sealed);
        done.map_err(|_| NoRandom)?;
        let parts = [nonce.as_slice(), sealed.as_slice()];
        Ok(URL_SAFE_NO_PAD.encode(parts.concat()))
    }

    /// Returns the session in a cookie. Returns None if this process has not sealed the cookie.
    pub(crate) fn open(&self, cookie: &str) -> Option<VisitorSession> {
        let bytes = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        let opened = self
            .seal
            .open_in_place(nonce, Aad::from(PURPOSE), &mut sealed);
        let (name, texts) = opened.ok()?.split_first_chunk()?;
        let (token, namespace) = std::str::from_utf8(texts).ok()?.split_once('\n')?;
        Some(VisitorSession {
            name: *name,
            token: token.to_owned(),
            namespace: namespace.to_owned(),
        })
    }

    /// Returns the token for forms on pages of this session.
    pub(crate) fn token(&self, session: &VisitorSession) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.forms, &session.name))
    }

    /// Returns true if the text is the form token of the session.
    pub(crate) fn is_token(&self, session: &VisitorSession, token: &str) -> bool {
        let bytes = URL_SAFE_NO_PAD.decode(token);
        bytes.is_ok_and(|bytes| hmac::verify(&self.forms, &session.name, &bytes).is_ok())
    }
}

fn bytes(random: &SystemRandom) -> Result<[u8; BYTES], NoRandom> {
    let mut bytes = [0; BYTES];
    random.fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes)
}

// === impl Secret ===

impl Secret {
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if the text is the secret. Compares in constant time.
    pub(crate) fn is(&self, text: &str) -> bool {
        let tag = hmac::sign(&self.key, text.as_bytes());
        hmac::verify(&self.key, self.text.as_bytes(), tag.as_ref()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_of_another_process_is_rejected() {
        let keys = Keys::new().expect("keys");
        let session = keys
            .begin("a-token".to_owned(), "harbor".to_owned())
            .expect("a session");
        let cookie = keys.seal(&session).expect("a cookie");
        assert!(keys.open(&cookie).is_some_and(|opened| opened == session));
        let others = Keys::new().expect("keys");
        assert!(others.open(&cookie).is_none());
        // The same session gets a different cookie each time.
        assert_ne!(keys.seal(&session).expect("a cookie"), cookie);
    }

    #[test]
    fn cookie_with_a_changed_bit_is_rejected() {
        let keys = Keys::new().expect("keys");
        let session = keys
            .begin("a-token".to_owned(), "harbor".to_owned())
            .expect("a session");
        let cookie = keys.seal(&session).expect("a cookie");
        let bytes = URL_SAFE_NO_PAD.decode(&cookie).expect("bytes");
        for at in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[at / 8] ^= 1 << (at % 8);
            assert!(keys.open(&URL_SAFE_NO_PAD.encode(forged)).is_none(), "{at}");
        }
        for length in 0..cookie.len() {
            assert!(keys.open(&cookie[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn cookie_hides_the_token() {
        let keys = Keys::new().expect("keys");
        let session = keys
            .begin("a-token".to_owned(), "harbor".to_owned())
            .expect("a session");
        let cookie = keys.seal(&session).expect("a cookie");
        let bytes = URL_SAFE_NO_PAD.decode(&cookie).expect("bytes");
        assert!(!bytes.windows(7).any(|part| part == b"a-token"));
        assert_eq!(
            keys.open(&cookie).map(|it| it.token),
            Some("a-token".to_owned())
        );
    }

    #[test]
    fn equal_tokens_have_the_same_session() {
        let keys = Keys::new().expect("keys");
        let tokens = ["one", "one", "other"].map(|it| keys.token(&keys.of_bearer(it)));
        assert_eq!(tokens[0], tokens[1]);
        assert_ne!(tokens[0], tokens[2]);
    }

    #[test]
    fn form_token_of_another_session_is_rejected() {
        let keys = Keys::new().expect("keys");
        let [one, other] = [(); 2].map(|()| {
            keys.begin("a-token".to_owned(), "harbor".to_owned())
                .expect("a session")
        });
        let token = keys.token(&one);
        assert!(keys.is_token(&one, &token));
        assert!(!keys.is_token(&other, &token));
        assert!(!keys.is_token(&one, ""));
    }

    #[test]
    fn only_the_same_secret_is_accepted() {
        let keys = Keys::new().expect("keys");
        let secret = keys.secret().expect("a secret");
        assert!(secret.is(secret.as_str()));
        assert!(!secret.is(&secret.as_str()[1..]));
        assert!(!secret.is(""));
        assert!(secret.as_str().len() >= 43);
    }
}
