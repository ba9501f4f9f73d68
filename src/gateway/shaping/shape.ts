/**
 * Gives a response the form of @flatten, @first, @singleton and @slice
 * (http://hl7.org/fhir/R4/graphql.html#flattening). It runs after the execution, independent of the executor.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
} from 'graphql';
import { fhirError, turns } from '../../core/index';
import { DECIMAL_MARK } from '../../schema/json';
import type { Steps } from '../../schema/steps';
import { finishInTurns } from '../finish-in-turns';
import { type FieldGroup, FieldGroups } from './field-groups';
import { aliasOf, HIDDEN_TYPE } from './plan';
import { SliceNames } from './slice-names';

type Data = Readonly<Record<string, unknown>>;

/** A position in the response; undefined: the root. Errors have it as a list, and most positions have no error. */
interface Path {
  readonly above: Path | undefined;
  readonly key: string | number;
}

/** The data of an operation of a planned document. */
interface ExecutedOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Data;
  readonly data: Data;
}

export interface ShapedResult {
  readonly data: Data;
  readonly errors: readonly GraphQLError[];
  /** Characters of the names that were made, which may be longer than the values. */
  readonly characters: number;
}

/** State that a flattened field passes to the fields that replace it. */
interface Descent {
  /** True below a field that is left out. */
  readonly isFlat: boolean;
  /** True when one of the fields that are left out repeats: values below it become lists. */
  readonly isList: boolean;
  /** Suffix from the slices of the fields that are left out: '', '.0', '.0.home'. */
  readonly suffix: string;
}

/** The path of an object in the response, and the flattened fields on the way to it. */
interface Position {
  readonly descent: Descent;
  readonly path: Path | undefined;
}

const ROOT: Descent = { isFlat: false, isList: false, suffix: '' };

/** One member of the response, and the fields that it is made of. */
class Member {
  /** Each once. */
  readonly groups: FieldGroup[] = [];
  readonly values: unknown[] = [];
  type: GraphQLNamedType | undefined = undefined;
  isList = false;
  isSingle = false;
  /** Its value in the response when it has none; undefined: the member is missing. */
  empty: null | readonly [] | undefined = undefined;
  hasMixedTypes = false;
}

type Target = Map<string, Member>;

/**
 * Shapes the data of an operation of `document`, which `planShaping` has made. A member that cannot be formed is null
 * and has an error. Yields to the event loop between elements and members.
 * Cost: one pass over the data, two with such a @slice.
 */
export async function shape(
  schema: GraphQLSchema,
  { document, operationName, variables, data }: ExecutedOperation,
): Promise<ShapedResult> {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return { data, errors: [], characters: 0 };
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const groups = new FieldGroups(schema, fragments, coerced);
  const ofRoot = groups.of(operation, [operation.selectionSet], root);
  const names = new SliceNames();
  const pass = async (): Promise<ShapedResult> => {
    const shaper = new Shaper(schema, groups, names);
    const shaped = await finishInTurns(shaper.object(data, ofRoot, undefined));
    return { data: shaped, errors: shaper.errors, characters: shaper.characters };
  };
  const shaped = await pass();
  return (await names.find()) ? pass() : shaped;
}

class Shaper {
  readonly errors: GraphQLError[] = [];
  characters = 0;
  /** Fields whose slices have no names. */
  private readonly failed = new Set<FieldGroup>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly groups: FieldGroups,
    private readonly names: SliceNames,
  ) {}

  *object(source: Data, groups: readonly FieldGroup[], path: Path | undefined): Steps<Data> {
    const target: Target = new Map();
    yield* this.fill(target, source, groups, { descent: ROOT, path });
    const object = Object.create(null) as Record<string, unknown>;
    for (const [name, member] of target) {
      if (turns.next() !== undefined) yield;
      this.characters += name.length;
      if (member.values.length > 0) object[name] = this.valueOf(member, { above: path, key: name });
      else if (member.empty !== undefined) object[name] = member.empty;
    }
    return object;
  }

  private *fill(
    target: Target,
    source: Data,
    groups: readonly FieldGroup[],
    position: Position,
  ): Steps<void> {
    for (const group of groups) yield* this.add(target, group, source[group.name], position);
  }

  private *add(target: Target, group: FieldGroup, value: unknown, { descent, path }: Position): Steps<void> {
    const { name, isFlat, isFirst, isSingle, isRepeating, slice } = group;
    const all: readonly unknown[] = Array.isArray(value) ? value : absent(value) ? [] : [value];
    const elements = isFirst ? all.slice(0, 1) : all;
    const isMoved = descent.isFlat || slice !== undefined;
    if (!isFlat && slice === undefined) {
      const member = memberOf(target, name + descent.suffix, group);
      member.isList ||= isRepeating || descent.isList;
      member.isSingle ||= isSingle;
      // Null or an empty list is part of the response at the field's own position, and nothing where the field was
      // moved.
      if (!isMoved) member.empty = Array.isArray(value) && !isSingle ? [] : null;
    }
    for (let index = 0; index < elements.length; index++) {
      if (turns.next() !== undefined) yield;
      const element = elements[index];
      if (absent(element) && (isMoved || isFlat)) continue;
      const cut = this.sliceName(group, element, index, path);
      if (cut === undefined) continue;
      const suffix = descent.suffix + (slice === undefined ? '' : `.${cut}`);
      const type = this.typeOf(group, element);
      if (isFlat && isObject(element) && isObjectType(type)) {
        const below: Descent = { isFlat: true, isList: descent.isList || isRepeating, suffix };
        yield* this.fill(target, element, this.below(group, type), { descent: below, path });
        continue;
      }
      const member = memberOf(target, name + suffix, group);
      member.isList ||= isRepeating || descent.isList;
      member.isSingle ||= isSingle;
      member.hasMixedTypes ||= member.type !== undefined && member.type !== group.type;
      member.type = group.type;
      if (group.isLeaf || !isObject(element) || !isObjectType(type)) {
        member.values.push(element);
        continue;
      }
      const place = { above: path, key: name + suffix };
      const own = isRepeating ? { above: place, key: member.values.length } : place;
      member.values.push(yield* this.object(element, this.below(group, type), own));
    }
  }

  /**
   * Returns '' for a field without slices. Returns undefined when the name cannot be determined; all elements of the
   * field share one error.
   */
  private sliceName(
    group: FieldGroup,
    element: unknown,
    index: number,
    path: Path | undefined,
  ): string | undefined {
    const { slice } = group;
    if (slice === undefined) return '';
    if (slice.kind !== 'expression') return sliceName(slice, element, index);
    const found = this.names.of(group, slice, element);
    if (typeof found === 'string') return found;
    if (!this.failed.has(group)) {
      this.failed.add(group);
      const place = keysOf({ above: path, key: group.name });
      this.errors.push(
        new GraphQLError(found.message, { nodes: group.nodes, path: place, originalError: found }),
      );
    }
    return undefined;
  }

  private below(group: FieldGroup, type: GraphQLObjectType): readonly FieldGroup[] {
    return this.groups.of(
      group,
      group.nodes.map(({ selectionSet }) => selectionSet),
      type,
    );
  }

  private typeOf(group: FieldGroup, element: unknown): GraphQLNamedType | undefined {
    const { type } = group;
    if (type === undefined || group.isLeaf || isObjectType(type)) return type;
    const name = isObject(element) ? element[HIDDEN_TYPE] : undefined;
    return typeof name === 'string' ? this.schema.getType(name) : undefined;
  }

  private valueOf(member: Member, path: Path): unknown {
    const { values, groups, isSingle, isList, hasMixedTypes } = member;
    if (hasMixedTypes)
      return this.fail('The values that are flattened into one list have different types', member, path);
    if (isSingle && values.length > 1)
      return this.fail('@singleton allows one value, but there are several', member, path);
    // The flattened values of several fields are always a list.
    if (!isSingle && (isList || groups.length > 1)) return values;
    return values[0] ?? null;
  }

  private fail(reason: string, { groups }: Member, path: Path): null {
    const nodes = groups.flatMap((group) => group.nodes);
    const originalError = fhirError('ruleViolated', { reason: `${reason}: '${path.key}'` });
    this.errors.push(new GraphQLError(originalError.message, { nodes, path: keysOf(path), originalError }));
    return null;
  }
}

function keysOf(path: Path | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.above) keys.push(at.key);
  return keys.reverse();
}

function memberOf(target: Target, name: string, group: FieldGroup): Member {
  let member = target.get(name);
  if (!member) target.set(name, (member = new Member()));
  const { groups } = member;
  if (groups.at(-1) !== group && !groups.includes(group)) groups.push(group);
  return member;
}

function absent(value: unknown): boolean {
  return value === null || value === undefined;
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sliceName(
  slice: Exclude<NonNullable<FieldGroup['slice']>, { readonly kind: 'expression' }>,
  element: unknown,
  index: number,
): string {
  if (slice.kind === 'index') return String(index);
  if (slice.names.length === 0) return toText(element);
  const alias = aliasOf(slice.names);
  let found: readonly unknown[] = [element];
  for (let level = 0; level < slice.names.length; level++)
    found = found.flatMap((value) => (isObject(value) ? value[alias] : [])).filter((value) => !absent(value));
  return found.map(toText).join(',');
}

function toText(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  return value.startsWith(DECIMAL_MARK) ? value.slice(DECIMAL_MARK.length) : value;
}
