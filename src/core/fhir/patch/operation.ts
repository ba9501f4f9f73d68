import { FhirError, fhirError, toIssue, type Issue, MAX_ISSUES_OF_RESOURCE } from '../../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { isForbiddenName, shorten } from '../json/fault';
import { isAtOrUnder, parsePointer, type Pointer } from './pointer';
import { isProtected } from './protected';

/** One operation of a JSON Patch (RFC 6902 section 4) whose form has been checked. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly path: Pointer; readonly from: Pointer };

const KINDS: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/**
 * Parses the operations of a patch and checks all that does not need the resource.
 *
 * Throws `patchInvalid` with an issue for each invalid operation (at most 20), `tooManyPatchOperations`, and
 * `patchForbidden` for an operation other than `test` that would change elements that the server controls.
 */
export function parseOperations(patch: JsonValue, maxOperations: number): PatchOperation[] {
  if (!Array.isArray(patch)) throw fhirError('patchInvalid', { reason: 'it must be an array of operations' });
  if (patch.length > maxOperations) throw fhirError('tooManyPatchOperations', { limit: maxOperations });
  const operations: PatchOperation[] = [];
  const issues: Issue[] = [];
  for (const [index, candidate] of patch.entries()) {
    const parsed = parseOperation(candidate);
    if (typeof parsed !== 'string') operations.push(parsed);
    else if (issues.length < MAX_ISSUES_OF_RESOURCE) {
      issues.push(toIssue('patchInvalid', { reason: `operation ${index}: ${parsed}` }, `$this[${index}]`));
    }
  }
  if (issues.length > 0) throw new FhirError('patchInvalid', issues);
  operations.forEach(checkProtected);
  return operations;
}

/** Returns the operation, or a text that says what is wrong with it. */
function parseOperation(candidate: JsonValue): PatchOperation | string {
  if (!isJsonObject(candidate)) return 'it must be an object';
  const { op } = candidate;
  if (typeof op !== 'string' || !KINDS.has(op)) {
    return `'op' must be one of ${[...KINDS].join(', ')}${typeof op === 'string' ? `, not '${shorten(op)}'` : ''}`;
  }
  const path = pointerOf(candidate, 'path');
  if (typeof path === 'string') return path;
  switch (op) {
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy': {
      const from = pointerOf(candidate, 'from');
      if (typeof from === 'string') return from;
      const isIntoItself = path.segments.length > from.segments.length && isAtOrUnder(path, from.segments);
      if (op === 'move' && isIntoItself) return `'${shorten(from.text)}' cannot be moved into itself`;
      return { op, path, from };
    }
    case 'add':
    case 'replace':
    case 'test': {
      const value = Object.hasOwn(candidate, 'value') ? candidate['value'] : undefined;
      return value === undefined ? `'${op}' needs a 'value'` : { op, path, value };
    }
    default:
      return `'op' is unknown`;
  }
}

function pointerOf(operation: JsonObject, name: 'path' | 'from'): Pointer | string {
  const text = operation[name];
  if (text === undefined) return `'${name}' is missing`;
  if (typeof text !== 'string') return `'${name}' must be a string`;
  const pointer = parsePointer(text);
  if (pointer === undefined)
    return `'${name}' must be a JSON Pointer such as /name/0/family, not '${shorten(text)}'`;
  const forbidden = pointer.segments.find((segment) => isForbiddenName(segment) || segment === 'prototype');
  return forbidden === undefined ? pointer : `'${name}' may not lead through '${forbidden}'`;
}

function checkProtected(operation: PatchOperation, index: number): void {
  if (operation.op === 'test') return;
  const changed = operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
  for (const pointer of changed) {
    if (isProtected(pointer.segments)) {
      throw fhirError('patchForbidden', { path: shorten(pointer.text) }, `$this[${index}]`);
    }
  }
}
