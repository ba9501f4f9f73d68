/**
 * Searches accept the parameters of the CapabilityStatement. test/properties/every-parameter shows that each
 * parameter also finds its values and leaves out the rest.
 */
import { setTimeout } from 'node:timers/promises';
import { entryOf, bundleOf } from '../support/bundles';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

const servers = new Map<string, TestServer>();
beforeAll(async () => {
  for (const AUDIT of ['off', 'on'])
    servers.set(AUDIT, await startServer({ because: 'AUDIT', environment: { AUDIT } }));
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

interface Listed {
  readonly name: string;
  readonly definition?: string;
  readonly type: string;
}
interface ListedType {
  readonly type: string;
  readonly searchParam: readonly Listed[];
  readonly searchInclude?: readonly string[];
  readonly searchRevInclude?: readonly string[];
}
interface Outcome {
  readonly issue: readonly { readonly diagnostics: string }[];
}
interface Composite {
  readonly url: string;
  readonly component: readonly { readonly definition: string }[];
}

/** A value that is one for parameters of the type, whether or not anything has it. */
const VALUES: Readonly<Record<string, string>> = {
  number: '5',
  date: '2020-01',
  string: 'some',
  token: 'some',
  reference: 'some',
  quantity: '5|http://unitsofmeasure.org|mg',
  uri: 'http://example.org/some',
};
/** Special parameters, and those with values of the server. */
const NAMED: Readonly<Record<string, string>> = {
  near: '48.2|16.4|5|km',
  _filter: '_id eq some',
  _has: 'Provenance:target:agent=some',
  _id: 'some',
  _list: 'some',
  _text: 'some',
  _content: 'some',
  _type: 'Patient',
  _sort: '_lastUpdated',
  _count: '5',
  _offset: '0',
  _include: 'Observation:subject',
  _revinclude: 'Observation:subject',
  _summary: 'count',
  _total: 'none',
  _elements: 'id',
  _contained: 'false',
  _containedType: 'container',
};
/** In one request. */
const MOST = 300;
/** Inclusions of one search: it may have a few. */
const TOGETHER = 10;

describe.each(
  TESTED_RELEASES.flatMap((release) => [
    { release, audit: 'off' },
    { release, audit: 'on' },
  ]),
)('the search parameters in metadata of $release where AUDIT is $audit', ({ release, audit }) => {
  const send = (method: string, rest: string, body?: unknown): Promise<Answer> => {
    const server = servers.get(audit);
    if (server === undefined) throw new Error('there is no server');
    return server.request(method, `${server.path('system', release)}${rest}`, body);
  };
  let types: readonly ListedType[];
  let common: readonly Listed[];
  beforeAll(async () => {
    const { json } = await send('GET', '/metadata');
    [{ resource: types, searchParam: common }] = json.rest;
    // AuditEvents alone are searched otherwise where they are recorded.
    if (audit === 'on') types = types.filter(({ type }) => type === 'AuditEvent' || type === 'Patient');
  });

  /** Requests that are not answered with 200: as entries of a batch, or each by itself. */
  async function refused(searches: readonly string[], isAlone = false): Promise<readonly string[]> {
    const wrong: string[] = [];
    const record = (search: string, status: string, outcome?: Outcome): void => {
      if (!status.startsWith('200'))
        wrong.push(`${search}: ${status} ${outcome?.issue[0]?.diagnostics ?? ''}`);
    };
    if (isAlone)
      for (const search of searches) {
        const { status, json } = await send('GET', `/${search}`);
        record(search, String(status), json);
      }
    for (let start = 0; start < searches.length; start += MOST) {
      const some = searches.slice(start, start + MOST);
      const { json } = await send(
        'POST',
        '',
        bundleOf('batch', ...some.map((search) => entryOf('GET', search))),
      );
      some.forEach((search, index) => {
        const { status, outcome } = json.entry[index].response;
        record(search, status, outcome);
      });
    }
    return wrong;
  }

  it('for each type: every search parameter is one to search by', async () => {
    const { json } = await send('GET', '/SearchParameter?type=composite&_count=1000');
    const composites = new Map<string, Composite>(
      json.entry.map(({ resource }: { resource: Composite }) => [resource.url, resource]),
    );
    const kinds = new Map<string | undefined, string>();
    for (const { searchParam } of (await send('GET', '/metadata')).json.rest[0].resource as ListedType[])
      for (const { definition, type } of searchParam) kinds.set(definition, type);
    const valueOf = ({ name, definition, type }: Listed): string => {
      const named = NAMED[name];
      if (named !== undefined) return named;
      if (type !== 'composite') return VALUES[type] ?? '';
      const parts = composites.get(definition ?? '')?.component ?? [];
      return parts.map((part) => VALUES[kinds.get(part.definition) ?? ''] ?? '').join('$');
    };
    const toSearch = (type: string, listed: Listed): string =>
      `${type}?${listed.name}=${encodeURIComponent(valueOf(listed))}`;
    const own = types.flatMap(({ type, searchParam }) =>
      searchParam.filter(({ name }) => !name.startsWith('_')).map((listed) => toSearch(type, listed)),
    );
    // Those that all types have: together, for each type.
    const shared = types.map(({ type, searchParam }) => {
      const ofAll = searchParam.filter(({ name }) => name.startsWith('_'));
      return ofAll
        .map((listed) => toSearch(type, listed))
        .reduce((all, next) => `${all}&${next.slice(type.length + 1)}`);
    });
    expect(own.filter((search) => search.endsWith('='))).toEqual([]);
    expect(own.length).toBeGreaterThan(audit === 'on' ? 20 : 1000);
    expect(await refused([...own, ...shared], audit === 'on')).toEqual([]);
    // A name that is not listed is none.
    expect(await refused(['Patient?listed-nowhere=some'])).toHaveLength(1);
    for (const listed of common) {
      const search = `${toSearch('', listed)}&_count=1`;
      expect([search, (await send('GET', search)).status]).toEqual([search, 200]);
    }
  });

  it('for AuditEvents: those of the tenant, where they are ordinary resources', async () => {
    const made = {
      resourceType: 'SearchParameter',
      url: 'http://example.org/SearchParameter/outcome-text',
      name: 'OutcomeText',
      status: 'active',
      description: 'Text of the outcome',
      code: 'outcome-text',
      base: ['AuditEvent', 'Patient'],
      type: 'string',
      expression: 'AuditEvent.outcomeDesc | Patient.name.text',
    };
    expect((await send('POST', '/SearchParameter', made)).status).toBe(201);
    const listedOf = async (wanted: string): Promise<boolean> => {
      const { json } = await send('GET', '/metadata');
      const found = (json.rest[0].resource as ListedType[]).find(({ type }) => type === wanted);
      return found?.searchParam.some(({ name }) => name === made.code) ?? false;
    };
    while (!(await listedOf('Patient'))) await setTimeout(50);
    expect(await listedOf('AuditEvent')).toBe(audit === 'off');
    const { status } = await send('GET', `/AuditEvent?${made.code}=some`);
    expect(status).toBe(audit === 'off' ? 200 : 400);
  });

  it('for each type: every inclusion is one that searches follow', async () => {
    const searches = types.flatMap(({ type, searchInclude = [], searchRevInclude = [] }) => {
      const paths = [
        ...searchInclude.map((path) => `_include=${path}`),
        ...searchRevInclude.map((path) => `_revinclude=${path}`),
      ];
      return Array.from({ length: Math.ceil(paths.length / TOGETHER) }, (_, at) =>
        [`${type}?_id=some`, ...paths.slice(at * TOGETHER, (at + 1) * TOGETHER)].join('&'),
      );
    });
    expect(searches.join('&').match(/include=/g)?.length).toBeGreaterThan(audit === 'on' ? 40 : 1000);
    expect(await refused(searches, audit === 'on')).toEqual([]);
  });
});
