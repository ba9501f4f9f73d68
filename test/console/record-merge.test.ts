import { isObject, parseJson, textOf, type JsonObject, type JsonValue } from '../../console/src/api/json';
import type { Location } from '../../console/src/editor/element-at';
import { isSame } from '../../console/src/fhir/compare/same';
import { mergeOf, type Side } from '../../console/src/fhir/compare/merge';
import { readBaseResources } from '../../src/core/fhir/definitions';
import { createRandom } from '../properties/oracle/random';

const roots = new Map<string, Location>();
for (const { type, text } of readBaseResources('r4')) {
  if (type !== 'StructureDefinition') continue;
  const definition = parseJson(text);
  if (!isObject(definition) || definition['derivation'] === 'constraint') continue;
  const path = textOf(definition['type']) ?? '';
  roots.set(path, { definition, path, binding: undefined });
}

const json = (text: string): JsonObject => parseJson(text) as JsonObject;
const PATIENT = json(`{
  "resourceType": "Patient", "active": true, "birthDate": "1980-01-01",
  "name": [{"family": "Doe", "given": ["Ann"]}],
  "telecom": [{"system": "phone", "value": "1"}, {"system": "email", "value": "a@b"}],
  "contact": [{"name": {"text": "Bo"}, "gender": "male"}]
}`);

function merge(theirs: JsonObject, mine: JsonObject, choices: Record<string, Side> = {}, base = PATIENT) {
  const root = roots.get(textOf(base['resourceType']) ?? '');
  const { record, collisions } = mergeOf({ base, theirs, mine }, root, new Map(Object.entries(choices)));
  return { record, keys: collisions.map(({ key }) => key), collisions };
}

describe('Two changes of one record', () => {
  it('are joined where they are of different elements', () => {
    const { record, keys } = merge({ ...PATIENT, active: false }, { ...PATIENT, birthDate: '1980-01-02' });
    expect(keys).toEqual([]);
    expect(record).toEqual({ ...PATIENT, active: false, birthDate: '1980-01-02' });
  });

  it('of the same element are shown to the person, who takes either', () => {
    const [theirs, mine] = [
      { ...PATIENT, birthDate: '1980-01-02' },
      { ...PATIENT, birthDate: '1980-01-03' },
    ];
    expect(merge(theirs, mine).collisions).toEqual([
      { key: 'birthDate', base: '1980-01-01', theirs: '1980-01-02', mine: '1980-01-03', canHaveBoth: false },
    ]);
    expect(merge(theirs, mine, { birthDate: 'mine' }).record).toEqual(mine);
    expect(merge(theirs, mine, { birthDate: 'theirs' }).record).toEqual(theirs);
  });

  it('never give a value of one the unit of the other', () => {
    const base = json(`{"resourceType": "Observation", "valueQuantity": {"value": 5.0, "unit": "mg"}}`);
    const theirs = { ...base, valueQuantity: json(`{"value": 5.0, "unit": "g"}`) };
    const mine = { ...base, valueQuantity: json(`{"value": 6.0, "unit": "mg"}`) };
    expect(merge(theirs, mine, {}, base).keys).toEqual(['value[x]']);
  });

  it('never leave two types of one value', () => {
    const base = json(`{"resourceType": "Observation", "valueQuantity": {"value": 5}}`);
    const theirs = { ...base, valueQuantity: json(`{"value": 6}`) };
    const mine = json(`{"resourceType": "Observation", "valueString": "high"}`);
    expect(merge(theirs, mine, {}, base).keys).toEqual(['value[x]']);
    expect(merge(theirs, mine, { 'value[x]': 'mine' }, base).record).toEqual(mine);
  });

  it('keep a primitive with its extensions together', () => {
    const theirs = {
      ...PATIENT,
      _birthDate: json(`{"extension": [{"url": "urn:x", "valueBoolean": true}]}`),
    };
    expect(merge(theirs, { ...PATIENT, birthDate: '1979' }).keys).toEqual(['birthDate']);
  });

  it('of different items of a list are joined, also where one is inserted or removed', () => {
    const [phone, mail] = PATIENT['telecom'] as readonly JsonObject[];
    const fax = json(`{"system": "fax", "value": "9"}`);
    const other = json(`{"system": "email", "value": "c@d"}`);
    const theirs = { ...PATIENT, telecom: [fax, phone ?? null, mail ?? null] };
    const { record, keys } = merge(theirs, { ...PATIENT, telecom: [phone ?? null, other] });
    expect(keys).toEqual([]);
    expect(record['telecom']).toEqual([fax, phone, other]);
    const three = { ...PATIENT, telecom: [fax, phone ?? null, other] };
    const without = (index: number): JsonObject => ({ ...three, telecom: three.telecom.toSpliced(index, 1) });
    expect(merge(without(0), without(2), {}, three).record['telecom']).toEqual([phone]);
  });

  it('can both be kept where both have added to a list', () => {
    const [a, b] = [json(`{"system": "pager", "value": "a"}`), json(`{"system": "pager", "value": "b"}`)];
    const before = PATIENT['telecom'] as readonly JsonObject[];
    const [theirs, mine] = [
      { ...PATIENT, telecom: [...before, a] },
      { ...PATIENT, telecom: [...before, b] },
    ];
    expect(merge(theirs, mine).collisions).toMatchObject([{ key: 'telecom[2]', canHaveBoth: true }]);
    expect(merge(theirs, mine, { 'telecom[2]': 'both' }).record['telecom']).toEqual([...before, a, b]);
  });

  it('of the same backbone element are joined by its elements', () => {
    const contact = (name: string, gender: string) => ({
      ...PATIENT,
      contact: [json(`{"name": {"text": "${name}"}, "gender": "${gender}"}`)],
    });
    const { record, keys } = merge(contact('Bob', 'male'), contact('Bo', 'female'));
    expect(keys).toEqual([]);
    expect(record['contact']).toEqual(contact('Bob', 'female')['contact']);
  });

  it('collide as a whole where the definition is not known', () => {
    const versions = {
      base: PATIENT,
      theirs: { ...PATIENT, active: false },
      mine: { ...PATIENT, gender: 'male' },
    };
    expect(mergeOf(versions, undefined).collisions).toHaveLength(1);
  });
});

describe('Random changes of one record', () => {
  const VALUES: Readonly<Record<string, readonly JsonValue[]>> = {
    active: [true, false],
    birthDate: ['1980', '1981-02'],
    deceasedBoolean: [true, false],
    gender: ['male', 'female'],
    telecom: [[], [{ value: '1' }], [{ value: '2' }, { value: '1' }], [{ value: '1' }, { value: '3' }]],
    contact: [[{ gender: 'male' }], [{ gender: 'female', name: { text: 'x' } }], [{ name: { text: 'y' } }]],
  };
  const random = createRandom(7);
  const change = (record: JsonObject, count: number): JsonObject => {
    const changed: Record<string, JsonValue | undefined> = { ...record };
    for (let step = 0; step < count; step++) {
      const name = random.pick(Object.keys(VALUES));
      const value = random.pick([...(VALUES[name] ?? []), undefined]);
      if (value === undefined || (Array.isArray(value) && value.length === 0)) delete changed[name];
      else changed[name] = value;
    }
    return changed;
  };

  it('lose nothing, invent nothing, and do not depend on who was first', () => {
    for (let round = 0; round < 500; round++) {
      const base = change({ resourceType: 'Patient' }, 4);
      const [theirs, mine] = [change(base, 3), change(base, 3)];
      const joined = merge(theirs, mine, {}, base);
      expect(isSame(merge(base, mine, {}, base).record, mine)).toBe(true);
      expect(isSame(merge(theirs, base, {}, base).record, theirs)).toBe(true);
      expect(isSame(merge(mine, mine, {}, base).record, mine)).toBe(true);
      const swapped = merge(mine, theirs, {}, base);
      expect(swapped.keys.toSorted()).toEqual(joined.keys.toSorted());
      if (joined.keys.length === 0) expect(isSame(swapped.record, joined.record)).toBe(true);
      for (const name of ['active', 'birthDate', 'gender', 'deceasedBoolean'])
        expect([theirs[name], mine[name]]).toContainEqual(joined.record[name]);
    }
  });
});
