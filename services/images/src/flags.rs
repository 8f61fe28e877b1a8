//! The flags about images. Every process that pulls images has these flags.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use crate::connect::certificates;
use crate::credentials::{Credentials, ReadCredentials};
use crate::mirrors::Mirror;
use crate::options::{CacheOptions, Options};
use crate::reference::Host;
use crate::registries::Registries;

/// The flags that control how images are pulled.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct ImageFlags {
    /// Registries from which images may be pulled, such as quay.io, registry.example:5000 or
    /// *.quay.io. Redirects of these registries are followed. Registries on this machine must
    /// always be listed.
    #[arg(
        long,
        value_name = "HOST",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub registries: Vec<String>,
    /// Mirror to try first for images of a registry, such as
    /// quay.io/ferry=mirror.example:5000/ferry.
    #[arg(long = "mirror", value_name = "FROM=TO", hide_short_help = true)]
    pub mirrors: Vec<Mirror>,
    /// File with registry credentials, in the format of Docker and podman.
    #[arg(
        long,
        env = "REGISTRY_AUTH_FILE",
        value_name = "FILE",
        hide_short_help = true
    )]
    pub registry_auth: Option<PathBuf>,
    /// PEM file of certificate authorities for registries, in addition to the certificate
    /// authorities of the system.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub registry_ca: Vec<PathBuf>,
    /// Registries to contact without TLS.
    #[arg(
        long,
        value_name = "HOST",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub plain_http: Vec<Host>,
    /// Folder that caches pulled images. Several processes can share the folder.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub cache: Option<PathBuf>,
    /// Maximum size of the cache. The least recently used images are removed first.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "2GiB",
        hide_short_help = true
    )]
    pub cache_limit: Size,
}

/// A number of bytes: `2GiB`, `500Mi`, `1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

/// The kind of program that pulls images. It determines the defaults of the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A user at a terminal: all registries are permitted, and the credentials of Docker and podman
    /// are used.
    Person,
    /// A process with untrusted callers: no registry is permitted, and no credentials are used.
    Server,
}

/// The reason why flags are invalid.
#[derive(Debug, Error)]
pub enum UseFlags {
    #[error("cannot read {}", .0.display())]
    Read(PathBuf, #[source] io::Error),
    #[error("cannot find logins in {}", .0.display())]
    Logins(PathBuf, #[source] ReadCredentials),
    /// The text is not the name of a registry.
    #[error("{0}")]
    Registries(String),
}

// === impl ImageFlags ===

impl ImageFlags {
    /// Returns the options that the flags define. Reads the files that the flags name.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or contains no credentials.
    pub fn options(&self, asker: Asker) -> Result<Options, UseFlags> {
        let registries = match asker {
            Asker::Person => Registries::any(),
            Asker::Server => Registries::default(),
        };
        let listed = self.registries.iter().map(String::as_str);
        let authorities = self.registry_ca.iter().map(|path| authority(path));
        let cache = self.cache.clone().map(|folder| CacheOptions {
            folder,
            limit: self.cache_limit.0,
        });
        Ok(Options {
            registries: registries.and(listed).map_err(UseFlags::Registries)?,
            credentials: self.credentials(asker)?,
            mirrors: self.mirrors.clone(),
            authorities: authorities.collect::<Result<_, _>>()?,
            plain: self.plain_http.clone(),
            cache,
            ..Options::default()
        })
    }

    fn credentials(&self, asker: Asker) -> Result<Credentials, UseFlags> {
        if let Some(path) = &self.registry_auth {
            return logins(path, &read(path)?);
        }
        let usual = match asker {
            Asker::Person => usual_files(|name| std::env::var_os(name)),
            Asker::Server => Vec::new(),
        };
        let mut all = Credentials::default();
        for path in usual {
            match read(&path) {
                Ok(text) => all = all.and(logins(&path, &text)?),
                Err(UseFlags::Read(_, error)) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, UseFlags> {
    std::fs::read(path).map_err(|error| UseFlags::Read(path.to_owned(), error))
}

fn authority(path: &Path) -> Result<Vec<u8>, UseFlags> {
    let pem = read(path)?;
    let looked = certificates(&pem).map(drop);
    looked.map_err(|error| UseFlags::Read(path.to_owned(), error))?;
    Ok(pem)
}

fn logins(path: &Path, text: &[u8]) -> Result<Credentials, UseFlags> {
    let read = Credentials::of_docker_config(text);
    read.map_err(|error| UseFlags::Logins(path.to_owned(), error))
}

/// Returns the files in which podman stores credentials, followed by the file of Docker.
fn usual_files(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let folder = |name| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let home = folder("HOME");
    let docker = folder("DOCKER_CONFIG").or_else(|| Some(home.as_ref()?.join(".docker")));
    let files = [
        folder("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        home.map(|home| home.join(".config/containers/auth.json")),
        docker.map(|folder| folder.join("config.json")),
    ];
    files.into_iter().flatten().collect()
}

// === impl Size ===

impl Default for Size {
    /// Returns the default size of the cache.
    fn default() -> Self {
        Self(2 << 30)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let flawed = || format!("{text:?} is not a size, such as 2GiB, 500MiB or 1000000");
        let end = text.find(|c: char| !c.is_ascii_digit());
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let shift = match unit.trim_end_matches('B') {
            "" => 0,
            "Ki" => 10,
            "Mi" => 20,
            "Gi" => 30,
            "Ti" => 40,
            _ => return Err(flawed()),
        };
        let number: u64 = number.parse().map_err(|_| flawed())?;
        number.checked_mul(1 << shift).map(Self).ok_or_else(flawed)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use portolan_kit::TempFolder;
    use rstest::rstest;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        images: ImageFlags,
    }

    fn flags(words: &[&str]) -> ImageFlags {
        let line = [&["portolan"], words].concat();
        Line::try_parse_from(line).expect("flags").images
    }

    #[rstest]
    #[case::bytes("1000", Some(1000))]
    #[case::of_two("2GiB", Some(2 << 30))]
    #[case::as_kubernetes_has_it("500Mi", Some(500 << 20))]
    #[case::nothing("", None)]
    #[case::no_number("GiB", None)]
    #[case::another_unit("2GB", None)]
    #[case::too_much("99999999TiB", None)]
    #[case::a_sign("-1", None)]
    fn parses_sizes_in_binary_units(#[case] text: &str, #[case] expected: Option<u64>) {
        assert_eq!(text.parse().ok(), expected.map(Size));
    }

    #[test]
    fn omitted_flags_have_their_defaults() {
        // A file that does not exist replaces the default files, because the user who runs this
        // test may have logins.
        let said = flags(&["--registry-auth=/none"]);
        let expected = ImageFlags {
            registry_auth: Some("/none".into()),
            ..ImageFlags::default()
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn flags_become_options() -> Result<(), UseFlags> {
        let folder = TempFolder::empty();
        let (auth, authority) = (folder.join("auth.json"), folder.join("ca.pem"));
        let config = r#"{"auths": {"quay.io": {"auth": "YTox"}}}"#;
        std::fs::write(&auth, config).expect("a file");
        let pem = portolan_kit::Authority::default().pem().to_owned();
        std::fs::write(&authority, &pem).expect("a file");
        let [auth, authority] = [auth, authority].map(|path| path.display().to_string());
        let words = [
            "--registries=quay.io,*.quay.io",
            "--mirror=quay.io=m.io",
            "--mirror=b.io/c=m.io/c",
            "--plain-http=m.io",
            "--cache=/c",
            "--cache-limit=1MiB",
            "--registry-auth",
            &auth,
            "--registry-ca",
            &authority,
        ];
        let options = flags(&words).options(Asker::Server)?;
        let expected = Options {
            registries: Registries::default()
                .and(["quay.io", "*.quay.io"])
                .expect("a list"),
            credentials: Credentials::of_docker_config(config.as_bytes()).expect("a config"),
            mirrors: ["quay.io=m.io", "b.io/c=m.io/c"]
                .map(|text| text.parse().expect("a mirror"))
                .into(),
            authorities: vec![pem.into_bytes()],
            plain: vec!["m.io".parse().expect("a host")],
            cache: Some(CacheOptions {
                folder: "/c".into(),
                limit: 1 << 20,
            }),
            ..Options::default()
        };
        assert_eq!(options, expected);
        Ok(())
    }

    #[test]
    fn server_pulls_from_no_registry_and_cli_from_any_by_default() -> Result<(), UseFlags> {
        let none = ImageFlags::default();
        assert_eq!(none.options(Asker::Server)?, Options::default());
        // A file without logins replaces the default files, because the user who runs this test may
        // have logins.
        let folder = TempFolder::empty();
        let auth = folder.join("auth.json");
        std::fs::write(&auth, "{}").expect("a file");
        let own = ImageFlags {
            registry_auth: Some(auth),
            ..none
        };
        assert_eq!(own.options(Asker::Person)?.registries, Registries::any());
        Ok(())
    }

    #[rstest]
    #[case::that_is_not_there(
        None,
        "--registry-auth",
        "cannot read FILE: No such file or directory (os error 2)"
    )]
    #[case::without_logins(
        Some("user"),
        "--registry-auth",
        "cannot find logins in FILE: the content is not a config.json of Docker"
    )]
    #[case::without_an_authority(
        Some("text"),
        "--registry-ca",
        "cannot read FILE: it contains no certificate"
    )]
    fn unusable_file_of_a_flag_is_refused(
        #[case] text: Option<&str>,
        #[case] flag: &str,
        #[case] expected: &str,
    ) {
        let folder = TempFolder::empty();
        let file = folder.join("file");
        if let Some(text) = text {
            std::fs::write(&file, text).expect("a file");
        }
        let file = file.display().to_string();
        let refused = flags(&[flag, &file])
            .options(Asker::Server)
            .expect_err("no use");
        let cause = std::error::Error::source(&refused).expect("a cause");
        assert_eq!(
            format!("{refused}: {cause}").replace(&file, "FILE"),
            expected
        );
    }

    #[rstest]
    #[case::of_podman_and_docker(
        &[("XDG_RUNTIME_DIR", "/run/me"), ("HOME", "/me")],
        &["/run/me/containers/auth.json", "/me/.config/containers/auth.json", "/me/.docker/config.json"]
    )]
    #[case::of_docker_elsewhere(&[("DOCKER_CONFIG", "/d"), ("HOME", "")], &["/d/config.json"])]
    #[case::of_nobody(&[], &[])]
    fn default_login_files_depend_on_environment_variables(
        #[case] variables: &[(&str, &str)],
        #[case] expected: &[&str],
    ) {
        let of = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(usual_files(of), expected);
    }
}
