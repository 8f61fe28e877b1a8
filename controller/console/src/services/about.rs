//! The information about a package from its author, for the page of the package.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_core_console::markup::Icon;
use portolan_core_console::view::About;
use portolan_proto::resolver::v1::get_package_response;
use portolan_proto::resolver::v1::{GetBundleRequest, GetPackageResponse};
use serde::Deserialize;

use super::{Services, heard};

/// The maximum number of manifests in which the description is searched.
const MOST_OBJECTS: usize = 100;
/// The maximum length of a manifest in bytes. The search skips longer manifests.
const LONGEST_OBJECT: usize = 2_000_000;
/// The maximum size of an icon in bytes.
const LARGEST_ICON: usize = 16_000;

/// The fields of a ClusterServiceVersion that describe a bundle. The input is a manifest, or the
/// metadata of a ClusterServiceVersion in a catalog.
#[derive(Debug, Deserialize)]
struct CsvHeader {
    #[serde(default)]
    kind: String,
    spec: Option<Described>,
    /// The same fields at the top level, because catalog metadata has no `spec`.
    #[serde(flatten)]
    own: Described,
}

/// The fields of a ClusterServiceVersion that describe a bundle.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Described {
    description: String,
    maturity: String,
    provider: Named,
    links: Vec<Named>,
}

/// A provider or a link: a name with a URL.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named {
    name: String,
    url: String,
}

impl Services {
    /// Returns the information about a package, read from the head of its default channel. Empty if
    /// the bundle cannot be read.
    pub(super) async fn about(&self, catalog: &str, package: &GetPackageResponse) -> About {
        let mut channels = package.channels.iter();
        let default = channels.find(|it| it.name == package.default_channel);
        let head = default.and_then(|it| it.heads.first()).map(|it| &it.name);
        let head = head.or_else(|| package.bundles.first().map(|it| &it.name));
        let Some(head) = head else {
            return About::default();
        };
        let request = GetBundleRequest {
            catalog: catalog.to_owned(),
            package: package.name.clone(),
            bundle: head.clone(),
            objects: true,
        };
        let Ok(bundle) = heard(self.resolver().get_bundle(request).await) else {
            return About::default();
        };
        let modes = bundle.install_modes.into_iter();
        let modes = modes.filter(|mode| mode.supported).map(|mode| mode.name);
        About {
            title: bundle.display_name,
            install_modes: modes.collect(),
            ..described(&bundle.objects)
        }
    }
}

/// Returns the icon. Returns None if the icon is too large or its media type is not permitted.
pub(super) fn icon(icon: &get_package_response::Icon) -> Option<Icon> {
    let is_small = icon.data.len() <= LARGEST_ICON;
    let data = is_small.then(|| STANDARD.encode(&icon.data))?;
    Icon::of(&icon.media_type, &data)
}

/// Returns the information from the first manifest that describes the bundle.
fn described(objects: &[String]) -> About {
    let objects = objects.iter().take(MOST_OBJECTS);
    let short = objects.filter(|it| it.len() <= LONGEST_OBJECT);
    let mut read = short.filter_map(|it| serde_json::from_str::<CsvHeader>(it).ok());
    let described = read.find_map(|it| match it.kind.as_str() {
        "ClusterServiceVersion" => it.spec,
        "" => Some(it.own),
        _ => None,
    });
    let Described {
        description,
        maturity,
        provider,
        links,
    } = described.unwrap_or_default();
    About {
        provider: provider.shown(),
        maturity,
        links: links.iter().map(Named::shown).collect(),
        description,
        ..About::default()
    }
}

// === impl Named ===

impl Named {
    /// Returns the name with its URL as plain text. Pages contain no links to other servers.
    fn shown(&self) -> String {
        match (self.name.as_str(), self.url.as_str()) {
            (name, "") => name.to_owned(),
            ("", url) => url.to_owned(),
            (name, url) => format!("{name} ({url})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn facts() -> Value {
        json!({
            "description": "Carries people.",
            "maturity": "stable",
            "provider": {"name": "Harbor", "url": "https://harbor.example"},
            "links": [{"name": "Docs", "url": "https://docs.example"}, {"url": "https://b.example"}],
        })
    }

    #[rstest]
    #[case::manifest(json!({"kind": "ClusterServiceVersion", "spec": facts()}))]
    #[case::metadata(facts())]
    fn facts_are_read_from_manifests_and_metadata(#[case] object: Value) {
        let other = json!({"kind": "ConfigMap", "spec": {"maturity": "alpha"}});
        let objects = [other, json!("no object"), object].map(|it| it.to_string());
        let expected = About {
            provider: "Harbor (https://harbor.example)".to_owned(),
            maturity: "stable".to_owned(),
            links: vec![
                "Docs (https://docs.example)".to_owned(),
                "https://b.example".to_owned(),
            ],
            description: "Carries people.".to_owned(),
            ..About::default()
        };
        assert_eq!(described(&objects), expected);
    }

    #[test]
    fn bundle_without_manifests_has_no_facts() {
        assert_eq!(described(&[]), About::default());
    }

    #[rstest]
    #[case::small("image/png", 100, true)]
    #[case::large("image/png", LARGEST_ICON + 1, false)]
    #[case::page("text/html", 100, false)]
    fn icon_is_small_and_an_image(
        #[case] media_type: &str,
        #[case] size: usize,
        #[case] expected: bool,
    ) {
        let given = get_package_response::Icon {
            media_type: media_type.to_owned(),
            data: vec![7; size],
        };
        assert_eq!(icon(&given).is_some(), expected);
    }
}
