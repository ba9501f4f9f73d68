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
  return general?.filter((value) => value !== undefined) ?? propertyValues(concept, code);
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
    const isComplete = wanted.every(
      (each) => each === named || valuesOf(concept, each.code).includes(each.text),
    );
    if (!isComplete) continue;
    if (found.length === MAX_COMPLETE) {
      const reason = `More than ${MAX_COMPLETE} codes have these properties; give more of them`;
      throw fhirError('tooCostly', { reason });
    }
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
