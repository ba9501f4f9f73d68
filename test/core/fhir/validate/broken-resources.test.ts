/** Each broken resource is refused by the rule that it breaks, at the exact place, and by nothing else. */
import { FhirError } from '../../../../src/core/errors';
import { isJsonObject, parseJson } from '../../../../src/core/fhir/json';
import type { Release } from '../../../../src/core/fhir/release';
import { FINDING_RULES } from '../../../../src/core/fhir/validate';
import { readBrokenResources, type BrokenResource, type ExpectedError } from './broken-resources';
import { validatorOf } from './judged';
import { claimedProfiles } from './specification-profiles';
import { TESTED_RELEASES } from '../../../support/releases';

const broken = readBrokenResources();

describe.each(TESTED_RELEASES)('in %s', (release) => {
  const cases = broken.filter(({ releases }) => releases.includes(release));
  const profiles = [claimedProfiles(release)];

  it.each(cases.map((one) => [one.title, one] as const))('%s', (_title, one) => {
    expect(errorsOf(one, release)).toEqual(one.expected);
  });

  function errorsOf({ text }: BrokenResource, of: Release): ExpectedError[] {
    try {
      const { value } = parseJson(text);
      if (!isJsonObject(value)) throw new Error('a broken resource is an object');
      return validatorOf(of)
        .validate(value, { isFull: true, profiles })
        .findings.filter(({ severity }) => severity === 'error')
        .map(({ rule, expression }) => ({ rule, expression }));
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      return error.issues.map(({ expression }) => ({ rule: 'json', expression }));
    }
  }
});

it('there are 200 and more, each with a title of its own, for every rule that can refuse a resource', () => {
  expect(broken.length).toBeGreaterThanOrEqual(200);
  expect(new Set(broken.map(({ title, text }) => title + text)).size).toBe(broken.length);
  const rules = new Set(broken.flatMap(({ expected }) => expected.map(({ rule }) => rule)));
  // `unresolved` refuses no write, `tooCostly` is told beside a hundred errors, and `questionnaire` takes a second resource
  // (test/rest/questionnaire-responses.test.ts).
  const others = ['unresolved', 'tooCostly', 'questionnaire'];
  const refusing = Object.keys(FINDING_RULES).filter((rule) => !others.includes(rule));
  expect([...rules].sort()).toEqual([...refusing, 'json'].sort());
});
