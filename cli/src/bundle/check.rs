//! `portolan bundle check`: the errors and warnings of bundles.

use clap::Parser;
use portolan_core_bundle::{BundleFault, Severity, validate};
use portolan_resolver::bundles::ImageFlags;
use serde::Serialize;

use super::place::{BundlePlace, Unread};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::junit::{self, TestCase, TestFailure};
use crate::print::{self, Detail, Format, Page, Render, Span, words};

/// The formats of a check.
const FORMATS: [(Format, &str); 3] = [
    (
        Format::Text,
        "One line for each finding, in the style of compilers",
    ),
    (Format::Json, "For programs"),
    (
        Format::Junit,
        "JUnit XML with one test case for each bundle, for test reports",
    ),
];

/// Check bundles, and list errors and warnings.
///
/// An error makes OLM v1 reject the bundle. OLM v1 accepts a bundle with warnings. A warning shows
/// a probable mistake, or a manifest that an API server will reject.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no errors found; warnings are allowed unless --strict is given",
        "1  errors found, or with --strict: warnings";
        "portolan bundle check ./ferry/1.0.0",
        "portolan bundle check ./ferry/* --strict",
        "portolan bundle check ferry.tar.gz -o junit > results.xml"
    )
)]
pub(crate) struct BundleCheckArgs {
    /// Bundles to check: folders with `manifests` and `metadata`, tar archives of such
    /// folders, or images as oci://IMAGE.
    #[arg(value_name = "PLACE", required = true)]
    places: Vec<BundlePlace>,

    /// Also exit with 1 if there are warnings.
    #[arg(long)]
    strict: bool,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = Format::among(FORMATS))]
    output: Format,

    #[command(flatten, next_help_heading = "Images")]
    images: ImageFlags,
}

/// The result of the check of the bundle at one location.
#[derive(Debug)]
struct Checked<'p> {
    place: &'p BundlePlace,
    /// The name of the bundle. Empty if the files are not a valid bundle.
    name: String,
    files: usize,
    faults: Vec<BundleFault>,
    /// The reason why the files of the bundle could not be read.
    unread: Option<String>,
    /// True if the location does not exist.
    is_missing: bool,
}

/// The results of all checks, in the form in which the command prints them.
#[derive(Debug, Serialize)]
struct CheckDocument<'p> {
    bundles: Vec<CheckedBundle>,
    errors: usize,
    warnings: usize,
    #[serde(skip)]
    checked: Vec<Checked<'p>>,
    #[serde(skip)]
    is_strict: bool,
}

#[derive(Debug, Serialize)]
struct CheckedBundle {
    place: String,
    name: String,
    faults: Vec<FaultDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

#[derive(Debug, Serialize)]
struct FaultDocument {
    file: String,
    line: u64,
    severity: String,
    code: &'static str,
    message: String,
}

// === impl BundleCheckArgs ===

impl BundleCheckArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let mut checked = Vec::new();
        for place in &self.places {
            checked.push(Checked::of(place, &self.images).await);
        }
        for why in checked.iter().filter_map(|it| it.unread.as_deref()) {
            print::error(why);
        }
        self.output.show(&CheckDocument::of(checked, self.strict))
    }
}

// === impl Checked ===

impl<'p> Checked<'p> {
    async fn of(place: &'p BundlePlace, images: &ImageFlags) -> Self {
        let mut checked = Self {
            place,
            name: String::new(),
            files: 0,
            faults: Vec::new(),
            unread: None,
            is_missing: false,
        };
        match place.read(images).await {
            Ok(bundle) => {
                bundle.name().clone_into(&mut checked.name);
                checked.files = bundle.folder().files().count();
                let mut faults = bundle.warnings().to_vec();
                faults.extend(validate(&bundle));
                // The faults are already sorted by file and line.
                faults
                    .sort_by(|left, right| (&left.file, left.line).cmp(&(&right.file, right.line)));
                checked.faults = faults;
            }
            Err(Unread::Faults(faults)) => checked.faults = faults,
            Err(Unread::Missing(why)) => {
                checked.unread = Some(why);
                checked.is_missing = true;
            }
            Err(Unread::Failed(why)) => checked.unread = Some(why),
        }
        checked
    }

    fn count(&self, severity: Severity) -> usize {
        let faults = self.faults.iter();
        faults.filter(|fault| fault.severity == severity).count()
    }
}

// === impl CheckDocument ===

impl<'p> CheckDocument<'p> {
    fn of(checked: Vec<Checked<'p>>, is_strict: bool) -> Self {
        let bundles = checked.iter().map(|checked| CheckedBundle {
            place: checked.place.to_string(),
            name: checked.name.clone(),
            faults: checked.faults.iter().map(FaultDocument::of).collect(),
            unread: checked.unread.clone(),
        });
        let count = |severity| checked.iter().map(|it| it.count(severity)).sum();
        Self {
            bundles: bundles.collect(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            is_strict,
            checked,
        }
    }
}

impl Render for CheckDocument<'_> {
    fn page(&self, _: Detail) -> Page {
        page(&self.checked, self)
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        Ok(in_junit(&self.checked, self.is_strict))
    }

    fn exit(&self) -> Exit {
        if self.checked.iter().any(|it| it.is_missing) {
            return Exit::BadInput;
        }
        let is_bad = self.errors > 0 || self.is_strict && self.warnings > 0;
        let is_unread = self.checked.iter().any(|it| it.unread.is_some());
        Exit::no_if(is_bad).unless_in_doubt(is_unread)
    }
}

// === impl FaultDocument ===

impl FaultDocument {
    fn of(fault: &BundleFault) -> Self {
        Self {
            file: fault.file.to_string(),
            line: fault.line,
            severity: fault.severity.to_string(),
            code: fault.code.as_str(),
            message: fault.sentence.clone(),
        }
    }
}

fn page(checked: &[Checked<'_>], told: &CheckDocument<'_>) -> Page {
    let mut page = Page::default();
    for checked in checked {
        for fault in &checked.faults {
            let severity = match fault.severity {
                Severity::Error => Span::error("error:"),
                Severity::Warning => Span::warning("warning:"),
            };
            let (place, sentence) = (checked.place.located(fault), &fault.sentence);
            let place = place.strip_suffix(sentence.as_str()).unwrap_or(&place);
            let code = format!("({})", fault.code.as_str());
            page.line([
                place.trim_end().into(),
                severity,
                sentence.into(),
                code.into(),
            ]);
        }
    }
    page.part();
    let read = checked.iter().filter(|it| it.unread.is_none());
    let extent = format!(
        "Checked {} and {}:",
        words::count(read.clone().count(), "bundle"),
        words::count(read.map(|it| it.files).sum(), "file"),
    );
    let counts = format!(
        "{} and {}",
        words::count(told.errors, "error"),
        words::count(told.warnings, "warning")
    );
    let counts = match (told.errors, told.warnings) {
        (0, 0) => Span::good(counts),
        (0, _) => Span::warning(counts),
        (_, _) => Span::error(counts),
    };
    page.line([extent.into(), counts]);
    page
}

/// Returns JUnit test cases, one for each location. A test case fails if its findings cause the
/// exit code 1. A test case has an error if the location cannot be read.
fn in_junit(checked: &[Checked<'_>], is_strict: bool) -> String {
    let cases: Vec<_> = checked.iter().map(|it| case(it, is_strict)).collect();
    junit::render("bundle check", &cases, "")
}

fn case(checked: &Checked<'_>, is_strict: bool) -> TestCase {
    let fails = |fault: &&BundleFault| is_strict || fault.severity == Severity::Error;
    let (bad, besides): (Vec<_>, Vec<_>) = checked.faults.iter().partition(fails);
    let lines = |faults: &[&BundleFault]| {
        let lines = faults.iter();
        lines
            .map(|fault| format!("{}: {fault}\n", fault.code.as_str()))
            .collect::<String>()
    };
    let unread = checked.unread.as_ref().map(|why| TestFailure {
        is_error: true,
        message: "the bundle cannot be read".to_owned(),
        details: why.clone(),
    });
    let mut codes: Vec<_> = bad.iter().map(|fault| fault.code.as_str()).collect();
    codes.dedup();
    TestCase {
        class: checked.place.to_string(),
        name: match checked.name.as_str() {
            "" => "files".to_owned(),
            name => name.to_owned(),
        },
        wrong: unread.or_else(|| {
            (!bad.is_empty()).then(|| TestFailure {
                is_error: false,
                message: codes.join(", "),
                details: lines(&bad),
            })
        }),
        besides: lines(&besides),
    }
}
