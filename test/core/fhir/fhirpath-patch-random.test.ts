/** Random FHIRPath patches of random resources, by the applier and by a naive one on another form of the resource. */
import { FhirError } from '../../../src/core/errors';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { JsonObject } from '../../../src/core/fhir/json';
import { applyFhirPathPatch } from '../../../src/core/fhir/patch';
import { createRandom, type Random } from '../../properties/oracle/random';
import { toParameters, type PatchStep } from '../../support/fhirpath-patch';
import {
  NaivePatcher,
  NaiveWriter,
  Refused,
  type NaiveElement,
  type NaiveOperation,
  type NaiveSchema,
  type NaiveStep,
} from './naive-element-patch';
import { TESTED_RELEASES } from '../../support/releases';
import { rounds } from '../../support/rounds';

const ROUNDS = rounds(100, 400);
const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

const one = (...types: string[]) => ({ types });
const many = (type: string) => ({ types: [type], repeats: true });
const extended = { extension: many('Extension') };

/** A part of Patient that has every kind of element: primitives, lists of them, choices, data types, anonymous types. */
const SCHEMA: NaiveSchema = {
  Patient: {
    active: one('boolean'),
    name: many('HumanName'),
    birthDate: one('date'),
    gender: one('code'),
    deceased: one('boolean', 'dateTime'),
    maritalStatus: one('CodeableConcept'),
    contact: many('Patient.contact'),
    ...extended,
  },
  'Patient.contact': {
    name: one('HumanName'),
    gender: one('code'),
    relationship: many('CodeableConcept'),
    period: one('Period'),
    ...extended,
  },
  HumanName: {
    use: one('code'),
    family: one('string'),
    given: many('string'),
    period: one('Period'),
    ...extended,
  },
  CodeableConcept: { text: one('string'), coding: many('Coding'), ...extended },
  Coding: { system: one('uri'), code: one('code'), ...extended },
  Period: { start: one('dateTime'), end: one('dateTime'), ...extended },
  Extension: { value: one('string', 'integer', 'CodeableConcept', 'Period'), ...extended },
  boolean: extended,
  date: extended,
  code: extended,
  string: extended,
  uri: extended,
  dateTime: extended,
  integer: extended,
};

const VALUES: Readonly<Record<string, readonly (string | number | boolean)[]>> = {
  boolean: [true, false],
  date: ['1974-12-25', '2001'],
  code: ['male', 'official', 'x'],
  string: ['Peter', 'James', 'a'],
  uri: ['http://example.org/a', 'urn:oid:1.2.3'],
  dateTime: ['2020-01-01', '2021-05-05T10:00:00Z'],
  integer: [0, 7, -3],
};

class Maker {
  constructor(private readonly random: Random) {}

  resource(): NaiveElement {
    const root: NaiveElement = { name: 'Patient', type: 'Patient', children: [] };
    this.fill(root, 3, 0.6);
    return root;
  }

  element(name: string, type: string, depth: number): NaiveElement {
    const element: NaiveElement = { name, type, children: [] };
    const values = VALUES[type];
    if (values === undefined) this.fill(element, depth - 1, 0.5);
    else {
      if (depth > 0 && this.random.chance(0.2)) this.fill(element, depth - 1, 0.9);
      if (element.children.length === 0 || this.random.chance(0.8)) element.value = this.random.pick(values);
    }
    if (element.value === undefined && element.children.length === 0) this.fillOne(element);
    return element;
  }

  operation(root: NaiveElement): NaiveOperation {
    const { random } = this;
    const type = random.pick(['add', 'insert', 'delete', 'replace', 'move'] as const);
    const isList = type === 'insert' || type === 'move';
    const { path, parent, target } = this.place(root, isList);
    const owner = type === 'add' ? target : parent;
    const names = Object.keys(SCHEMA[owner.type] ?? {});
    const last = path.at(-1)?.name;
    const name = type === 'add' || last === undefined ? random.pick(names) : last;
    const types = SCHEMA[owner.type]?.[name]?.types ?? ['string'];
    const element = this.element(name, random.chance(0.95) ? random.pick(types) : 'Period', 2);
    return {
      type,
      path,
      ...(type === 'delete' || type === 'move' ? {} : { element }),
      index: random.below(4),
      source: random.below(3),
      destination: random.below(3),
    };
  }

  /** A way to an element that is there, most of the time; of a list without its last index. */
  private place(
    root: NaiveElement,
    isList: boolean,
  ): { path: NaiveStep[]; parent: NaiveElement; target: NaiveElement } {
    const path: NaiveStep[] = [];
    let parent = root;
    let target = root;
    while (target.children.length > 0 && (path.length === 0 || this.random.chance(0.6))) {
      if (path.length === 0 && this.random.chance(0.15)) break;
      const next = this.random.pick(target.children);
      const index = target.children.filter(({ name }) => name === next.name).indexOf(next);
      const repeats = SCHEMA[target.type]?.[next.name]?.repeats === true;
      path.push(repeats && this.random.chance(0.9) ? { name: next.name, index } : { name: next.name });
      parent = target;
      target = next;
    }
    const last = path.at(-1);
    if (last !== undefined && isList && this.random.chance(0.9)) path[path.length - 1] = { name: last.name };
    if (last !== undefined && this.random.chance(0.05)) {
      const names = Object.keys(SCHEMA[parent.type] ?? {});
      path[path.length - 1] = { name: this.random.pick(names) };
    }
    return { path, parent, target };
  }

  private fill(element: NaiveElement, depth: number, share: number): void {
    if (depth < 0) return;
    for (const [name, { types, repeats }] of Object.entries(SCHEMA[element.type] ?? {})) {
      const count = this.random.chance(share) ? (repeats === true ? 1 + this.random.below(3) : 1) : 0;
      for (let index = 0; index < count; index++)
        element.children.push(this.element(name, this.random.pick(types), depth));
    }
  }

  private fillOne(element: NaiveElement): void {
    const [name, { types }] = this.random.pick(Object.entries(SCHEMA[element.type] ?? {}));
    element.children.push(this.element(name, this.random.pick(types), 0));
  }
}

const writer = new NaiveWriter(SCHEMA);

function toResource(root: NaiveElement): JsonObject {
  return { resourceType: 'Patient', ...writer.object(root) };
}

function toStep(operation: NaiveOperation): PatchStep {
  const { type, path, element, index = 0, source = 0, destination = 0 } = operation;
  const steps = path.map(({ name, index: at }) => (at === undefined ? name : `${name}[${at}]`));
  return {
    type,
    path: ['Patient', ...steps].join('.'),
    ...(type === 'add' && element !== undefined ? { name: element.name } : {}),
    ...(element === undefined ? {} : { value: writer.part(element) }),
    ...(type === 'insert' ? { index } : {}),
    ...(type === 'move' ? { source, destination } : {}),
  };
}

/** Returns a copy of the tree, patched by the naive applier; undefined: refused. */
function patchNaively(root: NaiveElement, operations: readonly NaiveOperation[]): JsonObject | undefined {
  const copy = structuredClone(root);
  const patcher = new NaivePatcher(SCHEMA, copy);
  try {
    for (const operation of operations) patcher.apply(structuredClone(operation));
    return toResource(copy);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

test.each(TESTED_RELEASES)(
  'random FHIRPath patches under %s do what a naive applier does on trees of elements',
  (release) => {
    const definitions = loadDefinitions(release);
    let applied = 0;
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const random = createRandom(round + (release === 'r4' ? 0 : ROUNDS));
      const maker = new Maker(random);
      const root = maker.resource();
      const operations = Array.from({ length: 1 + random.below(3) }, () => maker.operation(root));
      const patch = toParameters(...operations.map(toStep));
      const expected = patchNaively(root, operations);
      const title = JSON.stringify({ round, resource: toResource(root), patch });
      let actual: unknown;
      try {
        actual = applyFhirPathPatch(
          { value: toResource(root), marked: false },
          patch,
          definitions,
          limits,
        ).value;
      } catch (error) {
        if (!(error instanceof FhirError) || error.key !== 'patchNotApplicable') throw error;
      }
      if (expected === undefined) refused++;
      else applied++;
      expect({ title, result: actual }).toEqual({ title, result: expected });
    }
    expect(applied).toBeGreaterThan(ROUNDS / 4);
    expect(refused).toBeGreaterThan(ROUNDS / 10);
  },
);
