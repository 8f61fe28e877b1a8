//! Selects the ServiceAccount with whose permissions the objects of an Install are created.

use portolan_api::installs::{AccountRef, GROUP, Mapping, VERSION};
use serde_json::{Value, json};

/// The number of digits of the uid in the name of an account.
const DIGITS: usize = 8;
/// The maximum length of the readable part of an account name. The name of a plan is the account
/// name and a digest, so it is longer.
const LONGEST: usize = 40;

/// An OperatorGroup, reduced to the ServiceAccount that it sets for its namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    pub namespace: String,
    /// The name of the ServiceAccount. Empty if the OperatorGroup sets none.
    pub service_account: String,
    /// True if the OperatorGroup allows Installs to use this ServiceAccount.
    pub is_inherited: bool,
}

/// Returns the name of the ServiceAccount that is generated for an Install. Digits of the uid make
/// the name unique.
pub fn account_name(install: &str, uid: &str) -> String {
    let readable = install.replace('.', "-");
    let readable: String = readable.chars().take(LONGEST).collect();
    let readable = readable.trim_end_matches('-');
    let digits: String = uid
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(DIGITS)
        .collect();
    format!("{readable}-{digits}")
}

/// Returns the ServiceAccount of an Install. This is the ServiceAccount of the OperatorGroup in the
/// target namespace, if the namespace has exactly one OperatorGroup and this OperatorGroup allows
/// Installs to use the account. Otherwise, it is a generated ServiceAccount in the namespace of
/// Portolan.
pub(crate) fn account(
    (install, uid): (&str, &str),
    mapping: &Mapping,
    groups: &[Group],
    home: &str,
) -> AccountRef {
    inherited(mapping, groups).unwrap_or_else(|| AccountRef {
        name: account_name(install, uid),
        namespace: home.to_owned(),
    })
}

pub(crate) fn inherited(mapping: &Mapping, groups: &[Group]) -> Option<AccountRef> {
    let target = mapping.target()?;
    let mut groups = groups.iter().filter(|it| it.namespace == target);
    let (only, None) = (groups.next()?, groups.next()) else {
        return None;
    };
    let is_open = only.is_inherited && !only.service_account.is_empty();
    is_open.then(|| AccountRef {
        name: only.service_account.clone(),
        namespace: only.namespace.clone(),
    })
}

/// Returns the manifest of the generated ServiceAccount.
pub(crate) fn made(account: &AccountRef, (install, uid): (&str, &str)) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {
            "name": account.name,
            "namespace": account.namespace,
            "ownerReferences": [owner(install, uid)],
        },
        "automountServiceAccountToken": false,
    })
}

/// Returns an owner reference to the Install.
pub(crate) fn owner(install: &str, uid: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{VERSION}"), "kind": "Install", "name": install, "uid": uid,
    })
}

/// The end of a sentence that explains how a user allows Installs to use the ServiceAccount of an
/// OperatorGroup.
pub(crate) const WAY_IN: &str =
    "the annotation operators.portolan.dev/installs=true of its OperatorGroup";
