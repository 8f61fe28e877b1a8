use portolan_core_certificate::{Note, Reason};
use rstest::rstest;

use super::*;

const FROM: &str = "2027-01-01T00:00:00Z";

fn until(text: &str) -> Validity {
    Validity {
        from: FROM.parse().expect("a time"),
        until: text.parse().expect("a time"),
    }
}

fn names() -> BTreeSet<String> {
    ["ferry.harbor.svc", "ferry.harbor"]
        .map(str::to_owned)
        .into()
}

fn step(kept: &[usize], authority: Option<Validity>, leaf: Option<Validity>) -> SecretStep {
    SecretStep {
        kept: kept.to_vec(),
        authority,
        leaf: leaf.map(|validity| (names(), validity)),
        note: Note {
            reason: Reason::CertificateMade,
            message: String::new(),
        },
    }
}

fn made() -> Content {
    let (authority, leaf) = (until("2032-01-01T00:00:00Z"), until("2028-01-01T00:00:00Z"));
    let made = Content::default().after(&step(&[], Some(authority), Some(leaf)));
    made.expect("a certificate")
}

fn leaf(until_text: &str, authority: Option<usize>) -> Leaf {
    Leaf {
        names: names(),
        validity: until(until_text),
        authority,
    }
}

#[test]
fn created_certificates_are_parsed_with_the_requested_values() {
    let made = made();
    let stored = Content::of(&made.data()).stored();
    let expected = Stored {
        leaf: Ok(leaf("2028-01-01T00:00:00Z", Some(0))),
        authorities: Ok(vec![Authority {
            validity: until("2032-01-01T00:00:00Z"),
        }]),
        can_sign: true,
        ca_bundle: made.data()["ca.crt"].as_str().expect("a bundle").to_owned(),
    };
    assert_eq!(stored, expected);
}

#[test]
fn renewed_leaf_certificate_has_the_same_authority() {
    let made = made();
    let renewed = until("2029-01-01T00:00:00Z");
    let renewed = made
        .after(&step(&[0], None, Some(renewed)))
        .expect("a leaf");
    let expected = Content {
        certificate: renewed.certificate.clone(),
        key: renewed.key.clone(),
        ..made.clone()
    };
    assert_eq!(renewed, expected);
    assert_ne!(renewed.key, made.key);
    let stored = renewed.stored();
    assert_eq!(stored.leaf, Ok(leaf("2029-01-01T00:00:00Z", Some(0))));
}

#[test]
fn successor_authority_is_added_and_signs_later() {
    let last = until("2037-01-01T00:00:00Z");
    let both = made().after(&step(&[0], Some(last), None)).expect("both");
    let stored = both.stored();
    assert_eq!(stored.leaf, Ok(leaf("2028-01-01T00:00:00Z", Some(0))));
    let authorities = stored.authorities.expect("authorities");
    let authorities: Vec<_> = authorities.iter().map(|each| each.validity.until).collect();
    let first = until("2032-01-01T00:00:00Z").until;
    assert_eq!(authorities, [first, last.until]);

    let validity = until("2029-01-01T00:00:00Z");
    let signed = both.after(&step(&[0, 1], None, Some(validity)));
    let signed = signed.expect("a leaf").stored();
    assert_eq!(signed.leaf, Ok(leaf("2029-01-01T00:00:00Z", Some(1))));

    let alone = both.after(&step(&[1], None, Some(validity))).expect("one");
    assert_eq!(alone.stored().authorities.map(|all| all.len()), Ok(1));
    assert!(both.authorities.ends_with(&alone.authorities));
}

fn without(change: impl FnOnce(&mut Content)) -> Content {
    let mut content = made();
    change(&mut content);
    content
}

#[rstest]
#[case::no_certificate(without(|it| it.certificate.clear()), "tls.crt has no certificate")]
#[case::no_key(without(|it| it.key.clear()), "tls.key is not the key of tls.crt")]
#[case::the_key_of_another(
    without(|it| it.key = made().key), "tls.key is not the key of tls.crt"
)]
fn invalid_leaf_is_rejected(#[case] content: Content, #[case] why: &str) {
    assert_eq!(content.stored().leaf, Err(why.to_owned()));
}

#[test]
fn expiry_is_read_without_private_key() {
    let until = "2028-01-01T00:00:00Z".parse().expect("a time");
    assert_eq!(valid_until(&made().certificate), Ok(until));
    let missing = Err("tls.crt has no certificate".to_owned());
    assert_eq!(valid_until("ca.crt"), missing);
}

#[rstest]
#[case::no_certificate(without(|it| it.authorities.clear()), "ca.crt has no certificate")]
#[case::the_key_of_another(
    without(|it| it.authority_key = made().authority_key),
    "ca.key is not the key of the last certificate of ca.crt"
)]
#[case::garbage(
    without(|it| it.authorities = it.authorities.replacen("MII", "AAA", 1)),
    "ca.crt has a certificate that cannot be read: "
)]
fn reports_why_authorities_cannot_sign(#[case] content: Content, #[case] why: &str) {
    let reported = content.stored().authorities.expect_err("a reason");
    assert!(reported.starts_with(why), "{reported}");
}

#[test]
fn leaf_of_another_authority_has_no_signer() {
    let content = without(|it| {
        let other = made();
        (it.authorities, it.authority_key) = (other.authorities, other.authority_key);
    });
    let stored = content.stored();
    assert_eq!(stored.leaf, Ok(leaf("2028-01-01T00:00:00Z", None)));
}

/// OLM stores the certificate of its authority in the Secret. OLM does not store the key of this
/// authority.
#[test]
fn authority_of_olm_is_trusted_but_cannot_sign() {
    let of_olm = made();
    let mut data = of_olm.data();
    let fields = data.as_object_mut().expect("fields");
    let authority = fields.remove("ca.crt").expect("an authority");
    fields.remove("ca.key");
    fields.insert("olmCAKey".to_owned(), authority);
    let left = Content::of(&data);
    let stored = left.stored();
    assert!(!stored.can_sign);
    assert_eq!(stored.leaf, Ok(leaf("2028-01-01T00:00:00Z", Some(0))));
    assert_eq!(stored.authorities.map(|all| all.len()), Ok(1));

    let own = until("2037-01-01T00:00:00Z");
    let both = left.after(&step(&[0], Some(own), None)).expect("both");
    let stored = Content::of(&both.data()).stored();
    assert!(stored.can_sign);
    assert_eq!(stored.leaf, Ok(leaf("2028-01-01T00:00:00Z", Some(0))));
    assert!(both.authorities.starts_with(&of_olm.authorities));
    let signed = both.after(&step(&[0, 1], None, Some(until("2029-01-01T00:00:00Z"))));
    let signed = signed.expect("a leaf").stored();
    assert_eq!(signed.leaf, Ok(leaf("2029-01-01T00:00:00Z", Some(1))));
}

#[test]
fn invalid_certificate_secret_is_empty() {
    let data = json!({"tls.crt": "%", "tls.key": 1, "ca.crt": "/w=="});
    assert_eq!(Content::of(&data), Content::default());
}

#[test]
fn keys_are_not_printed() {
    let printed = format!("{:?}", made());
    assert!(!printed.contains("PRIVATE"), "{printed}");
}
