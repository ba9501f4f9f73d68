/**
 * Statistics of numbers, against the oracle's exact arithmetic: few matches are read, and the index rows of many are added
 * up unless some numbers have more digits than a row.
 */
import { FhirError, type NumberStatistics, type RequestContext } from '../../src/core';
import { TESTED_RELEASES } from '../support/releases';
import { openCore, type OpenedCore } from '../support/core';
import { OPEN } from '../support/server';
import { generateData } from './oracle/generate-data';
import { toJsonText, type Resource } from './oracle/json';
import { makeSpace } from './oracle/make-space';
import { search } from './oracle/matcher';
import { intervalsOf } from './oracle/number';
import { parametersOf, type Parameter } from './oracle/parameters';
import { quantitiesOf, type StoredQuantity } from './oracle/quantity';
import {
  add,
  compare,
  divide,
  magnitude,
  multiply,
  rational,
  subtract,
  type Rational,
} from './oracle/rational';
import type { Space } from './oracle/space';
import { areComparable, toBase, UCUM } from './oracle/units';
import { elementsOf } from './oracle/values';

const PUBLIC_URL = 'https://fhir.example.org';
const SEED = 23;
/** So many more than are read one by one. */
const MANY = 1_060;
const QUERIES = ['', 'status:not=cancelled', 'status=final', 'code:missing=false', '_id=unknown'];
/** Results are rounded to 15 digits. */
const ERROR = rational('5e-15');

type Value = Pick<StoredQuantity, 'interval' | 'system' | 'code' | 'unit'>;

function valuesOf(resource: Resource, parameter: Parameter): Value[] {
  return elementsOf(resource, parameter).flatMap((element): Value[] =>
    parameter.kind === 'number'
      ? intervalsOf(element).map((interval) => ({
          interval,
          system: undefined,
          code: undefined,
          unit: undefined,
        }))
      : quantitiesOf(element),
  );
}

const nameOf = ({ system, code, unit }: Omit<Value, 'interval'>): string =>
  JSON.stringify(code === undefined ? [system ?? '', null, unit ?? ''] : [system ?? '', code]);

function areAlike(one: Value, other: Value): boolean {
  if (nameOf(one) === nameOf(other)) return true;
  const { code = '' } = one;
  return one.system === UCUM && other.system === UCUM && areComparable(code, other.code ?? '');
}

/** The number of an exact value in a unit of the same dimension. */
function numberIn({ interval: { low }, code }: Value, unit: string | undefined): Rational {
  if (low.at === undefined) throw new Error('it is no exact value');
  if (code === unit || code === undefined || unit === undefined) return low.at;
  const [zero, one] = [toBase(rational('0'), unit), toBase(rational('1'), unit)];
  return divide(subtract(toBase(low.at, code), zero), subtract(one, zero));
}

const isExact = ({ interval: { low, high } }: Value): boolean =>
  low.at !== undefined &&
  high.at !== undefined &&
  compare(low.at, high.at) === 0 &&
  !low.isOpen &&
  !high.isOpen;

/** The differences between what was returned and what the values give. */
function faultsOf(found: readonly NumberStatistics[], values: readonly Value[]): string[] {
  const left = new Set(values);
  const faults = found.flatMap((statistics) => {
    const { system, code, unit } = statistics.unit;
    const alike = [...left].filter((value) =>
      areAlike(value, { system, code, unit, interval: value.interval }),
    );
    for (const value of alike) left.delete(value);
    const exact = alike.filter(isExact);
    const shown = `${nameOf({ system, code, unit })} ${JSON.stringify(statistics)}`;
    if (statistics.count !== exact.length || statistics.inexact !== alike.length - exact.length)
      return [`${shown}: ${exact.length} values, ${alike.length} in all`];
    const numbers = exact.map((value) => numberIn(value, code)).sort(compare);
    const sum = numbers.reduce(add, rational('0'));
    const expected = {
      min: numbers[0],
      max: numbers.at(-1),
      sum: numbers.length === 0 ? undefined : sum,
      avg: numbers.length === 0 ? undefined : divide(sum, rational(String(numbers.length))),
    };
    return Object.entries(expected).flatMap(([name, number]) => {
      const text = statistics[name as keyof typeof expected];
      const isEqual =
        number === undefined ? text === undefined : text !== undefined && isClose(rational(text), number);
      return isEqual
        ? []
        : [
            `${shown}: ${name} is ${number === undefined ? 'nothing' : Number(number.top) / Number(number.bottom)}`,
          ];
    });
  });
  return left.size === 0 ? faults : [...faults, `${left.size} values are in no statistics`];
}

const isClose = (one: Rational, other: Rational): boolean =>
  compare(magnitude(subtract(one, other)), multiply(magnitude(other), ERROR)) <= 0;

describe.each(TESTED_RELEASES)('statistics of numbers in %s', (release) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = await openCore({ environment: { ...OPEN, PUBLIC_URL } });
  });
  afterAll(() => opened.close());

  /** @param keep the resources that are stored */
  async function fill(
    tenant: string,
    keep: (text: string) => boolean,
  ): Promise<{ context: RequestContext; space: Space }> {
    await opened.core.tenants.create(tenant);
    const context = await opened.context(tenant, release);
    const root = `${PUBLIC_URL}/w/${tenant}/api/v1/fhir/${release}`;
    const many = generateData({ seed: SEED, root, size: MANY / 50 }).filter(
      ({ resourceType }) => resourceType === 'Observation',
    );
    const usual = generateData({ seed: SEED + 1, root }).filter(
      ({ resourceType }) => resourceType !== 'Observation',
    );
    const resources = [...usual, ...many].filter((resource) => keep(toJsonText(resource)));
    const entries = resources.map(
      (resource) =>
        `{"resource":${toJsonText(resource)},"request":{"method":"PUT","url":"${resource.resourceType}/${resource.id}"}}`,
    );
    await opened.core.interactions.bundle(context, {
      input: { text: `{"resourceType":"Bundle","type":"transaction","entry":[${entries.join(',')}]}` },
    });
    return { context, space: makeSpace({ release, root, resources }) };
  }

  it.each([
    ['long', 'of any number of digits', (): boolean => true],
    ['short', 'of up to 15 digits', (text: string): boolean => !/\d\.\d{15}/.test(text)],
  ])('are exact for values (%s) %s', async (tenant, _digits, keep) => {
    const { context, space } = await fill(tenant, keep);
    const wrong: string[] = [];
    const tally = { compared: 0, many: 0, joined: 0, refused: 0 };
    for (const type of new Set(space.resources.map(({ resourceType }) => resourceType))) {
      for (const parameter of parametersOf(type).filter(
        ({ kind }) => kind === 'quantity' || kind === 'number',
      )) {
        for (const query of type === 'Observation' ? QUERIES : ['']) {
          const matches = search(space, type, query)?.matches ?? [];
          const values = matches.flatMap((resource) => valuesOf(resource, parameter));
          const parameters = [...new URLSearchParams(query)];
          const answer = await opened.core.interactions
            .aggregate(context, { type, parameters, numbers: { parameter: parameter.code } })
            .catch((error: unknown) => error);
          if (answer instanceof FhirError && answer.key === 'invalidValue') {
            tally.refused++;
            continue;
          }
          if (answer instanceof Error) throw answer;
          const { statistics = [] } = answer as { statistics?: readonly NumberStatistics[] };
          tally.compared++;
          if (matches.length > 1_000) tally.many++;
          if (statistics.length < new Set(values.map(nameOf)).size) tally.joined++;
          wrong.push(
            ...faultsOf(statistics, values).map((fault) => `${type}?${query} ${parameter.code}: ${fault}`),
          );
        }
      }
    }
    if (wrong.length > 0) throw new Error(`${wrong.length} differ:\n${wrong.slice(0, 8).join('\n')}`);
    expect(tally.compared).toBeGreaterThan(10);
    expect(tally.many).toBeGreaterThan(2);
    expect(tally.joined).toBeGreaterThan(2);
  });
});
