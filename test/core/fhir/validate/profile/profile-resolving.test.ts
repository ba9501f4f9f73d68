import type { JsonObject } from '../../../../../src/core';
import { checker } from './checking';
import { BASE, OWN, profile } from './made-snapshots';
import { inSlice, slice, sliced } from './sliced';

describe('A discriminator behind a reference', () => {
  it('by type: of the target of a reference', async () => {
    const reference = (name: string): JsonObject => ({
      type: [{ code: 'Reference', targetProfile: [`${BASE}/${name}`] }],
    });
    const check = await checker('Observation', [
      ...sliced(
        'Observation.performer',
        [['type', 'resolve()']],
        [
          slice('Observation.performer', 'person', { min: 1, max: '1', ...reference('Practitioner') }),
          slice('Observation.performer', 'group', reference('Organization')),
          inSlice('Observation.performer', 'group', 'display', { min: 1 }),
        ],
        { rules: 'closed' },
      ),
    ]);
    const practitioner = { reference: 'Practitioner/1' };
    expect(check({ performer: [{ reference: 'Organization/1', display: 'O' }, practitioner] })).toEqual([]);
    expect(
      check({ performer: [practitioner, { reference: 'Organization/1' }, { reference: 'Patient/1' }] }),
    ).toEqual([
      'Observation.performer[2]: This is in no slice of Observation.performer; there are person, group, and no others are allowed',
      'Observation.performer[1].display: Observation.performer:group.display is missing; at least 1 must be there',
    ]);
    // A target of unknown type is no fault.
    expect(check({ performer: [{ display: 'somebody' }] })).toEqual([]);
    expect(
      check({ performer: [{ reference: '#p' }], contained: [{ resourceType: 'Device', id: 'p' }] }),
    ).toHaveLength(2);
  });

  it('by profile: of the targets of references', async () => {
    const member = 'Observation.hasMember';
    const named = (name: string): JsonObject => ({
      type: [{ code: 'Reference', targetProfile: [`${OWN}/${name}`] }],
    });
    const status = (name: string, code: string): JsonObject =>
      profile(name, 'Observation', [{ path: 'Observation.status', fixedCode: code }]);
    const check = await checker(
      'Observation',
      sliced(
        member,
        [['profile', 'resolve()']],
        [
          slice(member, 'done', { min: 1, ...named('Done') }),
          slice(member, 'begun', { max: '1', ...named('Begun') }),
        ],
        { rules: 'closed' },
      ),
      [status('Done', 'final'), status('Begun', 'preliminary')],
    );
    const contained = ['final', 'preliminary', 'preliminary', 'amended'].map((code, index) => ({
      resourceType: 'Observation',
      id: String(index),
      status: code,
    }));
    const members = (...indexes: number[]): JsonObject => ({
      contained,
      hasMember: indexes.map((index) => ({ reference: `#${index}` })),
    });
    expect(check(members(0, 1))).toEqual([]);
    expect(check(members(1, 2, 3))).toEqual([
      'Observation.hasMember[2]: This is in no slice of Observation.hasMember; there are done, begun, and no others are allowed',
      'Observation.hasMember: There is nothing in the slice \'done\' of Observation.hasMember; at least 1 must be there. The one at [2] does not fit: The value must be exactly "final", but is "amended" (the profile Done)',
      "Observation.hasMember[1]: There are 2 in the slice 'begun' of Observation.hasMember; at most 1 may be",
    ]);
    // A resource elsewhere could be in any slice.
    expect(check({ hasMember: [{ reference: 'Observation/1' }] })).toEqual([]);
  });

  it('by a value of the targets of references', async () => {
    const result = 'DiagnosticReport.result';
    const coded = (name: string): JsonObject =>
      profile(name, 'Observation', [
        { path: 'Observation.code', patternCodeableConcept: { coding: [{ system: 'urn:s', code: name }] } },
      ]);
    const target = (name: string): JsonObject => ({
      type: [{ code: 'Reference', targetProfile: [`${OWN}/${name}`] }],
    });
    const check = await checker(
      'DiagnosticReport',
      sliced(
        result,
        [['value', 'resolve().code']],
        ['hdl', 'ldl'].map((name) => slice(result, name, { min: 1, max: '1', ...target(name) })),
        { rules: 'closed', ordered: true },
      ),
      [coded('hdl'), coded('ldl')],
    );
    const contained = ['hdl', 'ldl', 'other'].map((code) => ({
      resourceType: 'Observation',
      id: code,
      code: { coding: [{ system: 'urn:s', code }] },
    }));
    const results = (...codes: string[]): JsonObject => ({
      contained,
      result: codes.map((code) => ({ reference: `#${code}` })),
    });
    expect(check(results('hdl', 'ldl'))).toEqual([]);
    expect(check(results('ldl', 'hdl'))).toEqual([
      "DiagnosticReport.result[1]: This is in the slice 'hdl', which must come before 'ldl'",
    ]);
    expect(check(results('hdl', 'other')).map((line) => line.replace(/:.*/, ''))).toEqual([
      'DiagnosticReport.result[1]',
      'DiagnosticReport.result',
    ]);
    expect(check({ result: [{ reference: 'Observation/1' }, { reference: 'Observation/2' }] })).toEqual([]);
  });
});
