//! ClusterServiceVersions.

use std::collections::BTreeSet;

use portolan_core_health::{Api, Csv, InstallMode, Kind, Requirement, WantedDeployment};
use portolan_core_olm::{ClusterServiceVersion, CustomResource, InstallModeType, ServedApi};

use super::observed;

pub(crate) fn csv(csv: &ClusterServiceVersion) -> Csv {
    let spec = &csv.spec;
    let (custom, served) = (&spec.custom_resources, &spec.served);
    Csv {
        observed: observed(Kind::ClusterServiceVersion, csv.identity()),
        package: csv.package().unwrap_or_default(),
        version: spec.version.clone(),
        replaces: spec.replaces.clone(),
        phase: csv.status.phase.clone(),
        reason: csv.status.reason.clone(),
        message: csv.status.message.clone(),
        is_deleting: csv.metadata.deletion_timestamp.is_some(),
        modes: modes(csv),
        deployments: csv.deployments().iter().map(deployment).collect(),
        owned: custom.owned.iter().map(custom_api).collect(),
        required: custom.required.iter().map(custom_api).collect(),
        serves: served.owned.iter().map(served_api).collect(),
        needs_served: served.required.iter().map(served_api).collect(),
        requirements: csv.status.requirements.iter().map(requirement).collect(),
    }
}

fn modes(csv: &ClusterServiceVersion) -> BTreeSet<InstallMode> {
    let supported = csv.spec.install_modes.iter().filter(|mode| mode.supported);
    let modes = supported.filter_map(|mode| match &mode.r#type {
        InstallModeType::OwnNamespace => Some(InstallMode::OwnNamespace),
        InstallModeType::SingleNamespace => Some(InstallMode::SingleNamespace),
        InstallModeType::MultiNamespace => Some(InstallMode::MultiNamespace),
        InstallModeType::AllNamespaces => Some(InstallMode::AllNamespaces),
        InstallModeType::Other(_) => None,
    });
    modes.collect()
}

fn deployment(wanted: &portolan_core_olm::WantedDeployment) -> WantedDeployment {
    WantedDeployment {
        name: wanted.name.clone(),
        replicas: wanted.spec.replicas,
    }
}

fn custom_api(api: &CustomResource) -> Api {
    let CustomResource {
        name,
        version,
        kind,
    } = api.clone();
    Api {
        name,
        version,
        kind,
    }
}

fn served_api(api: &ServedApi) -> Api {
    Api {
        name: api.api_service(),
        version: api.version.clone(),
        kind: api.kind.clone(),
    }
}

fn requirement(requirement: &portolan_core_olm::Requirement) -> Requirement {
    Requirement {
        kind: requirement.kind.clone(),
        name: requirement.name.clone(),
        status: requirement.status.clone(),
        message: requirement.message.clone(),
        dependents: requirement.dependents.clone(),
    }
}
