/** Executes a subscription, from its document to the texts of its results, independent of the protocol. */
import {
  createSourceEventStream,
  type DocumentNode,
  type FormattedExecutionResult,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import {
  type ChangeStream,
  type Core,
  type FhirError,
  fhirError,
  type JsonValue,
  type RequestContext,
  stringifyJson,
  createCache,
  type BoundedCache,
} from '../core/index';
import { atomicRule, createGatewayContext, type ParsedCache, ChangeEvent } from '../resolvers/index';
import { costOfOperation, refuseCost } from '../schema/cost';
import { type DocumentLimits, limitRule } from '../schema/limits';
import { stringifyAround } from '../schema/raw-json';
import { formatError, formatFhirError, logUnexpected, withoutSuggestion } from './errors';
import type { ExecutionLimits } from './execution/gateway';
import { OperationCache } from './execution/operation-cache';
import { checkText } from './http';
import { namesDocument, type PersistedDocuments } from './persisted-documents';
import { planShaping } from './shaping/plan';
import { shapingRule } from './shaping/rule';
import { shape } from './shaping/shape';

/** The request of a client, by any protocol. */
export interface LiveRequest {
  readonly query: unknown;
  readonly variables?: unknown;
  readonly operationName?: unknown;
  /** `persistedQuery` names the document instead of its text. */
  readonly extensions?: unknown;
  readonly documentId?: unknown;
  /** The sequence number after which a reconnecting client resumes. */
  readonly after?: number;
}

export interface LiveResult {
  /** An ExecutionResult as JSON text. */
  readonly text: string;
  /** The sequence number of the change. */
  readonly sequence: number;
}

/** A subscription that cannot begin, with the `errors` of the response. */
export class LiveRefusal extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? 'refused');
  }

  /** True: the client may subscribe again soon. */
  get isTemporary(): boolean {
    return this.errors.some(({ extensions }) => extensions['status'] === TEMPORARY);
  }
}

/** The status of errors after which a client may subscribe again: its subscription is not complete. */
export const TEMPORARY = 503;

/** The results of one subscription. */
export interface LiveResults {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  readonly operationName: string | undefined;
  readonly resumeAfter: number;
  /**
   * Returns the next result; undefined: the subscription was closed. Rejects with the FhirError with which the server
   * ends it. It waits for `turn` when there is a result, before making its text.
   */
  next(turn?: () => Promise<void>): Promise<LiveResult | undefined>;
  /** The listener is called once, when the server ends the subscription. */
  onEnd(listener: () => void): void;
  close(): void;
}

export interface LiveQueriesOptions {
  readonly core: Core;
  readonly settings: { readonly extensionBase: string; readonly maxDepth: number };
  readonly limits: DocumentLimits;
  /** Limit on the cost of one result (schema/cost.ts), and whether introspection is allowed. */
  readonly execution: Pick<ExecutionLimits, 'cost' | 'introspection'>;
  readonly parsed: ParsedCache;
  readonly documents: Pick<PersistedDocuments, 'completeMembers'>;
  schemaOf(context: RequestContext): Promise<GraphQLSchema>;
}

/** Limit on the cached valid documents of a schema; many clients send the same ones. */
const MAX_DOCUMENTS = 200;

/**
 * Returns the last result of a subscription that the server ends, with the number after which to resume.
 */
export function toEndText(error: FhirError, resumeAfter: number): string {
  return toText({ errors: [endError(error, resumeAfter)] });
}

/** Returns the same as an entry of `errors`. */
export function endError(error: FhirError, resumeAfter: number): GraphQLError {
  const { message, extensions } = formatFhirError(error);
  return new GraphQLError(message, { extensions: { ...extensions, after: resumeAfter } });
}

/** Caches of one schema, which live as long as the schema. */
interface SchemaCaches {
  readonly documents: BoundedCache<string, ReadDocument>;
  readonly operations: OperationCache;
}

interface ReadDocument {
  readonly document: DocumentNode;
  /** The document that is executed instead, where directives change the form of the response. */
  readonly planned: DocumentNode | undefined;
}

/**
 * Throws `forbidden` when the access of the client has changed: the changes were selected by its access at the time of
 * subscription.
 */
function requireSameAccess({ access: then }: RequestContext, { access: now }: RequestContext): void {
  if (then === now || JSON.stringify(then) === JSON.stringify(now)) return;
  throw fhirError('forbidden', { reason: 'The access of this client has changed: subscribe again' });
}

export class LiveQueries {
  readonly #ofSchemas = new WeakMap<GraphQLSchema, SchemaCaches>();

  constructor(private readonly options: LiveQueriesOptions) {}

  /**
   * Begins a subscription. `contextOf` is called for each result, so that no result uses reads of an earlier one.
   * Throws LiveRefusal, and `forbidden` for a document that is not trusted where only trusted ones are allowed.
   * Cost: core.follow; the first time, parsing and validation.
   */
  async open(request: LiveRequest, contextOf: () => Promise<RequestContext>): Promise<LiveResults> {
    const context = await contextOf();
    const { core, settings, parsed, execution } = this.options;
    const { query } = await this.options.documents.completeMembers(context.space, { ...request });
    if (typeof query !== 'string' && namesDocument({ ...request }))
      throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    const schema = await this.options.schemaOf(context);
    const { documents, operations } = this.#of(schema);
    const { document, planned } = this.#read(schema, documents, query, context);
    const operationName = typeof request.operationName === 'string' ? request.operationName : undefined;
    const operation = getOperationAST(document, operationName);
    if (!operation)
      throw refusal('OPERATION_RESOLUTION_FAILURE', 'Name one of the operations of the document');
    if (operation.operation !== OperationTypeNode.SUBSCRIPTION) {
      const reason = 'Only subscriptions are allowed at this address; send queries and mutations by POST';
      throw refusalOf([fhirError('notSupported', { reason })], context);
    }
    const variables = toVariables(request.variables);
    const compiled = operations.find(planned ?? document, operationName);
    if (!('run' in compiled)) throw this.#refusalOf(compiled, context);
    const prepared = compiled.prepare(variables);
    if (!('run' in prepared)) throw this.#refusalOf(prepared, context);
    const { cost } = costOfOperation(schema, planned ?? document, compiled.operation, prepared.variables);
    if (cost > execution.cost) throw refusalOf([refuseCost(cost, execution.cost)], context);
    let stream: ChangeStream | undefined;
    const live = {
      ...(request.after === undefined ? {} : { after: request.after }),
      opened: (opened: ChangeStream) => (stream = opened),
    };
    const source = await createSourceEventStream({
      schema,
      document,
      ...(operationName === undefined ? {} : { operationName }),
      ...(variables === undefined ? {} : { variableValues: variables }),
      contextValue: createGatewayContext(core, context, { settings, parsed, live }),
    });
    if (!(Symbol.asyncIterator in source)) {
      stream?.close();
      throw refusalOf(source.errors ?? [], context);
    }
    const opened = stream;
    if (opened === undefined) throw new Error('a subscription without a change stream');
    const iterator: AsyncIterator<unknown> = source[Symbol.asyncIterator]();
    return {
      document,
      schema,
      operationName,
      get resumeAfter() {
        return opened.resumeAfter;
      },
      async next(turn) {
        const step: IteratorResult<unknown> = await iterator.next();
        const value: unknown = step.value;
        if (!(value instanceof ChangeEvent)) return undefined;
        await turn?.();
        const current = await contextOf();
        requireSameAccess(context, current);
        const result = await prepared.run(
          createGatewayContext(core, current, { settings, parsed, live }),
          value,
        );
        const shaped =
          planned && result.data
            ? await shape(schema, {
                document: planned,
                operationName,
                variables: prepared.variables,
                data: result.data,
              })
            : { data: result.data ?? null, errors: [] };
        const errors = [...(result.errors ?? []), ...shaped.errors].map((error) =>
          toGraphqlError(error, current),
        );
        const text = toText({ ...(errors.length > 0 ? { errors } : {}), data: shaped.data });
        return { text, sequence: value.change.version.sequence };
      },
      onEnd: (listener) => opened.onEnd(listener),
      close: () => opened.close(),
    };
  }

  /** Removes suggestions of names where introspection is not allowed. */
  #refusalOf(errors: readonly GraphQLError[], context: RequestContext): LiveRefusal {
    const { introspection } = this.options.execution;
    return refusalOf(introspection ? errors : errors.map(hideSuggestion), context);
  }

  #of(schema: GraphQLSchema): SchemaCaches {
    const cached = this.#ofSchemas.get(schema);
    if (cached !== undefined) return cached;
    const made = {
      documents: createCache<string, ReadDocument>({
        name: 'live-documents',
        scope: 'program',
        max: MAX_DOCUMENTS,
      }),
      operations: new OperationCache(schema),
    };
    this.#ofSchemas.set(schema, made);
    return made;
  }

  #read(
    schema: GraphQLSchema,
    documents: SchemaCaches['documents'],
    query: unknown,
    context: RequestContext,
  ): ReadDocument {
    if (typeof query !== 'string') throw refusal('BAD_REQUEST', "The request has no 'query'");
    const { limits } = this.options;
    const cached = documents.get(query);
    if (cached !== undefined) return cached;
    let document;
    try {
      checkText({ query }, limits);
      document = parse(query, { maxTokens: limits.tokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw refusalOf([withCode(error, 'GRAPHQL_PARSE_FAILED')], context);
    }
    const faults = validate(schema, document, [
      ...specifiedRules,
      limitRule(limits),
      atomicRule,
      shapingRule,
    ]);
    if (faults.length > 0)
      throw this.#refusalOf(
        faults.map((fault) => withCode(fault, 'GRAPHQL_VALIDATION_FAILED')),
        context,
      );
    const read = { document, planned: planShaping(document, schema) };
    documents.set(query, read);
    return read;
  }
}

function toVariables(variables: unknown): Record<string, unknown> | undefined {
  if (variables === undefined || variables === null) return undefined;
  if (typeof variables === 'object' && !Array.isArray(variables)) return { ...variables };
  throw refusal('BAD_REQUEST', "'variables' must be an object");
}

function refusal(code: string, message: string): LiveRefusal {
  const { extensions } = formatError({ message, extensions: { code } }, undefined, '');
  return new LiveRefusal([new GraphQLError(message, { extensions })]);
}

function refusalOf(errors: readonly unknown[], context: RequestContext): LiveRefusal {
  return new LiveRefusal(errors.map((error) => toGraphqlError(error, context)));
}

function withCode(error: GraphQLError, code: string): GraphQLError {
  if (error.extensions['code'] !== undefined) return error;
  const { message, nodes, source, positions } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } });
}

function hideSuggestion(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(withoutSuggestion(error.message), {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions,
  });
}

/** Returns an entry of `errors`, in the form of all responses. */
export function toGraphqlError(error: unknown, context: RequestContext): GraphQLError {
  const given = error instanceof GraphQLError ? error : undefined;
  const isOfRequest =
    given !== undefined &&
    given.extensions['code'] === undefined &&
    (given.originalError === undefined || given.originalError instanceof GraphQLError);
  const coded = isOfRequest ? withCode(given, 'BAD_USER_INPUT') : error;
  const isCoded = coded instanceof GraphQLError && coded.extensions['code'] !== undefined;
  if (!isCoded) logUnexpected(error, context.requestId, context.log);
  const shown = coded instanceof GraphQLError ? coded.toJSON() : { message: '' };
  const { message, extensions } = formatError(shown, coded, context.requestId);
  return new GraphQLError(message, {
    nodes: given?.nodes,
    source: given?.source,
    positions: given?.positions,
    path: given?.path,
    extensions,
  });
}

function toText(
  result: Pick<FormattedExecutionResult, 'data'> & { errors?: readonly GraphQLError[] },
): string {
  return stringifyAround(
    { ...result, ...(result.errors ? { errors: result.errors.map((error) => error.toJSON()) } : {}) },
    (value) => stringifyJson(value as JsonValue, true),
  );
}
