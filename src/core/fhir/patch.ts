/**
 * JSON Patch (RFC 6902) on resources. The library applies the operations; this module first resolves the path of each
 * operation. The library would take inherited members for members, short-cut large indexes and copy without limit, and
 * it does not compare decimals by value.
 */
import { applyOperation, compare, JsonPatchError } from 'fast-json-patch';
import { fhirError, type ErrorKey, type FhirError } from '../errors';
import { isJsonObject, type JsonDocument, type JsonObject, type JsonValue } from './json';
import { copyJson, sizeOfJson, type CopyAllowance } from './json/copy';
import { areEqualJson } from './json/equality';
import { shorten } from './json/fault';
import { refuseDeeper } from './patch/depth';
import { COPIES_PER_BYTE, createCopyBudget, type CopyBudget, type PatchLimits } from './patch/limits';
import { parseOperations, type PatchOperation } from './patch/operation';
import { parseIndex, resolvePointer, type Pointer } from './patch/pointer';

export { applyFhirPathPatch, isFhirPathPatch } from './patch/fhirpath-patch';
export {
  createCopyBudget,
  createPathBudget,
  createShortPathBudget,
  type CopyBudget,
  type PatchLimits,
  type PathBudget,
} from './patch/limits';
export { dropGeneratedNarrative } from './patch/narrative';

/**
 * Applies a patch to `current` and returns the resulting resource; does not change its arguments. The root keeps its
 * type and id even when it is replaced. All operations apply, or none does.
 *
 * Throws `patchInvalid` (400) if it is not a JSON Patch, `patchForbidden` (422) for a change of elements that the
 * server controls, `patchNotApplicable` (422) for a path that does not exist, `patchTestFailed` (422),
 * `tooManyPatchOperations` (413), and `tooCostly` (422) before the limits on growth and depth are exceeded.
 * `Issue.expression` is `$this[n]`, the n-th operation counted from 0. Cost: about 10 µs for one operation on a Patient
 * of 2 kB.
 */
export function applyJsonPatch(
  current: JsonDocument,
  patch: JsonDocument,
  limits: PatchLimits,
): JsonDocument {
  const operations = parseOperations(patch.value, limits.maxOperations);
  const whole: CopyAllowance = { maxDepth: Infinity, bytes: Infinity, marked: false };
  const copied = copyJson(current.value, whole);
  if (!isJsonObject(copied)) throw new Error('only a resource can be patched');
  const growth: CopyAllowance = {
    maxDepth: limits.maxDepth,
    bytes: limits.maxGrowthBytes,
    marked: whole.marked,
  };
  const copies = new Copies(
    limits.copies ?? createCopyBudget(),
    sizeOfJson(patch.value, limits.maxGrowthBytes),
  );
  let root: JsonObject = copied;
  operations.forEach((operation, index) => {
    root = new Step(root, operation, index, { growth, copies }).apply();
  });
  refuseDeeper(root, limits.maxDepth);
  return { value: root, marked: growth.marked };
}

/** True for a JSON Patch without an operation that could change something. */
export function onlyTests(patch: JsonValue): boolean {
  return (
    Array.isArray(patch) && patch.every((operation) => isJsonObject(operation) && operation['op'] === 'test')
  );
}

/**
 * Returns the JSON Patch from `before` to `after`: its operations (add, remove, replace) in order. Compares elements of
 * arrays by index. Cost: linear in both.
 */
export function differenceOf(before: JsonDocument, after: JsonDocument): JsonDocument {
  if (!isJsonObject(before.value) || !isJsonObject(after.value))
    throw new Error('only resources have a difference');
  const operations = compare(before.value, after.value).map((operation): JsonObject => ({ ...operation }));
  return { value: operations, marked: after.marked };
}

/** The limit on all copies of one patch: a multiple of the patch's size, then the budget. */
class Copies {
  private ofPatch: number;

  constructor(
    private readonly budget: CopyBudget,
    patchBytes: number,
  ) {
    this.ofPatch = patchBytes * COPIES_PER_BYTE;
  }

  /**
   * Returns true and counts the value if it may be copied. Cost: a traversal of the value, at most as far as the limit.
   */
  take(value: JsonValue): boolean {
    const left = this.ofPatch + this.budget.bytes;
    const size = sizeOfJson(value, left);
    if (size > left) return false;
    const beyond = Math.max(0, size - this.ofPatch);
    this.ofPatch -= size - beyond;
    this.budget.bytes -= beyond;
    return true;
  }
}

interface Allowances {
  /** Limit on all added content. */
  readonly growth: CopyAllowance;
  /** Limit on content copied within the resource. */
  readonly copies: Copies;
}

/** One operation of the patch. */
class Step {
  constructor(
    private readonly root: JsonObject,
    private readonly operation: PatchOperation,
    private readonly index: number,
    private readonly allowances: Allowances,
  ) {}

  /** Returns the resulting root; changes it in place unless the operation replaces it. */
  apply(): JsonObject {
    const { operation } = this;
    switch (operation.op) {
      case 'test':
        if (!areEqualJson(this.existing(operation.path), operation.value)) {
          throw this.error('patchTestFailed', 'the value is different');
        }
        return this.root;
      case 'add':
        return this.add(operation.path, copyJson(operation.value, this.allowances.growth));
      case 'replace':
        this.existing(operation.path);
        return this.run('replace', operation.path, copyJson(operation.value, this.allowances.growth));
      case 'remove':
        this.existing(operation.path);
        return this.remove(operation.path);
      case 'copy':
        return this.add(operation.path, this.copyOf(operation.from));
      case 'move': {
        const value = this.existing(operation.from);
        if (operation.from.text === operation.path.text) return this.root;
        this.remove(operation.from);
        // Already part of the resource; the library's validation would traverse all of it at any depth.
        return this.add(operation.path, value, false);
      }
    }
  }

  private copyOf(from: Pointer): JsonValue {
    const value = this.existing(from);
    const { growth, copies } = this.allowances;
    if (!copies.take(value))
      throw this.error('tooCostly', 'it copies more than a patch of this size may copy');
    return copyJson(value, growth);
  }

  private existing(pointer: Pointer): JsonValue {
    const value = resolvePointer(this.root, pointer.segments);
    if (value === undefined)
      throw this.error('patchNotApplicable', `there is nothing at '${shorten(pointer.text)}'`);
    return value;
  }

  private add(pointer: Pointer, value: JsonValue, validate = true): JsonObject {
    const name = pointer.segments.at(-1);
    if (name !== undefined) {
      const parent = resolvePointer(this.root, pointer.segments.slice(0, -1));
      if (Array.isArray(parent)) {
        const index = name === '-' ? parent.length : parseIndex(name);
        if (index === undefined || index > parent.length) {
          throw this.error(
            'patchNotApplicable',
            `'${shorten(name)}' is not a place in an array of ${parent.length}`,
          );
        }
      } else if (!isJsonObject(parent)) {
        throw this.error(
          'patchNotApplicable',
          `there is no object or array to add to at '${shorten(pointer.text)}'`,
        );
      }
    }
    return this.run('add', pointer, value, validate);
  }

  private remove(pointer: Pointer): JsonObject {
    if (pointer.segments.length === 0) throw this.forbidden('/resourceType by removing the whole resource');
    return this.call({ op: 'remove', path: pointer.text });
  }

  private run(op: 'add' | 'replace', pointer: Pointer, value: JsonValue, validate = true): JsonObject {
    if (pointer.segments.length === 0) return this.replaceRoot(value);
    return this.call({ op, path: pointer.text, value }, validate);
  }

  private replaceRoot(value: JsonValue): JsonObject {
    if (!isJsonObject(value)) throw this.error('patchNotApplicable', 'a resource must be a JSON object');
    const identity: JsonObject = {};
    for (const name of ['resourceType', 'id']) {
      const present = this.root[name];
      if (present === undefined) continue;
      if (value[name] !== undefined && value[name] !== present) throw this.forbidden(`/${name}`);
      if (value[name] === undefined) identity[name] = present;
    }
    return { ...identity, ...value };
  }

  private call(operation: Parameters<typeof applyOperation>[1], validate = true): JsonObject {
    try {
      return applyOperation(this.root, operation, validate, true, true, this.index).newDocument;
    } catch (thrown) {
      if (thrown instanceof JsonPatchError) throw this.error('patchNotApplicable', thrown.name);
      // The library refuses prototype names. Paths have been checked before, so that this should not happen.
      if (thrown instanceof TypeError) throw this.error('patchInvalid', 'the path is not allowed');
      throw thrown;
    }
  }

  private forbidden(path: string): FhirError {
    return fhirError('patchForbidden', { path }, `$this[${this.index}]`);
  }

  private error(key: ErrorKey, reason: string): FhirError {
    const { op, path } = this.operation;
    const place = `operation ${this.index} (${op} '${shorten(path.text)}')`;
    return fhirError(key, { reason: `${place}: ${reason}` }, `$this[${this.index}]`);
  }
}
