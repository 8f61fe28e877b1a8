//! The stamp on an Install records an approval: the user who approved, the approved permissions and
//! the approved content. The webhook that receives the approval seals the stamp.
//!
//! The stamp is in an annotation that every user who may change Installs can write. Therefore it
//! counts only if it is sealed with the key that the webhook and the controller share. It counts
//! only for a short time, and only for the Install, content, account and permissions that it names.

use std::collections::BTreeMap;
use std::fmt;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::authorization::v1::SubjectAccessReviewSpec;
use portolan_api::installs::{AccountRef, Permission, Resolved};
use portolan_core_install::{Access, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::rights::covers;

/// The annotation of an Install that contains the stamp.
pub const STAMP: &str = "operators.portolan.dev/approved-by";
/// The name of three objects: the webhook configuration, the admission policy, and the binding of
/// the policy. They accept a stamp only together with an approval.
pub const GUARD: &str = "portolan-approvals";
/// The time for which a stamp counts. It is also the largest difference between the clocks of two
/// machines that is tolerated.
const FRESH: SignedDuration = SignedDuration::from_mins(5);
/// The block size of SHA-256 in bytes.
const BLOCK: usize = 64;

/// A user, as an admission request describes the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Approver {
    pub user: String,
    pub groups: Vec<String>,
    /// Additional attributes of the user, for example the scopes of a token. Access reviews contain
    /// them too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The record of an approval: the approver, the permissions and the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub approver: Approver,
    /// The uid of the Install.
    pub install: String,
    /// The digest of the approved spec, from [`content_digest`].
    pub content: String,
    /// The ServiceAccount that gets the permissions.
    pub account: AccountRef,
    /// The permissions that were missing when the user approved them. Some of them may have been
    /// granted since then.
    pub permissions: Vec<Permission>,
    pub at: Timestamp,
}

/// The key that seals and verifies stamps. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct StampKey(Vec<u8>);

/// A stamp with its seal, in the form of the annotation.
#[derive(Debug, Serialize, Deserialize)]
struct Sealed {
    stamp: Value,
    seal: String,
}

/// The facts that a valid stamp must match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) install: &'a str,
    pub(crate) content: &'a str,
    pub(crate) account: &'a AccountRef,
    pub(crate) lacking: &'a [Permission],
}

/// Returns true if the webhook configuration, the admission policy and its binding are active. In
/// this case, each approval goes through the webhook, and a stamp is accepted only together with an
/// approval.
///
/// Without these objects, a stamp proves nothing, because the webhook would seal a stamp for any
/// caller.
pub fn is_guarded(configuration: &Value, policy: &Value, binding: &Value) -> bool {
    let webhooks = configuration["webhooks"].as_array();
    let mut webhooks = webhooks.into_iter().flatten();
    let actions = binding["spec"]["validationActions"].as_array();
    let mut actions = actions.into_iter().flatten();
    webhooks.any(|it| it["failurePolicy"] == "Fail")
        && policy["spec"]["failurePolicy"] == "Fail"
        && binding["spec"]["policyName"] == GUARD
        && actions.any(|it| it == "Deny")
}

/// The annotation with the digest of the approval. A client sets it together with `spec.approval`.
pub const APPROVES: &str = "operators.portolan.dev/approves";

/// Returns the digest that identifies an approval. It covers the Install, its content and images,
/// and the permissions of its account.
pub fn approval_digest(
    (uid, spec): (&str, &Value),
    account: &AccountRef,
    resolved: &[Resolved],
    permissions: &[Permission],
) -> String {
    // The descriptions of bundles are omitted. The digests of the manifests already identify the
    // content, and older clients compute the digest without descriptions.
    let resolved = resolved.iter().map(|it| Resolved {
        bundle: None,
        ..it.clone()
    });
    let resolved: Vec<_> = resolved.collect();
    digest(&json!([
        uid,
        content_digest(spec),
        account,
        resolved,
        permissions
    ]))
}

/// Returns the digest of a spec. The field `approval` is ignored.
pub fn content_digest(spec: &Value) -> String {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.remove("approval");
    }
    digest(&spec)
}

// === impl Approver ===

impl Approver {
    /// Returns an access review for the approver.
    pub fn review(&self, access: &Access) -> SubjectAccessReviewSpec {
        let Self {
            user,
            groups,
            extra,
        } = self;
        SubjectAccessReviewSpec {
            extra: Some(extra.clone()),
            ..access.review(user, groups)
        }
    }
}

// === impl Stamp ===

impl Stamp {
    /// Returns the value of the annotation: the stamp with its seal.
    pub fn sealed(&self, key: &StampKey) -> String {
        let stamp = json!(self);
        let seal = key.seal(&stamp);
        json!(Sealed { stamp, seal }).to_string()
    }

    /// Reads a stamp from the value of the annotation.
    ///
    /// # Errors
    ///
    /// Returns a short reason if the text is not a stamp, or if the stamp was not sealed with this
    /// key.
    pub fn read(text: &str, key: &StampKey) -> Result<Self, &'static str> {
        let sealed: Sealed =
            serde_json::from_str(text).map_err(|_| "the approval stamp cannot be read")?;
        if !is_same(key.seal(&sealed.stamp).as_bytes(), sealed.seal.as_bytes()) {
            return Err("the webhook of Portolan did not write the approval stamp");
        }
        serde_json::from_value(sealed.stamp).map_err(|_| "the approval stamp cannot be read")
    }

    /// Returns the reason why the stamp does not count at this time. Returns None if it is valid.
    pub(crate) fn flaw(&self, subject: Subject<'_>, now: Timestamp) -> Option<&'static str> {
        let Self {
            approver: _,
            install,
            content,
            account,
            permissions,
            at,
        } = self;
        if install != subject.install {
            return Some("the approval stamp is for another Install");
        }
        if content != subject.content {
            return Some("the content changed after its approval");
        }
        if account != subject.account {
            return Some("the approval stamp is for another ServiceAccount");
        }
        if !covers(permissions, subject.lacking) {
            return Some("the missing permissions differ from the approved permissions");
        }
        let is_fresh = now.duration_since(*at).abs() <= FRESH;
        (!is_fresh).then_some("the approval stamp is too old")
    }
}

// === impl StampKey ===

impl StampKey {
    /// The minimum number of bytes in a key.
    pub const BYTES: usize = 32;

    /// Returns a key with these bytes. Returns None if there are too few bytes.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() >= Self::BYTES).then_some(Self(bytes))
    }

    /// Returns the seal of a stamp, which is its HMAC-SHA256 in hexadecimal digits.
    fn seal(&self, stamp: &Value) -> String {
        let hash = hmac(&self.0, stamp.to_string().as_bytes());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for StampKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Computes an HMAC-SHA256 as defined in RFC 2104.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        let hash = Sha256::digest(key);
        block[..hash.len()].copy_from_slice(&hash);
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let padded = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(message);
    let outer = Sha256::new()
        .chain_update(padded(0x5c))
        .chain_update(inner.finalize());
    outer.finalize().to_vec()
}

/// Compares two values in constant time, so that the time reveals nothing about a seal.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// These are the test vectors of RFC 4231.
    #[rstest]
    #[case(&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")]
    #[case(
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )]
    #[case(
        &[0xaa; 131],
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    )]
    fn seal_matches_rfc_4231_test_vectors(
        #[case] key: &[u8],
        #[case] message: &[u8],
        #[case] hash: &str,
    ) {
        let made = hmac(key, message);
        let made: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(made, hash);
    }

    #[rstest]
    #[case::complete("", true)]
    #[case::webhook_ignores_failures("/0/webhooks/0/failurePolicy", false)]
    #[case::webhook_configuration_is_missing("/0/webhooks", false)]
    #[case::policy_ignores_failures("/1/spec/failurePolicy", false)]
    #[case::policy_is_missing("/1/spec", false)]
    #[case::binding_only_audits("/2/spec/validationActions/0", false)]
    #[case::binding_is_for_another_policy("/2/spec/policyName", false)]
    fn guard_requires_webhook_policy_and_binding(#[case] other: &str, #[case] expected: bool) {
        let mut guard = json!([
            {"webhooks": [{"failurePolicy": "Fail"}]},
            {"spec": {"failurePolicy": "Fail"}},
            {"spec": {"policyName": GUARD, "validationActions": ["Deny"]}},
        ]);
        if !other.is_empty() {
            *guard.pointer_mut(other).expect("a field") = json!("Ignore");
        }
        assert_eq!(is_guarded(&guard[0], &guard[1], &guard[2]), expected);
    }

    #[test]
    fn key_is_not_printed() {
        let key = StampKey::new(vec![7; StampKey::BYTES]).expect("a key");
        assert_eq!(format!("{key:?}"), "Key");
        assert_eq!(StampKey::new(vec![7; StampKey::BYTES - 1]), None);
    }
}
