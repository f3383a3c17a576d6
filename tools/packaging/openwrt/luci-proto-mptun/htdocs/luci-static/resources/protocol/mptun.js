// SPDX-License-Identifier: GPL-2.0
//
// The page of LuCI for the protocol "mptun".
//
// Copyright (C) 2026 The mptun authors

'use strict';
'require form';
'require network';
'require tools.widgets as widgets';
'require uci';

// Base64 of 32 bytes, or 64 hexadecimal digits.
function validateKey(section_id, value) {
	if (!value || value.match(/^[A-Za-z0-9+\/]{43}=$/) ||
	    value.match(/^[0-9a-fA-F]{64}$/))
		return true;

	return _('A key has 44 characters of base64, as "mptunctl key gen" prints it, or 64 hexadecimal digits.');
}

// What mptunctl takes: 20mbit, 2500kb, 1m.
function validateAmount(section_id, value) {
	if (!value || value.match(/^(none|[0-9]+(\.[0-9]+)?[a-z]*)$/))
		return true;

	return _('A number with a unit is expected, such as "20mbit" or "5gb".');
}

// One of the values that the tool knows; an empty one is its default.
function list(o, values) {
	o.value('', _('default'));
	values.forEach(function(value) {
		o.value(value, value);
	});
	o.optional = true;

	return o;
}

return network.registerProtocol('mptun', {
	getI18n: function() {
		return _('Multipath tunnel (mptun)');
	},

	getIfname: function() {
		return this._ubus('l3_device') || this.sid;
	},

	// The name of this until LuCI of 2024, and since then.
	getOpkgPackage: function() {
		return 'mptun';
	},

	getPackageName: function() {
		return 'mptun';
	},

	isFloating: function() {
		return true;
	},

	isVirtual: function() {
		return true;
	},

	getDevices: function() {
		return null;
	},

	containsDevice: function(ifname) {
		return (network.getIfnameOf(ifname) == this.getIfname());
	},

	renderFormOptions: function(s) {
		var o, ss;

		o = s.taboption('general', form.Value, 'key', _('Key'),
			_('The secret that both ends share.'));
		o.password = true;
		o.validate = validateKey;
		o.optional = true;

		o = s.taboption('general', form.Value, 'key_file', _('File of the key'),
			_('A file with the key, instead of the key itself.'));
		o.datatype = 'file';
		o.optional = true;

		o = s.taboption('general', form.DynamicList, 'addresses', _('IP addresses'),
			_('Addresses of the tunnel, each with the length of its network.'));
		o.datatype = 'ipaddr';
		o.optional = true;

		o = s.taboption('general', form.DynamicList, 'routes', _('Routes'),
			_('Networks behind the other end; "default" for everything.'));
		o.datatype = 'or("default",cidr)';
		o.optional = true;

		o = s.taboption('general', form.Value, 'port', _('UDP port'),
			_('Port at which this end receives.'));
		o.datatype = 'port';
		o.placeholder = '4725';
		o.optional = true;

		o = s.taboption('general', form.Flag, 'learn', _('Learn paths'),
			_('For a server: it takes the paths that the other end opens.'));
		o.enabled = 'on';
		o.disabled = 'off';
		o.default = 'on';
		o.rmempty = false;

		list(s.taboption('advanced', form.ListValue, 'cipher', _('Cipher')),
			[ 'chacha20-poly1305', 'aes-gcm', 'auth-only' ]);
		list(s.taboption('advanced', form.ListValue, 'sched', _('Scheduler')),
			[ 'greedy', 'ecf', 'flow', 'redundant', 'wrr', 'wrr-auto' ]);
		list(s.taboption('advanced', form.ListValue, 'reorder', _('Reorder buffer')),
			[ 'off', 'fixed', 'adaptive', 'psmc' ]);

		o = s.taboption('advanced', form.Value, 'mtu', _('MTU'),
			_('Follows the paths unless it is set.'));
		o.datatype = 'range(1280,65535)';
		o.placeholder = _('automatic');
		o.optional = true;

		o = s.taboption('advanced', form.Value, 'fwmark', _('Firewall mark'),
			_('Mark of the packets that the tunnel sends.'));
		o.datatype = 'or(uinteger,hexstring)';
		o.optional = true;

		try {
			s.tab('paths', _('Paths'),
				_('Each uplink that the tunnel uses. An end that learns paths needs none.'));
		}
		catch(e) {}

		o = s.taboption('paths', form.SectionValue, '_paths', form.GridSection,
			'mptun_%s'.format(s.section));
		o.depends('proto', 'mptun');

		ss = o.subsection;
		ss.anonymous = false;
		ss.addremove = true;
		ss.sortable = true;
		ss.addbtntitle = _('Add path');
		ss.modaltitle = _('Path');

		o = ss.option(form.Flag, 'disabled', _('Disabled'));
		o.editable = true;

		o = ss.option(widgets.NetworkSelect, 'network', _('Uplink'),
			_('The path is there while this network is up.'));
		o.nocreate = true;
		o.exclude = s.section;
		o.rmempty = false;

		o = ss.option(form.Value, 'remote', _('Server'),
			_('Address or name of the other end.'));
		o.datatype = 'host';
		o.placeholder = 'vpn.example.com';
		o.rmempty = false;

		o = ss.option(form.Value, 'remote_port', _('Port of the server'));
		o.datatype = 'port';
		o.placeholder = '4725';
		o.optional = true;
		o.modalonly = true;

		o = ss.option(form.Flag, 'backup', _('Backup'),
			_('Used only while no other path works.'));
		o.enabled = 'on';
		o.disabled = 'off';

		o = ss.option(form.Value, 'priority', _('Priority'),
			_('Paths of lower numbers are used first.'));
		o.datatype = 'range(0,255)';
		o.optional = true;

		o = ss.option(form.Value, 'weight', _('Weight'));
		o.datatype = 'min(1)';
		o.optional = true;
		o.modalonly = true;

		[
			[ 'cap', _('Data cap'), '50gb' ],
			[ 'rate', _('Rate limit, up'), '20mbit' ],
			[ 'rate_down', _('Rate limit, down'), '100mbit' ]
		].forEach(function(each) {
			o = ss.option(form.Value, each[0], each[1]);
			o.validate = validateAmount;
			o.placeholder = each[2];
			o.optional = true;
			o.modalonly = true;
		});
	},

	deleteConfiguration: function() {
		uci.sections('network', 'mptun_%s'.format(this.sid), function(s) {
			uci.remove('network', s['.name']);
		});
	}
});
