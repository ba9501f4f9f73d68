/**
 * The expansions that HL7 publishes beside the specification, as an oracle for ours (published-expansions.json has a
 * digest of each; scripts/build-published-expansions.mjs makes it). Differences stand in expansion-differences.json,
 * each with its reason.
 */
import { createHash } from 'node:crypto';
import { FhirError } from '../../../../src/core/errors';
import { RELEASE_NAMES, type Release } from '../../../../src/core/fhir/release';
import { composeValueSet } from '../../../../src/core/fhir/terminology/compose';
import {
  findMember,
  listMembers,
  ValueSetEvaluation,
} from '../../../../src/core/fhir/terminology/membership';
import differences from './expansion-differences.json';
import published from './published-expansions.json';
import { makeSource } from './specification-terminology';

interface Difference {
  readonly reason: string;
  /** `system code` of what is in ours alone. */
  readonly extra?: readonly string[];
  /** The published list is only the beginning. */
  readonly isCut?: boolean;
}

const DIFFERENCES: Readonly<Record<Release, Readonly<Record<string, Difference>>>> = differences;
/** So many come out equal; the rest needs code systems that are not among the definitions. */
const EQUAL: Readonly<Record<Release, number>> = { r4: 476, r4b: 525 };

describe.each(RELEASE_NAMES)('the published expansions of %s', (release) => {
  const source = makeSource(release);

  async function listCodes(url: string): Promise<readonly string[] | undefined> {
    const resource = await source.findValueSet(url);
    if (resource === undefined) return undefined;
    try {
      const composed = await composeValueSet(resource, source);
      return (await listMembers(composed, new ValueSetEvaluation())).map(
        ({ system, code }) => `${system} ${code}`,
      );
    } catch (error) {
      if (error instanceof FhirError && error.key === 'notSupported') return undefined;
      throw error;
    }
  }

  test('have the same codes as the published expansions, except for listed differences', async () => {
    const equal: string[] = [];
    const different: string[] = [];
    for (const [url, { digest }] of Object.entries(published[release])) {
      const ours = await listCodes(url);
      if (ours !== undefined) (toDigest(ours) === digest ? equal : different).push(url);
    }
    expect(different.sort()).toEqual(Object.keys(DIFFERENCES[release]).sort());
    expect(equal).toHaveLength(EQUAL[release]);
  });

  test('differ by exactly what is listed', async () => {
    const expansions = new Map(Object.entries(published[release]));
    for (const [url, { reason, extra = [], isCut }] of Object.entries(DIFFERENCES[release])) {
      const ours = (await listCodes(url)) ?? [];
      const theirs = expansions.get(url);
      expect(reason).not.toBe('');
      if (isCut === true) expect(ours.length).toBeGreaterThan(theirs?.codes ?? 0);
      else expect(toDigest(ours.filter((code) => !extra.includes(code)))).toBe(theirs?.digest);
    }
  });

  test('have each code that is validated alone', async () => {
    for (const url of Object.keys(published[release]).filter((_url, index) => index % 10 === 0)) {
      const ours = await listCodes(url);
      const resource = await source.findValueSet(url);
      if (ours === undefined || resource === undefined) continue;
      const composed = await composeValueSet(resource, source);
      for (const key of ours) {
        const [system = '', code = ''] = key.split(/ (.*)/, 2);
        expect(findMember(composed, system, code, new ValueSetEvaluation())?.code).toBe(code);
        expect(findMember(composed, system, `${code}-not`, new ValueSetEvaluation())).toBeUndefined();
      }
    }
  });
});

function toDigest(codes: readonly string[]): string {
  return createHash('sha256')
    .update([...codes].sort().join('\n'))
    .digest('hex')
    .slice(0, 32);
}
