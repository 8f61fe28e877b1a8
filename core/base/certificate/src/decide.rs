//! Decides the next steps for one certificate.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::decision::{Decision, Injection, Note, Reason, SecretStep};
use crate::lifetimes::Lifetimes;
use crate::name::{CertificateName, dns_names};
use crate::observation::{Authority, Observation, Secret, Stored, Validity};
use crate::subject::Subject;

#[cfg(test)]
mod tests;

/// The time after which a Secret that Portolan did not create is checked again. Such Secrets are
/// not watched.
const BLOCKED: SignedDuration = SignedDuration::from_mins(10);
/// The maximum number of writes of a `caBundle` in an hour, if another client reverts them.
const TRIES: usize = 3;
/// The maximum number of writes of a Secret in an hour, if another client reverts them. Each new
/// Service also causes a write, but fewer Services than this are added in an hour.
const SECRET_TRIES: usize = 20;
const CONTESTED: SignedDuration = SignedDuration::from_hours(1);

// === impl Validity ===

impl Validity {
    /// Returns a validity that starts shortly before the current time.
    fn starting(observed: &Observation, lasts: SignedDuration) -> Self {
        let Observation { lifetimes, now, .. } = observed;
        Self {
            from: before(*now, lifetimes.backdated),
            until: after(*now, lasts),
        }
    }

    fn is_at(&self, now: Timestamp) -> bool {
        self.from <= now && now < self.until
    }

    fn renewal(&self) -> Timestamp {
        let third = self.until.duration_since(self.from) / 3;
        before(self.until, third)
    }

    /// Returns the reason why the validity does not include the current time.
    fn describe_invalidity(&self, now: Timestamp) -> String {
        if now < self.from {
            format!("is valid only from {}", self.from)
        } else {
            format!("has expired on {}", self.until)
        }
    }
}

// === impl Stored ===

impl Stored {
    /// Returns true if every `caBundle` already contains the certificates of all authorities.
    fn is_trusted(&self, observed: &Observation) -> bool {
        let subjects = observed.subjects.iter();
        let mut sites = subjects.flat_map(|subject| subject.sites_in(&observed.name.namespace));
        sites.all(|site| site.ca_bundle == self.ca_bundle)
    }
}

/// Decides the next steps for a certificate.
pub fn decide(observed: &Observation) -> Decision {
    let names = names(observed);
    let mut decision = Decision {
        notes: misplaced(observed),
        ..Decision::default()
    };
    if names.is_empty() {
        return decision;
    }
    match &observed.secret {
        Secret::Absent => write(observed, first(observed, names), &mut decision),
        Secret::Foreign => {
            decision.notes.push(not_ours(&observed.name));
            decision.next = Some(after(observed.now, BLOCKED));
        }
        Secret::Made(stored) => match step(observed, stored, names) {
            Some(step) => write(observed, step, &mut decision),
            None => inject(observed, stored, &mut decision),
        },
    }
    decision
}

/// Adds a write of the Secret. If there were too many writes in the last hour, adds a note instead.
fn write(observed: &Observation, step: SecretStep, decision: &mut Decision) {
    let written = observed.secret_written.iter();
    let Some(again) = given_way(written, SECRET_TRIES, observed.now) else {
        decision.secret = Some(step);
        return;
    };
    decision.next = Some(again);
    decision.notes.push(Note {
        reason: Reason::SecretContested,
        message: format!(
            "Secret {} was written {SECRET_TRIES} times in an hour, and something changes it each \
             time; it is left alone until {again}",
            observed.name
        ),
    });
}

/// Returns the time at which an object may be written again, if it was written too often in the
/// last hour. Returns None if it may be written now.
fn given_way<'a>(
    written: impl Iterator<Item = &'a Timestamp>,
    tries: usize,
    now: Timestamp,
) -> Option<Timestamp> {
    let recent: Vec<_> = written
        .map(|at| after(*at, CONTESTED))
        .filter(|over| *over > now)
        .collect();
    let last = recent.iter().max().copied();
    last.filter(|_| recent.len() >= tries)
}

/// Returns the DNS names for the certificate: the names of the Services that request it, and of the
/// Services that the objects call.
fn names(observed: &Observation) -> BTreeSet<String> {
    let namespace = &observed.name.namespace;
    let sites = observed.subjects.iter();
    let sites = sites.flat_map(|subject| subject.sites_in(namespace));
    let called = sites.map(|site| &site.service.name);
    called
        .chain(&observed.services)
        .flat_map(|service| dns_names(service, namespace))
        .collect()
}

/// Returns notes about objects that cannot use the certificate, because their Service is missing or
/// in another namespace. A Pod can mount only Secrets of its own namespace.
fn misplaced(observed: &Observation) -> Vec<Note> {
    let CertificateName { namespace, secret } = &observed.name;
    let mut notes = Vec::new();
    for subject in &observed.subjects {
        let object = format!("{} {}", subject.kind.as_str(), subject.name);
        if subject.sites.is_empty() {
            notes.push(Note {
                reason: Reason::NoService,
                message: format!(
                    "{object} names the certificate {namespace}/{secret}, and calls no Service \
                     whose certificate is looked at; remove the annotation"
                ),
            });
        }
        let services = subject.sites.iter().map(|site| &site.service);
        let elsewhere: BTreeSet<_> = services
            .filter(|service| service.namespace != *namespace)
            .collect();
        notes.extend(elsewhere.into_iter().map(|service| Note {
            reason: Reason::ServiceElsewhere,
            message: format!(
                "{object} names the certificate {namespace}/{secret} and calls Service {} of \
                 namespace {}; name a Secret of that namespace, as Pods can mount no other",
                service.name, service.namespace
            ),
        }));
    }
    notes
}

fn not_ours(name: &CertificateName) -> Note {
    Note {
        reason: Reason::SecretNotOurs,
        message: format!(
            "Secret {name} is there and was not made by Portolan, so it does not change, and no \
             caBundle is written; delete it, or name another Secret"
        ),
    }
}

fn first(observed: &Observation, names: BTreeSet<String>) -> SecretStep {
    let sentence = format!("Secret {} has a new certificate", observed.name);
    anew(observed, names, Reason::CertificateMade, sentence, vec![])
}

/// Returns the step that creates a new authority and a new leaf.
fn anew(
    observed: &Observation,
    names: BTreeSet<String>,
    reason: Reason,
    message: String,
    kept: Vec<usize>,
) -> SecretStep {
    let Lifetimes {
        leaf, authority, ..
    } = observed.lifetimes;
    SecretStep {
        kept,
        authority: Some(Validity::starting(observed, authority)),
        leaf: Some((names, Validity::starting(observed, leaf))),
        note: Note { reason, message },
    }
}

/// Returns the next step for a Secret that Portolan created. Returns None if the Secret is correct.
fn step(observed: &Observation, stored: &Stored, names: BTreeSet<String>) -> Option<SecretStep> {
    let (name, now) = (&observed.name, observed.now);
    let replaced = |message, kept| {
        let reason = Reason::AuthorityReplaced;
        Some(anew(observed, names.clone(), reason, message, kept))
    };
    let authorities = match &stored.authorities {
        Ok(authorities) => authorities,
        Err(why) => {
            let message = format!("Secret {name} has a new authority and certificate, as {why}");
            return replaced(message, vec![]);
        }
    };
    let all = authorities.iter().enumerate();
    let kept = all.filter(|(_, authority)| now < authority.validity.until);
    let kept: Vec<_> = kept.map(|(place, _)| place).collect();
    let last = authorities.last()?.validity;
    if !last.is_at(now) {
        let why = last.describe_invalidity(now);
        let message = format!("Secret {name} has a new authority, as the one before {why}");
        return replaced(message, kept);
    }
    if !stored.can_sign {
        return Some(beside(observed, stored, names, kept));
    }
    if let Some(why) = renewed(observed, stored, &names) {
        let mut validity = Validity::starting(observed, observed.lifetimes.leaf);
        validity.until = validity.until.min(last.until);
        let message = format!("Secret {name} has a new certificate, as the one before {why}");
        let reason = Reason::CertificateRenewed;
        return Some(SecretStep {
            kept,
            authority: None,
            leaf: Some((names, validity)),
            note: Note { reason, message },
        });
    }
    if before(last.until, observed.lifetimes.successor) <= now {
        let message = format!(
            "Secret {name} has another authority, which signs once every caBundle has it, as the \
             one before ends on {}",
            last.until
        );
        let reason = Reason::AuthorityAdded;
        return Some(SecretStep {
            kept,
            authority: Some(Validity::starting(observed, observed.lifetimes.authority)),
            leaf: None,
            note: Note { reason, message },
        });
    }
    (kept.len() < authorities.len()).then(|| {
        let message = format!("Secret {name} has no longer an authority that has expired");
        let reason = Reason::AuthorityRemoved;
        SecretStep {
            kept,
            authority: None,
            leaf: None,
            note: Note { reason, message },
        }
    })
}

/// Returns the step that adds an authority, because the key of the current authority is missing.
/// Keeps the current leaf if it can be used.
fn beside(
    observed: &Observation,
    stored: &Stored,
    names: BTreeSet<String>,
    kept: Vec<usize>,
) -> SecretStep {
    let leaf = stored.leaf.as_ref();
    let is_good =
        leaf.is_ok_and(|leaf| leaf.authority.is_some() && leaf.validity.is_at(observed.now));
    let message = format!(
        "Secret {} has an authority of its own beside that of OLM",
        observed.name
    );
    let step = anew(observed, names, Reason::AuthorityAdded, message, kept);
    SecretStep {
        leaf: step.leaf.filter(|_| !is_good),
        ..step
    }
}

/// Returns the reason why a new leaf is needed now. Returns None if the current leaf is good.
fn renewed(observed: &Observation, stored: &Stored, names: &BTreeSet<String>) -> Option<String> {
    let now = observed.now;
    let leaf = match &stored.leaf {
        Ok(leaf) => leaf,
        Err(why) => return Some(format!("cannot be used: {why}")),
    };
    if !leaf.validity.is_at(now) {
        return Some(leaf.validity.describe_invalidity(now));
    }
    let Some(authority) = leaf.authority else {
        return Some("is signed by no authority of the Secret".to_owned());
    };
    let authorities = stored.authorities.as_deref().unwrap_or_default();
    let is_of_last = authority + 1 == authorities.len();
    if !is_of_last && !stored.is_trusted(observed) {
        // Not every object trusts the last authority yet, so it cannot sign. The current leaf is
        // still valid.
        return None;
    }
    // OLM omits the long DNS name of a Service. API servers do not use the long name, so a leaf
    // without it is good.
    let is_wanted = |name: &&String| is_of_last || !name.ends_with(".svc.cluster.local");
    if let Some(missing) = names.difference(&leaf.names).find(is_wanted) {
        return Some(format!("is not for {missing}"));
    }
    if leaf.validity.renewal() <= now {
        return Some(format!("ends on {}", leaf.validity.until));
    }
    let last = authorities.last();
    let announced = last.map(|last| announced(last, observed.lifetimes));
    let is_announced = announced.is_some_and(|announced| announced <= now);
    (!is_of_last && is_announced)
        .then(|| "is signed by an authority that ends before its successor".to_owned())
}

/// Returns the time from which the last authority may sign.
fn announced(authority: &Authority, lifetimes: Lifetimes) -> Timestamp {
    let made = after(authority.validity.from, lifetimes.backdated);
    after(made, lifetimes.announced)
}

/// Adds the objects whose `caBundle` must be written, and the time of the next change.
fn inject(observed: &Observation, stored: &Stored, decision: &mut Decision) {
    let now = observed.now;
    decision.next = upcoming(stored, observed);
    for (place, subject) in observed.subjects.iter().enumerate() {
        let mut sites = subject.sites_in(&observed.name.namespace);
        if sites.all(|site| site.ca_bundle == stored.ca_bundle) {
            continue;
        }
        let written = observed.written.get(&(subject.kind, subject.name.clone()));
        let written = written.into_iter().flatten();
        if let Some(again) = given_way(written, TRIES, now) {
            decision.notes.push(contested(subject, again));
            decision.next = decision.next.into_iter().chain([again]).min();
            continue;
        }
        decision.injections.push(Injection {
            subject: place,
            ca_bundle: stored.ca_bundle.clone(),
        });
    }
}

fn contested(subject: &Subject, again: Timestamp) -> Note {
    let object = format!("{} {}", subject.kind.as_str(), subject.name);
    Note {
        reason: Reason::CaBundleContested,
        message: format!(
            "caBundle of {object} was written {TRIES} times in an hour, and somebody changes it \
             back; it is left alone until {again}; leave caBundle out of the manifest that is \
             applied"
        ),
    }
}

/// Returns the time at which a correct Secret must change next.
fn upcoming(stored: &Stored, observed: &Observation) -> Option<Timestamp> {
    let Observation { lifetimes, now, .. } = observed;
    let authorities = stored.authorities.as_deref().unwrap_or_default();
    let last = authorities.last()?;
    let leaf = stored.leaf.as_ref().ok()?;
    let is_of_last = leaf.authority == Some(authorities.len() - 1);
    let signs = (!is_of_last).then(|| announced(last, *lifetimes));
    let ends = authorities.iter().map(|authority| authority.validity.until);
    let succeeds = before(last.validity.until, lifetimes.successor);
    let all = [leaf.validity.renewal(), succeeds].into_iter();
    // A time in the past needs no check: an expired authority already waits for a `caBundle`.
    let all = all.chain(signs).chain(ends);
    all.filter(|time| time > now).min()
}

fn after(time: Timestamp, span: SignedDuration) -> Timestamp {
    time.checked_add(span).unwrap_or(Timestamp::MAX)
}

fn before(time: Timestamp, span: SignedDuration) -> Timestamp {
    time.checked_sub(span).unwrap_or(Timestamp::MIN)
}
