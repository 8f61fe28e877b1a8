//! The pages for visitors who are not logged in and for rejected requests.

use crate::frame::bare;
use crate::gate::Refused;
use crate::markup::{Element, Href};

/// Renders the login page, which asks for a token of the cluster. `again` describes the problem
/// with the previous token.
pub fn login(again: Option<&str>) -> String {
    let wrong = again.map(|why| {
        Element::new("p")
            .class("unseen")
            .attr("role", "alert")
            .with(why)
    });
    let form = Element::new("form")
        .attr("method", "post")
        .action(Href::to("/log-in"))
        .with(
            Element::new("p").with(
                Element::new("label")
                    .attr("for", "bearer")
                    .with("Token of the cluster"),
            ),
        )
        .with(
            Element::new("p").with(
                Element::new("input")
                    .attr("type", "password")
                    .attr("id", "bearer")
                    .attr("name", "bearer")
                    .attr("autocomplete", "off")
                    .attr("required", ""),
            ),
        )
        .with(
            Element::new("p").with(
                Element::new("label")
                    .attr("for", "namespace")
                    .with("Namespace, if the token cannot read the whole cluster"),
            ),
        )
        .with(
            Element::new("p").with(
                Element::new("input")
                    .attr("id", "namespace")
                    .attr("name", "namespace")
                    .attr("autocomplete", "off"),
            ),
        )
        .with(Element::new("p").with(Element::new("button").class("main").with("Log in")));
    let hint = Element::new("p").class("note").with(
        "The console has no permissions of its own: it shows what the token can read. To create a \
         token for a ServiceAccount, run `kubectl create token NAME`.",
    );
    bare("Log in", vec![wrong, Some(form), Some(hint)])
}

/// Renders the reason why a request is rejected.
pub fn refused(why: Refused) -> String {
    bare("Not here", Element::new("p").with(why.to_string()))
}
