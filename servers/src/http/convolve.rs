//! Images that are convolved: sent along, or stored here before.
//!
//! What can be known to be wrong without decoding is answered by the event loop; decoding, convolving and encoding are
//! the executor's.

use actix_web::{HttpRequest, HttpResponse, web};

use super::compute::{counted, execute};
use super::{Site, body, store};
use crate::parameters::Parameters;
use crate::work::{ConvolveFile, Work};

/// `POST /convolve`
pub(super) async fn sent(request: HttpRequest, payload: web::Payload, site: web::Data<Site>) -> HttpResponse {
    let answer = async {
        let parameters = Parameters::parse(request.query_string())?;
        let file = body::image(&request, payload, site.shared.max_body).await?;
        let work = ConvolveFile::new(file, parameters, site.shared.max_pixels)?;
        execute(&site, Work::File(work)).await
    };
    counted(&site, answer).await
}

/// `POST /images/{name}/convolve`
pub(super) async fn stored(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    let answer = async {
        let name = store::name(&request)?;
        let parameters = Parameters::parse(request.query_string())?;
        let file = store::find(&site, &name)?.file;
        let work = ConvolveFile::new(file, parameters, site.shared.max_pixels)?;
        execute(&site, Work::File(work)).await
    };
    counted(&site, answer).await
}
