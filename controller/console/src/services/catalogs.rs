//! Catalogs and their packages.

use std::time::Duration;

use portolan_core_bundle::{Manifest, permissions};
use portolan_core_console::GraphFilter;
use portolan_core_console::drawing::{Bundle, DrawnUpdate, Graph, Head, Way};
use portolan_core_console::view::{
    BundlePage, CatalogRow, ChannelRow, Granted, PackagePage, PackageRow, ReleaseRow, Seen, State,
    Unseen,
};
use portolan_core_names::Version;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{
    Destination, FindPathRequest, FindPathResponse, GetBundleRequest, GetBundleResponse,
    GetGraphRequest, GetGraphResponse, GetPackageRequest, ListCatalogsRequest, ListPackagesRequest,
    RenderBundleRequest, RenderBundleResponse, bundle_fault, catalog, destination, edge,
    list_packages_response, render_bundle_response, walk,
};

use super::hidden::unless_hidden;
use super::{Services, about, heard};

/// The time limit for rendering a bundle, which may load the bundle image. After this time, the
/// page is shown without the content of the bundle.
const IMAGE: Duration = Duration::from_secs(10);
/// The maximum number of packages that a search returns.
const MOST_FOUND: usize = 150;
const NO_START: &str = "To see a path, also choose the bundle at which it begins.";
const UNKNOWN_ANSWER: &str = "The resolver sent an answer that this version of the console does not \
    support.";
const TOO_MANY: &str = "The bundle gives too many permissions to too many accounts to list; \
    `portolan bundle render` prints the roles and bindings.";

impl Services {
    pub(super) async fn catalogs(&self) -> Seen<Vec<CatalogRow>> {
        let request = ListCatalogsRequest::default();
        let all = heard(self.resolver().list_catalogs(request).await)?;
        let rows = all.catalogs.into_iter().map(|it| CatalogRow {
            state: match it.state() {
                catalog::State::Unspecified => State::Unknown,
                catalog::State::Pending => State::Working,
                catalog::State::Serving => State::Well,
                catalog::State::Stale => State::Stuck,
                catalog::State::Failed => State::Broken,
            },
            why: it
                .reasons
                .first()
                .map(|why| why.message.clone())
                .unwrap_or_default(),
            packages: count(it.packages),
            bundles: count(it.bundles),
            faults: count(it.fault_count),
            name: it.name,
        });
        unless_hidden(rows.collect(), self.hidden_catalogs().await)
    }

    /// Returns the packages whose names contain the text, from one catalog or from all catalogs.
    pub(super) async fn packages(
        &self,
        catalog: Option<&str>,
        text: &str,
    ) -> Seen<Vec<PackageRow>> {
        let text = text.trim().to_lowercase();
        let fits = |it: &list_packages_response::Package| {
            let names = [&it.name, &it.display_name];
            names.iter().any(|name| name.to_lowercase().contains(&text))
        };
        let (mut found, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = ListPackagesRequest {
                catalog: catalog.unwrap_or_default().to_owned(),
                page_token,
                ..ListPackagesRequest::default()
            };
            let page = heard(self.resolver().list_packages(request).await)?;
            found.extend(page.packages.into_iter().filter(fits).map(row));
            page_token = page.next_page_token;
            if page_token.is_empty() || found.len() > MOST_FOUND {
                return Ok(found);
            }
        }
    }

    pub(super) async fn package(
        &self,
        catalog: &str,
        name: &str,
        asked: &GraphFilter,
    ) -> Seen<PackagePage> {
        let request = GetPackageRequest {
            catalog: catalog.to_owned(),
            package: name.to_owned(),
            icon: true,
        };
        let mut resolver = self.resolver();
        let (package, graph) = tokio::join!(
            resolver.get_package(request),
            self.graph_of(catalog, name, asked)
        );
        let package = heard(package)?;
        let about = self.about(catalog, &package).await;
        let channels = package.channels.into_iter().map(|it| ChannelRow {
            name: it.name,
            heads: it.heads.into_iter().map(|head| head.name).collect(),
            entries: count(it.entries),
            deprecation: it.deprecation,
        });
        let releases = package.bundles.into_iter().map(|it| ReleaseRow {
            name: it.name,
            version: it.version,
            channels: it.channels,
            deprecation: it.deprecation,
        });
        Ok(PackagePage {
            catalog: catalog.to_owned(),
            name: package.name,
            icon: package.icon.as_ref().and_then(about::icon),
            about,
            description: package.description,
            deprecation: package.deprecation,
            default_channel: package.default_channel,
            releases: releases.collect(),
            faults: package.faults.into_iter().map(|it| it.message).collect(),
            asked: asked.clone(),
            channels: channels.collect(),
            graph,
        })
    }

    /// Returns the part of a graph that a visitor has selected. If the visitor has selected a path
    /// that does not exist, returns the reason as an error.
    pub(super) async fn graph_of(
        &self,
        catalog: &str,
        package: &str,
        asked: &GraphFilter,
    ) -> Seen<Graph> {
        if asked.from.is_empty() && !asked.to.is_empty() {
            return Err(Unseen(NO_START.to_owned()));
        }
        let graph = self.graph(catalog, package, &asked.channel).await?;
        if asked.from.is_empty() {
            return Ok(graph);
        }
        let to = match asked.to.as_str() {
            "" => destination::To::Kind(destination::Kind::Head.into()),
            to if Version::parse(to).is_ok() => destination::To::Version(to.to_owned()),
            to => destination::To::Bundle(to.to_owned()),
        };
        let request = FindPathRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            channel: asked.channel.clone(),
            installed: asked.from.clone(),
            destination: Some(Destination { to: Some(to) }),
            walk: walk::Kind::Catalog.into(),
            ..FindPathRequest::default()
        };
        let answer = heard(self.resolver().find_path(request).await)?;
        let path = path_of(&answer).map_err(Unseen)?;
        Ok(graph.only(&path))
    }

    pub(super) async fn graph(&self, catalog: &str, package: &str, channel: &str) -> Seen<Graph> {
        let request = GetGraphRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            channel: channel.to_owned(),
        };
        let graph = heard(self.resolver().get_graph(request).await)?;
        Ok(drawn(graph))
    }

    pub(super) async fn bundle(
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

    /// Returns the permissions that a bundle gets. The bundle is rendered with install options that
    /// it supports.
    async fn permissions(&self, catalog: &str, package: &str, name: &str) -> Seen<Vec<Granted>> {
        let rendered = self.rendered(catalog, package, name).await?;
        // Converting a large bundle takes some time. A blocking thread keeps other pages
        // responsive.
        let told = tokio::task::spawn_blocking(move || granted(&rendered)).await;
        told.unwrap_or_else(|_| {
            Err(Unseen(
                "The console failed to read the permissions.".to_owned(),
            ))
        })
    }

    /// Renders the manifests of a bundle with install options that the bundle supports.
    pub(super) async fn rendered(
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

/// Returns the permissions of the ServiceAccounts in a bundle. If the bundle cannot be rendered,
/// returns the reason.
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

fn row(it: list_packages_response::Package) -> PackageRow {
    let head = it
        .heads
        .iter()
        .find(|head| head.channel == it.default_channel);
    PackageRow {
        version: head.map(|head| head.version.clone()).unwrap_or_default(),
        catalog: it.catalog,
        name: it.name,
        title: it.display_name,
        default_channel: it.default_channel,
        deprecation: it.deprecation,
    }
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

/// Returns the bundles of a path, beginning with the installed bundle.
///
/// # Errors
/// Returns an error if there is no path.
pub fn path_of(answer: &FindPathResponse) -> Result<Vec<String>, String> {
    let installed = answer.installed.iter().map(|it| it.name.clone());
    match &answer.answer {
        Some(Answer::Reached(path)) => {
            let hops = path.hops.iter().map(|hop| hop.to.clone());
            Ok(installed.chain(hops).collect())
        }
        Some(Answer::AlreadyThere(_)) => Ok(installed.collect()),
        Some(Answer::Blocked(blockage)) => Err(blockage.text.clone()),
        None => Err(UNKNOWN_ANSWER.to_owned()),
    }
}

/// Converts the graph of the resolver to a graph for a drawing.
pub fn drawn(graph: GetGraphResponse) -> Graph {
    let updates = graph.updates.iter().map(|update| DrawnUpdate {
        channel: update.channel.clone(),
        from: update.from.clone(),
        to: update.to.clone(),
        ways: update.via().map(way).collect(),
    });
    let updates = updates.collect();
    let bundles = graph.nodes.into_iter().map(|node| Bundle {
        is_deprecated: !node.deprecation.is_empty(),
        name: node.name,
        version: node.version,
        channels: node.channels,
    });
    let heads = graph.heads.into_iter().map(|head| Head {
        channel: head.channel,
        name: head.name,
    });
    Graph {
        package: graph.package,
        default_channel: graph.default_channel,
        bundles: bundles.collect(),
        updates,
        heads: heads.collect(),
        path: Vec::new(),
        is_part: false,
    }
}

fn way(kind: edge::Kind) -> Way {
    match kind {
        edge::Kind::Unspecified => Way::Other,
        edge::Kind::Replaces => Way::Replaces,
        edge::Kind::Skips => Way::Skips,
        edge::Kind::SkipRange => Way::SkipRange,
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use portolan_proto::resolver::v1::find_path_response::Path;
    use portolan_proto::resolver::v1::{Blockage, BundleFault, Hop, Installed};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn path_begins_at_the_installed_bundle() {
        let of = |answer| FindPathResponse {
            installed: Some(Installed {
                name: "ferry.v1.0.0".to_owned(),
                ..Installed::default()
            }),
            answer,
            ..FindPathResponse::default()
        };
        let hop = Hop {
            to: "ferry.v1.1.0".to_owned(),
            ..Hop::default()
        };
        let reached = Answer::Reached(Path { hops: vec![hop] });
        let path = ["ferry.v1.0.0", "ferry.v1.1.0"].map(str::to_owned);
        assert_eq!(path_of(&of(Some(reached))), Ok(path.into()));
        let why = "no path from ferry.v1.0.0".to_owned();
        let blocked = Answer::Blocked(Blockage {
            text: why.clone(),
            ..Blockage::default()
        });
        assert_eq!(path_of(&of(Some(blocked))), Err(why));
        assert_eq!(path_of(&of(None)), Err(UNKNOWN_ANSWER.to_owned()));
    }

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

    /// A role that a bundle provides for users grants no permissions to the bundle itself. The
    /// permissions of a role apply in the scope of its binding.
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

    /// The bundle has 35,000 accounts with 50,000 rules each: more than a billion permissions from
    /// a few megabytes of manifests.
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
