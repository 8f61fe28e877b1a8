//! Writes a catalog and bundles to a folder.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A version of a package, and its requirement: `ferry 1.1.0 rope >=1.1.0`.
pub(crate) struct Version<'a> {
    pub(crate) package: &'a str,
    pub(crate) version: &'a str,
    pub(crate) requires: Option<(&'a str, &'a str)>,
    /// Another version that this version skips. The catalog may lack it.
    skips: Option<&'a str>,
    /// True if the Pods of the operator crash.
    is_ill: bool,
    /// True if the operator supports only the install mode OwnNamespace.
    is_own: bool,
    /// The versions of the CRD. The first version is stored. If empty, the bundle has no CRD.
    defines: &'a [&'a str],
    /// The fields of `spec` in the CRD. If empty, every field is valid.
    fields: &'a [&'a str],
}

/// Returns a version without requirements.
pub(crate) fn version<'a>(package: &'a str, version: &'a str) -> Version<'a> {
    Version {
        package,
        version,
        requires: None,
        skips: None,
        is_ill: false,
        is_own: false,
        defines: &[],
        fields: &[],
    }
}

impl<'a> Version<'a> {
    pub(crate) fn requiring(self, package: &'a str, range: &'a str) -> Self {
        Self {
            requires: Some((package, range)),
            ..self
        }
    }

    /// Adds a CRD for the kind Ship with these versions. The first version is stored.
    pub(crate) fn defining(self, defines: &'a [&'a str]) -> Self {
        Self { defines, ..self }
    }

    pub(crate) fn skipping(self, version: &'a str) -> Self {
        Self {
            skips: Some(version),
            ..self
        }
    }

    /// Adds a CRD for the kind Ship in v1, with these fields in `spec`.
    pub(crate) fn with_fields(self, fields: &'a [&'a str]) -> Self {
        Self {
            defines: &["v1"],
            fields,
            ..self
        }
    }

    pub(crate) fn ill(self) -> Self {
        Self {
            is_ill: true,
            ..self
        }
    }

    /// Makes the operator support only the install mode OwnNamespace.
    pub(crate) fn own_namespace(self) -> Self {
        Self {
            is_own: true,
            ..self
        }
    }

    /// Returns the properties for the kind that the CRD defines.
    fn apis(&self) -> impl Iterator<Item = String> {
        let group = format!("{}.example", self.package);
        let versions = self.defines.iter();
        versions.map(move |version| format!("group: {group}, version: {version}, kind: Ship"))
    }

    fn crd_name(&self) -> String {
        format!("ships.{}.example", self.package)
    }

    fn crd(&self) -> String {
        let Self {
            package, defines, ..
        } = self;
        let mut text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
             metadata: {{name: {}}}\nspec:\n  group: {package}.example\n  \
             scope: Namespaced\n  \
             names: {{kind: Ship, listKind: ShipList, plural: ships, singular: ship}}\n  \
             versions:\n",
            self.crd_name()
        );
        let schema = self.schema();
        for (place, version) in defines.iter().enumerate() {
            let _ = write!(
                text,
                "  - name: {version}\n    served: true\n    storage: {}\n    \
                 schema: {{openAPIV3Schema: {{type: object, {schema}}}}}\n",
                place == 0
            );
        }
        text
    }

    fn schema(&self) -> String {
        if self.fields.is_empty() {
            return "x-kubernetes-preserve-unknown-fields: true".to_owned();
        }
        let fields = self
            .fields
            .iter()
            .map(|it| format!("{it}: {{type: string}}"));
        let fields = fields.collect::<Vec<_>>().join(", ");
        format!("properties: {{spec: {{type: object, properties: {{{fields}}}}}}}")
    }
}

/// Writes the bundles, and a catalog with one channel for each package.
pub(super) fn write(
    (folder, registry): (&Path, &str),
    versions: &[Version<'_>],
) -> std::io::Result<()> {
    let mut text = String::new();
    let mut packages: Vec<_> = versions.iter().map(|one| one.package).collect();
    packages.dedup();
    for package in packages {
        let own: Vec<_> = versions
            .iter()
            .filter(|one| one.package == package)
            .collect();
        let _ = write!(
            text,
            "---\nschema: olm.package\nname: {package}\ndefaultChannel: stable\n---\n\
             schema: olm.channel\npackage: {package}\nname: stable\nentries:\n"
        );
        let mut before: Option<&str> = None;
        for Version { version, skips, .. } in &own {
            let _ = writeln!(text, "- name: {package}.v{version}");
            if let Some(skipped) = skips {
                let _ = writeln!(text, "  skips: [{package}.v{skipped}]");
            }
            if let Some(before) = before.replace(version) {
                let _ = writeln!(text, "  replaces: {package}.v{before}");
            }
        }
        for one in own {
            let Version { version, .. } = one;
            let _ = write!(
                text,
                "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\n\
                 image: {registry}/{package}:{version}\nproperties:\n- type: olm.package\n  \
                 value: {{packageName: {package}, version: {version}}}\n"
            );
            if let Some((required, range)) = one.requires {
                let _ = write!(
                    text,
                    "- type: olm.package.required\n  value: {{packageName: {required}, \
                     versionRange: '{range}'}}\n"
                );
            }
            for api in one.apis() {
                let _ = writeln!(text, "- type: olm.gvk\n  value: {{{api}}}");
            }
            let bundle = folder.join("bundles").join(package).join(version);
            for (part, name, text) in [
                ("manifests", "csv.yaml", csv(one)),
                ("metadata", "annotations.yaml", annotations(package)),
            ] {
                fs::create_dir_all(bundle.join(part))?;
                fs::write(bundle.join(part).join(name), text)?;
            }
            if !one.defines.is_empty() {
                fs::write(bundle.join("manifests/crd.yaml"), one.crd())?;
            }
        }
    }
    fs::create_dir_all(folder.join("catalog"))?;
    fs::write(folder.join("catalog/catalog.yaml"), text)
}

fn annotations(package: &str) -> String {
    format!("annotations: {{operators.operatorframework.io.bundle.package.v1: {package}}}\n")
}

fn csv(one: &Version<'_>) -> String {
    let mut owned = String::new();
    for version in one.defines {
        let _ = writeln!(
            owned,
            "{}    - {{name: {}, version: {version}, kind: Ship}}",
            if owned.is_empty() {
                "  customresourcedefinitions:\n    owned:\n"
            } else {
                ""
            },
            one.crd_name()
        );
    }
    let Version {
        package,
        version,
        is_ill,
        is_own,
        ..
    } = one;
    let everywhere = !is_own;
    let (state, deadline) = if *is_ill {
        let state = ", annotations: {rig.test/pod-state: crash-looping}";
        (state, "          progressDeadlineSeconds: 2\n")
    } else {
        ("", "")
    };
    format!(
        "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {{name: {package}.v{version}}}
spec:
  version: {version}
  installModes:
  - {{type: OwnNamespace, supported: true}}
  - {{type: AllNamespaces, supported: {everywhere}}}
  install:
    strategy: deployment
    spec:
      clusterPermissions:
      - serviceAccountName: {package}
        rules:
        - {{apiGroups: [''], resources: [pods], verbs: [get, list, watch]}}
      deployments:
      - name: {package}
        spec:
          replicas: 1
{deadline}          selector: {{matchLabels: {{app: {package}}}}}
          template:
            metadata: {{labels: {{app: {package}}}{state}}}
            spec:
              serviceAccountName: {package}
              containers:
              - {{name: main, image: 'registry.test/{package}:{version}'}}
{owned}"
    )
}
