//! Tests all pages of the sample world, with light and dark colors, and in wide and narrow windows.
//!
//! `PORTOLAN_PICTURES=DIR` stores a screenshot of each page.

use std::env;
use std::path::PathBuf;

use portolan_kit::TempFolder;
use portolan_rig::{Browser, Failure, Look, Tab};

use super::stage::{Console, complete_world};
use crate::begin;

/// The maximum size of a page with all its resources, in bytes.
const HEAVY: u64 = 100_000;

/// A JavaScript expression for the number of pixels by which a page is wider than its window.
const OVER: &str = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/// The width of an A4 page between its margins.
const PAPER: Look = look(718, false);

/// The screen sizes and color schemes.
const LOOKS: [(&str, Look); 4] = [
    ("wide-light", look(1280, false)),
    ("wide-dark", look(1280, true)),
    ("narrow-light", look(390, false)),
    ("narrow-dark", look(390, true)),
];

const fn look(width: u32, is_dark: bool) -> Look {
    Look { width, is_dark }
}

/// The pages, by the names of their pictures, and a text on each.
pub(super) const PAGES: [(&str, &str, &str); 34] = [
    ("overview", "/", "Plans that wait"),
    ("operators", "/operators", "ferry"),
    (
        "operator-well",
        "/operator?namespace=ferries&name=ferry",
        "Where it goes",
    ),
    (
        "operator-ill",
        "/operator?namespace=lights&name=lighthouse",
        "What is wrong",
    ),
    (
        "operator-ours",
        "/operator?name=crane",
        "Portolan, for an Operator",
    ),
    ("catalogs", "/catalogs", "Bundles"),
    ("catalog", "/catalog?name=olm%2Fcoastal", "ferry"),
    (
        "package",
        "/package?catalog=olm%2Fcoastal&name=ferry",
        "Update graph",
    ),
    (
        "package-channel",
        "/package?catalog=olm%2Fcoastal&name=ferry&channel=stable&from=&to=",
        "Update graph",
    ),
    (
        "package-path",
        "/package?catalog=olm%2Fcoastal&name=ferry&from=ferry.v1.0.0&to=ferry.v2.0.0",
        "Only this path is drawn.",
    ),
    (
        "package-no-path",
        "/package?catalog=olm%2Fcoastal&name=ferry&channel=stable&from=ferry.v1.2.0&to=2.0.0",
        "no path from ferry.v1.2.0",
    ),
    (
        "package-part",
        "/package?catalog=olm%2Fcoastal&name=ferry&older=ferry.v2.0.0",
        "Newest bundles",
    ),
    (
        "bundle",
        "/bundle?catalog=olm%2Fcoastal&package=ferry&name=ferry.v1.2.0",
        "ferry.v1.2.0",
    ),
    ("search", "/search?q=e", "ferry"),
    (
        "search-empty",
        "/search?q=nothing-is-called-so",
        "No package fits",
    ),
    ("plans", "/plans", "InstallPlans"),
    ("policies", "/policies", "Policies"),
    ("installs", "/installs", "timetable"),
    (
        "operators-filtered",
        "/operators?q=e&state=&namespace=ferries&catalog=&manager=olm&sort=-installed",
        "1 of ",
    ),
    (
        "plan-of-olm",
        "/object?kind=olm-plan&namespace=ferries&name=install-hq7vd",
        "Bundles that the plan installs",
    ),
    (
        "plan",
        "/object?kind=plan&namespace=lights&name=lights-1",
        "another client changed data",
    ),
    (
        "operator-policy",
        "/object?kind=operator-policy&namespace=policies&name=ferry",
        "What may upgrade when",
    ),
    (
        "policy",
        "/object?kind=policy&name=weekends",
        "Windows of the next seven days",
    ),
    (
        "policy-binding",
        "/object?kind=policy-binding&name=at-weekends",
        "What may upgrade when",
    ),
    (
        "install",
        "/object?kind=install&name=timetable",
        "What an approval grants",
    ),
    ("updates", "/updates", "Automatic updates"),
    ("diagnose", "/diagnose", "lighthouse"),
    ("preview", "/preview", "Add an operator"),
    (
        "preview-add",
        "/preview?change=add&operator=buoy",
        "What would",
    ),
    (
        "preview-managed",
        "/preview?change=add&operator=ferry&channel=stable&version=",
        "Current manager of package ferry",
    ),
    (
        "preview-upgrade",
        "/preview?change=upgrade&operator=crane",
        "crane",
    ),
    (
        "preview-delete",
        "/preview?change=delete&operator=crane",
        "crane",
    ),
    (
        "preview-updates",
        "/preview?change=updates&operator=crane",
        "version: latest",
    ),
    ("nowhere", "/nowhere", "there is no such page"),
];

/// The page of a console with a target release.
const READINESS: (&str, &str, &str) = ("readiness", "/readiness", "Not checked");

#[tokio::test]
async fn every_page_is_accessible() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let Some(browser) = Browser::open().await? else {
        return Ok(());
    };
    // Pages show the path of the folder. A long path would not fit into a narrow window, so a
    // temporary folder is used.
    let folder = TempFolder::empty();
    let world = folder.join("a_folder_with_a_name_that_is_much_longer_than_a_phone_is_wide");
    complete_world(&world)?;
    let next = world.join("catalogsources/olm/coastal");
    let next = format!("--readiness-catalog=4.21=olm/coastal={}", next.display());
    let world = format!("--world={}", world.display());
    let target = "--readiness-target=openshift=4.21";
    let console = Console::with(&[&world, target, &next]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    let mut wrong = Vec::new();
    for (name, path, text) in PAGES.into_iter().chain([READINESS]) {
        tab.visit(&format!("{place}{path}")).await?;
        tab.until_text(text).await?;
        for (look, how) in LOOKS {
            tab.look(how).await?;
            let complaints = page_errors(&tab, &place).await?.into_iter();
            // The browser reports the response 404 as an error, so this error is expected.
            let complaints =
                complaints.filter(|it| name != "nowhere" || !it.contains("status of 404"));
            wrong.extend(complaints.map(|it| format!("{name}, {look}: {it}")));
            if let Some(folder) = pictures() {
                tab.picture(&folder.join(format!("{name}-{look}.png")))
                    .await?;
            }
        }
        tab.look(PAPER).await?;
        tab.look_at_print().await?;
        let over = tab.evaluate(OVER).await?;
        if over != 0 {
            wrong.push(format!("{name}: it is {over} pixels wider than paper"));
        }
        if let Some(folder) = pictures() {
            tab.picture(&folder.join(format!("{name}-print.png")))
                .await?;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Returns the errors that the browser and axe-core find in the current page.
pub(super) async fn page_errors(tab: &Tab, place: &str) -> Result<Vec<String>, Failure> {
    let mut wrong = tab.complaints();
    // Until the page is loaded, Chromium shows its own page and requests its own pictures.
    let is_ours = |url: &str| url.starts_with(&format!("{place}/")) || url.starts_with("data:");
    let strange = tab.requests().into_iter();
    let strange = strange.filter(|url| !is_ours(url));
    wrong.extend(strange.map(|url| format!("it asks for {url}")));
    let over = tab.evaluate(OVER).await?;
    if over != 0 {
        wrong.push(format!("it is {over} pixels wider than the window"));
    }
    let weight = "[...performance.getEntriesByType('navigation'), \
         ...performance.getEntriesByType('resource').filter((it) => it.initiatorType !== 'fetch')]\
         .reduce((sum, it) => sum + it.decodedBodySize, 0)";
    let weight = tab.evaluate(weight).await?.as_u64().unwrap_or_default();
    if weight == 0 || weight >= HEAVY {
        wrong.push(format!("it weighs {weight} bytes"));
    }
    let findings = tab.findings().await?.into_iter();
    wrong.extend(findings.map(|it| format!("{}: {}: {}", it.id, it.help, it.places.join("; "))));
    Ok(wrong)
}

/// Returns the folder for screenshots, if the user requested screenshots.
fn pictures() -> Option<PathBuf> {
    env::var_os("PORTOLAN_PICTURES").map(PathBuf::from)
}
