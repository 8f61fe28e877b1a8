//! The faults of a bundle, with their positions.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::node::{Broken, Cause};
use portolan_core_names::codes;
use portolan_core_names::text::{Instead, cut, harmless};

/// A defect of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleFault {
    /// The path of the file in the bundle, such as `manifests/ferry.clusterserviceversion.yaml`.
    pub file: Arc<str>,
    /// The line, starting at 1. Zero for faults without a line, such as a missing file.
    pub line: u64,
    pub severity: Severity,
    pub code: Code,
    /// The description of the fault, as a sentence for users.
    pub sentence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A defect for which OLM v1 rejects the bundle.
    Error,
    /// A defect that OLM v1 accepts. A part of the bundle does not have the effect that the author
    /// intended, or an API server will reject it.
    Warning,
}

codes! {
    /// The kinds of faults, for programs.
    pub enum Code;

    /// A file of the bundle is missing.
    FileMissing,
    /// A file or folder stands where none may, or is a link.
    FileUnexpected,
    /// More bytes, files or values than any bundle needs.
    TooMuch,
    /// A layer of the image is no archive.
    Archive,
    /// Neither YAML nor JSON.
    Syntax,
    /// A value of another type than its field has.
    Type,
    /// A document is no object with a kind.
    NoKind,
    /// There is no ClusterServiceVersion.
    CsvMissing,
    /// A text that is no version.
    Version,
    /// The annotation `olm.properties` is no list of properties.
    Properties,

    /// Two deployments of one name.
    DeploymentTwice,
    /// A deployment has a name that no object can have.
    DeploymentName,
    /// Two CustomResourceDefinitions have the same name.
    CrdTwice,
    /// The ClusterServiceVersion owns a CustomResourceDefinition that the bundle does not have.
    CrdMissing,
    /// The bundle does not name its package.
    PackageMissing,
    /// There is a conversion webhook, but the install modes include others than AllNamespaces.
    ConversionModes,
    /// A webhook names a deployment that is missing.
    WebhookDeployment,
    /// Two webhooks have the same type and name.
    WebhookTwice,
    /// The name of a webhook is not a valid name of an object.
    WebhookName,
    /// A CustomResourceDefinition has several conversion webhooks.
    ConversionTwice,
    /// A conversion webhook names a CustomResourceDefinition that the bundle does not own.
    ConversionNotOwned,
    /// A webhook has a rule for objects that OLM does not allow in webhooks.
    ForbiddenRule,
    /// The kind of an object is not allowed in bundles.
    UnsupportedKind,

    /// A key appears twice in one object. The last one is used.
    KeyTwice,
    /// The type of an object does not have a field, so the field is dropped.
    UnknownField,
    /// There are several ClusterServiceVersions. The last one is used.
    CsvTwice,
    /// A file contains several documents. OLM v0 reads only the first.
    SeveralDocuments,
    /// An object has no `apiVersion`, so API servers reject it.
    NoApiVersion,
    /// An object has no name, so API servers reject it.
    NoName,
    /// An `apiVersion` that API servers no longer serve.
    NotServed,
    /// An object appears twice in the bundle.
    ObjectTwice,
    /// A cluster-scoped object has a namespace.
    ForeignNamespace,
    /// The namespace of a subject is a placeholder, or another one than that of the operator.
    SubjectNamespace,
    /// A webhook has no port.
    NoPort,
    /// The Service of the webhooks has two ports with the same number.
    PortTwice,
    /// A generated name is too long for its object.
    LongName,
    /// A CustomResourceDefinition has a conversion webhook that no webhook of the bundle defines.
    ConversionPlaceholder,
    /// A deployment runs as a ServiceAccount that the bundle does not create.
    AccountMissing,
    /// The selector of a deployment does not match its own Pods.
    Selector,
    /// An install mode is unknown, or appears twice.
    InstallMode,
    /// The kind of a custom resource has the name of a kind of Kubernetes.
    BorrowedKind,
    /// OLM v0 and OLM v1 read an annotation from different places.
    AnnotationClash,
    /// The ClusterServiceVersion has no deployment.
    NoDeployment,
    /// The suggested Namespace cannot be read, so it is ignored.
    NamespaceTemplate,
}

/// Collects faults, up to a maximum number.
#[derive(Debug)]
pub(crate) struct Faults {
    all: Vec<BundleFault>,
    most: usize,
    warnings: usize,
    /// The number of faults that were not kept.
    others: usize,
}

/// The value of `file` for a fault that belongs to no file.
pub(crate) const WHOLE: &str = "the bundle";

/// The maximum length of a sentence in characters. Without it, a sentence could quote megabytes of
/// an author's text.
const SENTENCE: usize = 500;

// === impl Severity ===

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

// === impl BundleFault ===

impl BundleFault {
    pub(crate) fn error(file: &Arc<str>, line: u64, code: Code, sentence: String) -> Self {
        Self::new(file, line, Severity::Error, code, &sentence)
    }

    pub(crate) fn warning(file: &Arc<str>, line: u64, code: Code, sentence: String) -> Self {
        Self::new(file, line, Severity::Warning, code, &sentence)
    }

    pub(crate) fn broken(file: &Arc<str>, broken: Broken) -> Self {
        let (code, sentence) = match broken.cause {
            Cause::Syntax(sentence) => (Code::Syntax, sentence),
            Cause::Bytes(limit) => (Code::TooMuch, format!("more than {limit} bytes")),
            Cause::Values(limit) => (Code::TooMuch, format!("more than {limit} values in total")),
            Cause::Depth(limit) => (
                Code::TooMuch,
                format!("values nested deeper than {limit} levels"),
            ),
        };
        Self::error(file, broken.line, code, sentence)
    }

    /// Creates a fault. Truncates the sentence, and escapes its line breaks and other harmful
    /// characters.
    fn new(file: &Arc<str>, line: u64, severity: Severity, code: Code, sentence: &str) -> Self {
        Self {
            file: Arc::clone(file),
            line,
            severity,
            code,
            sentence: harmless(&cut(sentence, SENTENCE), Instead::Escape),
        }
    }
}

impl fmt::Display for BundleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            severity: _,
            code: _,
            sentence,
        } = self;
        let file = harmless(file, Instead::Escape);
        match line {
            0 => write!(f, "{file}: {sentence}"),
            line => write!(f, "{file}:{line}: {sentence}"),
        }
    }
}

// === impl Faults ===

impl Faults {
    pub(crate) fn up_to(most: usize) -> Self {
        Self {
            all: Vec::new(),
            most,
            warnings: 0,
            others: 0,
        }
    }

    /// Adds a fault. If there are too many faults, an error replaces the last warning, so that
    /// errors are kept.
    pub(crate) fn push(&mut self, fault: BundleFault) {
        let is_warning = |fault: &BundleFault| fault.severity == Severity::Warning;
        if self.all.len() == self.most {
            self.others += 1;
            if is_warning(&fault) || self.warnings == 0 {
                return;
            }
            if let Some(last) = self.all.iter().rposition(is_warning) {
                self.all.remove(last);
                self.warnings -= 1;
            }
        }
        self.warnings += usize::from(is_warning(&fault));
        self.all.push(fault);
    }

    pub(crate) fn are_fatal(&self) -> bool {
        self.warnings < self.all.len()
    }

    /// Returns all faults. The last one reports the number of faults that were not kept.
    pub(crate) fn into_faults(mut self) -> Vec<BundleFault> {
        if self.others > 0 {
            let sentence = format!("{} more faults are not listed", self.others);
            let file = WHOLE.into();
            let fault = BundleFault::warning(&file, 0, Code::TooMuch, sentence);
            self.all.push(fault);
        }
        self.all
    }
}
