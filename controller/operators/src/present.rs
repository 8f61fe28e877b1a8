//! What OLM has installed.

use portolan_core_olm::ClusterServiceVersion;
use portolan_core_operator::{Api, Installation, Installer, Present, Requirements};
use portolan_world::Key;

/// A ClusterServiceVersion as something that is there.
pub(crate) fn present(key: &Key, csv: &ClusterServiceVersion) -> Present {
    let spec = &csv.spec;
    let (custom, served) = (&spec.custom_resources, &spec.served);
    let apis = |owned: bool| {
        let custom = if owned {
            &custom.owned
        } else {
            &custom.required
        };
        let custom = custom.iter().map(|it| Api {
            // The name of a definition: the plural and the group.
            group: it
                .name
                .split_once('.')
                .map_or("", |(_, group)| group)
                .to_owned(),
            version: it.version.clone(),
            kind: it.kind.clone(),
        });
        let served = if owned {
            &served.owned
        } else {
            &served.required
        };
        let served = served.iter().map(|it| Api {
            group: it.group.clone(),
            version: it.version.clone(),
            kind: it.kind.clone(),
        });
        custom.chain(served).collect()
    };
    Present {
        object: format!("ClusterServiceVersion {key}"),
        by: Installer::Olm,
        installs: Installation {
            package: csv.package().unwrap_or_default().to_owned(),
            bundle: key.name.to_string(),
            version: spec.version.clone(),
            provides: apis(true),
            requires: Requirements {
                apis: apis(false),
                ..Requirements::default()
            },
        },
    }
}
