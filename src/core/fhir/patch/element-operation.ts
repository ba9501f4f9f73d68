/** The operations of a FHIRPath Patch, read from its Parameters resource (http://hl7.org/fhir/R4/fhirpatch.html#format). */
import { FhirError, fhirError, toIssue, type Issue, MAX_ISSUES_OF_RESOURCE } from '../../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { shorten } from '../json/fault';
import type { TypeModel } from '../path/type-node';
import { contentOf, type PatchValue } from './patch-value';

interface LocatedOperation {
  /** Position in the patch, from 0. */
  readonly index: number;
  readonly path: PatchValue<string>;
}

interface Add extends LocatedOperation {
  readonly type: 'add';
  readonly name: PatchValue<string>;
  readonly value: PatchValue<JsonObject>;
}

interface Insert extends LocatedOperation {
  readonly type: 'insert';
  readonly at: PatchValue<number>;
  readonly value: PatchValue<JsonObject>;
}

interface Delete extends LocatedOperation {
  readonly type: 'delete';
}

interface Replace extends LocatedOperation {
  readonly type: 'replace';
  readonly value: PatchValue<JsonObject>;
}

interface Move extends LocatedOperation {
  readonly type: 'move';
  readonly source: PatchValue<number>;
  readonly destination: PatchValue<number>;
}

/**
 * One operation whose form has been checked; `value` is the part itself, which may hold a value, a resource or parts.
 */
export type ElementOperation = Add | Insert | Delete | Replace | Move;

/** The parts of an operation by its type, besides `type` and `path`; each is required, and no others are allowed. */
const PARTS: Readonly<Record<ElementOperation['type'], readonly string[]>> = {
  add: ['name', 'value'],
  insert: ['index', 'value'],
  delete: [],
  replace: ['value'],
  move: ['source', 'destination'],
};

/** The types of the parts; `value` has any type. */
const TYPES: Readonly<Record<string, string>> = {
  type: 'code',
  path: 'string',
  name: 'string',
  index: 'integer',
  source: 'integer',
  destination: 'integer',
};

/**
 * Parses the operations of a patch and checks all that does not need the resource; a patch may have none.
 *
 * Throws `fhirPathPatchInvalid` with all errors (at most 20 issues), each with its expression in the Parameters
 * resource, and `tooManyPatchOperations`.
 */
export function parseElementOperations(
  body: JsonObject,
  model: TypeModel,
  maxOperations: number,
): ElementOperation[] {
  const parameters = body['parameter'] ?? [];
  if (!Array.isArray(parameters)) {
    throw fhirError('fhirPathPatchInvalid', { reason: 'parameter is a list' }, 'Parameters.parameter');
  }
  if (parameters.length > maxOperations) throw fhirError('tooManyPatchOperations', { limit: maxOperations });
  const issues: Issue[] = [];
  const operations: ElementOperation[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const reader = new OperationReader(index, model, issues);
    const operation = reader.read(parameter);
    if (operation !== undefined) operations.push(operation);
    if (issues.length >= MAX_ISSUES_OF_RESOURCE) break;
  }
  if (issues.length > 0) throw new FhirError('fhirPathPatchInvalid', issues.slice(0, MAX_ISSUES_OF_RESOURCE));
  return operations;
}

class OperationReader {
  private readonly place: string;
  /** Parts by name. */
  private readonly parts = new Map<string, PatchValue<JsonObject>>();

  constructor(
    private readonly index: number,
    private readonly model: TypeModel,
    private readonly issues: Issue[],
  ) {
    this.place = `Parameters.parameter[${index}]`;
  }

  /** Returns undefined for an invalid operation and adds its issues. */
  read(parameter: JsonValue): ElementOperation | undefined {
    const before = this.issues.length;
    if (!isJsonObject(parameter)) return this.report('it must be an object', this.place);
    if (parameter['name'] !== 'operation')
      return this.report("each parameter must have the name 'operation'", `${this.place}.name`);
    const parts = parameter['part'];
    if (!Array.isArray(parts)) return this.report('it needs parts', this.place);
    this.refuseModifier(parameter, this.place);
    parts.forEach((part, at) => this.collect(part, `${this.place}.part[${at}]`));
    const type = this.text('type');
    const path = this.text('path');
    if (type === undefined) return undefined;
    if (!isType(type.value)) {
      const allowed = Object.keys(PARTS).join(', ');
      return this.report(`'type' must be one of ${allowed}, not '${shorten(type.value)}'`, type.expression);
    }
    const operation = this.readParts(type.value, path);
    return this.issues.length > before ? undefined : operation;
  }

  private readParts(
    type: ElementOperation['type'],
    path: PatchValue<string> | undefined,
  ): ElementOperation | undefined {
    for (const [name, { expression }] of this.parts) {
      if (name === 'type' || name === 'path' || PARTS[type].includes(name)) continue;
      const wanted = ['type', 'path', ...PARTS[type]].join(', ');
      this.report(`'${type}' has no part '${shorten(name)}'; it has ${wanted}`, `${expression}.name`);
    }
    const { index } = this;
    switch (type) {
      case 'add': {
        const [name, value] = [this.text('name'), this.part('value')];
        return path && name && value && { type, index, path, name, value };
      }
      case 'insert': {
        const [at, value] = [this.position('index'), this.part('value')];
        return path && at && value && { type, index, path, at, value };
      }
      case 'delete':
        return path && { type, index, path };
      case 'replace': {
        const value = this.part('value');
        return path && value && { type, index, path, value };
      }
      case 'move': {
        const [source, destination] = [this.position('source'), this.position('destination')];
        return path && source && destination && { type, index, path, source, destination };
      }
    }
  }

  private collect(part: JsonValue, expression: string): void {
    const name = isJsonObject(part) ? part['name'] : undefined;
    if (!isJsonObject(part) || typeof name !== 'string') {
      this.report('a part is an object with a name', `${expression}.name`);
      return;
    }
    this.refuseModifier(part, expression);
    if (this.parts.has(name)) this.report(`'${shorten(name)}' is given twice`, expression);
    else this.parts.set(name, { value: part, expression });
  }

  /** A modifier extension changes the meaning of the patch, so that an unknown one must not be ignored. */
  private refuseModifier(object: JsonObject, expression: string): void {
    if (object['modifierExtension'] === undefined) return;
    this.report('modifier extensions are not supported', `${expression}.modifierExtension`);
  }

  private part(name: string): PatchValue<JsonObject> | undefined {
    const part = this.parts.get(name);
    return part ?? this.report(`the part '${name}' is missing`, this.place);
  }

  private text(name: string): PatchValue<string> | undefined {
    const given = this.primitive(name);
    if (given === undefined) return undefined;
    const { value, expression } = given;
    return typeof value === 'string'
      ? { value, expression }
      : this.report(`'${name}' must be text`, expression);
  }

  private position(name: string): PatchValue<number> | undefined {
    const given = this.primitive(name);
    if (given === undefined) return undefined;
    const { value, expression } = given;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return { value, expression };
    return this.report(`'${name}' must be a whole number from 0`, expression);
  }

  /** Returns the value of a part that `TYPES` gives a type. */
  private primitive(name: string): PatchValue<JsonValue> | undefined {
    const part = this.part(name);
    if (part === undefined) return undefined;
    const wanted = TYPES[name] ?? '';
    const content = contentOf(part.value, this.model);
    if (typeof content === 'string') return this.report(`'${name}': ${content}`, part.expression);
    const isOfType =
      content.kind === 'value' && this.model.definitions.conformsTo(content.access.node.name, wanted);
    if (!isOfType || content.value === undefined)
      return this.report(`'${name}' must be given as a ${wanted}`, part.expression);
    return { value: content.value, expression: `${part.expression}.value` };
  }

  private report(reason: string, expression: string): undefined {
    const sentence = `operation ${this.index}: ${reason}`;
    this.issues.push(toIssue('fhirPathPatchInvalid', { reason: sentence }, expression));
    return undefined;
  }
}

function isType(name: string): name is ElementOperation['type'] {
  return Object.hasOwn(PARTS, name);
}
