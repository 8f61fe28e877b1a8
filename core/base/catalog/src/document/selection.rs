//! Selects the values of a document that a query may need. The parsers skip all other values.

/// The annotation with which a rebuilt bundle names the bundle that it substitutes.
pub(crate) const SUBSTITUTES_FOR: &str = "olm.substitutesFor";

/// The keys of `olm.csv.metadata` that Portolan reads.
pub(crate) const CSV_KEYS: [&str; 4] = [
    "annotations",
    "displayName",
    "installModes",
    "minKubeVersion",
];

const ROOT_KEYS: [&str; 10] = [
    "schema",
    "package",
    "name",
    "image",
    "relatedImages",
    "entries",
    "defaultChannel",
    "properties",
    "icon",
    "description",
];

/// The position of a value in a document. It determines which values below it are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    /// A position below which all values are needed.
    All,
    /// The root of the document.
    Document,
    Properties,
    Property,
    /// The value of a property of type `olm.csv.metadata`.
    CsvMetadata,
    CsvAnnotations,
}

// === impl Selection ===

impl Selection {
    /// Returns the position of the value under `key`. Returns None if the value is not needed.
    /// `kind` is the schema of the document or the type of the property. `kind` is None if this
    /// field follows after the key.
    pub(crate) fn below(self, key: &str, kind: Option<&str>) -> Option<Self> {
        let is = |name: &str| key.eq_ignore_ascii_case(name);
        match (self, kind) {
            (Self::All, _) | (Self::Properties, _) => Some(Self::All),
            (Self::Document, Some(schema)) if !super::is_known(schema) => {
                (is("schema") || is("package") || is("name")).then_some(Self::All)
            }
            (Self::Document, _) if is("properties") => Some(Self::Properties),
            (Self::Document, _) => ROOT_KEYS.iter().any(|name| is(name)).then_some(Self::All),
            (Self::Property, Some("olm.bundle.object")) if is("value") => None,
            (Self::Property, Some("olm.csv.metadata")) if is("value") => Some(Self::CsvMetadata),
            (Self::Property, _) => Some(Self::All),
            (Self::CsvMetadata, _) if is("annotations") => Some(Self::CsvAnnotations),
            (Self::CsvMetadata, _) => CSV_KEYS.iter().any(|name| is(name)).then_some(Self::All),
            (Self::CsvAnnotations, _) => (key == SUBSTITUTES_FOR).then_some(Self::All),
        }
    }

    /// Returns the position of the elements of a list.
    pub(crate) fn item(self) -> Self {
        match self {
            Self::Properties => Self::Property,
            Self::All
            | Self::Document
            | Self::Property
            | Self::CsvMetadata
            | Self::CsvAnnotations => Self::All,
        }
    }

    /// Returns true if `key` is the schema of a document or the type of a property. It determines
    /// the meaning of the other keys of the object.
    pub(crate) fn is_kind(self, key: &str) -> bool {
        match self {
            Self::Document => key.eq_ignore_ascii_case("schema"),
            Self::Property => key.eq_ignore_ascii_case("type"),
            Self::All | Self::Properties | Self::CsvMetadata | Self::CsvAnnotations => false,
        }
    }
}
