use std::collections::BTreeMap;

use rstest::rstest;

use super::*;
use crate::lifetimes::days;
use crate::observation::Leaf;
use crate::subject::{Service, Site, SubjectKind};

const BUNDLE: &str = "YnVuZGxl";

fn time(text: &str) -> Timestamp {
    format!("{text}T00:00:00Z").parse().expect("a time")
}

fn span(from: &str, until: &str) -> Validity {
    Validity {
        from: time(from),
        until: time(until),
    }
}

fn site(service: &str, ca_bundle: &str) -> Site {
    let (namespace, name) = service.split_once('/').expect("a Service");
    Site {
        webhook: Some("a.ferry.test".to_owned()),
        service: Service {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        },
        ca_bundle: ca_bundle.to_owned(),
    }
}

fn subject(sites: Vec<Site>) -> Subject {
    Subject {
        kind: SubjectKind::ValidatingWebhookConfiguration,
        name: "ferry".to_owned(),
        uid: "u".to_owned(),
        version: "1".to_owned(),
        sites,
    }
}

fn observed(secret: Secret, sites: Vec<Site>) -> Observation {
    Observation {
        name: CertificateName {
            namespace: "harbor".to_owned(),
            secret: "ferry-cert".to_owned(),
        },
        subjects: vec![subject(sites)],
        services: BTreeSet::new(),
        secret,
        written: BTreeMap::new(),
        secret_written: vec![],
        lifetimes: Lifetimes::default(),
        now: time("2027-06-01"),
    }
}

fn all_names() -> BTreeSet<String> {
    dns_names("ferry", "harbor").into()
}

/// Returns a Secret that needs no change on 2027-06-01.
fn well() -> Stored {
    Stored {
        leaf: Ok(Leaf {
            names: all_names(),
            validity: span("2027-05-01", "2028-05-01"),
            authority: Some(0),
        }),
        authorities: Ok(vec![Authority {
            validity: span("2027-05-01", "2032-05-01"),
        }]),
        can_sign: true,
        ca_bundle: BUNDLE.to_owned(),
    }
}

fn in_use(stored: Stored) -> Observation {
    observed(Secret::Made(stored), vec![site("harbor/ferry", BUNDLE)])
}

fn leaf(names: &[&str], validity: Validity, authority: Option<usize>) -> Stored {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    Stored {
        leaf: Ok(Leaf {
            names,
            validity,
            authority,
        }),
        ..well()
    }
}

fn authorities(all: &[Validity], signs: usize) -> Stored {
    let authorities = all.iter().map(|&validity| Authority { validity });
    Stored {
        authorities: Ok(authorities.collect()),
        leaf: well().leaf.map(|leaf| Leaf {
            authority: Some(signs),
            ..leaf
        }),
        ..well()
    }
}

const NAMES: [&str; 3] = [
    "ferry.harbor",
    "ferry.harbor.svc",
    "ferry.harbor.svc.cluster.local",
];

#[test]
fn creates_missing_certificate() {
    let decision = decide(&observed(Secret::Absent, vec![site("harbor/ferry", "")]));
    let from = "2027-05-31T23:00:00Z".parse().expect("a time");
    let until = |date| Validity {
        from,
        until: time(date),
    };
    let expected = SecretStep {
        kept: vec![],
        authority: Some(until("2032-05-30")),
        leaf: Some((all_names(), until("2028-05-31"))),
        note: Note {
            reason: Reason::CertificateMade,
            message: "Secret harbor/ferry-cert has a new certificate".to_owned(),
        },
    };
    assert_eq!(decision.secret, Some(expected));
    assert_eq!((decision.injections, decision.notes), (vec![], vec![]));
}

/// Returns an observation without objects. Only a Service requests the certificate.
fn of_service(secret: Secret) -> Observation {
    Observation {
        subjects: vec![],
        services: ["ferry".to_owned()].into(),
        ..observed(secret, vec![])
    }
}

#[test]
fn certificate_is_created_for_a_service_before_any_webhook_exists() {
    let decision = decide(&of_service(Secret::Absent));
    let names = decision.secret.and_then(|step| step.leaf);
    assert_eq!(names.map(|(names, _)| names), Some(all_names()));
    assert_eq!(decision.notes, []);
}

#[test]
fn new_webhook_for_a_service_with_a_certificate_keeps_the_certificate() {
    let alone = decide(&of_service(Secret::Made(well())));
    assert_eq!((alone.secret, alone.injections), (None, vec![]));
    let both = Observation {
        subjects: vec![subject(vec![site("harbor/ferry", "")])],
        ..of_service(Secret::Made(well()))
    };
    let decision = decide(&both);
    assert_eq!(decision.secret, None);
    assert_eq!(decision.injections.len(), 1);
}

#[test]
fn secret_of_another_owner_is_not_changed_for_a_service() {
    let decision = decide(&of_service(Secret::Foreign));
    assert_eq!(decision.secret, None);
    let reasons: Vec<_> = decision.notes.iter().map(|note| note.reason).collect();
    assert_eq!(reasons, [Reason::SecretNotOurs]);
}

#[test]
fn certificate_is_renewed_when_a_third_of_its_lifetime_is_left() {
    let expected = Decision {
        next: Some(time("2027-12-31")),
        ..Decision::default()
    };
    assert_eq!(decide(&in_use(well())), expected);
}

#[test]
fn writes_missing_ca_bundle() {
    let decision = decide(&observed(
        Secret::Made(well()),
        vec![site("harbor/ferry", "b2xk")],
    ));
    let injection = Injection {
        subject: 0,
        ca_bundle: BUNDLE.to_owned(),
    };
    assert_eq!(decision.injections, [injection]);
    assert_eq!(decision.secret, None);
}

#[test]
fn never_writes_secret_of_another_owner() {
    let decision = decide(&observed(Secret::Foreign, vec![site("harbor/ferry", "")]));
    let message = "Secret harbor/ferry-cert is there and was not made by Portolan, so it does not \
     change, and no caBundle is written; delete it, or name another Secret";
    let expected = Decision {
        notes: vec![Note {
            reason: Reason::SecretNotOurs,
            message: message.to_owned(),
        }],
        next: Some(time("2027-06-01") + SignedDuration::from_mins(10)),
        ..Decision::default()
    };
    assert_eq!(decision, expected);
}

#[rstest]
#[case::that_expired(
    leaf(&NAMES, span("2026-05-01", "2027-05-01"), Some(0)),
    "has expired on 2027-05-01T00:00:00Z"
)]
#[case::of_a_clock_that_went_back(
    leaf(&NAMES, span("2027-07-01", "2028-07-01"), Some(0)),
    "is valid only from 2027-07-01T00:00:00Z"
)]
#[case::with_a_third_of_its_time_left(
    leaf(&NAMES, span("2026-09-01", "2027-09-01"), Some(0)),
    "ends on 2027-09-01T00:00:00Z"
)]
#[case::that_lacks_a_name(
    leaf(&NAMES[..2], span("2027-05-01", "2028-05-01"), Some(0)),
    "is not for ferry.harbor.svc.cluster.local"
)]
#[case::of_an_unknown_authority(
    leaf(&NAMES, span("2027-05-01", "2028-05-01"), None),
    "is signed by no authority of the Secret"
)]
#[case::that_cannot_be_read(
    Stored { leaf: Err("tls.crt has no certificate".to_owned()), ..well() },
    "cannot be used: tls.crt has no certificate"
)]
#[case::of_an_authority_with_a_successor(
    authorities(&[span("2023-05-01", "2028-06-01"), span("2027-05-30", "2032-05-01")], 0),
    "is signed by an authority that ends before its successor"
)]
fn leaf_that_needs_renewal_is_replaced_by_the_same_authority(
    #[case] stored: Stored,
    #[case] why: &str,
) {
    let count = stored.authorities.as_ref().map_or(0, Vec::len);
    let decision = decide(&in_use(stored));
    let step = decision.secret.expect("a step");
    let message =
        format!("Secret harbor/ferry-cert has a new certificate, as the one before {why}");
    assert_eq!(step.note.message, message);
    assert_eq!(step.kept, (0..count).collect::<Vec<_>>());
    assert_eq!(step.authority, None);
    let (names, validity) = step.leaf.expect("a leaf");
    assert_eq!((names, validity.until), (all_names(), time("2028-05-31")));
}

#[rstest]
#[case::an_authority_that_expired(
    authorities(&[span("2022-05-01", "2027-05-01")], 0),
    vec![],
    "a new authority, as the one before has expired on 2027-05-01T00:00:00Z"
)]
#[case::newer_of_two_authorities(
    authorities(&[span("2024-05-01", "2029-05-01"), span("2022-05-01", "2027-05-01")], 0),
    vec![0],
    "a new authority, as the one before has expired on 2027-05-01T00:00:00Z"
)]
#[case::an_unreadable_secret(
    Stored { authorities: Err("ca.key is no key".to_owned()), ..well() },
    vec![],
    "a new authority and certificate, as ca.key is no key"
)]
fn recreates_invalid_authority_and_leaf(
    #[case] stored: Stored,
    #[case] kept: Vec<usize>,
    #[case] why: &str,
) {
    let step = decide(&in_use(stored)).secret.expect("a step");
    let message = format!("Secret harbor/ferry-cert has {why}");
    assert_eq!((step.note.message, step.kept), (message, kept));
    assert!(step.authority.is_some() && step.leaf.is_some());
}

#[test]
fn authority_gets_a_successor_before_a_leaf_can_outlive_it() {
    let stored = authorities(&[span("2023-05-01", "2028-06-01")], 0);
    let step = decide(&in_use(stored)).secret.expect("a step");
    assert_eq!(step.note.reason, Reason::AuthorityAdded);
    assert_eq!((step.kept, step.leaf), (vec![0], None));
    let validity = step.authority.expect("an authority");
    assert_eq!(validity.until, time("2032-05-30"));
}

/// Objects still trust the authority that OLM created, in addition to the new authority of
/// Portolan. The leaf of OLM remains in use.
#[test]
fn authority_that_cannot_sign_gets_a_second_authority() {
    let of_olm = Stored {
        can_sign: false,
        ..leaf(&NAMES[..2], span("2027-05-01", "2029-05-01"), Some(0))
    };
    let step = decide(&in_use(of_olm)).secret.expect("a step");
    assert_eq!(step.note.reason, Reason::AuthorityAdded);
    assert_eq!((step.kept, step.leaf), (vec![0], None));
    assert!(step.authority.is_some());

    let both = authorities(
        &[
            span("2027-05-01", "2029-05-01"),
            span("2027-06-01", "2032-06-01"),
        ],
        0,
    );
    let stored = Stored {
        leaf: both.leaf.map(|it| Leaf {
            names: NAMES[..2].iter().map(|&name| name.to_owned()).collect(),
            ..it
        }),
        ..both
    };
    assert_eq!(decide(&in_use(stored)).secret, None);
}

#[test]
fn leaf_and_authority_that_cannot_sign_are_replaced() {
    let of_olm = Stored {
        can_sign: false,
        ..leaf(&NAMES, span("2025-05-01", "2027-05-01"), Some(0))
    };
    let step = decide(&in_use(of_olm)).secret.expect("a step");
    assert!(step.authority.is_some() && step.leaf.is_some());
}

/// The old leaf is trusted with the old and with the new `caBundle`, so it remains in use at first.
#[test]
fn successor_signs_only_after_it_is_trusted() {
    let both = [
        span("2023-05-01", "2028-06-01"),
        span("2027-05-30", "2032-05-01"),
    ];
    let mut observed = in_use(authorities(&both, 0));
    observed.subjects[0].sites[0].ca_bundle = "b2xk".to_owned();
    let decision = decide(&observed);
    assert_eq!((decision.secret, decision.injections.len()), (None, 1));
}

#[test]
fn expired_authority_that_signs_nothing_is_removed() {
    let both = [
        span("2022-05-01", "2027-05-01"),
        span("2027-03-01", "2032-03-01"),
    ];
    let step = decide(&in_use(authorities(&both, 1)))
        .secret
        .expect("a step");
    assert_eq!(step.note.reason, Reason::AuthorityRemoved);
    assert_eq!(
        (step.kept, step.authority, step.leaf),
        (vec![1], None, None)
    );
}

#[test]
fn reports_and_ignores_services_of_other_namespaces() {
    let sites = vec![site("other/ferry", "")];
    let decision = decide(&observed(Secret::Absent, sites));
    let message = "ValidatingWebhookConfiguration ferry names the certificate harbor/ferry-cert and \
                   calls Service ferry of namespace other; name a Secret of that namespace, as \
                   Pods can mount no other";
    let expected = Decision {
        notes: vec![Note {
            reason: Reason::ServiceElsewhere,
            message: message.to_owned(),
        }],
        ..Decision::default()
    };
    assert_eq!(decision, expected);
}

#[test]
fn object_without_a_service_is_reported() {
    let decision = decide(&observed(Secret::Absent, vec![]));
    let message = "ValidatingWebhookConfiguration ferry names the certificate harbor/ferry-cert, \
                   and calls no Service whose certificate is looked at; remove the annotation";
    let messages: Vec<_> = decision.notes.iter().map(|note| &*note.message).collect();
    assert_eq!((messages, decision.secret), (vec![message], None));
}

#[rstest]
#[case::twice(&[10, 5], 1, None)]
#[case::three_times(&[30, 10, 5], 0, Some(55))]
#[case::three_times_and_long_ago(&[90, 80, 70], 1, None)]
fn stops_writing_ca_bundle_after_repeated_reverts(
    #[case] minutes: &[i64],
    #[case] injections: usize,
    #[case] next: Option<i64>,
) {
    let mut observed = observed(Secret::Made(well()), vec![site("harbor/ferry", "Cg==")]);
    let now = observed.now;
    let ago = |minutes| before(now, SignedDuration::from_mins(minutes));
    let key = (
        SubjectKind::ValidatingWebhookConfiguration,
        "ferry".to_owned(),
    );
    let written = minutes.iter().map(|&minutes| ago(minutes)).collect();
    observed.written.insert(key, written);
    let decision = decide(&observed);
    assert_eq!(decision.injections.len(), injections);
    if let Some(next) = next {
        let next = after(now, SignedDuration::from_mins(next));
        assert_eq!(decision.next, Some(next));
        assert_eq!(decision.notes[0].reason, Reason::CaBundleContested);
    } else {
        assert_eq!(decision.notes, []);
    }
}

/// Another client may remove a key from the Secret after each write.
#[rstest]
#[case::twenty_times(20, Some(60))]
#[case::nineteen_times(19, None)]
fn stops_writing_secret_after_twenty_writes(#[case] times: usize, #[case] next: Option<i64>) {
    let mut observed = observed(Secret::Absent, vec![site("harbor/ferry", "")]);
    observed.secret_written = vec![observed.now; times];
    let decision = decide(&observed);
    let later = |minutes| after(observed.now, SignedDuration::from_mins(minutes));
    assert_eq!(decision.next, next.map(later));
    assert_eq!(decision.secret.is_none(), next.is_some());
    let reasons: Vec<_> = decision.notes.iter().map(|note| note.reason).collect();
    let expected = next.map(|_| Reason::SecretContested);
    assert_eq!(reasons, Vec::from_iter(expected));
}

/// A simulation of the certificates and objects over many years.
struct Years {
    observed: Observation,
    authorities: Vec<(u32, Authority)>,
    leaf: Option<(u32, Leaf)>,
    /// The leaves that a Pod may still serve.
    served: Vec<(u32, Validity)>,
    /// For each authority, the time since which every `caBundle` contains it.
    trusted: BTreeMap<u32, Timestamp>,
    made: u32,
}

impl Years {
    fn bundle(&self) -> String {
        let all = self.authorities.iter().map(|(id, _)| id.to_string());
        all.collect::<Vec<_>>().join(" ")
    }

    /// Makes a decision and executes it. Returns the time of the next check, which is immediate
    /// after a change.
    fn check(&mut self) -> Option<Timestamp> {
        let now = self.observed.now;
        if let Some((signer, leaf)) = &self.leaf {
            let place = self.authorities.iter().position(|(id, _)| id == signer);
            let all = self.authorities.iter().map(|(_, authority)| *authority);
            self.observed.secret = Secret::Made(Stored {
                leaf: Ok(Leaf {
                    authority: place,
                    ..leaf.clone()
                }),
                authorities: Ok(all.collect()),
                can_sign: true,
                ca_bundle: self.bundle(),
            });
        }
        let decision = decide(&self.observed);
        assert_eq!(decision.notes, []);
        if let Some(step) = decision.secret {
            self.carry_out(step);
            return Some(now);
        }
        if let Some(injection) = decision.injections.into_iter().next() {
            self.observed.subjects[injection.subject].sites[0].ca_bundle = injection.ca_bundle;
            for (id, _) in &self.authorities {
                self.trusted.entry(*id).or_insert(now);
            }
            return Some(now);
        }
        decision.next
    }

    fn carry_out(&mut self, step: SecretStep) {
        let now = self.observed.now;
        let kept = step.kept.iter().map(|&place| self.authorities[place]);
        self.authorities = kept.collect();
        if let Some(validity) = step.authority {
            self.made += 1;
            self.authorities.push((self.made, Authority { validity }));
        }
        let Some((names, validity)) = step.leaf else {
            return;
        };
        let (id, authority) = *self.authorities.last().expect("an authority");
        assert!(validity.until <= authority.validity.until, "{validity:?}");
        if self.leaf.is_some() {
            let since = self.trusted[&id];
            let is_long = since <= before(now, SignedDuration::from_mins(59));
            assert!(is_long, "{id} signs at {now}, and is trusted since {since}");
        }
        self.served.push((id, validity));
        let leaf = Leaf {
            names,
            validity,
            authority: None,
        };
        self.leaf = Some((id, leaf));
    }

    /// Returns true if the `caBundle` contains the authority of each valid leaf that a Pod may
    /// still serve.
    fn is_trusted(&self) -> bool {
        let bundle = &self.observed.subjects[0].sites[0].ca_bundle;
        let ids: BTreeSet<_> = bundle.split(' ').map(str::to_owned).collect();
        let mut lasting = self.served.iter();
        lasting.all(|(id, validity)| {
            !validity.is_at(self.observed.now) || ids.contains(&id.to_string())
        })
    }
}

/// A valid leaf that a Pod serves is always trusted, even if the controller was not running for
/// weeks.
#[rstest]
#[case::in_time(0)]
#[case::weeks_late(40)]
fn certificates_are_trusted_for_thirty_years(#[case] late: i64) {
    let mut years = Years {
        observed: observed(Secret::Absent, vec![site("harbor/ferry", "")]),
        authorities: vec![],
        leaf: None,
        served: vec![],
        trusted: BTreeMap::new(),
        made: 0,
    };
    let end = time("2057-06-01");
    let mut checks = 0;
    while years.observed.now < end {
        checks += 1;
        assert!(checks < 1000, "the controller must come to rest");
        let now = years.observed.now;
        let next = years.check().expect("the time of the next check");
        if next > now {
            assert!(years.is_trusted(), "{now}");
            years.observed.now = after(next, days(late));
            assert!(years.is_trusted(), "{next}");
        }
    }
    assert_eq!(years.made, 8);
}
