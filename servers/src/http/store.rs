//! `/images/{name}`: images that clients leave here, fetch again and delete.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use super::problem::Problem;
use super::{Site, body};
use crate::store::{Name, NoName, Stored};

/// Keeps an image of which the header is right: 201, or 204 where it takes the place of another.
pub(super) async fn put(request: HttpRequest, payload: web::Payload, site: web::Data<Site>) -> HttpResponse {
    answer(async {
        let name = name(&request)?;
        let file = body::image(&request, payload, site.shared.max_body).await?;
        let format = codecs::read_header(&file, site.shared.max_pixels)?.format;
        let replaced = site.shared.store.put(name, format, &file)?;
        Ok(if replaced { HttpResponse::NoContent().finish() } else { HttpResponse::Created().finish() })
    })
    .await
}

/// The same bytes as came.
pub(super) async fn get(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    answer(async {
        let Stored { format, file } = find(&site, &name(&request)?)?;
        Ok(HttpResponse::Ok().content_type(format.mime()).body(file))
    })
    .await
}

/// 204; a request under way keeps what it works with.
pub(super) async fn delete(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    answer(async {
        let name = name(&request)?;
        if site.shared.store.delete(&name) { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
    })
    .await
}

/// The name in a path.
pub(super) fn name(request: &HttpRequest) -> Result<Name, NoName> {
    Name::new(request.match_info().query("name"))
}

/// The image of that name.
pub(super) fn find(site: &Site, name: &Name) -> Result<Stored, Problem> {
    site.shared.store.get(name).ok_or_else(unknown)
}

fn unknown() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no image of that name")
}

async fn answer(answer: impl Future<Output = Result<HttpResponse, Problem>>) -> HttpResponse {
    answer.await.unwrap_or_else(|problem| problem.response())
}
