//! A browser tab: simulates the actions of a user, and reads the content of the page.

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

/// The domains of the DevTools protocol whose events tests need.
const DOMAINS: [&str; 5] = ["Page", "Runtime", "Log", "Network", "Audits"];

/// A tab. It closes when its browser ends.
#[derive(Debug)]
pub struct Tab {
    wire: Arc<Wire>,
    session: String,
}

/// The settings with which a user views a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The width of the window in pixels.
    pub width: u32,
    /// True if the user prefers dark colors.
    pub is_dark: bool,
}

impl Look {
    /// The settings that most users have.
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

    /// Applies these settings to everything that the tab shows from now on.
    /// # Errors
    /// Chromium fails to apply them.
    pub async fn look(&self, look: Look) -> Result<(), Failure> {
        let Look { width, is_dark } = look;
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size)
            .await?;
        let scheme = if is_dark { "dark" } else { "light" };
        self.media("", scheme).await
    }

    /// Shows the page in its print layout.
    /// # Errors
    /// Chromium fails to apply it.
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

    /// Opens a page, and waits until it is loaded.
    /// # Errors
    /// The page does not exist.
    pub async fn visit(&self, url: &str) -> Result<(), Failure> {
        self.wire.forget_events(&self.session);
        let answer = self.call("Page.navigate", json!({"url": url})).await?;
        if let Some(error) = answer["errorText"].as_str() {
            let error = io::Error::other(error.to_owned());
            return Err(Failure::touch(format!("open {url}"))(error));
        }
        self.until(
            "the page to be complete",
            "document.readyState === 'complete'",
        )
        .await
    }

    /// Returns the value of a JavaScript expression in the page. If the value is a promise, waits
    /// for its result.
    /// # Errors
    /// The expression throws.
    pub async fn evaluate(&self, expression: &str) -> Result<Value, Failure> {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", asked).await?;
        match answer.get("exceptionDetails") {
            None => Ok(answer["result"]["value"].clone()),
            Some(thrown) => {
                let thrown = io::Error::other(thrown["exception"]["description"].to_string());
                Err(Failure::touch(format!("evaluate {expression}"))(thrown))
            }
        }
    }

    /// Returns the visible text of the page.
    ///
    /// # Errors
    /// There is no page.
    pub async fn text(&self) -> Result<String, Failure> {
        let text = self.evaluate("document.body.innerText").await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until a JavaScript expression is true.
    ///
    /// # Errors
    /// The expression stays false. The error contains the text of the page.
    pub async fn until(&self, what: &str, expression: &str) -> Result<(), Failure> {
        let look = Duration::from_secs(120).min(PATIENCE);
        until(what, look, async || {
            // The evaluation fails while the tab changes from one page to the next. It is repeated
            // then.
            let is_true = self.evaluate(expression).await.unwrap_or_default();
            Ok(if is_true == true {
                Seen::Yes(())
            } else {
                Seen::NotYet(self.text().await.unwrap_or_default())
            })
        })
        .await
    }

    /// Waits until the page shows the text.
    /// # Errors
    /// The text does not appear in time.
    pub async fn until_text(&self, text: &str) -> Result<(), Failure> {
        let expression = format!("document.body.innerText.includes({})", json!(text));
        self.until(&format!("the page to say {text:?}"), &expression)
            .await
    }

    /// Clicks the element that the selector matches. First waits until the page is complete,
    /// because the element may move until then.
    /// # Errors
    /// The element does not exist.
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

    /// Presses a key with a name, such as `Tab` or `Enter`.
    ///
    /// # Errors
    /// Chromium fails to press the key.
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

    /// Types the text into the focused element.
    /// # Errors
    /// Chromium fails to press the key.
    pub async fn types(&self, text: &str) -> Result<(), Failure> {
        let text = json!({"text": text});
        self.call("Input.insertText", text).await.map(drop)
    }

    /// Saves a picture of the whole page.
    ///
    /// # Errors
    /// The file cannot be written.
    pub async fn picture(&self, file: &Path) -> Result<(), Failure> {
        let asked =
            json!({"format": "png", "captureBeyondViewport": true, "clip": self.whole().await?});
        let answer = self.call("Page.captureScreenshot", asked).await?;
        let bytes = STANDARD.decode(answer["data"].as_str().unwrap_or_default());
        let bytes = bytes.map_err(Failure::read("a picture"))?;
        std::fs::write(file, bytes).map_err(Failure::touch(format!("write {}", file.display())))
    }

    async fn whole(&self) -> Result<Value, Failure> {
        let sizes = self.call("Page.getLayoutMetrics", json!({})).await?;
        let size = &sizes["cssContentSize"];
        // The picture contains the whole page, without a scroll bar.
        let width = self.evaluate("innerWidth").await?;
        Ok(json!({"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1}))
    }

    /// Returns the URLs that the page has requested since it was opened.
    pub fn requests(&self) -> BTreeSet<String> {
        let events = self.wire.events(&self.session);
        let sent = events
            .iter()
            .filter(|it| it["method"] == "Network.requestWillBeSent");
        let urls = sent.filter_map(|it| it["params"]["request"]["url"].as_str());
        urls.map(str::to_owned).collect()
    }

    /// Returns what the browser has reported since the page was opened: errors of scripts,
    /// violations of the content policy, and warnings.
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

    /// Returns the accessibility problems that axe-core finds. They affect users who cannot see the
    /// page or cannot use a mouse.
    ///
    /// # Errors
    /// axe-core cannot be downloaded.
    pub async fn findings(&self) -> Result<Vec<Finding>, Failure> {
        self.evaluate(&axe::script()?).await?;
        let found = self.evaluate(axe::RUN).await?;
        serde_json::from_value(found).map_err(Failure::read("the findings of axe-core"))
    }
}
