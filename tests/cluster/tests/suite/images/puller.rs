//! Pulls images in a separate process that a test can kill. The process runs the test program
//! itself.

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use portolan_images::{CacheOptions, Options};
use portolan_rig::Failure;

use super::{options, pull};

const HOST: &str = "PORTOLAN_PULL_HOST";
const CACHE: &str = "PORTOLAN_PULL_CACHE";

/// Pulls an image. This is not a test: [`Puller::start`] runs it in the separate process.
#[tokio::test]
#[ignore = "other tests run it, as a process of its own"]
async fn pulls() {
    let of = |name| env::var(name).expect("the variables of the puller");
    let host = of(HOST);
    let image = pull(caching(&host, Path::new(&of(CACHE))), &host).await;
    image.expect("an image");
}

/// Returns options with a cache in this folder.
pub(super) fn caching(host: &str, folder: &Path) -> Options {
    Options {
        cache: Some(CacheOptions {
            folder: folder.to_owned(),
            limit: 1 << 30,
        }),
        ..options(&[host])
    }
}

/// A process that pulls the image. Dropping this value kills the process.
pub(super) struct Puller(Child);

// === impl Puller ===

impl Puller {
    pub(super) fn start(host: &str, cache: &Path) -> Result<Self, Failure> {
        let own = env::current_exe().map_err(Failure::touch("find this program"))?;
        let mut command = Command::new(own);
        command.args(["images::puller::pulls", "--exact", "--ignored"]);
        command.env(HOST, host).env(CACHE, cache);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.spawn().map_err(Failure::touch("run a puller"))?;
        Ok(Self(child))
    }

    /// Waits until the process has exited. Returns true if it has pulled the image.
    pub(super) async fn ended_well(mut self) -> Result<bool, Failure> {
        let ended = tokio::task::spawn_blocking(move || self.0.wait()).await;
        let ended = ended.map_err(Failure::read("the end of a puller"))?;
        let ended = ended.map_err(Failure::touch("wait for a puller"))?;
        Ok(ended.success())
    }

    /// Kills the process without a warning, like a power failure.
    pub(super) fn kill(self) {
        drop(self);
    }
}

impl Drop for Puller {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
