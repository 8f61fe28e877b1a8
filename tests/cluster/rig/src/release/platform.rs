//! The platforms of a release.

use std::fmt;
use std::str::FromStr;

use std::env::consts;

/// A platform for which a release has a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The operating system, with its name in Go and krew.
    pub os: &'static str,
    /// The architecture, with its name in Go and krew.
    pub arch: &'static str,
    /// The target triple of rustc.
    pub target: &'static str,
}

/// All platforms of a release.
pub const PLATFORMS: [Platform; 5] = [
    Platform::new("linux", "amd64", "x86_64-unknown-linux-gnu"),
    Platform::new("linux", "arm64", "aarch64-unknown-linux-gnu"),
    Platform::new("darwin", "amd64", "x86_64-apple-darwin"),
    Platform::new("darwin", "arm64", "aarch64-apple-darwin"),
    Platform::new("windows", "amd64", "x86_64-pc-windows-msvc"),
];

impl Platform {
    const fn new(os: &'static str, arch: &'static str, target: &'static str) -> Self {
        Self { os, arch, target }
    }

    /// Returns the name of the platform for file names, such as linux-amd64.
    pub fn name(self) -> String {
        format!("{}-{}", self.os, self.arch)
    }

    /// Returns the file name of the program on this platform.
    pub(super) fn file_name(self) -> &'static str {
        match self.os {
            "windows" => "portolan.exe",
            _ => "portolan",
        }
    }

    /// Returns true if a release contains an image for this platform.
    pub(super) fn has_images(self) -> bool {
        self.os == "linux"
    }

    pub(super) fn is_of_this_machine(self) -> bool {
        let arch = self.target.split('-').next();
        let os = match self.os {
            "darwin" => "macos",
            os => os,
        };
        arch == Some(consts::ARCH) && os == consts::OS
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.os, self.arch)
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = PLATFORMS.iter().find(|platform| platform.name() == text);
        found.copied().ok_or_else(|| {
            let known: Vec<_> = PLATFORMS.iter().map(|platform| platform.name()).collect();
            format!("{text:?} is no platform of a release: {}", known.join(", "))
        })
    }
}
