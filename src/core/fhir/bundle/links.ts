/**
 * Links between the resources of a transaction. They refer to entries by fullUrl, and the server assigns other
 * addresses (https://hl7.org/fhir/R4/http.html#transaction, https://hl7.org/fhir/R4/bundle.html#references).
 */
import type { Definitions } from '../definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { toExpression, type JsonPath } from '../json/fault';
import { parseReference, searchOf, type ReferenceSearch } from '../reference/literal';
import type { ReferenceResolver } from '../reference/resolver';
import { elementTypeAt } from './element-type';

/** The new address of an entry's resource. */
export interface LinkTarget {
  readonly fullUrl: string;
  /** `Patient/123` */
  readonly reference: string;
  /** The version that the transaction creates. */
  readonly version: number | undefined;
  /**
   * True if the fullUrl is also the canonical `url` of the resource. Equal canonicals then refer to it by that url and
   * do not change.
   */
  readonly isCanonical: boolean;
}

const VERSION = '/_history/';
/** Characters of the longest version id with its prefix. */
const VERSION_LENGTH = VERSION.length + 64;

/** The addresses that are replaced in all resources of one transaction. */
export class Links {
  private readonly targets = new Map<string, LinkTarget>();
  private shortest = Infinity;
  private longest = 0;

  /** `conditional`: the resolved targets of references such as `Patient?identifier=…`, by the text of the reference. */
  constructor(
    targets: Iterable<LinkTarget>,
    private readonly resolver: Pick<ReferenceResolver, 'spellings'>,
    private readonly conditional: ReadonlyMap<string, string> = NONE,
  ) {
    const others: [string, LinkTarget][] = [];
    for (const target of targets) {
      this.add(target.fullUrl, target);
      for (const spelling of resolver.spellings(target.fullUrl))
        if (spelling !== target.fullUrl) others.push([spelling, target]);
    }
    for (const [spelling, target] of others) if (!this.targets.has(spelling)) this.add(spelling, target);
  }

  private add(name: string, target: LinkTarget): void {
    this.targets.set(name, target);
    this.shortest = Math.min(this.shortest, name.length);
    this.longest = Math.max(this.longest, name.length);
  }

  /**
   * Returns the replacement of a text that is the fullUrl of an entry, or a version of it; undefined for any other
   * text.
   */
  find(text: string): { readonly target: LinkTarget; readonly reference: string } | undefined {
    const { length } = text;
    if (length < this.shortest || length > this.longest + VERSION_LENGTH) return undefined;
    const target = this.targets.get(text);
    if (target !== undefined) return { target, reference: target.reference };
    return length <= this.shortest + VERSION.length ? undefined : this.findVersion(text);
  }

  /**
   * Refers to the version that the transaction creates. References to versions of a resource that keeps its id stay as
   * they are.
   */
  private findVersion(text: string): ReturnType<Links['find']> {
    const end = text.lastIndexOf(VERSION);
    if (end === -1) return undefined;
    const name = text.slice(0, end);
    const target = this.targets.get(name);
    if (target === undefined || this.resolver.spellings(target.reference).includes(name)) return undefined;
    const { reference, version } = target;
    return { target, reference: version === undefined ? reference : `${reference}${VERSION}${version}` };
  }

  /** As `find`, for a text that may be relative to `base`, the beginning of the fullUrl of its resource. */
  findFrom(text: string, base: string | undefined): ReturnType<Links['find']> {
    const isRelative = base !== undefined && RELATIVE.test(text);
    return (isRelative ? this.find(`${base}/${text}`) : undefined) ?? this.find(text);
  }

  /** Returns the replacement of the text of a reference. */
  reference(text: string, base: string | undefined): string {
    return this.findFrom(text, base)?.reference ?? this.conditional.get(text) ?? text;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();
const RELATIVE = /^[A-Za-z]+\//;

/** A reference by search criteria, and the first element that has it. */
export interface ConditionalReference extends ReferenceSearch {
  /** FHIRPath. */
  readonly expression: string;
}

/**
 * Adds the conditional references of a resource to `references`, by their texts; returns true if there are any.
 * `place` is the location of the resource in the Bundle. Cost: one traversal.
 */
export function noteConditionalReferences(
  resource: JsonObject,
  place: string,
  references: Map<string, ConditionalReference>,
  below: ReferenceResolver['below'],
): boolean {
  let hasAny = false;
  visitReferences(resource, (text, path) => {
    const search = searchOf(text, below);
    if (search === undefined) return;
    hasAny = true;
    if (!references.has(text)) references.set(text, { ...search, expression: toExpression(place, path) });
  });
  return hasAny;
}

/** Finds the first reference of a resource for which `isMeant` is true, with its FHIRPath. */
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

/** Finds the urn references of a resource, with their FHIRPath; at most `most`. */
export function findUrns(
  resource: JsonObject,
  most: number,
): readonly { readonly reference: string; readonly expression: string }[] {
  const found: { reference: string; expression: string }[] = [];
  visitReferences(resource, (reference, path) => {
    if (found.length < most && reference.startsWith('urn:'))
      found.push({ reference, expression: toExpression(rootOf(resource), path) });
  });
  return found;
}

function rootOf({ resourceType }: JsonObject): string {
  return typeof resourceType === 'string' ? resourceType : '';
}

function visitReferences(resource: JsonObject, visit: (reference: string, path: JsonPath) => void): void {
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
 * Returns the resource with the addresses of other entries replaced: in references (contained resources and extensions
 * too), in equal elements of type uri, url, canonical, oid and uuid, and in links and images of narratives. Returns the
 * same object if there is nothing to replace. Cost: one traversal with a lookup for each string.
 *
 * @param fullUrl of the resource's own entry: relative references are resolved against it (bundle.html#references)
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
  /** The resource that the traversal is in, which may be a contained one, and the members down to the current one. */
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
    const found = this.links.find(text);
    if (found === undefined || found.target.isCanonical) return text;
    const type = elementTypeAt(this.definitions, this.type, this.members);
    return type !== undefined && this.definitions.conformsTo(type, 'uri') ? found.reference : text;
  }

  private narrative(text: string): string {
    if (!LINK_HINT.test(text)) return text;
    return text.replace(LINK, (whole, before: string, quote: string, value: string) => {
      const found = this.links.findFrom(value.replaceAll('&amp;', '&'), this.base);
      return found === undefined ? whole : `${before}${quote}${found.reference}${quote}`;
    });
  }
}

const LINK_HINT = /\b(?:href|src)\s*=/;
/** An attribute value does not contain the quotes that enclose it. */
const LINK = /(\b(?:href|src)\s*=\s*)(["'])([^"'<>]*)\2/g;
