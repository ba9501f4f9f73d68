/**
 * Documents that a request names by their hash. Clients register documents for their tenant and release (automatic
 * persisted queries); a manifest has documents for all (trusted documents).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ApolloServerPlugin } from '@apollo/server';
import { type Core, fhirError, type Space, createCache } from '../core/index';
import type { GatewayContext } from '../resolvers/index';
import type { SentQuery } from './fhir-request';

/** Limit on the characters of a registered text; longer ones are executed but must be sent each time. */
const LONGEST = 100_000;
/** Bytes of registered texts that a process caches itself. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;
/** Limit on new registrations of one process per minute: documents that are never used again must not fill Redis. */
const MOST_IN_A_MINUTE = 600;
const MINUTE_MS = 60_000;

const UNTRUSTED =
  'Only trusted documents are allowed: send extensions.persistedQuery.sha256Hash of one, without a query';

export interface DocumentTrust {
  /** Hash and text of each trusted document. */
  readonly documents: ReadonlyMap<string, string>;
  /** True: other documents are refused. */
  readonly only: boolean;
}

/** Members of a request. */
type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Reads the documents of a manifest: an object of hashes, with or without `sha256:`, and texts. graphql-codegen's
 * client-preset writes it with `hashAlgorithm: 'sha256'`. Throws an error with a message for the operator.
 */
export async function readManifest(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`GRAPHQL_TRUSTED_DOCUMENTS: ${file} cannot be read`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new Error(`GRAPHQL_TRUSTED_DOCUMENTS: ${file} is not JSON`);
  }
  if (!isMembers(manifest))
    throw new Error(`GRAPHQL_TRUSTED_DOCUMENTS: ${file} is not an object of hashes and texts`);
  const documents = new Map<string, string>();
  for (const [name, document] of Object.entries(manifest)) {
    const hash = toHash(name);
    if (typeof document !== 'string' || hashOf(document) !== hash)
      throw new Error(`GRAPHQL_TRUSTED_DOCUMENTS: ${name.slice(0, 80)} is not the SHA-256 of its document`);
    documents.set(hash, document);
  }
  return documents;
}

function toHash(name: string): string {
  return name.replace(/^sha256:/, '').toLowerCase();
}

export class PersistedDocuments {
  private readonly cache = createCache<string, string>({
    name: 'persisted-documents',
    scope: 'data',
    maxSize: MAX_CACHED_BYTES,
    weigh: ({ length }) => length,
  });
  private registered = 0;
  private since = 0;

  constructor(
    private readonly core: Core,
    private readonly trust: DocumentTrust,
  ) {}

  /** Adds the named text to a request; returns it unchanged when the name is unknown. Throws `forbidden`. */
  async complete(space: Space, sent: SentQuery): Promise<SentQuery> {
    if (isMembers(sent.body)) return { ...sent, body: await this.completeMembers(space, sent.body) };
    if (sent.body !== undefined || sent.search === '') return sent;
    const parameters = new URLSearchParams(sent.search);
    const given = {
      query: parameters.get('query') ?? undefined,
      extensions: toMembers(parameters.get('extensions')),
    };
    const { query } = await this.completeMembers(space, given);
    if (query === given.query || typeof query !== 'string') return sent;
    parameters.set('query', query);
    return { ...sent, search: `?${parameters.toString()}` };
  }

  /** Adds the named text to the members of a request. Throws `forbidden`. */
  async completeMembers(space: Space, body: Members): Promise<Members> {
    const hash = namedHash(body);
    if (typeof body.query === 'string' && body.query !== '') {
      if (this.trust.only && !this.trust.documents.has(hashOf(body.query))) throw untrusted();
      return body;
    }
    if (hash === undefined) {
      if (this.trust.only) throw untrusted();
      return body;
    }
    const query =
      this.trust.documents.get(hash) ?? (this.trust.only ? undefined : await this.find(space, hash));
    if (query !== undefined) return { ...body, query };
    if (this.trust.only) throw untrusted();
    return body;
  }

  private async find(space: Space, hash: string): Promise<string | undefined> {
    const key = keyOf(space, hash);
    const text = this.cache.get(key) ?? (await this.core.interactions.sharedTexts.get(space, nameOf(hash)));
    if (text !== undefined) this.cache.set(key, text);
    return text;
  }

  private register(space: Space, hash: string, text: string): void {
    const key = keyOf(space, hash);
    if (text.length > LONGEST || this.trust.documents.has(hash) || this.cache.has(key)) return;
    const now = Date.now();
    if (now - this.since > MINUTE_MS) [this.since, this.registered] = [now, 0];
    if (++this.registered > MOST_IN_A_MINUTE) return;
    this.cache.set(key, text);
    this.core.interactions.sharedTexts.put(space, nameOf(hash), text);
  }

  /** Registers a text that a client sent with its hash, once the document is valid. */
  get plugin(): ApolloServerPlugin<GatewayContext> {
    return {
      requestDidStart: async () => ({
        didResolveOperation: async ({ metrics, queryHash, source, contextValue }) => {
          if (metrics.persistedQueryRegister) this.register(contextValue.request.space, queryHash, source);
        },
      }),
    };
  }
}

/**
 * A cache for Apollo Server that stores nothing, because Apollo Server's would be shared by all tenants. Apollo Server
 * still compares hashes, and reports unknown ones.
 */
export const NO_CACHE = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => undefined,
};

function untrusted(): Error {
  return fhirError('forbidden', { reason: UNTRUSTED });
}

/** `documentId` comes from the draft of GraphQL over HTTP, `persistedQuery` from Apollo's clients. */
function namedHash({ extensions, documentId }: Members): string | undefined {
  if (typeof documentId === 'string') return toHash(documentId);
  const persisted = isMembers(extensions) ? extensions['persistedQuery'] : undefined;
  const hash = isMembers(persisted) ? persisted['sha256Hash'] : undefined;
  return typeof hash === 'string' && /^[0-9a-f]{64}$/i.test(hash) ? toHash(hash) : undefined;
}

/** True when a request names its document by hash. */
export function namesDocument(body: Members): boolean {
  return namedHash(body) !== undefined;
}

/** Parses the JSON object in a part of an address; undefined for anything else. */
export function toMembers(text: string | null): Members | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function keyOf({ number }: Space, hash: string): string {
  return `${number} ${hash}`;
}

function nameOf(hash: string): string {
  return `graphql ${hash}`;
}
