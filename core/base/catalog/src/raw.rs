//! Reads the parts of a document that the model does not contain, such as manifests and icons.
//!
//! A [`CatalogPlace`] has the position of the document. The caller reads the bytes at this position
//! from the source. They are compared with the model, so that a document that has changed since the
//! first read is detected.
//!
//! ```
//! use portolan_core_catalog::{Catalog, Limits, Reading, raw};
//!
//! let file = br#"
//! {"schema": "olm.package", "name": "ferry", "description": "Carries things across."}
//! "#;
//! let ferry = &Catalog::of([Reading::of("ferry.json", file)]).packages["ferry"];
//! let (from, length) = (ferry.place.offset as usize, ferry.place.length as usize);
//!
//! let again = raw::Package::of(&file[from..from + length], ferry, &Limits::default())?;
//! assert_eq!(again.description.as_deref(), Some("Carries things across."));
//! # Ok::<(), raw::ReadRaw>(())
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_core_names::PackageName;
use thiserror::Error;

use crate::document::fields::Fields;
use crate::document::selection::Selection;
use crate::document::{self, Content, Interner, LineDefect, Outcome, ReadContext};
use crate::node::{self, Broken, Cause, Keys, Node, Value};
use crate::{CatalogPlace, Digest, Fault, Limits, Property, model};

/// The reason why the skipped content cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadRaw {
    /// The document cannot be read completely. A part that was skipped at the first read is invalid
    /// or exceeds a limit.
    #[error("{0}")]
    Broken(Box<Fault>),
    /// The bytes differ from the document at the first read.
    #[error("there is another document at {}:{} now", .0.file, .0.line)]
    Changed(CatalogPlace),
}

/// Parses a document. Returns its tree, its package and its content in the model.
fn read<'b>(
    bytes: &'b [u8],
    place: &CatalogPlace,
    limits: &Limits,
) -> Result<(Node<'b>, PackageName, Content), ReadRaw> {
    let tree = tree(bytes, place.line, limits).map_err(|Broken { line, cause }| {
        let defect = cause.into();
        ReadRaw::Broken(Box::new(fault(place, None, LineDefect { line, defect })))
    })?;
    // The notes are dropped, because the first read already reported these defects.
    let mut interner = Interner::default();
    match document::read(
        &tree,
        place,
        &mut ReadContext::new(&mut interner, true, limits),
    ) {
        Ok(Outcome::Read(package, content)) => Ok((tree, package, content)),
        Ok(Outcome::Foreign(_) | Outcome::Again) | Err(_) => Err(ReadRaw::Changed(place.clone())),
    }
}

/// Parses a whole document. A document that begins with a bracket is JSON, or else YAML.
fn tree<'b>(bytes: &'b [u8], line: u64, limits: &Limits) -> Result<Node<'b>, Broken> {
    if bytes.len() > limits.document {
        let cause = Cause::Bytes(limits.document);
        return Err(Broken { line, cause });
    }
    if !bytes.starts_with(b"{") && !bytes.starts_with(b"[") {
        return yaml(bytes, line, limits);
    }
    node::json::parse(bytes, line, Selection::All, limits).or_else(|broken| match broken.cause {
        Cause::Syntax(_) => yaml(bytes, line, limits).map_err(|_| broken),
        Cause::Bytes(_) | Cause::Values(_) | Cause::Depth(_) => Err(broken),
    })
}

fn yaml<'b>(bytes: &'b [u8], line: u64, limits: &Limits) -> Result<Node<'b>, Broken> {
    let nothing = || {
        let cause = Cause::Syntax("there is nothing".to_owned());
        Broken { line, cause }
    };
    node::yaml::parse(
        node::yaml::text(bytes, line)?,
        line,
        Keys::AsWritten,
        limits,
    )?
    .ok_or_else(nothing)
}

/// Returns the fields of an object. `what` describes the object in error messages.
fn fields<'n, 'a>(what: &'static str, node: &'n Node<'a>) -> Result<Fields<'n, 'a>, LineDefect> {
    let mut interner = Interner::default();
    Fields::of(
        what,
        node,
        &[],
        &mut ReadContext::new(&mut interner, true, &Limits::default()),
    )
}

fn fault(place: &CatalogPlace, package: Option<&PackageName>, error: LineDefect) -> Fault {
    let LineDefect { line, defect } = error;
    Fault {
        file: place.file.clone(),
        line,
        package: package.map(ToString::to_string),
        subject: String::new(),
        defect,
    }
}

/// Decodes the base64 text under a key. Ignores line breaks in the text, as opm does.
fn decode(fields: &Fields<'_, '_>, key: &'static str) -> Result<Vec<u8>, LineDefect> {
    let mut text = fields.required_text(key)?.as_bytes().to_vec();
    text.retain(|byte| !matches!(byte, b'\r' | b'\n'));
    STANDARD
        .decode(text)
        .map_err(|error| fields.refused(key, &format!("not base64: {error}")))
}

/// The content of a bundle document that the model does not contain, except images.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The properties in the order of the document, except properties with manifests or displayed
    /// data.
    pub properties: Vec<Property>,
    /// The value of `olm.csv.metadata` as canonical JSON. It contains the displayed fields of the
    /// ClusterServiceVersion.
    pub csv_metadata: Option<String>,
    /// The manifests in `olm.bundle.object` as canonical JSON, in the order of the document.
    pub manifests: Vec<String>,
    /// The faults of invalid manifests, each with its line.
    pub faults: Vec<Fault>,
}

// === impl Bundle ===

impl Bundle {
    /// Reads the document of a bundle that is in the model.
    ///
    /// # Errors
    ///
    /// Returns [`ReadRaw::Changed`] if the bytes describe another bundle than the model. Changed
    /// manifests are not detected, because the model does not contain them.
    pub fn of(bytes: &[u8], known: &model::Bundle, limits: &Limits) -> Result<Self, ReadRaw> {
        let place = &known.place;
        let (document, package, content) = read(bytes, place, limits)?;
        if !matches!(content, Content::Bundle(bundle) if *bundle == *known) {
            return Err(ReadRaw::Changed(place.clone()));
        }
        let mut raw = Self::default();
        let properties = fields("olm.bundle", &document).and_then(|all| all.list("properties"));
        let taken = properties
            .unwrap_or_default()
            .iter()
            .map(|property| raw.take(property, limits));
        let errors: Vec<_> = taken.filter_map(Result::err).collect();
        let fault = |error| Fault {
            subject: format!("bundle {}", known.name),
            ..fault(place, Some(&package), error)
        };
        raw.faults = errors.into_iter().map(fault).collect();
        Ok(raw)
    }

    fn take(&mut self, property: &Node<'_>, limits: &Limits) -> Result<(), LineDefect> {
        let property = fields("a property", property)?;
        let value = property
            .find("value")
            .ok_or_else(|| property.missing("value"))?;
        match property.required_text("type")? {
            "olm.bundle.object" => self.manifests.push(manifest(value, limits)?),
            "olm.csv.metadata" => {
                let json = || value.value.canonical_json();
                self.csv_metadata.get_or_insert_with(json);
            }
            kind => self.properties.push(Property {
                kind: kind.into(),
                value: value.value.canonical_json().into(),
            }),
        }
        Ok(())
    }
}

/// Parses a manifest, which may be JSON or YAML. Returns it as canonical JSON.
fn manifest(value: &Node<'_>, limits: &Limits) -> Result<String, LineDefect> {
    let bytes = decode(&fields("olm.bundle.object", value)?, "data")?;
    let tree = tree(bytes.trim_ascii_start(), 1, limits).map_err(|broken| LineDefect {
        line: value.line,
        defect: broken.cause.into(),
    })?;
    Ok(tree.value.canonical_json())
}

/// The content of a package document that the model does not contain. It does not affect upgrades.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// The description, often in Markdown.
    pub description: Option<String>,
    pub icon: Option<Icon>,
    /// The faults of an invalid icon or description.
    pub faults: Vec<Fault>,
}

/// An icon of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// The media type, such as `image/svg+xml`.
    pub media_type: String,
    pub bytes: Vec<u8>,
}

// === impl Package ===

impl Package {
    /// Reads the document of a package that is in the model.
    ///
    /// # Errors
    ///
    /// Returns [`ReadRaw::Changed`] if the bytes describe another package, or if the default
    /// channel, the description or the icon has changed.
    pub fn of(bytes: &[u8], known: &model::Package, limits: &Limits) -> Result<Self, ReadRaw> {
        let place = &known.place;
        let (document, name, content) = read(bytes, place, limits)?;
        if name != known.name || !says_the_same(&content, known) {
            return Err(ReadRaw::Changed(place.clone()));
        }
        let fields = fields("olm.package", &document);
        let description = fields.clone().and_then(|fields| fields.text("description"));
        let icon = fields.and_then(|fields| icon(&fields));
        let mut raw = Self::default();
        match description {
            Ok(text) => raw.description = text.map(str::to_owned),
            Err(error) => raw.faults.push(fault(place, Some(&name), error)),
        }
        match icon {
            Ok(icon) => raw.icon = icon,
            Err(error) => raw.faults.push(fault(place, Some(&name), error)),
        }
        Ok(raw)
    }
}

fn says_the_same(content: &Content, known: &model::Package) -> bool {
    let Content::Package(head) = content else {
        return false;
    };
    let bundles: Vec<&model::Bundle> = known.bundles.values().map(AsRef::as_ref).collect();
    head.default_channel == known.default_channel
        && Digest::of_display(head.display, &bundles) == known.display_digest
}

fn icon(package: &Fields<'_, '_>) -> Result<Option<Icon>, LineDefect> {
    let Some(icon) = package
        .find("icon")
        .filter(|icon| icon.value != Value::Null)
    else {
        return Ok(None);
    };
    let icon = fields("an icon", icon)?;
    let media_type = icon.text("mediatype")?.unwrap_or_default();
    // Some programs write an icon with empty fields if the package has no icon.
    if media_type.is_empty() && icon.text("base64data")?.is_none_or(str::is_empty) {
        return Ok(None);
    }
    Ok(Some(Icon {
        media_type: media_type.to_owned(),
        bytes: decode(&icon, "base64data")?,
    }))
}
