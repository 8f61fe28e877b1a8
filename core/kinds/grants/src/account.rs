//! The account as which an Install is carried out.

use portolan_api::installs::{AccountRef, GROUP, Mapping, VERSION};
use serde_json::{Value, json};

/// The number of digits of the uid that are in the name of an account.
const DIGITS: usize = 8;
/// The longest beginning of a name: plans that are named after the account have a digest behind it.
const LONGEST: usize = 40;

/// The statement of an OperatorGroup about the ServiceAccount of its namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    pub namespace: String,
    /// Empty where it names none.
    pub service_account: String,
    /// Whether whoever owns it lets Installs act as that ServiceAccount.
    pub is_inherited: bool,
}

/// The name of the account that is generated for an Install, which no other Install has ever had.
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

/// The account of an Install: that of the only OperatorGroup of the namespace that it is installed into, where
/// that one opens it to Installs, else one of its own in the namespace of Portolan.
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

/// The account as it is made.
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

/// By what an object says that it belongs to an Install.
pub(crate) fn owner(install: &str, uid: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{VERSION}"), "kind": "Install", "name": install, "uid": uid,
    })
}

/// The way in which an OperatorGroup is opened to Installs, for people.
pub(crate) const WAY_IN: &str =
    "the annotation operators.portolan.dev/installs=true of its OperatorGroup";
