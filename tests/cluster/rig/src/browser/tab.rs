//! One tab: what somebody does in it, and what can be seen of it.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::axe::{self, Finding};
use super::wire::Wire;
use crate::failure::Failure;
use crate::wait::{PATIENCE, Seen, until};

/// The domains of the events that a browser sends about a page, as far as stories need them.
const DOMAINS: [&str; 5] = ["Page", "Runtime", "Log", "Network", "Audits"];

/// A tab, which ends with its browser.
#[derive(Debug)]
pub struct Tab {
    wire: Arc<Wire>,
    session: String,
}

/// The settings with which a page is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The width of the window.
    pub width: u32,
    /// Whether the user prefers dark pages.
    pub is_dark: bool,
}

impl Look {
    /// The settings of most users.
    pub const USUAL: Self = Self {
        width: 1280,
        is_dark: false,
    };
}

impl Tab {
    pub(super) async fn of(wire: Arc<Wire>, session: String) -> Result<Self, Failure> {
        let tab = Self { wire, session };
        for domain in DOMAINS {
            tab.call(&format!("{domain}.enable"), json!({})).await?;
        }
        tab.look(Look::USUAL).await?;
        Ok(tab)
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Failure> {
        self.wire.call(&self.session, method, params).await
    }

    /// Looks at all that follows like that.
    ///
    /// # Errors
    /// Chromium does not do it.
    pub async fn look(&self, look: Look) -> Result<(), Failure> {
        let Look { width, is_dark } = look;
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size)
            .await?;
        let scheme = if is_dark { "dark" } else { "light" };
        self.media("", scheme).await
    }

    /// Looks at the page as it is printed.
    ///
    /// # Errors
    /// Chromium does not do it.
    pub async fn look_at_print(&self) -> Result<(), Failure> {
        self.media("print", "light").await
    }

    async fn media(&self, media: &str, scheme: &str) -> Result<(), Failure> {
        let features = [
            json!({"name": "prefers-color-scheme", "value": scheme}),
            json!({"name": "prefers-reduced-motion", "value": "reduce"}),
        ];
        let media = json!({"media": media, "features": features});
        self.call("Emulation.setEmulatedMedia", media)
            .await
            .map(drop)
    }

    /// Opens an address, and waits until all of the page is there. What was told of an earlier page is forgotten.
    ///
    /// # Errors
    /// There is no such page.
    pub async fn visit(&self, url: &str) -> Result<(), Failure> {
        self.wire.forget_events(&self.session);
        let told = self.call("Page.navigate", json!({"url": url})).await?;
        if let Some(error) = told["errorText"].as_str() {
            let error = io::Error::other(error.to_owned());
            return Err(Failure::touch(format!("open {url}"))(error));
        }
        self.until("the page to be there", "document.readyState === 'complete'")
            .await
    }

    /// Returns the value of a JavaScript expression in the page; a promise is awaited.
    ///
    /// # Errors
    /// It throws.
    pub async fn evaluate(&self, expression: &str) -> Result<Value, Failure> {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let told = self.call("Runtime.evaluate", asked).await?;
        match told.get("exceptionDetails") {
            None => Ok(told["result"]["value"].clone()),
            Some(thrown) => {
                let thrown = io::Error::other(thrown["exception"]["description"].to_string());
                Err(Failure::touch(format!("evaluate {expression}"))(thrown))
            }
        }
    }

    /// The text of the page as somebody reads it.
    ///
    /// # Errors
    /// There is no page.
    pub async fn text(&self) -> Result<String, Failure> {
        let text = self.evaluate("document.body.innerText").await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until an expression is true.
    ///
    /// # Errors
    /// It did not become true in time; the text of the page is then told.
    pub async fn until(&self, what: &str, expression: &str) -> Result<(), Failure> {
        let look = Duration::from_secs(120).min(PATIENCE);
        until(what, look, async || {
            // Between two pages there is none.
            let is_true = self.evaluate(expression).await.unwrap_or_default();
            Ok(if is_true == true {
                Seen::Yes(())
            } else {
                Seen::NotYet(self.text().await.unwrap_or_default())
            })
        })
        .await
    }

    /// Waits until the page has a text on it.
    ///
    /// # Errors
    /// It did not have it in time.
    pub async fn until_it_says(&self, text: &str) -> Result<(), Failure> {
        let expression = format!("document.body.innerText.includes({})", json!(text));
        self.until(&format!("the page to say {text:?}"), &expression)
            .await
    }

    /// Clicks on what a selector finds, once the page is whole: until then what is found may still move.
    ///
    /// # Errors
    /// There is no such thing.
    pub async fn click(&self, selector: &str) -> Result<(), Failure> {
        let is_whole = "document.readyState === 'complete'";
        self.until("the page to be whole", is_whole).await?;
        let place = format!(
            "(() => {{ const it = document.querySelector({}); it.scrollIntoView({{block: 'center'}}); \
             const {{x, y, width, height}} = it.getBoundingClientRect(); \
             return {{x: x + width / 2, y: y + height / 2}}; }})()",
            json!(selector)
        );
        let place = self.evaluate(&place).await?;
        for kind in ["mousePressed", "mouseReleased"] {
            let mouse = json!({
                "type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", mouse).await?;
        }
        Ok(())
    }

    /// Presses a key that has a name, such as `Tab` and `Enter`.
    ///
    /// # Errors
    /// Chromium does not do it.
    pub async fn press(&self, key: &str) -> Result<(), Failure> {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            _ => (0, ""),
        };
        let mut down =
            json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
        if !text.is_empty() {
            down["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", down).await?;
        let up = json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", up).await.map(drop)
    }

    /// Types a text into what has the focus.
    ///
    /// # Errors
    /// Chromium does not do it.
    pub async fn types(&self, text: &str) -> Result<(), Failure> {
        let text = json!({"text": text});
        self.call("Input.insertText", text).await.map(drop)
    }

    /// A picture of the whole page.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn picture(&self, file: &Path) -> Result<(), Failure> {
        let asked =
            json!({"format": "png", "captureBeyondViewport": true, "clip": self.whole().await?});
        let told = self.call("Page.captureScreenshot", asked).await?;
        let bytes = STANDARD.decode(told["data"].as_str().unwrap_or_default());
        let bytes = bytes.map_err(Failure::read("a picture"))?;
        std::fs::write(file, bytes).map_err(Failure::touch(format!("write {}", file.display())))
    }

    async fn whole(&self) -> Result<Value, Failure> {
        let sizes = self.call("Page.getLayoutMetrics", json!({})).await?;
        let size = &sizes["cssContentSize"];
        // A picture has no bar to scroll by, and what is under one is on it.
        let width = self.evaluate("innerWidth").await?;
        Ok(json!({"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1}))
    }

    /// Returns the URLs that the page requested since it was opened.
    pub fn requests(&self) -> BTreeSet<String> {
        let events = self.wire.events(&self.session);
        let sent = events
            .iter()
            .filter(|it| it["method"] == "Network.requestWillBeSent");
        let urls = sent.filter_map(|it| it["params"]["request"]["url"].as_str());
        urls.map(str::to_owned).collect()
    }

    /// Returns the complaints of the browser since the page was opened: errors of scripts, what a
    /// policy forbids, what it finds wrong.
    pub fn complaints(&self) -> Vec<String> {
        let events = self.wire.events(&self.session);
        let complaints = events.iter().filter(|it| {
            let params = &it["params"];
            match it["method"].as_str().unwrap_or_default() {
                "Log.entryAdded" => params["entry"]["level"] == "error",
                "Runtime.consoleAPICalled" => params["type"] == "error",
                "Runtime.exceptionThrown" | "Audits.issueAdded" => true,
                _ => false,
            }
        });
        complaints.map(|it| it["params"].to_string()).collect()
    }

    /// Returns the problems that axe-core finds for users who cannot see a page, or use no mouse.
    ///
    /// # Errors
    /// axe-core cannot be had.
    pub async fn findings(&self) -> Result<Vec<Finding>, Failure> {
        self.evaluate(&axe::script()?).await?;
        let found = self.evaluate(axe::RUN).await?;
        serde_json::from_value(found).map_err(Failure::read("what axe-core finds"))
    }
}
