/**
 * Random searches of random data by REST and by the typed `where` of GraphQL: the same resources in the same order, the same
 * total, and what one refuses the other refuses.
 */
import { releaseDefinitions, type Release } from '../../src/core';
import { createSender, type SendQuery } from '../graphql/gateway-client';
import { OPEN, startServer, type TestServer } from '../support/server';
import { FEATURES, type Feature } from './oracle/features';
import { generateSearch } from './oracle/generate-query';
import { loadSpace, PUBLIC_URL } from './oracle/loaded-space';
import { createRandom } from './oracle/random';

const SEARCHES = 120;
const SEED = 7;
const AT_ONCE = 4;
/** Searches of several types or of a compartment, or with includes: `where` selects matches only. */
const OFF: ReadonlySet<Feature> = new Set(['type', 'compartment', 'include', 'revinclude', 'count', 'total']);
const CONTROL = /^_(sort|count|total|include|revinclude)/;

type Where = Readonly<Record<string, unknown>>;

const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  id: { '': 'eq', not: 'not' },
  token: {
    '': 'eq',
    not: 'not',
    text: 'text',
    in: 'in',
    'not-in': 'notIn',
    above: 'above',
    below: 'below',
    'of-type': 'ofType',
  },
  string: { '': 'startsWith', exact: 'exact', contains: 'contains', text: 'text' },
  uri: { '': 'eq', above: 'above', below: 'below', contains: 'contains' },
  reference: { '': 'eq', identifier: 'identifier', above: 'above', below: 'below' },
  composite: { '': 'eq' },
  special: { '': 'eq' },
};
/** Members of which the values are plain texts. */
const PLAIN = new Set(['startsWith', 'exact', 'contains', 'text', 'in', 'notIn']);
const PREFIXED = new Set(['date', 'number', 'quantity']);

const toArgument = (code: string): string => code.replaceAll('-', '_');
const split = (value: string): string[] => value.match(/(?:\\.|[^\\,]|\\$)+/g) ?? [];
const plain = (text: string): string => text.replace(/\\([\\,|$])/g, '$1');

/** The `where` of one parameter; undefined: it has no such form. */
function toWhere(release: Release, type: string, name: string, value: string): Where | undefined {
  const parameters = releaseDefinitions(release).searchParameters(type);
  if (name.startsWith('_has:')) {
    const [, source = '', code = '', ...rest] = name.split(':');
    const by = releaseDefinitions(release)
      .searchParameters(source)
      .find((one) => one.code === code);
    if (by?.kind !== 'reference' || !by.targets.includes(type)) return undefined;
    const inner = toWhere(release, source, rest.join(':'), value);
    return inner && { _has: { [source]: { [toArgument(code)]: inner } } };
  }
  if (name.includes('.')) {
    const dot = name.indexOf('.');
    const [code = '', named] = name.slice(0, dot).split(':');
    const rest = name.slice(dot + 1);
    const allowed = parameters.find((one) => one.code === code && one.kind === 'reference')?.targets ?? [];
    const targets = allowed.filter((target) => named === undefined || named === target);
    const alternatives = targets.flatMap((target) => {
      const inner = toWhere(release, target, rest, value);
      return inner === undefined ? [] : [{ [toArgument(code)]: { [target]: inner } }];
    });
    if (targets.length > 10 || alternatives.length === 0) return undefined;
    return alternatives.length === 1 ? alternatives[0] : { or: alternatives };
  }
  const [code = '', modifier = ''] = name.split(':');
  const parameter = parameters.find((one) => one.code === code);
  if (parameter === undefined) return undefined;
  const kind = code === '_id' ? 'id' : parameter.kind;
  const field = toArgument(code);
  if (['_text', '_content', '_filter'].includes(code)) return { [field]: value };
  if (modifier === 'missing')
    return ['true', 'false'].includes(value) ? { [field]: { missing: value === 'true' } } : undefined;
  if (PREFIXED.has(kind)) {
    if (modifier !== '') return undefined;
    return {
      or: split(value).map((one) => {
        const [, prefix = 'eq', rest = ''] = /^([a-z]{2})?(.*)$/s.exec(one) ?? [];
        return { [field]: { [prefix]: rest } };
      }),
    };
  }
  const isType = kind === 'reference' && releaseDefinitions(release).resourceTypes.includes(modifier);
  const member = MEMBERS[kind]?.[isType ? '' : modifier];
  if (member === undefined) return undefined;
  const values = split(value).map((one) => {
    if (isType) return `${modifier}/${plain(one)}`;
    return PLAIN.has(member) ||
      kind === 'uri' ||
      kind === 'id' ||
      (kind === 'reference' && member !== 'identifier')
      ? plain(one)
      : one;
  });
  return { [field]: { [member]: values } };
}

describe('random searches', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ environment: { ...OPEN, PUBLIC_URL } });
  });
  afterAll(() => server.close());

  it.each<Release>(['r4', 'r4b'])('are answered alike by REST and by where in %s', async (release) => {
    const send: SendQuery = createSender(server, 'system', release);
    const space = await loadSpace(server, {
      tenant: 'system',
      release,
      seed: SEED,
      size: 0.5,
      hasContained: true,
    });
    const random = createRandom(SEED);
    const isOn = (feature: Feature): boolean => FEATURES.includes(feature) && !OFF.has(feature);
    const tally = { total: 0, found: 0, refused: 0, left: 0 };
    const wrong: string[] = [];

    async function compare(type: string, query: string): Promise<void> {
      const pairs = [...new URLSearchParams(query)];
      const wheres = pairs
        .filter(([name]) => !CONTROL.test(name))
        .map(([name, value]) => toWhere(release, type, name, value));
      if (wheres.includes(undefined)) {
        tally.left++;
        return;
      }
      const sort = pairs.find(([name]) => name === '_sort')?.[1];
      const rest = await server.request(
        'GET',
        `${server.path('system', release)}/${type}?${query}&_count=200&_total=accurate`,
      );
      const answer = await send(
        `query ($where: ${type}Where, $sort: String) {
          found: ${type}Connection(where: $where, _sort: $sort, _count: 200) { count edges { resource { id } } }
        }`,
        { where: { and: wheres }, sort },
      );
      tally.total++;
      if (rest.status === 400) {
        tally.refused++;
        if (answer.errors.length === 0)
          wrong.push(`REST refuses ${type}?${query}: ${rest.text.slice(0, 300)}`);
        return;
      }
      const ids = (rest.json.entry ?? [])
        .filter((entry: { search: { mode: string } }) => entry.search.mode === 'match')
        .map((entry: { resource: { id: string } }) => entry.resource.id);
      if (ids.length > 0) tally.found++;
      // Without `_sort` the order is that of the plan.
      const inOrder = (found: string[]): string[] => (sort === undefined ? [...found].sort() : found);
      const expected = JSON.stringify([rest.json.total, inOrder(ids)]);
      const { found } = answer.found ?? {};
      const got = found
        ? JSON.stringify([
            found.count,
            inOrder(found.edges.map((edge: { resource: { id: string } }) => edge.resource.id)),
          ])
        : JSON.stringify(answer.errors.map(({ message }) => message));
      if (expected !== got && !(rest.status >= 400 && answer.errors.length > 0))
        wrong.push(
          `${type}?${decodeURIComponent(query)}\n  ${JSON.stringify(wheres)}\n  REST    ${expected}\n  GraphQL ${got}`,
        );
    }

    const searches = Array.from({ length: SEARCHES }, () => generateSearch({ space, random, isOn }));
    const worker = async (): Promise<void> => {
      for (let one = searches.pop(); one !== undefined; one = searches.pop())
        await compare(one.type ?? '', one.query);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    if (wrong.length > 0) throw new Error(`${wrong.length} differ:\n${wrong.slice(0, 5).join('\n')}`);
    // The test would show nothing if there were hardly any searches or matches.
    expect(tally.total).toBeGreaterThan(SEARCHES * 0.7);
    expect(tally.found).toBeGreaterThan(SEARCHES * 0.3);
    expect(tally.refused).toBeGreaterThan(0);
  });
});
