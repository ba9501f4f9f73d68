/**
 * Compiles operations to closures, without generated code. graphql's `execute` determines the definition, the arguments
 * and the type of each field again for each object. This code determines them once for each field of the document, at
 * its first value. The results equal those of `execute` (test/schema/execution-parity.test.ts).
 */
import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getNullableType,
  getVariableValues,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isListType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { turns, type HeldBytes } from '../../core/index';
import { isGatewayContext } from '../../resolvers/index';
import { completerOf, type FillObject, isPromise } from './complete';
import { refusalOfLongText } from './long-texts';
import { PlainSelections } from './plain-selections';
import { FAILED, FieldInfo, type FieldSite, type Holder, ResponseNode, Run } from './run';
import { collectFields, conditionsOf, type SelectionScope } from './selection';

export interface OperationInput {
  readonly rootValue?: unknown;
  readonly context: unknown;
  /** The variables in the form that the client sent. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** A request whose variables fit the operation. */
export interface PreparedRun {
  readonly variables: Readonly<Record<string, unknown>>;
  /**
   * Executes the operation; never rejects for an error of a resolver. Returns a promise only when a resolver returned
   * one.
   */
  run(context: unknown, rootValue?: unknown): ExecutionResult | Promise<ExecutionResult>;
}

export interface CompiledOperation {
  readonly operation: OperationDefinitionNode;
  /** Returns errors when the variables do not fit the operation. */
  prepare(variables: OperationInput['variables']): PreparedRun | readonly GraphQLError[];
  /** Prepares and executes the operation. */
  run(input: OperationInput): ExecutionResult | Promise<ExecutionResult>;
}

type PlainRecord = Record<string, unknown>;

/** Number of invalid variable values that get an error of their own. */
const MOST_VARIABLE_ERRORS = 50;

/**
 * In a document that is shaped afterwards: a field with the source of an object. Clients cannot select it, because no
 * type has it.
 */
export const SOURCE_FIELD = '__andiron_source';

/** Limit on the plans of one operation; each plan is for other values of its `@skip` and `@include`. */
const MOST_PLANS = 32;

const NO_ARGUMENTS: Record<string, unknown> = Object.freeze({});

/**
 * Returns the value of one field of the object at `place`. Returns FAILED where null is not allowed and there is no
 * value, and undefined when the value will be put into the object later.
 */
type FillField = (run: Run, source: unknown, place: ResponseNode) => unknown;

interface Plan {
  readonly type: GraphQLObjectType;
  readonly fields: readonly { readonly key: string; readonly fill: FillField }[];
  readonly fill: FillObject;
}

/**
 * Compiles the operation of a validated document. Returns errors when the name does not exist, or is missing where
 * there are several operations.
 * Cost: one logEntry of the directives; fields are compiled when they are first executed.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): CompiledOperation | readonly GraphQLError[] {
  const found = findOperation(document, operationName);
  if (found instanceof GraphQLError) return [found];
  const operation: OperationDefinitionNode = found;
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  const conditions = conditionsOf(document, operation);
  const plans = new Map<string, Plan>();
  const sets = [operation.selectionSet];

  function planFor(variables: PlainRecord, type: GraphQLObjectType): Plan {
    const key = conditions.map((name) => (variables[name] === true ? '1' : '0')).join('');
    const cached = plans.get(key);
    if (cached) return cached;
    const [oldest] = plans.keys();
    if (plans.size >= MOST_PLANS && oldest !== undefined) plans.delete(oldest);
    const chosen = Object.fromEntries(conditions.map((name) => [name, variables[name]]));
    const plan = new Planner({ schema, fragments, variables: chosen }).plan(type, sets);
    plans.set(key, plan);
    return plan;
  }

  function prepare(given: OperationInput['variables']): PreparedRun | readonly GraphQLError[] {
    const tooLong = given && refusalOfLongText(schema, operation, given);
    if (tooLong) return [tooLong];
    const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], given ?? {}, {
      maxErrors: MOST_VARIABLE_ERRORS,
    });
    if (errors) return errors;
    return {
      variables: coerced,
      run(context, rootValue) {
        const type = schema.getRootType(operation.operation);
        if (!type) {
          const message = `This schema has no ${operation.operation}s`;
          return { data: null, errors: [new GraphQLError(message, { nodes: operation })] };
        }
        const bytes = countedIn(context);
        const scope = { schema, fragments, operation, rootValue, context, bytes, variables: coerced };
        return runPlan(planFor(coerced, type), new Run(scope));
      },
    };
  }

  return {
    operation,
    prepare,
    run({ rootValue, context, variables }) {
      const prepared = prepare(variables);
      return 'run' in prepared ? prepared.run(context, rootValue) : { errors: prepared };
    },
  };
}

/** Adds to the size of the response. */
function countIn(context: unknown, characters: number): void {
  if (typeof context !== 'object' || context === null || !isGatewayContext(context)) return;
  context.answer.characters += characters;
}

/** Returns the byte counter of the request; undefined for a context of another kind. */
function countedIn(context: unknown): HeldBytes | undefined {
  if (typeof context !== 'object' || context === null || !isGatewayContext(context)) return undefined;
  return context.request.bytes;
}

function findOperation(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode | GraphQLError {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const wanted = name ?? undefined;
  const [found, another] =
    wanted === undefined ? operations : operations.filter((operation) => operation.name?.value === wanted);
  if (found === undefined)
    return new GraphQLError(
      wanted === undefined ? 'The document has no operation' : `The document has no operation '${wanted}'`,
    );
  if (another !== undefined && wanted === undefined)
    return new GraphQLError('The document has several operations: name one with operationName');
  return found;
}

function runPlan(plan: Plan, run: Run): ExecutionResult | Promise<ExecutionResult> {
  const root = new ResponseNode(undefined, 'data', true, undefined);
  const { rootValue, operation } = run.scope;
  const finish = (): ExecutionResult => {
    run.levels?.record();
    countIn(run.scope.context, run.characters);
    if (run.refusal !== undefined)
      return { data: null, errors: [new GraphQLError(run.refusal.message, { originalError: run.refusal })] };
    const data = root.isGone ? null : root.content;
    return run.errors.length === 0 ? { data } : { errors: run.errors, data };
  };
  if (operation.operation === OperationTypeNode.MUTATION) return runSerially(plan, run, root).then(finish);
  if (plan.fill(run, rootValue, root) === FAILED) root.fail();
  return run.isIdle ? finish() : run.idle().then(finish);
}

/** Executes the root fields one after the other, each with all fields below it (6.2.2 "Mutation"). */
async function runSerially(plan: Plan, run: Run, root: ResponseNode): Promise<void> {
  const target = emptyHolder(plan.fields);
  root.content = target;
  for (const field of plan.fields) {
    await turns.take();
    const value = field.fill(run, run.scope.rootValue, root);
    if (value === FAILED) root.fail();
    else target[field.key] = value;
    if (!run.isIdle) await run.idle();
    if (root.isGone) return;
  }
}

/** Makes a holder that can have `__proto__` as a member, which is a legal alias. */
function emptyHolder(fields: readonly { readonly key: string }[]): Holder {
  return fields.some(({ key }) => key === '__proto__') ? (Object.create(null) as Holder) : {};
}

/** Makes plans of selection sets for the `@skip` and `@include` of one set of variables. */
class Planner {
  /** Number of fields so far; a run stores the arguments of a field under its number. */
  private fields = 0;
  private readonly plain: PlainSelections;

  constructor(private readonly scope: SelectionScope) {
    this.plain = new PlainSelections(scope.schema, scope.fragments);
  }

  plan(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Plan {
    const fields: { key: string; fill: FillField }[] = [];
    for (const [key, nodes] of collectFields(this.scope, type, sets)) {
      const fill = this.field(type, key, nodes);
      if (fill !== undefined) fields.push({ key, fill });
    }
    const hasOddName = fields.some(({ key }) => key === '__proto__');
    // Quotes, colon and comma of each name too.
    const names = fields.reduce((sum, { key }) => sum + key.length + 4, 0);
    const fill: FillObject = (run, source, place) => {
      run.countCharacters(names);
      const target: Holder = hasOddName ? emptyHolder(fields) : {};
      place.content = target;
      for (const field of fields) {
        const value = field.fill(run, source, place);
        if (value === FAILED) return FAILED;
        target[field.key] = value;
      }
      return target;
    };
    return { type, fields, fill };
  }

  /** Returns undefined for a field that the type does not have; validation has refused such fields. */
  private field(
    parentType: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
  ): FillField | undefined {
    const [node] = nodes;
    if (node === undefined) return undefined;
    if (node.name.value === SOURCE_FIELD) return (_run, source) => source;
    const definition = this.definitionOf(parentType, node.name.value);
    if (definition === undefined) return undefined;
    if (definition === TypeNameMetaFieldDef) return () => parentType.name;
    const { name, type } = definition;
    const site: FieldSite = { key, name, parentType, returnType: type, nodes };
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const complete = completerOf(type, site, (objectType) => this.plan(objectType, sets).fill);
    const resolve = this.resolver(definition, node, site);
    const fill: FillField = (run, source, place) => {
      let value: unknown;
      try {
        value = resolve(run, source, place);
      } catch (error) {
        return complete(run, toError(error), key, place);
      }
      if (!isPromise(value)) return complete(run, value, key, place);
      run.await(value, {
        key,
        place,
        finish: (resolved) => complete(run, resolved, key, place),
        refuse: (error) => complete(run, toError(error), key, place),
      });
      return undefined;
    };
    return isListType(getNullableType(type)) && this.plain.isPlain(definition, nodes)
      ? inTurns(fill, key)
      : fill;
  }

  private definitionOf(
    parentType: GraphQLObjectType,
    name: string,
  ): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (parentType === this.scope.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return parentType.getFields()[name];
  }

  private resolver(
    definition: GraphQLField<unknown, unknown>,
    node: FieldNode,
    site: FieldSite,
  ): (run: Run, source: unknown, place: ResponseNode) => unknown {
    const { name, resolve } = definition;
    const number = this.fields++;
    const argumentsOf = (run: Run): Record<string, unknown> =>
      (run.arguments[number] ??= getArgumentValues(definition, node, run.scope.variables));
    const take = definition.args.length === 0 ? () => NO_ARGUMENTS : argumentsOf;
    if (resolve)
      return (run, source, place) =>
        resolve(source, take(run), run.scope.context, new FieldInfo(run, site, place));
    return (run, source, place) => {
      if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
      const property = (source as PlainRecord)[name];
      if (typeof property !== 'function') return property;
      const method = property as (...given: unknown[]) => unknown;
      return method.call(source, take(run), run.scope.context, new FieldInfo(run, site, place));
    };
  }
}

/** Fills the field in a later turn where this one had enough work: one document can ask for a long list many times. */
function inTurns(fill: FillField, key: string): FillField {
  const fillInTurn: FillField = (run, source, place) => {
    const later = turns.next();
    if (later === undefined) return fill(run, source, place);
    const finish = (): unknown => fillInTurn(run, source, place);
    run.await(later, { key, place, finish, refuse: () => FAILED });
    return undefined;
  };
  return fillInTurn;
}

/** Converts a thrown value, which may be of any type, to an Error. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(`A value that is not an Error was thrown`, { cause: thrown });
}
