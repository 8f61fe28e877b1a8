//! The stamp on an Install: who approved which permissions for which content, sealed by the webhook that saw them do
//! it.
//!
//! A stamp stands in an annotation, which whoever may change Installs can write. So it counts only with the seal
//! of a key that the webhook and the controller share, and only for the Install, the content, the account and the
//! permissions that are in it, and not for long.

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

/// The annotation of an Install that has its stamp.
pub const STAMP: &str = "operators.portolan.dev/approved-by";
/// The name of the configuration of the webhook, and of the policy and its binding by which a stamp comes with an approval
/// alone.
pub const GUARD: &str = "portolan-approvals";
/// The time for which a stamp counts, and by which the clocks of two machines may differ.
const FRESH: SignedDuration = SignedDuration::from_mins(5);
/// The bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// A user, as an API server tells who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Approver {
    pub user: String,
    pub groups: Vec<String>,
    /// Further attributes of the user, such as the scopes of a token. Reviews contain them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The approver, and what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub approver: Approver,
    /// The uid of the Install.
    pub install: String,
    /// Of [`content_digest`].
    pub content: String,
    /// The account that gets the permissions.
    pub account: AccountRef,
    /// All that was lacking. Of what is bound already less is lacking.
    pub permissions: Vec<Permission>,
    pub at: Timestamp,
}

/// The key that stamps are sealed with. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

/// A stamp with its seal, as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Sealed {
    stamp: Value,
    seal: String,
}

/// The subject that a stamp has to be about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) install: &'a str,
    pub(crate) content: &'a str,
    pub(crate) account: &'a AccountRef,
    pub(crate) lacking: &'a [Permission],
}

/// Whether an API server has the webhook look at each approval, and lets a stamp come with nothing else: what the
/// configuration, the policy and its binding say that are there. The webhook seals for whoever asks.
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

/// The annotation by which a change of `spec.approval` names the digest of what it approves.
pub const APPROVES: &str = "operators.portolan.dev/approves";

/// The digest of what an approval covers: this one Install, its content and images, and the permissions that its
/// account gets.
pub fn approval_digest(
    (uid, spec): (&str, &Value),
    account: &AccountRef,
    resolved: &[Resolved],
    permissions: &[Permission],
) -> String {
    // The digests of the manifests say all that is installed. Clients of an earlier version know no more than these.
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

/// The digest of all of a spec but for its approval.
pub fn content_digest(spec: &Value) -> String {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.remove("approval");
    }
    digest(&spec)
}

// === impl Approver ===

impl Approver {
    /// The question whether the approver may do something.
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
    /// The text of the annotation.
    pub fn sealed(&self, key: &Key) -> String {
        let stamp = json!(self);
        let seal = key.seal(&stamp);
        json!(Sealed { stamp, seal }).to_string()
    }

    /// The stamp of an annotation.
    ///
    /// # Errors
    /// It is none, or none that was sealed with this key; in a few words.
    pub fn read(text: &str, key: &Key) -> Result<Self, &'static str> {
        let sealed: Sealed = serde_json::from_str(text).map_err(|_| "the stamp cannot be read")?;
        if !is_same(key.seal(&sealed.stamp).as_bytes(), sealed.seal.as_bytes()) {
            return Err("the stamp is not that of the webhook");
        }
        serde_json::from_value(sealed.stamp).map_err(|_| "the stamp cannot be read")
    }

    /// Why it does not count for this at that time; None if it does.
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
            return Some("the stamp is that of another Install");
        }
        if content != subject.content {
            return Some("the content was changed since it was approved");
        }
        if account != subject.account {
            return Some("the stamp is for another ServiceAccount");
        }
        if !covers(permissions, subject.lacking) {
            return Some("other permissions are lacking than those that were approved");
        }
        let is_fresh = now.duration_since(*at).abs() <= FRESH;
        (!is_fresh).then_some("the stamp is too old")
    }
}

// === impl Key ===

impl Key {
    /// The number of bytes of a key.
    pub const BYTES: usize = 32;

    /// A key of these bytes; None if they are too few.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() >= Self::BYTES).then_some(Self(bytes))
    }

    /// The seal of a stamp: HMAC-SHA256 in hexadecimal digits.
    fn seal(&self, stamp: &Value) -> String {
        let hash = hmac(&self.0, stamp.to_string().as_bytes());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// As RFC 2104 has it.
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

/// Compares in a time that does not tell where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The vectors of RFC 4231.
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
    fn a_seal_is_that_of_the_standard(
        #[case] key: &[u8],
        #[case] message: &[u8],
        #[case] hash: &str,
    ) {
        let made = hmac(key, message);
        let made: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(made, hash);
    }

    #[rstest]
    #[case::all_of_it("", true)]
    #[case::asked_in_vain("/0/webhooks/0/failurePolicy", false)]
    #[case::no_configuration("/0/webhooks", false)]
    #[case::judged_in_vain("/1/spec/failurePolicy", false)]
    #[case::no_policy("/1/spec", false)]
    #[case::told_alone("/2/spec/validationActions/0", false)]
    #[case::another_binding("/2/spec/policyName", false)]
    fn a_guard_is_whole(#[case] other: &str, #[case] expected: bool) {
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
    fn a_key_is_not_printed() {
        let key = Key::new(vec![7; Key::BYTES]).expect("a key");
        assert_eq!(format!("{key:?}"), "Key");
        assert_eq!(Key::new(vec![7; Key::BYTES - 1]), None);
    }
}
