/**
 * Documents that a request names by their hash: those that a client has registered (automatic persisted queries, for its
 * tenant and release alone) and those of a manifest (trusted documents, for all).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ApolloServerPlugin } from '@apollo/server';
import { LRUCache } from 'lru-cache';
import { type Core, fhirError, registerCache, type Space } from '../core/index';
import type { GatewayContext } from '../resolvers/index';
import type { SentQuery } from './fhir-request';

/** Of a registered text; longer ones are answered and have to be sent each time. */
const LONGEST = 100_000;
/** Bytes of registered texts that a process keeps itself. */
const MOST_KEPT = 8 * 1024 * 1024;
/** New registrations of one process in a minute: what nobody comes back for must not fill Redis. */
const MOST_IN_A_MINUTE = 600;
const MINUTE_MS = 60_000;

const UNTRUSTED =
  'Only trusted documents are answered here: send extensions.persistedQuery.sha256Hash of one, without a text of your own';

export interface DocumentTrust {
  /** Hash and text of each trusted document. */
  readonly documents: ReadonlyMap<string, string>;
  /** True: no others are answered. */
  readonly only: boolean;
}

/** Of a request. */
type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The documents of a manifest: an object of hashes, with or without `sha256:`, and texts, as graphql-codegen's
 * client-preset writes it with `hashAlgorithm: 'sha256'`. Throws a sentence for an operator.
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
  private readonly kept = registerCache(
    new LRUCache<string, string>({ maxSize: MOST_KEPT, sizeCalculation: ({ length }) => length }),
  );
  private registered = 0;
  private since = 0;

  constructor(
    private readonly core: Core,
    private readonly trust: DocumentTrust,
  ) {}

  /** The request with the text that it names; as it is where nothing is known by that name. Throws `forbidden`. */
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

  /** The members of a request, with the text that they name. Throws `forbidden`. */
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
    const kept = this.kept.get(key) ?? (await this.core.sharedTexts.get(space, nameOf(hash)));
    if (kept !== undefined) this.kept.set(key, kept);
    return kept;
  }

  private register(space: Space, hash: string, text: string): void {
    const key = keyOf(space, hash);
    if (text.length > LONGEST || this.trust.documents.has(hash) || this.kept.has(key)) return;
    const now = Date.now();
    if (now - this.since > MINUTE_MS) [this.since, this.registered] = [now, 0];
    if (++this.registered > MOST_IN_A_MINUTE) return;
    this.kept.set(key, text);
    this.core.sharedTexts.put(space, nameOf(hash), text);
  }

  /** Registers what a client has sent with its hash, once it has been found right. */
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
 * What Apollo Server keeps of registered documents, which is nothing: it would know them for all tenants. It compares
 * hashes all the same, and tells what is not found.
 */
export const NOTHING_KEPT = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => undefined,
};

function untrusted(): Error {
  return fhirError('forbidden', { reason: UNTRUSTED });
}

/** `documentId` is the name in GraphQL over HTTP's draft, `persistedQuery` that of Apollo's clients. */
function namedHash({ extensions, documentId }: Members): string | undefined {
  if (typeof documentId === 'string') return toHash(documentId);
  const persisted = isMembers(extensions) ? extensions['persistedQuery'] : undefined;
  const hash = isMembers(persisted) ? persisted['sha256Hash'] : undefined;
  return typeof hash === 'string' && /^[0-9a-f]{64}$/i.test(hash) ? toHash(hash) : undefined;
}

/** Whether a request names its document in the place of a text. */
export function namesDocument(body: Members): boolean {
  return namedHash(body) !== undefined;
}

/** The object that a part of an address holds as JSON; undefined for anything else. */
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
