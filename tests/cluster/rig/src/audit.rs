//! Reads the audit log: the requests to the API server, and the users that sent them.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

/// A request to which the API server has responded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The authenticated user of the request: [`crate::ADMIN`], `olm`, `catalog`, ...
    pub user: String,
    /// The user that the request impersonates. Empty if the request impersonates no user.
    pub acting_as: String,
    pub user_agent: String,
    /// The verb of the request: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or
    /// `deletecollection`.
    pub verb: String,
    /// The resource, such as `subscriptions`, or the resource with its subresource, such as
    /// `subscriptions/status`. Empty for a path without a resource, such as `/version`.
    pub resource: String,
    pub namespace: String,
    pub name: String,
    pub code: u16,
    /// True if the request was a dry run.
    pub is_dry_run: bool,
}

/// The requests so far, and filters for them: `audit.by("olm").writes().of("subscriptions")`.
///
/// The API server writes a record only after it has sent the response, so a test may read the log
/// too early. Use [`crate::until`] to wait for a record. The log does not contain Leases and Events
/// of the control plane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    records: Vec<Record>,
}

impl Record {
    /// Returns true if the request succeeded and its result was stored.
    pub fn is_kept(&self) -> bool {
        (200..300).contains(&self.code) && !self.is_dry_run
    }
}

/// The records of an audit log that were already read. Keeps the position in the log, so that no
/// record is read twice.
#[derive(Debug, Default)]
pub(crate) struct AuditLog {
    read: u64,
    records: Vec<Record>,
}

impl AuditLog {
    /// Reads the new records, and returns all records.
    pub(crate) fn look(&mut self, log: &Path) -> Result<Audit, Failure> {
        let bytes = whole_lines(log, self.read).map_err(Failure::touch("read the audit log"))?;
        let Audit { records } = Audit::parse(&String::from_utf8_lossy(&bytes))?;
        self.read += bytes.len() as u64;
        self.records.extend(records);
        let records = self.records.clone();
        Ok(Audit { records })
    }
}

/// Returns the lines of a log from byte `at` on. Omits the last line if it is incomplete.
pub(crate) fn whole_lines(log: &Path, at: u64) -> io::Result<Vec<u8>> {
    let mut log = File::open(log)?;
    log.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    log.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(whole.map_or(0, |end| end + 1));
    Ok(bytes)
}

impl Audit {
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        // The API server may still be writing the last line, so only complete lines are parsed.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let records = whole
            .lines()
            .map(serde_json::from_str::<Event>)
            .filter_map(|event| event.map(Event::into_record).transpose())
            .collect::<Result<_, _>>()
            .map_err(Failure::read("the audit log"))?;
        Ok(Self { records })
    }

    /// Keeps only the requests of this user.
    #[must_use]
    pub fn by(self, user: &str) -> Self {
        self.only(|record| record.user == user)
    }

    /// Keeps only the requests of clients whose user agent begins with `beginning`.
    #[must_use]
    pub fn by_agent(self, beginning: &str) -> Self {
        self.only(|record| record.user_agent.starts_with(beginning))
    }

    /// Keeps only the requests for this resource, such as `deployments` or `deployments/status`.
    #[must_use]
    pub fn of(self, resource: &str) -> Self {
        self.only(|record| record.resource == resource)
    }

    /// Keeps only the requests in this namespace.
    #[must_use]
    pub fn within(self, namespace: &str) -> Self {
        self.only(|record| record.namespace == namespace)
    }

    /// Keeps only the requests with this verb.
    #[must_use]
    pub fn verb(self, verb: &str) -> Self {
        self.only(|record| record.verb == verb)
    }

    /// Keeps only the requests that write, including dry runs and failed requests.
    #[must_use]
    pub fn writes(self) -> Self {
        self.only(|record| !matches!(record.verb.as_str(), "get" | "list" | "watch"))
    }

    /// Keeps only the requests for which `keep` returns true.
    #[must_use]
    pub fn only(mut self, keep: impl FnMut(&Record) -> bool) -> Self {
        self.records.retain(keep);
        self
    }

    /// Returns the records, in the order in which the API server responded.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    pub fn first(&self) -> Option<&Record> {
        self.records.first()
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// A line of the audit log, in the format of `audit.k8s.io/v1`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    stage: String,
    verb: String,
    #[serde(default, rename = "requestURI")]
    request_uri: String,
    user: User,
    #[serde(default)]
    impersonated_user: User,
    #[serde(default)]
    user_agent: String,
    #[serde(default)]
    object_ref: ObjectRef,
    #[serde(default)]
    response_status: Status,
}

#[derive(Default, Deserialize)]
struct User {
    #[serde(default)]
    username: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ObjectRef {
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
}

impl Event {
    /// Converts a line of the log to a record. Returns None for the end of a watch, because the log
    /// already contains a line for its start.
    fn into_record(self) -> Option<Record> {
        let is_end_of_watch = self.verb == "watch" && self.stage == "ResponseComplete";
        let ObjectRef {
            resource,
            subresource,
            namespace,
            name,
        } = self.object_ref;
        let resource = match subresource.as_str() {
            "" => resource,
            part => format!("{resource}/{part}"),
        };
        (!is_end_of_watch).then_some(Record {
            user: self.user.username,
            acting_as: self.impersonated_user.username,
            user_agent: self.user_agent,
            verb: self.verb,
            resource,
            namespace,
            name,
            code: self.response_status.code,
            is_dry_run: self.request_uri.contains("dryRun=All"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = concat!(
        r#"{"stage":"ResponseStarted","verb":"watch","user":{"username":"olm"},"#,
        r#""objectRef":{"resource":"subscriptions"},"responseStatus":{"code":200}}"#,
        "\n",
        r#"{"stage":"ResponseComplete","verb":"watch","user":{"username":"olm"},"#,
        r#""objectRef":{"resource":"subscriptions"},"responseStatus":{"code":200}}"#,
        "\n",
        r#"{"stage":"ResponseComplete","verb":"patch","user":{"username":"ann"},"#,
        r#""impersonatedUser":{"username":"eve"},"userAgent":"x/1","#,
        r#""requestURI":"/api/v1/namespaces/n/pods/p/status?dryRun=All&force=true","#,
        r#""objectRef":{"resource":"pods","subresource":"status","namespace":"n","name":"p"},"#,
        r#""responseStatus":{"code":409}}"#,
        "\n",
        r#"{"stage":"Respon"#,
    );

    #[test]
    fn watch_gives_one_record_and_an_incomplete_line_is_skipped() -> Result<(), Failure> {
        let audit = Audit::parse(LOG)?;
        assert_eq!(audit.len(), 2);
        assert_eq!(
            audit.writes().records(),
            [Record {
                user: "ann".into(),
                acting_as: "eve".into(),
                user_agent: "x/1".into(),
                verb: "patch".into(),
                resource: "pods/status".into(),
                namespace: "n".into(),
                name: "p".into(),
                code: 409,
                is_dry_run: true,
            }]
        );
        Ok(())
    }
}
