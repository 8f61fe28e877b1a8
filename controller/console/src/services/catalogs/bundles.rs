//! Bundles, and the permissions that they get.

use std::time::Duration;

use portolan_core_bundle::{Manifest, permissions};
use portolan_core_console::view::{BundlePage, Granted, Seen, Unseen};
use portolan_proto::resolver::v1::{
    GetBundleRequest, GetBundleResponse, RenderBundleRequest, RenderBundleResponse, bundle_fault,
    render_bundle_response,
};

use crate::services::{Services, heard};

/// The time limit for an image. If it is exceeded, the rest of the page is still shown.
const IMAGE: Duration = Duration::from_secs(10);
const TOO_MANY: &str = "The bundle gives too many permissions to too many accounts to list; \
    `portolan bundle render` prints the roles and bindings.";

impl Services {
    pub(in crate::services) async fn bundle(
        &self,
        catalog: &str,
        package: &str,
        name: &str,
    ) -> Seen<BundlePage> {
        let request = GetBundleRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            bundle: name.to_owned(),
            objects: false,
        };
        let mut resolver = self.resolver();
        let (bundle, permissions) = tokio::join!(
            resolver.get_bundle(request),
            self.permissions(catalog, package, name)
        );
        Ok(described(catalog, heard(bundle)?, permissions))
    }

    /// Returns the permissions of a bundle, installed with options that it supports.
    async fn permissions(&self, catalog: &str, package: &str, name: &str) -> Seen<Vec<Granted>> {
        let rendered = self.rendered(catalog, package, name).await?;
        // Rendering a large bundle takes some time. Other pages are served in the meantime.
        let told = tokio::task::spawn_blocking(move || granted(&rendered)).await;
        told.unwrap_or_else(|_| {
            Err(Unseen(
                "The console failed to read the permissions.".to_owned(),
            ))
        })
    }

    /// Returns the objects of a bundle, installed with options that it supports.
    pub(in crate::services) async fn rendered(
        &self,
        catalog: &str,
        package: &str,
        name: &str,
    ) -> Seen<RenderBundleResponse> {
        let request = RenderBundleRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            bundle: name.to_owned(),
            options: None,
            image: String::new(),
        };
        let mut resolver = self.resolver();
        let rendered = tokio::time::timeout(IMAGE, resolver.render_bundle(request)).await;
        let late = |_| Unseen("Its image could not be read in time.".to_owned());
        heard(rendered.map_err(late)?)
    }
}

/// Returns the permissions of the ServiceAccounts in a bundle. They are unknown if the bundle
/// cannot be rendered.
fn granted(rendered: &RenderBundleResponse) -> Seen<Vec<Granted>> {
    let refusals = rendered.faults.iter();
    let refusals = refusals.filter(|it| it.severity() == bundle_fault::Severity::Error);
    let refusals: Vec<_> = refusals.map(|it| it.message.as_str()).collect();
    if !refusals.is_empty() {
        return Err(Unseen(format!(
            "This is unknown, because the bundle cannot be rendered: {}",
            refusals.join("; ")
        )));
    }
    let manifests = rendered.manifests.iter().map(manifest);
    let manifests = manifests.collect::<Result<Vec<_>, _>>();
    let manifests =
        manifests.map_err(|error| Unseen(format!("A manifest is not JSON: {error}")))?;
    let all = permissions(&manifests).by_account();
    let all = all.ok_or_else(|| Unseen(TOO_MANY.to_owned()))?;
    let all = all.into_iter().map(|((account, place), rules)| Granted {
        account,
        place,
        rules: rules.into_iter().collect(),
    });
    Ok(all.collect())
}

fn manifest(it: &render_bundle_response::Manifest) -> serde_json::Result<Manifest> {
    Ok(Manifest {
        object: serde_json::from_str(&it.object)?,
        origin: it.origin.as_str().into(),
        notes: it.notes.clone(),
    })
}

fn described(catalog: &str, it: GetBundleResponse, permissions: Seen<Vec<Granted>>) -> BundlePage {
    let modes = it.install_modes.into_iter().filter(|mode| mode.supported);
    let provides = it.provides.into_iter();
    let requires = it.requires.unwrap_or_default();
    let apis = requires.apis.into_iter();
    let apis = apis.map(|it| format!("{} of {}/{}", it.kind, it.group, it.version));
    let packages = requires.packages.into_iter();
    let packages = packages.map(|it| format!("package {} {}", it.name, it.range));
    let needed = apis.chain(packages).chain(requires.constraints);
    BundlePage {
        catalog: catalog.to_owned(),
        package: it.package,
        name: it.name,
        title: it.display_name,
        version: it.version,
        image: it.image,
        channels: it.channels,
        deprecation: it.deprecation,
        install_modes: modes.map(|mode| mode.name).collect(),
        provides: provides
            .map(|it| format!("{} of {}/{}", it.kind, it.group, it.version))
            .collect(),
        requires: needed.collect(),
        kubernetes: it.min_kube_version,
        images: it.related_images.into_iter().map(|it| it.image).collect(),
        permissions,
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::resolver::v1::BundleFault;
    use serde_json::{Value, json};

    use super::*;

    fn rendered(objects: &[Value]) -> RenderBundleResponse {
        let manifests = objects
            .iter()
            .map(|object| render_bundle_response::Manifest {
                object: object.to_string(),
                ..render_bundle_response::Manifest::default()
            });
        RenderBundleResponse {
            manifests: manifests.collect(),
            ..RenderBundleResponse::default()
        }
    }

    fn role(name: &str) -> Value {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
        })
    }

    fn binding(kind: &str, role: &str) -> Value {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"name": role, "namespace": if kind == "RoleBinding" { "ferries" } else { "" }},
            "roleRef": {"kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", "namespace": "ferries", "name": "ferry"}],
        })
    }

    /// Roles that a bundle provides for users are not permissions of the bundle itself. A role
    /// applies where it is bound.
    #[test]
    fn permissions_are_listed_by_account_and_namespace() {
        let objects = [
            role("ferries-v1-edit"),
            role("ferry"),
            binding("RoleBinding", "ferry"),
            binding("ClusterRoleBinding", "cluster-admin"),
        ];
        let of = |place: &str, rule: &str| Granted {
            account: "ferries/ferry".to_owned(),
            place: place.to_owned(),
            rules: vec![rule.to_owned()],
        };
        let expected = [
            of("namespace ferries", "get pods"),
            of(
                "the cluster",
                "all permissions of ClusterRole cluster-admin",
            ),
        ];
        assert_eq!(granted(&rendered(&objects)), Ok(expected.into()));
    }

    /// A billion and more sentences of a few megabytes.
    #[test]
    fn too_many_rights_are_reported_with_a_sentence() {
        let (mut role, mut binding) = (role("ferry"), binding("ClusterRoleBinding", "ferry"));
        let rules = (0..50_000).map(
            |at| json!({"apiGroups": [""], "resources": [format!("r{at}")], "verbs": ["get"]}),
        );
        role["rules"] = rules.collect();
        let subjects = (0..35_000).map(
            |at| json!({"kind": "ServiceAccount", "namespace": "ferries", "name": format!("a{at}")}),
        );
        binding["subjects"] = subjects.collect();
        let refused = granted(&rendered(&[role, binding]));
        assert_eq!(refused, Err(Unseen(TOO_MANY.to_owned())));
    }

    #[test]
    fn permissions_of_a_rejected_bundle_are_unknown() {
        let fault = BundleFault {
            severity: bundle_fault::Severity::Error.into(),
            message: "it has a Gate, which nobody installs".to_owned(),
            ..BundleFault::default()
        };
        let refused = RenderBundleResponse {
            faults: vec![fault],
            ..RenderBundleResponse::default()
        };
        let Unseen(why) = granted(&refused).expect_err("unseen");
        assert!(
            why.ends_with("it has a Gate, which nobody installs"),
            "{why}"
        );
    }
}
