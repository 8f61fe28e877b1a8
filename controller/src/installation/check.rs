//! Evaluates the facts about a cluster. Each line of the result has a state and a remedy.

mod line;

use jiff::{SignedDuration, Timestamp};
use portolan_core_names::text::listed;

pub use self::line::{Check, CheckState};
use self::line::{failed, passed, unknown, warning};
use super::decide::Owner;
use super::observed::{ClusterSetup, DeployedPart, ServingCertificate, Setup};

/// The oldest supported version of Kubernetes.
const SUPPORTED: (u32, u32) = (1, 30);
/// If a certificate expires within this time, the check warns.
const SOON: SignedDuration = SignedDuration::from_hours(24 * 30);

const KUBERNETES: &str = "Kubernetes";
const PERMISSIONS: &str = "Permissions";
const PORTOLAN: &str = "Portolan";

/// The time at which a check is made: before or after the installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckPhase {
    /// Before an installation.
    Before,
    /// After an installation.
    After,
}

/// Returns the results of all checks.
pub fn check(facts: &ClusterSetup, phase: CheckPhase, now: Timestamp) -> Vec<Check> {
    let mut checks = kubernetes(facts);
    match phase {
        CheckPhase::Before => {
            checks.push(permissions(&facts.denied));
            checks.push(vacant(&facts.setup));
        }
        CheckPhase::After => checks.extend(installed(&facts.setup, now)),
    }
    checks
}

fn kubernetes(facts: &ClusterSetup) -> Vec<Check> {
    let mut checks = vec![version(&facts.version)];
    let groups = match &facts.groups {
        Ok(groups) => groups,
        Err(why) => {
            checks.push(unknown(KUBERNETES, "apis", "the served APIs", why));
            return checks;
        }
    };
    let served = |group: &str| groups.contains(group);
    checks.push(
        match (
            served("operators.coreos.com"),
            served("olm.operatorframework.io"),
        ) {
            (true, true) => passed(KUBERNETES, "olm", "OLM v0 and OLM v1 are installed"),
            (true, false) => passed(KUBERNETES, "olm", "OLM v0 is installed"),
            (false, true) => passed(KUBERNETES, "olm", "OLM v1 is installed"),
            (false, false) => warning(
                KUBERNETES,
                "olm",
                "neither OLM v0 nor OLM v1 is installed, so the cluster has no catalogs",
                "To use catalogs without OLM, set --catalog of the resolver.",
            ),
        },
    );
    checks.push(if served("metrics.k8s.io") {
        passed(KUBERNETES, "metrics", "the metrics API is served")
    } else {
        warning(
            KUBERNETES,
            "metrics",
            "the metrics API is not served, so the resolver keeps its minimum of replicas",
            "To scale the resolver according to its load, install metrics-server.",
        )
    });
    checks
}

fn version(version: &Result<(u32, u32), String>) -> Check {
    let (major, minor) = SUPPORTED;
    match version {
        Err(why) => unknown(KUBERNETES, "version", "the version", why),
        Ok(found) if *found >= SUPPORTED => {
            let message = format!("the version is {}.{}", found.0, found.1);
            passed(KUBERNETES, "version", message)
        }
        Ok(found) => failed(
            KUBERNETES,
            "version",
            format!(
                "the version is {}.{}, and Portolan needs {major}.{minor} or later",
                found.0, found.1
            ),
            "Upgrade Kubernetes.",
        ),
    }
}

fn permissions(denied: &Result<Vec<String>, String>) -> Check {
    match denied {
        Err(why) => unknown(PERMISSIONS, "create", "your permissions", why),
        Ok(denied) if denied.is_empty() => passed(
            PERMISSIONS,
            "create",
            "you can create all objects of Portolan",
        ),
        Ok(denied) => failed(
            PERMISSIONS,
            "create",
            format!("you cannot create {}", listed(denied)),
            "Ask an administrator of the cluster to install Portolan.",
        ),
    }
}

/// Checks that Portolan is not installed yet, because an installation has fixed object names.
fn vacant(setup: &Result<Option<Setup>, String>) -> Check {
    match setup {
        Err(why) => unknown(PORTOLAN, "installation", "the installation", why),
        Ok(None) => passed(PORTOLAN, "installation", "no installation exists"),
        Ok(Some(setup)) => {
            let message = format!(
                "Portolan is already installed in namespace {}, by {}",
                setup.namespace, setup.owner
            );
            warning(PORTOLAN, "installation", message, upgrade(setup))
        }
    }
}

fn installed(setup: &Result<Option<Setup>, String>, now: Timestamp) -> Vec<Check> {
    let setup = match setup {
        Err(why) => return vec![unknown(PORTOLAN, "installation", "the installation", why)],
        Ok(None) => {
            return vec![failed(
                PORTOLAN,
                "installation",
                "Portolan is not installed",
                "portolan install --profile look",
            )];
        }
        Ok(Some(setup)) => setup,
    };
    let message = format!(
        "installed in namespace {} by {}",
        setup.namespace, setup.owner
    );
    let mut checks = vec![passed(PORTOLAN, "installation", message)];
    checks.extend(setup.parts.iter().map(part));
    let certificates = setup.certificates.iter();
    checks.extend(certificates.map(|(name, it)| certificate(setup, name, it, now)));
    checks.extend(setup.crds.iter().map(|(name, it)| crd(name, it)));
    checks.extend(setup.holder.as_ref().map(holder));
    checks.extend(setup.preparation.as_ref().map(preparation));
    checks
}

fn part(part: &DeployedPart) -> Check {
    let DeployedPart {
        name,
        desired,
        ready,
    } = part;
    let message = format!("Deployment {name} has {ready} of {desired} ready Pods");
    match (*desired, *ready) {
        (0, _) => warning(
            PORTOLAN,
            name,
            format!("Deployment {name} is scaled to 0"),
            "Scale it up when you need it.",
        ),
        (desired, ready) if ready >= desired => passed(PORTOLAN, name, message),
        _ => {
            let remedy = format!("portolan diagnose component/{name}");
            failed(PORTOLAN, name, message, remedy)
        }
    }
}

fn certificate(
    setup: &Setup,
    name: &str,
    certificate: &Result<ServingCertificate, String>,
    now: Timestamp,
) -> Check {
    let until = match certificate {
        Err(why) => {
            return unknown(
                PORTOLAN,
                name,
                &format!("the certificate in Secret {name}"),
                why,
            );
        }
        Ok(ServingCertificate::Missing) => {
            let message = format!("Secret {name} with the certificate is missing");
            return failed(PORTOLAN, name, message, renewal(setup));
        }
        Ok(ServingCertificate::ValidUntil(until)) => *until,
    };
    let date = until.strftime("%Y-%m-%d");
    let left = until.duration_since(now);
    if left.is_negative() {
        let message = format!("the certificate in Secret {name} expired on {date}");
        return failed(PORTOLAN, name, message, renewal(setup));
    }
    let message = format!("the certificate in Secret {name} expires on {date}");
    if left < SOON {
        return warning(PORTOLAN, name, message, renewal(setup));
    }
    passed(PORTOLAN, name, message)
}

fn crd(name: &str, crd: &Result<Option<bool>, String>) -> Check {
    let remedy = "portolan install crds";
    match crd {
        Err(why) => unknown(PORTOLAN, name, &format!("CRD {name}"), why),
        Ok(None) => failed(PORTOLAN, name, format!("CRD {name} is missing"), remedy),
        Ok(Some(false)) => failed(
            PORTOLAN,
            name,
            format!("CRD {name} is not established"),
            remedy,
        ),
        Ok(Some(true)) => passed(PORTOLAN, name, format!("CRD {name} is established")),
    }
}

fn holder(holder: &Result<Option<String>, String>) -> Check {
    match holder {
        Err(why) => unknown(PORTOLAN, "lease", "the Lease of the controller", why),
        Ok(Some(holder)) => passed(
            PORTOLAN,
            "lease",
            format!("{holder} is the active controller"),
        ),
        Ok(None) => failed(
            PORTOLAN,
            "lease",
            "no controller is active, because no process holds the Lease portolan-controller",
            "portolan diagnose component/portolan-controller",
        ),
    }
}

fn preparation(commands: &Result<Vec<String>, String>) -> Check {
    match commands {
        Err(why) => unknown(PORTOLAN, "operators", "the namespace for Operators", why),
        Ok(commands) if commands.is_empty() => passed(
            PORTOLAN,
            "operators",
            "the namespace is prepared for Operators",
        ),
        Ok(commands) => failed(
            PORTOLAN,
            "operators",
            "Operators cannot be installed, because the namespace is not prepared",
            commands.join("\n"),
        ),
    }
}

/// Returns the command that renews certificates and upgrades an installation.
fn upgrade(setup: &Setup) -> String {
    let namespace = &setup.namespace;
    match &setup.owner {
        Owner::Helm(release) => {
            format!("helm upgrade {release} CHART -n {namespace} --reuse-values")
        }
        Owner::Portolan => {
            let has_controller = setup.holder.is_some();
            let profile = if has_controller { "manage" } else { "look" };
            format!("portolan install --profile {profile}")
        }
        Owner::Unknown | Owner::Other(_) => "Apply your overlay again.".to_owned(),
    }
}

fn renewal(setup: &Setup) -> String {
    match &setup.owner {
        Owner::Helm(_) | Owner::Portolan => upgrade(setup),
        Owner::Unknown | Owner::Other(_) => {
            "Check the Certificates of cert-manager, or replace the Secret.".to_owned()
        }
    }
}
