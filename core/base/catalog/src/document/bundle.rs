//! Reads `olm.bundle` documents.

mod objects;

use std::sync::Arc;

use portolan_core_names::{PackageName, Release, Version, VersionRange};

use super::fields::{Fields, mistyped};
use super::{Content, LineDefect, ReadContext, image};
use crate::Constraint;
use crate::fault::{Defect, Severity};
use crate::model::CatalogPlace;
use crate::model::{Api, Bundle, PackageRequirement, Property, RelatedImage, Requirements};
use crate::node::{Node, Value};

use self::objects::{CsvMetadata, Objects, read_csv_metadata};

const KEYS: [&str; 3] = ["image", "properties", "relatedImages"];

const PROPERTY_KEYS: [&str; 2] = ["type", "value"];

/// The maximum length of a constraint in opm. Also the maximum length of a property that CEL rules
/// can read.
const LONGEST: usize = 2 << 16;

/// The content of properties that is needed after all properties are read.
#[derive(Default)]
struct PropertyContents<'n> {
    versions: Vec<(Version, Option<Release>)>,
    metadata: Option<CsvMetadata>,
    objects: Objects<'n>,
    properties: Vec<Property>,
}

/// Reads a bundle. Returns None if it needs values that were skipped.
pub(super) fn read(
    node: &Node<'_>,
    place: &CatalogPlace,
    context: &mut ReadContext<'_>,
) -> Result<Option<(PackageName, Content)>, LineDefect> {
    let fields = Fields::of("olm.bundle", node, &KEYS, context)?;
    let package: PackageName = fields.required("package")?;
    let name = fields.required_text("name")?;
    let name = context
        .interner
        .bundle(name)
        .map_err(|refusal| fields.refused("name", &refusal))?;
    let mut bundle = Bundle::bare(name, place.clone());
    let mut said = PropertyContents::default();
    for node in fields.list("properties")? {
        property(node, &package, &mut bundle, &mut said, context)?;
    }
    let (version, release) = only_version(&fields, &mut said)?;
    bundle.version = version;
    bundle.release = release;
    if let Some(release) = &bundle.release {
        is_named_for_release(&fields, &package, &bundle, release)?;
    } else if let Some(release) = bundle.version.build_as_release() {
        match is_substitute(&said) {
            None if !context.is_whole => return Ok(None),
            found => bundle.release = found.unwrap_or_default().then_some(release),
        }
    }
    bundle.has_objects = said.objects.are_there();
    bundle.display = said.metadata.take().unwrap_or_default().display;
    bundle.properties = set(said.properties).into();
    sort(&mut bundle.requires);
    images(&fields, &mut bundle, context)?;
    Ok(Some((package, Content::Bundle(Arc::new(bundle)))))
}

fn property<'n>(
    node: &'n Node<'_>,
    package: &PackageName,
    bundle: &mut Bundle,
    said: &mut PropertyContents<'n>,
    context: &mut ReadContext<'_>,
) -> Result<(), LineDefect> {
    let fields = Fields::of("a property", node, &PROPERTY_KEYS, context)?;
    let kind = fields.required_text("type")?;
    let Some(value) = fields.find("value") else {
        return Err(fields.missing("value"));
    };
    match kind {
        "olm.package" => said.versions.push(version(value, package, context)?),
        "olm.gvk" => {
            bundle.provides.insert(api(value, context)?);
        }
        "olm.gvk.required" => {
            bundle.requires.apis.insert(api(value, context)?);
        }
        "olm.package.required" => bundle.requires.packages.push(requirement(value, context)?),
        "olm.constraint" => {
            let constraint = Arc::new(constraint(value, context)?);
            bundle.requires.constraints.push(constraint);
        }
        "olm.csv.metadata" if said.metadata.is_some() => {
            let defect = Defect::KeyTwice("olm.csv.metadata".to_owned());
            context.note(fields.error("type", defect));
        }
        "olm.csv.metadata" => said.metadata = Some(read_csv_metadata(value, context)?),
        "olm.bundle.object" => said.objects.add(value),
        "olm.maxOpenShiftVersion" => {
            bundle.max_openshift_version = Some(scalar(value, kind, context)?)
        }
        "olm.deprecated" => bundle.is_prohibited = true,
        // Older registries and other programs define these properties. Upgrade edges come only from
        // channels, but a CEL rule may read any property.
        kind => other_property(&fields, kind, value, said, context),
    }
    Ok(())
}

fn other_property(
    fields: &Fields<'_, '_>,
    kind: &str,
    value: &Node<'_>,
    said: &mut PropertyContents<'_>,
    context: &mut ReadContext<'_>,
) {
    let json = value.value.canonical_json();
    if json.len() > LONGEST {
        let kind = crate::node::excerpt(kind);
        let defect = Defect::Doubtful {
            key: "value",
            sentence: format!("{kind:?} is longer than {LONGEST} bytes and is hidden from rules"),
            severity: Severity::Warning,
        };
        return context.note(fields.error("value", defect));
    }
    said.properties.push(Property {
        kind: context.interner.text(kind),
        value: json.into(),
    });
}

fn version(
    node: &Node<'_>,
    package: &PackageName,
    context: &mut ReadContext<'_>,
) -> Result<(Version, Option<Release>), LineDefect> {
    let keys = ["packageName", "version", "release"];
    let fields = Fields::of("olm.package", node, &keys, context)?;
    let named = fields.text("packageName")?.unwrap_or_default();
    if named != package.as_str() {
        let sentence = format!("the bundle belongs to {package}, but {named:?} is another package");
        return Err(fields.refused("packageName", &sentence));
    }
    Ok((fields.required("version")?, fields.parsed("release")?))
}

fn only_version(
    fields: &Fields<'_, '_>,
    said: &mut PropertyContents<'_>,
) -> Result<(Version, Option<Release>), LineDefect> {
    match (said.versions.pop(), said.versions.len()) {
        (Some(only), 0) => Ok(only),
        (None, _) => {
            let what = "the bundle";
            let key = "olm.package property";
            Err(fields.error("properties", Defect::Missing { what, key }))
        }
        (Some(_), others) => {
            let sentence = format!(
                "there are {} olm.package properties; exactly one is \
             required",
                others + 1
            );
            Err(fields.refused("properties", &sentence))
        }
    }
}

/// Checks two rules of opm for a bundle with a release: the name contains version and release, and
/// the version has no build metadata.
fn is_named_for_release(
    fields: &Fields<'_, '_>,
    package: &PackageName,
    bundle: &Bundle,
    release: &Release,
) -> Result<(), LineDefect> {
    if !bundle.version.build().is_empty() {
        let sentence =
            "a version with a release cannot have build metadata; remove the part after `+`";
        return Err(fields.refused("version", &sentence));
    }
    let expected = format!("{package}-v{}-{release}", bundle.version);
    if bundle.name.as_str() == expected {
        Ok(())
    } else {
        let sentence = format!("a bundle of release {release} must be named {expected}");
        Err(fields.refused("name", &sentence))
    }
}

/// Returns true if the build metadata of the version is a release, because the bundle substitutes
/// another bundle. Returns None if this depends on manifests that were skipped.
fn is_substitute(said: &PropertyContents<'_>) -> Option<bool> {
    match &said.metadata {
        Some(metadata) => Some(metadata.is_substitute),
        None => said.objects.is_substitute(),
    }
}

fn api(node: &Node<'_>, context: &mut ReadContext<'_>) -> Result<Api, LineDefect> {
    let fields = Fields::of("an API", node, &["group", "version", "kind"], context)?;
    // The core group of Kubernetes has an empty name, so a missing group is valid.
    let group = fields.text("group")?.unwrap_or_default();
    let version = fields.required_text("version")?;
    let kind = fields.required_text("kind")?;
    Ok(Api {
        group: context.interner.text(group),
        version: context.interner.text(version),
        kind: context.interner.text(kind),
    })
}

fn requirement(
    node: &Node<'_>,
    context: &mut ReadContext<'_>,
) -> Result<PackageRequirement, LineDefect> {
    let keys = ["packageName", "versionRange"];
    let fields = Fields::of("olm.package.required", node, &keys, context)?;
    let package = fields.required("packageName")?;
    let text = fields.text("versionRange")?.unwrap_or_default();
    // An invalid range, or a range that OLM rejects, matches no version. The requirement is kept,
    // so that no bundle can satisfy it.
    let range = match VersionRange::parse(text) {
        Ok(range) => {
            fields.warn_of("versionRange", &range, context);
            Some(range).filter(|range| range.refused_by_olm().is_none())
        }
        Err(refusal) => {
            let defect = Defect::Doubtful {
                key: "versionRange",
                sentence: format!("{refusal}; no version meets the requirement"),
                severity: Severity::Warning,
            };
            context.note(fields.error("versionRange", defect));
            None
        }
    };
    Ok(PackageRequirement {
        package,
        text: context.interner.text(text),
        range,
    })
}

fn constraint(node: &Node<'_>, context: &mut ReadContext<'_>) -> Result<Constraint, LineDefect> {
    if !matches!(&node.value, Value::Map(_)) {
        return Err(mistyped(node, "olm.constraint", "an object"));
    }
    let json = node.value.canonical_json();
    if json.len() > LONGEST {
        return Err(LineDefect {
            line: node.line,
            defect: Defect::TooMuch {
                what: "a constraint of more bytes",
                limit: LONGEST as u64,
            },
        });
    }
    let constraint = Constraint::parse(&json);
    if let Err(flaw) = constraint.clause() {
        context.note(LineDefect {
            line: node.line,
            defect: Defect::Doubtful {
                key: "olm.constraint",
                sentence: format!("{flaw}; nothing fulfills the constraint"),
                severity: Severity::Warning,
            },
        });
    }
    Ok(constraint)
}

/// Reads a text. Accepts a number, because some authors forget the quotes.
fn scalar(
    node: &Node<'_>,
    key: &str,
    context: &mut ReadContext<'_>,
) -> Result<Arc<str>, LineDefect> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Ok(context.interner.text(text)),
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) | Value::Skipped => {
            Err(mistyped(node, key, "a text"))
        }
    }
}

/// Sorts the requirements, because the order of properties has no meaning.
fn sort(requires: &mut Requirements) {
    requires
        .packages
        .sort_by(|left, right| (&left.package, &left.text).cmp(&(&right.package, &right.text)));
    requires.packages.dedup();
    requires.constraints = set(std::mem::take(&mut requires.constraints));
}

fn set<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items.dedup();
    items
}

fn images(
    fields: &Fields<'_, '_>,
    bundle: &mut Bundle,
    context: &mut ReadContext<'_>,
) -> Result<(), LineDefect> {
    let image = fields.text("image")?.unwrap_or_default();
    if !image.is_empty() {
        bundle.image = Some(image.into());
        doubt_image("image", image, fields, context);
    } else if !bundle.has_objects {
        context.note(fields.missing("image"));
    }
    for node in fields.list("relatedImages")? {
        let related = Fields::of("a related image", node, &["name", "image"], context)?;
        let image = related.text("image")?.unwrap_or_default();
        if !image.is_empty() {
            doubt_image("relatedImages", image, &related, context);
        }
        bundle.related_images.push(RelatedImage {
            name: context
                .interner
                .text(related.text("name")?.unwrap_or_default()),
            image: context.interner.text(image),
        });
    }
    bundle.related_images.sort();
    bundle.related_images.dedup();
    Ok(())
}

fn doubt_image(
    key: &'static str,
    image: &str,
    fields: &Fields<'_, '_>,
    context: &mut ReadContext<'_>,
) {
    if let Some(flaw) = image::flaw(image) {
        let image = crate::node::excerpt(image);
        let defect = Defect::Doubtful {
            key,
            sentence: format!("{image:?}: {flaw}"),
            severity: Severity::Error,
        };
        context.note(fields.error("image", defect));
    }
}
