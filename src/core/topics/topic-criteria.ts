/** The conditions of a trigger: searches and FHIRPath on the versions before and after a change. */
import { errorOf } from '../errors';
import type { Definitions } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import {
  type CompiledPath,
  compilePath,
  type PathAllowance,
  PathError,
  PathSyntaxError,
  UnsupportedPathError,
} from '../fhir/path';
import { tokenize } from '../fhir/path/lexer';
import { parseQueryText, type QueryParameter } from '../fhir/query-text';
import { createCache } from '../memory/create-cache';
import type { Interaction, TopicTrigger } from './topic';

const ADDRESS = /^\/?([A-Za-z]*)\?/;

/** Returns the type that a query names, as in `Encounter?status=finished`; undefined if it names none. */
export function topicQueryType(text: string): string | undefined {
  const type = ADDRESS.exec(text)?.[1];
  return type === '' ? undefined : type;
}

/**
 * Parses `previous` or `current`, with or without a type, percent-encoded or not: the specification allows both
 * (build.fhir.org/subscriptiontopic.html#query-criteria). A plus is a plus, because blanks may be written as they are.
 */
export function parseTopicQuery(text: string): readonly QueryParameter[] {
  const query = text.replace(ADDRESS, '').replaceAll('+', '%2B');
  let parameters: readonly QueryParameter[] = [];
  const fault = errorOf(() => {
    parameters = parseQueryText(query);
  });
  // A percent sign that begins no escape is not encoded, and then nothing is.
  return fault === undefined ? parameters : parseQueryText(query.replace(/%(?!2B)/g, '%25'));
}

/** The two searches of a trigger, called at most once each and only if the result depends on them. */
export interface TopicTests {
  previous(): boolean | Promise<boolean>;
  current(): boolean | Promise<boolean>;
}

/**
 * True if the interaction belongs to the trigger and its query, if it has one, holds. A search that the query does not
 * have is ignored. FHIRPath is not evaluated (`holdsPath`).
 * Source: https://hl7.org/fhir/R4B/subscriptiontopic-definitions.html#SubscriptionTopic.resourceTrigger.queryCriteria
 */
export async function holds(
  { interactions, query }: TopicTrigger,
  interaction: Interaction,
  tests: TopicTests,
): Promise<boolean> {
  if (!interactions.has(interaction)) return false;
  if (query === undefined) return true;
  // Fixed results come first, because they cost nothing.
  const results: (() => boolean | Promise<boolean>)[] = [];
  if (query.previous !== undefined) {
    if (interaction === 'create') results.unshift(() => query.resultForCreate === 'passes');
    else results.push(() => tests.previous());
  }
  if (query.current !== undefined) {
    if (interaction === 'delete') results.unshift(() => query.resultForDelete === 'passes');
    else results.push(() => tests.current());
  }
  if (results.length === 0) return true;
  for (const result of results) if ((await result()) !== query.requireBoth) return !query.requireBoth;
  return query.requireBoth;
}

/** The versions before and after a change; undefined before a create and after a delete. */
export interface TopicVersions {
  readonly previous: JsonObject | undefined;
  readonly current: JsonObject | undefined;
}

/** Maximum length of an expression, in characters. */
const LONGEST = 2_000;
/** Maximum characters of all cached expressions. */
const MAX_CACHED = 200_000;

const cache = createCache<string, CompiledPath>({
  name: 'topic-expressions',
  scope: 'program',
  maxSize: MAX_CACHED,
  weigh: (_path, key) => key.length,
});

/** The reason why an expression cannot be used. */
export interface TopicPathFault {
  readonly reason: string;
  /** True if it is FHIRPath that this server does not support. */
  readonly isUnsupported: boolean;
}

/** Returns the fault of an expression; undefined if `holdsPath` can evaluate it. */
export function topicPathFault(definitions: Definitions, expression: string): TopicPathFault | undefined {
  if (expression.length > LONGEST)
    return { reason: `it is longer than ${LONGEST} characters`, isUnsupported: true };
  try {
    pathOf(definitions, expression);
    return undefined;
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return { reason: error.message, isUnsupported: !(error instanceof PathSyntaxError) };
  }
}

/**
 * Evaluates the FHIRPath of a trigger with `%previous` and `%current`, which are empty for undefined. The focus is the
 * current version. Anything but true is false: an empty result, and several values.
 * `allowance`: the budget that evaluations share. Throws PathBudgetError beyond it, PathError for an expression with a
 * fault (`topicPathFault`). Cost: a microsecond or more, and about 10 µs the first time.
 */
export function holdsPath(
  definitions: Definitions,
  expression: string,
  { previous, current }: TopicVersions,
  allowance?: PathAllowance,
): boolean {
  const path = pathOf(definitions, expression);
  // Null is empty, while undefined would be the focus.
  const now = current ?? null;
  const environment = { context: now, rootResource: now, resource: previous ?? null };
  const values = path(now, allowance === undefined ? environment : { ...environment, allowance });
  const [value] = values;
  if (values.length !== 1 || value === undefined) return false;
  // A value that is no boolean counts as true (http://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections).
  return value.type === 'boolean' ? value.value === true : true;
}

function pathOf(definitions: Definitions, expression: string): CompiledPath {
  const key = `${definitions.release} ${expression}`;
  let path = cache.get(key);
  if (path === undefined) {
    // Without a root type, null is empty and each resource has its own type.
    path = compilePath(renameVariables(expression), { definitions, isFromClient: true });
    cache.set(key, path);
  }
  return path;
}

/** The engine's variables for the two versions. The names have the same lengths, so that positions in errors hold. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['previous', 'resource'],
  ['current', 'context'],
]);
/** Variables of the engine that a topic does not have. */
const FOREIGN: ReadonlySet<string> = new Set(['resource', 'rootResource', 'context']);

function renameVariables(expression: string): string {
  let renamed = expression;
  const tokens = tokenize(expression);
  for (const [index, { kind, text, position }] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before?.kind !== 'symbol' || before.text !== '%') continue;
    if (FOREIGN.has(text)) throw new UnsupportedPathError(`%${text}`, before.position);
    const name = VARIABLES.get(text);
    if (name === undefined) continue;
    const start = kind === 'identifier' ? position : position + 1;
    renamed = renamed.slice(0, start) + name + renamed.slice(start + name.length);
  }
  return renamed;
}
