import { type ApolloServer, type HTTPGraphQLResponse } from '@apollo/server';
import { type FastifyReply } from 'fastify';
import { type GraphQLSchema } from 'graphql';
import { type Core, type Log, type Release, type RequestContext, type TenantSpace } from '../core/index';
import { type Answer, createGatewayContext, type GatewayContext, type ParsedCache } from '../resolvers/index';
import { type DocumentLimits } from '../schema/limits';
import type { GatewayRequest } from './addresses';
import { createApollo, isInvalid } from './apollo';
import { type ErrorObserver } from './errors';
import type { ExecutionLimits } from './execution/gateway';
import type { SentQuery } from './fhir-request';
import { checkText, jsonHeaders, setCommonHeaders } from './http';
import { setInstance } from './instance';
import { type Introspections } from './introspection';
import { NamedQueryCache } from './named-queries';
import type { PersistedDocuments } from './persisted-documents';
import { SchemaCache, type ServedSchema } from './schema-cache';

/** Introspection; not `__typename`, which many clients add to every query. */
const ABOUT_SCHEMA = /__(?:schema|type)\b/;

export interface QueryExecutorOptions {
  readonly core: Core;
  readonly settings: Pick<GatewayContext, 'extensionBase' | 'maxDepth'> & {
    readonly execution: ExecutionLimits;
  };
  readonly limits: DocumentLimits;
  readonly parsed: ParsedCache;
  readonly documents: PersistedDocuments;
  readonly introspections: Introspections;
  readonly isSubgraph: boolean;
  readonly log: Log;
  readonly observeError: ErrorObserver;
  /** Returns the schema as the text of a subgraph. */
  subgraphOf(served: ServedSchema, space: TenantSpace): Promise<string>;
}

/** Executes queries with the schema of their space. */
export class QueryExecutor {
  readonly #servers = new Map<GraphQLSchema, Promise<ApolloServer<GatewayContext>>>();
  readonly #queries: NamedQueryCache;
  readonly #schemas: SchemaCache;

  constructor(private readonly options: QueryExecutorOptions) {
    const queries = new NamedQueryCache(options.core);
    this.#queries = queries;
    this.#schemas = new SchemaCache(
      (space) => queries.of(space),
      options.isSubgraph,
      (schema) => this.#servers.delete(schema),
    );
  }

  /** Makes the schema of a release before its first request. */
  async prepare(release: Release): Promise<void> {
    await this.#serverOf(await this.#schemas.ofRelease(release));
  }

  servedTo(space: TenantSpace): Promise<ServedSchema> {
    return this.#schemas.of(space);
  }

  /** As `servedTo`, with the named queries that the space has now. */
  async currentOf(context: RequestContext): Promise<ServedSchema> {
    await this.#queries.refresh(context);
    return this.#schemas.of(context.space);
  }

  /** Executes the query of an admitted request, as one recorded access, and sends the answer. */
  async run(
    request: GatewayRequest,
    reply: FastifyReply,
    context: RequestContext,
    sent: SentQuery,
  ): Promise<FastifyReply> {
    const { core, documents, limits } = this.options;
    const { space } = context;
    const { headers, search, body, instance } = await documents.complete(space, sent);
    const address = toAuditedAddress(search, body);
    if (ABOUT_SCHEMA.test(address)) await this.#queries.refresh(context);
    let answer: Answer | undefined;
    const execute = async (recorded: RequestContext, isAgain = false): Promise<HTTPGraphQLResponse> => {
      const served = await this.#schemas.of(space);
      const apollo = await this.#serverOf(served);
      const response = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method: request.method, headers, search, body },
        context: async () => {
          checkText(body, limits);
          const beforeChanges = (): void => void (request.logEntry.changesNothing = false);
          const made = this.#contextOf(served, recorded, beforeChanges);
          ({ answer } = made);
          return instance ? setInstance(made, instance) : made;
        },
      });
      // An unknown field may be a named query that was added since. Nothing of such a document was executed, so that it
      // can be repeated.
      const mayBeStale = !isAgain && isInvalid(recorded);
      return mayBeStale && (await this.#queries.refresh(context)) ? execute(recorded, true) : response;
    };
    const response = await core.access.recordAsOneAccess(
      context,
      address,
      (recorded) => execute(recorded),
      ({ status = 200 }) => status,
    );
    setCommonHeaders(request, reply).code(response.status ?? 200);
    for (const [name, value] of response.headers) void reply.header(name, value);
    request.logEntry.setLimitHeaders(reply);
    // Only @defer needs chunks, and graphql 16 does not have it.
    const text = answer?.text ?? (response.body.kind === 'complete' ? response.body.string : '');
    request.logEntry.sends(text.length);
    return reply.send(text);
  }

  /** As `GraphqlGateway.warmUp`. */
  async warmUp(context: RequestContext, query: string): Promise<void> {
    const served = await this.#schemas.of(context.space);
    const apollo = await this.#serverOf(served);
    if (Date.now() >= context.deadline) return;
    await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: 'POST', headers: jsonHeaders(), search: '', body: { query } },
      context: async () => this.#contextOf(served, context),
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(async (server) => (await server).stop()));
  }

  #contextOf(served: ServedSchema, context: RequestContext, beforeChanges?: () => void): GatewayContext {
    const { core, settings, parsed, subgraphOf } = this.options;
    const subgraph = (): Promise<string> => subgraphOf(served, context.space);
    return createGatewayContext(core, context, { settings, parsed, subgraph, beforeChanges });
  }

  async #serverOf({ schema, source }: ServedSchema): Promise<ApolloServer<GatewayContext>> {
    let server = this.#servers.get(schema);
    if (!server) {
      const { settings, limits, documents, introspections, log, observeError } = this.options;
      server = createApollo({
        ...{ schema, limits, log, observeError },
        execution: settings.execution,
        introspect: (introspection, tenant) => introspections.answer(source, introspection, tenant),
        documents: documents.plugin,
      });
      this.#servers.set(schema, server);
    }
    return server;
  }
}

/** Returns the address for the audit record: the document, without its variables. */
function toAuditedAddress(search: string, body: unknown): string {
  if (search !== '') return `$graphql${search}`;
  const isNamed = typeof body === 'object' && body !== null && 'query' in body;
  const query = isNamed && typeof body.query === 'string' ? body.query : undefined;
  return query === undefined ? '$graphql' : `$graphql?${new URLSearchParams({ query }).toString()}`;
}
