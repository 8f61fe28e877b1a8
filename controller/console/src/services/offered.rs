//! The values that the preview form offers, and the objects that manage the chosen package.

use std::collections::BTreeSet;

use portolan_api::operator::{CATALOG_NAMESPACES, Operator};
use portolan_core_console::view::{Offered, Origin, PackageManager, PreviewPage};
use portolan_core_console::{Change, Wanted};
use portolan_core_generate::{Manager, PackageOwner};
use portolan_core_names::requirement::Requirement;
use portolan_proto::resolver::v1::{GetPackageRequest, GetPackageResponse};
use portolan_world::{View, read_inventory};

use super::preview::is_word;
use super::{Services, heard};

impl Services {
    /// Returns the data of the preview page: the form, the managers of the package, and the
    /// preview.
    pub(super) async fn preview_page(&self, wanted: &Wanted) -> PreviewPage {
        let operators = self.all::<Operator>().await.unwrap_or_default();
        let package = package_of(wanted, &operators);
        let (packages, chosen, managers) = tokio::join!(
            self.offered_packages(wanted.change),
            self.chosen_package(&package),
            self.managers_of(&package),
        );
        let offered = Offered {
            operators: names(&operators),
            packages,
            ..offered(&chosen, &wanted.channel)
        };
        let wanted = Wanted {
            version: version(wanted, &offered.versions),
            ..wanted.clone()
        };
        PreviewPage {
            told: self.preview(&wanted).await,
            wanted,
            offered,
            package,
            managers,
        }
    }

    /// Returns the packages that an Operator can install. Empty if the change is about an existing
    /// Operator. Also empty if the catalogs cannot be read, because the preview already reports
    /// this problem.
    async fn offered_packages(&self, change: Change) -> Vec<String> {
        if change != Change::Add {
            return Vec::new();
        }
        let all = self.packages(None, "").await.unwrap_or_default();
        let usable = all.into_iter().filter(|it| is_usable(&it.catalog));
        let names: BTreeSet<_> = usable.map(|it| it.name).collect();
        names.into_iter().collect()
    }

    /// Returns a package. Returns an empty package if it cannot be read, because the preview
    /// already reports this problem.
    async fn chosen_package(&self, package: &str) -> GetPackageResponse {
        if package.is_empty() {
            return GetPackageResponse::default();
        }
        let request = GetPackageRequest {
            catalog: String::new(),
            package: package.to_owned(),
            icon: false,
        };
        let package = heard(self.resolver().get_package(request).await);
        package.unwrap_or_default()
    }

    /// Returns the objects that manage a package. `portolan generate` reads the same objects.
    async fn managers_of(&self, package: &str) -> Vec<PackageManager> {
        if package.is_empty() {
            return Vec::new();
        }
        let inventory = read_inventory(&self.world, "").await;
        let managers = inventory.of_package(package).map(|it| {
            let adoption = PackageOwner::of(it).and_then(|owner| owner.remedy());
            PackageManager {
                origin: origin(it.manager),
                object: it.title(),
                bundle: it.bundle.clone(),
                version: it.version.clone(),
                adoption: adoption.filter(|_| is_word(package)).unwrap_or_default(),
            }
        });
        managers.collect()
    }
}

fn origin(manager: Manager) -> Origin {
    match manager {
        Manager::Olm => Origin::Olm,
        Manager::ClusterExtension => Origin::OlmV1,
        Manager::Operator | Manager::Install | Manager::Plan => Origin::Portolan,
    }
}

/// Returns the package that a change is about. The visitor enters the name of an Operator or of a
/// package.
fn package_of(wanted: &Wanted, operators: &View<Operator>) -> String {
    let typed = wanted.operator.trim();
    let requirement = Requirement::parse(typed).map(|it| it.package.to_string());
    let name = requirement.unwrap_or_else(|_| typed.to_owned());
    let mut operators = operators.objects.values();
    let operator = operators.find(|it| it.metadata.name.as_deref() == Some(&*name));
    let package = operator.and_then(|it| it.spec.as_json()["packageName"].as_str());
    package.map(str::to_owned).unwrap_or(name)
}

fn names(operators: &View<Operator>) -> Vec<String> {
    let names = operators.objects.keys();
    names.map(|key| key.name.to_string()).collect()
}

/// Returns true if Operators may use the catalog. The catalog of an OLM CatalogSource has the name
/// NAMESPACE/NAME.
fn is_usable(catalog: &str) -> bool {
    let namespace = catalog.split_once('/').map(|(namespace, _)| namespace);
    namespace.is_none_or(|it| CATALOG_NAMESPACES.split(',').any(|usable| usable == it))
}

/// Returns the channels of a package, and the versions in one channel or in all channels.
fn offered(package: &GetPackageResponse, channel: &str) -> Offered {
    let channels = package.channels.iter().map(|it| it.name.clone());
    let bundles = package.bundles.iter();
    let bundles =
        bundles.filter(|it| channel.is_empty() || it.channels.iter().any(|it| it == channel));
    let mut versions: Vec<_> = bundles.map(|it| it.version.clone()).collect();
    versions.dedup();
    Offered {
        channels: channels.collect(),
        versions,
        ..Offered::default()
    }
}

/// Returns the requested version. If the visitor has chosen only a channel, returns the newest
/// version in this channel.
fn version(wanted: &Wanted, versions: &[String]) -> String {
    let typed = wanted.version.trim();
    match wanted.change {
        Change::Add | Change::Upgrade if typed.is_empty() && !wanted.channel.is_empty() => {
            versions.first().cloned().unwrap_or_default()
        }
        Change::Add | Change::Upgrade | Change::Delete | Change::Updates => wanted.version.clone(),
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::resolver::v1::get_package_response::{Bundle, Channel};
    use rstest::rstest;

    use super::*;

    fn package() -> GetPackageResponse {
        let bundle = |version: &str, channels: &[&str]| Bundle {
            version: version.to_owned(),
            channels: channels.iter().map(|it| (*it).to_owned()).collect(),
            ..Bundle::default()
        };
        let channel = |name: &str| Channel {
            name: name.to_owned(),
            ..Channel::default()
        };
        GetPackageResponse {
            channels: vec![channel("candidate"), channel("stable")],
            bundles: vec![
                bundle("2.0.0", &["candidate"]),
                bundle("1.1.0", &["candidate", "stable"]),
                bundle("1.0.0", &["stable"]),
            ],
            ..GetPackageResponse::default()
        }
    }

    #[rstest]
    #[case::all_channels("", &["2.0.0", "1.1.0", "1.0.0"])]
    #[case::one_channel("stable", &["1.1.0", "1.0.0"])]
    #[case::unknown_channel("beta", &[])]
    fn form_offers_versions_of_the_channel(#[case] channel: &str, #[case] expected: &[&str]) {
        let offered = offered(&package(), channel);
        assert_eq!(offered.versions, expected);
        assert_eq!(offered.channels, ["candidate", "stable"]);
    }

    #[rstest]
    #[case::channel_without_a_version(Change::Add, "", "stable", "1.1.0")]
    #[case::chosen_version(Change::Upgrade, "1.0.0", "stable", "1.0.0")]
    #[case::no_channel(Change::Add, "", "", "")]
    #[case::deletion_has_no_version(Change::Delete, "", "stable", "")]
    fn newest_version_of_a_channel_is_the_default(
        #[case] change: Change,
        #[case] typed: &str,
        #[case] channel: &str,
        #[case] expected: &str,
    ) {
        let wanted = Wanted {
            change,
            operator: "ferry".to_owned(),
            version: typed.to_owned(),
            channel: channel.to_owned(),
        };
        let versions = offered(&package(), channel).versions;
        assert_eq!(version(&wanted, &versions), expected);
    }

    /// Operators use only catalogs in certain namespaces.
    #[rstest]
    #[case::given_by_a_flag("demo", true)]
    #[case::of_olm("olm/shop", true)]
    #[case::of_a_user("home/shop", false)]
    fn packages_of_usable_catalogs_are_offered(#[case] catalog: &str, #[case] expected: bool) {
        assert_eq!(is_usable(catalog), expected);
    }
}
