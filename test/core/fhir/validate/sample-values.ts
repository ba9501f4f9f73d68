/** Values made up from the definitions, with what an expression speaks of in them more often than not. */
import type { Definitions, ElementDefinition, TypeStructure } from '../../../../src/core/fhir/definitions';
import type { JsonObject, JsonValue } from '../../../../src/core/fhir/json';
import type { Random } from '../random-json';
import { contentOf, membersOf } from './places';

const MAX_DEPTH = 5;

const PRIMITIVES: Readonly<Record<string, readonly JsonValue[]>> = {
  boolean: [true, false],
  integer: [0, 1, 2, -1, 7],
  positiveInt: [1, 2, 3],
  unsignedInt: [0, 1, 2],
  decimal: [0, 1, 0.5, -1, 99.5, 101],
  date: ['2020', '2020-02', '2020-02-03', '2019-12-31'],
  dateTime: [
    '2020',
    '2020-02-03',
    '2020-02-03T10:00:00Z',
    '2020-02-03T12:00:00+02:00',
    '2019-01-01T00:00:00Z',
  ],
  instant: ['2020-02-03T10:00:00Z', '2021-02-03T10:00:00+01:00'],
  time: ['10:00:00', '11:30:00'],
  base64Binary: ['AAAA'],
  id: ['a', 'b', 'c'],
  uri: ['http://example.org/a', 'urn:x', '#a', 'http://unitsofmeasure.org'],
  url: ['http://example.org/a/_history/1', 'http://example.org/b'],
  canonical: ['http://example.org/a|1', '#b', 'ValueSet/a'],
  string: [
    'a',
    'b',
    'A name',
    'Name1',
    '1',
    '*',
    'Patient',
    'Patient.name',
    'Patient name',
    'Patient.name:slice',
    '#a',
  ],
  code: ['a', 'b', '1', '%'],
};

export class SampleValues {
  /** Texts and names that stand in the expression. */
  private readonly texts: readonly string[];
  private readonly names: ReadonlySet<string>;

  constructor(
    private readonly definitions: Definitions,
    private readonly random: Random,
    expression: string,
  ) {
    this.texts = [...expression.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text = '']) => text);
    this.names = new Set(expression.replace(/'(?:[^'\\]|\\.)*'/g, '').match(/[A-Za-z]\w*/g) ?? []);
  }

  /** A value of a type, or of an element of one (`contact` of Patient); `choice` is the type of a choice. */
  value(typeName: string, path: string, choice: string | undefined): JsonValue {
    const type = this.structure(typeName);
    if (path === '') return type.kind === 'primitive' ? this.primitive(typeName) : this.object(type, '', 0);
    const element = type.element(path);
    if (!element) throw new Error(`${typeName} has no element ${path}`);
    return this.elementValue(type, element, choice ?? element.types[0]?.code ?? '', 0);
  }

  private structure(name: string): TypeStructure {
    const structure = this.definitions.structure(name);
    if (!structure) throw new Error(`There is no type ${name}`);
    return structure;
  }

  private object(type: TypeStructure, path: string, depth: number): JsonObject {
    const object: JsonObject = {};
    if (type.kind === 'resource' && path === '') object['resourceType'] = type.name;
    for (const element of type.children(path)) {
      const isNamed = this.names.has(element.name);
      if (this.random.below(100) >= (isNamed ? 60 : depth === 0 ? 8 : 3)) continue;
      if (element.name === 'extension' && !isNamed) continue;
      const member = this.random.pick(membersOf(element));
      const count = element.max > 1 ? 1 + this.random.below(3) : 1;
      const values = Array.from({ length: count }, () =>
        this.elementValue(type, element, member.code, depth),
      );
      const value = element.max > 1 ? values.filter((one) => one !== null) : (values[0] ?? null);
      if (value !== null && !(Array.isArray(value) && value.length === 0)) object[member.key] = value;
    }
    return object;
  }

  private elementValue(
    type: TypeStructure,
    element: ElementDefinition,
    code: string,
    depth: number,
  ): JsonValue {
    if (code === 'Resource' || code === 'DomainResource') return this.resource(depth);
    const [below, path] = contentOf(this.definitions, type, element, code);
    if (!below) return this.primitive(code, element);
    if (depth >= MAX_DEPTH) return null;
    const object = this.object(below, path, depth + 1);
    return Object.keys(object).length === 0 ? null : object;
  }

  private resource(depth: number): JsonValue {
    const named = [...this.names].filter((name) => this.definitions.isResourceType(name));
    const resource: JsonObject = { resourceType: this.random.pick([...named, 'Patient', 'Basic']) };
    if (this.random.below(2) === 0) resource['id'] = this.random.pick(['a', 'b']);
    if (this.random.below(2) === 0 && depth < MAX_DEPTH)
      resource['meta'] = { versionId: this.random.pick(['1', '2']) };
    return resource;
  }

  private primitive(code: string, element?: ElementDefinition): JsonValue {
    const isText = this.definitions.conformsTo(code, 'string') || this.definitions.conformsTo(code, 'uri');
    if (isText && element?.name === 'reference' && this.random.below(3) > 0)
      return this.random.pick(['#', '#a', '#b', 'Patient/a', 'Practitioner/a', 'urn:uuid:1']);
    if (isText && this.texts.length > 0 && this.random.below(100) < 60) {
      const text = this.random.pick(this.texts);
      return this.random.below(4) === 0 ? `${text}a` : text;
    }
    const codes =
      element?.binding === undefined ? undefined : this.definitions.codeList(element.binding)?.codes;
    if (codes && codes.size > 0) return this.random.pick([...codes].slice(0, 12));
    return this.random.pick(PRIMITIVES[code] ?? PRIMITIVES['string'] ?? []);
  }
}
