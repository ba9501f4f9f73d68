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
    await opened.core.interactions.update(context, {
      type,
      id,
      input: toResourceInput(text, { maxDepth: 64 }),
    });
  };
  const ids = async (type: string, where: readonly SearchCondition[]): Promise<string[]> => {
    const page = await opened.core.interactions.search(context, { type, parameters: [], where });
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
    ['no condition matches all resources', [], ['ann', 'bob', 'cid']],
    ['a resource must meet all conditions', [is('gender', 'male'), is('birthdate', 'lt1985')], ['bob']],
    [
      'a resource must meet one of several alternatives',
      [
        {
          kind: 'any',
          of: [[is('gender', 'female')], [is('family', 'Cain'), is('gender', 'male')]],
        },
      ],
      ['ann', 'cid'],
    ],
    ['an empty list of alternatives matches nothing', [{ kind: 'any', of: [] }], []],
    [
      'an empty alternative matches all resources',
      [{ kind: 'any', of: [[is('gender', 'other')], []] }],
      ['ann', 'bob', 'cid'],
    ],
    [
      'a negation matches resources that do not meet all conditions',
      [{ kind: 'not', of: [is('gender', 'male'), is('family', 'Abel')] }],
      ['ann', 'cid'],
    ],
    ['the negation of no condition matches nothing', [{ kind: 'not', of: [] }], []],
    [
      'an alternative may contain a negated modifier',
      [{ kind: 'any', of: [[is('gender:not', 'male')], [is('family', 'Cain')]] }],
      ['ann', 'cid'],
    ],
    [
      'one referring resource must meet all conditions',
      [observed([is('code', 'x'), is('date', '2021')])],
      ['bob'],
    ],
    [
      'two referring resources may meet one condition each',
      [observed([is('code', 'x')]), observed([is('date', '2021')])],
      ['ann', 'bob'],
    ],
    ['any resource may refer to it', [observed([])], ['ann', 'bob']],
    ['no resource may refer to it', [{ kind: 'not', of: [observed([])] }], ['cid']],
  ];
  it.each(patients)('%s', async (_title, where, found) => {
    expect(await ids('Patient', where)).toEqual(found);
  });

  const observations: readonly (readonly [string, readonly SearchCondition[], readonly string[]])[] = [
    [
      'a referenced resource must meet all conditions',
      [patient([is('family', 'Abel'), is('gender', 'male')])],
      ['b1'],
    ],
    ['any resource of a type may be referenced', [patient([])], ['a1', 'a2', 'b1']],
    [
      'a chain may return to the first type',
      [patient([observed([is('code', 'y')])]), is('code', 'x')],
      ['a1'],
    ],
    [
      'a chain may end in alternatives',
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

  it('have pages with cursors that are valid only for the same condition', async () => {
    const where = [is('family', 'Abel')];
    const ask = (by: readonly SearchCondition[], cursor = '') =>
      opened.core.interactions.search(context, {
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

  it('are refused like search parameters, and their number is limited', async () => {
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
