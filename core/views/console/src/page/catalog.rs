//! The pages of catalogs, packages, bundles and the package search.

use super::listing;
use super::operator::definitions;
use crate::frame::Frame;
use crate::list::{Row, shown};
use crate::markup::{Element, Href, Markup};
use crate::paging::{Room, Span};
use crate::part::{
    MOST_ROWS, channel_field, graph_of_package, labeled_field, link, long, names, note, or_none,
    paged_table, part_or_reason, search_field, section, sentences, state, table,
};
use crate::place::{ConsolePage, Filter, FirstRow};
use crate::view::{About, BundlePage, CatalogRow, Granted, PackagePage, PackageRow, Seen, State};

/// The maximum number of bundles that a form offers, newest first. Visitors can type the names of
/// other bundles.
const MOST_CHOICES: usize = 100;

/// The number of lines that each account may use before the remaining lines are distributed.
const SHARE: usize = 20;

/// Renders the catalogs that match the filter. Catalogs with the worst state come first.
pub fn catalogs(frame: &Frame, filter: &Filter, all: &Seen<Vec<CatalogRow>>) -> String {
    listing(frame, &ConsolePage::ALL_CATALOGS, "Catalogs", all, |all| {
        let list = shown((ConsolePage::Catalogs, "catalogs"), filter, all, |found| {
            catalog_table(found, filter)
        });
        Element::new("div")
            .with(search_form("packages", ""))
            .with(list)
    })
}

fn catalog_table(all: &[&CatalogRow], filter: &Filter) -> (Element, Span) {
    let columns = ["Catalog", "State", "Packages", "Bundles", "Faults", "Why"];
    let all = (all, filter.first, Room::LIST);
    paged_table("Catalogs", &columns, all, |it| {
        vec![
            Markup::of(link(&ConsolePage::catalog(&it.name), &it.name)),
            Markup::of(state(it.state)),
            Markup::of(it.packages),
            Markup::of(it.bundles),
            Markup::of(it.faults),
            Markup::of(long(&it.why)),
        ]
    })
}

impl Row for CatalogRow {
    fn state(&self) -> State {
        self.state
    }

    fn key(&self) -> (&str, &str) {
        ("", &self.name)
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.name, &self.why]
    }
}

/// Renders the packages of a catalog.
pub fn catalog(
    frame: &Frame,
    (name, first): (&str, FirstRow),
    all: &Seen<Vec<PackageRow>>,
) -> String {
    let page = |first| ConsolePage::Catalog {
        name: name.to_owned(),
        first,
    };
    listing(frame, &ConsolePage::ALL_CATALOGS, name, all, |all| {
        let count = note(&format!("{} packages.", all.len()));
        Element::new("div")
            .with(search_form("q", ""))
            .with(count)
            .with(packages("Packages of the catalog", all, first, page))
    })
}

/// Renders the packages of all catalogs that match the search text.
pub fn search(
    frame: &Frame,
    (text, first): (&str, FirstRow),
    all: &Seen<Vec<PackageRow>>,
) -> String {
    let page = |first| ConsolePage::Search {
        text: text.to_owned(),
        first,
    };
    let found = part_or_reason(all, |all| {
        if all.is_empty() {
            return note("No package fits.");
        }
        let count = note(&format!("{} packages.", all.len()));
        let table = packages("Packages that fit", all, first, page);
        Element::new("div").with(count).with(table)
    });
    let results = Element::new("div")
        .attr("id", "results")
        .attr("aria-live", "polite")
        .with(found);
    frame.page(
        &ConsolePage::ALL_CATALOGS,
        "Search",
        [search_form("q", text), results],
    )
}

/// Renders the page of a package.
pub fn package(frame: &Frame, page: &PackagePage) -> String {
    let PackagePage {
        catalog,
        name,
        icon,
        about,
        description,
        deprecation,
        default_channel,
        releases,
        faults,
        asked: _,
        channels,
        graph: of_updates,
    } = page;
    let About {
        title,
        provider,
        maturity,
        links,
        install_modes,
        description: of_bundle,
    } = about;
    let rows = releases.iter().map(|it| {
        let place = ConsolePage::Bundle {
            catalog: catalog.clone(),
            package: name.clone(),
            name: it.name.clone(),
        };
        vec![
            Markup::of(link(&place, &it.name)),
            Markup::of(or_none(&it.version)),
            Markup::of(names(&it.channels)),
            Markup::of(long(&it.deprecation)),
        ]
    });
    let columns = ["Bundle", "Version", "Channels", "Deprecated"];
    let place = ConsolePage::catalog(catalog);
    let of_channels = channels.iter().map(|it| {
        vec![
            Markup::of(long(&it.name)),
            Markup::of(names(&it.heads)),
            Markup::of(it.entries),
            Markup::of(long(&it.deprecation)),
        ]
    });
    let description = if description.is_empty() {
        of_bundle
    } else {
        description
    };
    let content = [
        Element::new("div")
            .with(icon.as_ref().map(Element::icon))
            .with(definitions([
                ("Name", Markup::of(long(or_none(title)))),
                ("Catalog", Markup::of(link(&place, catalog))),
                ("Provider", Markup::of(long(or_none(provider)))),
                ("Maturity", Markup::of(long(or_none(maturity)))),
                ("Default channel", Markup::of(or_none(default_channel))),
                ("Install modes", Markup::of(names(install_modes))),
                ("Links", sentences(links)),
                ("Deprecated", Markup::of(long(or_none(deprecation)))),
            ])),
        Element::new("p")
            .class("description")
            .with(long(description)),
        section(
            "Channels",
            table(
                "Channels by name",
                &["Channel", "Head", "Entries", "Deprecated"],
                of_channels,
            ),
        ),
        section(
            "Update graph",
            Markup::of([
                Markup::of(graph_form(page)),
                part_or_reason(of_updates, |it| graph_of_package(page, it)),
            ]),
        ),
        section("Bundles", table("The newest first", &columns, rows)),
        section("Problems", sentences(faults)),
    ];
    let shown = content
        .into_iter()
        .take(if faults.is_empty() { 5 } else { 6 });
    frame.page(&ConsolePage::ALL_CATALOGS, name, shown.collect::<Vec<_>>())
}

/// Renders the page of a bundle.
pub fn bundle(frame: &Frame, page: &BundlePage) -> String {
    let BundlePage {
        catalog,
        package,
        name,
        title,
        version,
        image,
        channels,
        deprecation,
        install_modes,
        provides,
        requires,
        kubernetes,
        images,
        permissions,
    } = page;
    let place = ConsolePage::package(catalog, package);
    let all = ConsolePage::catalog(catalog);
    let code = |text: &str| Markup::of(Element::new("code").with(long(or_none(text))));
    let content = [
        definitions([
            ("Name", Markup::of(long(or_none(title)))),
            ("Package", Markup::of(link(&place, package))),
            ("Catalog", Markup::of(link(&all, catalog))),
            ("Version", Markup::of(or_none(version))),
            ("Channels", Markup::of(names(channels))),
            ("Deprecated", Markup::of(long(or_none(deprecation)))),
            ("Image", code(image)),
            ("Kubernetes", Markup::of(or_none(kubernetes))),
            ("Install modes", Markup::of(names(install_modes))),
        ]),
        section("Provides", list(provides)),
        section("Requires", list(requires)),
        section(
            "Permissions after the installation",
            part_or_reason(permissions, |all| may(all)),
        ),
        section("Images", list(images)),
    ];
    frame.page(&ConsolePage::ALL_CATALOGS, name, content)
}

/// Renders the form that selects the channel or the upgrade path to draw.
fn graph_form(page: &PackagePage) -> Element {
    let asked = &page.asked;
    let channels: Vec<_> = page.channels.iter().map(|it| it.name.clone()).collect();
    let hidden = |name: &'static str, value: &str| {
        Element::new("input")
            .attr("type", "hidden")
            .attr("name", name)
            .attr("value", value)
    };
    let releases = page.releases.iter().take(MOST_CHOICES);
    let bundles = releases.map(|it| Element::new("option").attr("value", long(&it.name)));
    let field = |name: &'static str, value: &str, empty: &str| {
        Element::new("input")
            .attr("id", name)
            .attr("name", name)
            .attr("list", "bundles")
            .attr("autocomplete", "off")
            .attr("placeholder", empty)
            .attr("value", value)
    };
    Element::new("form")
        .class("fields")
        .action(Href::to("/package"))
        .with(hidden("catalog", &page.catalog))
        .with(hidden("name", &page.name))
        .with(channel_field(&channels, &asked.channel))
        .with(labeled_field(
            "from",
            "Only the path from",
            field("from", &asked.from, "Whole graph"),
        ))
        .with(labeled_field(
            "to",
            "to",
            field("to", &asked.to, "Head of the channel"),
        ))
        .with(Element::new("datalist").attr("id", "bundles").each(bundles))
        .with(Element::new("button").with("Show"))
}

fn packages(
    caption: &str,
    all: &[PackageRow],
    first: FirstRow,
    page: impl Fn(FirstRow) -> ConsolePage,
) -> Element {
    let columns = [
        "Package",
        "Name",
        "Catalog",
        "Default channel",
        "Version",
        "Deprecated",
    ];
    let (table, span) = paged_table(caption, &columns, (all, first, Room::LIST), |it| {
        let place = ConsolePage::package(&it.catalog, &it.name);
        vec![
            Markup::of(link(&place, &it.name)),
            Markup::of(long(or_none(&it.title))),
            Markup::of(it.catalog.as_str()),
            Markup::of(or_none(&it.default_channel)),
            Markup::of(or_none(&it.version)),
            Markup::of(long(&it.deprecation)),
        ]
    });
    Element::new("div").with(table).with(span.navigation(page))
}

fn search_form(id: &'static str, text: &str) -> Element {
    let place = ConsolePage::Search {
        text: String::new(),
        first: FirstRow::TOP,
    };
    Element::new("form")
        .class("search")
        .attr("role", "search")
        .attr("aria-label", "Search of packages")
        .action(place.href())
        .each(search_field(id, "Search all packages", text))
        .with(Element::new("button").with("Search"))
}

/// Renders the permissions of each account. All accounts together have at most [`MOST_ROWS`] lines.
/// Each account gets up to [`SHARE`] lines before any account gets more.
fn may(all: &[Granted]) -> Markup {
    if all.is_empty() {
        return Markup::of(note("Nothing."));
    }
    let shares = shares(all.iter().map(|it| it.rules.len()));
    let each = all.iter().zip(&shares).map(|(it, share)| {
        let Granted {
            account,
            place,
            rules,
        } = it;
        let heading = format!("{account} may in {place}:");
        let heading = Element::new("p").with(long(&heading));
        Markup::of([heading, list_up_to(*share, rules)])
    });
    let others = all.len() - shares.len();
    let others = (others > 0).then(|| {
        let more = format!("and {others} more accounts or places");
        Markup::of(Element::new("p").with(more))
    });
    Markup::of(each.chain(others).collect::<Vec<_>>())
}

/// Returns the number of lines for each account. `rules` contains the number of rules of each
/// account. The sum of the lines does not exceed the limit. Accounts beyond the limit are omitted.
fn shares(rules: impl Iterator<Item = usize> + Clone) -> Vec<usize> {
    let mut left = MOST_ROWS;
    let first = rules.clone().map_while(|rules| {
        let share = rules.clamp(1, SHARE).min(left);
        left -= share;
        (share > 0).then_some(share)
    });
    let mut shares: Vec<_> = first.collect();
    for (share, rules) in shares.iter_mut().zip(rules) {
        let more = rules.saturating_sub(*share).min(left);
        *share += more;
        left -= more;
    }
    shares
}

fn list(all: &[String]) -> Element {
    list_up_to(MOST_ROWS, all)
}

fn list_up_to(most: usize, all: &[String]) -> Element {
    if all.is_empty() {
        return note("Nothing.");
    }
    let items = all.iter().take(most);
    let items = items.map(|it| Element::new("li").with(Element::new("code").with(long(it))));
    let more = all.len().checked_sub(most + 1);
    let more = more.map(|more| Element::new("li").with(format!("and {} more", more + 1)));
    Element::new("ul").each(items).with(more)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::few_are_all_shown(&[3, 0, 5], &[3, 1, 5])]
    #[case::single_account_gets_all_lines(&[1000], &[150])]
    #[case::first_account_leaves_lines_for_the_others(&[1000, 5, 40], &[125, 5, 20])]
    #[case::unused_lines_go_to_the_next(&[21, 5, 1000], &[21, 5, 124])]
    #[case::those_without_a_line_are_left_out(&[50; 9], &[20, 20, 20, 20, 20, 20, 20, 10])]
    fn limited_lines_are_shared_between_rules(#[case] rules: &[usize], #[case] expected: &[usize]) {
        assert_eq!(shares(rules.iter().copied()), expected);
    }

    #[test]
    fn omitted_rules_and_accounts_are_counted() {
        let all = (0..200).map(|at| Granted {
            account: format!("ferries/a{at}"),
            place: "the cluster".to_owned(),
            rules: (0..22).map(|at| format!("get r{at}")).collect(),
        });
        let text = Element::new("div").with(may(&all.collect::<Vec<_>>()));
        let text = text.into_text();
        assert!(text.contains("and 2 more<"), "{text}");
        assert!(text.contains("and 192 more accounts or places"), "{text}");
    }
}
