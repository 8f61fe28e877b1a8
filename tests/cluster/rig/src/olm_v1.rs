//! OLM v1: catalogd and operator-controller. They run as processes, and pull images from the
//! registry of the rig. A file in the home folder of their user allows images from this registry
//! without TLS.
//!
//! operator-controller trusts all certificate authorities in a folder. catalogd reads the name of
//! its ServiceAccount from the token that a kubelet mounts into Pods. The path of the token is
//! fixed, so catalogd runs with its own mounts. This requires root or user namespaces.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::binaries::{built, crds};
use crate::failure::Failure;
use crate::pki::Authority;
use crate::program::OLM_V1;
use crate::site::Site;
use crate::token;

/// The namespace in which OLM v1 runs.
pub(crate) const HOME: &str = "olmv1-system";
/// A shell command that runs a program with a ServiceAccount token. Its arguments are the path of
/// the token, the program, and the arguments of the program.
const WITH_TOKEN: &str = "mount -t tmpfs tmpfs /var/run
place=/var/run/secrets/kubernetes.io/serviceaccount
mkdir -p $place
cp \"$1\" $place/token
shift
exec \"$@\"";

/// The programs of OLM v1 from a completed build.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Returns the programs of an earlier build, or builds them. A build takes three minutes on two
    /// cores.
    pub(crate) fn ready() -> Result<Self, Failure> {
        let folder = built(&OLM_V1)?;
        Ok(Self { folder })
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the paths of the CRDs of OLM v1.
    pub(crate) fn crds(&self) -> Result<Vec<PathBuf>, Failure> {
        crds(&self.folder)
    }
}

/// Writes the files that OLM v1 needs before its programs start.
pub(crate) fn write(site: &Site, authority: &Authority) -> Result<(), Failure> {
    let pki = site.pki();
    authority.serve_as(&pki, "catalogd-server", &[&site.host().to_string()])?;
    let folder = site.file("olm-v1");
    let (authorities, user) = (folder.join("authorities"), site.file(".config/containers"));
    let touch = |path: &Path| Failure::touch(format!("write {}", path.display()));
    for folder in [&authorities, &user] {
        fs::create_dir_all(folder).map_err(touch(folder))?;
    }
    fs::copy(pki.join("ca.crt"), authorities.join("ca.crt")).map_err(touch(&authorities))?;
    let registries = include_str!("../config/olm-v1/registries.conf");
    let registries = registries.replace("{registry}", &site.registry());
    let subject = json!({"sub": format!("system:serviceaccount:{HOME}:catalogd")});
    for (file, text) in [
        (user.join("registries.conf"), registries),
        (token_file(site), token::signed(site, &subject)?),
    ] {
        fs::write(&file, text).map_err(touch(&file))?;
    }
    Ok(())
}

fn token_file(site: &Site) -> PathBuf {
    site.file("olm-v1/token")
}

/// Returns the command that runs catalogd with a token: the program and its arguments.
pub(crate) fn with_token(
    site: &Site,
    program: &Path,
    flags: Vec<String>,
) -> (PathBuf, Vec<String>) {
    let words = ["--mount", "sh", "-e", "-c", WITH_TOKEN, "sh"];
    let mut args = words.map(str::to_owned).to_vec();
    args.extend([token_file(site).as_path(), program].map(|path| path.display().to_string()));
    args.extend(flags);
    ("unshare".into(), args)
}

pub(crate) fn catalogd(site: &Site) -> Vec<String> {
    let pki = site.pki();
    let address = site.catalogd();
    vec![
        format!("--catalogs-server-addr={address}"),
        format!("--external-address={address}"),
        format!("--webhook-server-port={}", site.catalogd_webhook_port()),
        "--health-probe-bind-address=0".to_owned(),
        "--metrics-bind-address=0".to_owned(),
        format!("--tls-cert={}", pki.join("catalogd-server.crt").display()),
        format!("--tls-key={}", pki.join("catalogd-server.key").display()),
        format!("--cache-dir={}", site.file("olm-v1/catalogd").display()),
        format!("--system-namespace={HOME}"),
    ]
}

pub(crate) fn operator_controller(site: &Site) -> Vec<String> {
    let (cache, authorities) = ("olm-v1/operator-controller", "olm-v1/authorities");
    vec![
        format!("--health-probe-bind-address={}", site.operator_controller()),
        format!("--cache-path={}", site.file(cache).display()),
        format!("--catalogd-cas-dir={}", site.file(authorities).display()),
        format!("--system-namespace={HOME}"),
    ]
}
