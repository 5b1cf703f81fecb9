//! What a reader should know before believing the numbers.

use std::collections::BTreeSet;

use crate::analysis::warnings::{Grouped, grouped};

use super::markup::{Html, html};
use super::page::{Page, details};

/// Each kind of warning once: what it means, what to do, and where. Nothing where there are none.
pub(super) fn section(page: &Page) -> Html {
    let groups = grouped(page.results);
    if groups.is_empty() {
        return Html::default();
    }
    let warnings: Html = groups.iter().map(warning).collect();
    html!(
        "<section id=\"cautions\">\n<h2>Before you believe it</h2>\n<ul class=\"warnings\">\n{}</ul>\n</section>\n",
        warnings
    )
}

fn warning(Grouped { worst, count, places }: &Grouped) -> Html {
    let hint = match worst.kind.hint() {
        "" => Html::default(),
        hint => html!("<p class=\"note\">What to do: {}.</p>\n", hint),
    };
    let all = match count {
        _ if places.is_empty() => Html::default(),
        1 => html!("<p class=\"note\">{}</p>\n", places.iter().map(place).collect::<Html>()),
        _ => {
            let list: Html = places.iter().map(|each| html!("<li>{}</li>\n", place(each))).collect();
            details(&format!("The worst of {count}"), &html!("<ul class=\"note\">\n{}</ul>\n", list))
        }
    };
    html!("<li>{}\n{}{}</li>\n", worst.text, hint, all)
}

/// A server, and the levels that it is about.
fn place((line, clients): &(String, BTreeSet<u32>)) -> Html {
    let levels: Vec<String> = clients.iter().map(u32::to_string).collect();
    match levels[..] {
        [] => html!("<bdi>{}</bdi>", line),
        _ => html!("<bdi>{}</bdi>, at {}", line, format!("{} clients", levels.join(", "))),
    }
}
