import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import { type JsonValue, type Log, type RequestContext, stringifyJson } from '../core/index';
import { atomicRule, type GatewayContext } from '../resolvers/index';
import { type DocumentLimits, limitRule } from '../schema/limits';
import { stringifyAround } from '../schema/raw-json';
import { formatError, isUncertain, logUnexpected, toStatus, withoutSuggestion } from './errors';
import { compiledExecution, type ExecutionLimits, type Introspect } from './execution/gateway';
import { NOTHING_KEPT } from './persisted-documents';
import { instancePlugin } from './instance';
import { inOrder } from './plugins-in-order';
import { shapingPlugin } from './shaping/plugin';
import { shapingRule } from './shaping/rule';

/** Everything that Apollo Server would do by itself: report to its vendor, wrap resolvers, point to its website. */
const switchedOff = (): ApolloServerPlugin[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

/** True when nothing was answered: each root field is null because it failed. */
function hasAllFailed(
  result: Readonly<Record<string, unknown>> | null | undefined,
  errors: readonly GraphQLError[],
): boolean {
  if (result === undefined) return false;
  if (result === null) return true;
  const failed = new Set(errors.map((error) => error.path?.[0]));
  return Object.entries(result).every(([name, value]) => value === null && failed.has(name));
}

/**
 * Sets the HTTP status by the outcome when all root fields failed; a partial answer is 200. Never by
 * `extensions.http`, which Apollo Server would take from any field for the whole response.
 */
const statusPlugin: ApolloServerPlugin<GatewayContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, errors }) {
        const first = errors?.[0];
        if (!first || response.body.kind !== 'single') return;
        if (!hasAllFailed(response.body.singleResult.data, errors)) return;
        response.http.status = toStatus(first);
        if (isToBeRepeated(response.http.status, errors)) response.http.headers.set('retry-after', '1');
      },
    };
  },
};

/** Not where a field of the document may have been carried out. */
function isToBeRepeated(status: number, errors: readonly GraphQLError[]): boolean {
  return (status === 503 || status === 429) && !errors.some(isUncertain);
}

/** Remembers which request an error belongs to until it is formatted, for its id and its log. */
function errorPlugin(requestIds: WeakMap<object, string>): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart() {
      return {
        async didEncounterErrors({ errors, contextValue, response }) {
          for (const error of errors) {
            requestIds.set(error, contextValue.request.requestId);
            const isRequestError = response.body === undefined && error.path === undefined;
            if (!isRequestError)
              logUnexpected(error, contextValue.request.requestId, contextValue.request.log);
          }
        },
      };
    },
  };
}

/** Requests of which the document is none of the schema. */
const invalid = new WeakSet<RequestContext>();

/** Whether the document of a request was refused because the schema has not what it names, or not so. */
export function isInvalid(request: RequestContext): boolean {
  return invalid.has(request);
}

const validationPlugin: ApolloServerPlugin<GatewayContext> = {
  async requestDidStart({ contextValue }) {
    return {
      async validationDidStart() {
        return async (errors) => {
          if (errors !== undefined && errors.length > 0) invalid.add(contextValue.request);
        };
      },
    };
  },
};

/** Apollo's own messages may repeat what a client sent; only their kind is logged. */
function toApolloLogger(log: Log): Record<'debug' | 'info' | 'warn' | 'error', (message: unknown) => void> {
  const kind = (message: unknown): string => String(message).split(':', 1)[0] ?? '';
  return {
    debug: (message) => log.debug({}, kind(message)),
    info: (message) => log.info({}, kind(message)),
    warn: (message) => log.warn({}, kind(message)),
    error: (message) => log.error({}, kind(message)),
  };
}

/**
 * The plugins that are installed. None of them may have `willResolveField`: it would wrap every resolver of the
 * schema, at half the speed (a test asserts it).
 */
function createPlugins(requestIds: WeakMap<object, string>): ApolloServerPlugin<GatewayContext>[] {
  const format = (error: GraphQLError): GraphQLFormattedError =>
    formatError(error.toJSON(), error, 'unknown');
  return [
    ...switchedOff(),
    errorPlugin(requestIds),
    validationPlugin,
    inOrder([shapingPlugin(format), instancePlugin, statusPlugin]),
  ];
}

/** A started Apollo Server for the schema of one release. */
export async function createApollo(
  schema: GraphQLSchema,
  limits: DocumentLimits,
  execution: ExecutionLimits,
  introspect: Introspect,
  registering: ApolloServerPlugin<GatewayContext>,
  log: Log,
): Promise<ApolloServer<GatewayContext>> {
  const requestIds = new WeakMap<object, string>();
  const server = new ApolloServer<GatewayContext>({
    gateway: compiledExecution(schema, execution, introspect),
    plugins: [registering, ...createPlugins(requestIds)],
    csrfPrevention: true,
    introspection: execution.introspection,
    hideSchemaDetailsFromClientErrors: !execution.introspection,
    persistedQueries: { cache: NOTHING_KEPT },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    nodeEnv: 'production',
    parseOptions: { maxTokens: limits.tokens },
    validationRules: [limitRule(limits), atomicRule, shapingRule],
    logger: toApolloLogger(log),
    formatError(formatted, error) {
      // Apollo Server hides them in what validation finds, and not in what is wrong with variables.
      const message = execution.introspection ? formatted.message : withoutSuggestion(formatted.message);
      const requestId = (error instanceof Error && requestIds.get(error)) || 'unknown';
      return formatError({ ...formatted, message }, error, requestId);
    },
    stringifyResult: (result) => stringifyAround(result, (value) => stringifyJson(value as JsonValue, true)),
  });
  await server.start();
  return server;
}
