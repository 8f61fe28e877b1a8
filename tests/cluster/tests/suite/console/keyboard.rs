//! Tests that users can operate the console without a mouse.

use portolan_rig::{Browser, Failure, Tab};

use super::stage::{Console, DEMO};
use crate::begin;

#[tokio::test]
async fn every_action_works_by_keyboard() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let Some(browser) = Browser::open().await? else {
        return Ok(());
    };
    let console = Console::with(&["--world", DEMO]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    tab.until_text("Plans that wait").await?;

    // The first element that gets the focus is a link that skips the navigation.
    tab.press("Tab").await?;
    assert_eq!(focused(&tab).await?, "Skip to the content");
    let ring = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(tab.evaluate(ring).await?, "solid");
    tab.press("Enter").await?;
    assert_eq!(tab.evaluate("document.activeElement.id").await?, "main");
    // After the link, the focus is at the first link of the content, which is the number of broken
    // operators.
    tab.press("Tab").await?;
    assert_eq!(focused(&tab).await?, "2\nbroken");
    tab.press("Enter").await?;
    tab.until_text("2 of ").await?;
    tab.evaluate("document.querySelector('#results tbody a').focus()")
        .await?;
    assert_eq!(focused(&tab).await?, "dredger");
    tab.press("Enter").await?;
    tab.until_text("What is wrong").await?;

    // While the user types in the search field, the same page shows matching packages.
    tab.visit(&format!("{place}/search")).await?;
    tab.evaluate("window.stays = 'here', document.querySelector('#q').focus()")
        .await?;
    tab.types("light").await?;
    let only = "document.querySelectorAll('#results tbody tr').length === 1 \
                && location.search === '?q=light'";
    tab.until("one package to be found", only).await?;
    assert_eq!(tab.evaluate("window.stays").await?, "here");
    assert_eq!(tab.evaluate("document.activeElement.id").await?, "q");

    // A drawing is zoomed and moved with keys, and its bundles are links.
    let package = format!("{place}/package?catalog=olm%2Fcoastal&name=ferry");
    tab.visit(&package).await?;
    let width = "document.querySelector('.drawing svg').width.baseVal.value";
    let view = "document.querySelector('.drawing .scroll')";
    tab.until_text("Update graph").await?;
    tab.evaluate(&format!("window.width = {width}, {view}.focus()"))
        .await?;
    tab.press("+").await?;
    tab.until("a larger drawing", &format!("{width} > window.width"))
        .await?;
    tab.press("-").await?;
    tab.press("-").await?;
    tab.until("a smaller drawing", &format!("{width} < window.width"))
        .await?;
    tab.press("0").await?;
    tab.until("the original size", &format!("{width} === window.width"))
        .await?;
    for _ in 0..6 {
        tab.press("+").await?;
    }
    tab.evaluate(&format!("{view}.scrollTop = 0")).await?;
    tab.press("ArrowDown").await?;
    tab.until("the drawing to move", &format!("{view}.scrollTop > 0"))
        .await?;
    tab.evaluate("document.querySelector('.drawing a').focus()")
        .await?;
    tab.press("Enter").await?;
    tab.until_text("Permissions after the installation").await?;

    // A preview is a form like any other.
    tab.visit(&format!("{place}/preview")).await?;
    tab.evaluate("document.querySelector('#operator').focus()")
        .await?;
    tab.types("buoy").await?;
    tab.press("Enter").await?;
    tab.until_text("portolan create buoy@0.5.0").await?;

    // A button copies a command. If the browser denies access to the clipboard, the button selects
    // the command.
    tab.visit(&format!("{place}/diagnose")).await?;
    let offered = "document.querySelectorAll('.command pre').length > 0 && \
                   [...document.querySelectorAll('.command')].every((it) => it.querySelector('button'))";
    tab.until("a button beside each command", offered).await?;
    tab.evaluate("window.first = document.querySelector('.command'), window.first.querySelector('button').focus()")
        .await?;
    let clipboard = |value: &str| {
        format!(
            "Object.defineProperty(navigator, 'clipboard', {{configurable: true, value: {value}}})"
        )
    };
    let lines = "window.first.querySelector('pre').textContent";
    let word = "window.first.querySelector('button').textContent";
    tab.evaluate(&clipboard(
        "{writeText: async (text) => { window.copied = text; }}",
    ))
    .await?;
    tab.press("Enter").await?;
    let copied = format!("window.copied === {lines} && {word} === 'Copied'");
    tab.until("the command to be copied", &copied).await?;
    tab.evaluate(&clipboard("undefined")).await?;
    tab.press("Enter").await?;
    let selected =
        format!("getSelection().toString().trim() === {lines}.trim() && {word} === 'Selected'");
    tab.until("the command to be selected", &selected).await?;

    // A logged-out user must log in again.
    tab.evaluate("document.querySelector('form.log-out button').focus()")
        .await?;
    tab.press("Enter").await?;
    tab.until_text("You are not logged in.").await
}

async fn focused(tab: &Tab) -> Result<String, Failure> {
    let text = tab.evaluate("document.activeElement.innerText").await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}
