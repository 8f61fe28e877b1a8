//! What OLM has installed, and what operators say of themselves.

use portolan_core_names::text::cite;
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, Condition, OperatorCondition};
use portolan_core_operator::{Api, Installation, Installer, Present, Requirements};
use portolan_world::Key;

/// A ClusterServiceVersion as something that is there.
pub(crate) fn present(key: &Key, csv: &ClusterServiceVersion) -> Present {
    Present {
        object: format!("ClusterServiceVersion {key}"),
        by: Installer::Olm,
        installs: Installation {
            package: csv.package().unwrap_or_default().to_owned(),
            bundle: key.name.to_string(),
            version: csv.spec.version.clone(),
            provides: csv.owned().map(api).collect(),
            requires: Requirements {
                apis: csv.required().map(api).collect(),
                ..Requirements::default()
            },
        },
    }
}

/// A ClusterExtension, whether it has installed something yet or not. What that brings and needs, it
/// does not say.
pub(crate) fn extension(key: &Key, extension: &ClusterExtension) -> Present {
    let bundle = extension.status.install.as_ref();
    let bundle = bundle.map(|install| install.bundle.clone());
    let bundle = bundle.unwrap_or_default();
    Present {
        object: format!("ClusterExtension {}", key.name),
        by: Installer::ClusterExtension,
        installs: Installation {
            package: extension.spec.source.catalog.package_name.clone(),
            bundle: bundle.name,
            version: bundle.version,
            ..Installation::default()
        },
    }
}

/// Why an operator is not to be upgraded now, if it says so, or its administrator, whose word comes
/// first. What the operator says is in the spec, and only where OLM runs in the status, too.
pub(crate) fn not_upgradeable(key: &Key, said: &OperatorCondition) -> Option<String> {
    let about = |all| Condition::about(all, OperatorCondition::UPGRADEABLE);
    let (who, word) = match about(&said.spec.overrides) {
        Some(word) => ("its administrator says", word),
        None => ("the operator says", about(&said.spec.conditions)?),
    };
    word.is_false().then(|| {
        format!(
            "{who} in OperatorCondition {key} that it is not to be upgraded: {} ({})",
            cite(&word.message),
            word.reason
        )
    })
}

fn api(api: portolan_core_olm::Api) -> Api {
    Api {
        group: api.group.to_string(),
        version: api.version.to_string(),
        kind: api.kind.to_string(),
    }
}
