//! Checks in the audit log that no plan in a test deletes an object of another owner.
//!
//! ```text
//! audit log --- the last creation of an object as a ServiceAccount: a plan created it
//!           --- a deletion as a ServiceAccount: an error, unless a plan created the object, or the test
//!               allows plans to delete objects of others
//! ```
//!
//! Only the controller of plans impersonates ServiceAccounts, so such a request is a request of a
//! plan. An object belongs to another owner if it existed before the plan, or if another user
//! created it again. Later writes do not change the owner.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use crate::audit::{Audit, Record, whole_lines};
use crate::failure::Failure;

const ACCOUNTS: &str = "system:serviceaccount:";
const CREATED: u16 = 201;

/// The objects in the audit log so far, with their owners.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// The number of bytes of the log that were already read.
    read: u64,
    /// The created objects. The value is true if a plan created the object, and no other user
    /// created it again later.
    made: BTreeMap<Object, bool>,
    /// The namespaces whose plans may delete objects of other owners.
    allowed: BTreeSet<String>,
}

/// An object by its resource, its namespace and its name.
type Object = (String, String, String);

// === impl Taken ===

impl Taken {
    /// Permits plans in this namespace to delete objects of other owners, if the plans request
    /// this.
    pub(crate) fn allow(&mut self, namespace: &str) {
        self.allowed.insert(namespace.to_owned());
    }

    /// Returns one sentence for each object of another owner that a plan has deleted since the last
    /// check.
    /// # Errors
    /// The audit log cannot be read.
    pub(crate) fn look(&mut self, log: &Path) -> Result<Vec<String>, Failure> {
        let bytes = match whole_lines(log, self.read) {
            // The log does not exist until the API server has responded to a request.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(Failure::touch("read the audit log"))?,
        };
        self.read += bytes.len() as u64;
        self.judge(&String::from_utf8_lossy(&bytes))
    }

    fn judge(&mut self, log: &str) -> Result<Vec<String>, Failure> {
        // Parses only relevant lines, because most lines are irrelevant and parsing them would take
        // long.
        let of_interest = log.lines().filter(|line| {
            line.contains("\"code\":201")
                || line.contains("\"verb\":\"delete\"") && line.contains("\"impersonatedUser\"")
        });
        let mut some = String::new();
        for line in of_interest {
            some.push_str(line);
            some.push('\n');
        }
        let mut findings = Vec::new();
        for record in Audit::parse(&some)?.records() {
            findings.extend(self.one(record));
        }
        Ok(findings)
    }

    fn one(&mut self, record: &Record) -> Option<String> {
        let Record {
            acting_as,
            verb,
            resource,
            namespace,
            name,
            ..
        } = record;
        if !record.is_kept() || resource.contains('/') {
            return None;
        }
        let object = (resource.clone(), namespace.clone(), name.clone());
        let account = acting_as.strip_prefix(ACCOUNTS);
        if record.code == CREATED {
            self.made.insert(object, account.is_some());
            return None;
        }
        let (of, _) = account?.split_once(':')?;
        let is_fine = self.made.get(&object) == Some(&true) || self.allowed.contains(of);
        (verb == "delete" && !is_fine)
            .then(|| format!("{acting_as} has deleted {resource} {namespace}/{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(verb: &str, name: &str, code: u16, account: Option<&str>) -> String {
        let account = account.map(|account| {
            format!("\"impersonatedUser\":{{\"username\":\"{ACCOUNTS}{account}:installer\"}},")
        });
        format!(
            "{{\"stage\":\"ResponseComplete\",\"verb\":\"{verb}\",\"user\":{{\"username\":\"x\"}},{}\
             \"objectRef\":{{\"resource\":\"configmaps\",\"namespace\":\"n\",\"name\":\"{name}\"}},\
             \"responseStatus\":{{\"code\":{code}}}}}\n",
            account.unwrap_or_default()
        )
    }

    #[test]
    fn plan_may_delete_only_objects_created_by_plans() -> Result<(), Failure> {
        let ours = Some("story");
        let mut taken = Taken::default();
        let made = [
            line("patch", "ours", 201, ours),
            line("create", "theirs", 201, None),
            // Another user has deleted the object and created it again.
            line("patch", "again", 201, ours),
            line("create", "again", 201, None),
            // A plan adopts an object of another owner. This does not make the plan its owner.
            line("patch", "theirs", 200, ours),
        ];
        assert_eq!(taken.judge(&made.concat())?, Vec::<String>::new());
        let deleted = [
            line("delete", "ours", 200, ours),
            line("delete", "theirs", 200, None),
            line("delete", "theirs", 409, ours),
        ];
        assert_eq!(taken.judge(&deleted.concat())?, Vec::<String>::new());
        let wrong = ["theirs", "again", "never"].map(|name| line("delete", name, 200, ours));
        let findings = ["theirs", "again", "never"].map(|name| {
            format!("system:serviceaccount:story:installer has deleted configmaps n/{name}")
        });
        assert_eq!(taken.judge(&wrong.concat())?, findings);
        taken.allow("story");
        assert_eq!(taken.judge(&wrong.concat())?, Vec::<String>::new());
        Ok(())
    }
}
