/** Pages: `_offset`, `_at`, and the links between pages (docs/reference/behaviour.md, Search pages). */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly resource?: { readonly id: string; readonly meta: { versionId: string } };
  }[];
}

const idsOf = ({ entry = [] }: Bundle): string[] => entry.map(({ resource }) => resource?.id ?? '');

function linkOf({ link }: Bundle, relation: string): string | undefined {
  const found = link.find((candidate) => candidate.relation === relation);
  return found === undefined ? undefined : new URL(found.url).pathname + new URL(found.url).search;
}

describe.each(TESTED_RELEASES)('pages under %s', (release) => {
  const address = (rest: string): string => `${server.path('system', release)}${rest}`;
  const get = async (rest: string): Promise<{ status: number; json: Bundle }> => {
    const { status, json } = await server.request('GET', rest);
    return { status, json: json as Bundle };
  };

  beforeAll(async () => {
    for (let day = 1; day <= 9; day++) {
      const dated = day <= 6 ? { effectiveDateTime: `2024-01-0${day}` } : {};
      const code = { text: 'x', coding: [{ system: 'urn:s', code: 'paged' }] };
      const body = JSON.stringify({ resourceType: 'Observation', status: 'final', code, ...dated });
      expect((await server.request('POST', address('/Observation'), body)).status).toBe(201);
    }
  });

  it.each(['&_sort=-date', '&_sort=date', '', '&_sort=-_lastUpdated', '&_sort=status,-date', '&_sort=_id'])(
    'an offset skips as many matches as it says, with code=paged%s',
    async (sort) => {
      const all = idsOf((await get(address(`/Observation?code=paged${sort}`))).json);
      expect(all).toHaveLength(9);
      for (const offset of [0, 1, 5, 6, 8, 9, 30]) {
        const page = (await get(address(`/Observation?code=paged${sort}&_count=3&_offset=${offset}`))).json;
        expect(idsOf(page)).toEqual(all.slice(offset, offset + 3));
        const next = linkOf(page, 'next');
        if (offset + 3 < 9) {
          expect(idsOf((await get(next ?? '')).json)).toEqual(all.slice(offset + 3, offset + 6));
        } else expect(next).toBeUndefined();
      }
    },
  );

  it('the link first leads back to the beginning, self to the page itself', async () => {
    const first = (await get(address('/Observation?code=paged&_sort=-date&_count=4'))).json;
    expect(linkOf(first, 'first')).toBeUndefined();
    const second = (await get(linkOf(first, 'next') ?? '')).json;
    expect(idsOf((await get(linkOf(second, 'first') ?? '')).json)).toEqual(idsOf(first));
    expect(idsOf((await get(linkOf(second, 'self') ?? '')).json)).toEqual(idsOf(second));
    const skipped = (await get(address('/Observation?code=paged&_sort=-date&_count=4&_offset=2'))).json;
    expect(idsOf((await get(linkOf(skipped, 'first') ?? '')).json)).toEqual(idsOf(first));
  });

  it.each([
    '&_sort=-date',
    '&_sort=date',
    '',
    '&_sort=_lastUpdated',
    '&_sort=status,-date',
    '&_sort=_id',
    '&status=final&_sort=-code',
  ])('previous leads through the same pages back to the first, with code=paged%s', async (sort) => {
    const pages: string[][] = [];
    let page = (await get(address(`/Observation?code=paged${sort}&_count=2`))).json;
    expect(linkOf(page, 'previous')).toBeUndefined();
    for (;;) {
      pages.push(idsOf(page));
      const next = linkOf(page, 'next');
      if (next === undefined) break;
      page = (await get(next)).json;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 2, 1]);
    for (const expected of pages.slice(0, -1).reverse()) {
      page = (await get(linkOf(page, 'previous') ?? 'there is no link')).json;
      expect(idsOf(page)).toEqual(expected);
    }
    expect(linkOf(page, 'previous')).toBeUndefined();
    expect(idsOf((await get(linkOf(page, 'next') ?? '')).json)).toEqual(pages[1]);
  });

  it('previous leads back from an offset too', async () => {
    const all = idsOf((await get(address('/Observation?code=paged&_sort=-date'))).json);
    const page = (await get(address('/Observation?code=paged&_sort=-date&_count=3&_offset=4'))).json;
    const before = (await get(linkOf(page, 'previous') ?? '')).json;
    expect(idsOf(before)).toEqual(all.slice(1, 4));
    expect(idsOf((await get(linkOf(before, 'previous') ?? '')).json)).toEqual(all.slice(0, 1));
  });

  it.each(['-1', 'x', '10001', '1.5'])('an offset of %s is refused', async (offset) => {
    const { status, json } = await server.request(
      'GET',
      address(`/Observation?code=paged&_offset=${offset}`),
    );
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain('_offset');
  });

  it('a history at a moment shows the version that was current then', async () => {
    const id = `at-${release}`;
    const times: string[] = [];
    for (const family of ['One', 'Two', 'Three']) {
      const body = JSON.stringify({ resourceType: 'Patient', id, name: [{ family }] });
      const { json } = await server.request('PUT', address(`/Patient/${id}`), body);
      times.push(json.meta.lastUpdated as string);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const versionsAt = async (at: string): Promise<string[]> => {
      const { json } = await get(address(`/Patient/${id}/_history?_at=${encodeURIComponent(at)}`));
      return (json.entry ?? []).map(({ resource }) => resource?.meta.versionId ?? '');
    };
    expect(await versionsAt(times[0] ?? '')).toEqual(['1']);
    expect(await versionsAt(times[1] ?? '')).toEqual(['2']);
    expect(await versionsAt(new Date(Date.now() + 60_000).toISOString())).toEqual(['3']);
    expect(await versionsAt(new Date(Date.now() - 60_000).toISOString())).toEqual([]);
    expect(await versionsAt((times[0] ?? '').slice(0, 4))).toEqual(['3', '2', '1']);
    const { status } = await server.request('GET', address(`/Patient/${id}/_history?_at=2023-02-29`));
    expect(status).toBe(400);
  });
});
