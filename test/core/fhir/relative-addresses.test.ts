/** Addresses in the lines of an import (src/core/fhir/relative-addresses.ts). */
import { withRelativeAddresses } from '../../../src/core/fhir/relative-addresses';

const OWN = 'https://own.example/w/a/api/v1/fhir/r4';
const SOURCE = 'https://source.example/fhir';
const addresses = {
  source: SOURCE,
  below: (url: string) => (url.startsWith(`${OWN}/`) ? url.slice(OWN.length + 1) : undefined),
};
const relative = (text: string, isBundle = false): string => withRelativeAddresses(text, addresses, isBundle);

it.each([
  [`{"url":"${OWN}/Binary/a"}`, '{"url":"Binary/a"}'],
  [`{"url" : "${SOURCE}/Binary/a/_history/2","n":1.50}`, '{"url" : "Binary/a/_history/2","n":1.50}'],
  [`{"url":"${SOURCE.replaceAll('/', '\\/')}\\/Binary\\/a"}`, '{"url":"Binary/a"}'],
  [`{"reference":"${SOURCE}/Patient/a"}`, '{"reference":"Patient/a"}'],
])('%s becomes %s', (text, expected) => {
  expect(relative(text)).toBe(expected);
});

it.each([
  ['the address of another resource', `{"url":"${SOURCE}/Patient/a"}`],
  ['an id of dots', `{"url":"${OWN}/Binary/.."}`],
  ['a version of dots', `{"url":"${OWN}/Binary/a/_history/."}`],
  ['dots in a path', `{"url":"${OWN}/../../Binary/a"}`],
  ['another name', `{"system":"${OWN}/Binary/a"}`],
  ['a longer name', `{"a\\"url":"${OWN}/Binary/a"}`],
  ['JSON in a text', JSON.stringify({ text: `{"url":"${OWN}/Binary/a"}` })],
  ['a reference of the own space', `{"reference":"${OWN}/Patient/a"}`],
  ['a wrong escape', `{"url":"\\x${OWN}/Binary/a"}`],
  ['an address that is too long', `{"url":"${OWN}/Binary/${'a'.repeat(5_000)}"}`],
])('%s stays', (_name, text) => {
  expect(relative(text)).toBe(text);
});

it('entries of a Bundle keep their references, and other urls of Binaries become relative', () => {
  const text = `{"reference":"${SOURCE}/Patient/a","url":"${SOURCE}/Binary/a"}`;
  expect(relative(text, true)).toBe(`{"reference":"${SOURCE}/Patient/a","url":"Binary/a"}`);
});

it('a text of any depth is searched without being parsed', () => {
  const nested = `${'['.repeat(200_000)}{"url":"${OWN}/Binary/a"}${']'.repeat(200_000)}`;
  expect(relative(nested)).toBe(nested.replace(`${OWN}/`, ''));
});
