//! A separate process that pulls images and can be killed. It runs this same program.

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use portolan_images::{CacheOptions, Options};
use portolan_rig::Failure;

use super::{options, pull};

const HOST: &str = "PORTOLAN_PULL_HOST";
const CACHE: &str = "PORTOLAN_PULL_CACHE";

/// A helper that [`Puller::start`] runs, not a test.
#[tokio::test]
#[ignore = "other tests run it, as a process of its own"]
async fn pulls() {
    let of = |name| env::var(name).expect("the variables of the puller");
    let host = of(HOST);
    let image = pull(caching(&host, Path::new(&of(CACHE))), &host).await;
    image.expect("an image");
}

/// Returns options with a cache in that folder.
pub(super) fn caching(host: &str, folder: &Path) -> Options {
    Options {
        cache: Some(CacheOptions {
            folder: folder.to_owned(),
            limit: 1 << 30,
        }),
        ..options(&[host])
    }
}

/// A process that pulls the image. It is killed when this value is dropped.
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

    /// Returns true if the process pulled the image.
    pub(super) async fn ended_well(mut self) -> Result<bool, Failure> {
        let ended = tokio::task::spawn_blocking(move || self.0.wait()).await;
        let ended = ended.map_err(Failure::read("the end of a puller"))?;
        let ended = ended.map_err(Failure::touch("wait for a puller"))?;
        Ok(ended.success())
    }

    /// Kills the process, as in a power failure.
    pub(super) fn kill(self) {
        drop(self);
    }
}

impl Drop for Puller {
    fn drop(&mut self) {
        // The process may already have exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
