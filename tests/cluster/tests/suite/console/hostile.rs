//! Tests with HTML and scripts in all texts of catalogs and objects.

use std::fs;
use std::path::Path;

use portolan_kit::TempFolder;
use portolan_rig::{Browser, Failure};
use serde_json::Value;

use super::pages::{PAGES, page_errors};
use super::stage::{Console, complete_world};
use crate::begin;

/// A text that is appended to all values of the sample world. If the browser runs a part of this
/// text as a script, the test finds out.
const HOSTILE: &str = "</pre></td></svg><script>window.pwned = 1</script><img src=x onerror=\"window.pwned = 2\">\
     <a href=\"javascript:window.pwned = 3\">look</a> \" onmouseover=\"window.pwned = 4";

#[tokio::test]
async fn console_runs_no_script_of_catalogs_or_objects() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let Some(browser) = Browser::open().await? else {
        return Ok(());
    };
    let (world, folder) = (TempFolder::empty(), TempFolder::empty());
    complete_world(&world)?;
    let poisoned = poison(&world, &folder)?;
    assert!(poisoned > 50, "{poisoned} texts");
    let console = Console::with(&[&format!("--world={}", folder.display())]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;
    let ours = PAGES.map(|(_, path, _)| path.to_owned());
    let word: String = url(HOSTILE);
    let asked = [
        format!("/search?q={word}"),
        format!("/preview?change=add&operator={word}&version={word}"),
        format!("/operator?name={word}"),
    ];
    let mut shown = 0;
    for path in ours.into_iter().chain(asked) {
        tab.visit(&format!("{place}{path}")).await?;
        let seen = "document.querySelector('.context') !== null";
        tab.until("the page to be there", seen).await?;
        // Moves the pointer over each element, so that its event handlers run.
        let pointed = "[...document.querySelectorAll('main *')].forEach((it) => \
             it.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))), \
             [String(window.pwned), document.querySelectorAll('main img:not(.icon), main script, main [onmouseover], \
             main [href^=javascript]').length].join()";
        assert_eq!(tab.evaluate(pointed).await?, "undefined,0", "{path}");
        let text = tab.text().await?;
        shown += usize::from(text.contains("<script>window.pwned = 1"));
        // The browser reports the response 404 as an error, so this error is expected.
        let wrong = page_errors(&tab, &place).await?.into_iter();
        let wrong: Vec<_> = wrong.filter(|it| !it.contains("status of 404")).collect();
        assert_eq!(wrong, Vec::<String>::new(), "{path}");
    }
    assert!(shown > 8, "{shown} pages show what is poisoned, as text");
    Ok(())
}

/// Copies a folder of manifests, and appends the text to each value. Returns the number of values.
fn poison(from: &Path, to: &Path) -> Result<usize, Failure> {
    let read = |why| Failure::touch(format!("read {}", from.display()))(why);
    let mut count = 0;
    for entry in fs::read_dir(from).map_err(read)? {
        let entry = entry.map_err(read)?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            fs::create_dir(&to).map_err(Failure::touch("make a folder"))?;
            count += poison(&from, &to)?;
            continue;
        }
        let text = fs::read_to_string(&from).map_err(read)?;
        let mut all = String::new();
        let documents = serde_saphyr::from_multiple::<Value>(&text);
        for mut document in documents.map_err(Failure::read("manifests"))? {
            count += poison_below(&mut document, "");
            all.push_str(&format!("{document}\n---\n"));
        }
        fs::write(&to, all).map_err(Failure::touch("write a manifest"))?;
    }
    Ok(count)
}

fn poison_below(value: &mut Value, key: &str) -> usize {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter_mut();
            fields.map(|(key, value)| poison_below(value, key)).sum()
        }
        Value::Array(items) => items.iter_mut().map(|it| poison_below(it, key)).sum(),
        Value::String(text) if is_prose(key, text) => {
            text.push_str(HOSTILE);
            1
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Returns true for a value that can be any text. A range or a name would become invalid.
fn is_prose(key: &str, text: &str) -> bool {
    let keys = [
        "message",
        "reason",
        "description",
        "displayName",
        "title",
        "maturity",
    ];
    keys.contains(&key) || text.contains(' ') && !key.ends_with("Range")
}

/// Encodes a text for a URL.
fn url(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}
