/**
 * A query on one resource, `{fhir_root}/{type}/{id}/$graphql` (http://hl7.org/fhir/R4/graphql.html#invoking). Its
 * selections are put below the field that reads the resource, and its response is unwrapped again.
 */
import type { ApolloServerPlugin } from '@apollo/server';
import { type GraphQLFormattedError, Lexer, Source, type Token, TokenKind } from 'graphql';
import { type FhirError, fhirError, type RequestContext, toFhirError } from '../core/index';
import type { GatewayContext } from '../resolvers/index';
import { type ErrorObserver, formatFhirError } from './errors';

export interface InstanceAddress {
  readonly type: string;
  readonly id: string;
}

/** Characters that were inserted into a document, and their position. */
interface Insertion {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A document whose queries are below one resource. */
export interface InstanceDocument extends InstanceAddress {
  readonly text: string;
  readonly insertions: readonly Insertion[];
}

/** The response name of the resource in Apollo Server's response. */
const NAME = 'resource';
const END = ' }';

/** By core's request, because Apollo Server passes a copy of the context to plugins. */
const instances = new WeakMap<RequestContext, InstanceDocument>();

/** Marks a request as a query on one resource. */
export function setInstance(context: GatewayContext, instance: InstanceDocument): GatewayContext {
  instances.set(context.request, instance);
  return context;
}

/**
 * Puts the selections of each query of `text` below the resource, on the same lines. It reads only the tokens, up to
 * `maxTokens`. A text that is not GraphQL stays unchanged, so that the parser refuses it.
 * Throws for operations other than queries.
 */
export function selectInstance(text: string, address: InstanceAddress, maxTokens: number): InstanceDocument {
  const lexer = new Lexer(new Source(text));
  const nextToken = (): Token | undefined => {
    try {
      return lexer.advance();
    } catch {
      return undefined;
    }
  };
  // Type and id have no characters that need escapes.
  const writer = new Writer(text);
  const start = `{ ${NAME}: ${address.type}(id: "${address.id}") `;
  let keyword = '';
  let braces = 0;
  let parentheses = 0;
  let tokens = 0;
  for (let token = nextToken(); token?.kind !== TokenKind.EOF; token = nextToken()) {
    if (token === undefined || ++tokens > maxTokens) return { ...address, text, insertions: [] };
    const { kind } = token;
    if (kind === TokenKind.PAREN_L) parentheses++;
    else if (kind === TokenKind.PAREN_R) parentheses--;
    else if (parentheses > 0) continue;
    else if (kind === TokenKind.NAME && braces === 0 && keyword === '') keyword = token.value;
    else if (kind === TokenKind.BRACE_L && braces++ === 0) {
      if (keyword === 'mutation' || keyword === 'subscription') throw onlyQueries(keyword);
      if (keyword !== 'fragment') writer.insert(start, token.start, token.line, token.column);
    } else if (kind === TokenKind.BRACE_R && --braces === 0) {
      if (keyword !== 'fragment') writer.insert(END, token.end, token.line, token.column + 1);
      keyword = '';
    }
  }
  return { ...address, text: writer.end(), insertions: writer.insertions };
}

/** Writes a text with insertions, and records their positions. */
class Writer {
  readonly insertions: Insertion[] = [];
  #written = '';
  #copied = 0;

  constructor(private readonly text: string) {}

  /** `offset`, `line` and `column` are positions in the original. */
  insert(part: string, offset: number, line: number, column: number): void {
    const before = this.insertions.filter((insertion) => insertion.line === line);
    const shift = before.reduce((sum, { length }) => sum + length, 0);
    this.#written += this.text.slice(this.#copied, offset) + part;
    this.#copied = offset;
    this.insertions.push({ line, column: column + shift, length: part.length });
  }

  end(): string {
    return this.#written + this.text.slice(this.#copied);
  }
}

function onlyQueries(keyword: string): FhirError {
  const reason = `Only queries are allowed on one resource; send the ${keyword} to the address of the server`;
  return fhirError('invalidValue', { reason });
}

/** Converts response, paths and locations of a query on one resource to the document that the client sent. */
export function instancePlugin(observeError: ErrorObserver): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart() {
      return {
        async willSendResponse({ response, contextValue }) {
          const instance = instances.get(contextValue.request);
          if (!instance || response.body.kind !== 'single') return;
          const { singleResult } = response.body;
          const { data, errors } = singleResult;
          if (errors) singleResult.errors = errors.map((error) => unwrapError(error, instance));
          if (!data) return;
          const found = data[NAME];
          singleResult.data = isObject(found) ? found : null;
          if (singleResult.data !== null || errors?.some(({ path }) => path?.[0] === NAME) === true) return;
          const miss = await whyMissing(contextValue, instance);
          observeError(miss.key);
          singleResult.errors = [formatFhirError(miss)];
          response.http.status = miss.status;
        },
      };
    },
  };
}

async function whyMissing(context: GatewayContext, { type, id }: InstanceAddress): Promise<FhirError> {
  try {
    await context.core.interactions.read(context.request, type, id);
    return fhirError('notFound', { type, id });
  } catch (thrown) {
    return toFhirError(thrown, context.request.requestId);
  }
}

function unwrapError(error: GraphQLFormattedError, { insertions }: InstanceDocument): GraphQLFormattedError {
  const { path, locations } = error;
  return {
    ...error,
    ...(path?.[0] === NAME ? { path: path.slice(1) } : {}),
    ...(locations ? { locations: locations.map((place) => unwrapLocation(place, insertions)) } : {}),
  };
}

function unwrapLocation(
  place: { readonly line: number; readonly column: number },
  insertions: readonly Insertion[],
): { line: number; column: number } {
  let { column } = place;
  for (const inserted of insertions) {
    if (inserted.line !== place.line || place.column < inserted.column) continue;
    // A position inside an insertion becomes the position where it was inserted.
    column -= Math.min(inserted.length, place.column - inserted.column);
  }
  return { line: place.line, column };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
