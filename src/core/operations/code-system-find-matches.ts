/**
 * POST {root}/CodeSystem/$find-matches and {root}/CodeSystem/{id}/$find-matches
 *
 * In: system (and version) at type level; property (repeated: code and value), exact, tx-resource.
 * Result: match for each concept: with exact those that have all properties, else those that have some, the best first, with
 * `unmatched` for the others.
 * https://hl7.org/fhir/R4/codesystem-operation-find-matches.html
 */
import { turns } from '../concurrency/turns';
import { fhirError } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { type CodeSystem, type Concept, propertyValues } from '../fhir/terminology/code-system';
import {
  type ConceptCriteria,
  type ConceptRow,
  type ConceptStorage,
  wordsOf,
} from '../fhir/terminology/concept-set';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import { objectsMember, stringMember } from '../fhir/terminology/members';
import { type OperationEnvironment } from '../operation-types/environment';
import { type OperationInput, type ReadOperation } from '../operation-types/operation';
import { type InputParameters, type InputValue } from '../operation-types/parameters';
import { withRequestResources } from './request-resources';
import { findCodeSystem, readById, refuseParameters, requireContent } from './terminology';

/** More complete matches than these are no answer for a machine. */
const MAX_COMPLETE = 100;
/** Possible matches that a person is shown. */
const MAX_POSSIBLE = 20;

export const codeSystemFindMatches: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CodeSystem-find-matches',
  takesOthers: true,
  async run(given, input) {
    const environment = withRequestResources(given, input.parameters);
    if (input.parameters.flag('compositional') === true)
      refuseParameters(input, { compositional: 'is not supported: codes are not composed here' });
    const codeSystem = await findMeant(environment, input);
    const isExact = input.parameters.flag('exact') === true;
    const wanted = wantedProperties(input.parameters, codeSystem);
    if (codeSystem.stored !== undefined) {
      const rows = await storedCandidates(environment, codeSystem.stored, wanted, isExact);
      const { conceptOf, set } = codeSystem.stored;
      return withConcepts(
        environment,
        () => {
          const found = rows.map((row): Match => {
            const concept = conceptOf(row);
            const has = isExact ? isComplete : isPossible;
            return { concept, unmatched: wanted.filter((each) => !has(concept, each)) };
          });
          const matches = isExact ? found.filter(({ unmatched }) => unmatched.length === 0) : inOrder(found);
          if (isExact && matches.length > MAX_COMPLETE) throw tooMany();
          return { parameters: matches.map((match) => toMatch(codeSystem, match)) };
        },
        { set: set.number, rows },
      );
    }
    const matches = isExact
      ? await completeMatches(codeSystem, wanted)
      : await possibleMatches(codeSystem, wanted);
    return { parameters: matches.map((match) => toMatch(codeSystem, match)) };
  },
};

/** A property that a concept is to have. */
interface Wanted {
  readonly code: string;
  readonly text: string;
  readonly given: InputValue;
}

interface Match {
  readonly concept: Concept;
  readonly unmatched: readonly Wanted[];
}

async function findMeant(environment: OperationEnvironment, input: OperationInput): Promise<CodeSystem> {
  const { id, parameters } = input;
  const system = parameters.text('system');
  if ((id === undefined) === (system === undefined)) {
    const reason =
      id === undefined
        ? "The parameter 'system' is needed"
        : 'The CodeSystem is named by the address already; system may not be given';
    throw fhirError('operationInputInvalid', { reason }, parameters.first('system')?.expression);
  }
  if (system !== undefined) return findCodeSystem(environment, system, parameters.text('version'));
  const codeSystem = await readById(environment, id ?? '');
  requireContent(codeSystem);
  return codeSystem;
}

/** Properties that every concept may have (https://hl7.org/fhir/R4/codesystem.html#defined-props). */
const GENERAL: Readonly<Record<string, (concept: Concept) => readonly (string | undefined)[]>> = {
  code: ({ code }) => [code],
  display: ({ display }) => [display],
  designation: ({ element }) =>
    objectsMember(element, 'designation').map((each) => stringMember(each, 'value')),
  definition: ({ element }) => [stringMember(element, 'definition')],
  parent: ({ parents }) => parents.map(({ code }) => code),
  child: ({ children }) => children.map(({ code }) => code),
  inactive: ({ isInactive }) => [String(isInactive)],
  notSelectable: ({ isAbstract }) => [String(isAbstract)],
};

/** Properties whose texts people write: a part of one is a possible match, in any case. */
const TEXTS: ReadonlySet<string> = new Set(['display', 'designation', 'definition']);

function wantedProperties(parameters: InputParameters, codeSystem: CodeSystem): readonly Wanted[] {
  const properties = parameters.values.filter(({ name }) => name === 'property');
  if (properties.length === 0) {
    const reason = "The parameter 'property' is required at least once";
    throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
  }
  return properties.map(({ parts, expression }) => {
    if (parts?.first('subproperty') !== undefined) {
      const reason = "The parameter 'subproperty' is not supported: codes are not composed here";
      throw fhirError('notSupported', { reason }, expression);
    }
    const code = parts?.text('code') ?? '';
    if (!Object.hasOwn(GENERAL, code) && !codeSystem.propertyCodes.has(code)) {
      const reason = `The code system ${codeSystem.url} has no property '${code}'`;
      throw fhirError('operationInputInvalid', { reason }, expression);
    }
    const given = parts?.first('value');
    const text = textOf(given?.value);
    if (given === undefined || text === undefined) {
      const reason = `The property '${code}' needs a value: a code, Coding, text, number, date or boolean`;
      throw fhirError('operationInputInvalid', { reason }, expression);
    }
    return { code, text, given };
  });
}

/** Returns the text of a value as `propertyValues` has it. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (isJsonObject(value)) return stringMember(value, 'code');
  if (typeof value === 'string') return value.replace('\u0001', '');
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : undefined;
}

function valuesOf(concept: Concept, code: string): readonly string[] {
  const general = Object.hasOwn(GENERAL, code) ? GENERAL[code]?.(concept) : undefined;
  return general?.filter((value) => value !== undefined) ?? propertyValues(concept.element, code);
}

/** Throws `tooCostly` if there are more than a machine can use. Cost: linear in the concepts, in turns; with a code none. */
async function completeMatches(codeSystem: CodeSystem, wanted: readonly Wanted[]): Promise<readonly Match[]> {
  const named = wanted.find(({ code }) => code === 'code');
  const found: Match[] = [];
  const only = named && codeSystem.find(named.text);
  const candidates = named === undefined ? conceptsOf(codeSystem) : only === undefined ? [] : [only];
  for (const concept of candidates) {
    const later = turns.next();
    if (later !== undefined) await later;
    if (!wanted.every((each) => each === named || isComplete(concept, each))) continue;
    if (found.length === MAX_COMPLETE) throw tooMany();
    found.push({ concept, unmatched: [] });
  }
  return found;
}

/** Returns those with most of the properties first. Cost: linear in the concepts, in turns. */
async function possibleMatches(codeSystem: CodeSystem, wanted: readonly Wanted[]): Promise<readonly Match[]> {
  const byCount = wanted.map((): Match[] => []);
  for (const concept of conceptsOf(codeSystem)) {
    const later = turns.next();
    if (later !== undefined) await later;
    const unmatched = wanted.filter((each) => !isPossible(concept, each));
    const some = byCount[unmatched.length];
    if (some !== undefined && some.length < MAX_POSSIBLE) some.push({ concept, unmatched });
  }
  return byCount.flat().slice(0, MAX_POSSIBLE);
}

/** Concepts of a large code system that one property finds. */
const MAX_FOUND = 2_000;

/** Returns concepts that an index finds by the properties: for `isExact` by all of them, else those that most find. */
async function storedCandidates(
  storage: ConceptStorage,
  { set: { number }, fold }: NonNullable<CodeSystem['stored']>,
  wanted: readonly Wanted[],
  isExact: boolean,
): Promise<readonly ConceptRow[]> {
  const named = wanted.find(({ code }) => code === 'code');
  if (named !== undefined && isExact) return storage.readConcepts(number, [fold(named.text)]);
  const criteria = wanted.flatMap((each): ConceptCriteria[] => {
    if (each.code === 'parent')
      return [{ keys: [{ property: 'parent', value: fold(each.text) }], words: [] }];
    if (TEXTS.has(each.code) || each.code === 'code')
      return each.code === 'definition' ? [] : [{ keys: [], words: [...wordsOf([each.text])] }];
    return Object.hasOwn(GENERAL, each.code)
      ? []
      : [{ keys: [{ property: each.code, value: each.text }], words: [] }];
  });
  if (criteria.length === 0) {
    const reason =
      'In a large code system the properties code, display, designation, parent or its own find codes';
    throw fhirError('tooCostly', { reason });
  }
  if (isExact) {
    const all = {
      keys: criteria.flatMap(({ keys }) => keys),
      words: criteria.flatMap(({ words }) => words),
    };
    const numbers = await storage.findConcepts(number, all, MAX_FOUND + 1);
    if (numbers.length > MAX_FOUND) throw tooMany();
    return storage.listConcepts(number, numbers);
  }
  const counts = new Map<number, number>();
  for (const each of criteria)
    for (const found of await storage.findConcepts(number, each, MAX_FOUND))
      counts.set(found, (counts.get(found) ?? 0) + 1);
  const best = [...counts].toSorted(([one, a], [other, b]) => b - a || one - other).slice(0, MAX_POSSIBLE);
  return storage.listConcepts(
    number,
    best.map(([found]) => found),
  );
}

/** Those with most of the properties first. */
function inOrder(matches: readonly Match[]): readonly Match[] {
  return matches.toSorted((one, other) => one.unmatched.length - other.unmatched.length);
}

function tooMany(): Error {
  const reason = `More than ${MAX_COMPLETE} codes have these properties; give more of them`;
  return fhirError('tooCostly', { reason });
}

function isComplete(concept: Concept, { code, text }: Wanted): boolean {
  return valuesOf(concept, code).includes(text);
}

function isPossible(concept: Concept, { code, text }: Wanted): boolean {
  const lower = text.toLowerCase();
  const isText = TEXTS.has(code);
  return valuesOf(concept, code).some((value) =>
    isText ? value.toLowerCase().includes(lower) : value.toLowerCase() === lower,
  );
}

function conceptsOf({ url, concepts }: CodeSystem): Iterable<Concept> {
  if (concepts !== undefined) return concepts;
  throw fhirError('notSupported', { reason: `The codes of ${url} follow a grammar and are not listed` });
}

function toMatch({ url, version }: CodeSystem, { concept, unmatched }: Match): JsonObject {
  const { code, display } = concept;
  const coding = {
    system: url,
    ...(version === undefined ? {} : { version }),
    code,
    ...(display === undefined ? {} : { display }),
  };
  return {
    name: 'match',
    part: [
      { name: 'code', valueCoding: coding },
      ...unmatched.map(({ code: property, given: { member, value } }): JsonObject => ({
        name: 'unmatched',
        part: [
          { name: 'code', valueCode: property },
          { name: 'value', [member]: value ?? null },
        ],
      })),
    ],
  };
}
