//! Tutorial: a tenant sees the operators that watch its namespace, and nothing else in other
//! namespaces.

use portolan_kit::blocks::rows_of_words;
use portolan_rig::{Browser, Cluster, Failure};

use super::page::{follow, read};
use super::reader::Reader;
use crate::console::stage::Console;
use crate::installed::stage::berth;

#[tokio::test]
async fn tenant_with_view_sees_operators_of_the_namespace() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let reader = Reader::with_users(berth.cluster(), &["tess"]).await?;
    follow("tenant.md", reader).await?;
    console_shows_what_the_page_lists(berth.cluster()).await
}

/// Opens each page in the table as the user Tess, and waits until the page shows its text.
async fn console_shows_what_the_page_lists(cluster: &Cluster) -> Result<(), Failure> {
    let Some(browser) = Browser::open().await? else {
        return Ok(());
    };
    let console = Console::of(&cluster.admit("tess", None)?, &[]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    let rows = rows_of_words(&read("tenant.md")?);
    assert!(rows.lines().count() > 2, "{rows}");
    for row in rows.lines() {
        let words: Vec<_> = row.split('`').skip(1).step_by(2).collect();
        let (path, shown) = words.split_first().expect("a path");
        tab.visit(&format!("{place}{path}")).await?;
        for text in shown {
            tab.until_text(text).await?;
        }
        let text = tab.text().await?;
        assert!(!text.contains("ferry.v1.0.0"), "{path}: {text}");
    }
    Ok(())
}
