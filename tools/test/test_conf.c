// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files: what they say, and what is wrong with them.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Usage: test_conf FULL.CONF
 */
#include <arpa/inet.h>
#include <stdlib.h>

#include "conf/plan.h"
#include "conf/server.h"
#include "conf/text.h"
#include "lib/keyword.h"
#include "test/ktap.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define HEAD "[Interface]\nKey=" KEY "\n"
#define UPLINKS HEAD "Uplinks=auto\n"
#define PATH HEAD "[Path a]\nRemote=192.0.2.1\n"

static struct plan plan;
static char *text, *full;

/* A copy without room behind it, so that the sanitizers see reads beyond it. */
static int conf(const char *file)
{
	size_t len = strlen(file);

	free(text);
	text = malloc(len + 1);
	memcpy(text, file, len);
	return plan_read(&plan, text, len) || plan_check(&plan, true);
}

static void conf_wrong(const char *file, int line, const char *sentence)
{
	int err = conf(file);

	ktap_checkf(err, "no error in %s", file);
	ktap_checkf(plan.error.line == line, "line %d, not %d, of %s",
		    plan.error.line, line, file);
	ktap_checkf(!strcmp(plan.error.text, sentence), "\"%s\", not \"%s\"",
		    plan.error.text, sentence);
}

static uint64_t num(const struct plan_set *set, const char *word)
{
	const struct parse_value *val = plan_value(set, word);

	return val ? val->num : UINT64_MAX;
}

static void check_prefix(const struct plan_prefix *prefix, const char *addr,
			 int bits)
{
	const unsigned char *entry = prefix->entry;
	char buf[INET6_ADDRSTRLEN];

	inet_ntop(entry[0] == 4 ? AF_INET : AF_INET6, entry + 4, buf,
		  sizeof(buf));
	ktap_checkf(!strcmp(buf, addr), "%s, not %s", buf, addr);
	ktap_checkf(entry[1] == bits, "/%d, not /%d", entry[1], bits);
}

static void test_tunnel(void)
{
	ktap_check(!conf(full));
	ktap_check(plan.line == 3);
	ktap_check(num(&plan.link, "port") == 4726);
	ktap_check(plan_line(&plan.link, "port") == 6);
	ktap_check(num(&plan.link, "cipher") == MPTUN_CIPHER_AES_GCM);
	ktap_check(!strcmp(plan_value(&plan.set, "sched")->text, "ecf"));
	ktap_check(num(&plan.set, "hold") == 100000);
	ktap_check(num(&plan.set, "dscp") == MPTUN_DSCP_INHERIT);
	ktap_check(num(&plan.set, "fwmark") == 0xca6c);
	ktap_check(!strcmp(plan_value(&plan.set, "allowed-ips")->word,
			   "10.0.0.0/8,fd00::/8,192.0.2.7"));
	ktap_check(plan.keyed && plan.key[0] == 0 && plan.key[31] == 31);
}

static void test_machine(void)
{
	const struct plan_host *host = &plan.host;

	ktap_check(!conf(full));
	ktap_check(host->address.count == 3);
	check_prefix(&host->address.list[0], "10.7.0.2", 30);
	check_prefix(&host->address.list[1], "fd07::2", 64);
	check_prefix(&host->address.list[2], "10.8.0.2", 32);
	ktap_check(host->address.list[2].line == 28);
	ktap_check(host->route.count == 2);
	check_prefix(&host->route.list[0], "10.9.0.0", 16);
	check_prefix(&host->route.list[1], "fd09::", 48);
	ktap_check(host->all4 == 31 && host->all6 == 31);
	ktap_check(host->routed && host->table == PLAN_TABLE_AUTO);
	ktap_check(host->dns.count == 2 && host->domain.count == 1);
	ktap_check(!strcmp(host->dns.list[1].text, "fd07::1"));
	ktap_check(!strcmp(host->domain.list[0].text, "corp.example.org"));
	ktap_check(host->masquerade == MASQUERADE_TUNNEL);
	ktap_check(host->kill_switch);
	ktap_check(host->hook[0].count == 1);
	ktap_check(!strcmp(host->hook[0].list[0].text, "echo pre-up ; true"));
	ktap_check(!strcmp(host->hook[1].list[0].text, "echo post-up %i"));
	ktap_check(host->hook[3].list[0].line == 39);
	ktap_check(!strcmp(host->hook[4].list[0].text, "echo $MPTUN_PATH"));
	ktap_check(host->uplink.count == 3);
	ktap_check(!strcmp(host->uplink.list[2].text, "!eth9"));
	ktap_check(host->servers == 3 && host->server[1].port.num == 4800);
	ktap_check(!strcmp(host->server[1].text, "vpn2.example.org:4800"));
	ktap_check(!strcmp(host->server[1].remote.word, "vpn2.example.org"));
	ktap_check(host->server[2].remote.family == 4);
	ktap_check(host->metrics.port == 9100 &&
		   host->metrics.addr.family == 4);
	ktap_check(host->min_paths == 2 && host->min_rate == 20000000);
	ktap_check(host->resolver.count == 2);
	ktap_check(!strcmp(host->resolver.list[1].text, "2001:db8::53"));
}

static void test_paths(void)
{
	const struct plan_path *dsl = &plan.path[0];

	ktap_check(!conf(full));
	ktap_check(plan.paths == 2 && plan.classes == 2);
	ktap_check(!strcmp(dsl->name, "dsl") && dsl->line == 53);
	ktap_check(plan_value(&dsl->set, "remote")->family == 4);
	ktap_check(num(&dsl->set, "rate-down") == 100000000);
	ktap_check(!num(&dsl->set, "off") && !plan_value(&dsl->set, "on"));
	ktap_check(dsl->via.family == 4 && !dsl->direct);
	ktap_check(!strcmp(plan_value(&plan.path[1].set, "remote")->word,
			   "vpn.example.org"));
	ktap_check(plan.class[0].id == 5 && num(&plan.class[0].set, "dscp") == 46);
	ktap_check(num(&plan.class[1].set, "paths") == 32);
	ktap_check(plan.models == 1 && !strcmp(plan.model[0].name, "eth*"));
	ktap_check(num(&plan.model[0].set, "weight") == 2);
	ktap_check(plan.model[0].reset == 15 && !dsl->reset);
	ktap_check(plan.model[0].spare && !dsl->spare);
	ktap_check(plan_spare(&plan) == &plan.model[0]);
}

/* What the sections lack is only what a tunnel with a key may not have. */
static void test_every_key(void)
{
	char name[OPTION_NAME_MAX], line[OPTION_NAME_MAX + 8];

	for (int s = CONF_INTERFACE; s < CONF_SECTIONS; s++) {
		for (size_t i = 0; option_each(s, i, name); i++) {
			if (!strcmp(name, "ID") || !strcmp(name, "PeerID") ||
			    !strcmp(name, "KeyFile"))
				continue;
			snprintf(line, sizeof(line), "\n%s = ", name);
			ktap_checkf(strstr(full, line), "%s is missing", name);
		}
	}
	ktap_check(!conf("[Interface]\nCipher=clear\nID=7\nPeerID=8\n"));
	ktap_check(num(&plan.link, "id") == 7 && num(&plan.link, "peer-id") == 8);
	ktap_check(!conf("[Interface]\nKeyFile=site.key\n"));
	ktap_check(!strcmp(plan.set.res.value[KEYWORD_SET_KEY].word,
			   "site.key"));
}

/* White space, comments, capitals, dashes, several sections, other ends of
 * lines
 */
static void test_form(void)
{
	ktap_check(!conf("  [ INTERFACE ] # the tunnel\r\n\tkey =" KEY " \r\n"
			 "psmc-FACTOR=300#comment\n#\n\n[Interface]\nPSMCperiod"
			 " = 1s\n[pAth\tx]\nremote=::1"));
	ktap_check(num(&plan.set, "psmc-factor") == 300);
	ktap_check(num(&plan.set, "psmc-period") == 1000000);
	ktap_check(plan.paths == 1 && plan.path[0].line == 8);
	ktap_check(!conf(HEAD "PostUp = a = b ; c\nPostUp = d\n"));
	ktap_check(plan.host.hook[1].count == 2);
	ktap_check(!strcmp(plan.host.hook[1].list[0].text, "a = b ; c"));
}

/* Paths lead to the first one, unless they say otherwise. */
static void test_servers(void)
{
	ktap_check(!conf(HEAD "Server = [2001:db8::1]:80, 2001:db8::2, a.b:81\n"
			 "[Path x]\n[Path y]\nRemote=::9\nPort=9\n"));
	ktap_check(plan.host.servers == 3 && server_moves(&plan));
	ktap_check(plan_value(&plan.path[0].set, "remote")->addr[15] == 1);
	ktap_check(num(&plan.path[0].set, "port") == 80);
	ktap_check(plan_line(&plan.path[0].set, "remote") == 3);
	ktap_check(plan_value(&plan.path[1].set, "remote")->addr[15] == 9);
	ktap_check(num(&plan.path[1].set, "port") == 9);
	server_use(&plan, 1);
	for (size_t i = 0; i < 2; i++) {
		const struct plan_set *set = &plan.path[i].set;

		ktap_check(plan_value(set, "remote")->addr[15] == 2);
		ktap_check(num(set, "port") == 4725);
	}
	server_use(&plan, 2);
	ktap_check(!strcmp(plan_value(&plan.path[1].set, "remote")->word,
			   "a.b"));
	ktap_check(num(&plan.path[1].set, "port") == 81);
	ktap_check(!conf(HEAD "Server = a.b\n[Path x]\n"));
	ktap_check(!server_moves(&plan));
}

static void check_metrics(const char *value, int family, uint64_t port)
{
	char file[256];

	snprintf(file, sizeof(file), HEAD "Metrics = %s\n", value);
	ktap_check(!conf(file));
	ktap_checkf(!strcmp(plan.host.metrics.text, value), "%s", value);
	ktap_checkf(plan.host.metrics.addr.family == family, "%s", value);
	ktap_checkf(plan.host.metrics.port == port, "%s", value);
}

static void test_metrics(void)
{
	check_metrics("9100", 4, 9100);
	ktap_check(plan.host.metrics.addr.addr[0] == 127);
	check_metrics("192.0.2.1:9100", 4, 9100);
	check_metrics("[::]:1", 6, 1);
	check_metrics("/run/mptun/home.sock", 0, 0);
}

static void test_default(void)
{
	ktap_check(!conf(HEAD "Routes = default\nAddress = 10.0.0.1\n"));
	ktap_check(plan.host.all4 == 3 && !plan.host.all6);
	ktap_check(!conf(HEAD "Routes = default\nAddress = fd00::1\n"));
	ktap_check(!plan.host.all4 && plan.host.all6 == 3);
	ktap_check(!conf(HEAD "Routes = default\n"));
	ktap_check(plan.host.all4 == 3 && plan.host.all6 == 3);
	ktap_check(!conf(HEAD "Address=fd00::1\nRoutes = 0.0.0.0/0\nTable=7\n"));
	ktap_check(plan.host.all4 == 4 && !plan.host.all6);
	ktap_check(plan.host.table == 7);
	ktap_check(!conf(HEAD "Table=off\n") && !plan.host.routed);
	ktap_check(!conf(HEAD "Table=main\n") &&
		   plan.host.table == PLAN_TABLE_MAIN);
}

#define METRICS(text) "Metrics \"" text \
	"\" is not PORT, ADDR:PORT, [ADDR]:PORT or the path of a socket"

static const struct {
	const char *file;
	int line;
	const char *sentence;
} wrong_files[] = {
	/* the form of the file */
	{ "", 0, "there is no section [Interface]" },
	{ "Port = 1\n", 1,
	  "there is no section before this line, begin with [Interface]" },
	{ HEAD "[Interface\n", 3, "the head of a section lacks \"]\"" },
	{ HEAD "[Path a] x\n", 3, "there is text after the head of a section" },
	{ HEAD "Port 4725\n", 3, "a line has to be [SECTION] or KEY = VALUE" },
	{ HEAD "= 4725\n", 3, "there is no key before \"=\"" },
	{ HEAD "\nPort =\n", 4, "Port has no value" },
	{ HEAD "Port = # none\n", 3, "Port has no value" },
	/* sections */
	{ HEAD "[Peer]\n", 3, "unknown section [Peer], known are [Interface], [Path NAME] and [Class N]" },
	{ "[Interface mp0]\n", 1,
	  "[Interface] has no name, the file is named after the tunnel" },
	{ HEAD "[Path]\n", 3, "a path needs a name: [Path NAME]" },
	{ HEAD "[Path 0123456789abcdef]\n", 3,
	  "path name \"0123456789abcdef\" is longer than 15 characters" },
	{ PATH "[Path a]\n", 5, "path a is already in line 3" },
	{ HEAD "[Class]\n", 3, "a class needs a number: [Class N]" },
	{ HEAD "[Class 16]\n", 3,
	  "the number of a class 16 is out of range (0..15)" },
	{ HEAD "[Class 3]\nPort=1\n[class 3]\n", 5,
	  "class 3 is already in line 3" },
	/* keys */
	{ HEAD "Prot = 1\n", 3,
	  "unknown key \"Prot\" in [Interface], did you mean Port?" },
	{ PATH "Endpoint = 1\n", 5,
	  "unknown key \"Endpoint\" in [Path NAME], did you mean Remote?" },
	{ HEAD "PrivateKey = x\n", 3,
	  "unknown key \"PrivateKey\" in [Interface], did you mean Key?" },
	{ HEAD "Colour = blue\n", 3,
	  "unknown key \"Colour\" in [Interface], see mptun.conf(5)" },
	{ HEAD "Remote = 192.0.2.1\n", 3,
	  "Remote belongs in [Path NAME], not in [Interface]" },
	{ PATH "Address = 10.0.0.1\n", 5,
	  "Address belongs in [Interface], not in [Path NAME]" },
	{ HEAD "On = 1\n", 3,
	  "unknown key \"On\" in [Interface], see mptun.conf(5)" },
	{ HEAD "Port = 1\nport = 1\n", 4, "Port is already in line 3" },
	{ HEAD "Table = 1\n\nTable = 1\n", 5, "Table is already in line 3" },
	{ PATH "Enabled=on\nEnabled=off\n", 6, "Enabled is already in line 5" },
	/* values of settings */
	{ HEAD "Port = 0\n", 3, "port 0 is out of range (1..65535)" },
	{ HEAD "Hold = 5\n", 3, "hold \"5\" lacks a unit (us, ms, s, m, h or d)" },
	{ HEAD "Cipher = rot13\n", 3, "cipher must be clear, chacha20-poly1305, aes-gcm or auth-only, not \"rot13\"" },
	{ HEAD "Learn = yes\n", 3, "learn must be on or off, not \"yes\"" },
	{ HEAD "AllowedIPs = 10.0.0.0/8\nAllowedIPs = 10.0.0.0/33\n", 4,
	  "allowed-ips \"10.0.0.0/33\" does not begin with an address prefix" },
	{ PATH "MTU = 1279\n", 5, "mtu 1279 is out of range (1280..65535)" },
	{ HEAD "[Path a]\nRemote = 192.0.2.1.\n", 4, "remote \"192.0.2.1.\" is neither an IPv4 nor an IPv6 address nor a host name" },
	{ PATH "Enabled = maybe\n", 5,
	  "Enabled must be on or off, not \"maybe\"" },
	{ PATH "[Class 1]\nDSCP = af15\n", 6,
	  "dscp \"af15\" is neither a whole number nor a name that is known" },
	/* values of the other keys */
	{ "[Interface]\nKey = abc\n", 2, "Key is too short for a key (44 characters of base64, or 64 hexadecimal digits); a file is given by KeyFile" },
	{ "[Interface]\nKeyFile = " KEY "\n", 2,
	  "KeyFile is the name of a file, a key is given by Key" },
	{ HEAD "Address = 10.0.0.1/33\n", 3,
	  "Address \"10.0.0.1/33\" is no address prefix" },
	{ HEAD "Address = 10.0.0.1,\n", 3, "Address \"\" is no address prefix" },
	{ HEAD "Address = 10.0.0.1\nAddress=10.0.0.1/32\n", 4,
	  "Address 10.0.0.1/32 is already in line 3" },
	{ HEAD "Routes = all\n", 3,
	  "Routes \"all\" is no address prefix and not \"default\"" },
	{ HEAD "Routes = 10.0.0.1/8\n", 3, "Routes 10.0.0.1/8 has bits behind the prefix, an address alone is written without /8" },
	{ HEAD "Routes = fd00::/8, fd00::/8\n", 3,
	  "Routes fd00::/8 is already in line 3" },
	{ HEAD "DNS = 10.0.0\n", 3,
	  "DNS \"10.0.0\" is neither an address nor a domain" },
	{ HEAD "DNS = corp.example\n", 3,
	  "DNS has a domain but no address of a resolver" },
	{ HEAD "Table = none\n", 3,
	  "Table must be auto, main, off or a number" },
	{ HEAD "Table = 0\n", 3, "Table 0 is out of range (1..4294967295)" },
	{ HEAD "Masquerade = on\n", 3,
	  "Masquerade must be off, tunnel or uplink, not \"on\"" },
	{ HEAD "KillSwitch = 1\n", 3,
	  "KillSwitch must be on or off, not \"1\"" },
	{ PATH "Dev=x\nGateway = 10.0.0\n", 6,
	  "Gateway \"10.0.0\" is neither an IPv4 nor an IPv6 address" },
	/* several keys */
	{ HEAD "KeyFile = x\n", 3, "KeyFile contradicts Key in line 2" },
	{ "[Interface]\nPort = 1\n", 1,
	  "the tunnel needs Key or KeyFile, or Cipher = clear" },
	{ HEAD "Cipher = clear\nID = 1\n", 2,
	  "with Cipher = clear a tunnel has no key" },
	{ "[Interface]\nCipher = clear\n", 2,
	  "with Cipher = clear a tunnel needs an ID" },
	{ HEAD "ID = 1\n", 3, "ID is for Cipher = clear only" },
	{ HEAD "PeerID = 1\n", 3, "PeerID is for Cipher = clear only" },
	{ "[Interface]\nCipher=clear\nID=1\nKeyGrace=1\n", 4,
	  "KeyGrace needs Key or KeyFile" },
	{ HEAD "Table = off\nRoutes = default\n", 3, "with Table = off no routes are made, but Routes in line 4 asks for some" },
	{ HEAD "MTU = 1000\nAddress=fd00::1\n", 3,
	  "IPv6 needs an MTU of at least 1280" },
	{ HEAD "KillSwitch = on\n", 3,
	  "KillSwitch needs a path, whose Dev it guards" },
	{ HEAD "KillSwitch = on\n[Path a]\nRemote=::1\n", 4,
	  "path a needs Dev, for KillSwitch in line 3" },
	{ HEAD "KillSwitch = on\n[Path a]\nRemote=::1\nDev=wan*\n", 6,
	  "KillSwitch in line 3 takes a Dev of letters, digits, \"_\", \"-\" and \".\" only" },
	{ HEAD "KillSwitch = on\n[Path a]\nRemote=::1\nDev=a\"b\n", 6,
	  "KillSwitch in line 3 takes a Dev of letters, digits, \"_\", \"-\" and \".\" only" },
	{ HEAD "[Path a]\nDev=lo\n", 3, "path a needs Remote, or Server in [Interface]" },
	{ PATH "Local = ::1\n", 5, "Local and Remote must be of one family" },
	{ PATH "Gateway = 192.0.2.9\n", 5,
	  "Gateway needs Dev or Local, by which packets are known" },
	{ PATH "Local = 192.0.2.2\nGateway = none\n", 6,
	  "Gateway = none needs Dev" },
	{ PATH "Dev = lo\nGateway = ::1\n", 6,
	  "Gateway must be of the family of Remote and Local" },
	/* uplinks */
	{ HEAD "Uplinks = auto\n", 3,
	  "Uplinks needs a section [Path *], for the settings of their paths" },
	{ HEAD "[Path eth*]\nRemote=::1\n", 3,
	  "path eth* is for uplinks that are found, which Uplinks asks for" },
	{ HEAD "Uplinks = a b\n[Path *]\nRemote=::1\n", 3,
	  "device name \"a b\" contains a character that is not allowed" },
	{ HEAD "Uplinks = !\n[Path *]\nRemote=::1\n", 3,
	  "device name must not be empty" },
	{ UPLINKS "[Path *]\nWeight=1\n", 4, "path * needs Remote, or Server in [Interface]" },
	{ UPLINKS "[Path *]\nRemote=fe80::1%lo\n", 5,
	  "Remote of path * cannot have a device" },
	{ UPLINKS "[Path *]\nRemote=::1\nGateway=::2\n", 6,
	  "path * cannot have Gateway, which is found" },
	{ UPLINKS "[Path *]\nRemote=::1\nDev=lo\n", 6,
	  "path * cannot have Dev, as it is for any uplink" },
	{ UPLINKS "[Path *]\nRemote=::1\nFwMark=1\n", 6,
	  "path * cannot have FwMark, as it is for any uplink" },
	{ UPLINKS "[Path *]\nRemote=::1\n[Path *]\n", 6,
	  "path * is already in line 4" },
	{ UPLINKS "KillSwitch=on\n[Path *]\nRemote=::1\n", 3,
	  "KillSwitch in line 4 needs names of uplinks, not all of them" },
	{ HEAD "Uplinks=e?h*\nKillSwitch=on\n[Path *]\nRemote=::1\n", 3,
	  "KillSwitch in line 4 takes Uplinks of letters, digits, \"_\", \"-\" and \".\" only, and a \"*\" at the end" },
	{ HEAD "Resolver = ns.example\n", 3,
	  "Resolver \"ns.example\" is no address" },
	/* servers */
	{ HEAD "Server = 192.0.2.1:0\n", 3,
	  "port of Server 0 is out of range (1..65535)" },
	{ HEAD "Server = 192.0.2.1:\n", 3,
	  "Server \"192.0.2.1:\" is not HOST, HOST:PORT or [ADDR]:PORT" },
	{ HEAD "Server = [2001:db8::1]x\n", 3,
	  "Server \"[2001:db8::1]x\" is not HOST, HOST:PORT or [ADDR]:PORT" },
	{ HEAD "Server = [2001:db8::1\n", 3,
	  "Server \"[2001:db8::1\" is not HOST, HOST:PORT or [ADDR]:PORT" },
	{ HEAD "Server = fe80::1%lo\n", 3,
	  "Server takes an address without %SCOPE, not \"fe80::1%lo\"" },
	{ HEAD "Server = a.b, -c\n", 3,
	  "Server \"-c\" is neither an IPv4 nor an IPv6 address nor a host name" },
	{ HEAD "Server = a.b\nServer = c.d, a.b\n", 4,
	  "Server a.b is already in line 3" },
	{ HEAD "Server = a, b, c, d, e, f, g, h, i\n", 3,
	  "a tunnel has at most 8 servers" },
	{ HEAD "Server = a.b\nOnServer = true\n", 4,
	  "OnServer needs several entries of Server" },
	{ HEAD "Server = 192.0.2.1, 2001:db8::1\n[Path a]\nLocal=192.0.2.2\n",
	  5, "Local and Remote must be of one family" },
	/* metrics */
	{ HEAD "Metrics = 0\n", 3, METRICS("0") },
	{ HEAD "Metrics = 70000\n", 3, METRICS("70000") },
	{ HEAD "Metrics = ::1\n", 3, METRICS("::1") },
	{ HEAD "Metrics = ::1:9100\n", 3, METRICS("::1:9100") },
	{ HEAD "Metrics = [::1]\n", 3, METRICS("[::1]") },
	{ HEAD "Metrics = a.b:9100\n", 3, METRICS("a.b:9100") },
	{ HEAD "Metrics = run/x\n", 3, METRICS("run/x") },
	{ HEAD "Metrics = 192.0.2.1:\n", 3, METRICS("192.0.2.1:") },
	/* caps */
	{ PATH "CapReset = 32\n", 5,
	  "CapReset 32 is out of range (1..31)" },
	{ PATH "CapReset = 1\n", 5, "CapReset needs Cap" },
	{ PATH "Cap = none\nCapReset = 1\n", 6, "CapReset needs Cap" },
	{ PATH "Cap = 1gb\nCapReset = 1\nCapReset = 2\n", 7,
	  "CapReset is already in line 6" },
	{ PATH "Cap = 1gb\nCapReset = 1\nUsed = 1mb\n", 7,
	  "Used contradicts CapReset in line 6, with which the agent counts" },
	{ UPLINKS "[Path *]\nRemote=::1\nCapReset=3\n", 6,
	  "CapReset needs Cap" },
	/* spares */
	{ HEAD "MinPaths = 0\n", 3, "MinPaths 0 is out of range (1..32)" },
	{ HEAD "MinPaths = 33\n", 3, "MinPaths 33 is out of range (1..32)" },
	{ HEAD "MinRate = 0mbit\n", 3, "MinRate has to be larger than 0" },
	{ HEAD "MinRate = 20\n", 3,
	  "MinRate \"20\" lacks a unit (bit, kbit, mbit, gbit or tbit, per second)" },
	{ HEAD "MinPaths = 1\nMinPaths = 2\n", 4,
	  "MinPaths is already in line 3" },
	{ PATH "Spare = maybe\n", 5,
	  "Spare must be on or off, not \"maybe\"" },
	{ PATH "Spare = on\nSpare = off\n", 6,
	  "Spare is already in line 5" },
	{ PATH "Spare = on\n", 5,
	  "Spare needs MinPaths or MinRate in [Interface], below which path a joins" },
	{ UPLINKS "[Path *]\nRemote=::1\nSpare = on\n", 6,
	  "Spare needs MinPaths or MinRate in [Interface], below which path * joins" },
	{ HEAD "MinPaths = 2\n[Path a]\nRemote=::1\nSpare = off\n", 3,
	  "MinPaths needs a path with Spare = on" },
	{ HEAD "MinRate = 2mbit\n[Path a]\nRemote=::1\n", 3,
	  "MinRate needs a path with Spare = on" },
	{ HEAD "Spare = on\n", 3,
	  "Spare belongs in [Path NAME], not in [Interface]" },
	{ PATH "MinPaths = 1\n", 5,
	  "MinPaths belongs in [Interface], not in [Path NAME]" },
	{ HEAD "[Class 1]\nOrder=off\n", 3,
	  "class 1 needs a Mark, DSCP, Protocol or Port" },
	{ HEAD "[Class 1]\nPort=1\nPolicy = pin\n", 5,
	  "Policy = pin needs Path" },
};

static void test_wrong(void)
{
	for (size_t i = 0; i < COUNT(wrong_files); i++)
		conf_wrong(wrong_files[i].file, wrong_files[i].line,
			   wrong_files[i].sentence);
}

static void test_limits(void)
{
	char file[8192] = HEAD "Address = 10.0.0.0";
	size_t len = strlen(file);

	for (int i = 1; i <= PLAN_LIST_MAX; i++)
		len += (size_t)sprintf(file + len, ",10.0.0.%d", i);
	conf_wrong(file, 3, "there are more than 64 entries of Address");
	len = (size_t)sprintf(file, HEAD);
	for (int i = 0; i <= MPTUN_PATHS_MAX; i++)
		len += (size_t)sprintf(file + len, "[Path %d]\n", i);
	conf_wrong(file, 35, "a tunnel has at most 32 paths");
	len = (size_t)sprintf(file, HEAD "AllowedIPs=10.0.0.0");
	for (int i = 1; i <= MPTUN_ALLOWED_IPS_MAX; i++)
		len += (size_t)sprintf(file + len, ",10.0.0.%d", i);
	conf_wrong(file, 3, "allowed-ips takes at most 64 prefixes");
	memset(file, 'x', sizeof(file) - 1);
	memcpy(file, HEAD "AllowedIPs=", strlen(HEAD) + 11);
	conf_wrong(file, 3, "AllowedIPs is too long");
	free(text);
	text = malloc(64);
	len = (size_t)sprintf(text, "[Interface]\nPort = 1");
	memcpy(text + len, "\0\n", 3);
	ktap_check(plan_read(&plan, text, len + 2));
	ktap_check(plan.error.line == 2);
	ktap_check(!strcmp(plan.error.text, "there is a zero byte"));
}

/* What is printed says the same. */
static void test_text(void)
{
	char *once, *twice;
	size_t size;
	FILE *file;

	ktap_check(!conf(full));
	file = open_memstream(&once, &size);
	text_print(&plan, file);
	fclose(file);
	ktap_check(!strstr(once, KEY));
	ktap_check(strstr(once, "AllowedIPs = 10.0.0.0/8,fd00::/8,192.0.2.7\n"));
	ktap_check(strstr(once, "\nEnabled = off\n"));
	ktap_check(strstr(once, "\nDSCP = ef\n"));
	free(text);
	text = strdup(once);
	ktap_checkf(!plan_read(&plan, text, size), "%s", plan.error.text);
	file = open_memstream(&twice, &size);
	text_print(&plan, file);
	fclose(file);
	ktap_checkf(!strcmp(once, twice), "%s\nis not\n%s", once, twice);
	free(once);
	free(twice);
}

static char *load(const char *name)
{
	FILE *file = fopen(name, "r");
	char *buf = calloc(1, 8192);

	if (!file || !fread(buf, 1, 8191, file))
		exit(1);
	fclose(file);
	return buf;
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		{ "conf: settings of the tunnel", test_tunnel },
		{ "conf: what belongs to the machine", test_machine },
		{ "conf: paths and classes", test_paths },
		{ "conf: every key is tried", test_every_key },
		{ "conf: white space, comments, capitals", test_form },
		{ "conf: servers", test_servers },
		{ "conf: where metrics are served", test_metrics },
		{ "conf: families of the default route", test_default },
		{ "conf: wrong files: the line and one sentence", test_wrong },
		{ "conf: limits", test_limits },
		{ "conf: print and read again", test_text },
	};
	int status;

	if (argc != 2)
		return 1;
	full = load(argv[1]);
	status = ktap_run(tests, COUNT(tests));
	free(full);
	free(text);
	return status;
}
