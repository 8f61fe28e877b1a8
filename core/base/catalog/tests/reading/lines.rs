//! Builds small catalogs, and prints catalogs as a few lines of text.

use portolan_core_catalog::{Bundle, Catalog, Channel, Package, Reading};

/// Returns the catalog in a single file.
pub(crate) fn catalog(text: &str) -> Catalog {
    Catalog::of([Reading::of("f", text.as_bytes())])
}

/// The `olm.package` document of package `a` with the default channel `s`.
pub(crate) const PACKAGE: &str = "schema: olm.package\nname: a\ndefaultChannel: s\n";

/// Returns the `olm.channel` document s of package a, with these entries in YAML.
pub(crate) fn channel(entries: &str) -> String {
    format!("---\nschema: olm.channel\npackage: a\nname: s\nentries:\n{entries}")
}

/// Returns an `olm.bundle` document of package a, with these additional properties in YAML.
pub(crate) fn bundle(name: &str, version: &str, properties: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: a\nname: {name}\nimage: r.test/a:1\nproperties:\n\
         - type: olm.package\n  value: {{packageName: a, version: {version}}}\n{properties}"
    )
}

/// Returns package `a` with one channel and one bundle. The bundle has these additional properties.
pub(crate) fn with_properties(properties: &str) -> String {
    PACKAGE.to_owned() + &channel("- name: a.v1\n") + &bundle("a.v1", "1.0.0", properties)
}

/// Returns package a with the bundles a.v1, a.v2 and a.v3, and a channel with these entries.
pub(crate) fn with_entries(entries: &str) -> String {
    let bundles: String = [("a.v1", "1.0.0"), ("a.v2", "2.0.0"), ("a.v3", "3.0.0")]
        .iter()
        .map(|(name, version)| bundle(name, version, ""))
        .collect();
    PACKAGE.to_owned() + &channel(entries) + &bundles
}

/// Returns the content of a catalog, one item per line. Faults come last, with an exclamation mark.
pub(crate) fn catalog_lines(catalog: &Catalog) -> Vec<String> {
    let packages = catalog
        .packages
        .values()
        .flat_map(|package| package_lines(package));
    let foreign = catalog.foreign.iter();
    let foreign = foreign.map(|(schema, count)| format!("{count} of {schema}"));
    let faults = catalog.faults.iter().map(|fault| format!("! {fault}"));
    packages.chain(foreign).chain(faults).collect()
}

fn package_lines(package: &Package) -> Vec<String> {
    let default = match &package.default_channel {
        Some(channel) => format!("package {} -> {channel}", package.name),
        None => format!("package {}", package.name),
    };
    let deprecations = &package.deprecations;
    let whole = deprecations.package.iter();
    let whole = whole.map(|message| format!("deprecated: {message}"));
    let channels = deprecations.channels.iter();
    let channels = channels.map(|(name, message)| format!("channel {name} deprecated: {message}"));
    let bundles = deprecations.bundles.iter();
    let bundles = bundles.map(|(name, message)| format!("bundle {name} deprecated: {message}"));
    std::iter::once(default)
        .chain(
            package
                .channels
                .values()
                .map(|channel| channel_line(channel)),
        )
        .chain(package.bundles.values().map(|bundle| bundle_lines(bundle)))
        .chain(whole)
        .chain(channels)
        .chain(bundles)
        .collect()
}

fn channel_line(channel: &Channel) -> String {
    let mut line = format!("channel {}:", channel.name);
    for entry in channel.entries.values() {
        line += &format!(" {}", entry.name);
        let replaces = entry.replaces.iter().map(|name| format!("replaces {name}"));
        let skips = entry.skips.iter().map(|name| format!("skips {name}"));
        let range = entry
            .skip_range
            .iter()
            .map(|range| format!("covers {range}"));
        let edges: Vec<_> = replaces.chain(skips).chain(range).collect();
        if !edges.is_empty() {
            line += &format!(" ({})", edges.join(", "));
        }
    }
    line
}

fn bundle_lines(bundle: &Bundle) -> String {
    let mut line = format!("bundle {} {}", bundle.name, bundle.version);
    if let Some(release) = &bundle.release {
        line += &format!(" release {release}");
    }
    for api in &bundle.provides {
        line += &format!(" provides {}/{}/{}", api.group, api.version, api.kind);
    }
    for api in &bundle.requires.apis {
        line += &format!(" requires {}/{}/{}", api.group, api.version, api.kind);
    }
    for required in &bundle.requires.packages {
        let kind = if required.range.is_some() {
            ""
        } else {
            " never"
        };
        line += &format!(" requires{kind} {} {:?}", required.package, required.text);
    }
    for constraint in &bundle.requires.constraints {
        line += &format!(" constraint {}", constraint.text());
    }
    for property in bundle.properties.iter() {
        line += &format!(" says {} {}", property.kind, property.value);
    }
    if let Some(version) = &bundle.max_openshift_version {
        line += &format!(" up to {version}");
    }
    line += if bundle.is_prohibited {
        " prohibited"
    } else {
        ""
    };
    line += if bundle.has_objects {
        " with objects"
    } else {
        ""
    };
    line
}
