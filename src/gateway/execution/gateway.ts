import { type ApolloServerOptionsWithGateway } from '@apollo/server';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { FhirError, Usage } from '../../core/index';
import { type GatewayContext, isGatewayContext, withRequest } from '../../resolvers/index';
import { costOfIntrospection, costOfOperation, type OperationCost, refuseCost } from '../../schema/cost';
import { type Introspection, isIntrospection } from '../introspection';
import type { PreparedRun } from './compile';
import { OperationCache } from './operation-cache';

export interface ExecutionLimits {
  /** What one request may cost (schema/cost.ts). */
  readonly cost: number;
  /** Milliseconds that a query of several levels may read in one snapshot; 0: none has one. */
  readonly snapshotMs: number;
  /** Whether the schema may be asked for. */
  readonly introspection: boolean;
}

/** Answers an operation that asks about the schema and nothing else; `tenant`: who asks. */
export type Introspect = (asked: Introspection, tenant: number) => Promise<Readonly<Record<string, unknown>>>;

type Gateway = NonNullable<ApolloServerOptionsWithGateway<GatewayContext>['gateway']>;

/** A query of so many levels that ask the database reads all of them in one snapshot. */
const LEVELS_OF_A_SNAPSHOT = 2;

/** Of what tools ask for when they ask for the schema. */
const MORE_THAN_TOOLS_ASK = 1.2;
/** What questions about the schema may cost beside others: `__type` of a few. */
const MOST_OF_SCHEMA = 500;

/** The header, and the member of `extensions` in a request, that ask what it cost. */
const COST_HEADER = 'x-graphql-cost';

/**
 * The seam by which Apollo Server lets another execute: it keeps HTTP, parsing, validation, plugins and errors. What
 * wraps each resolver (`willResolveField`) has no place in it.
 */
export function compiledExecution(
  schema: GraphQLSchema,
  limits: ExecutionLimits,
  introspect: Introspect,
): Gateway {
  const operations = new OperationCache(schema);
  const constantCosts = new WeakMap<OperationDefinitionNode, OperationCost>();
  /** Those that no memory of searches could answer. */
  const asksMore = new WeakSet<OperationDefinitionNode>();
  let tell: Parameters<Gateway['onSchemaLoadOrUpdate']>[0] | undefined;

  function costOf(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: PreparedRun['variables'],
  ): OperationCost {
    const known = constantCosts.get(operation);
    if (known) return known;
    const cost = costOfOperation(schema, document, operation, variables);
    if (!operation.variableDefinitions?.length) constantCosts.set(operation, cost);
    return cost;
  }

  let toolsAsk: number | undefined;
  /** Why it is not run, if it is not. What asks for the schema alone is worked out once, in a thread; all else here. */
  function refusalOf({ cost, ofSchema }: OperationCost, isOfSchema: boolean): GraphQLError | undefined {
    if (isOfSchema) {
      toolsAsk ??= costOfIntrospection(schema);
      const limit = Math.ceil(MORE_THAN_TOOLS_ASK * toolsAsk);
      return cost > limit ? refuseCost(cost, limit) : undefined;
    }
    if (ofSchema > MOST_OF_SCHEMA) return refuseCost(ofSchema, MOST_OF_SCHEMA);
    return cost > limits.cost ? refuseCost(cost, limits.cost) : undefined;
  }

  /** Milliseconds of the snapshot that the operation may have; undefined: none. */
  function snapshotOf({ operation }: OperationDefinitionNode, { levels }: OperationCost): number | undefined {
    const mayRead = operation === OperationTypeNode.QUERY && levels >= LEVELS_OF_A_SNAPSHOT;
    return mayRead && limits.snapshotMs > 0 ? limits.snapshotMs : undefined;
  }

  async function run(
    operation: OperationDefinitionNode,
    prepared: PreparedRun,
    context: GatewayContext,
    cost: OperationCost,
  ): Promise<ExecutionResult> {
    const snapshotMs = snapshotOf(operation, cost);
    if (snapshotMs === undefined || asksMore.has(operation)) return runAtOnce(prepared, context, snapshotMs);
    const remembered = await runFromMemory(prepared, context);
    if (typeof remembered === 'object') return remembered.answer;
    if (remembered === 'unfit') asksMore.add(operation);
    return runAtOnce(prepared, context, snapshotMs);
  }

  /** The same, and what it took of the database. */
  async function runCounted(
    operation: OperationDefinitionNode,
    prepared: PreparedRun,
    context: GatewayContext,
    cost: OperationCost,
  ): Promise<ExecutionResult> {
    const usage = new Usage();
    const withUsage = withRequest(context, { ...context.request, usage });
    const result = await runAtOnce(prepared, withUsage, snapshotOf(operation, cost));
    const { statements, rows } = usage;
    // Rows are counted of what is looked at, too, and not shown.
    const counted = context.core.seesEverything(context.request) ? { statements, rows } : {};
    return { ...result, extensions: { cost: { ...counted, cost: cost.cost, limit: limits.cost } } };
  }

  return {
    onSchemaLoadOrUpdate(callback) {
      tell = callback;
      return () => {
        tell = undefined;
      };
    },
    async load() {
      tell?.({ apiSchema: schema, coreSupergraphSdl: '' });
      return {
        async executor({ document, request, context, source }) {
          if (!isGatewayContext(context)) throw new Error('a request without its context came to execution');
          const compiled = operations.find(document, request.operationName);
          if (!('run' in compiled)) return { errors: compiled };
          const prepared = compiled.prepare(request.variables);
          if (!('run' in prepared)) return { errors: prepared };
          const cost = costOf(document, compiled.operation, prepared.variables);
          const isOfSchema = isIntrospection(compiled.operation, source);
          const refusal = refusalOf(cost, isOfSchema);
          if (refusal) return { errors: [refusal] };
          const { operation } = compiled;
          try {
            if (isOfSchema) {
              const { tenantNumber } = context.request.space;
              const asked = { source, operationName: request.operationName };
              return { data: { ...(await introspect(asked, tenantNumber)) } };
            }
            const isAsked =
              request.http?.headers.get(COST_HEADER) === '1' || request.extensions?.['cost'] === true;
            const result = await (isAsked ? runCounted : run)(operation, prepared, context, cost);
            return withIssues(result, context);
          } catch (error) {
            // What failed for all fields of the root at once, such as a connection that could not be had.
            if (!(error instanceof FhirError)) throw error;
            return { data: null, errors: [new GraphQLError(error.message, { originalError: error })] };
          }
        },
      };
    },
    async stop() {},
  };
}

/** With what was found in resources that it has written. */
function withIssues(result: ExecutionResult, { issues }: GatewayContext): ExecutionResult {
  return issues.length === 0 ? result : { ...result, extensions: { ...result.extensions, issues } };
}

/** Runs it with what earlier searches have found, where that still stands: it is of one moment too, and costs no snapshot. */
function runFromMemory(
  prepared: PreparedRun,
  context: GatewayContext,
): ReturnType<typeof context.core.fromMemory<ExecutionResult>> {
  return context.core.fromMemory(context.request, async (request) =>
    prepared.run(withRequest(context, request)),
  );
}

/** Runs it, in a snapshot where it may have one for so many milliseconds. */
async function runAtOnce(
  prepared: PreparedRun,
  context: GatewayContext,
  snapshotMs: number | undefined,
): Promise<ExecutionResult> {
  if (snapshotMs === undefined) return prepared.run(context);
  return context.core.inSnapshot(context.request, snapshotMs, async (request) =>
    prepared.run(withRequest(context, request)),
  );
}
