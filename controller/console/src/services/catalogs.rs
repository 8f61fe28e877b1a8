//! Catalogs and their packages.

mod bundles;
mod graphs;

use portolan_core_console::GraphFilter;
use portolan_core_console::view::{
    CatalogRow, ChannelRow, PackagePage, PackageRow, ReleaseRow, Seen, State,
};
use portolan_proto::resolver::v1::{
    GetPackageRequest, ListCatalogsRequest, ListPackagesRequest, catalog, list_packages_response,
};

pub use self::graphs::{drawn, path_of};
use super::hidden::unless_hidden;
use super::{Services, about, heard};

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
            if page_token.is_empty() {
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

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
