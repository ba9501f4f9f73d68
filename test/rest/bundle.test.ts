import type { StoredVersion } from '../../src/core';
import { writeHistory, writeSearchset } from '../../src/rest/bundle';

const ROOT = 'https://fhir.example/w/system/api/v1/fhir/r4';

function makeVersion(
  id: string,
  versionId: number,
  change: StoredVersion['change'] = 'update',
): StoredVersion {
  const text = change === 'delete' ? '' : `{"resourceType":"Patient","id":"${id}","weight":1.00}`;
  return {
    type: 'Patient',
    id,
    versionId,
    lastUpdated: Date.UTC(2024, 4, 1, 10, 0, 0, 5),
    sequence: versionId,
    change,
    author: 'anonymous',
    text,
  };
}

describe('a searchset', () => {
  const links = { address: `${ROOT}/Patient`, used: [['name', 'a "b"']] as const, next: undefined };

  it('has the stored texts unchanged, each with its absolute fullUrl and mode', () => {
    const page = { matches: [makeVersion('a', 1)], included: [makeVersion('b', 1)], issues: [], used: [] };
    const text = writeSearchset(page, ROOT, links);
    expect(text).toContain('"weight":1.00');
    expect(JSON.parse(text)).toEqual({
      resourceType: 'Bundle',
      type: 'searchset',
      link: [{ relation: 'self', url: `${ROOT}/Patient?name=a%20%22b%22` }],
      entry: [
        {
          fullUrl: `${ROOT}/Patient/a`,
          resource: { resourceType: 'Patient', id: 'a', weight: 1 },
          search: { mode: 'match' },
        },
        {
          fullUrl: `${ROOT}/Patient/b`,
          resource: { resourceType: 'Patient', id: 'b', weight: 1 },
          search: { mode: 'include' },
        },
      ],
    });
  });

  it('has no entry element when nothing was found, and has the total when it is counted', () => {
    const page = { matches: [], included: [], issues: [], used: [], total: 0 };
    expect(JSON.parse(writeSearchset(page, ROOT, links))).toEqual({
      resourceType: 'Bundle',
      type: 'searchset',
      total: 0,
      link: [{ relation: 'self', url: `${ROOT}/Patient?name=a%20%22b%22` }],
    });
  });

  it('links the next page by its cursor, which replaces the one of this page', () => {
    const used = [
      ['name', 'x'],
      ['_cursor', 'old'],
    ] as const;
    const bundle = JSON.parse(
      writeSearchset({ matches: [], included: [], issues: [], used: [] }, ROOT, {
        ...links,
        used,
        next: 'new',
      }),
    );
    expect(bundle.link).toEqual([
      { relation: 'self', url: `${ROOT}/Patient?name=x&_cursor=old` },
      { relation: 'first', url: `${ROOT}/Patient?name=x` },
      { relation: 'next', url: `${ROOT}/Patient?name=x&_cursor=new` },
    ]);
  });

  it('lists ignored parameters in an outcome entry at the end', () => {
    const issues = [
      { severity: 'warning', code: 'not-supported', diagnostics: "'nme' was ignored" },
    ] as const;
    const bundle = JSON.parse(
      writeSearchset({ matches: [makeVersion('a', 1)], included: [], issues, used: [] }, ROOT, links),
    );
    expect(bundle.entry[1]).toEqual({
      resource: { resourceType: 'OperationOutcome', issue: issues },
      search: { mode: 'outcome' },
    });
  });
});

describe('a history', () => {
  it('has the request and the response of every version, and no resource for a deletion', () => {
    const versions = [
      makeVersion('a', 4, 'create'),
      makeVersion('a', 3, 'delete'),
      makeVersion('a', 2),
      makeVersion('a', 1, 'create'),
    ];
    const links = { address: `${ROOT}/Patient/a/_history`, used: [], next: undefined };
    const bundle = JSON.parse(writeHistory({ versions, total: 4 }, ROOT, links));
    expect(bundle).toMatchObject({ resourceType: 'Bundle', type: 'history', total: 4 });
    const lastModified = '2024-05-01T10:00:00.005+00:00';
    expect(
      bundle.entry.map(({ request, response }: { request: object; response: object }) => ({
        request,
        response,
      })),
    ).toEqual([
      {
        request: { method: 'PUT', url: 'Patient/a' },
        response: { status: '201', etag: 'W/"4"', lastModified },
      },
      {
        request: { method: 'DELETE', url: 'Patient/a' },
        response: { status: '200', etag: 'W/"3"', lastModified },
      },
      {
        request: { method: 'PUT', url: 'Patient/a' },
        response: { status: '200', etag: 'W/"2"', lastModified },
      },
      {
        request: { method: 'POST', url: 'Patient' },
        response: { status: '201', etag: 'W/"1"', lastModified },
      },
    ]);
    expect(bundle.entry.map((entry: object) => 'resource' in entry)).toEqual([true, false, true, true]);
  });
});
