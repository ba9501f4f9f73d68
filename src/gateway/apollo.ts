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
import {
  type ErrorObserver,
  formatError,
  isUncertain,
  keyOf,
  logUnexpected,
  toStatus,
  withoutSuggestion,
} from './errors';
import { compiledExecution, type ExecutionLimits, type Introspect } from './execution/gateway';
import { NO_CACHE } from './persisted-documents';
import { instancePlugin } from './instance';
import { inOrder } from './plugins-in-order';
import { shapingPlugin } from './shaping/plugin';
import { shapingRule } from './shaping/rule';
import { writingPlugin } from './write-answer';

/** Disables what Apollo Server does by default: reports to its vendor, wrapped resolvers, links to its website. */
const switchedOff = (): ApolloServerPlugin[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

/**
 * Sets the HTTP status of a response without data. One with data has 200, also where all of its fields are null: clients
 * take any other status for a failure of the network. It ignores `extensions.http`, which Apollo Server would apply from
 * any field to the whole response.
 */
const statusPlugin: ApolloServerPlugin<GatewayContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, errors }) {
        const first = errors?.[0];
        if (!first || response.body.kind !== 'single' || response.body.singleResult.data !== null) return;
        response.http.status = toStatus(first);
        if (isToBeRepeated(response.http.status, errors)) response.http.headers.set('retry-after', '1');
      },
    };
  },
};

/** True when the client may retry: no field of the document can have been executed. */
function isToBeRepeated(status: number, errors: readonly GraphQLError[]): boolean {
  return (status === 503 || status === 429) && !errors.some(isUncertain);
}

/** Records the request id of an error until it is formatted, and logs unexpected errors. */
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

/** Requests whose document does not fit the schema. */
const invalid = new WeakSet<RequestContext>();

/** True when the document of a request was refused because it does not fit the schema. */
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

/** Logs only the kind of Apollo's messages, because their text may repeat what a client sent. */
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
 * Returns the installed plugins. None of them may have `willResolveField`: it would wrap every resolver of the schema,
 * at half the speed (a test asserts it).
 */
function createPlugins(
  requestIds: WeakMap<object, string>,
  observeError: ErrorObserver,
): ApolloServerPlugin<GatewayContext>[] {
  const format = (error: GraphQLError): GraphQLFormattedError => {
    const formatted = error.toJSON();
    observeError(keyOf(formatted, error));
    return formatError(formatted, error, 'unknown');
  };
  return [
    ...switchedOff(),
    errorPlugin(requestIds),
    validationPlugin,
    inOrder([shapingPlugin(format), instancePlugin(observeError), statusPlugin, writingPlugin]),
  ];
}

interface ApolloOptions {
  readonly schema: GraphQLSchema;
  readonly limits: DocumentLimits;
  readonly execution: ExecutionLimits;
  readonly introspect: Introspect;
  /** Registers persisted documents. */
  readonly documents: ApolloServerPlugin<GatewayContext>;
  readonly log: Log;
  readonly observeError: ErrorObserver;
}

/** Returns a started Apollo Server for one schema. */
export async function createApollo({
  schema,
  limits,
  execution,
  introspect,
  documents,
  log,
  observeError,
}: ApolloOptions): Promise<ApolloServer<GatewayContext>> {
  const requestIds = new WeakMap<object, string>();
  const server = new ApolloServer<GatewayContext>({
    gateway: compiledExecution(schema, execution, introspect),
    plugins: [documents, ...createPlugins(requestIds, observeError)],
    // Queries of other sites: query-origin.ts. Only GET goes without a preflight, because a body must be JSON.
    csrfPrevention: false,
    introspection: execution.introspection,
    hideSchemaDetailsFromClientErrors: !execution.introspection,
    persistedQueries: { cache: NO_CACHE },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    nodeEnv: 'production',
    parseOptions: { maxTokens: limits.tokens },
    validationRules: [limitRule(limits), atomicRule, shapingRule],
    logger: toApolloLogger(log),
    formatError(formatted, error) {
      // Apollo Server hides suggestions in validation errors, but not in errors of variables.
      const message = execution.introspection ? formatted.message : withoutSuggestion(formatted.message);
      observeError(keyOf(formatted, error));
      const requestId = (error instanceof Error && requestIds.get(error)) || 'unknown';
      return formatError({ ...formatted, message }, error, requestId);
    },
    stringifyResult: (result) => stringifyAround(result, (value) => stringifyJson(value as JsonValue, true)),
  });
  await server.start();
  return server;
}
