//! Writes the kubeconfig of a user, with the address of the API server and the certificate of the
//! user.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::failure::Failure;
use crate::site::Site;

/// Writes the kubeconfig of `user`. The certificate of the user must exist already. The file
/// contains JSON, which is also valid YAML.
pub(crate) fn write(site: &Site, user: &str) -> Result<PathBuf, Failure> {
    let pki = site.pki();
    let text = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "rig",
        "clusters": [{"name": "rig", "cluster": {
            "server": site.api_server(),
            "certificate-authority": pki.join("ca.crt"),
        }}],
        "users": [{"name": user, "user": {
            "client-certificate": pki.join(format!("{user}.crt")),
            "client-key": pki.join(format!("{user}.key")),
        }}],
        "contexts": [{"name": "rig", "context": {"cluster": "rig", "user": user}}],
    });
    let path = site.kubeconfig(user);
    fs::write(&path, text.to_string()).map_err(Failure::touch("write a kubeconfig"))?;
    Ok(path)
}
