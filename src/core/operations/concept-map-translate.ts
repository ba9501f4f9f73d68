/**
 * POST|GET {root}/ConceptMap/$translate and {root}/ConceptMap/{id}/$translate
 *
 * In: url (with conceptMapVersion) or conceptMap at type level, or none: then all available maps from the system;
 * one of code (with system and version), coding, codeableConcept; source and target (value sets), targetsystem,
 * dependency, reverse, tx-resource. Also the names of R5.
 * Result: result, message, match (including matches that state that there is no translation).
 * https://hl7.org/fhir/R4/conceptmap-operation-translate.html
 */
import { turns } from '../concurrency/turns';
import { createCache } from '../memory/create-cache';
import { fhirError } from '../errors';
import { type JsonObject, parseStoredObject } from '../fhir/json';
import { isValidId } from '../fhir/resource';
import { composeValueSet, type ComposedValueSet } from '../fhir/terminology/compose';
import { stringMember } from '../fhir/terminology/members';
import { parseCanonical } from '../fhir/terminology/source';
import {
  isSameCanonical,
  MapIndex,
  translate,
  valueSetOf,
  type CodeToTranslate,
  type Dependency,
  type Translation,
  type TranslationOptions,
} from '../fhir/terminology/translation';
import { validateInValueSet } from '../fhir/terminology/validation';
import { type OperationEnvironment } from '../operation-types/environment';
import { type OperationInput, type ReadOperation } from '../operation-types/operation';
import { type InputParameters } from '../operation-types/parameters';
import { parseInTurn, terminologyOf } from '../terminology/terminology-source';
import { withRequestResources } from './request-resources';
import { codesToValidate, findNamed } from './terminology';
import { withNamesOfR4 } from './translate-parameters';

/** Limit on chained maps, each of which names the next for unmapped codes. */
const MAX_MAPS = 10;

/** Characters of the cached maps; a parsed map takes about ten bytes for each. */
const MAX_CACHED_CHARACTERS = 2_000_000;

/** Parsed concept maps by their texts: equal texts are the same map, whichever version or database they come from. */
const parsedMaps = createCache<string, JsonObject>({
  ...{ name: 'concept-maps', scope: 'data', maxSize: MAX_CACHED_CHARACTERS },
  weigh: (_map, text) => text.length,
});

/** The elements of all maps in use, by their codes. */
const forward = new MapIndex(false);
const backward = new MapIndex(true);

export const conceptMapTranslate: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/ConceptMap-translate',
  takesOthers: true,
  async run(stored, given) {
    const environment = withRequestResources(stored, given.parameters);
    const parameters = withNamesOfR4(given.parameters);
    const input = { ...given, parameters };
    const codes = codesToTranslate(parameters);
    const options: TranslationOptions = {
      targetSystem: parameters.text('targetsystem'),
      isReverse: parameters.flag('reverse') === true,
      dependencies: dependenciesOf(parameters),
    };
    const target = await valueSetUrl(environment, parameters, 'target');
    const maps = await mapsFor(environment, input, codes, { target, isReverse: options.isReverse });
    const all: Translation[] = [];
    let isDependent = false;
    const further: FurtherMaps = new Map();
    for (const code of codes) {
      await turns.take();
      const translated = await translateBy(environment, { maps, further }, code, options);
      all.push(...translated.found);
      isDependent ||= translated.isDependent;
    }
    const { found, foreign } = await within(environment, target, all);
    const isTranslated = found.some(({ equivalence }) => !NOTHING.has(equivalence));
    const message = isTranslated ? undefined : (foreign ?? reasonOf(found, isDependent));
    return {
      parameters: [
        { name: 'result', valueBoolean: isTranslated },
        ...(message === undefined ? [] : [{ name: 'message', valueString: message }]),
        ...distinct(found.map(toMatch)),
      ],
    };
  },
};

/** Equivalences that state that there is no translation. */
const NOTHING: ReadonlySet<string> = new Set(['unmatched', 'disjoint']);

function reasonOf(found: readonly Translation[], isDependent: boolean): string {
  if (isDependent) return 'A translation depends on other elements; give them as parameters dependency';
  return found.length > 0
    ? 'The concept map states that there is no translation'
    : 'The concept maps have no translation of the code';
}

function codesToTranslate(parameters: InputParameters): readonly CodeToTranslate[] {
  return codesToValidate(parameters, { version: 'version' }).flatMap(({ system, version, code }) => {
    if (system !== undefined) return [{ system, version, code }];
    // A concept may have codings without a system; a single code without its system has no meaning.
    if (parameters.first('codeableConcept') !== undefined) return [];
    const reason = 'The system of the code is needed';
    throw fhirError('operationInputInvalid', { reason }, parameters.first('coding')?.expression);
  });
}

function dependenciesOf(parameters: InputParameters): readonly Dependency[] {
  return parameters.values.flatMap(({ name, parts }) => {
    const element = parts?.text('element');
    const concept = parts?.object('concept');
    return name === 'dependency' && element !== undefined && concept !== undefined
      ? [{ element, concept }]
      : [];
  });
}

/**
 * Returns the map that the input names, or all maps from the systems of the codes; only those for the given value
 * sets.
 */
async function mapsFor(
  environment: OperationEnvironment,
  input: OperationInput,
  codes: readonly CodeToTranslate[],
  { target, isReverse }: { readonly target: string | undefined; readonly isReverse: boolean },
): Promise<readonly JsonObject[]> {
  const { parameters, id } = input;
  const isNamed =
    id !== undefined || parameters.first('url') !== undefined || parameters.first('conceptMap') !== undefined;
  const maps = isNamed
    ? [
        await findNamed(
          environment,
          input,
          { type: 'ConceptMap', inline: 'conceptMap', version: 'conceptMapVersion' },
          parseMap,
        ),
      ]
    : await mapsFrom(environment, codes, isReverse);
  const source = await valueSetUrl(environment, parameters, 'source');
  const [from, to] = isReverse ? [target, source] : [source, target];
  return maps.filter((map) => isFor(map, 'source', from) && isFor(map, 'target', to));
}

async function mapsFrom(
  environment: OperationEnvironment,
  codes: readonly CodeToTranslate[],
  isReverse: boolean,
): Promise<readonly JsonObject[]> {
  const systems = [...new Set(codes.map(({ system }) => system))];
  const texts = await Promise.all(systems.map((system) => environment.findConceptMaps(system, isReverse)));
  const stored = await Promise.all([...new Set(texts.flat())].map(parseMap));
  const handed = systems.flatMap((system) => environment.requestMaps?.between(system, isReverse) ?? []);
  const hidden = new Set(handed.map((map) => stringMember(map, 'url')));
  const maps = [...new Set(handed), ...stored.filter((map) => !hidden.has(stringMember(map, 'url')))];
  if (maps.length > 0) return maps;
  const reason = `There is no concept map ${isReverse ? 'to' : 'from'} ${systems.join(', ') || 'a code without a system'}`;
  throw fhirError('notFoundInTerminology', { reason });
}

/**
 * Returns the translations to codes of the value set. Those of a map that is made for it are; a map without a value set translates to a
 * whole code system. `foreign`: why some are left out.
 */
async function within(
  environment: OperationEnvironment,
  valueSet: string | undefined,
  found: readonly Translation[],
): Promise<{ readonly found: readonly Translation[]; readonly foreign: string | undefined }> {
  if (valueSet === undefined) return { found, foreign: undefined };
  const source = terminologyOf(environment);
  const { url, version } = parseCanonical(valueSet);
  let composed: Promise<ComposedValueSet | undefined> | undefined;
  const compose = async (): Promise<ComposedValueSet | undefined> => {
    const resource = await source.findValueSet(url, version);
    return resource && composeValueSet(resource, source);
  };
  const inside: Translation[] = [];
  let foreign: string | undefined;
  for (const translation of found) {
    const { concept, valueSet: own } = translation;
    const [system, code] = ['system', 'code'].map((name) => concept && stringMember(concept, name));
    const isOwn = own !== undefined && isSameCanonical(own, valueSet);
    const target = isOwn || code === undefined ? undefined : await (composed ??= compose());
    if (isOwn || code === undefined) inside.push(translation);
    else if (target === undefined)
      foreign ??= `The value set ${valueSet} is not here, so that nothing is known of its codes`;
    else {
      await turns.take();
      const given = { system, version: undefined, code, display: undefined };
      const { result } = await validateInValueSet(target, given, { source, options: {} });
      if (result) inside.push(translation);
      else foreign ??= `The translations are not in the value set ${valueSet}`;
    }
  }
  return { found: inside, foreign };
}

/** A map without a value set applies to the whole code system. */
function isFor(map: JsonObject, side: 'source' | 'target', valueSet: string | undefined): boolean {
  const own = valueSetOf(map, side);
  return own === undefined || valueSet === undefined || isSameCanonical(own, valueSet);
}

/** Returns the url of a value set that is given by url, id or address. */
async function valueSetUrl(
  environment: OperationEnvironment,
  parameters: InputParameters,
  name: string,
): Promise<string | undefined> {
  const text = parameters.text(name);
  const id = text?.startsWith('ValueSet/') === true ? text.slice('ValueSet/'.length) : text;
  if (id === undefined || !isValidId(id)) return text;
  return stringMember(await parseInTurn((await environment.read('ValueSet', id)).text), 'url') ?? text;
}

/** Parses a stored map, or returns the one of the same text that was parsed before. */
async function parseMap(text: string): Promise<JsonObject> {
  // Entries of a batch ask at the same moment: the first of them parses.
  if (!parsedMaps.has(text)) await turns.take();
  let map = parsedMaps.get(text);
  if (map === undefined) parsedMaps.set(text, (map = parseStoredObject(text)));
  return map;
}

/** Maps that other maps name for what they have not, by their canonicals; undefined: it is not here. */
type FurtherMaps = Map<string, JsonObject | undefined>;

async function translateBy(
  environment: OperationEnvironment,
  { maps, further }: { readonly maps: readonly JsonObject[]; readonly further: FurtherMaps },
  code: CodeToTranslate,
  options: TranslationOptions,
): Promise<{ readonly found: readonly Translation[]; readonly isDependent: boolean }> {
  const found: Translation[] = [];
  let isDependent = false;
  const requested = new Set<string>();
  let waiting = [...maps];
  while (waiting.length > 0) {
    const next: string[] = [];
    for (const map of waiting) {
      const translated = translate(map, code, options, options.isReverse ? backward : forward);
      found.push(...translated.found);
      isDependent ||= translated.isDependent;
      next.push(...translated.elsewhere);
    }
    waiting = [];
    for (const canonical of next) {
      if (requested.has(canonical) || requested.size === MAX_MAPS) continue;
      requested.add(canonical);
      const conceptMap = await furtherMap(environment, further, canonical);
      if (conceptMap !== undefined) waiting.push(conceptMap);
    }
  }
  return { found, isDependent };
}

async function furtherMap(
  environment: OperationEnvironment,
  further: FurtherMaps,
  canonical: string,
): Promise<JsonObject | undefined> {
  if (further.has(canonical)) return further.get(canonical);
  const { url, version } = parseCanonical(canonical);
  let conceptMap = environment.requestMaps?.find(url, version);
  if (conceptMap === undefined) {
    const found = await environment.findCanonical('ConceptMap', url, version);
    conceptMap = found && (await parseMap(found.text));
  }
  further.set(canonical, conceptMap);
  return conceptMap;
}

function toMatch({ equivalence, concept, products, source }: Translation): JsonObject {
  return {
    name: 'match',
    part: [
      { name: 'equivalence', valueCode: equivalence },
      ...(concept === undefined ? [] : [{ name: 'concept', valueCoding: concept }]),
      ...products.map(({ element, concept: product }): JsonObject => ({
        name: 'product',
        part: [
          { name: 'element', valueUri: element },
          { name: 'concept', valueCoding: product },
        ],
      })),
      ...(source === undefined ? [] : [{ name: 'source', valueUri: source }]),
    ],
  };
}

function distinct(matches: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(matches.map((match) => [JSON.stringify(match), match])).values()];
}
