//! TLS for the subcommands that serve: the certificate and its key, which SIGHUP has read again.

use std::convert::Infallible;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::geteuid;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{Error, ServerConfig};
use tokio::task::spawn_blocking;
use tokio_rustls::TlsAcceptor;

use crate::cli::TlsFiles;
use crate::error::{Failure, Result};
use crate::output;
use crate::signals::Hangups;

/// The first byte of what a TLS client sends.
pub const HANDSHAKE: u8 = 22;
/// The protocol that is spoken over TLS.
const ALPN: &[u8] = b"http/1.1";
/// The largest file of certificates, or of a key.
const MAX_BYTES: u64 = 1024 * 1024;

/// The certificate of a server.
pub struct Tls {
    files: Files,
    config: Mutex<Arc<ServerConfig>>,
    hangups: tokio::sync::Mutex<Hangups>,
}

#[derive(Clone)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Tls {
    /// Reads the files of the arguments. None without them. From now on, SIGHUP does not end the program.
    ///
    /// # Errors
    /// Status 2 if they cannot be used.
    pub fn read(arguments: TlsFiles) -> Result<Option<Tls>> {
        let (Some(certificate), Some(key)) = (arguments.tls_certificate, arguments.tls_key) else {
            return Ok(None);
        };
        let files = Files { certificate, key };
        let config = Mutex::new(Arc::new(files.config()?));
        Ok(Some(Tls { files, config, hangups: tokio::sync::Mutex::new(Hangups::new()?) }))
    }

    /// For a new connection. Those that are there keep the certificate that they began with.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Reads the files again with each SIGHUP. Files that cannot be used change nothing.
    pub async fn reload(&self) -> Infallible {
        let mut hangups = self.hangups.lock().await;
        loop {
            hangups.next().await;
            let files = self.files.clone();
            let read = spawn_blocking(move || files.config()).await;
            match read.unwrap_or_else(|error| Err(Failure::new(error.to_string()))) {
                Ok(config) => {
                    *self.config.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
                    output::error(&format!("the certificate of {} is used from now on", self.files.shown()));
                }
                Err(failure) => {
                    output::error(&format!("error: the certificate stays as it was: {failure}"));
                }
            }
        }
    }
}

impl Files {
    fn config(&self) -> Result<ServerConfig> {
        let (certificate, key) = (self.certificate.display(), self.key.display());
        let not_loaded = |why: String| {
            Failure::usage(format!("could not load server certificate file \"{certificate}\": {why}"))
        };
        let pem = contents(&self.certificate, |_| Ok(()), not_loaded)?;
        let chain = CertificateDer::pem_slice_iter(&pem)
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|error| not_loaded(error.to_string()))?;
        if chain.is_empty() {
            return Err(not_loaded("it has no certificate".to_string()).hint(
                "Give a file in PEM with the certificate of the server, then intermediate certificates.",
            ));
        }
        let not_loaded =
            |why: String| Failure::usage(format!("could not load private key file \"{key}\": {why}"));
        let pem = contents(
            &self.key,
            |metadata| check_access(&self.key, geteuid().as_raw(), metadata.uid(), metadata.mode()),
            not_loaded,
        )?;
        let private_key = PrivateKeyDer::from_pem_slice(&pem).map_err(|_| {
            not_loaded("it has no private key that can be read".to_string())
                .hint("Give a file in PEM with a key that has no passphrase.")
        })?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::new(format!("TLS cannot be used: {error}")))?
            .with_no_client_auth()
            .with_single_cert(chain, private_key);
        let mut config = config.map_err(|error| match error {
            Error::InconsistentKeys(_) => Failure::usage(format!(
                "check of private key failed: \"{key}\" is not the key of the first certificate of \"{certificate}\""
            ))
            .hint("The certificate of the server comes first in its file, before intermediate certificates."),
            error => Failure::usage(format!("could not use \"{certificate}\" with \"{key}\": {error}")),
        })?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(config)
    }

    fn shown(&self) -> String {
        crate::error::shown(&format!("\"{}\"", self.certificate.display()))
    }
}

/// The contents of a file whose owner and mode are good.
fn contents(
    path: &Path,
    check: impl FnOnce(&Metadata) -> Result<()>,
    not_loaded: impl Fn(String) -> Failure,
) -> Result<Vec<u8>> {
    let failed = |error: io::Error| not_loaded(error.to_string());
    // Opening a pipe would wait for its writer.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(not_loaded("it is not a regular file".to_string()));
    }
    let mut file = File::open(path).map_err(failed)?;
    check(&file.metadata().map_err(failed)?)?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(not_loaded(format!("it is larger than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

/// Checks who may read a key, as PostgreSQL does with ssl_key_file.
fn check_access(path: &Path, own: u32, owner: u32, mode: u32) -> Result<()> {
    let path = path.display();
    if owner != own && owner != 0 {
        return Err(Failure::usage(format!(
            "private key file \"{path}\" must be owned by the user that runs kb-rag or root"
        )));
    }
    // Of root, its group may read it.
    let forbidden = if owner == own { 0o077 } else { 0o037 };
    let good = if owner == own { "600" } else { "640" };
    if mode & forbidden == 0 {
        return Ok(());
    }
    Err(Failure {
        detail: Some(
            "File must have permissions u=rw (0600) or less if owned by the user that runs kb-rag, or permissions u=rw,g=r \
             (0640) or less if owned by root."
                .to_string(),
        ),
        ..Failure::usage(format!("private key file \"{path}\" has group or world access"))
    }
    .hint(format!("Run chmod {good} \"{path}\".")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    /// A certificate and its key in PEM.
    fn pair() -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec!["localhost".to_string()]).unwrap().self_signed(&key);
        (certificate.unwrap().pem(), key.serialize_pem())
    }

    fn written(directory: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = directory.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn files_that_cannot_be_used_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, mode| written(directory.path(), name, text, mode);
        let ((certificate, own), (_, other)) = (pair(), pair());
        let locked = own.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        let good = write("good.crt", &certificate, 0o644);
        let key = write("good.key", &own, 0o600);
        let both = write("both.pem", &format!("{own}{certificate}"), 0o400);
        let chain = write("chain.crt", &format!("{certificate}{}", pair().0), 0o644);
        for (certificate, key) in [(&good, &key), (&both, &both), (&chain, &key)] {
            let files = Files { certificate: certificate.clone(), key: key.clone() };
            assert_eq!(files.config().unwrap().alpn_protocols, [ALPN]);
        }
        let missing = directory.path().join("missing");
        for (certificate, key, said) in [
            (&missing, &key, "could not load server certificate file"),
            (&directory.path().to_path_buf(), &key, "not a regular file"),
            (&write("empty.crt", "", 0o644), &key, "it has no certificate"),
            (&key, &key, "it has no certificate"),
            (&write("large.crt", &"x".repeat(2 << 20), 0o644), &key, "it is larger than"),
            (&good, &missing, "could not load private key file"),
            (&good, &good, "has group or world access"),
            (&good, &write("group.key", &own, 0o640), "has group or world access"),
            (&good, &write("others.key", &own, 0o604), "has group or world access"),
            (&good, &write("none.key", &certificate, 0o600), "it has no private key that can be read"),
            (&good, &write("locked.key", &locked, 0o600), "it has no private key that can be read"),
            (&good, &write("other.key", &other, 0o600), "check of private key failed"),
            (
                &write("swapped.crt", &format!("{}{certificate}", pair().0), 0o644),
                &key,
                "check of private key failed",
            ),
        ] {
            let files = Files { certificate: certificate.clone(), key: key.clone() };
            let failure = files.config().err().unwrap();
            assert!(failure.message.contains(said), "{said}: {failure}");
            assert_eq!(failure.status, crate::error::USAGE);
        }
    }

    /// As PostgreSQL's ssl_key_file.
    #[test]
    fn a_key_is_for_its_owner_alone() {
        for (own, owner, mode, said) in [
            (1000, 1000, 0o100600, None),
            (1000, 1000, 0o100400, None),
            (1000, 1000, 0o100640, Some("has group or world access")),
            (1000, 1000, 0o100604, Some("has group or world access")),
            (1000, 0, 0o100640, None),
            (1000, 0, 0o100660, Some("has group or world access")),
            (1000, 0, 0o100644, Some("has group or world access")),
            (1000, 1001, 0o100600, Some("must be owned by the user that runs kb-rag or root")),
            (0, 0, 0o100600, None),
            (0, 0, 0o100640, Some("has group or world access")),
            (0, 1000, 0o100600, Some("must be owned by the user that runs kb-rag or root")),
        ] {
            let failure = check_access(Path::new("k"), own, owner, mode).err();
            let hint = failure.as_ref().and_then(|failure| failure.hint.as_deref()).unwrap_or_default();
            assert_eq!(hint.contains("chmod 640"), own != owner && owner == 0 && said.is_some());
            let is_expected = match (&failure, said) {
                (None, None) => true,
                (Some(failure), Some(said)) => failure.message.contains(said),
                _ => false,
            };
            assert!(is_expected, "{own} {owner} {mode:o}: {failure:?}");
        }
    }
}
