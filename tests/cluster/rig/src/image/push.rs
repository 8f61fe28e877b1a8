//! Pushes an image to a registry that listens without TLS.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::{Image, KIND};
use crate::failure::Failure;

/// A response of the registry.
struct Answer {
    status: u16,
    location: Option<String>,
}

impl Image {
    /// Pushes the image to `<host>:<port>/<repository>:<tag>`, without TLS. Blobs that the registry
    /// has are not sent again. Returns the reference of the image by its digest.
    /// # Errors
    /// The reference is incomplete, or the registry rejects the image.
    pub fn push(&self, reference: &str) -> Result<String, Failure> {
        let (host, repository, tag) = parts(reference)
            .ok_or_else(|| rejected(reference, "it must be HOST:PORT/REPOSITORY:TAG"))?;
        for (digest, blob) in &self.blobs {
            let path = format!("/v2/{repository}/blobs/{digest}");
            if ask(host, "HEAD", &path, "", &[])?.status != 200 {
                upload(host, repository, digest, blob)?;
            }
        }
        let path = format!("/v2/{repository}/manifests/{tag}");
        let kind = format!("{KIND}.manifest.v1+json");
        expect(ask(host, "PUT", &path, &kind, &self.manifest)?, reference)?;
        Ok(format!("{host}/{repository}@{}", self.digest()))
    }
}

fn parts(reference: &str) -> Option<(&str, &str, &str)> {
    let (host, rest) = reference.split_once('/')?;
    let (repository, tag) = rest.rsplit_once(':')?;
    host.contains(':').then_some((host, repository, tag))
}

fn upload(host: &str, repository: &str, digest: &str, blob: &[u8]) -> Result<(), Failure> {
    let begin = format!("/v2/{repository}/blobs/uploads/");
    let begun = ask(host, "POST", &begin, "", &[])?;
    let place = begun.location.clone().unwrap_or_default();
    expect(begun, &begin)?;
    let own = format!("http://{host}");
    let path = place.strip_prefix(&own).unwrap_or(&place);
    let join = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{join}digest={digest}");
    expect(
        ask(host, "PUT", &path, "application/octet-stream", blob)?,
        digest,
    )
}

fn expect(answer: Answer, what: &str) -> Result<(), Failure> {
    match answer.status {
        200..300 => Ok(()),
        status => Err(rejected(what, &format!("the registry answered {status}"))),
    }
}

fn rejected(what: &str, why: &str) -> Failure {
    Failure::Push {
        what: what.to_owned(),
        why: why.to_owned(),
    }
}

/// One request on a connection of its own.
fn ask(host: &str, method: &str, path: &str, kind: &str, body: &[u8]) -> Result<Answer, Failure> {
    let touch = || Failure::touch(format!("push to {host}"));
    let mut stream = TcpStream::connect(host).map_err(touch())?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).map_err(touch())?;
    stream.write_all(body).map_err(touch())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(touch())?;
    let answer = String::from_utf8_lossy(&answer);
    let mut lines = answer.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let location = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location")
            .then(|| value.trim().to_owned())
    });
    Ok(Answer {
        status: status.unwrap_or_default(),
        location,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_needs_a_port_and_a_tag() {
        let whole = parts("127.0.0.1:5000/ferry/bundle:v1");
        assert_eq!(whole, Some(("127.0.0.1:5000", "ferry/bundle", "v1")));
        assert_eq!(parts("quay.io/ferry:v1"), None);
        assert_eq!(parts("127.0.0.1:5000/ferry"), None);
    }
}
