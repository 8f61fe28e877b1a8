//! The ServiceAccount whose permissions are used to install an Install.

use portolan_api::installs::{AccountRef, GROUP, Mapping, VERSION};
use serde_json::{Value, json};

/// The number of digits of the uid in the name of an account.
const DIGITS: usize = 8;
/// The maximum length of the readable part of a name. Names of plans consist of the account name
/// and a digest.
const LONGEST: usize = 40;

/// The ServiceAccount in an OperatorGroup, which applies to the namespace of the OperatorGroup.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    pub namespace: String,
    /// The ServiceAccount. Empty if the OperatorGroup specifies none.
    pub service_account: String,
    /// True if the OperatorGroup allows Installs to run as this ServiceAccount.
    pub is_inherited: bool,
}

/// Returns the name of the ServiceAccount generated for an Install. The uid makes it unique to this
/// Install.
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

/// Returns the account of an Install. If the target namespace has exactly one OperatorGroup, and
/// this OperatorGroup allows Installs to use its ServiceAccount, returns this ServiceAccount.
/// Otherwise returns a generated account in the namespace of Portolan.
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

/// Builds the manifest of the generated ServiceAccount.
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

/// Builds the owner reference to an Install.
pub(crate) fn owner(install: &str, uid: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{VERSION}"), "kind": "Install", "name": install, "uid": uid,
    })
}

/// The instruction that explains how a user allows Installs to use an OperatorGroup's account.
pub(crate) const WAY_IN: &str =
    "the annotation operators.portolan.dev/installs=true of its OperatorGroup";
