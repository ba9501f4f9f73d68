/** Networks that no name may lead the server into, by the registries of IANA for special addresses, and of Azure. */
import { BlockList } from 'node:net';
import { Destinations } from '../../src/core/outbound/destinations';
import { isPublicAddress } from '../../src/core/network/ip-address';

/** Name, first and last address. */
const PRIVATE: readonly (readonly [network: string, first: string, last: string])[] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
  ['168.63.129.16/32', '168.63.129.16', '168.63.129.16'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
];
const PRIVATE_IPV6: typeof PRIVATE = [
  ['::/128', '::', '::'],
  ['::1/128', '::1', '::1'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** The IPv6 addresses that contain an IPv4 address: mapped, compatible, NAT64, 6to4. */
function embedded(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [`::ffff:${address}`, `::ffff:${groups}`, `::${address}`, `64:ff9b::${groups}`, `2002:${groups}::1`];
}

const none = new Destinations([]);
const byHttps = { isEncrypted: true, port: 443 };
const byHttp = { isEncrypted: false, port: 80 };

it.each([...PRIVATE, ...PRIVATE_IPV6])(
  '%s is not called, from its first address to its last',
  (...network) => {
    const [, first, last] = network;
    expect([first, last].map((address) => none.mayCall(address, byHttps))).toEqual([false, false]);
  },
);

it.each(PRIVATE)('an IPv6 address with an address of %s in it is not called', (...network) => {
  const [, first, last] = network;
  const called = [first, last].flatMap(embedded).filter((address) => none.mayCall(address, byHttps));
  expect(called).toEqual([]);
});

it.each([
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2001:200::', '2001:4860:4860::8888', '2003::', '2a00:1450:4001::1', '2606:4700::1'],
])('%s, next to such a network, is called by https alone', (address) => {
  expect([none.mayCall(address, byHttps), none.mayCall(address, byHttp)]).toEqual([true, false]);
});

it('of every /16 network of IPv4 an address is called, unless it is in such a network', () => {
  const special = new BlockList();
  const documentation = ['192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24'];
  for (const network of [...PRIVATE.map(([name]) => name), ...documentation]) {
    const [first = '', length] = network.split('/');
    special.addSubnet(first, Number(length), 'ipv4');
  }
  for (let first = 0; first < 256; first += 1)
    for (let second = 0; second < 256; second += 1) {
      const address = `${first}.${second}.${(first * 7 + second) % 256}.1`;
      if (isPublicAddress(address) === special.check(address))
        throw new Error(`${address} is judged wrongly`);
    }
});
