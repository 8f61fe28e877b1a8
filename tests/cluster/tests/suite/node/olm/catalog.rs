//! Creates catalog images with channels of the test operator.

use std::fmt::Write as _;

use portolan_rig::image::Entry;
use portolan_rig::{Cluster, Failure};
use serde_json::Value;

use crate::node::releases::{Release, bundle_of, csv, files_image, image};

/// A channel with these versions. Each version replaces the previous one.
pub(in crate::node) struct Channel<'a> {
    pub(in crate::node) name: &'a str,
    pub(in crate::node) releases: &'a [Release],
    /// True if the registry contains the images of the bundles.
    pub(in crate::node) has_bundles: bool,
    /// Changes the ClusterServiceVersion of each bundle.
    pub(in crate::node) change: fn(&mut Value),
}

/// Pushes the images of these channels, and their catalog. Returns the reference of the catalog.
pub(in crate::node) async fn publish(
    cluster: &Cluster,
    tag: &str,
    channels: &[Channel<'_>],
) -> Result<String, Failure> {
    let default = channels[0].name;
    let mut text = format!("---\nschema: olm.package\nname: ferry\ndefaultChannel: {default}\n");
    for channel in channels {
        text.push_str(&entries(channel));
        for release in channel.releases {
            let bundle = bundle(cluster, channel, release).await?;
            let version = release.version;
            let _ = write!(
                text,
                "---\nschema: olm.bundle\npackage: ferry\nname: ferry.v{version}\nimage: {bundle}\n\
                 properties:\n- type: olm.package\n  value: {{packageName: ferry, version: {version}}}\n"
            );
        }
    }
    let file = Entry::file("configs/catalog.yaml", 0o644, text.into_bytes());
    let name = format!("ferry/catalog:{tag}");
    let label = (
        "operators.operatorframework.io.index.configs.v1",
        "/configs",
    );
    let image = files_image(vec![file], &[label]);
    cluster.push(image, &name).await
}

fn entries(channel: &Channel<'_>) -> String {
    let name = channel.name;
    let mut text = format!("---\nschema: olm.channel\npackage: ferry\nname: {name}\nentries:\n");
    let mut before = None;
    for Release { version, .. } in channel.releases {
        let _ = writeln!(text, "- name: ferry.v{version}");
        if let Some(before) = before.replace(version) {
            let _ = writeln!(text, "  replaces: ferry.v{before}");
        }
    }
    text
}

/// Pushes the images of a version. Returns the reference of its bundle.
async fn bundle(
    cluster: &Cluster,
    channel: &Channel<'_>,
    release: &Release,
) -> Result<String, Failure> {
    let version = release.version;
    let name = format!("ferry/operator:v{version}");
    let operator = cluster.push(image(release, "0").await?, &name).await?;
    let mut csv = csv(release, &operator);
    (channel.change)(&mut csv);
    let bundle = bundle_of(release, &csv);
    if channel.has_bundles {
        let name = format!("ferry/bundle:v{version}");
        return cluster.push(bundle, &name).await;
    }
    let registry = cluster.registry().unwrap_or_default();
    Ok(format!("{registry}/ferry/bundle@{}", bundle.digest()))
}
