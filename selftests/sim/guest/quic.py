#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A QUIC download by aioquic, with its congestion control.

usage: quic.py serve ADDRESS PORT CC
       quic.py get ADDRESS PORT BYTES [OMIT SECONDS]

The client asks for a number of bytes on one stream and prints, as JSON, how
many came, in how many seconds, the handshake included; or in SECONDS after
OMIT, when it gives the rest up. CC is reno or cubic.
"""
# Copyright (C) 2026 The mptun authors

import asyncio
import datetime
import json
import ssl
import sys
import time

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

ALPN = ["mptun-sim"]


def certificate():
    """A certificate, which the client does not check."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sim")])
    day = datetime.datetime(2026, 1, 1)
    cert = (x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(key.public_key()).serial_number(1)
            .not_valid_before(day - datetime.timedelta(days=1))
            .not_valid_after(day + datetime.timedelta(days=3650))
            .sign(key, hashes.SHA256()))
    return cert, key


class Server(QuicConnectionProtocol):
    """Answers "BYTES\\n" with BYTES bytes."""

    def quic_event_received(self, event):
        """A request."""
        if isinstance(event, StreamDataReceived) and event.data:
            size = int(event.data)
            self._quic.send_stream_data(event.stream_id, bytes(size), True)
            self.transmit()


class Client(QuicConnectionProtocol):
    """Counts what comes."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.got = 0
        self.done = asyncio.get_running_loop().create_future()

    def quic_event_received(self, event):
        """Data."""
        if isinstance(event, StreamDataReceived):
            self.got += len(event.data)
            if event.end_stream and not self.done.done():
                self.done.set_result(True)

    def ask(self, size):
        """A request."""
        stream = self._quic.get_next_available_stream_id()
        self._quic.send_stream_data(stream, f"{size}\n".encode(), True)
        self.transmit()


async def run_server(address, port, control):
    """Until somebody ends it."""
    config = QuicConfiguration(is_client=False, alpn_protocols=ALPN,
                               congestion_control_algorithm=control)
    config.certificate, config.private_key = certificate()
    await serve(address, port, configuration=config, create_protocol=Server)
    await asyncio.Event().wait()


async def watch(client, omit, seconds):
    """What comes in a span of time, or until all is there."""
    await asyncio.wait([client.done], timeout=omit)
    before, begin = client.got, time.monotonic()
    await asyncio.wait([client.done], timeout=seconds)
    return client.got - before, time.monotonic() - begin


async def run_client(address, port, size, span):
    """One download."""
    config = QuicConfiguration(is_client=True, alpn_protocols=ALPN,
                               verify_mode=ssl.CERT_NONE,
                               max_data=16 << 20, max_stream_data=16 << 20)
    begin = time.monotonic()
    async with connect(address, port, configuration=config,
                       create_protocol=Client) as client:
        client.ask(size)
        if span:
            got, seconds = await watch(client, *span)
        else:
            await client.done
            got, seconds = client.got, time.monotonic() - begin
    print(json.dumps({"bytes": got, "seconds": round(seconds, 6)}))


def main():
    """Command line."""
    what, address, port, value = sys.argv[1:5]
    if what == "serve":
        asyncio.run(run_server(address, int(port), value))
    else:
        asyncio.run(run_client(address, int(port), int(value),
                               [float(word) for word in sys.argv[5:]]))


main()
