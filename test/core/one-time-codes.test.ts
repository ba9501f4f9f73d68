/** Codes of second factors, as RFC 6238 has them. */
import {
  makeRecoveryCodes,
  makeSharedSecret,
  readTypedCode,
  showSharedSecret,
  stepOfCode,
} from '../../src/core/oauth/one-time-codes';
import { toCode } from '../support/totp';

it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])(
  'the code of RFC 6238 for the second %d is valid at its step and the next ones, and at no other',
  (second, code) => {
    const secret = Buffer.from('12345678901234567890');
    const step = Math.floor(second / 30);
    const steps = [-2, -1, 0, 1, 2].map((later) => stepOfCode(secret, code, (step + later) * 30_000));
    expect(steps).toEqual([undefined, step, step, step, undefined]);
    expect(stepOfCode(secret, code.slice(1), second * 1000)).toBeUndefined();
  },
);

it('the secret that a person sees makes the codes that the server accepts', () => {
  const secret = makeSharedSecret();
  const { text, uri } = showSharedSecret(secret, 'Acme: Hospital', 'dora');
  const now = Date.now();
  expect(stepOfCode(secret, toCode(text, 0, now), now)).toBe(Math.floor(now / 30_000));
  const { protocol, host, searchParams, pathname } = new URL(uri);
  expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Acme  Hospital:dora',
  ]);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    secret: text,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

it.each([
  ['of a hospital', 'Acme Hospital of the Sisters of Mercy', 'Acme Hospital of the Sisters of Mercy'],
  ['of 200 letters', 'a'.repeat(200), `${'a'.repeat(40)}…`],
  ['in Chinese', '漢'.repeat(200), `${'漢'.repeat(13)}…`],
  ['of signs', '😀'.repeat(100), `${'😀'.repeat(10)}…`],
])('the QR code can be read from a screen with a long name %s', (_kind, name, shown) => {
  const { uri } = showSharedSecret(makeSharedSecret(), name, name);
  expect(uri.length).toBeLessThan(600);
  expect(new URL(uri).searchParams.get('issuer')).toBe(shown);
});

it('recovery codes differ, have 120 bits, and may be typed with spaces and in small letters', () => {
  const { codes, hashes } = makeRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const [place, code] of codes.entries()) {
    expect(code).toMatch(/^(?:[A-Z2-7]{6}-){3}[A-Z2-7]{6}$/);
    for (const typed of [
      code,
      code.toLowerCase(),
      ` ${code.replaceAll('-', ' ')} `,
      code.replaceAll('-', ''),
    ])
      expect(readTypedCode(typed)).toEqual({ kind: 'recovery-code', hash: hashes[place] });
  }
  expect(readTypedCode(' 123 456 ')).toEqual({ kind: 'code', digits: '123456' });
});
