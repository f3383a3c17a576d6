// SPDX-License-Identifier: GPL-2.0
//
// Stand-ins for what a page of LuCI uses, and checks of ours; see openwrt.sh.
//
// Copyright (C) 2026 The mptun authors

var registered, options = [], tabs = {}, removed = [];

function _(text) {
	if (typeof text != 'string')
		throw new Error('_() is for strings');
	return text;
}

String.prototype.format = function(value) {
	return this.replace('%s', value);
};

// Of a SectionValue title and more are kind and type of the section in it.
function Option(section, tab, type, name, title, more) {
	if (!type || !title)
		throw new Error('option ' + name + ' has no type or title');
	this.section = section;
	this.tab = tab;
	this.type = type;
	this.name = name;
	this.title = title;
	this.values = [];
	if (type == form.SectionValue)
		this.subsection = new Section(more);
	options.push(this);
}
Option.prototype.value = function(value) {
	if (this.type != form.ListValue)
		throw new Error(this.name + ' is no list');
	this.values.push(value);
};
Option.prototype.depends = function(name, value) {
	this.dependency = name + '=' + value;
};

function Section(type) {
	this.section = type;
}
Section.prototype.tab = function(name) {
	tabs[name] = true;
};
Section.prototype.taboption = function(tab, type, name, title, more) {
	if (!tabs[tab])
		throw new Error('no tab ' + tab);
	return new Option(this.section, tab, type, name, title, more);
};
Section.prototype.option = function(type, name, title) {
	return new Option(this.section, null, type, name, title);
};

var form = {
	Value: 'Value', Flag: 'Flag', ListValue: 'ListValue',
	DynamicList: 'DynamicList', SectionValue: 'SectionValue',
	GridSection: 'GridSection'
};
var widgets = { NetworkSelect: 'NetworkSelect' };
var network = {
	registerProtocol: function(name, methods) {
		registered = name;
		return methods;
	},
	getIfnameOf: function(device) {
		return device;
	}
};
var uci = {
	sections: function(config, type, call) {
		if (config == 'network' && type == 'mptun_mp0')
			[ 'one', 'two' ].forEach(function(name) {
				call({ '.name': name });
			});
	},
	remove: function(config, name) {
		removed.push(config + '.' + name);
	}
};

function same(got, want) {
	if (JSON.stringify(got) != JSON.stringify(want))
		throw new Error('got ' + JSON.stringify(got) + ', want ' +
				JSON.stringify(want));
}

function render() {
	tabs = { general: true, advanced: true };
	protocol.renderFormOptions(new Section('mp0'));
}

function find(section, name) {
	return options.filter(function(o) {
		return o.section == section && o.name == name;
	})[0];
}

// The names of all options.
function offered() {
	render();
	options.forEach(function(o) {
		if (o.name[0] != '_')
			print(o.name);
	});
}

function check() {
	var key, paths, rate;

	same(registered, 'mptun');
	protocol.sid = 'mp0';
	protocol._ubus = function() { return null; };
	same(protocol.getIfname(), 'mp0');
	protocol._ubus = function() { return 'mp7'; };
	same(protocol.getIfname(), 'mp7');
	same(protocol.containsDevice('mp7'), true);
	same(protocol.containsDevice('eth0'), false);
	same([ protocol.isFloating(), protocol.isVirtual(),
	       protocol.getDevices() ], [ true, true, null ]);
	same([ protocol.getOpkgPackage(), protocol.getPackageName() ],
	     [ 'mptun', 'mptun' ]);

	render();
	key = find('mp0', 'key');
	same(key.password, true);
	same(key.validate('mp0', ''), true);
	same(key.validate('mp0', Array(44).join('A') + '='), true);
	same(key.validate('mp0', Array(65).join('f')), true);
	same(typeof key.validate('mp0', Array(45).join('A')), 'string');
	same(typeof key.validate('mp0', Array(64).join('f')), 'string');
	same(find('mp0', 'sched').values[0], '');
	same(find('mp0', 'learn').enabled, 'on');

	paths = find('mp0', '_paths');
	same(paths.subsection.section, 'mptun_mp0');
	same(paths.subsection.anonymous, false);
	same(paths.dependency, 'proto=mptun');
	same(find('mptun_mp0', 'remote').datatype, 'host');
	same(find('mptun_mp0', 'remote').rmempty, false);
	same(find('mptun_mp0', 'network').exclude, 'mp0');
	rate = find('mptun_mp0', 'rate');
	same([ rate.validate('one', ''), rate.validate('one', '20mbit'),
	       rate.validate('one', '2.5gb') ], [ true, true, true ]);
	same(typeof rate.validate('one', '20 Mbit'), 'string');

	protocol.deleteConfiguration();
	same(removed, [ 'network.one', 'network.two' ]);
}
