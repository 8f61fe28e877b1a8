//! Finds the packages of installed bundles. Some managing objects, such as Installs, do not contain
//! the package.

use std::collections::BTreeSet;

use portolan_proto::resolver::v1::GetPackageRequest;

use super::InstalledEntry;
use crate::facts::ResolverConnection;

/// Sets the package of each operator without a package, if exactly one package in the catalogs
/// contains its bundle. Considers only packages whose name is the beginning of the bundle name.
/// Ignores catalogs that do not respond.
pub(crate) async fn find_packages(
    resolver: &mut ResolverConnection,
    operators: &mut [InstalledEntry],
) {
    let is_nameless = |it: &&mut InstalledEntry| it.start.package.is_empty();
    let nameless: Vec<_> = operators.iter_mut().filter(is_nameless).collect();
    if nameless.is_empty() {
        return;
    }
    let Ok(listed) = resolver.packages("").await else {
        return;
    };
    let offered: BTreeSet<_> = listed
        .packages
        .into_iter()
        .map(|package| (package.catalog, package.name))
        .collect();
    for operator in nameless {
        let mut found = BTreeSet::new();
        for (catalog, package) in &offered {
            let bundle = &operator.start.bundle;
            if is_candidate(package, bundle) && has(resolver, catalog, package, bundle).await {
                found.insert(package);
            }
        }
        let mut found = found.into_iter();
        if let (Some(package), None) = (found.next(), found.next()) {
            operator.start.package.clone_from(package);
        }
    }
}

/// Returns true if the name of the package is the beginning of the bundle name, as in `ferry` and
/// `ferry.v1.0.0`.
fn is_candidate(package: &str, bundle: &str) -> bool {
    let rest = bundle.strip_prefix(package);
    rest.is_some_and(|rest| rest.starts_with(['.', '-']))
}

async fn has(
    resolver: &mut ResolverConnection,
    catalog: &str,
    package: &str,
    bundle: &str,
) -> bool {
    let request = GetPackageRequest {
        catalog: catalog.to_owned(),
        package: package.to_owned(),
        ..GetPackageRequest::default()
    };
    let answer = resolver.try_query(request).await;
    answer.is_ok_and(|answer| answer.bundles.iter().any(|it| it.name == bundle))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::usual("ferry", "ferry.v1.0.0", true)]
    #[case::with_hyphen("ferry", "ferry-1.0.0", true)]
    #[case::longer_package("ferryman", "ferry.v1.0.0", false)]
    #[case::shorter_package("fer", "ferry.v1.0.0", false)]
    fn recognizes_package_by_prefix_of_bundle_name(
        #[case] package: &str,
        #[case] bundle: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_candidate(package, bundle), expected);
    }
}
