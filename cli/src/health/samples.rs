//! Sample responses for tests.

use portolan_proto::basis::v1::{ObjectRef, Observed, Reason};
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{Catalog, Fact, Operator, Verdict};

use crate::print::Page;

/// Returns an operator with a Subscription. Its verdict has one reason for each code.
pub(super) fn operator(name: &str, state: State, codes: &[&str]) -> Operator {
    Operator {
        subject: Some(object("Subscription", "harbor", name)),
        package: name.to_owned(),
        csv: format!("{name}.v1.0.0"),
        version: "1.0.0".to_owned(),
        phase: "Succeeded".to_owned(),
        catalog: "olm/shop".to_owned(),
        verdict: Some(verdict(state, codes)),
        ..Operator::default()
    }
}

pub(super) fn catalog(name: &str, state: State, codes: &[&str]) -> Catalog {
    Catalog {
        subject: Some(object("CatalogSource", "olm", name)),
        connection_state: "READY".to_owned(),
        verdict: Some(verdict(state, codes)),
        ..Catalog::default()
    }
}

pub(super) fn fact(state: State, code: &str, below: Vec<Fact>) -> Fact {
    Fact {
        observed: Some(Observed::default()),
        state: state.into(),
        code: code.to_owned(),
        message: format!("It is {code}."),
        facts: below,
        ..Fact::default()
    }
}

fn verdict(state: State, codes: &[&str]) -> Verdict {
    let reasons = codes.iter().map(|code| Reason {
        code: (*code).to_owned(),
        message: format!("It is {code}."),
        object: None,
    });
    Verdict {
        state: state.into(),
        reasons: reasons.collect(),
    }
}

fn object(kind: &str, namespace: &str, name: &str) -> ObjectRef {
    ObjectRef {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

/// Returns a page without colors.
pub(super) fn text(page: Page) -> String {
    anstream::adapter::strip_str(&page.into_text()).to_string()
}
