import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../../src/core/fhir/json';
import { RELEASE_NAMES, type Release } from '../../../src/core/fhir/release';
import type { IndexRows } from '../../../src/core/search/rows/index-rows';
import { makeExtractor, reordered, typeOf } from './indexed';
import { sampled } from '../../support/rounds';

function readExamples(release: Release): JsonObject[] {
  const file = join(__dirname, '../../../examples', `${release}.ndjson.gz`);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => parseJson(line).value)
    .filter(isJsonObject);
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

/** Rows as sets, to compare without regard to their order. */
function asSets(rows: IndexRows) {
  return {
    tokens: sorted(rows.tokens),
    references: sorted(rows.references),
    ranges: sorted(rows.ranges),
    strings: sorted(rows.strings),
    uris: sorted(rows.uris),
    presence: [...rows.presence],
    sortDate: rows.sortDate,
  };
}

let seed = 99;
const draw = (below: number) => Math.floor(((seed = (seed * 48271) % 2147483647) / 2147483647) * below);

/** The value with some of its parts replaced by ones of another shape. */
function damaged(value: JsonValue): JsonValue {
  if (draw(12) === 0)
    return [null, 7, 'x', true, [], {}, [null], [[{}]], { a: [] }, '\u00017.0', ''][draw(11)] ?? null;
  if (Array.isArray(value)) return value.map(damaged);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'resourceType' ? inner : damaged(inner)]),
  );
}

describe.each(RELEASE_NAMES)('the official examples of %s', (release) => {
  const all = readExamples(release);
  const examples = sampled(all);
  const extract = makeExtractor(release);

  it('have rows that do not depend on the order of members', () => {
    expect(all.length).toBeGreaterThan(500);
    let rowCount = 0;
    for (const resource of examples) {
      const rows = extract(typeOf(resource), resource);
      const again = reordered(resource);
      if (isJsonObject(again)) expect(asSets(extract(typeOf(resource), again))).toEqual(asSets(rows));
      rowCount +=
        rows.tokens.length +
        rows.references.length +
        rows.ranges.length +
        rows.strings.length +
        rows.uris.length;
    }
    expect(rowCount / examples.length).toBeGreaterThan(8);
  });

  it('have rows that PostgreSQL can hold: hashes of 32 bits, finite texts, one lowest and one highest', () => {
    for (const resource of examples) {
      const { tokens, ranges, strings, uris } = extract(typeOf(resource), resource);
      // One expectation for all rows of a resource: one for each takes longer than making the rows.
      const halves = tokens.flatMap((row) => [row.valueHigh, row.valueLow, row.system]);
      expect(halves.filter((half) => !Object.is(half, half | 0))).toEqual([]);
      expect(ranges.filter((row) => [row.low, row.high].some(Number.isNaN))).toEqual([]);
      expect(strings.filter((row) => row.value.length > 217)).toEqual([]);
      expect(uris.filter((row) => row.value.length > 500)).toEqual([]);
      for (const rows of [
        // A range without a start is no sort value.
        ranges.filter((row) => row.qualifierHigh === 0 && row.low !== -Infinity),
        strings.filter((row) => row.isWhole),
      ]) {
        for (const parameter of new Set(rows.map((row) => row.parameter))) {
          const own = rows.filter((row) => row.parameter === parameter);
          expect([
            own.filter((row) => row.isLowest).length,
            own.filter((row) => row.isHighest).length,
          ]).toEqual([1, 1]);
        }
      }
    }
  });

  it('never make the extractor throw when their shape is damaged', () => {
    for (let round = 0; round < 4; round++)
      for (const resource of examples) {
        const broken = damaged(resource);
        if (isJsonObject(broken)) extract(typeOf(resource), broken);
      }
  });
});
