/** Converts parts of a patch into elements of the resource. */
import { fhirError, type FhirError } from '../../errors';
import type { JsonObject } from '../json';
import { isJsonObject } from '../json';
import { copyJson, type CopyAllowance } from '../json/copy';
import { shorten } from '../json/fault';
import type { Access, TypeModel, TypeNode } from '../path/type-node';
import { countSlots, insertSlot, isPresent, writeSingle, type Slot } from './element-slot';
import { contentOf, type Content, type PatchValue } from './patch-value';

/** A new element, and the member that holds elements of its type. */
export interface MadeElement extends Slot {
  readonly access: Access;
}

/** Makes elements from the parts of a patch. They share no objects with the patch. */
export class ElementMaker {
  constructor(
    private readonly model: TypeModel,
    /** Limit on all that is made. */
    private readonly growth: CopyAllowance,
  ) {}

  /**
   * Makes an element from a part, for one of the members in `choices`. Throws `patchNotApplicable` with the expression
   * in the patch if the type is wrong, and the errors of `copyJson`.
   */
  make({ value: part, expression }: PatchValue<JsonObject>, choices: readonly Access[]): MadeElement {
    const content = contentOf(part, this.model);
    if (typeof content === 'string') throw fhirError('fhirPathPatchInvalid', { reason: content }, expression);
    switch (content.kind) {
      case 'value':
        return this.ofValue(content, choices, `${expression}.value`);
      case 'resource': {
        const access = choices.find(({ isResource }) => isResource);
        const place = `${expression}.resource`;
        if (access === undefined)
          throw refusal(`${describe(choices)} is required here, not a resource`, place);
        return { access, value: this.copy(content.resource), element: undefined };
      }
      case 'parts':
        return this.ofParts(content, choices, expression);
    }
  }

  /**
   * Adds the element `name` to an object of the type `node`: to its list, or as a single element that is not yet
   * present. Returns the added element. Throws as `make` does.
   */
  addTo(
    owner: JsonObject,
    node: TypeNode,
    name: PatchValue<string>,
    part: PatchValue<JsonObject>,
  ): MadeElement {
    const choices = choicesOf(node, name.value);
    const [first] = choices;
    if (first === undefined) {
      const reason = `${node.name} has no element '${shorten(name.value)}'`;
      throw refusal(reason, name.expression);
    }
    const made = this.make(part, choices);
    if (made.access.isList) insertSlot(owner, made.access, countSlots(owner, made.access), made);
    else if (isPresent(owner, first)) {
      throw refusal(`'${shorten(name.value)}' does not repeat, and is there already`, name.expression);
    } else writeSingle(owner, made.access, made);
    return made;
  }

  private ofValue(
    content: Extract<Content, { kind: 'value' }>,
    choices: readonly Access[],
    expression: string,
  ): MadeElement {
    const given = content.access.node.name;
    const access =
      choices.find(({ node }) => node.name === given && !this.isAnonymous(node)) ??
      choices.find(({ node }) => this.takes(node, given));
    if (access === undefined) {
      const article = choices.some(({ node }) => this.isAnonymous(node)) ? ', given with parts' : '';
      throw refusal(`${describe(choices)} is required here${article}, not a ${given}`, expression);
    }
    const value = content.value === undefined ? undefined : copyJson(content.value, this.growth);
    const element = content.element === undefined ? undefined : this.copy(content.element);
    return { access, value, element };
  }

  private ofParts(
    { parts }: Extract<Content, { kind: 'parts' }>,
    choices: readonly Access[],
    expression: string,
  ): MadeElement {
    const [access] = choices;
    if (access === undefined || choices.length > 1 || access.isResource) {
      const reason = `${describe(choices)} is required here; parts do not determine its type`;
      throw refusal(reason, `${expression}.part`);
    }
    const object: JsonObject = {};
    this.growth.bytes -= OBJECT_BYTES;
    parts.forEach((part, index) => {
      const place = `${expression}.part[${index}]`;
      const name = isJsonObject(part) ? part['name'] : undefined;
      if (!isJsonObject(part) || typeof name !== 'string')
        throw fhirError(
          'fhirPathPatchInvalid',
          { reason: 'a part is an object with a name' },
          `${place}.name`,
        );
      if (part['modifierExtension'] !== undefined) {
        const reason = 'modifier extensions are not supported';
        throw fhirError('fhirPathPatchInvalid', { reason }, `${place}.modifierExtension`);
      }
      this.growth.bytes -= name.length;
      const given = { value: part, expression: place };
      this.addTo(object, access.node, { value: name, expression: `${place}.name` }, given);
    });
    return access.node.isPrimitive
      ? { access, value: undefined, element: object }
      : { access, value: object, element: undefined };
  }

  /**
   * True if an element accepts a value of a type: its own or one that specialises it. A primitive that a parameter
   * cannot have, such as xhtml, is given as a string.
   */
  private takes(node: TypeNode, given: string): boolean {
    if (this.isAnonymous(node)) return false;
    if (this.model.definitions.conformsTo(given, node.name)) return true;
    return given === 'string' && node.isPrimitive && !this.isOpen(node.name);
  }

  /** Element and BackboneElement are types of nested elements only, which have no type name of their own. */
  private isAnonymous(node: TypeNode): boolean {
    return this.model.definitions.structure(node.name)?.isAbstract === true;
  }

  private isOpen(typeName: string): boolean {
    const open = this.model.node('Parameters.parameter')?.accesses('value') ?? [];
    return open.some(({ node }) => node.name === typeName);
  }

  private copy(object: JsonObject): JsonObject {
    const copied = copyJson(object, this.growth);
    if (!isJsonObject(copied)) throw new Error('the copy of an object is an object');
    return copied;
  }
}

/** Cost of an object without its members, as `copyJson` counts. */
const OBJECT_BYTES = 6;

/**
 * Returns the members that can hold the element of this name: for `value` or `value[x]` one for each type of a choice,
 * for `valueQuantity` that one alone.
 */
function choicesOf(node: TypeNode, name: string): readonly Access[] {
  const choices = node.accesses(name.endsWith('[x]') ? name.slice(0, -'[x]'.length) : name);
  if (choices.length > 0) return choices;
  for (const accesses of node.elements) {
    const access = accesses.find(({ key }) => key === name);
    if (access !== undefined) return [access];
  }
  return choices;
}

function describe(choices: readonly Access[]): string {
  const names = [...new Set(choices.map(({ node }) => node.name))];
  return names.length > 1 ? `One of ${names.join(', ')}` : `A value of the type ${names[0] ?? 'unknown'}`;
}

function refusal(reason: string, expression: string): FhirError {
  return fhirError('patchNotApplicable', { reason }, expression);
}
