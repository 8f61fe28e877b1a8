//! What a bundle is, as its properties tell.

use std::collections::BTreeSet;

use portolan_core_approval::{Api, Identity, Need};
use portolan_core_names::{PackageName, Version};
use portolan_core_olm::{Properties, Requires};

use super::need;

/// None where the properties do not speak of a package; an error where what they say is no name of
/// one.
pub(super) fn identity(properties: &Properties) -> Option<Result<Identity, String>> {
    let Properties {
        package,
        version,
        provides,
        requires,
    } = properties;
    if package.is_empty() {
        return None;
    }
    let package = PackageName::parse(package).map_err(|refusal| refusal.to_string());
    let identity = package.map(|package| Identity {
        package,
        version: Version::parse(version).ok(),
        provides: provides.iter().map(api).collect::<BTreeSet<_>>(),
        needs: needs(requires),
    });
    Some(identity)
}

fn needs(requires: &Requires) -> Vec<Need> {
    let Requires {
        apis,
        packages,
        constraints,
    } = requires;
    let packages = packages
        .iter()
        .map(|required| need::package(&required.name, &required.range));
    let apis = apis.iter().map(|required| Need::Api(api(required)));
    let constraints = constraints.iter().map(|text| need::constraint(text));
    packages.chain(apis).chain(constraints).collect()
}

fn api(api: &portolan_core_olm::Api) -> Api {
    let portolan_core_olm::Api {
        group,
        version,
        kind,
    } = api.clone();
    Api {
        group,
        version,
        kind,
    }
}
