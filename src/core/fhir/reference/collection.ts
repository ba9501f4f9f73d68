import { FhirError, toIssue, type Issue, MAX_ISSUES_OF_RESOURCE } from '../../errors';
import type { JsonObject, JsonValue } from '../json';
import { shorten, toExpression } from '../json/fault';
import { looksLocal, type ReferenceResolver } from './resolver';
import { visitOwnReferences } from './targets';
import { clientOfReference } from '../../../../packages/fhir-values/server-meta';

/** A text in a resource that may refer to a resource of this server. */
export interface CollectedReference {
  readonly reference: string;
  /** Returns the FHIRPath of the text. Cost: a traversal. */
  expression(): string;
}

/**
 * Returns the texts of a resource that may refer to a resource of this server: every string member `reference`, in
 * contained resources and extensions too, and every other string that is an http url similar to the server's addresses
 * (canonicals, uris, attachments). Omits the reference to the author in the resource's own meta. Cost: one
 * traversal, about 2 µs.
 */
export function collectReferences(resource: JsonObject): CollectedReference[] {
  const found: CollectedReference[] = [];
  visitReferences(resource, (reference) => {
    const occurrence = found.length;
    found.push({ reference, expression: () => expressionOf(resource, occurrence) });
  });
  return found;
}

/**
 * Throws `foreignReference` if a text of the resource leaves the resolver's space, `unresolvedReference` if one of its
 * own references is a search, with the expressions (at most 20 of each).
 */
export function checkReferences(resource: JsonObject, resolver: ReferenceResolver): void {
  let foreign = 0;
  let queries = 0;
  visitReferences(resource, (reference) => {
    if (resolver.leaves(reference)) foreign++;
    if (reference.includes('?')) queries++;
  });
  const unresolved = queries === 0 ? NONE : unresolvedIssues(resource, resolver);
  if (foreign > 0)
    throw new FhirError('foreignReference', [...foreignIssues(resource, resolver), ...unresolved]);
  if (unresolved.length > 0) throw new FhirError('unresolvedReference', unresolved);
}

function unresolvedIssues(resource: JsonObject, resolver: ReferenceResolver): readonly Issue[] {
  const issues: Issue[] = [];
  visitOwnReferences(resource, (reference, expression) => {
    if (issues.length < MAX_ISSUES_OF_RESOURCE && isQuery(reference, resolver))
      issues.push(toIssue('unresolvedReference', { reference: shorten(reference) }, expression()));
  });
  return issues;
}

/**
 * True for a reference with a query, relative to the server's address or below it: no stored resource has such an
 * address.
 */
function isQuery(reference: string, resolver: ReferenceResolver): boolean {
  const below = /^[a-z][a-z0-9+.-]*:/i.test(reference) ? resolver.below(reference) : reference;
  return below !== undefined && !below.startsWith('#') && below.includes('?');
}

function foreignIssues(resource: JsonObject, resolver: ReferenceResolver): readonly Issue[] {
  const issues: Issue[] = [];
  for (const { reference, expression } of collectReferences(resource)) {
    if (!resolver.leaves(reference)) continue;
    issues.push(toIssue('foreignReference', { reference: shorten(reference) }, expression()));
    if (issues.length === MAX_ISSUES_OF_RESOURCE) break;
  }
  return issues;
}

const NONE: readonly Issue[] = [];

type Visit = (reference: string) => void;

function visitReferences(resource: JsonObject, visit: Visit): void {
  for (const name in resource) {
    const value = resource[name];
    if (value === undefined) continue;
    visitValue(name, value, name === 'meta' ? withoutAuthor(visit) : visit);
  }
}

function withoutAuthor(visit: Visit): Visit {
  return (reference) => {
    if (!isAuthor(reference)) visit(reference);
  };
}

function visitValue(name: string, value: JsonValue, visit: Visit): void {
  if (typeof value === 'string') {
    if (name === 'reference' || isCandidate(value)) visit(value);
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      for (const element of value) visitValue(name, element, visit);
    } else {
      for (const member in value) visitValue(member, value[member] ?? null, visit);
    }
  }
}

/** Checks every string; the first letter decides for almost all of them. */
function isCandidate(text: string): boolean {
  const first = text.charCodeAt(0);
  const mayBeUrl = first === 0x68 || first === 0x48 || first <= 0x20;
  return mayBeUrl && /^\s*h\s*t\s*t\s*p/i.test(text) && looksLocal(text);
}

function isAuthor(reference: string): boolean {
  return clientOfReference(reference) !== undefined;
}

/** Returns the expression of the n-th text, from 0, that `visitReferences` visits. */
function expressionOf(resource: JsonObject, occurrence: number): string {
  let left = occurrence;
  const path: (string | number)[] = [];
  const search = (name: string, value: JsonValue, isMeta: boolean): boolean => {
    if (typeof value === 'string') {
      const isFound = (name === 'reference' || isCandidate(value)) && !(isMeta && isAuthor(value));
      return isFound && left-- === 0;
    }
    if (typeof value !== 'object' || value === null) return false;
    const steps: [string | number, string, JsonValue][] = Array.isArray(value)
      ? value.map((element, index) => [index, name, element])
      : Object.entries(value).map(([member, inner]) => [member, member, inner]);
    return steps.some(([step, inner, element]) => {
      path.push(step);
      if (search(inner, element, isMeta || (path.length === 1 && step === 'meta'))) return true;
      path.pop();
      return false;
    });
  };
  search('', resource, false);
  const type = resource['resourceType'];
  return toExpression(typeof type === 'string' ? type : '', path);
}
