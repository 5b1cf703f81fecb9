//! Whom an https load trusts.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, ensure};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// Which certificates are accepted.
#[derive(Debug, Clone)]
pub(super) enum Trust {
    /// What the system trusts.
    System,
    /// That, and the certificates of a PEM file.
    SystemAnd(PathBuf),
    /// Any.
    Anybody,
}

impl Trust {
    /// How TLS is spoken.
    pub(super) fn config(&self) -> anyhow::Result<ClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .context("TLS")?
            .dangerous();
        let builder = match self {
            Self::Anybody => builder.with_custom_certificate_verifier(Arc::new(Anybody(provider))),
            Self::System => {
                let verifier = Verifier::new(provider)
                    .context("https: the system has no certificates that could be trusted; --cacert FILE names some")?;
                builder.with_custom_certificate_verifier(Arc::new(verifier))
            }
            Self::SystemAnd(file) => {
                let verifier = Verifier::new_with_extra_roots(certificates(file)?, provider)
                    .with_context(|| format!("--cacert {}", file.display()))?;
                builder.with_custom_certificate_verifier(Arc::new(verifier))
            }
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

fn certificates(file: &PathBuf) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let named = || format!("--cacert {}", file.display());
    let certificates = CertificateDer::pem_file_iter(file).with_context(named)?.collect::<Result<Vec<_>, _>>();
    let certificates = certificates.with_context(named)?;
    ensure!(!certificates.is_empty(), "--cacert {}: holds no certificate in PEM form", file.display());
    Ok(certificates)
}

/// Accepts any certificate; that its owner speaks is still checked.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
