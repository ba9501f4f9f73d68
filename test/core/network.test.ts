import { canonicalAddress, isLoopback, isPublicAddress, networkOf } from '../../src/core/network/ip-address';

it.each([
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::ffff:1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:9:9:9:9', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['64:ff9b::203.0.113.7', '203.0.113.7'],
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['unknown', 'unknown'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['::', '0:0:0:0:0:0:0:0'],
  ['1::', '1:0:0:0:0:0:0:0'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::1.2.3.4', '0:0:0:0:0:0:102:304'],
])('%s is the address %s', (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical);
});

it.each(['1.2.3', '1.2.3.4.5', '::1::', '12345::', 'localhost', ''])('%p is no IP address', (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});

it.each(['8.8.8.8', '172.32.0.1', '2a00:1450:4001::1', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  ...[
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.100.100.200',
  ],
  ...['0.0.0.0', '192.0.2.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '198.18.0.1'],
  ...[
    '::',
    '::1',
    'fe80::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2001:0:1::',
    '::127.0.0.1',
  ],
  ...['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::10.0.0.1', 'localhost'],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['localhost', 'LOCALHOST', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1'])(
  '%s is loopback',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each(['0.0.0.0', '::', 'localhost.example.org', '127.0.0.1.example.org', '2130706433', ''])(
  '%p is not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
