//! The faults of a bundle, with their places.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::node::{Broken, Cause};
use portolan_core_names::codes;
use portolan_core_names::text::{Instead, cut, harmless};

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleFault {
    /// The path in the bundle, such as `manifests/ferry.clusterserviceversion.yaml`.
    pub file: Arc<str>,
    /// The line, starting at 1; 0 for faults without a line, such as a missing file.
    pub line: u64,
    pub severity: Severity,
    pub code: Code,
    /// The fault, as a sentence for people.
    pub sentence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// OLM v1 refuses the bundle for it.
    Error,
    /// OLM v1 accepts the bundle, but a part of it is not as the author intended, or an API server
    /// will reject the result.
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
    /// Two CustomResourceDefinitions of one name.
    CrdTwice,
    /// The ClusterServiceVersion owns a CustomResourceDefinition that the bundle does not have.
    CrdMissing,
    /// The bundle does not name its package.
    PackageMissing,
    /// A conversion webhook with another install mode than AllNamespaces.
    ConversionModes,
    /// A webhook names a deployment that is missing.
    WebhookDeployment,
    /// Two webhooks of one type and name.
    WebhookTwice,
    /// A webhook has a name that no object can have.
    WebhookName,
    /// A CustomResourceDefinition of several conversion webhooks.
    ConversionTwice,
    /// A conversion webhook for a CustomResourceDefinition that the bundle does not own.
    ConversionNotOwned,
    /// A webhook for objects that OLM keeps from webhooks.
    ForbiddenRule,
    /// An object of a kind that no bundle may bring.
    UnsupportedKind,

    /// A key stands twice in one object; the last one counts.
    KeyTwice,
    /// A field that its type does not have, so that it is lost.
    UnknownField,
    /// Several ClusterServiceVersions; the last one counts.
    CsvTwice,
    /// A file contains several documents. OLM v0 reads only the first.
    SeveralDocuments,
    /// An object without `apiVersion`, which no API server takes.
    NoApiVersion,
    /// An object without a name, which no API server takes.
    NoName,
    /// An `apiVersion` that API servers no longer serve.
    NotServed,
    /// One object stands in the bundle twice.
    ObjectTwice,
    /// A cluster-scoped object with a namespace.
    ForeignNamespace,
    /// A subject in a namespace that is a placeholder, or not the operator's.
    SubjectNamespace,
    /// A webhook without a port.
    NoPort,
    /// Two ports of one number in the Service of webhooks.
    PortTwice,
    /// A name that grows too long for the object that it is for.
    LongName,
    /// A CustomResourceDefinition brings a conversion webhook that no webhook of the bundle fills in.
    ConversionPlaceholder,
    /// A deployment runs as a ServiceAccount that the bundle does not create.
    AccountMissing,
    /// The selector of a deployment does not choose its own Pods.
    Selector,
    /// An install mode that is no install mode, or stands twice.
    InstallMode,
    /// A custom resource whose kind is called like one of Kubernetes.
    BorrowedKind,
    /// An annotation that OLM v0 and v1 take from different places.
    AnnotationClash,
    /// The ClusterServiceVersion has no deployment.
    NoDeployment,
    /// The Namespace that the author suggests cannot be read, so that it does not count.
    NamespaceTemplate,
}

/// The faults so far, up to a limit.
#[derive(Debug)]
pub(crate) struct Faults {
    all: Vec<BundleFault>,
    most: usize,
    warnings: usize,
    /// The number of faults that were left out.
    others: usize,
}

/// The place of a fault that is in no file.
pub(crate) const WHOLE: &str = "the bundle";

/// The most of a sentence, in characters: what authors write can be megabytes.
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

    /// Creates a fault. The sentence is reduced to one line.
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

    /// Warnings make room for errors, so that no error is lost among them.
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

    /// Returns all faults, and a sentence about those that were left out.
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
