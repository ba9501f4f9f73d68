/** `_sort` of more than 10,000 matches, by a token and by what is equal in all of them: as it stands for few. */
import { toResourceInput, type Release, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { runOnServer } from '../../support/services';
import { TESTED_RELEASES } from '../../support/releases';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

/** Values of `code`: several codes, in several systems and spellings, none, and no code at all. */
const CODES: readonly (object | undefined)[] = [
  { coding: [{ code: 'm' }, { code: 'z' }] },
  { coding: [{ system: 'urn:a', code: 'B' }] },
  { coding: [{ system: 'urn:b', code: 'b' }] },
  { text: 'words alone' },
  undefined,
  { coding: [{ code: '𐐀' }, { code: 'ﬀ' }] },
  { coding: [{ code: 'a' }, { code: 'm' }] },
];
const FEW = 28;
const COPIES = 400;

async function fill(context: RequestContext, release: Release): Promise<void> {
  for (let number = 0; number < FEW; number++) {
    const code = CODES[number % CODES.length];
    const resource = {
      resourceType: 'Condition',
      id: `c${number}`,
      onsetDateTime: '2020-05',
      subject: { reference: number % 14 === 0 ? 'Patient/1' : 'Patient/2' },
      ...(code === undefined ? {} : { code }),
      ...(number % 2 === 0 ? { recordedDate: `20${10 + number}` } : {}),
    };
    const input = toResourceInput(JSON.stringify(resource), { maxDepth: 64 });
    await opened.core.interactions.update(context, { type: 'Condition', id: `c${number}`, input });
  }
  // Written past the server: eleven thousand requests would take long. The first lie among the copies by their keys.
  const copies = `generate_series(1, ${COPIES}) as n where t.space = (
    select s.number from andiron.space s join andiron.tenant a on a.number = s.tenant
    where a.name = 'system' and s.release = '${release}' and s.kind = 'data')`;
  for (const [table, change] of [
    ['resource', `id = coalesce(id, 'x') || '-' || n`],
    ['resource_version', `id = coalesce(id, 'x') || '-' || n`],
    ['token_index', 'value_hash = value_hash'],
    ['reference_index', 'target_key = target_key'],
    ['range_index', 'low = low'],
  ] as const)
    await runOnServer(
      opened.database.settings,
      `create temp table copy as select t.*, n from andiron.${table} t, ${copies};
       update copy set resource_key = hashtextextended(resource_key::text, n), ${change};
       alter table copy drop column n;
       insert into andiron.${table} select * from copy`,
    );
}

describe.each(TESTED_RELEASES)('a search of many codes in %s', (release) => {
  let context: RequestContext;
  beforeAll(async () => {
    context = await opened.context('system', release);
    await fill(context, release);
  });

  interface Met {
    readonly keys: string[];
    readonly totals: (number | undefined)[];
  }

  async function follow(parameters: readonly (readonly [string, string])[], pages = Infinity): Promise<Met> {
    const met: Met = { keys: [], totals: [] };
    let cursor: string | undefined;
    for (;;) {
      const page = await opened.core.interactions.search(context, {
        type: 'Condition',
        parameters: [...parameters, ...(cursor === undefined ? [] : [['_cursor', cursor] as const])],
      });
      met.keys.push(...page.matches.map(({ id }) => id));
      met.totals.push(page.total);
      cursor = page.next;
      if (cursor === undefined || met.totals.length === pages) return met;
    }
  }

  /** Sorts few matches, whose values the process reads from their texts. */
  async function ofFew(sort: string): Promise<string[]> {
    const { keys } = await follow([
      ['_sort', sort],
      ['_count', '1000'],
      ['_id', Array.from({ length: FEW }, (_, number) => `c${number}`).join(',')],
    ]);
    return keys;
  }

  // The rest runs the same code for both releases; each of them shows a part of it.
  if (release === 'r4') {
    it('finds each resource once, in the same order as a search of few resources', async () => {
      const parameters = [
        ['_sort', '-code'],
        ['_count', '1000'],
      ] as const;
      const { keys } = await follow(parameters);
      expect(keys).toHaveLength(FEW * (COPIES + 1));
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.filter((id) => /^c\d+$/.test(id))).toEqual(await ofFew('-code'));
    });
  } else {
    it('sorts with further criteria and equal first keys, and returns the requested total', async () => {
      const parameters = [
        ['subject', 'Patient/2'],
        ['code:not', 'nothing'],
        ['_sort', 'onset-date,code'],
        ['_count', '1000'],
        ['_total', 'accurate'],
      ] as const;
      const { keys, totals } = await follow(parameters, 3);
      const few = (await ofFew('onset-date,code')).filter((id) => Number(id.slice(1)) % 14 !== 0);
      expect(few.length * COPIES).toBeGreaterThan(10_000);
      const met = keys.filter((id) => /^c\d+$/.test(id));
      expect(met.length).toBeGreaterThan(0);
      expect(met).toEqual(few.slice(0, met.length));
      expect(totals).toEqual(Array.from({ length: 3 }, () => few.length * (COPIES + 1)));
      expect(new Set(keys).size).toBe(3000);
    });
  }
});
