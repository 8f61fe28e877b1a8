//! What people see of a package.

use super::base64::decode;
use super::{ReadRaw, fault, fields, read};
use crate::document::fields::Fields;
use crate::document::{Content, LineTrouble};
use crate::node::Value;
use crate::{Digest, Fault, Limits, model};

/// What a document says of a package that no upgrade depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// What it is for, often in Markdown.
    pub description: Option<String>,
    /// Its picture.
    pub icon: Option<Icon>,
    /// Pictures and words that are none.
    pub faults: Vec<Fault>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// How it is written, such as `image/svg+xml`.
    pub media_type: String,
    /// The picture.
    pub bytes: Vec<u8>,
}

// === impl Package ===

impl Package {
    /// Reads the document of a package that is known.
    ///
    /// # Errors
    ///
    /// [`ReadRaw::Changed`] if the bytes are not of that package, or name another default channel,
    /// description or icon than they did.
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

fn icon(package: &Fields<'_, '_>) -> Result<Option<Icon>, LineTrouble> {
    let Some(icon) = package
        .find("icon")
        .filter(|icon| icon.value != Value::Null)
    else {
        return Ok(None);
    };
    let icon = fields("an icon", icon)?;
    let media_type = icon.text("mediatype")?.unwrap_or_default();
    // So some programs write that there is none.
    if media_type.is_empty() && icon.text("base64data")?.is_none_or(str::is_empty) {
        return Ok(None);
    }
    Ok(Some(Icon {
        media_type: media_type.to_owned(),
        bytes: decode(&icon, "base64data")?,
    }))
}
