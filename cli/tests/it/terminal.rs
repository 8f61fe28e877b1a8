//! Tests of the program on a terminal: colors and progress.

use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use portolan_kit::oci::{Image, Registry, Trouble};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::program::{ferry_upgrades, portolan};

/// A pseudoterminal. The test reads what the program writes to its screen.
struct Terminal {
    screen: File,
    child: std::process::Child,
}

// === impl Terminal ===

impl Terminal {
    /// Starts a command. Both of its outputs are a new pseudoterminal.
    fn start(command: &mut Command) -> Self {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal must open");
        grantpt(&screen).expect("the terminal must be ours");
        unlockpt(&screen).expect("the terminal must be unlocked");
        let name = ptsname(&screen, Vec::new()).expect("the terminal must have a name");
        let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let keys = File::options().read(true).write(true).open(path);
        let keys = keys.expect("the terminal must open for the program");
        let twin = keys.try_clone().expect("the terminal must have two sides");
        command.env("TERM", "xterm").stdout(keys).stderr(twin);
        let child = command.spawn().expect("the program must start");
        // Closes the copies of the terminal in the test process, so that the output ends when the
        // program ends.
        command.stdout(std::process::Stdio::null());
        command.stderr(std::process::Stdio::null());
        Self {
            screen: screen.into(),
            child,
        }
    }

    /// Reads the output until it contains `wanted`.
    fn until(&mut self, wanted: &str) -> String {
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(wanted.as_bytes()) {
            match self.screen.read(&mut byte) {
                Ok(1) => seen.extend(byte),
                _ => panic!("ended after {:?}", String::from_utf8_lossy(&seen)),
            }
        }
        String::from_utf8_lossy(&seen).into_owned()
    }

    /// Reads the output until the program ends.
    fn rest(mut self) -> (String, ExitStatus) {
        let mut seen = Vec::new();
        let mut bytes = [0; 4096];
        // On Linux, a read fails after the last process has closed the terminal.
        while let Ok(count @ 1..) = self.screen.read(&mut bytes) {
            seen.extend(&bytes[..count]);
        }
        let status = self.child.wait().expect("the program must end");
        (String::from_utf8_lossy(&seen).into_owned(), status)
    }
}

#[test]
fn terminal_gets_colors_without_progress() {
    let (seen, status) = Terminal::start(&mut ferry_upgrades("--from ferry.v1.0.0")).rest();
    assert!(seen.starts_with("\u{1b}[1mUPDATE\u{1b}[0m "), "{seen:?}");
    assert!(!seen.contains("reading"), "{seen:?}");
    assert!(status.success());
}

#[test]
fn no_color_disables_colors() {
    let mut asked = ferry_upgrades("--from ferry.v1.0.0");
    let (seen, _) = Terminal::start(asked.env("NO_COLOR", "1")).rest();
    assert!(seen.starts_with("UPDATE "), "{seen:?}");
    assert!(!seen.contains('\u{1b}'), "{seen:?}");
}

#[test]
fn shows_and_erases_progress_of_request() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port must be free");
    let address = silent.local_addr().expect("it must have an address");
    let url = format!("http://{address}");
    let line = format!("packages --color never --server {url}");
    let mut terminal = Terminal::start(&mut portolan(&line));
    let (connection, _) = silent.accept().expect("the program must connect");
    let waiting = format!("asking {url}…");
    assert_eq!(terminal.until("…"), waiting);
    drop((connection, silent));
    let (seen, status) = terminal.rest();
    assert!(seen.starts_with("\r\u{1b}[K"), "{seen:?}");
    assert!(
        seen.contains(&format!("error: cannot query {url}: ")),
        "{seen:?}"
    );
    assert_eq!(status.code(), Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_and_erases_progress_of_image_pull() {
    let registry = Registry::start().await;
    let image = Image::of(&[&[("manifests/ferry.yaml", "kind: ConfigMap\n")]]);
    registry.serve("ferry/bundle", "v1", &image);
    let headers = vec![("retry-after", "2".to_owned())];
    registry.make(1, "manifests/v1", Trouble::Status(503, headers));
    let host = registry.host();
    let line = format!(
        "bundle show --color never --registries {host} --plain-http {host} oci://{host}/ferry/bundle:v1"
    );
    let watched = tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::start(&mut portolan(&line));
        let waiting = terminal.until(" for image v1");
        (waiting, terminal.rest())
    });
    let (waiting, (seen, _)) = watched.await.expect("no panic");
    let why = format!("{host} answers 503 Service Unavailable for image v1");
    assert!(waiting.ends_with(&why), "{waiting:?}");
    let (_, after) = seen.rsplit_once("\r\u{1b}[K").expect("erased progress");
    assert!(!after.contains("answers 503"), "{seen:?}");
}
