//! Runs headless Chromium for tests of web pages.
//!
//! Uses the Chromium that is installed on the machine. Controls it with the DevTools protocol over
//! a pair of pipes, and opens no port. The profile of the user is not touched. Chromium ends when
//! the test closes the pipes.

mod axe;
mod tab;
mod wire;

use std::env;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Once};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use tokio::process::{Child, Command};

pub use self::axe::Finding;
pub use self::tab::{Look, Tab};
use self::wire::Wire;
use crate::failure::Failure;
use crate::folder::clear;
use crate::parent::killed_with_parent;
use crate::say;

/// The names of the Chromium program in different packages.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The flags of Chromium. It runs without a sandbox, because tests may run as root. It loads only
/// the pages of tests, sends no requests to its vendor, and stores nothing. It uses little shared
/// memory, because containers have little.
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--ignore-certificate-errors",
    "--remote-debugging-pipe",
];

/// A shell command that starts Chromium. Chromium expects its pipes at the file descriptors 3 and
/// 4, but Rust can only set standard input and standard output.
const PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// A running Chromium. Dropping this value ends Chromium.
#[derive(Debug)]
pub struct Browser {
    wire: Arc<Wire>,
    profile: PathBuf,
    child: Child,
}

impl Browser {
    /// Starts Chromium. If Chromium is not installed, prints a warning and returns `None`.
    /// # Errors
    /// Chromium fails to start.
    pub async fn open() -> Result<Option<Self>, Failure> {
        let Some(program) = found() else {
            left_out();
            return Ok(None);
        };
        let profile = env::temp_dir().join(format!("portolan-browser-{:x}", moment()));
        let mut command = killed_with_parent("sh");
        command.args(["-c", PIPES]).arg(program).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.arg("about:blank");
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().map_err(Failure::touch("run Chromium"))?;
        let wire = Wire::of(&mut child)?;
        let browser = Self {
            wire,
            profile,
            child,
        };
        browser
            .wire
            .call("", "Browser.getVersion", json!({}))
            .await?;
        Ok(Some(browser))
    }

    /// Opens a tab that has its own cookies.
    /// # Errors
    /// Chromium fails to open the tab.
    pub async fn tab(&self) -> Result<Tab, Failure> {
        let call = async |method, params| self.wire.call("", method, params).await;
        let visitor = call("Target.createBrowserContext", json!({})).await?;
        let place = json!({"url": "about:blank", "browserContextId": visitor["browserContextId"]});
        let target = call("Target.createTarget", place).await?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = call("Target.attachToTarget", attach).await?;
        let session = session["sessionId"].as_str().unwrap_or_default();
        Tab::of(Arc::clone(&self.wire), session.to_owned()).await
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ignores an error: Chromium may already have exited. Files that it leaves in the temporary
        // folder are harmless.
        let _ = self.child.start_kill();
        let _ = clear(&self.profile);
    }
}

fn found() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Prints the warning that tests are skipped. Prints it once per process, even if test output is
/// captured.
fn left_out() {
    static REPORTED: Once = Once::new();
    REPORTED.call_once(|| {
        say!("there is no Chromium on this machine: the tests of pages are NOT run");
    });
}

fn moment() -> u128 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos())
}
