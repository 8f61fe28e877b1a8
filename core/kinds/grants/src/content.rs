//! Reads the content of an Install: the manifests that its author wrote, and the manifests in
//! images.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::installs::{Content, Mapping, Reason, Resolved, ResolvedBundle};
use portolan_core_install::{Discovery, GroupKind, digest};
use portolan_core_names::text::cite;
use serde_json::{Value, json};

/// The namespace of namespaced objects whose manifest has none, as in kubectl.
pub(crate) const DEFAULT: &str = "default";
/// The maximum number of manifests of one Install.
const MOST: usize = 1000;
/// The maximum total size in bytes of the bundle descriptions. They are stored in an annotation of
/// the plan.
const DESCRIBED: usize = 64 * 1024;

/// The manifests of an Install, and a summary of each entry of its content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The manifests that the Install itself contains, unchanged.
    pub written: Vec<Value>,
    /// The manifests that come from images. They already have their target namespaces.
    pub rendered: Vec<Value>,
    /// The summary of each entry of the content, for the status.
    pub resolved: Vec<Resolved>,
}

/// A bundle image to read, with the namespace into which it is installed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImageRef {
    pub image: String,
    /// The target namespace. Empty for the namespace that the bundle suggests.
    pub namespace: String,
}

/// The result of reading a bundle image.
#[derive(Debug, Clone, PartialEq)]
pub enum ImageAnswer {
    Read(Arc<RenderedImage>),
    /// The image gives no manifests. Contains the reason.
    Failed(ImageFault),
}

/// The content of a bundle image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RenderedImage {
    /// The reference to the image, with its digest.
    pub image: String,
    pub manifests: Vec<Value>,
    /// The description of the bundle. None if the image contains no bundle.
    pub bundle: Option<ResolvedBundle>,
}

/// The reason why an image gives no manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFault {
    /// True if the image was read, but its content is invalid. False if the image could not be
    /// read.
    pub is_invalid: bool,
    pub sentence: String,
    /// The time at which the image is read again. None if the fault is permanent.
    pub again: Option<Timestamp>,
}

/// The known results for images.
pub type Images = BTreeMap<ImageRef, ImageAnswer>;

/// The reason why the content of an Install gives no manifests.
#[derive(Debug, Clone, PartialEq)]
pub enum NotImported {
    /// The caller must first read these images.
    Asks(BTreeSet<ImageRef>),
    /// The content is invalid. Contains one sentence for each fault, and the time of the next
    /// attempt. The time is None if another attempt would not help.
    Wrong(Reason, Vec<String>, Option<Timestamp>),
}

/// The state while the entries of the content are read.
struct Import<'i> {
    images: &'i Images,
    imported: Imported,
    asks: BTreeSet<ImageRef>,
    /// The faults of all entries, each as a reason and a sentence.
    faults: Vec<(Reason, String)>,
    again: Option<Timestamp>,
}

/// Returns the manifests of all entries of the content. `reference` returns the image to read for
/// an image in the content.
///
/// # Errors
///
/// Returns the images that must be read first, or the faults of the content. Each fault is a
/// sentence that names the entry.
pub fn import(
    content: &[Content],
    images: &Images,
    reference: impl Fn(&str) -> ImageRef,
) -> Result<Imported, NotImported> {
    let mut import = Import {
        images,
        imported: Imported::default(),
        asks: BTreeSet::new(),
        faults: Vec::new(),
        again: None,
    };
    for (at, entry) in content.iter().enumerate() {
        let place = format!("spec.content[{at}]");
        match entry {
            Content::Raw(raw) => import.raw(&format!("{place}.raw"), raw),
            Content::ManifestImage(image) => {
                import.image(&format!("{place}.manifestImage"), &reference(image));
            }
        }
    }
    import.end()
}

impl Import<'_> {
    fn raw(&mut self, place: &str, raw: &Value) {
        let manifests = match documents(raw).map(flattened) {
            Ok(manifests) => manifests,
            Err(sentence) => return self.wrong(Reason::RawInvalid, format!("{place} {sentence}")),
        };
        if manifests.is_empty() {
            let sentence = format!("{place} has no manifest; write at least one");
            self.wrong(Reason::RawInvalid, sentence);
        }
        for (at, manifest) in manifests.iter().enumerate() {
            if let Some(sentence) = fault(manifest) {
                let sentence = format!("{place}, manifest {}: {sentence}", at + 1);
                self.wrong(Reason::RawInvalid, sentence);
            }
        }
        self.resolved("Raw", String::new(), &manifests);
        self.imported.written.extend(manifests);
    }

    fn image(&mut self, place: &str, asked: &ImageRef) {
        match self.images.get(asked) {
            None => {
                self.asks.insert(asked.clone());
            }
            Some(ImageAnswer::Read(rendered)) => {
                let RenderedImage {
                    image,
                    manifests,
                    bundle,
                } = &**rendered;
                if manifests.iter().any(is_secret) {
                    let sentence = format!(
                        "{place}: {image} contains a Secret, which an Install cannot \
                         install"
                    );
                    self.wrong(Reason::ManifestImageInvalid, sentence);
                }
                self.resolved("ManifestImage", image.clone(), manifests);
                self.described(bundle.as_ref());
                self.imported.rendered.extend(manifests.iter().cloned());
            }
            Some(ImageAnswer::Failed(fault)) => {
                let reason = if fault.is_invalid {
                    Reason::ManifestImageInvalid
                } else {
                    Reason::ManifestImagePullFailed
                };
                self.again = [self.again, fault.again].into_iter().flatten().min();
                self.wrong(reason, format!("{place}: {}", fault.sentence));
            }
        }
    }

    fn resolved(&mut self, type_: &str, image: String, manifests: &[Value]) {
        self.imported.resolved.push(Resolved {
            type_: type_.to_owned(),
            manifest_image: image,
            digest: digest(&json!(manifests)),
            objects: i64::try_from(manifests.len()).unwrap_or(i64::MAX),
            bundle: None,
        });
    }

    /// Adds the description of the bundle to the last entry. If the remaining space is too small,
    /// adds only the names, or nothing.
    fn described(&mut self, bundle: Option<&ResolvedBundle>) {
        let size = |bundle: &ResolvedBundle| json!(bundle).to_string().len();
        let all = self.imported.resolved.iter();
        let used: usize = all.filter_map(|it| it.bundle.as_ref().map(size)).sum();
        let fits = |it: &ResolvedBundle| used + size(it) <= DESCRIBED;
        let brief = bundle.map(|it| ResolvedBundle {
            name: it.name.clone(),
            version: it.version.clone(),
            display_name: it.display_name.clone(),
            ..ResolvedBundle::default()
        });
        let found = bundle.cloned().into_iter().chain(brief).find(fits);
        if let Some(last) = self.imported.resolved.last_mut() {
            last.bundle = found;
        }
    }

    fn wrong(&mut self, reason: Reason, sentence: String) {
        self.faults.push((reason, sentence));
    }

    fn end(mut self) -> Result<Imported, NotImported> {
        if !self.asks.is_empty() {
            return Err(NotImported::Asks(self.asks));
        }
        let count = self.imported.written.len() + self.imported.rendered.len();
        if count > MOST {
            let sentence = format!(
                "spec.content has {count} manifests; the maximum is {MOST}; split the content into \
                 several Installs"
            );
            self.wrong(Reason::ContentNotInstallable, sentence);
        }
        let Some((reason, _)) = self.faults.first() else {
            return Ok(self.imported);
        };
        let reason = *reason;
        let sentences = self.faults.into_iter().map(|(_, sentence)| sentence);
        Err(NotImported::Wrong(reason, sentences.collect(), self.again))
    }
}

fn is_secret(manifest: &Value) -> bool {
    manifest["kind"] == "Secret" && manifest["apiVersion"] == "v1"
}

/// Returns the YAML documents of a text. If the value is no text, it counts as one document.
fn documents(raw: &Value) -> Result<Vec<Value>, String> {
    let Some(text) = raw.as_str() else {
        return Ok(vec![raw.clone()]);
    };
    let read = serde_saphyr::from_multiple::<Value>(text);
    let read = read.map_err(|error| format!("is no YAML: {}", cite(&error.to_string())))?;
    Ok(read.into_iter().filter(|it| !it.is_null()).collect())
}

/// Returns the manifests. Each `List` of version v1 is replaced by its items.
fn flattened(documents: Vec<Value>) -> Vec<Value> {
    let mut manifests = Vec::new();
    for document in documents {
        let is_list = document["kind"] == "List" && document["apiVersion"] == "v1";
        match document["items"].as_array() {
            Some(items) if is_list => manifests.extend(items.iter().cloned()),
            Some(_) | None => manifests.push(document),
        }
    }
    manifests
}

/// Returns the fault of a manifest. A manifest must be an object with all required fields, and must
/// not be a Secret. The plan checks everything else. Returns None if the manifest has no such
/// fault.
fn fault(manifest: &Value) -> Option<String> {
    if !manifest.is_object() {
        return Some("the manifest is not an object with apiVersion, kind and metadata".to_owned());
    }
    for field in ["/apiVersion", "/kind", "/metadata/name"] {
        let text = manifest.pointer(field).and_then(Value::as_str);
        if text.is_none_or(str::is_empty) {
            let field = field.trim_start_matches('/').replace('/', ".");
            return Some(format!("{field} is missing"));
        }
    }
    is_secret(manifest).then(|| {
        "the manifest is a Secret, which every reader of the Install could read; create the Secret \
         without an Install"
            .to_owned()
    })
}

/// Returns the manifests with their target namespaces. A manifest without a namespace gets the
/// default namespace only if its kind is known to be namespaced.
pub(crate) fn placed(manifests: &[Value], mapping: &Mapping, discovery: &Discovery) -> Vec<Value> {
    let defined = defined(manifests);
    let placed = manifests.iter().map(|manifest| {
        let kind = GroupKind::of(manifest);
        let served = discovery.kind(&kind).map(|served| served.is_namespaced);
        let is_namespaced = served.or_else(|| defined.get(&kind).copied());
        let mut manifest = manifest.clone();
        let namespace = &manifest["metadata"]["namespace"];
        let is_open = namespace.is_null() || namespace == "";
        if is_namespaced == Some(true) && is_open {
            manifest["metadata"]["namespace"] = json!(DEFAULT);
        }
        mapped(manifest, mapping)
    });
    placed.collect()
}

/// Returns the kinds that CRDs among the manifests define. The value is true for namespaced kinds.
pub(crate) fn defined(manifests: &[Value]) -> BTreeMap<GroupKind, bool> {
    let definitions = manifests
        .iter()
        .filter(|it| GroupKind::of(it).is_definition());
    let kinds = definitions.map(portolan_core_install::defined);
    kinds
        .map(|(kind, served)| (kind, served.is_namespaced))
        .collect()
}

/// Replaces the namespace names in a manifest as the mapping requires. It replaces the namespace of
/// the object, of the subjects of bindings, and of references to Services. It also replaces the
/// name of a Namespace.
fn mapped(mut manifest: Value, mapping: &Mapping) -> Value {
    const FIELDS: [&str; 3] = [
        "/metadata/namespace",
        "/spec/service/namespace",
        "/spec/conversion/webhook/clientConfig/service/namespace",
    ];
    for field in FIELDS {
        rename(manifest.pointer_mut(field), mapping);
    }
    for subject in items(&mut manifest, "subjects") {
        rename(subject.get_mut("namespace"), mapping);
    }
    for webhook in items(&mut manifest, "webhooks") {
        rename(
            webhook.pointer_mut("/clientConfig/service/namespace"),
            mapping,
        );
    }
    if GroupKind::of(&manifest).is_namespace() {
        rename(manifest.pointer_mut("/metadata/name"), mapping);
    }
    manifest
}

fn items<'m>(manifest: &'m mut Value, field: &str) -> impl Iterator<Item = &'m mut Value> {
    let list = manifest.get_mut(field).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn rename(field: Option<&mut Value>, mapping: &Mapping) {
    if let Some(Value::String(name)) = field {
        *name = mapping.of(name).to_owned();
    }
}
