//! The digest of content. Registries identify content by its digest.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use sha2::{Digest as _, Sha256, Sha512};
use thiserror::Error;

/// A digest such as `sha256:2d1f…` in canonical form: the name of the algorithm, and a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct OciDigest {
    algorithm: Algorithm,
    hex: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Algorithm {
    Sha256,
    Sha512,
}

/// An invalid digest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is not a digest: {flaw}")]
pub struct ParseDigest {
    text: String,
    flaw: &'static str,
}

/// Computes a digest incrementally, while the bytes arrive.
#[derive(Clone)]
pub(crate) enum Hasher {
    Sha256(Sha256),
    Sha512(Sha512),
}

// === impl OciDigest ===

impl OciDigest {
    /// Computes the SHA-256 of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::Sha256(Sha256::new());
        hasher.add(bytes);
        hasher.finish()
    }

    /// Returns the name of the algorithm, such as `sha256`.
    pub fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Returns the hash, in lower-case hexadecimal digits.
    pub fn hex(&self) -> &str {
        &self.hex
    }

    /// Returns a hasher with the algorithm of this digest.
    pub(crate) fn hasher(&self) -> Hasher {
        match self.algorithm {
            Algorithm::Sha256 => Hasher::Sha256(Sha256::new()),
            Algorithm::Sha512 => Hasher::Sha512(Sha512::new()),
        }
    }

    /// Computes the digest of these bytes with the same algorithm.
    pub(crate) fn same_of(&self, bytes: &[u8]) -> Self {
        let mut hasher = self.hasher();
        hasher.add(bytes);
        hasher.finish()
    }
}

impl fmt::Display for OciDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm.name(), self.hex)
    }
}

impl FromStr for OciDigest {
    type Err = ParseDigest;

    fn from_str(text: &str) -> Result<Self, ParseDigest> {
        let flawed = |flaw| ParseDigest {
            text: text.chars().take(200).collect(),
            flaw,
        };
        let (algorithm, hex) = match text.split_once(':') {
            Some(("sha256", hex)) => (Algorithm::Sha256, hex),
            Some(("sha512", hex)) => (Algorithm::Sha512, hex),
            _ => return Err(flawed("it must begin with sha256: or sha512:")),
        };
        if !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(flawed("its digits must be 0 to 9 and a to f"));
        }
        if hex.len() != algorithm.digits() {
            return Err(flawed(match algorithm {
                Algorithm::Sha256 => "sha256 has 64 digits",
                Algorithm::Sha512 => "sha512 has 128 digits",
            }));
        }
        Ok(Self {
            algorithm,
            hex: hex.to_owned(),
        })
    }
}

impl TryFrom<String> for OciDigest {
    type Error = ParseDigest;

    fn try_from(text: String) -> Result<Self, ParseDigest> {
        text.parse()
    }
}

// === impl Algorithm ===

impl Algorithm {
    fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
        }
    }

    fn digits(self) -> usize {
        match self {
            Self::Sha256 => 64,
            Self::Sha512 => 128,
        }
    }
}

// === impl Hasher ===

impl Hasher {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(hasher) => hasher.update(bytes),
            Self::Sha512(hasher) => hasher.update(bytes),
        }
    }

    pub(crate) fn finish(self) -> OciDigest {
        match self {
            Self::Sha256(hasher) => OciDigest {
                algorithm: Algorithm::Sha256,
                hex: hex(&hasher.finalize()),
            },
            Self::Sha512(hasher) => OciDigest {
                algorithm: Algorithm::Sha512,
                hex: hex(&hasher.finalize()),
            },
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn bytes_have_the_digest_that_sha256sum_prints() {
        let known = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(OciDigest::of(b"abc").to_string(), known);
        assert_eq!(known.parse(), Ok(OciDigest::of(b"abc")));
    }

    #[test]
    fn digest_is_compared_with_its_own_algorithm() {
        let known = "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                     2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        let digest: OciDigest = known.parse().expect("a digest");
        assert_eq!(digest.same_of(b"abc"), digest);
        assert_ne!(digest.same_of(b"abC"), digest);
    }

    #[rstest]
    #[case::nothing("", "it must begin with sha256: or sha512:")]
    #[case::another_algorithm("md5:00", "it must begin with sha256: or sha512:")]
    #[case::too_short("sha256:00", "sha256 has 64 digits")]
    #[case::upper_case("sha256:AF", "its digits must be 0 to 9 and a to f")]
    #[case::a_path("sha256:../../etc/passwd", "its digits must be 0 to 9 and a to f")]
    fn invalid_digest_is_refused(#[case] text: &str, #[case] flaw: &str) {
        let refused = text
            .parse::<OciDigest>()
            .expect_err("no digest")
            .to_string();
        assert_eq!(refused, format!("{text:?} is not a digest: {flaw}"));
    }
}
