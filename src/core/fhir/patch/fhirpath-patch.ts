/**
 * FHIRPath Patch: a Parameters resource lists elements to add, insert, delete, replace and move, at FHIRPath locations
 * (http://hl7.org/fhir/R4/fhirpatch.html).
 */
import { fhirError, type FhirError } from '../../errors';
import type { Definitions } from '../definitions';
import { isJsonObject, type JsonDocument, type JsonObject, type JsonValue } from '../json';
import { copyJson, type CopyAllowance } from '../json/copy';
import { shorten, toRoot } from '../json/fault';
import { TypeModel, type Access } from '../path/type-node';
import type { PathNode } from '../path/value';
import { refuseDeeper } from './depth';
import { parseElementOperations, type ElementOperation } from './element-operation';
import { countSlots, insertSlot, moveSlot, openElement, removeSlot, replaceSlot } from './element-slot';
import { ElementMaker, type MadeElement } from './element-value';
import type { PatchValue } from './patch-value';
import { createPathBudget, type PatchLimits } from './limits';
import { PathFinder } from './path-finder';
import { isProtected } from './protected';
import { ResourceTree } from './resource-tree';

/** True for a FHIRPath Patch; everything else is treated as a JSON Patch. */
export function isFhirPathPatch(patch: JsonValue): patch is JsonObject {
  return isJsonObject(patch) && patch['resourceType'] === 'Parameters';
}

/**
 * Applies a FHIRPath Patch to `current` and returns the resulting resource; does not change its arguments. All
 * operations apply, or none does. The caller must validate the result.
 *
 * Throws `fhirPathPatchInvalid` (400) if it is not such a patch, `notSupported` (422) for unsupported FHIRPath,
 * `patchForbidden` (422) for a change of elements that the server controls, `patchNotApplicable` (422) for a path that
 * does not lead to the one element or list that the operation needs and for a value of a wrong type,
 * `tooManyPatchOperations` (413), and `tooCostly` (422) before the limits on growth, depth and evaluation are exceeded.
 * `Issue.expression` is the location in the Parameters resource: `Parameters.parameter[2].part[1].value`. Cost: about
 * 30 µs for one operation on a Patient of 2 kB; on a large one that of evaluating each path.
 */
export function applyFhirPathPatch(
  current: JsonDocument,
  patch: JsonObject,
  definitions: Definitions,
  limits: PatchLimits,
): JsonDocument {
  const model = TypeModel.of(definitions);
  const operations = parseElementOperations(patch, model, limits.maxOperations);
  const whole: CopyAllowance = { maxDepth: Infinity, bytes: Infinity, marked: false };
  const root = copyJson(current.value, whole);
  const rootType = isJsonObject(root) ? root['resourceType'] : undefined;
  if (!isJsonObject(root) || typeof rootType !== 'string') throw new Error('only a resource can be patched');
  const finder = new PathFinder({ definitions, rootType }, root, limits.paths ?? createPathBudget());
  for (const { path } of operations) finder.prepare(path);
  const growth: CopyAllowance = {
    maxDepth: limits.maxDepth,
    bytes: limits.maxGrowthBytes,
    marked: whole.marked,
  };
  const tree = new ResourceTree(root);
  const maker = new ElementMaker(model, growth);
  for (const operation of operations) new Step(tree, finder, maker, operation).apply();
  refuseDeeper(root, limits.maxDepth);
  return { value: root, marked: growth.marked };
}

/** The location of an element. */
interface ElementLocation {
  readonly owner: JsonObject;
  readonly access: Access;
  /** -1 if it is not in a list. */
  readonly index: number;
}

/** One operation of the patch. */
class Step {
  constructor(
    private readonly tree: ResourceTree,
    private readonly finder: PathFinder,
    private readonly maker: ElementMaker,
    private readonly operation: ElementOperation,
  ) {}

  apply(): void {
    const { operation } = this;
    switch (operation.type) {
      case 'add':
        return this.add(operation.name, operation.value);
      case 'insert':
        return this.insert(operation.at, operation.value);
      case 'delete':
        return this.delete();
      case 'replace':
        return this.replace(operation.value);
      case 'move':
        return this.move(operation.source, operation.destination);
    }
  }

  private add(name: PatchValue<string>, value: PatchValue<JsonObject>): void {
    const target = this.findOne();
    const owner = this.ownerBelow(target);
    this.protect(owner, name.value);
    this.adopt(owner, this.maker.addTo(owner, target.node, name, value));
  }

  private insert({ value: index, expression }: PatchValue<number>, value: PatchValue<JsonObject>): void {
    const { owner, access } = this.findList();
    const count = countSlots(owner, access);
    if (index > count)
      throw this.error(`the index ${index} is beyond the end of the list of ${count}`, expression);
    const made = this.maker.make(value, [access]);
    insertSlot(owner, access, index, made);
    this.adopt(owner, made);
  }

  private delete(): void {
    const target = this.findAtMostOne();
    if (target === undefined) return;
    const { owner, access, index } = this.placeOf(target);
    this.protect(owner, access.key);
    removeSlot(owner, access, index);
    this.tree.prune(owner);
  }

  private replace(value: PatchValue<JsonObject>): void {
    const { owner, access, index } = this.placeOf(this.findOne());
    this.protect(owner, access.key);
    const made = this.maker.make(value, access.choices);
    replaceSlot(owner, { from: access, index, access: made.access, slot: made });
    this.adopt(owner, made);
  }

  private move(source: PatchValue<number>, destination: PatchValue<number>): void {
    const { owner, access } = this.findList();
    const count = countSlots(owner, access);
    for (const { value, expression } of [source, destination]) {
      if (value >= count)
        throw this.error(`the index ${value} does not exist in the list of ${count}`, expression);
    }
    moveSlot(owner, access, source.value, destination.value);
  }

  private findOne(): PathNode {
    const found = this.findAtMostOne();
    if (found === undefined) throw this.error('there is nothing at this path');
    return found;
  }

  private findAtMostOne(): PathNode | undefined {
    const found = this.finder.find(this.operation.path);
    if (found.length > 1) throw this.error(`the path leads to ${found.length} elements; it must lead to one`);
    return found[0];
  }

  /** Returns the list that consists of exactly the elements at the path. */
  private findList(): ElementLocation {
    const found = this.finder.find(this.operation.path);
    const [first] = found;
    if (first === undefined) throw this.error("there is nothing at this path; a list is begun with 'add'");
    const place = this.placeOf(first);
    const { owner, access } = place;
    if (!access.isList) throw this.error(`${access.key} is not a list`);
    const isWhole =
      found.length === countSlots(owner, access) &&
      found.every((node, index) => node.owner === owner && node.access === access && node.index === index);
    if (!isWhole) throw this.error('the path must lead to all the elements of one list');
    this.protect(owner, access.key);
    return place;
  }

  private placeOf({ owner, access, index, value }: PathNode): ElementLocation {
    if (value === this.tree.root) throw this.error('the resource itself cannot be replaced or deleted');
    if (owner === undefined || access === undefined || !this.tree.has(owner))
      throw this.error('the path does not lead to an element of the resource');
    return { owner, access, index };
  }

  /** Returns the object that holds the child elements of an element; for a primitive, the one with its extensions. */
  private ownerBelow(target: PathNode): JsonObject {
    if (target.value === this.tree.root) return this.tree.root;
    const { owner, access, index } = this.placeOf(target);
    this.protect(owner, access.key);
    if (!target.node.isPrimitive) {
      if (isJsonObject(target.value)) return target.value;
      throw this.error('the path leads to no element that could have elements');
    }
    if (target.element !== undefined) return target.element;
    const made = openElement(owner, access, index);
    this.tree.adopt(made, owner, access.companionKey);
    return made;
  }

  private adopt(owner: JsonObject, { access, value, element }: MadeElement): void {
    if (isJsonObject(value)) this.tree.adopt(value, owner, access.key);
    if (element !== undefined) this.tree.adopt(element, owner, access.companionKey);
  }

  private protect(owner: JsonObject, member: string): void {
    const way = [...this.tree.wayTo(owner), member];
    if (!isProtected(way)) return;
    const path = [toRoot(this.tree.root['resourceType']), ...way].join('.');
    throw fhirError('patchForbidden', { path: shorten(path) }, this.operation.path.expression);
  }

  private error(reason: string, expression?: string): FhirError {
    const { index, type, path } = this.operation;
    const place = `operation ${index} (${type} '${shorten(path.value)}')`;
    return fhirError('patchNotApplicable', { reason: `${place}: ${reason}` }, expression ?? path.expression);
  }
}
