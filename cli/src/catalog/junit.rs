//! Renders the findings of a catalog check as JUnit test cases, one for each package.

use portolan_proto::resolver::v1::{Catalog, CheckCatalogsResponse, Fault, fault};

use crate::print::junit::{self, TestCase, TestFailure};

/// Returns one test case for each package with faults. The test case fails if its faults cause the
/// exit code 1. A catalog without faults has one test case, which passes. A catalog that cannot be
/// read is a test case with an error.
pub(super) fn render(
    answer: &CheckCatalogsResponse,
    unread: &[&Catalog],
    is_strict: bool,
) -> String {
    let groups = super::by_package(answer);
    let of_packages = groups.iter().map(|((catalog, package), faults)| {
        let (bad, besides): (Vec<_>, Vec<_>) = faults
            .iter()
            .copied()
            .partition(|fault| fails(fault, is_strict));
        TestCase {
            class: (*catalog).to_owned(),
            name: named(package).to_owned(),
            wrong: (!bad.is_empty()).then(|| TestFailure {
                is_error: false,
                message: codes(&bad),
                details: lines(&bad),
            }),
            besides: lines(&besides),
        }
    });
    let is_faultless = |name: &str| !groups.iter().any(|((catalog, _), _)| *catalog == name);
    let faultless = answer.catalogs.iter().filter(|it| is_faultless(&it.name));
    let faultless = faultless.map(|catalog| TestCase {
        class: catalog.name.clone(),
        name: named("").to_owned(),
        ..TestCase::default()
    });
    let unread = unread.iter().map(|catalog| TestCase {
        class: catalog.name.clone(),
        name: named("").to_owned(),
        wrong: Some(TestFailure {
            is_error: true,
            message: "the catalog cannot be read".to_owned(),
            details: catalog
                .reasons
                .iter()
                .map(|why| why.message.clone())
                .collect(),
        }),
        besides: String::new(),
    });
    let cases: Vec<_> = of_packages.chain(faultless).chain(unread).collect();
    junit::render("catalog check", &cases, "")
}

/// Returns the name of the test case for a package. A fault without a package belongs to the test
/// case of the files.
fn named(package: &str) -> &str {
    match package {
        "" => "files",
        package => package,
    }
}

fn fails(fault: &Fault, is_strict: bool) -> bool {
    match fault.severity() {
        fault::Severity::Error => true,
        fault::Severity::Warning => is_strict,
        fault::Severity::Note | fault::Severity::Unspecified => false,
    }
}

fn codes(faults: &[&Fault]) -> String {
    let mut codes: Vec<_> = faults.iter().map(|fault| fault.code.as_str()).collect();
    codes.dedup();
    codes.join(", ")
}

fn lines(faults: &[&Fault]) -> String {
    let lines = faults.iter();
    lines
        .map(|fault| format!("{}: {}\n", fault.code, fault.message))
        .collect()
}
