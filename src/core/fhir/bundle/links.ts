/**
 * What the resources of a transaction say of each other: they name entries by fullUrl, and the server gives them other
 * addresses (https://hl7.org/fhir/R4/http.html#transaction, https://hl7.org/fhir/R4/bundle.html#references).
 */
import type { Definitions } from '../definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { toExpression } from '../json/fault';
import { parseReference } from '../reference/literal';
import { elementTypeAt } from './element-type';

/** What an entry's resource is called from now on. */
export interface LinkTarget {
  readonly fullUrl: string;
  /** `Patient/123` */
  readonly reference: string;
  /**
   * True where the fullUrl is also the resource's own canonical `url`: then canonicals that are equal name it by that
   * and stay.
   */
  readonly isCanonical: boolean;
}

/** The names that are replaced in all resources of one transaction. */
export class Links {
  private readonly targets = new Map<string, LinkTarget>();
  private readonly shortest = Infinity;
  private readonly longest: number = 0;

  /** `conditional`: what references such as `Patient?identifier=…` were found to mean, by their text. */
  constructor(
    targets: Iterable<LinkTarget>,
    private readonly conditional: ReadonlyMap<string, string> = NONE,
  ) {
    for (const target of targets) {
      this.targets.set(target.fullUrl, target);
      this.shortest = Math.min(this.shortest, target.fullUrl.length);
      this.longest = Math.max(this.longest, target.fullUrl.length);
    }
  }

  find(text: string): LinkTarget | undefined {
    const { length } = text;
    return length < this.shortest || length > this.longest ? undefined : this.targets.get(text);
  }

  /** The text of a reference as it shall be; `base` is what the fullUrl of the resource that has it begins with. */
  reference(text: string, base: string | undefined): string {
    const target = this.find(text);
    if (target !== undefined) return target.reference;
    if (base !== undefined) {
      const absolute = this.find(`${base}/${text}`);
      if (absolute !== undefined) return absolute.reference;
    }
    return this.conditional.get(text) ?? text;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

/** A reference by search criteria, and where it stands first. */
export interface ConditionalReference {
  readonly type: string;
  /** What stands behind the question mark. */
  readonly query: string;
  /** FHIRPath. */
  readonly expression: string;
}

/**
 * Adds to `known`, by their texts, the references of a resource that are searches, and tells whether it has any; `place`
 * is where the resource stands. Cost: one walk.
 */
export function noteConditionalReferences(
  resource: JsonObject,
  place: string,
  known: Map<string, ConditionalReference>,
): boolean {
  let hasAny = false;
  visitReferences(resource, (text, path) => {
    if (!text.includes('?')) return;
    if (known.has(text)) {
      hasAny = true;
      return;
    }
    const { kind, type } = parseReference(text);
    if (kind !== 'conditional' || type === undefined) return;
    hasAny = true;
    const query = text.slice(text.indexOf('?') + 1);
    known.set(text, { type, query, expression: toExpression(place, path) });
  });
  return hasAny;
}

/** The first reference of a resource for which `isMeant` holds, as FHIRPath. */
export function findReference(
  resource: JsonObject,
  isMeant: (reference: string) => boolean,
): { readonly reference: string; readonly expression: string } | undefined {
  let found: { reference: string; expression: string } | undefined;
  visitReferences(resource, (reference, path) => {
    if (found === undefined && isMeant(reference))
      found = { reference, expression: toExpression(rootOf(resource), path) };
  });
  return found;
}

function rootOf({ resourceType }: JsonObject): string {
  return typeof resourceType === 'string' ? resourceType : '';
}

function visitReferences(
  resource: JsonObject,
  visit: (reference: string, path: readonly (string | number)[]) => void,
): void {
  const path: (string | number)[] = [];
  const walk = (name: string, value: JsonValue): void => {
    if (typeof value === 'string') {
      if (name === 'reference') visit(value, path);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        path.push(index);
        walk(name, value[index] ?? null);
        path.pop();
      }
      return;
    }
    for (const member in value) {
      path.push(member);
      walk(member, value[member] ?? null);
      path.pop();
    }
  };
  walk('', resource);
}

/**
 * The resource with the names of other entries replaced: in references (contained resources and extensions too), in
 * elements of type uri, url, canonical, oid and uuid that are equal, and in links and images of narratives. What has
 * nothing to replace is given back as it is. Cost: one walk with a look-up for each string.
 *
 * @param fullUrl of the resource's own entry: relative references are resolved by it (bundle.html#references)
 */
export function rewriteLinks(
  resource: JsonObject,
  fullUrl: string | undefined,
  links: Links,
  definitions: Definitions,
): JsonObject {
  const { kind, base } = fullUrl === undefined ? NO_REFERENCE : parseReference(fullUrl);
  return new Rewriter(links, kind === 'absolute' ? base : undefined, definitions).resource(resource);
}

const NO_REFERENCE = { kind: 'other', base: undefined } as const;

class Rewriter {
  /** The resource, contained ones too, that is walked through, and the members down to the present one. */
  private type = '';
  private members: string[] = [];

  constructor(
    private readonly links: Links,
    private readonly base: string | undefined,
    private readonly definitions: Definitions,
  ) {}

  resource(resource: JsonObject): JsonObject {
    const { type, members } = this;
    this.type = rootOf(resource);
    this.members = [];
    const rewritten = this.object(resource);
    this.type = type;
    this.members = members;
    return rewritten;
  }

  private object(object: JsonObject): JsonObject {
    let copy: JsonObject | undefined;
    for (const name in object) {
      const value = object[name];
      if (value === undefined) continue;
      this.members.push(name);
      const rewritten = this.value(name, value);
      this.members.pop();
      if (rewritten === value) continue;
      copy ??= { ...object };
      copy[name] = rewritten;
    }
    return copy ?? object;
  }

  private value(name: string, value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(name, value);
    if (typeof value !== 'object' || value === null) return value;
    if (isJsonObject(value))
      return typeof value['resourceType'] === 'string' ? this.resource(value) : this.object(value);
    let copy: JsonValue[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const element = value[index];
      if (element === undefined) continue;
      const rewritten = this.value(name, element);
      if (rewritten === element) continue;
      copy ??= [...value];
      copy[index] = rewritten;
    }
    return copy ?? value;
  }

  private text(name: string, text: string): string {
    if (name === 'reference') return this.links.reference(text, this.base);
    if (name === 'div') return this.narrative(text);
    const target = this.links.find(text);
    if (target === undefined || target.isCanonical) return text;
    const type = elementTypeAt(this.definitions, this.type, this.members);
    return type !== undefined && this.definitions.conformsTo(type, 'uri') ? target.reference : text;
  }

  private narrative(text: string): string {
    if (!LINK_HINT.test(text)) return text;
    return text.replace(LINK, (whole, before: string, quote: string, value: string) => {
      const target = this.links.find(value.replaceAll('&amp;', '&'));
      return target === undefined ? whole : `${before}${quote}${target.reference}${quote}`;
    });
  }
}

const LINK_HINT = /\b(?:href|src)\s*=/;
/** The value of an attribute has no quotes of its own kind in it. */
const LINK = /(\b(?:href|src)\s*=\s*)(["'])([^"'<>]*)\2/g;
