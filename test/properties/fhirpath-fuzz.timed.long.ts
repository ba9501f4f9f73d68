/**
 * Random FHIRPath of clients: each expression ends in time with a result or an error of the catalogue, in the engine
 * itself and sent to a server. A failure shows the seed, by which RandomExpression makes the same expression again.
 */
import type { JsonObject } from '../../src/core/fhir/json';
import { FUNCTIONS } from '../../src/core/fhir/path/compiler';
import { textOf } from '../core/fhir/path/examples';
import { Random } from '../core/fhir/random-json';
import { remove, toParameters } from '../support/fhirpath-patch';
import { heldFor, PROBED } from '../support/loop-hold';
import { slowness } from '../support/machine-speed';
import { startProcess, type ServerProcess } from '../support/process';
import { evaluateOne, HELD_MS } from './fhirpath/engine';
import { RandomExpression } from './fhirpath/random-expression';
import { describeResource, memberNames, readResources } from './fhirpath/resources';
import { IS_FULL } from '../support/rounds';

const EXPRESSIONS = IS_FULL ? 10_000 : 700;
const SENT = IS_FULL ? 600 : 60;
/** Budgets in steps: of a patch, of GraphQL and slices, and of a patch in the worker thread. */
const BUDGETS = [200_000, 500_000, 2_000_000];

const resources = readResources();
const names = resources.map(memberNames);

interface Case {
  readonly seed: number;
  readonly expression: string;
  readonly resource: JsonObject;
  readonly steps: number;
  readonly isStrict: boolean;
}

function makeCase(seed: number): Case {
  const random = new Random(Math.imul(seed, 2_654_435_761) | 1);
  const at = random.below(resources.length);
  const expression = new RandomExpression(random, names[at] ?? []).next();
  return {
    seed,
    expression,
    resource: resources[at] ?? {},
    steps: random.pick(BUDGETS),
    isStrict: random.below(4) === 0,
  };
}

const shown = ({ seed, expression, resource, steps, isStrict }: Case): object => ({
  seed,
  resource: describeResource(resource),
  steps,
  isStrict,
  expression,
});

it('ends in time in the engine, with a result or an error of its own', () => {
  const results = new Set<string>();
  const faults: object[] = [];
  let expressions = '';
  for (let seed = 1; seed <= EXPRESSIONS; seed++) {
    const one = makeCase(seed);
    const { result, fault } = evaluateOne(one);
    results.add(result);
    expressions += one.expression.slice(0, 500);
    if (fault !== undefined) faults.push({ fault, ...shown(one) });
  }
  expect(faults).toEqual([]);
  expect([...results].sort()).toEqual(
    expect.arrayContaining(['PathBudgetError', 'PathSyntaxError', 'nothing', 'values']),
  );
  // None of the functions is left out.
  expect(Object.keys(FUNCTIONS).filter((name) => !expressions.includes(`${name}(`))).toEqual([]);
});

describe('in a server', () => {
  const FHIR = '/w/system/api/v1/fhir/r4';
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startProcess({ environment: PROBED });
    for (const resource of HELD) {
      const answer = await server.request('PUT', addressOf(resource), JSON.stringify(resource), JSON_TYPE);
      expect(answer.status).toBe(201);
    }
  });
  afterAll(() => server.close());

  const JSON_TYPE = { 'content-type': 'application/fhir+json' };
  const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const HELD: readonly JsonObject[] = [
    {
      resourceType: 'Patient',
      id: 'names',
      name: times(300, (index) => ({ family: `f${index}`, given: ['a', 'b'] })),
    },
    {
      resourceType: 'Basic',
      id: 'extensions',
      code: { text: 'a'.repeat(20_000) },
      extension: times(2_000, (index) => ({ url: 'http://example.org/a', valueInteger: index })),
    },
    {
      resourceType: 'Observation',
      id: 'components',
      status: 'final',
      code: { text: '1'.repeat(1_000) },
      component: times(300, (index) => ({
        code: { text: `c${index}` },
        valueQuantity: { value: index, system: 'http://unitsofmeasure.org', code: 'mg' },
      })),
    },
  ];
  /** The places that take an expression, and the patches of a Bundle. */
  const PLACES = 6;
  const PATCHES = 20;
  const ANSWERS = [200, 400, 422];
  const LISTS = ['name', 'extension', 'component'];
  const addressOf = ({ resourceType, id }: JsonObject): string =>
    `${FHIR}/${textOf(resourceType)}/${textOf(id)}`;

  const graphql = (query: string): Promise<{ status: number; text: string }> =>
    server.request('POST', '/w/system/api/v1/graphql/r4', JSON.stringify({ query }), {
      'content-type': 'application/json',
    });

  /** One expression at one of the places that take it. */
  async function send(
    expression: string,
    at: number,
    place: number,
  ): Promise<{ status: number; text: string }> {
    const resource = HELD[at] ?? {};
    const type = textOf(resource['resourceType']);
    const literal = JSON.stringify(expression);
    const one = `${type}(id: "${textOf(resource['id'])}")`;
    switch (place) {
      case 0:
        return graphql(`{ ${type}List(fhirpath: ${literal}) { id } }`);
      case 1:
        return graphql(`{ ${one} { ${LISTS[at] ?? ''}(fhirpath: ${literal}) { id } } }`);
      case 2:
        return graphql(`{ ${one} { ${LISTS[at] ?? ''} @slice(path: ${literal}) { id } } }`);
      case 3: {
        const patch = JSON.stringify(toParameters(remove(expression)));
        return server.request('PATCH', addressOf(resource), patch, JSON_TYPE);
      }
      default: {
        const entry = times(PATCHES, () => ({
          request: { method: 'PATCH', url: addressOf(resource).slice(FHIR.length + 1) },
          resource: toParameters(remove(expression)),
        }));
        const type = place === 4 ? 'batch' : 'transaction';
        return server.request(
          'POST',
          FHIR,
          JSON.stringify({ resourceType: 'Bundle', type, entry }),
          JSON_TYPE,
        );
      }
    }
  }

  /** Undefined: as it should be. */
  async function faultOf(expression: string, at: number, place: number): Promise<string | undefined> {
    const most = HELD_MS * slowness();
    let held = Infinity;
    for (let round = 0; round < 5 && held >= most; round++) {
      await heldFor(server);
      const { status, text } = await send(expression, at, place);
      held = Math.min(held, await heldFor(server));
      const statuses = [...text.matchAll(/"status":"(\d+)/g)].map(([, each]) => Number(each));
      if ([status, ...statuses].some((each) => !ANSWERS.includes(each)) || text.includes('"exception"'))
        return `${status} ${text.slice(0, 500)}`;
    }
    return held < most ? undefined : `The event loop was held for ${held} ms`;
  }

  it('is answered in time at each place that accepts it', async () => {
    const faults: object[] = [];
    for (let seed = 1_000_001; seed <= 1_000_000 + SENT; seed++) {
      const random = new Random(Math.imul(seed, 2_654_435_761) | 1);
      const at = random.below(HELD.length);
      const place = seed % PLACES;
      const expression = new RandomExpression(random, memberNames(HELD[at] ?? {})).next();
      const fault = await faultOf(expression, at, place);
      if (fault !== undefined) faults.push({ fault, seed, at, place, expression });
    }
    expect(faults).toEqual([]);
    expect((await server.request('GET', `${FHIR}/Patient/names`)).status).toBe(200);
  });
});
