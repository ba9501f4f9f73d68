import { type ApolloServerOptionsWithGateway } from '@apollo/server';
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { FhirError, inSpan, Usage } from '../../core/index';
import { type GatewayContext, isGatewayContext, withRequest } from '../../resolvers/index';
import type { OperationCost } from '../../schema/cost';
import { type Introspection, isIntrospection } from '../introspection';
import type { PreparedRun } from './compile';
import { CostLimit } from './cost-limit';
import { OperationCache } from './operation-cache';

export interface ExecutionLimits {
  /** Limit on the cost of one request (schema/cost.ts). */
  readonly cost: number;
  /** Milliseconds in which a query of several levels may read in one snapshot; 0: without snapshots. */
  readonly snapshotMs: number;
  /** True: introspection is allowed. */
  readonly introspection: boolean;
}

/** Executes an operation that is an introspection only; `tenant` is the tenant of the client. */
export type Introspect = (
  introspection: Introspection,
  tenant: number,
) => Promise<Readonly<Record<string, unknown>>>;

type Gateway = NonNullable<ApolloServerOptionsWithGateway<GatewayContext>['gateway']>;

/** A query with this many levels of fields that read from the database reads them in one snapshot. */
const LEVELS_OF_A_SNAPSHOT = 2;

/** The request header for the cost of a request; `extensions.cost` of the request does the same. */
const COST_HEADER = 'x-graphql-cost';

/**
 * Replaces only the execution of Apollo Server, through its gateway interface. Apollo Server still does HTTP, parsing,
 * validation, plugins and errors. Hooks that wrap each resolver (`willResolveField`) have no effect.
 */
export function compiledExecution(
  schema: GraphQLSchema,
  limits: ExecutionLimits,
  introspect: Introspect,
): Gateway {
  const operations = new OperationCache(schema);
  const costs = new CostLimit(schema, limits.cost);
  /** Operations that the search result cache can never answer. */
  const uncacheable = new WeakSet<OperationDefinitionNode>();
  let loadSchema: Parameters<Gateway['onSchemaLoadOrUpdate']>[0] | undefined;

  /** Returns the milliseconds of the operation's snapshot; undefined: no snapshot. */
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
    if (snapshotMs === undefined || uncacheable.has(operation))
      return runAtOnce(prepared, context, snapshotMs);
    const cached = await inSpan('look-up in the search result cache', {}, () =>
      runFromCache(prepared, context),
    );
    if (typeof cached === 'object') return cached.answer;
    if (cached === 'unfit') uncacheable.add(operation);
    return runAtOnce(prepared, context, snapshotMs);
  }

  /** Executes the operation without the search result cache, and adds its cost and database usage to the extensions. */
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
    // The counted rows include rows that the client may not see, so that only clients with full access get the numbers.
    const counted = context.core.interactions.seesEverything(context.request) ? { statements, rows } : {};
    return { ...result, extensions: { cost: { ...counted, cost: cost.cost, limit: limits.cost } } };
  }

  return {
    onSchemaLoadOrUpdate(callback) {
      loadSchema = callback;
      return () => {
        loadSchema = undefined;
      };
    },
    async load() {
      loadSchema?.({ apiSchema: schema, coreSupergraphSdl: '' });
      return {
        async executor({ document, request, context, source }) {
          if (!isGatewayContext(context)) throw new Error('a request is executed without its context');
          const compiled = operations.find(document, request.operationName);
          if (!('run' in compiled)) return { errors: compiled };
          const prepared = compiled.prepare(request.variables);
          if (!('run' in prepared)) return { errors: prepared };
          const cost = costs.of(document, compiled.operation, prepared.variables);
          const isOfSchema = isIntrospection(compiled.operation, source);
          const refusal = costs.refusalOf(cost, isOfSchema);
          if (refusal) return { errors: [refusal] };
          const { operation } = compiled;
          if (operation.operation === OperationTypeNode.MUTATION) context.beforeChanges?.();
          try {
            if (isOfSchema) {
              const { tenantNumber } = context.request.space;
              const introspection = { source, operationName: request.operationName };
              return { data: { ...(await introspect(introspection, tenantNumber)) } };
            }
            const wantsCost =
              request.http?.headers.get(COST_HEADER) === '1' || request.extensions?.['cost'] === true;
            const result = await inSpan(nameOf(operation), {}, () =>
              (wantsCost ? runCounted : run)(operation, prepared, context, cost),
            );
            return withIssues(result, context);
          } catch (error) {
            // A failure of all root fields at once, such as a missing database connection.
            if (!(error instanceof FhirError)) throw error;
            return { data: null, errors: [new GraphQLError(error.message, { originalError: error })] };
          }
        },
      };
    },
    async stop() {},
  };
}

/** The name of an operation in traces. */
const nameOf = ({ operation, name }: OperationDefinitionNode): string =>
  name === undefined ? operation : `${operation} ${name.value}`;

/** Adds the warnings about written resources to the extensions. */
function withIssues(result: ExecutionResult, { issues }: GatewayContext): ExecutionResult {
  return issues.length === 0 ? result : { ...result, extensions: { ...result.extensions, issues } };
}

/**
 * Executes the operation from the search result cache, if its entries are still valid. Such a result is consistent and
 * needs no snapshot.
 */
function runFromCache(
  prepared: PreparedRun,
  context: GatewayContext,
): ReturnType<typeof context.core.interactions.fromCache<ExecutionResult>> {
  return context.core.interactions.fromCache(context.request, async (request) =>
    prepared.run(withRequest(context, request)),
  );
}

/** Executes the operation, in a snapshot when `snapshotMs` is given. */
async function runAtOnce(
  prepared: PreparedRun,
  context: GatewayContext,
  snapshotMs: number | undefined,
): Promise<ExecutionResult> {
  if (snapshotMs === undefined) return prepared.run(context);
  return context.core.interactions.inSnapshot(context.request, snapshotMs, async (request) =>
    prepared.run(withRequest(context, request)),
  );
}
