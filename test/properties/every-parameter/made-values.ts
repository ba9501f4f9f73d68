/**
 * Values for elements that no official example has, at the places that the expression of a search parameter selects.
 */
import type {
  Definitions,
  ElementDefinition,
  SearchParameterDefinition,
} from '../../../src/core/fhir/definitions';
import type { JsonObject, JsonValue } from '../../../src/core/fhir/json';

const CODING: JsonObject = { system: 'urn:made', code: 'made' };
const QUANTITY: JsonObject = { value: 5, unit: 'd', system: 'http://unitsofmeasure.org', code: 'd' };

/** A value of each type that is no reference. */
export const SAMPLES: Readonly<Record<string, JsonValue>> = {
  boolean: true,
  integer: 3,
  positiveInt: 3,
  unsignedInt: 3,
  decimal: 0.5,
  string: 'Made for a test',
  markdown: 'Made for a test',
  code: 'made',
  id: 'made',
  uri: 'urn:made',
  url: 'http://made.example/url',
  canonical: 'http://made.example/canonical|1',
  oid: 'urn:oid:1.2.3',
  date: '2013-02-03',
  dateTime: '2013-02-03T10:00:00Z',
  instant: '2013-02-03T10:00:00Z',
  Coding: CODING,
  CodeableConcept: { coding: [CODING] },
  Identifier: { system: 'urn:made', value: 'made' },
  ContactPoint: { system: 'phone', value: '555 1234' },
  HumanName: { family: 'Made' },
  Address: { city: 'Made', use: 'home' },
  Period: { start: '2013-02-03', end: '2013-02-05' },
  Timing: { event: ['2013-02-03'] },
  Quantity: QUANTITY,
  Age: QUANTITY,
  Count: QUANTITY,
  Distance: QUANTITY,
  Duration: QUANTITY,
  Money: { value: 5, currency: 'EUR' },
  Range: { low: QUANTITY, high: { ...QUANTITY, value: 7 } },
};

const SUITED: Readonly<Record<string, readonly string[]>> = {
  token: [
    'CodeableConcept',
    'Coding',
    'Identifier',
    'code',
    'boolean',
    'string',
    'uri',
    'id',
    'ContactPoint',
    'CodeableReference',
  ],
  string: ['string', 'markdown', 'HumanName', 'Address'],
  reference: ['Reference', 'canonical', 'uri', 'CodeableReference'],
  date: ['dateTime', 'date', 'instant', 'Period', 'Timing'],
  number: ['decimal', 'integer', 'positiveInt', 'unsignedInt', 'Range'],
  quantity: ['Quantity', 'Age', 'Duration', 'Money', 'Range', 'Count', 'Distance'],
  uri: ['uri', 'url', 'canonical'],
};

interface Step {
  readonly name: string;
  /** The type of ofType and as. */
  readonly type?: string;
  /** The condition of where(name = 'value'). */
  readonly where?: readonly [name: string, value: string];
  /** The url of where(extension('url').exists()). */
  readonly extended?: string;
  /** The type of where(resolve() is Type). */
  readonly target?: string;
  /** The url of extension('url'). */
  readonly extension?: string;
}

/** The steps of a plain path; undefined for anything else. */
function stepsOf(branch: string): readonly Step[] | undefined {
  const text = branch
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/\(?([\w.]+) as (\w+)\)?/g, '$1.ofType($2)')
    .replace(/\.as\(/g, '.ofType(');
  const steps: Step[] = [];
  for (const part of text.match(/(?:[^.(]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []) {
    const [, name = '', argument] = /^(\w+)(?:\((.*)\))?(?:\[\d+\])?$/.exec(part) ?? [];
    const last = steps.at(-1);
    if (argument === undefined) steps.push({ name });
    else if (last === undefined) return undefined;
    else if (name === 'ofType') steps[steps.length - 1] = { ...last, type: argument };
    else if (name === 'extension') steps.push({ name: 'extension', extension: argument.replace(/'/g, '') });
    else if (name === 'where') {
      const target = /^resolve\(\) is (\w+)$/.exec(argument)?.[1];
      const [, member, value] = /^(\w+) ?= ?'([^']*)'$/.exec(argument) ?? [];
      const extended = /^extension\('([^']*)'\)\.exists\(\)$/.exec(argument)?.[1];
      if (extended !== undefined) steps[steps.length - 1] = { ...last, extended };
      else if (target !== undefined) steps[steps.length - 1] = { ...last, target };
      else if (member !== undefined && value !== undefined)
        steps[steps.length - 1] = { ...last, where: [member, value] };
      else return undefined;
    } else return undefined;
  }
  return steps.some(({ name }) => name === '') ? undefined : steps.slice(1);
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Copies of a resource with a value for a parameter, one for each branch of its expression that is a plain path. */
export function withValue(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  resource: JsonObject,
): JsonObject[] {
  return (parameter.expression ?? '').split('|').flatMap((branch) => {
    const steps = stepsOf(branch);
    const copy = structuredClone(resource);
    const maker = new Maker(definitions, parameter, copy);
    return steps !== undefined && maker.put(copy, parameter.type, '', steps) ? [copy] : [];
  });
}

class Maker {
  constructor(
    private readonly definitions: Definitions,
    private readonly parameter: SearchParameterDefinition,
    /** Values of the parts of a composite beside its element. */
    private readonly resource: JsonObject,
  ) {}

  /** False where there is no such element, or its type is unknown. */
  put(into: JsonObject, typeName: string, parent: string, [step, ...rest]: readonly Step[]): boolean {
    if (step === undefined) return false;
    if (step.extension !== undefined) return this.putExtension(into, step.extension);
    const structure = this.definitions.structure(typeName);
    const path = parent === '' ? step.name : `${parent}.${step.name}`;
    const element = structure?.element(path) ?? structure?.element(`${path}[x]`);
    if (structure === undefined || element === undefined) return false;
    const type = this.typeOf(element, step, rest);
    const name = element.isChoice ? element.name + capital(type) : element.name;
    const set = (value: JsonValue): void => {
      into[name] = element.max > 1 ? [value] : value;
    };
    const start: JsonObject = {
      ...(step.where === undefined ? {} : { [step.where[0]]: step.where[1] }),
      ...(step.extended === undefined ? {} : { extension: [{ url: step.extended, valueBoolean: true }] }),
    };
    if (rest.length === 0) {
      if (this.parameter.kind === 'composite') {
        const isInner = structure.children(element.path).length > 0;
        return isInner ? this.putParts(start, typeName, path, set) : this.putParts(start, type, '', set);
      }
      const sample = this.sampleOf(type, element, step.target);
      if (sample === undefined) return false;
      set(typeof sample === 'object' && !Array.isArray(sample) ? { ...sample, ...start } : sample);
      return true;
    }
    const isInner = structure.children(element.path).length > 0;
    const [owner = '', ...inner] = element.contentReference?.split('.') ?? [];
    const made = isInner
      ? this.put(start, typeName, element.path, rest)
      : element.contentReference === undefined
        ? this.put(start, type, '', rest)
        : this.put(start, owner, inner.join('.'), rest);
    if (made) set(start);
    return made;
  }

  private putExtension(into: JsonObject, url: string): boolean {
    const [type = ''] = SUITED[this.parameter.kind] ?? [];
    const sample = this.sampleOf(type, undefined, undefined);
    if (sample === undefined) return false;
    into['extension'] = [{ url, [`value${capital(type)}`]: sample }];
    return true;
  }

  /** The parts of a composite, inside its element, which is one of type `typeName` or the element at `path` of it. */
  private putParts(
    element: JsonObject,
    typeName: string,
    path: string,
    set: (value: JsonValue) => void,
  ): boolean {
    const { type } = this.parameter;
    const prefix = path === '' ? `${typeName}.` : `${typeName}.${path}.`;
    const made = this.parameter.components.every(({ code, kind, expression }) => {
      const part = { ...this.parameter, kind, components: [] };
      const maker = new Maker(this.definitions, part, this.resource);
      if (expression.startsWith('%resource.')) {
        const steps = stepsOf(`x.${expression.slice('%resource.'.length)}`);
        return steps !== undefined && maker.put(this.resource, type, '', steps);
      }
      const own = this.definitions.searchParameters(type).get(code)?.expression;
      const other = own?.startsWith(prefix) === true ? own.slice(prefix.length) : undefined;
      return [expression, other].some((written) => {
        const [branch = ''] = written?.split('|') ?? [];
        const steps = stepsOf(`x.${branch.trim().replace(/^\((\w+) as (\w+)\)$/, '$1.ofType($2)')}`);
        return branch !== '' && steps !== undefined && maker.put(element, typeName, path, steps);
      });
    });
    if (made) set(element);
    return made;
  }

  private typeOf(element: ElementDefinition, step: Step, rest: readonly Step[]): string {
    const codes = element.types.map(({ code }) => code);
    if (step.type !== undefined) return step.type;
    const suited = SUITED[this.parameter.kind]?.find((type) => codes.includes(type));
    return (rest.length === 0 ? suited : undefined) ?? codes[0] ?? '';
  }

  private sampleOf(
    type: string,
    element: ElementDefinition | undefined,
    target: string | undefined,
  ): JsonValue | undefined {
    if (type !== 'Reference' && type !== 'CodeableReference') return SAMPLES[type];
    const targets = element?.types.flatMap((one) => one.targets ?? []) ?? [];
    const named = target ?? targets.find((one) => this.definitions.isResourceType(one)) ?? 'Patient';
    const reference = { reference: `${named}/made` };
    if (type === 'Reference') return reference;
    return this.parameter.kind === 'token' ? { concept: { coding: [CODING] } } : { reference };
  }
}
