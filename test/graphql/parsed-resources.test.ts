/** The parts of a stored resource that a query reads. */
import type { StoredVersion } from '../../src/core';
import { ParsedCache } from '../../src/resolvers/parsed-resources';
import { toResource } from '../../src/resolvers/resource-source';
import { LazyObject } from '../../src/schema/types/resource';

const SPACE = 3;
const version: StoredVersion = {
  type: 'Patient',
  id: 'one',
  versionId: 2,
  lastUpdated: Date.parse('2026-01-02T03:04:05.678Z'),
  sequence: 17,
  change: 'update',
  author: 'anonymous',
  text: '{"resourceType":"Patient","id":"one","active":true,"name":[{"family":"One"}]}',
};

describe('a stored resource', () => {
  const toolsOf = (cache: ParsedCache, space = SPACE): Parameters<typeof toResource>[1] => ({
    extensionBase: 'https://here.example/fhir/StructureDefinition',
    parsed: cache.within(space),
  });

  it('is parsed once for all queries that show the version', () => {
    const cache = new ParsedCache();
    const nameOf = (of: StoredVersion, space?: number): unknown =>
      toResource(of, toolsOf(cache, space)).member('name');
    const name = nameOf(version);
    expect(name).toEqual([{ family: 'One' }]);
    expect(nameOf({ ...version })).toBe(name);
    expect(nameOf({ ...version, versionId: 3, sequence: 18 })).not.toBe(name);
    expect(nameOf(version, SPACE + 1)).not.toBe(name);
  });

  it('is not parsed for its type, id, version and time', () => {
    const source = toResource({ ...version, text: 'no JSON at all' }, toolsOf(new ParsedCache()));
    const meta = source.member('meta');
    if (!(meta instanceof LazyObject)) throw new Error('meta is made when it is asked for');
    const shown = [source.member('resourceType'), source.member('id')];
    expect([
      ...shown,
      meta.member('versionId'),
      meta.member('lastUpdated'),
      meta.member('versionSequence'),
    ]).toEqual(['Patient', 'one', '2', '2026-01-02T03:04:05.678+00:00', 17]);
    expect(() => source.member('name')).toThrow();
    expect(() => meta.member('tag')).toThrow();
  });
});
