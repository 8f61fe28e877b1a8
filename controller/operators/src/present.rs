//! What OLM has installed.

use portolan_core_olm::ClusterServiceVersion;
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

fn api(api: portolan_core_olm::Api) -> Api {
    Api {
        group: api.group.to_string(),
        version: api.version.to_string(),
        kind: api.kind.to_string(),
    }
}
