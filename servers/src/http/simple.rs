//! What is answered at once, by the event loop itself.

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};

use super::Site;

pub(super) async fn healthz() -> HttpResponse {
    text("ok".into())
}

pub(super) async fn hello() -> HttpResponse {
    text("hello".into())
}

pub(super) async fn metrics(site: web::Data<Site>) -> HttpResponse {
    let text = site.shared.metrics.render();
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text)
}

pub(super) fn text(text: String) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body(text)
}
