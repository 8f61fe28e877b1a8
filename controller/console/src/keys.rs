//! The keys of this process. They protect session cookies, form tokens, and the secret in the
//! printed address.
//!
//! The server stores no sessions, because a cookie contains the whole session. Only this process
//! has the key, so no other process can create valid cookies. The key is lost when the process
//! ends, and earlier cookies are then invalid.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use thiserror::Error;

/// The length of session names, secrets and keys, in bytes.
const BYTES: usize = 32;
/// The purpose that a sealed cookie contains. A cookie that was sealed for another purpose is
/// invalid.
const PURPOSE: &[u8] = b"portolan console session 1";

/// The error for a system without a source of random numbers.
#[derive(Debug, Error)]
#[error("the system has no source of random numbers")]
pub struct NoRandom;

/// The keys of a process.
pub(crate) struct Keys {
    seal: LessSafeKey,
    forms: hmac::Key,
    random: SystemRandom,
}

/// A session of a visitor. The session has a random name, and contains the visitor's token for the
/// cluster. On loopback, the token is empty.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct VisitorSession {
    name: [u8; BYTES],
    pub(crate) token: String,
    /// The only namespace to read if the visitor may not read all namespaces. Empty if the visitor
    /// entered no namespace.
    pub(crate) namespace: String,
}

/// The secret in the printed address. The secret is never logged, and is compared in constant time.
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

    /// Returns the session of a client that sends its token with each request instead of a cookie.
    /// The same token always results in the same session.
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

    /// Encrypts a session as the value of a cookie.
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

    /// Decrypts the session in a cookie. Returns None if another process created the cookie, or if
    /// the cookie was changed.
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

    /// Returns the form token of this session. Each form of the session's pages contains it.
    pub(crate) fn token(&self, session: &VisitorSession) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.forms, &session.name))
    }

    /// Returns true if `token` is the form token of this session.
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

    /// Returns true if `text` is the secret. The comparison takes constant time.
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
        // Each cookie has a random nonce, so the same session has a different cookie each time.
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
