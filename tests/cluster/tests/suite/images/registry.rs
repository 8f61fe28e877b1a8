//! Runs a real registry: distribution, on which the registries of most cloud providers are based.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Stdio};

use portolan_kit::TempFolder;
use portolan_kit::oci::{Image, push};
use portolan_rig::{DISTRIBUTION, Failure, PATIENCE, Seen, until};

use super::REPOSITORY;

/// A registry process. Dropping this value kills the process.
pub(crate) struct Registry {
    child: Child,
    host: String,
}

/// The storage of a registry. Several registries can use it at the same time.
pub(crate) struct Store {
    folder: TempFolder,
}

// === impl Store ===

impl Store {
    pub(crate) fn empty() -> Self {
        Self {
            folder: TempFolder::empty(),
        }
    }

    /// Creates a storage that contains an image with the name `ferry/bundle:v1`.
    pub(crate) async fn with(image: &Image) -> Result<Self, Failure> {
        let store = Self::empty();
        let registry = store.serve("").await?;
        push(registry.host(), REPOSITORY, "v1", image).await;
        Ok(store)
    }

    /// Starts a registry with this storage on a free port. `more` is additional configuration. Its
    /// first lines are in the section `http:`, and lines without indentation end this section.
    pub(crate) async fn serve(&self, more: &str) -> Result<Registry, Failure> {
        self.serve_at("127.0.0.1:0", more).await
    }

    pub(crate) async fn serve_at(&self, address: &str, more: &str) -> Result<Registry, Failure> {
        let built = tokio::task::spawn_blocking(|| DISTRIBUTION.program()).await;
        built.map_err(Failure::read("the end of a build"))??;
        let config = TempFolder::empty();
        let root = self.folder.join("registry").display().to_string();
        let text = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: {root}}}}}\n\
             http:\n  addr: {address}\n  secret: not-one\n{more}"
        );
        let (file, log) = (config.join("config.yaml"), config.join("log"));
        fs::write(&file, text).map_err(Failure::touch("write a configuration"))?;
        let errors = File::create(&log).map_err(Failure::touch("create a log"))?;
        let mut command = DISTRIBUTION.command()?;
        command.arg("serve").arg(&file);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(errors);
        let child = command.spawn().map_err(Failure::touch("run a registry"))?;
        // From here on, an error drops this value and kills the process.
        let mut registry = Registry {
            child,
            host: String::new(),
        };
        registry.host = until("the registry to listen", PATIENCE, async || {
            let message = fs::read_to_string(&log).unwrap_or_default();
            Ok(match listens_on(&message) {
                Some(host) => Seen::Yes(host),
                None => Seen::NotYet(message),
            })
        })
        .await?;
        Ok(registry)
    }

    /// Writes a file next to the storage.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<String, Failure> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(Failure::touch("write a file"))?;
        Ok(path.display().to_string())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Parses the address in the log line `… msg="listening on 127.0.0.1:41234" …`. With TLS, the
/// message ends in `, tls`.
fn listens_on(log: &str) -> Option<String> {
    let (_, behind) = log.split_once("listening on ")?;
    let end = behind.find([',', '"', ' '])?;
    Some(behind[..end].to_owned())
}

// === impl Registry ===

impl Registry {
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.host)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
