# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 The mptun authors
"""Keys of mptun: handshakes made and opened, PACKETs sealed and opened.

A tunnel has Keys, or ClearKeys in clear mode; both make and open the same
messages, so that callers need not know which they have.
"""

import base64
import dataclasses
import os
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import (AESGCM,
                                                         ChaCha20Poly1305)

import noise
import wire

PROLOGUE = b"mptun 1"
NO_COOKIE = bytes(wire.COOKIE_LEN)


class SessionError(Exception):
    """A message that does not open; the argument is the drop reason."""


def read_key(text):
    """32 bytes from base64 or from 64 hex digits."""
    text = "".join(text.split())
    try:
        key = (bytes.fromhex(text) if len(text) == 64
               else base64.b64decode(text, validate=True))
    except ValueError as err:
        raise ValueError("not a key") from err
    if len(key) != noise.KEY_LEN or not any(key):
        raise ValueError("not a key")
    return key


@dataclasses.dataclass
class Attempt:
    """An initiator's side between INIT and RESPONSE."""

    hello: wire.Hello
    init: wire.Init
    state: object = None
    source: bytes = NO_COOKIE

    @property
    def index(self):
        """The index that answers name."""
        return self.hello.sender


@dataclasses.dataclass
class Opened:
    """A responder's side: an INIT that was opened."""

    hello: wire.Hello
    init: wire.Init
    state: object = None


class Keys:
    """The key of a tunnel and what is derived from it."""

    def __init__(self, key, cipher=wire.CHACHA20_POLY1305):
        if len(key) != noise.KEY_LEN or not any(key):
            raise ValueError("not a key")
        self.key = key
        self.cipher = cipher
        self.key_id = self.derive(b"mptun 1 key id")[:8]
        self.mac1_key = self.derive(b"mptun 1 mac1")
        self.cookie_key = self.derive(b"mptun 1 cookie")

    def derive(self, label):
        """BLAKE2s of the label under the key."""
        return noise.mac(self.key, label)

    @property
    def fingerprint(self):
        """The key id as people see it."""
        return f"{int.from_bytes(self.key_id, 'big'):#x}"

    def mac1(self, data):
        """The mac1 of a message, which takes the key."""
        return noise.mac(self.mac1_key, data, wire.MAC_LEN)

    @staticmethod
    def mac2(source, data):
        """The mac2 of a message, which takes a COOKIE to this address."""
        return noise.mac(source, data, wire.MAC_LEN)

    def mac2_good(self, source, data):
        """Whether the mac2 of an INIT is valid for a source."""
        return data[wire.Init.MAC2_AT:] == self.mac2(
            source, data[:wire.Init.MAC2_AT])

    def _handshake(self, initiator, ephemeral=None):
        return noise.HandshakeState(initiator, self.key, PROLOGUE, ephemeral)

    def check_mac1(self, data, where):
        """Raise unless the mac1 at that offset is good."""
        if data[where:where + wire.MAC_LEN] != self.mac1(data[:where]):
            raise SessionError("rx_mac")

    def attempt(self, hello, ephemeral=None, **_):
        """Begin an attempt: its INIT without mac2."""
        state = self._handshake(True, ephemeral)
        public, sealed = state.write_message(hello.pack())
        init = wire.Init(sealed[:-16], 0, hello.sender, self.key_id, public,
                         sealed[-16:])
        init.mac1 = self.mac1(init.pack()[:wire.Init.MAC1_AT])
        return Attempt(hello, init, state)

    def init_bytes(self, attempt, source=NO_COOKIE):
        """The INIT of an attempt, with mac2 if there is a source cookie."""
        init = attempt.init
        mac2 = NO_COOKIE
        if source != NO_COOKIE:
            mac2 = self.mac2(source, init.pack()[:wire.Init.MAC2_AT])
        return dataclasses.replace(init, mac2=mac2).pack()

    def open_init(self, data):
        """A responder opens an INIT."""
        init = wire.Init.parse(data)
        if init.key_id != self.key_id:
            raise SessionError("rx_unknown")
        self.check_mac1(data, wire.Init.MAC1_AT)
        if init.to:
            raise SessionError("rx_handshake")
        state = self._handshake(False)
        try:
            plain = state.read_message(init.ephemeral, init.hello + init.tag)
        except noise.NoiseError as err:
            raise SessionError("rx_handshake") from err
        hello = wire.Hello.parse(plain)
        if hello.sender != init.sender or hello.cipher != self.cipher:
            raise SessionError("rx_handshake")
        return Opened(hello, init, state)

    def respond(self, opened, hello, ephemeral=None):
        """The RESPONSE, and keys (initiator to responder, and back)."""
        if ephemeral:
            opened.state.ephemeral = ephemeral
        try:
            public, sealed = opened.state.write_message(hello.pack())
        except noise.NoiseError as err:
            raise SessionError("rx_handshake") from err
        response = wire.Response(opened.hello.sender, sealed[:-16], public,
                                 sealed[-16:])
        response.mac1 = self.mac1(response.pack()[:wire.Response.MAC1_AT])
        return response.pack(), opened.state.split()

    def open_response(self, attempt, data):
        """An initiator opens the RESPONSE: (hello, keys)."""
        self.check_mac1(data, wire.Response.MAC1_AT)
        response = wire.Response.parse(data)
        # A forged one must not spoil the attempt: work on a copy
        state = self._resume(attempt.state)
        try:
            plain = state.read_message(response.ephemeral,
                                       response.hello + response.tag)
        except noise.NoiseError as err:
            raise SessionError("rx_handshake") from err
        hello = wire.Hello.parse(plain)
        self.check_response(attempt, hello)
        return hello, state.split()

    @staticmethod
    def _resume(state):
        copy = noise.HandshakeState.__new__(noise.HandshakeState)
        copy.__dict__.update(state.__dict__)
        copy.symmetric = noise.SymmetricState()
        copy.symmetric.__dict__.update(state.symmetric.__dict__)
        return copy

    def check_response(self, attempt, hello):
        """Raise unless the RESPONSE's hello fits the attempt."""
        if (hello.counter != attempt.hello.counter or
                hello.peer_instance != attempt.hello.instance or
                hello.cipher != self.cipher):
            raise SessionError("rx_handshake")

    def cookie(self, receiver, init, cookie=NO_COOKIE, source=NO_COOKIE,
               nonce=None):
        """A COOKIE that answers an INIT (wire.Init)."""
        nonce = nonce or os.urandom(24)
        sealed = noise.xchacha_seal(self.cookie_key, nonce, init.mac1,
                                    cookie + source)
        return wire.Cookie(receiver, nonce, sealed[:16], sealed[16:32],
                           sealed[32:]).pack()

    def open_cookie(self, attempt, data):
        """(cookie, source) of a COOKIE that answers the attempt."""
        message = wire.Cookie.parse(data)
        try:
            plain = noise.xchacha_open(
                self.cookie_key, message.nonce, attempt.init.mac1,
                message.cookie + message.source + message.tag)
        except noise.NoiseError as err:
            raise SessionError("rx_mac") from err
        return plain[:16], plain[16:]

    def seal(self, key, outer, plain):
        """A PACKET from its outer header and what follows."""
        return seal(self.cipher, key, outer, plain)

    def open(self, key, data):
        """What follows the outer header of a PACKET."""
        return open_packet(self.cipher, key, data)


class ClearKeys(Keys):
    """Keys of clear mode, for tunnels with two ids: no secrets."""

    # pylint: disable=super-init-not-called
    def __init__(self, own_id, peer_id):
        self.own_id = own_id
        self.peer_id = peer_id
        self.cipher = wire.CLEAR

    def attempt(self, hello, ephemeral=None, **_):
        return Attempt(hello, wire.Init(hello.pack(), self.peer_id,
                                        self.own_id))

    def init_bytes(self, attempt, source=NO_COOKIE):
        return attempt.init.pack()

    def mac2_good(self, source, data):
        return True

    def open_init(self, data):
        init = wire.Init.parse(data)
        hello = wire.Hello.parse(init.hello)
        if (init.to, init.sender, hello.cipher) != (
                self.own_id, self.peer_id, self.cipher):
            raise SessionError("rx_handshake")
        return Opened(hello, init)

    def respond(self, opened, hello, ephemeral=None):
        return (wire.Response(opened.hello.sender, hello.pack()).pack(),
                (None, None))

    def open_response(self, attempt, data):
        hello = wire.Hello.parse(wire.Response.parse(data).hello)
        self.check_response(attempt, hello)
        return hello, (None, None)

    def cookie(self, receiver, init, cookie=NO_COOKIE, source=NO_COOKIE,
               nonce=None):
        counter = wire.Hello.parse(init.hello).counter
        return wire.Cookie(receiver, struct.pack(">Q16x", counter), cookie,
                           source).pack()

    def open_cookie(self, attempt, data):
        message = wire.Cookie.parse(data)
        if message.nonce != struct.pack(">Q16x", attempt.hello.counter):
            raise SessionError("rx_mac")
        return message.cookie, message.source


# --- PACKETs

def _parts(cipher, outer, plain):
    """Cipher class, nonce, plaintext and associated data."""
    value, = struct.unpack_from(">Q", outer, 8)
    if cipher == wire.AES_GCM:
        return AESGCM, bytes(4) + struct.pack(">Q", value), plain, outer
    nonce = noise.nonce_of(value)
    if cipher == wire.AUTH_ONLY:
        return ChaCha20Poly1305, nonce, b"", outer + plain
    return ChaCha20Poly1305, nonce, plain, outer


def seal(cipher, key, outer, plain):
    """A PACKET from its outer header and what follows."""
    if cipher == wire.CLEAR:
        return outer + plain
    aead, nonce, secret, associated = _parts(cipher, outer, plain)
    sealed = aead(key).encrypt(nonce, secret, associated)
    if cipher == wire.AUTH_ONLY:
        return associated + sealed
    return outer + sealed


def open_packet(cipher, key, data):
    """What follows the outer header of a PACKET, without its tag."""
    outer, rest = data[:wire.OUTER_LEN], data[wire.OUTER_LEN:]
    if cipher == wire.CLEAR:
        return rest
    if len(rest) < wire.INNER.size + wire.TAG_LEN:
        raise SessionError("rx_short")
    plain, tag = rest[:-wire.TAG_LEN], rest[-wire.TAG_LEN:]
    aead, nonce, secret, associated = _parts(cipher, outer, plain)
    try:
        opened = aead(key).decrypt(nonce, secret + tag, associated)
    except InvalidTag as err:
        raise SessionError("rx_auth") from err
    return plain if cipher == wire.AUTH_ONLY else opened


@dataclasses.dataclass
class Session:
    """Keys that both ends have agreed upon."""

    index: int
    peer_index: int
    cipher: int
    send_key: bytes
    recv_key: bytes
    counter: int
    initiator_instance: int
    initiator: bool
    peer_instance: int
    first_dsn: int = 0
    born: float = 0.0
    confirmed: bool = False
    retired: float = None
    used: float = None

    @property
    def order(self):
        """Sessions of one association are used in this order."""
        return self.counter, self.initiator_instance

    def use(self, now):
        """Data is sent or was received."""
        self.used = self.used or now

    def aged(self, age):
        """When it reaches an age; that counts from the first data."""
        start = self.used if self.initiator or self.confirmed else self.born
        return float("inf") if start is None else start + age

    def seal(self, outer, inner):
        """A PACKET to the peer; outer names no receiver yet."""
        outer.receiver = self.peer_index
        return seal(self.cipher, self.send_key, outer.pack(), inner.pack())

    def open(self, data):
        """The inner header and body (wire.Inner) of a PACKET."""
        return wire.Inner.parse(open_packet(self.cipher, self.recv_key, data))
