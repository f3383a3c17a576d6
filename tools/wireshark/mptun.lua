-- SPDX-License-Identifier: GPL-2.0
--
-- Wireshark and tshark: the headers of mptun that are not encrypted.
--
-- Copyright (C) 2026 The mptun authors
--
-- Documentation/protocol.rst describes the format; tools/test/wireshark.py
-- compares the names, places and sizes here with kmod/wire/wire.h.  What is
-- encrypted stays a row of bytes.  With cipher clear or auth-only all can be read:
-- the preference "PACKETs are" says so, as a PACKET itself does not.

local mptun = Proto("mptun", "mptun multipath tunnel")
local PORT = 4725
local VERSION = 1
local TAG = 16

local types = { "INIT", "RESPONSE", "COOKIE", "PACKET" }
local kinds = { "DATA", "REPAIR", "REPORT", "PROBE", "SET", "BYE" }
local blocks = { "ACK", "ROOM", "FLOOR", "SETTLED", "STATUS", "POLICY", "CAPS" }
local ciphers = { "clear", "chacha20-poly1305", "aes-gcm", "auth-only" }
local INIT, RESPONSE, COOKIE, PACKET = 1, 2, 3, 4
local DATA, PROBE, BYE = 1, 4, 6
local BLOCKS, FRAG = 0x04, 0x10
local SEALED, CLEAR, AUTH_ONLY = 0, 1, 2

local f = {}

-- field(NAME, KIND, TITLE, ...): mptun.NAME, of ProtoField.KIND
local function field(name, kind, title, ...)
	f[name] = ProtoField[kind]("mptun." .. name, title, ...)
end

field("type", "uint8", "Type", base.DEC, types)
field("version", "uint8", "Version", base.DEC)
field("flags", "uint16", "Flags", base.HEX)
field("receiver", "uint32", "Receiver", base.HEX)
field("number", "uint64", "Number", base.HEX)
field("path", "uint16", "Path id", base.DEC, nil, 0xfffe)
field("control", "bool", "Control packet", 8, nil, 0x01)
field("pn", "uint64", "Packet number", base.DEC)

field("init.to", "uint32", "To", base.DEC)
field("init.from", "uint32", "From", base.HEX)
field("init.key_id", "bytes", "Key id")
field("init.ephemeral", "bytes", "Ephemeral public key")
field("init.hello", "bytes", "Hello")
field("init.tag", "bytes", "Tag")
field("init.mac1", "bytes", "mac1")
field("init.mac2", "bytes", "mac2")
field("response.ephemeral", "bytes", "Ephemeral public key")
field("response.hello", "bytes", "Hello")
field("response.tag", "bytes", "Tag")
field("response.mac1", "bytes", "mac1")
field("cookie.nonce", "bytes", "Nonce")
field("cookie.cookie", "bytes", "Cookie for the instance")
field("cookie.source", "bytes", "Cookie for the source")
field("cookie.tag", "bytes", "Tag")

field("hello.sender", "uint32", "Sender", base.HEX)
field("hello.first_dsn", "uint32", "First dsn", base.DEC)
field("hello.instance", "uint64", "Instance", base.HEX)
field("hello.peer_instance", "uint64", "Instance of the receiver", base.HEX)
field("hello.counter", "uint64", "Counter", base.DEC)
field("hello.features", "uint32", "Features", base.HEX)
field("hello.cipher", "uint8", "Cipher", base.DEC, ciphers)
field("hello.offers", "uint8", "Offers", base.HEX)
field("hello.reserved", "bytes", "Reserved")
field("hello.cookie", "bytes", "Cookie")

field("sealed", "bytes", "Encrypted")
field("kind", "uint8", "Kind", base.DEC, kinds, 0xf0)
field("class", "uint8", "Class", base.DEC, nil, 0x0f)
field("fseq", "uint8", "fseq", base.DEC)
field("prev", "uint16", "prev", base.DEC)
field("dsn", "uint32", "dsn", base.DEC)
field("f.repairable", "bool", "Repairable", 8, nil, 0x01)
field("f.nocsum", "bool", "No checksum inside", 8, nil, 0x02)
field("f.blocks", "bool", "Blocks", 8, nil, 0x04)
field("f.copy", "bool", "Copy", 8, nil, 0x08)
field("f.frag", "bool", "Fragment", 8, nil, 0x10)
field("f.compressed", "bool", "Compressed", 8, nil, 0x20)
field("f.coded", "bool", "Coded", 8, nil, 0x40)
field("time", "uint24", "Time of the sender in us", base.DEC)
field("blocks_len", "uint16", "Length of blocks", base.DEC)
field("block.type", "uint8", "Block", base.DEC, blocks)
field("block.reserved", "uint8", "Reserved", base.HEX)
field("block.len", "uint16", "Length", base.DEC)
field("block.content", "bytes", "Content")
field("frag.index", "uint8", "Index of the fragment", base.DEC)
field("frag.count", "uint8", "Number of fragments", base.DEC)
field("frag.len", "uint16", "Length of the inner packet", base.DEC)
field("frag.part", "bytes", "Part")
field("probe.answer", "bool", "Answer", 8, nil, 0x01)
field("probe.ds", "uint8", "DS field", base.HEX)
field("probe.size", "uint16", "Size of the challenge", base.DEC)
field("probe.echo", "uint32", "Echo in us", base.DEC)
field("probe.token", "uint64", "Token", base.HEX)
field("bye.instance", "uint64", "Instance", base.HEX)
field("body", "bytes", "Body")
field("tag", "bytes", "Tag")

local wrong = ProtoExpert.new("mptun.wrong", "Not as the protocol wants it",
	expert.group.MALFORMED, expert.severity.ERROR)

-- pairs() has no order, which Wireshark does not need here.
local list = {}
for _, each in pairs(f) do
	list[#list + 1] = each
end
mptun.fields = list
mptun.experts = { wrong }
mptun.prefs.packets = Pref.enum("PACKETs are", SEALED,
	"How to read what follows the first header of a PACKET", {
		{ 1, "encrypted", SEALED },
		{ 2, "clear", CLEAR },
		{ 3, "authenticated, but not encrypted (auth-only)", AUTH_ONLY },
	}, true)

-- The layouts: name and size of each field, as the structures in wire.h.
local hello = {
	{ "sender", 4 }, { "first_dsn", 4 }, { "instance", 8 },
	{ "peer_instance", 8 }, { "counter", 8 }, { "features", 4 },
	{ "cipher", 1 }, { "offers", 1 }, { "reserved", 2 }, { "cookie", 16 },
}
local messages = {
	[INIT] = { name = "init", size = 168, key = "key_id",
		{ "to", 4 }, { "from", 4 }, { "key_id", 8 },
		{ "ephemeral", 32 }, { "hello", 56 }, { "tag", 16 },
		{ "mac1", 16 }, { "mac2", 16 } },
	[RESPONSE] = { name = "response", size = 136, key = "ephemeral",
		{ "ephemeral", 32 }, { "hello", 56 }, { "tag", 16 },
		{ "mac1", 16 } },
	[COOKIE] = { name = "cookie", size = 88,
		{ "nonce", 24 }, { "cookie", 16 }, { "source", 16 },
		{ "tag", 16 } },
}

local function zero(range)
	return not range:bytes():tohex():find("[^0]")
end

-- add(TREE, RANGE, PREFIX, LAYOUT): the fields of a layout; their ranges by name
local function add(tree, range, prefix, layout)
	local at, ranges, items = 0, {}, {}

	for _, each in ipairs(layout) do
		local name, size = each[1], each[2]

		ranges[name] = range(at, size)
		items[name] = tree:add(f[prefix .. "." .. name], ranges[name])
		at = at + size
	end
	return ranges, items
end

local function handshake(tvb, tree, message)
	local ranges, items = add(tree, tvb(16), message.name, message)

	-- Without a key, in clear mode, the hello can be read.
	if message.key and zero(ranges[message.key]) then
		add(items.hello, ranges.hello, "hello", hello)
	end
end

-- A row of blocks; what does not fit is marked.
local function dissect_blocks(range, tree)
	local at, size = 0, range:len()

	while at + 4 <= size do
		local len = range(at + 2, 2):uint()
		local block = tree:add(f["block.type"], range(at, 1))

		block:add(f["block.reserved"], range(at + 1, 1))
		block:add(f["block.len"], range(at + 2, 2))
		if at + 4 + len > size then
			block:add_proto_expert_info(wrong, "The block is cut off")
			return
		end
		if len > 0 then
			block:add(f["block.content"], range(at + 4, len))
		end
		at = at + 4 + len
	end
	if at < size then
		tree:add_proto_expert_info(wrong, "Bytes after the last block")
	end
end

local function short(tree)
	tree:add_proto_expert_info(wrong, "The body is too short")
end

local function dissect_inner(range, pinfo, tree, root)
	local version = range(0, 1):bitfield(0, 4)
	local name = version == 4 and "ip" or version == 6 and "ipv6" or "data"

	Dissector.get(name):call(range:tvb(), pinfo, root)
end

local function dissect_data(range, flags, pinfo, tree, root)
	if bit.band(flags, BLOCKS) ~= 0 then
		local len = range:len() >= 2 and range(0, 2):uint()

		if not len or 2 + len >= range:len() then
			return short(tree)
		end
		tree:add(f.blocks_len, range(0, 2))
		if len > 0 then
			dissect_blocks(range(2, len), tree)
		end
		range = range(2 + len)
	end
	if bit.band(flags, FRAG) == 0 then
		return dissect_inner(range, pinfo, tree, root)
	end
	if range:len() <= 4 then
		return short(tree)
	end
	add(tree, range, "frag", { { "index", 1 }, { "count", 1 }, { "len", 2 },
		{ "part", range:len() - 4 } })
end

local bodies = {
	[PROBE] = { "probe", 16, { { "answer", 1 }, { "ds", 1 },
		{ "size", 2 }, { "echo", 4 }, { "token", 8 } } },
	[BYE] = { "bye", 8, { { "instance", 8 } } },
}

local function dissect_body(range, kind, flags, pinfo, tree, root)
	local body = bodies[kind]

	if kind == DATA then
		return dissect_data(range, flags, pinfo, tree, root)
	end
	if not body then
		return dissect_blocks(range, tree)
	end
	if range:len() < body[2] then
		return short(tree)
	end
	add(tree, range, body[1], body[3])
	if range:len() > body[2] then
		tree:add(f.body, range(body[2])):append_text(" (padding)")
	end
end

-- The second header and the body, if they can be read.
local function dissect_packet(tvb, pinfo, tree, root)
	local mode = mptun.prefs.packets
	local last = tvb:len() - (mode == AUTH_ONLY and TAG or 0)

	if mode == SEALED then
		if tvb:len() > 16 then
			tree:add(f.sealed, tvb(16))
		end
		return
	end
	if last < 28 then
		return short(tree)
	end
	local kind, flags = tvb(16, 1):bitfield(0, 4), tvb(24, 1):uint()

	tree:add(f.kind, tvb(16, 1))
	tree:add(f.class, tvb(16, 1))
	tree:add(f.fseq, tvb(17, 1))
	tree:add(f.prev, tvb(18, 2))
	tree:add(f.dsn, tvb(20, 4))
	for _, name in ipairs({ "repairable", "nocsum", "blocks", "copy", "frag",
			"compressed", "coded" }) do
		tree:add(f["f." .. name], tvb(24, 1))
	end
	tree:add(f.time, tvb(25, 3))
	if mode == AUTH_ONLY then
		tree:add(f.tag, tvb(last, TAG))
	end
	pinfo.cols.info:append(", " .. (kinds[kind] or "kind " .. kind))
	if kind == DATA then
		pinfo.cols.info:append(" dsn " .. tvb(20, 4):uint())
		pinfo.cols.info:fence()
	end
	if last > 28 then
		dissect_body(tvb(28, last - 28), kind, flags, pinfo, tree, root)
	end
end

function mptun.dissector(tvb, pinfo, root)
	local type = tvb:len() >= 16 and tvb(0, 1):uint() or 0
	local message = messages[type]

	-- Anything may come to a port.
	if not types[type] or tvb(1, 1):uint() ~= VERSION then
		return 0
	end
	local tree = root:add(mptun, tvb())

	pinfo.cols.protocol = "mptun"
	pinfo.cols.info = types[type]
	tree:add(f.type, tvb(0, 1))
	tree:add(f.version, tvb(1, 1))
	tree:add(f.flags, tvb(2, 2))
	tree:add(f.receiver, tvb(4, 4))
	local number = tree:add(f.number, tvb(8, 8))

	number:add(f.path, tvb(8, 2))
	number:add(f.control, tvb(9, 1))
	number:add(f.pn, tvb(10, 6))
	if tvb(2, 2):uint() ~= 0 then
		tree:add_proto_expert_info(wrong, "Flags are not zero")
	end
	if type == PACKET then
		pinfo.cols.info:append(" path " .. tvb(8, 2):bitfield(0, 15) ..
			(tvb(9, 1):bitfield(7, 1) == 1 and " control " or
			" data ") .. tostring(tvb(10, 6):uint64()))
		dissect_packet(tvb, pinfo, tree, root)
	elseif tvb:len() ~= message.size then
		tree:add_proto_expert_info(wrong, types[type] .. " of " ..
			tvb:len() .. " bytes, not " .. message.size)
	else
		handshake(tvb, tree, message)
	end
	return tvb:len()
end

-- On another port a tunnel is known by its INIT, from then on.
local function heuristic(tvb, pinfo, root)
	if tvb:len() ~= messages[INIT].size or
		tvb(0, 4):uint() ~= INIT * 0x1000000 + VERSION * 0x10000 or
		not zero(tvb(4, 12)) then
		return false
	end
	pinfo.conversation = mptun
	mptun.dissector(tvb, pinfo, root)
	return true
end

DissectorTable.get("udp.port"):add(PORT, mptun)
mptun:register_heuristic("udp", heuristic)
