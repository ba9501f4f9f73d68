/** Asks for the concepts of one version of a code system by the operations of FHIR, so that a page never loads all of them. */
import {
  readExpansion,
  readParameters,
  textIn,
  type AnswerParameter,
  type Expansion,
} from '../fhir/terminology';
import { fhirPath, type Space } from '../place';
import { askAll, type Question } from './batch';
import { Failure } from './failure';
import { isObject, numberOf, parseLongJson, type JsonObject } from './json';
import { send } from './send';

/** A version of a code system; '' for one that has none. */
export interface SystemVersion {
  readonly url: string;
  readonly version: string;
}

/** A condition of `ValueSet.compose.include.filter`. */
interface Filter {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}

export interface Named {
  readonly code: string;
  readonly display: string;
}

const versionOf = ({ version }: SystemVersion): { version?: string } => (version === '' ? {} : { version });

/** The parameters of `$expand` for the concepts that meet a filter, or for all. */
function expandParameters(
  system: SystemVersion,
  filter: Filter | undefined,
  others: readonly object[],
): readonly object[] {
  const include = {
    system: system.url,
    ...versionOf(system),
    ...(filter === undefined ? {} : { filter: [filter] }),
  };
  const resource = { resourceType: 'ValueSet', status: 'active', compose: { include: [include] } };
  return [{ name: 'valueSet', resource }, { name: 'excludeNested', valueBoolean: true }, ...others];
}

/** The answer of an operation whose parameters are posted. */
async function invoke(
  space: Space,
  { url, parameters }: Question,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  const { text, status } = await send(fhirPath(space, url), {
    method: 'POST',
    headers: { 'content-type': 'application/fhir+json' },
    body: JSON.stringify({ resourceType: 'Parameters', parameter: parameters }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = await parseLongJson(text, signal);
  if (!isObject(answer)) throw new Failure(status, []);
  return answer;
}

export interface ConceptPage {
  readonly offset: number;
  readonly count: number;
}

export interface ConceptQuery {
  /** Words of which each begins one of the display, the designations or the code; '' for any. */
  readonly words?: string;
  /** The code of a concept: only those directly below it. '': only those that are below none. Undefined: all. */
  readonly parent?: string;
}

/** A page of concepts. **Cost**: one request. */
export async function listConcepts(
  space: Space,
  system: SystemVersion,
  { words = '', parent, offset, count }: ConceptQuery & ConceptPage,
  signal?: AbortSignal,
): Promise<Expansion> {
  const filter =
    parent === undefined
      ? undefined
      : parent === ''
        ? { property: 'parent', op: 'exists', value: 'false' }
        : { property: 'parent', op: '=', value: parent };
  const parameters = expandParameters(system, filter, [
    { name: 'offset', valueInteger: offset },
    { name: 'count', valueInteger: count },
    ...(words === ''
      ? []
      : [
          { name: 'filter', valueString: words },
          { name: 'includeDesignations', valueBoolean: true },
        ]),
  ]);
  return readExpansion(await invoke(space, { url: 'ValueSet/$expand', parameters }, signal));
}

/** How many concepts are below each of these, on all levels; without those that the server does not count. **Cost**: one request. */
export async function countBelow(
  space: Space,
  system: SystemVersion,
  codes: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const questions = codes.map((value) => ({
    url: 'ValueSet/$expand',
    parameters: expandParameters(system, { property: 'concept', op: 'is-a', value }, [
      { name: 'count', valueInteger: 0 },
    ]),
  }));
  const answers = await askAll(space, questions, signal);
  const counts = new Map<string, number>();
  codes.forEach((code, index) => {
    const answer = answers[index];
    const expansion = answer instanceof Failure ? undefined : answer?.['expansion'];
    const total = isObject(expansion) ? numberOf(expansion['total']) : undefined;
    if (total !== undefined) counts.set(code, Math.max(total - 1, 0));
  });
  return counts;
}

function lookupOf(system: SystemVersion, code: string, properties: readonly string[]): Question {
  const { version } = versionOf(system);
  return {
    url: 'CodeSystem/$lookup',
    parameters: [
      { name: 'system', valueUri: system.url },
      ...(version === undefined ? [] : [{ name: 'version', valueString: version }]),
      { name: 'code', valueCode: code },
      ...properties.map((valueCode) => ({ name: 'property', valueCode })),
    ],
  };
}

/** What `$lookup` says of a concept, with these properties. */
export async function lookUpConcept(
  space: Space,
  system: SystemVersion,
  { code, properties }: { readonly code: string; readonly properties: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly AnswerParameter[]> {
  return readParameters(await invoke(space, lookupOf(system, code, properties), signal));
}

/** The concepts that a property of an answer of `$lookup` names. */
export function relatedIn(parameters: readonly AnswerParameter[], property: string): readonly Named[] {
  return parameters
    .filter(({ name, parts }) => name === 'property' && textIn(parts, 'code') === property)
    .map(({ parts }) => ({ code: textIn(parts, 'value'), display: textIn(parts, 'description') }));
}

/** Where a concept stands. */
export interface Standing {
  /** The concepts above it, the highest first. Where there are several ways up, it is the first of them. */
  readonly path: readonly Named[];
  /** Concepts that it is directly below, beside the last of the path. */
  readonly others: number;
}

/** A hierarchy is not deeper. */
const MOST_LEVELS = 50;

/** Where concepts stand. **Cost**: one request for each level of the hierarchy. */
export async function loadStandings(
  space: Space,
  system: SystemVersion,
  codes: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Standing>> {
  const parents = new Map<string, readonly Named[]>();
  let level = [...new Set(codes)];
  for (let count = 0; count < MOST_LEVELS && level.length > 0; count++) {
    const questions = level.map((code) => lookupOf(system, code, ['parent']));
    const answers = await askAll(space, questions, signal);
    answers.forEach((answer, index) => {
      const found = answer instanceof Failure ? [] : relatedIn(readParameters(answer), 'parent');
      parents.set(level[index] ?? '', found);
    });
    const above = level.flatMap((code) => parents.get(code)?.[0]?.code ?? []);
    level = [...new Set(above)].filter((code) => !parents.has(code));
  }
  return new Map(
    codes.map((code) => {
      const path: Named[] = [];
      const next = (of: string): Named | undefined => parents.get(of)?.[0];
      for (let at = next(code); at !== undefined && path.length < MOST_LEVELS; at = next(at.code))
        path.unshift(at);
      return [code, { path, others: Math.max((parents.get(code)?.length ?? 0) - 1, 0) }];
    }),
  );
}

/** Concepts of one request of a comparison. */
const LARGE_PAGE = 1_000;

/** All concepts of a version, page by page. */
export async function* pagesOf(
  space: Space,
  system: SystemVersion,
  signal: AbortSignal,
): AsyncGenerator<Expansion> {
  for (let offset = 0; ; offset += LARGE_PAGE) {
    const page = await listConcepts(space, system, { offset, count: LARGE_PAGE }, signal);
    yield page;
    if (page.codes.length < LARGE_PAGE) return;
  }
}
