//! Reads the state of a Lease before a process tries to acquire it.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client};

/// The state of a Lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseState {
    /// No process holds the Lease.
    Free,
    /// The process with this name holds the Lease. This process may have died without releasing the
    /// Lease.
    HeldBy(String),
    /// The namespace of the Lease does not exist.
    NoNamespace,
}

/// Returns the state of a Lease.
///
/// # Errors
/// Returns an error if the Lease cannot be read.
pub async fn lease_state(client: &Client, namespace: &str, name: &str) -> kube::Result<LeaseState> {
    let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
    if let Some(lease) = leases.get_opt(name).await? {
        return Ok(state(&lease));
    }
    let namespaces: Api<Namespace> = Api::all(client.clone());
    Ok(match namespaces.get_opt(namespace).await {
        Ok(None) => LeaseState::NoNamespace,
        // If the user may not read namespaces, the namespace is assumed to exist.
        Ok(Some(_)) | Err(_) => LeaseState::Free,
    })
}

fn state(lease: &Lease) -> LeaseState {
    let holder = lease
        .spec
        .as_ref()
        .and_then(|spec| spec.holder_identity.clone());
    let holder = holder.filter(|holder| !holder.is_empty());
    holder.map_or(LeaseState::Free, LeaseState::HeldBy)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::coordination::v1::LeaseSpec;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::never_held(None, LeaseState::Free)]
    #[case::released(Some(""), LeaseState::Free)]
    #[case::held(Some("controller-0"), LeaseState::HeldBy("controller-0".to_owned()))]
    fn lease_state_follows_holder_identity(
        #[case] holder: Option<&str>,
        #[case] expected: LeaseState,
    ) {
        let spec = LeaseSpec {
            holder_identity: holder.map(str::to_owned),
            ..LeaseSpec::default()
        };
        let lease = Lease {
            spec: Some(spec),
            ..Lease::default()
        };
        assert_eq!(state(&lease), expected);
    }
}
