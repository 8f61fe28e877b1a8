//! Tests the rendered manifests of bundles with a real API server. A dry run checks that the server
//! accepts each object.

mod beside_olm;
pub(crate) mod ferry;
mod real;
mod server;

use std::collections::BTreeSet;

use portolan_core_bundle::{
    Bundle, Certificates, Folder, Limits, Options, Targets, certificates, render,
};
use portolan_rig::{Failure, Namespace};
use serde_json::Value;

use self::server::Server;

/// The files of a bundle: path and content.
type Files = Vec<(String, Vec<u8>)>;

/// A cluster for dry runs, without OLM. Dry runs need existing namespaces. The test has its own
/// cluster, because its thousands of requests would make the audit log of other tests hard to read.
struct Stage {
    server: Server,
    /// The namespace in which operators run, and two namespaces that they watch.
    namespaces: [Namespace; 3],
}

/// Returns `None` if tests that need a cluster are skipped.
async fn stage() -> Result<Option<Stage>, Failure> {
    let Some(cluster) = super::own_cluster().await? else {
        return Ok(None);
    };
    let mut namespaces = Vec::new();
    for test in ["home", "watched", "also-watched"] {
        namespaces.push(cluster.namespace(test).await?);
    }
    Ok(Some(Stage {
        server: Server::of(cluster.client()?).await?,
        namespaces: namespaces.try_into().expect("three namespaces"),
    }))
}

// === impl Stage ===

impl Stage {
    /// Returns the objects to which a bundle is rendered, in each install mode that it supports.
    /// Renders them with certificates of Portolan and of cert-manager. Each object is returned only
    /// once.
    fn objects(&self, bundle: &Bundle) -> Vec<Value> {
        let mut seen = BTreeSet::new();
        let mut objects = Vec::new();
        for options in self.options(bundle) {
            let manifests = render(bundle, &options);
            let manifests = manifests
                .unwrap_or_else(|refusals| panic!("{} {options:?}: {refusals:?}", bundle.name()));
            let manifests = manifests.into_iter().map(|manifest| manifest.object);
            objects.extend(manifests.filter(|object| seen.insert(object.to_string())));
        }
        objects
    }

    fn options(&self, bundle: &Bundle) -> Vec<Options> {
        let [home, ..] = &self.namespaces;
        let of = |targets: &Targets, certificates| Options {
            targets: targets.clone(),
            certificates,
            ..Options::new(&**home)
        };
        let has_webhooks = !certificates(bundle, &Options::new(&**home)).is_empty();
        let given = [Certificates::Own, Certificates::CertManager];
        let given = &given[..if has_webhooks { 2 } else { 1 }];
        let targets = self.targets(bundle);
        assert!(!targets.is_empty(), "{} supports nothing", bundle.name());
        let targets = targets.iter();
        targets
            .flat_map(|targets| given.iter().map(|&given| of(targets, given)))
            .collect()
    }

    /// Returns the watched namespaces for each install mode that a bundle supports.
    fn targets(&self, bundle: &Bundle) -> Vec<Targets> {
        let [home, watched, also] = &self.namespaces;
        let of =
            |names: &[&Namespace]| Targets::Of(names.iter().map(|name| name.to_string()).collect());
        let all = [
            ("AllNamespaces", Targets::All),
            ("OwnNamespace", of(&[home])),
            ("SingleNamespace", of(&[watched])),
            ("MultiNamespace", of(&[watched, also])),
        ];
        let modes = bundle.install_modes();
        let supported = all.into_iter().filter(|(mode, _)| modes.contains(mode));
        supported.map(|(_, targets)| targets).collect()
    }
}

pub(crate) fn read(name: &str, files: Files) -> Bundle {
    let limits = Limits::default();
    let folder = Folder::of_files(files, &limits);
    let bundle = folder.and_then(|folder| Bundle::read(folder, &limits));
    bundle.unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
}
