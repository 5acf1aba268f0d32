"""A keystore on disk, in the layout that rcl and `ros2 security` read: keys, certificates, XML.

Whoever has `private/` can admit anybody; a participant needs the folder of its enclave alone, so
each of these holds copies and no link.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs7,
)
from cryptography.x509.oid import NameOID

from workspace.secure.documents import Validity, governance, permissions
from workspace.secure.policy import Rights

IDENTITY, PERMISSIONS = "identity", "permissions"
_SECRET, _PUBLIC = 0o600, 0o644
_SKEW = timedelta(days=1)
"""Documents hold from yesterday: no clock, and no reading as local time, is as wrong as that."""


class KeystoreError(Exception):
    """One line for the user."""


@dataclass(frozen=True)
class Authority:
    """A certificate authority."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        """Its certificate."""
        return self.certificate.public_bytes(Encoding.PEM)


def validity_of(days: int) -> Validity:
    """From yesterday on."""
    now = datetime.now(timezone.utc).replace(microsecond=0)
    return Validity(now - _SKEW, now + timedelta(days=days))


def create(
    folder: Path, enclaves: dict[str, Rights], domains: Sequence[int], validity: Validity
) -> None:
    """Write a new keystore with these enclaves; a folder that holds anything is refused."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KeystoreError(f"{folder}: exists; must be a new or an empty folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all; a temporary folder is its owner's alone, and stays so.
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as made:
        store = Path(made) / "store"
        store.mkdir(mode=0o700)
        (store / "private").mkdir(mode=0o700)
        for kind in (IDENTITY, PERMISSIONS):
            _write_authority(store, kind, validity)
        rules = governance(domains)
        _write(store / "enclaves/governance.xml", rules.encode(), _PUBLIC)
        _write(store / "enclaves/governance.p7s", signed(rules, load(store, PERMISSIONS)), _PUBLIC)
        for name, rights in enclaves.items():
            add(store, name, rights, domains, validity)
        store.rename(folder)


def add(
    store: Path, enclave: str, rights: Rights, domains: Sequence[int], validity: Validity
) -> None:
    """Write one more enclave; `enclave` begins with a slash. One that is there is refused."""
    identity, judge = load(store, IDENTITY), load(store, PERMISSIONS)
    folder = store / "enclaves" / enclave.removeprefix("/")
    if folder.exists():
        raise KeystoreError(f"{folder}: the enclave exists; remove it first to make it anew")
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(enclave, key, identity, validity)
    text = permissions(enclave, rights, domains, validity)
    files = {
        "cert.pem": certificate.public_bytes(Encoding.PEM),
        "identity_ca.cert.pem": identity.pem,
        "permissions_ca.cert.pem": judge.pem,
        "governance.p7s": (store / "enclaves/governance.p7s").read_bytes(),
        "permissions.xml": text.encode(),
        "permissions.p7s": signed(text, judge),
    }
    _write(folder / "key.pem", _pem(key), _SECRET)
    for name, content in files.items():
        _write(folder / name, content, _PUBLIC)


def load(store: Path, kind: str) -> Authority:
    """One of a keystore's two authorities."""
    try:
        certificate = (store / f"public/{kind}_ca.cert.pem").read_bytes()
        key = load_pem_private_key((store / f"private/{kind}_ca.key.pem").read_bytes(), None)
        found = x509.load_pem_x509_certificate(certificate)
    except (OSError, ValueError, TypeError) as error:
        raise KeystoreError(f"{store}: is no keystore of `./ws secure`: {error}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise KeystoreError(f"{store}: the key of {kind} must be of an elliptic curve")
    return Authority(found, key)


def _write_authority(store: Path, kind: str, validity: Validity) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(f"vdsim {kind} CA", key, None, validity)
    _write(store / f"private/{kind}_ca.key.pem", _pem(key), _SECRET)
    _write(store / f"public/{kind}_ca.cert.pem", certificate.public_bytes(Encoding.PEM), _PUBLIC)


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: Authority | None, validity: Validity
) -> x509.Certificate:
    """Of an enclave, or of an authority when nobody issues it."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    constraints = x509.BasicConstraints(ca=issuer is None, path_length=None if issuer else 1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(validity.begin)
        .not_valid_after(validity.end)
        .add_extension(constraints, critical=True)
        .sign(issuer.key if issuer else key, hashes.SHA256())
    )


def signed(text: str, authority: Authority) -> bytes:
    """S/MIME with a detached signature, as DDS Security wants it."""
    builder = pkcs7.PKCS7SignatureBuilder().set_data(text.encode())
    builder = builder.add_signer(authority.certificate, authority.key, hashes.SHA256())
    options = [pkcs7.PKCS7Options.Text, pkcs7.PKCS7Options.DetachedSignature]
    return builder.sign(Encoding.SMIME, options)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a new file, which at no moment has another mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
