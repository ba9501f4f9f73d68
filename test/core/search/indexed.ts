import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { JsonObject, JsonValue } from '../../../src/core/fhir/json';
import { createReferenceResolver } from '../../../src/core/fhir/reference';
import type { Release } from '../../../src/core/fhir/release';
import { createExtractor } from '../../../src/core/search/rows/extract';
import { createHasher } from '../../../src/core/search/rows/hash';
import type { IndexRows } from '../../../src/core/search/rows/index-rows';
import { keyOf } from '../../../src/core/search/rows/resource-key';

export const hasher = createHasher(Buffer.from('0123456789abcdef'));

export function typeOf(resource: JsonObject): string {
  const type = resource['resourceType'];
  return typeof type === 'string' ? type : '';
}

/** The extractor of tenant acme at https://fhir.example. */
export function makeExtractor(release: Release, zoneOffset = 0, maxRows?: number) {
  const definitions = loadDefinitions(release);
  const resolver = createReferenceResolver({
    ownAddresses: ['https://fhir.example'],
    tenant: 'acme',
    release,
    resourceTypes: definitions.resourceTypes,
  });
  const localReference = (reference: string) => resolver.local(reference);
  return createExtractor({ definitions, hasher, localReference, zone: () => zoneOffset * 60_000, maxRows });
}

/** The rows of a resource with questions about one search parameter at a time. */
export function index(resource: JsonObject, release: Release = 'r4', zoneOffset = 0) {
  const type = typeOf(resource);
  const definitions = loadDefinitions(release);
  const rows: IndexRows = makeExtractor(release, zoneOffset)(type, resource);
  const parameterOf = (code: string) => {
    const parameter = definitions.searchParameters(type).get(code);
    if (parameter === undefined) throw new Error(`${type} has no search parameter ${code}`);
    return parameter;
  };
  const select = <Row extends { readonly parameter: number }>(
    all: readonly Row[],
    code: string,
    scheme = 0,
  ) => all.filter((row) => row.parameter === parameterOf(code).number + scheme);
  return {
    rows,
    tokens: (code: string, scheme = 0) => select(rows.tokens, code, scheme),
    references: (code: string) => select(rows.references, code),
    ranges: (code: string, scheme = 0) => select(rows.ranges, code, scheme),
    strings: (code: string) => select(rows.strings, code),
    uris: (code: string) => select(rows.uris, code).map(({ value, version }) => [value, version]),
    isPresent(code: string): boolean {
      const { ordinal } = parameterOf(code);
      return ((rows.presence[ordinal >> 3] ?? 0) & (1 << (ordinal & 7))) !== 0;
    },
  };
}

/** A token row without its parameter, as `system|code` must have it. */
export function token(system: string | undefined, code: string) {
  const valueHigh = hasher.text(code);
  return { valueHigh, valueLow: hasher.low, system: system === undefined ? 0 : hasher.short(system) };
}

/** A token row, without its parameter, of the hash of several parts. */
export function combined(...[first, second, third, fourth]: (string | undefined)[]) {
  const valueHigh = hasher.parts(first, second, third, fourth);
  return { valueHigh, valueLow: hasher.low, system: 0 };
}

/** The qualifier of a range row of a composite, and the system beside it; undefined: the code has none. */
export function qualifier(system: string | undefined, code: string) {
  const qualifierHigh = hasher.parts(undefined, code);
  const qualifierLow = hasher.low;
  return { qualifierHigh, qualifierLow, qualifierSystem: system === undefined ? 0 : hasher.short(system) };
}

/** A reference row without its parameter. */
export function target(type: string, id: string, release: Release = 'r4') {
  const { high, low } = keyOf(hasher, type, id);
  return { targetType: loadDefinitions(release).typeNumber(type), targetHigh: high, targetLow: low };
}

/** The same JSON with the members of all objects in another order. */
export function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reordered(inner)]));
}
