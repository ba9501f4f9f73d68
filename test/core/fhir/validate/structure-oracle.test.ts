/** Examples that were changed at random: the validator and a naive second opinion agree on the first fault. */
import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import { createValidator, FINDING_RULES, type Validator } from '../../../../src/core/fhir/validate';
import { readExamples, type Example } from '../../../support/examples';
import { NaiveStructure } from '../../../support/naive-structure';
import { TESTED_RELEASES } from '../../../support/releases';
import { rounds } from '../../../support/rounds';

const ROUNDS = rounds(400, 4_000);
/** Larger ones make the naive walk slow and add nothing: each type has small ones. */
const LONGEST = 20_000;

function createChooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
type Choose = ReturnType<typeof createChooser>;

/** A value inside a resource, by its owner. */
type Spot =
  | { readonly owner: JsonObject; readonly key: string }
  | { readonly owner: JsonValue[]; readonly key: number };

function spotsOf(value: JsonValue, spots: Spot[] = []): Spot[] {
  if (Array.isArray(value)) {
    value.forEach((one, key) => {
      spots.push({ owner: value, key });
      spotsOf(one, spots);
    });
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      spots.push({ owner: value, key });
      spotsOf(value[key] ?? null, spots);
    }
  }
  return spots;
}

function read(spot: Spot): JsonValue {
  return (Array.isArray(spot.owner) ? spot.owner[Number(spot.key)] : spot.owner[spot.key]) ?? null;
}

function write({ owner, key }: Spot, value: JsonValue): void {
  if (Array.isArray(owner)) owner[Number(key)] = value;
  else owner[key] = value;
}

const STRANGERS: readonly JsonValue[] = [
  null, 5, -5, 5.5, '\u00015.50', true, '', 'x y', 'not a date', '2020', {}, [], [null], [[]], ['x'], { foo: 1 },
  { id: 'i' }, [{}], [{ id: 'i' }],
]; // prettier-ignore

const EXTENSION = { url: 'http://example.org/e', valueString: 'v' };

const MEMBERS: readonly (readonly [string, JsonValue])[] = [
  ['foo', 1],
  ['_foo', { id: 'i' }],
  ['resourceType', 'Patient'],
  ['value', 'x'],
  ['value[x]', 'x'],
  ['valueFoo', 'x'],
  ['valueString', 'x'],
  ['valueInteger', 1],
  ['_valueString', { extension: [EXTENSION] }],
  ['valueQuantity', { value: 1 }],
  ['effectiveDateTime', '2020'],
  ['effectivePeriod', { start: '2020' }],
  ['deceasedBoolean', true],
  ['id', 'i'],
  ['_id', { extension: [EXTENSION] }],
  ['extension', [EXTENSION]],
  ['modifierExtension', [EXTENSION]],
  ['extension', [{ url: 'http://example.org/e' }]],
  ['extension', [{ ...EXTENSION, extension: [EXTENSION] }]],
  ['extension', [{ ...EXTENSION, valueInteger: 1 }]],
  ['extension', [{ url: 'http://example.org/e', _valueString: { id: 'i' } }]],
  ['contained', [{ resourceType: 'Patient', id: 'c' }]],
  ['contained', [{ resourceType: 'Patient' }]],
  ['contained', [{ resourceType: 'DomainResource', id: 'c' }]],
  ['contained', [{ id: 'c' }]],
];

function isPrimitiveList(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((one) => typeof one !== 'object');
}

/** `others` are spots of this or of another resource, `own` those of this one. */
type Mutation = (spot: Spot, choose: Choose, others: readonly Spot[], own: readonly Spot[]) => void;

const MUTATIONS: readonly Mutation[] = [
  function removes({ owner, key }) {
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else Reflect.deleteProperty(owner, key);
  },
  function wraps(spot) {
    write(spot, [read(spot)]);
  },
  function unwraps(spot) {
    const value = read(spot);
    if (Array.isArray(value)) write(spot, value[0] ?? null);
  },
  function replaces(spot, choose) {
    write(spot, structuredClone(STRANGERS[choose(STRANGERS.length)] ?? null));
  },
  function adds({ owner }, choose) {
    const [name, value] = MEMBERS[choose(MEMBERS.length)] ?? ['foo', 1];
    if (!Array.isArray(owner)) owner[name] = structuredClone(value);
  },
  function addsInside(spot, choose) {
    const value = read(spot);
    const [name, member] = MEMBERS[choose(MEMBERS.length)] ?? ['foo', 1];
    if (isJsonObject(value)) value[name] = structuredClone(member);
  },
  function adopts(spot, choose, others) {
    const other = others[choose(others.length)];
    if (other !== undefined) write(spot, structuredClone(read(other)));
  },
  function accompanies({ owner, key }, choose) {
    if (Array.isArray(owner) || typeof key !== 'string' || key.startsWith('_')) return;
    const companion: JsonValue[] = [{ id: 'i' }, { extension: [EXTENSION] }, null, {}];
    const pick = (): JsonValue => structuredClone(companion[choose(companion.length)] ?? null);
    const value = owner[key];
    const length = Array.isArray(value) ? value.length : 1 + choose(3);
    owner[`_${key}`] = choose(4) === 0 || !Array.isArray(value) ? pick() : Array.from({ length }, pick);
    if (choose(3) === 0) Reflect.deleteProperty(owner, key);
  },
  function padsElements({ owner, key }, choose) {
    if (!Array.isArray(owner)) return;
    if (choose(2) === 0) owner.push(null);
    else owner.splice(Number(key), 0, null);
  },
  function padsPrimitives(_spot, choose, _others, own) {
    const lists = own.filter((one) => !Array.isArray(one.owner) && isPrimitiveList(read(one)));
    const spot = lists[choose(lists.length)];
    if (spot === undefined || Array.isArray(spot.owner)) return;
    const values = [read(spot)].flat();
    if (choose(2) === 0) values.splice(choose(values.length + 1), choose(2), null);
    const length = values.length + (choose(3) === 0 ? choose(3) - 1 : 0);
    const companions = Array.from({ length }, (_, at) =>
      (values[at] ?? null) === null || choose(3) === 0 ? structuredClone({ extension: [EXTENSION] }) : null,
    );
    if (choose(4) === 0) companions[choose(companions.length)] = null;
    write(spot, values);
    spot.owner[`_${spot.key}`] = companions;
  },
];

/** Returns the first fault that the naive walk looks for too: all but those of references and contained resources. */
function firstOfValidator(validator: Validator, resource: JsonObject, isFull = false): string | undefined {
  return validator
    .validate(resource, { isFull, wantsWarnings: isFull })
    .findings.find(
      ({ rule, diagnostics }) => FINDING_RULES[rule].status === 400 || /^(?:ele|ext)-1/.test(diagnostics),
    )?.expression;
}

describe.each(TESTED_RELEASES)('the structure of %s', (release) => {
  let examples: Example[];
  let naive: NaiveStructure;
  let validator: Validator;
  beforeAll(() => {
    examples = readExamples(release).filter(({ text }) => text.length < LONGEST);
    naive = new NaiveStructure(release);
    validator = createValidator(loadDefinitions(release));
  });

  it('is judged alike in the official examples', () => {
    for (const { type, id, resource } of examples) {
      const place = `${type}/${id}`;
      expect([place, firstOfValidator(validator, resource)]).toEqual([place, naive.firstFault(resource)]);
    }
  });

  it('is judged alike when examples are changed at random', () => {
    const choose = createChooser(release === 'r4' ? 4 : 43);
    let faulty = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const [example, other] = [examples[choose(examples.length)], examples[choose(examples.length)]];
      if (example === undefined || other === undefined) throw new Error('there are no examples');
      const resource = structuredClone(example.resource);
      for (let left = 1 + choose(3); left > 0; left--) {
        const spots = spotsOf(resource);
        const spot = spots[choose(spots.length)];
        const mutate = MUTATIONS[choose(MUTATIONS.length)];
        if (spot !== undefined)
          mutate?.(spot, choose, choose(2) === 0 ? spots : spotsOf(other.resource), spots);
      }
      const text = JSON.stringify(resource);
      const expected = naive.firstFault(resource);
      if (expected !== undefined) faulty++;
      const asExpected = { round, text, fault: expected };
      expect({ round, text, fault: firstOfValidator(validator, resource) }).toEqual(asExpected);
      // Whatever the shape, what follows the structure neither throws nor hides it.
      expect({ round, text, fault: firstOfValidator(validator, resource, true) }).toEqual(asExpected);
    }
    expect(faulty).toBeGreaterThan(ROUNDS / 2);
    expect(faulty).toBeLessThan(ROUNDS);
  });
});
