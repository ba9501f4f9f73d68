/**
 * A second, slow and simple opinion on the structure of resources: it walks the snapshots of the specification's
 * StructureDefinitions, as they are published, and ends at the first fault. Nothing of the validator is used here.
 */
import { readBaseResources } from '../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/fhir/json';
import { toExpression } from '../../src/core/fhir/json/fault';
import type { Release } from '../../src/core/fhir/release';

const SYSTEM = 'http://hl7.org/fhirpath/System.';
const REGEX = 'http://hl7.org/fhir/StructureDefinition/regex';

interface Element {
  readonly path: string;
  readonly min: number;
  readonly max: string;
  readonly representation?: readonly string[];
  readonly contentReference?: string;
  readonly type?: readonly {
    readonly code: string;
    readonly extension?: readonly Record<string, string>[];
  }[];
}

interface Definition {
  readonly type: string;
  readonly kind: string;
  readonly abstract: boolean;
  readonly derivation?: string;
  readonly baseDefinition?: string;
  readonly snapshot: { readonly element: readonly Element[] };
}

class Fault extends Error {
  constructor(readonly expression: string) {
    super(expression);
  }
}

export class NaiveStructure {
  private readonly definitions = new Map<string, Definition>();
  private readonly names = new Map<readonly Element[], Map<string, Found>>();
  private readonly children = new Map<string, readonly Element[]>();

  constructor(release: Release) {
    for (const { type, text } of readBaseResources(release)) {
      if (type !== 'StructureDefinition') continue;
      const definition: Definition = JSON.parse(text);
      if (definition.derivation !== 'constraint') this.definitions.set(definition.type, definition);
    }
  }

  /** FHIRPath of the first fault; undefined when there is none. */
  firstFault(resource: JsonObject): string | undefined {
    try {
      this.resource(resource, this.typeOf(resource) ?? '', false);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof Fault) return thrown.expression;
      throw thrown;
    }
  }

  private typeOf(resource: JsonObject): string | undefined {
    const type = resource['resourceType'];
    const definition = typeof type === 'string' ? this.definitions.get(type) : undefined;
    return definition?.kind === 'resource' && !definition.abstract ? definition.type : undefined;
  }

  private resource(resource: JsonValue, place: string, isContained: boolean): void {
    if (!isJsonObject(resource)) throw new Fault(place);
    const type = this.typeOf(resource);
    if (type === undefined) throw new Fault(toExpression(place, ['resourceType']));
    this.object(resource, type, type, place, true);
    // One in another contained resource is not allowed at all (dom-2), whatever its id.
    const needsId = isContained && !/contained\[\d+\]\.contained\[\d+\]$/.test(place);
    if (needsId && resource['id'] === undefined) throw new Fault(`${place}.id`);
  }

  private object(value: JsonObject, type: string, path: string, place: string, isResource = false): void {
    const elements = this.childrenOf(type, path);
    const names = Object.keys(value);
    for (const name of names) {
      if (isResource && name === 'resourceType') continue;
      const found = this.find(elements, name);
      if (found === undefined) throw new Fault(toExpression(place, [name]));
      const others = names
        .slice(0, names.indexOf(name))
        .map((earlier) => this.find(elements, earlier))
        .filter((earlier) => earlier?.element === found.element);
      const isSecond = others.length > 0 && others.every((other) => other?.typeName !== found.typeName);
      if (isSecond) throw new Fault(`${place}.${lastOf(found.element.path).replace('[x]', '')}`);
      this.member(value, name, found, `${place}.${found.step}`, type, path);
    }
    if (!isResource && names.length === 0) throw new Fault(place);
    if (!isResource && names.length === 1 && names[0] === 'id') throw new Fault(place);
    for (const element of elements) {
      const isThere = names.some((name) => this.find(elements, name)?.element === element);
      if (element.min > 0 && !isThere) throw new Fault(`${place}.${lastOf(element.path).replace('[x]', '')}`);
    }
    if (type === 'Extension') {
      const hasValue = names.some((name) => /^_?value/.test(name));
      if (hasValue === names.includes('extension')) throw new Fault(place);
    }
  }

  private childrenOf(type: string, path: string): readonly Element[] {
    let children = this.children.get(path);
    if (children === undefined) {
      children = (this.definitions.get(type)?.snapshot.element ?? []).filter(
        (element) =>
          element.path.startsWith(`${path}.`) &&
          !element.path.slice(path.length + 1).includes('.') &&
          element.representation?.includes('xhtml') !== true,
      );
      this.children.set(path, children);
    }
    return children;
  }

  private find(elements: readonly Element[], key: string): Found | undefined {
    let names = this.names.get(elements);
    if (names === undefined) this.names.set(elements, (names = this.namesOf(elements)));
    return names.get(key);
  }

  private namesOf(elements: readonly Element[]): Map<string, Found> {
    const names = new Map<string, Found>();
    for (const element of elements) {
      const name = lastOf(element.path);
      for (const { code, extension } of element.type ?? [{ code: '' }]) {
        const isChoice = name.endsWith('[x]');
        const key = isChoice ? name.slice(0, -3) + code.charAt(0).toUpperCase() + code.slice(1) : name;
        const typeName = code.startsWith(SYSTEM)
          ? this.systemType(element, extension?.[0]?.['valueUrl'])
          : code;
        const step = isChoice ? `${name.slice(0, -3)}.ofType(${code})` : name;
        names.set(key, { element, typeName, step, isCompanion: false });
        const isPrimitive = this.definitions.get(typeName)?.kind === 'primitive-type';
        const isAttribute = element.representation?.includes('xmlAttr') === true;
        if (isPrimitive && !isAttribute) names.set(`_${key}`, { element, typeName, step, isCompanion: true });
      }
    }
    return names;
  }

  /** R4 says string of Resource.id and R4B says id of Element.id; the pages resource.html and element.html decide. */
  private systemType({ path }: Element, declared = 'string'): string {
    const [type = '', ...names] = path.split('.');
    if (names.at(-1) !== 'id') return declared;
    return names.length === 1 && this.definitions.get(type)?.kind === 'resource' ? 'id' : 'string';
  }

  private member(
    owner: JsonObject,
    name: string,
    found: Found,
    place: string,
    type: string,
    path: string,
  ): void {
    const { element, isCompanion } = found;
    const value = owner[name] ?? null;
    if (element.max === '0') throw new Fault(place);
    const check = (one: JsonValue, at: string, sibling: JsonValue | undefined): void => {
      if (isCompanion) this.companion(one, at, found.typeName, sibling);
      else this.value(one, at, found, type, path);
    };
    const twin = owner[isCompanion ? name.slice(1) : `_${name}`];
    if (element.max === '1') {
      if (value === null || Array.isArray(value)) throw new Fault(place);
      check(value, place, twin);
      return;
    }
    if (!Array.isArray(value) || value.length === 0) throw new Fault(place);
    const twins = Array.isArray(twin) ? twin : undefined;
    if (isCompanion && twins !== undefined && twins.length > 0 && twins.length !== value.length)
      throw new Fault(place);
    value.forEach((one, index) => {
      const at = `${place}[${index}]`;
      if (one !== null) check(one, at, twins?.[index] ?? undefined);
      else if (isCompanion ? twin === undefined : !mayBeNull(twin, index, found, this.definitions))
        throw new Fault(at);
    });
  }

  private companion(value: JsonValue, place: string, typeName: string, twin: JsonValue | undefined): void {
    if (!isJsonObject(value)) throw new Fault(place);
    if (Object.keys(value).length === 0) throw new Fault(place);
    const elements = this.childrenOf(typeName, typeName);
    for (const name of Object.keys(value)) {
      const found = this.find(elements, name);
      if (found === undefined || name === 'value') throw new Fault(toExpression(place, [name]));
      this.member(value, name, found, `${place}.${found.step}`, typeName, typeName);
    }
    const isIdAlone = Object.keys(value).every((name) => name === 'id');
    if (isIdAlone && twin === undefined) throw new Fault(place);
  }

  private value(
    value: JsonValue,
    place: string,
    { element, typeName }: Found,
    type: string,
    path: string,
  ): void {
    if (element.contentReference !== undefined) {
      const target = element.contentReference.replace(/^.*#/, '');
      if (!isJsonObject(value)) throw new Fault(place);
      this.object(value, target.split('.')[0] ?? '', target, place);
      return;
    }
    const kind = this.definitions.get(typeName)?.kind;
    if (kind === 'primitive-type') {
      if (!this.isPrimitive(value, typeName)) throw new Fault(place);
    } else if (kind === 'resource') {
      this.resource(value, place, lastOf(element.path) === 'contained');
    } else {
      if (!isJsonObject(value)) throw new Fault(place);
      const isNested = this.childrenOf(type, element.path).length > 0 && path !== element.path;
      if (isNested) this.object(value, type, element.path, place);
      else this.object(value, typeName, typeName, place);
    }
  }

  private isPrimitive(value: JsonValue, typeName: string): boolean {
    const isMarked = typeof value === 'string' && value.startsWith('\u0001');
    if (typeName === 'boolean') return typeof value === 'boolean';
    if (typeName === 'decimal') return typeof value === 'number' || isMarked;
    if (/^(integer|positiveInt|unsignedInt)$/.test(typeName)) {
      const least = { integer: -Infinity, unsignedInt: 0, positiveInt: 1 }[typeName] ?? 0;
      return typeof value === 'number' && Number.isInteger(value) && value >= least;
    }
    if (typeof value !== 'string' || isMarked || value === '') return false;
    const regex = this.regexOf(typeName);
    // The published expression for base64Binary would never end on a long text.
    const tamed = typeName === 'base64Binary' && value.length > 200 ? '[0-9a-zA-Z+/=\\s]*' : regex;
    return tamed === undefined || new RegExp(`^(${tamed})$`).test(value);
  }

  private regexOf(typeName: string): string | undefined {
    if (typeName === 'markdown' || typeName === 'xhtml') return undefined;
    const value = this.definitions
      .get(typeName)
      ?.snapshot.element.find(({ path }) => path === `${typeName}.value`)?.type?.[0];
    return value?.extension?.find(({ url }) => url === REGEX)?.['valueString'];
  }
}

interface Found {
  readonly element: Element;
  readonly typeName: string;
  readonly step: string;
  readonly isCompanion: boolean;
}

/** Null in an array of primitives holds the place of one that has only an id or extensions. */
function mayBeNull(
  twin: JsonValue | undefined,
  index: number,
  { typeName }: Found,
  definitions: ReadonlyMap<string, Definition>,
): boolean {
  if (definitions.get(typeName)?.kind !== 'primitive-type' || twin === undefined) return false;
  // Different lengths, or a twin that is no array, are the fault.
  if (!Array.isArray(twin) || index >= twin.length) return true;
  return isJsonObject(twin[index]);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
