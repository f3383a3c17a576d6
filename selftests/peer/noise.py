# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""The part of the Noise Protocol Framework that mptun uses.

SymmetricState and HandshakeState as in revision 34 of the specification, for
the pattern NNpsk0 with X25519, ChaCha20-Poly1305 and BLAKE2s. Also XChaCha20
and Poly1305 with it, which is not Noise: COOKIEs are sealed so.
"""

import hashlib
import hmac
import os
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

NAME = b"Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s"
HASH_LEN = 32
KEY_LEN = 32
TAG_LEN = 16


class NoiseError(Exception):
    """A message that does not fit: tag, length or public key."""


def blake2s(data):
    """HASH() of the suite."""
    return hashlib.blake2s(data).digest()


def mac(key, data, size=HASH_LEN):
    """Keyed BLAKE2s with an output of size bytes."""
    return hashlib.blake2s(data, key=key, digest_size=size).digest()


def hkdf(chaining, material, count):
    """HKDF() of Noise: count outputs of 32 bytes."""
    secret = hmac.new(chaining, material, hashlib.blake2s).digest()
    outputs = []
    last = b""
    for n in range(1, count + 1):
        last = hmac.new(secret, last + bytes([n]), hashlib.blake2s).digest()
        outputs.append(last)
    return outputs


def public_key(private):
    """The X25519 public key of a private one."""
    key = x25519.X25519PrivateKey.from_private_bytes(private).public_key()
    return key.public_bytes(serialization.Encoding.Raw,
                            serialization.PublicFormat.Raw)


def exchange(private, public):
    """The shared secret; a public key of low order is refused."""
    key = x25519.X25519PrivateKey.from_private_bytes(private)
    try:
        return key.exchange(x25519.X25519PublicKey.from_public_bytes(public))
    except ValueError as err:
        raise NoiseError("public key of low order") from err


def nonce_of(number):
    """Four zero bytes and the number, least byte first."""
    return bytes(4) + struct.pack("<Q", number)


def aead_seal(key, number, associated, plain):
    """ENCRYPT() of the suite."""
    return ChaCha20Poly1305(key).encrypt(nonce_of(number), plain, associated)


def aead_open(key, number, associated, sealed):
    """DECRYPT() of the suite, or NoiseError."""
    try:
        return ChaCha20Poly1305(key).decrypt(nonce_of(number), sealed,
                                             associated)
    except InvalidTag as err:
        raise NoiseError("wrong tag") from err


class SymmetricState:
    """Chaining key, hash and, once there is one, the key of the cipher."""

    def __init__(self, name=NAME):
        if len(name) <= HASH_LEN:
            self.hash = name.ljust(HASH_LEN, b"\0")
        else:
            self.hash = blake2s(name)
        self.chaining = self.hash
        self.key = None
        self.number = 0

    def mix_key(self, material):
        """A secret, or a public key in a handshake with a PSK."""
        self.chaining, self.key = hkdf(self.chaining, material, 2)
        self.number = 0

    def mix_hash(self, data):
        """Mix data into the hash that both sides must share."""
        self.hash = blake2s(self.hash + data)

    def mix_key_and_hash(self, material):
        """A pre-shared key."""
        self.chaining, data, self.key = hkdf(self.chaining, material, 3)
        self.mix_hash(data)
        self.number = 0

    def encrypt_and_hash(self, plain):
        """Seals once there is a key."""
        sealed = plain
        if self.key is not None:
            sealed = aead_seal(self.key, self.number, self.hash, plain)
            self.number += 1
        self.mix_hash(sealed)
        return sealed

    def decrypt_and_hash(self, sealed):
        """Opens, or raises NoiseError and changes nothing."""
        plain = sealed
        if self.key is not None:
            plain = aead_open(self.key, self.number, self.hash, sealed)
            self.number += 1
        self.mix_hash(sealed)
        return plain

    def split(self):
        """Keys from initiator to responder and back."""
        return tuple(hkdf(self.chaining, b"", 2))


class HandshakeState:
    """One side of NNpsk0: -> psk, e and <- e, ee."""

    PATTERNS = (("psk", "e"), ("e", "ee"))

    def __init__(self, initiator, psk, prologue, ephemeral=None):
        self.symmetric = SymmetricState()
        self.symmetric.mix_hash(prologue)
        self.initiator = initiator
        self.psk = psk
        self.ephemeral = ephemeral or os.urandom(KEY_LEN)
        self.remote = None
        self.turn = 0

    def _shared(self):
        self.symmetric.mix_key(exchange(self.ephemeral, self.remote))

    def _begin(self, writing):
        if self.turn >= len(self.PATTERNS):
            raise NoiseError("the handshake is over")
        if writing != (self.initiator == (self.turn == 0)):
            raise NoiseError("it is the other side's turn")
        tokens = self.PATTERNS[self.turn]
        self.turn += 1
        return tokens

    def write_message(self, payload):
        """The next message, as (public ephemeral key, sealed payload)."""
        state = self.symmetric
        public = b""
        for token in self._begin(True):
            if token == "psk":
                state.mix_key_and_hash(self.psk)
            elif token == "e":
                public = public_key(self.ephemeral)
                state.mix_hash(public)
                state.mix_key(public)
            else:
                self._shared()
        return public, state.encrypt_and_hash(payload)

    def read_message(self, public, sealed):
        """The payload of the other side's message."""
        state = self.symmetric
        for token in self._begin(False):
            if token == "psk":
                state.mix_key_and_hash(self.psk)
            elif token == "e":
                self.remote = public
                state.mix_hash(public)
                state.mix_key(public)
            else:
                self._shared()
        return state.decrypt_and_hash(sealed)

    def split(self):
        """Keys from initiator to responder and back, after both messages."""
        if self.turn != len(self.PATTERNS):
            raise NoiseError("the handshake is not over")
        return self.symmetric.split()


# --- XChaCha20-Poly1305, draft-irtf-cfrg-xchacha-03

def _rotate(value, bits):
    return (value << bits | value >> (32 - bits)) & 0xffffffff


def _quarter(words, a, b, c, d):
    for one, other, third, bits in ((a, b, d, 16), (c, d, b, 12),
                                    (a, b, d, 8), (c, d, b, 7)):
        words[one] = (words[one] + words[other]) & 0xffffffff
        words[third] = _rotate(words[third] ^ words[one], bits)


def hchacha20(key, nonce):
    """A key of 32 bytes from a key and a nonce of 16 bytes."""
    words = list(struct.unpack("<4I", b"expand 32-byte k"))
    words += struct.unpack("<8I", key)
    words += struct.unpack("<4I", nonce)
    for _ in range(10):
        for column in range(4):
            _quarter(words, column, 4 + column, 8 + column, 12 + column)
        for n in range(4):
            _quarter(words, n, 4 + (n + 1) % 4, 8 + (n + 2) % 4,
                     12 + (n + 3) % 4)
    return struct.pack("<8I", *words[:4], *words[12:])


def xchacha_seal(key, nonce, associated, plain):
    """XChaCha20-Poly1305 with a nonce of 24 bytes."""
    cipher = ChaCha20Poly1305(hchacha20(key, nonce[:16]))
    return cipher.encrypt(bytes(4) + nonce[16:], plain, associated)


def xchacha_open(key, nonce, associated, sealed):
    """The opposite, or NoiseError."""
    cipher = ChaCha20Poly1305(hchacha20(key, nonce[:16]))
    try:
        return cipher.decrypt(bytes(4) + nonce[16:], sealed, associated)
    except InvalidTag as err:
        raise NoiseError("wrong tag") from err
