//! Pages for those who are not let in.

use crate::frame::bare;
use crate::gate::Refused;
use crate::markup::{Element, Href};

/// Asks for a token of the cluster. `again` says what was wrong with the last one.
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
                    .with("Namespace, if the token may not see the whole cluster"),
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
        "The console has no rights of its own: it shows what the token may see. \
         A ServiceAccount has one by `kubectl create token NAME`.",
    );
    bare("Log in", vec![wrong, Some(form), Some(hint)])
}

/// The page that says why a request is not answered.
pub fn refused(why: Refused) -> String {
    bare("Not here", Element::new("p").with(why.to_string()))
}
