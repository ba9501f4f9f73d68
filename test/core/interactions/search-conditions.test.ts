/** Searches by a tree of conditions, as GraphQL's `where` asks them. */
import { type RequestContext, type SearchCondition, toResourceInput } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

const is = (name: string, value: string): SearchCondition => ({ kind: 'parameter', name, value });
const patient = (of: readonly SearchCondition[]): SearchCondition => ({
  kind: 'chain',
  parameter: 'subject',
  target: 'Patient',
  of,
});
const observed = (of: readonly SearchCondition[]): SearchCondition => ({
  kind: 'has',
  source: 'Observation',
  parameter: 'subject',
  of,
});

describe.each(TESTED_RELEASES)('conditions in %s', (release) => {
  let opened: OpenedCore;
  let context: RequestContext;
  const put = async (type: string, id: string, resource: object): Promise<void> => {
    const text = JSON.stringify({ resourceType: type, id, ...resource });
    await opened.core.update(context, { type, id, input: toResourceInput(text, { maxDepth: 64 }) });
  };
  const ids = async (type: string, where: readonly SearchCondition[]): Promise<string[]> => {
    const page = await opened.core.search(context, { type, parameters: [], where });
    return page.matches.map(({ id }) => id).sort();
  };

  beforeAll(async () => {
    opened = await openCore();
    context = await opened.context('system', release);
    await put('Patient', 'ann', { gender: 'female', birthDate: '1970', name: [{ family: 'Abel' }] });
    await put('Patient', 'bob', { gender: 'male', birthDate: '1980', name: [{ family: 'Abel' }] });
    await put('Patient', 'cid', { gender: 'male', birthDate: '1990', name: [{ family: 'Cain' }] });
    const code = (text: string): object => ({ status: 'final', code: { coding: [{ code: text }] } });
    await put('Observation', 'a1', {
      ...code('x'),
      subject: { reference: 'Patient/ann' },
      effectiveDateTime: '2020',
    });
    await put('Observation', 'a2', {
      ...code('y'),
      subject: { reference: 'Patient/ann' },
      effectiveDateTime: '2021',
    });
    await put('Observation', 'b1', {
      ...code('x'),
      subject: { reference: 'Patient/bob' },
      effectiveDateTime: '2021',
    });
    await put('Observation', 'n1', code('x'));
  });
  afterAll(() => opened.close());

  const patients: readonly (readonly [string, readonly SearchCondition[], readonly string[]])[] = [
    ['nothing asks for nothing', [], ['ann', 'bob', 'cid']],
    ['all are met together', [is('gender', 'male'), is('birthdate', 'lt1985')], ['bob']],
    [
      'one of several is enough, each of which may be several',
      [
        {
          kind: 'any',
          of: [[is('gender', 'female')], [is('family', 'Cain'), is('gender', 'male')]],
        },
      ],
      ['ann', 'cid'],
    ],
    ['one of none is never met', [{ kind: 'any', of: [] }], []],
    [
      'an empty alternative is always met',
      [{ kind: 'any', of: [[is('gender', 'other')], []] }],
      ['ann', 'bob', 'cid'],
    ],
    [
      'what does not meet all of them',
      [{ kind: 'not', of: [is('gender', 'male'), is('family', 'Abel')] }],
      ['ann', 'cid'],
    ],
    ['the contrary of nothing is never met', [{ kind: 'not', of: [] }], []],
    [
      'a negated modifier inside of an alternative',
      [{ kind: 'any', of: [[is('gender:not', 'male')], [is('family', 'Cain')]] }],
      ['ann', 'cid'],
    ],
    ['one resource that refers to it meets all', [observed([is('code', 'x'), is('date', '2021')])], ['bob']],
    ['two may', [observed([is('code', 'x')]), observed([is('date', '2021')])], ['ann', 'bob']],
    ['anything that refers to it', [observed([])], ['ann', 'bob']],
    ['nothing that refers to it', [{ kind: 'not', of: [observed([])] }], ['cid']],
  ];
  it.each(patients)('%s', async (_title, where, found) => {
    expect(await ids('Patient', where)).toEqual(found);
  });

  const observations: readonly (readonly [string, readonly SearchCondition[], readonly string[]])[] = [
    ['what it refers to meets all', [patient([is('family', 'Abel'), is('gender', 'male')])], ['b1']],
    ['it refers to anything of a type', [patient([])], ['a1', 'a2', 'b1']],
    ['links go on and come back', [patient([observed([is('code', 'y')])]), is('code', 'x')], ['a1']],
    [
      'alternatives stand below links',
      [
        patient([{ kind: 'any', of: [[is('gender', 'female')], [is('birthdate', '1980')]] }]),
        is('code', 'x'),
      ],
      ['a1', 'b1'],
    ],
  ];
  it.each(observations)('%s', async (_title, where, found) => {
    expect(await ids('Observation', where)).toEqual(found);
  });

  it('go on page by page, by cursors that no other condition takes', async () => {
    const where = [is('family', 'Abel')];
    const ask = (by: readonly SearchCondition[], cursor = '') =>
      opened.core.search(context, {
        type: 'Patient',
        parameters: [
          ['_count', '1'],
          ['_sort', 'birthdate'],
          ['_cursor', cursor],
        ],
        where: by,
      });
    const first = await ask(where);
    const second = await ask(where, first.next);
    expect([first, second].map(({ matches }) => matches.map(({ id }) => id))).toEqual([['ann'], ['bob']]);
    expect(second.next).toBeUndefined();
    await expect(ask([is('family', 'Cain')], first.next)).rejects.toMatchObject({ key: 'invalidCursor' });
  });

  it('are refused as parameters are, and bounded', async () => {
    const refused = (where: readonly SearchCondition[]): Promise<unknown> =>
      ids('Patient', where).catch((error: unknown) => (error as { key: string }).key);
    expect(await refused([is('nothing', 'x')])).toBe('unknownParameter');
    expect(await refused([is('gender:exact', 'x')])).toBe('unsupportedModifier');
    expect(await refused([is('birthdate', 'soon')])).toBe('invalidParameterValue');
    expect(await refused([{ ...observed([]), parameter: 'code' } as SearchCondition])).toBe(
      'invalidParameterValue',
    );
    expect(await refused([{ kind: 'chain', parameter: 'family', target: 'Patient', of: [] }])).toBe(
      'unknownParameter',
    );
    expect(
      await refused([{ kind: 'any', of: Array.from({ length: 201 }, () => [is('gender', 'male')]) }]),
    ).toBe('tooCostly');
    let deep = is('gender', 'male');
    for (let level = 0; level < 25; level++) deep = { kind: 'not', of: [deep] };
    expect(await refused([deep])).toBe('tooCostly');
  });
});
