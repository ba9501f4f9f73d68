import { satisfiesVersion } from '../../../../src/core/fhir/terminology/business-version';

it.each([
  ['1.2.0', '1.2.0', true],
  ['1.2.0', '1.x.x', true],
  ['1.2.0', '1.X.0', true],
  ['1.2.0', '1.x', true],
  ['1.2.0', '*', true],
  ['1.2.0', '1.2', false],
  ['1.2.0', '1', false],
  ['1.2.0', '1.x.1', false],
  ['1.2.0', '2.x', false],
  ['1.2', '1.2.x', false],
  ['1.2.0.1', '1.x.0', false],
  ['May 2021', 'May 2021', true],
  ['http://snomed.info/sct/900000000000207008/version/20240101', 'x', true],
  [undefined, '1.x', false],
])('the version %s satisfies %s: %s', (version, asked, does) => {
  expect(satisfiesVersion(version, asked)).toBe(does);
});
