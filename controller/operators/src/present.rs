//! Converts the operators that OLM has installed, and the conditions that operators report about
//! themselves.

use portolan_api::inventory::InstalledOperator;
use portolan_core_names::Gvk;
use portolan_core_names::text::cite;
use portolan_core_olm::{
    ClusterExtension, ClusterServiceVersion, Condition, CsvPhase, OperatorCondition, Subscription,
};
use portolan_core_operator::{
    Csv, Extension, Installation, Installer, Present, Requirements, Subscribed,
};
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
        extension: None,
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

/// Converts a ClusterExtension, even if it has not installed a bundle yet. The status of a
/// ClusterExtension does not contain the APIs that the operator provides and requires.
pub fn present_extension(extension: &ClusterExtension) -> Present {
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
        extension: Some(held(extension)),
    }
}

fn held(extension: &ClusterExtension) -> Extension {
    let metadata = &extension.metadata;
    Extension {
        name: metadata.name.clone().unwrap_or_default(),
        uid: metadata.uid.clone().unwrap_or_default(),
        namespace: extension.spec.namespace.clone(),
        unsettled: unsettled_extension(extension),
        is_terminating: metadata.deletion_timestamp.is_some(),
        version: extension.spec.source.catalog.version.clone(),
        generation: metadata.generation.unwrap_or_default(),
        observed: progressing(extension).and_then(|it| it.observed_generation),
    }
}

/// Returns the reason why the installed bundle may not be the requested one. OLM v1 reports
/// `Succeeded` only if the requested bundle is installed and its objects are up to date.
fn unsettled_extension(extension: &ClusterExtension) -> Option<String> {
    let said = |condition: &Condition| match condition.message.as_str() {
        "" => String::new(),
        message => format!(": {}", cite(message)),
    };
    let installed = Condition::about(&extension.status.conditions, "Installed");
    match installed {
        Some(installed) if installed.is_true() => {}
        Some(installed) => return Some(format!("is not installed{}", said(installed))),
        None => return Some("is not installed yet".to_owned()),
    }
    let Some(progressing) = progressing(extension) else {
        return Some("is not reconciled yet".to_owned());
    };
    if progressing.reason != "Succeeded" {
        let reason = cite(&progressing.reason);
        return Some(format!("is {reason}, not Succeeded{}", said(progressing)));
    }
    (progressing.observed_generation != extension.metadata.generation)
        .then(|| "has a change that OLM v1 has not reconciled yet".to_owned())
}

fn progressing(extension: &ClusterExtension) -> Option<&Condition> {
    Condition::about(&extension.status.conditions, "Progressing")
}

/// Returns the reason why an operator must not be upgraded now. Returns None if there is no reason.
/// A condition from an administrator takes precedence over the operator's own condition. This
/// condition is in the spec and, if OLM is running, also in the status.
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
