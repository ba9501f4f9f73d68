/** Pages of connections by the conventions of Relay: first and after, last and before. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';
import { createSender, type SendQuery } from './gateway-client';

const IDS = ['a', 'b', 'c', 'd', 'e'];

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('pages of connections of %s', (release) => {
  let send: SendQuery;
  beforeAll(async () => {
    send = createSender(server, 'system', release);
    const put = (resource: { resourceType: string; id: string }) =>
      server.request(
        'PUT',
        `${server.path('system', release)}/${resource.resourceType}/${resource.id}`,
        resource,
      );
    for (const id of IDS)
      await put({ resourceType: 'Patient', id, name: [{ family: `F${id}` }] } as {
        resourceType: string;
        id: string;
      });
    for (const id of ['o1', 'o2', 'o3'])
      await put({
        ...{ resourceType: 'Observation', id, status: 'final', code: { text: 'a' } },
        subject: { reference: 'Patient/a' },
      } as { resourceType: string; id: string });
  });

  const FIELDS =
    'edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  interface Page {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
    readonly nodes: readonly { readonly id: string }[];
    readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
      Readonly<Record<'startCursor' | 'endCursor', string | null>>;
  }
  const page = async (args: string, fields = FIELDS): Promise<Page> => {
    const { found, errors } = await send(`{ PatientConnection(${args}) { ${fields} } }`);
    expect(errors).toEqual([]);
    return found.PatientConnection as Page;
  };
  const idsOf = ({ edges, nodes, pageInfo }: Page): readonly string[] => {
    expect(nodes).toEqual(edges.map(({ node }) => node));
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
      edges[0]?.cursor ?? null,
      edges.at(-1)?.cursor ?? null,
    ]);
    return nodes.map(({ id }) => id);
  };

  it.each([
    '_sort: "_id"',
    '_sort: "family"',
    '_sort: "-family,_id"',
    'where: {active: {missing: true}}, _sort: "_id"',
  ])('go forward to the end and backward to the beginning, sorted by %s', async (search) => {
    const all = idsOf(await page(search));
    expect([...all].sort()).toEqual(IDS);
    const forward: string[][] = [];
    let args = `${search}, first: 2`;
    for (;;) {
      const one = await page(args);
      forward.push([...idsOf(one)]);
      expect(one.pageInfo.hasPreviousPage).toBe(forward.length > 1);
      if (!one.pageInfo.hasNextPage) break;
      args = `${search}, first: 2, after: "${one.pageInfo.endCursor ?? ''}"`;
    }
    expect(forward).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    const backward: string[][] = [];
    args = `${search}, last: 2`;
    for (;;) {
      const one = await page(args);
      backward.unshift([...idsOf(one)]);
      expect(one.pageInfo.hasNextPage).toBe(backward.length > 1);
      if (!one.pageInfo.hasPreviousPage) break;
      args = `${search}, last: 2, before: "${one.pageInfo.startCursor ?? ''}"`;
    }
    expect(backward).toEqual([all.slice(0, 1), all.slice(1, 3), all.slice(3)]);
  });

  it('begin after and end before any edge', async () => {
    const { edges } = await page('_sort: "_id"');
    const cursor = edges[2]?.cursor ?? '';
    expect(idsOf(await page(`_sort: "_id", after: "${cursor}"`))).toEqual(['d', 'e']);
    expect(idsOf(await page(`_sort: "_id", before: "${cursor}"`))).toEqual(['a', 'b']);
    expect(idsOf(await page(`_sort: "_id", first: 1, after: "${cursor}"`))).toEqual(['d']);
    expect(idsOf(await page(`_sort: "_id", last: 1, before: "${cursor}"`))).toEqual(['b']);
    const last = edges.at(-1)?.cursor ?? '';
    const empty = await page(`_sort: "_id", first: 2, after: "${last}"`);
    expect([idsOf(empty), empty.pageInfo.hasNextPage]).toEqual([[], false]);
  });

  it('are the same pages as those of HL7’s cursors', async () => {
    const { found } = await send(
      '{ PatientConnection(_sort: "_id", _count: 2) { next pageInfo { endCursor } } }',
    );
    const { next, pageInfo } = found.PatientConnection as { next: string; pageInfo: { endCursor: string } };
    expect(idsOf(await page(`_cursor: "${pageInfo.endCursor}"`))).toEqual(['c', 'd']);
    expect(idsOf(await page(`after: "${next}"`))).toEqual(['c', 'd']);
  });

  it('are those of the resources that refer to one', async () => {
    const below = (args: string): string =>
      `{ Patient(id: "a") { ObservationConnection(_reference: subject, _sort: "_id", ${args}) { nodes { id } pageInfo { endCursor hasNextPage } } } }`;
    const { found } = await send(below('first: 2'));
    const one = found.Patient.ObservationConnection as Page;
    expect([one.nodes.map(({ id }) => id), one.pageInfo.hasNextPage]).toEqual([['o1', 'o2'], true]);
    const two = await send(below(`first: 2, after: "${one.pageInfo.endCursor ?? ''}"`));
    expect((two.found.Patient.ObservationConnection as Page).nodes).toEqual([{ id: 'o3' }]);
  });

  it('count only where the count is selected, and read nothing else then', async () => {
    const { found } = await send('{ PatientConnection(first: 1) { count } }');
    expect(found.PatientConnection).toEqual({ count: IDS.length });
  });

  it('end with the last match of a page although an expression has filtered it out', async () => {
    const { nodes, pageInfo } = await page(`_sort: "_id", first: 2, fhirpath: "id = 'a'"`);
    expect([nodes, pageInfo.hasNextPage]).toEqual([[{ id: 'a' }], true]);
    const rest = await page(`after: "${pageInfo.endCursor ?? ''}"`);
    expect([rest.nodes, rest.pageInfo.hasNextPage]).toEqual([[], true]);
  });

  it.each([
    ['first: 1, _count: 1', 'first cannot be used together with _count'],
    ['after: "a", _cursor: "a"', 'after cannot be used together with _cursor'],
    ['last: 1, _offset: 1', 'last cannot be used together with _offset'],
    ['first: 1, last: 1', 'first and after are for pages forward, last and before for pages backward'],
    ['first: -1', 'first must not be negative'],
    ['first: 1, after: "nonsense"', 'The page cursor does not belong to this search'],
    ['last: 1, before: "first"', 'The page cursor does not belong to this search'],
    ['last: 1, asOf: "2020-01-01T00:00:00Z"', 'Pages of this search go forward only'],
  ])('refuse %s', async (args, message) => {
    const { errors } = await send(`{ PatientConnection(${args}) { nodes { id } } }`);
    expect(errors[0]?.message).toContain(message);
  });

  it('go backward through the definitions of the specification too', async () => {
    const { found, errors } = await send(`{
      CodeSystemConnection(_sort: "_id", last: 2) { nodes { id } pageInfo { hasPreviousPage hasNextPage } }
      all: CodeSystemConnection(_sort: "-_id", _count: 2) { nodes { id } }
    }`);
    expect(errors).toEqual([]);
    const { nodes, pageInfo } = found.CodeSystemConnection as Page;
    expect(nodes).toEqual([...(found.all as Page).nodes].reverse());
    expect(pageInfo).toEqual({ hasPreviousPage: true, hasNextPage: false });
  });
});
