//! Runs the registry of the rig on a loopback address.

use std::fs::{self, File};
use std::process::{Child, Stdio};

use portolan_rig::{Failure as RigFailure, OwnProgram, PATIENCE, Seen, until};
use tempfile::TempDir;

use crate::catalogs::scratch;
use crate::failure::Failure;

const DISTRIBUTION: OwnProgram = OwnProgram {
    name: "distribution",
    package: "github.com/distribution/distribution/v3/cmd/registry",
    files: &[
        (
            "go.mod",
            include_str!("../../../cluster/programs/distribution/go.mod"),
        ),
        (
            "go.sum",
            include_str!("../../../cluster/programs/distribution/go.sum"),
        ),
    ],
};

/// A registry process. Dropping this value kills the process.
pub(super) struct Registry {
    child: Child,
    host: String,
    /// The folder with the content of the registry. It must exist while the registry runs.
    _folder: TempDir,
}

// === impl Registry ===

impl Registry {
    pub(super) async fn start() -> Result<Self, Failure> {
        let built = tokio::task::spawn_blocking(|| DISTRIBUTION.program()).await;
        built.expect("a build must not panic")?;
        let folder = scratch()?;
        let (config, log) = (folder.path().join("config.yaml"), folder.path().join("log"));
        let root = folder.path().join("registry").display().to_string();
        let text = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: {root}}}}}\n\
             http: {{addr: '127.0.0.1:0', secret: not-one}}\n"
        );
        fs::write(&config, text).map_err(Failure::touch("write", &config))?;
        let errors = File::create(&log).map_err(Failure::touch("write", &log))?;
        let mut command = DISTRIBUTION.command()?;
        command.arg("serve").arg(&config);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(errors).spawn();
        // From here on, an error drops this value and kills the process.
        let mut registry = Self {
            child: child.map_err(Failure::touch("run", &config))?,
            host: String::new(),
            _folder: folder,
        };
        registry.host = until("the registry to listen", PATIENCE, async || {
            let said = fs::read_to_string(&log).unwrap_or_default();
            Ok::<_, RigFailure>(match listens_on(&said) {
                Some(host) => Seen::Yes(host),
                None => Seen::NotYet(said),
            })
        })
        .await?;
        Ok(registry)
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses the address in a log line such as `… msg="listening on 127.0.0.1:41234" …`
fn listens_on(log: &str) -> Option<String> {
    let (_, behind) = log.split_once("listening on ")?;
    let end = behind.find([',', '"', ' '])?;
    Some(behind[..end].to_owned())
}
