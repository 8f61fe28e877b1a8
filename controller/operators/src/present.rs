//! Converts the operators that OLM has installed, and the conditions that operators report about
//! themselves.

use portolan_api::inventory::InstalledOperator;
use portolan_core_names::Gvk;
use portolan_core_names::text::cite;
use portolan_core_olm::{
    ClusterExtension, ClusterServiceVersion, Condition, CsvPhase, OperatorCondition, Subscription,
};
use portolan_core_operator::{Csv, Installation, Installer, Present, Requirements, Subscribed};
use portolan_world::Key;

/// Converts an installed ClusterServiceVersion.
pub fn present(key: &Key, csv: &ClusterServiceVersion) -> Present {
    let installed = InstalledOperator::of_csv(csv);
    Present {
        object: installed.title(),
        by: Installer::Olm,
        installs: Installation {
            package: installed.package,
            bundle: installed.bundle,
            version: installed.version,
            provides: csv.owned().map(api).collect(),
            requires: requires(csv),
            is_remembered: false,
        },
        csv: Some(Csv {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            uid: csv.metadata.uid.clone().unwrap_or_default(),
            unsettled: unsettled(csv),
            is_terminating: csv.metadata.deletion_timestamp.is_some(),
            finalizers: csv.metadata.finalizers.clone().unwrap_or_default(),
        }),
    }
}

/// Returns the requirements of a ClusterServiceVersion. Required packages are included only if the
/// ClusterServiceVersion names its bundle.
fn requires(csv: &ClusterServiceVersion) -> Requirements {
    Requirements {
        packages: csv.required_packages(),
        apis: csv.required().map(api).collect(),
        ..Requirements::default()
    }
}

fn unsettled(csv: &ClusterServiceVersion) -> Option<String> {
    let phase = &csv.status.phase;
    (*phase != CsvPhase::Succeeded).then(|| {
        let message = match csv.status.message.as_str() {
            "" => String::new(),
            message => format!(": {}", cite(message)),
        };
        format!("is {phase}, not Succeeded{message}")
    })
}

/// Converts a Subscription. The result includes the version to which OLM is upgrading.
pub fn subscribed(key: &Key, subscription: &Subscription) -> Subscribed {
    Subscribed {
        namespace: key.namespace.to_string(),
        name: key.name.to_string(),
        package: subscription.spec.package.clone(),
        installed: subscription.status.installed_csv.clone(),
        // If a Subscription is deleted, an upgrade that waits for approval is cancelled.
        on_the_way: subscription.on_the_way().map(str::to_owned),
    }
}

/// Converts a ClusterExtension, even if it has not installed a bundle yet. Its status does not
/// contain the APIs that the operator provides and requires.
pub(crate) fn extension(extension: &ClusterExtension) -> Present {
    let installed = InstalledOperator::of_extension(extension);
    Present {
        object: installed.title(),
        by: Installer::ClusterExtension,
        installs: Installation {
            package: installed.package,
            bundle: installed.bundle,
            version: installed.version,
            ..Installation::default()
        },
        csv: None,
    }
}

/// Returns the reason why an operator must not be upgraded now. Returns None if the operator may be
/// upgraded. A condition from an administrator takes precedence over a condition from the operator.
/// The operator's condition is in the spec. If OLM is running, it is also in the status.
pub(crate) fn not_upgradeable(key: &Key, said: &OperatorCondition) -> Option<String> {
    let about = |all| Condition::about(all, OperatorCondition::UPGRADEABLE);
    let (who, word) = match about(&said.spec.overrides) {
        Some(word) => ("the administrator of the operator specifies", word),
        None => ("the operator reports", about(&said.spec.conditions)?),
    };
    word.is_false().then(|| {
        format!(
            "{who} in OperatorCondition {key} that the operator must not be upgraded: {} ({})",
            cite(&word.message),
            word.reason
        )
    })
}

fn api(api: portolan_core_olm::Api) -> Gvk {
    Gvk {
        group: api.group.to_string(),
        version: api.version.to_string(),
        kind: api.kind.to_string(),
    }
}
