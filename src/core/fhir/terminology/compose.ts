/**
 * A ValueSet prepared for expansion and for checks of single codes: imports resolved, code systems loaded, filters
 * compiled (https://hl7.org/fhir/R4/valueset.html#compositions). Later steps read nothing from the source.
 */
import { fhirError } from '../../errors';
import { type JsonObject } from '../json';
import { type CodeSystem } from './code-system';
import { describeNotLoaded } from './not-loaded';
import { type ConceptFilter, compileFilter } from './filters';
import { booleanMember, objectMember, objectsMember, stringMember, stringsMember } from './members';
import { type Canonical, parseCanonical, type TerminologySource, toCanonical } from './source';

/**
 * Versions of code systems to use, from the parameters system-version, check-system-version, force-system-version and
 * exclude-system of $expand.
 */
export interface VersionRules {
  /** Used if the value set specifies no version. */
  readonly defaults: readonly Canonical[];
  /** Must be the version in use. */
  readonly checked: readonly Canonical[];
  /** Used regardless of the value set. */
  readonly forced: readonly Canonical[];
  /** Excluded from the expansion. */
  readonly excluded: readonly Canonical[];
}

export const NO_VERSION_RULES: VersionRules = { defaults: [], checked: [], forced: [], excluded: [] };

/** One include or exclude: the codes of a system that pass all filters and are in all imports. */
export interface Selection {
  /** Undefined if it has value sets only. */
  readonly system: string | undefined;
  /** The version in use: that of the code system if it was found, else the requested one. */
  readonly version: string | undefined;
  /** True if the value set or the request specifies the version. */
  readonly isVersionNamed: boolean;
  readonly codeSystem: CodeSystem | undefined;
  /** The enumerated concepts by code; undefined for the whole system or filters. */
  readonly listed: ReadonlyMap<string, JsonObject> | undefined;
  readonly filters: readonly ConceptFilter[];
  readonly imports: readonly ComposedValueSet[];
  /** Reason why the selection cannot be evaluated; undefined if it can. */
  readonly obstacle: string | undefined;
}

export interface ComposedValueSet {
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly includes: readonly Selection[];
  readonly excludes: readonly Selection[];
  /** True if `compose.inactive` is false. */
  readonly excludesInactive: boolean;
}

/** Maximum number of value sets in one expansion. */
const MAX_VALUE_SETS = 1_000;
const MAX_DEPTH = 50;

interface Composition {
  readonly source: TerminologySource;
  readonly rules: VersionRules;
  readonly done: Map<string, ComposedValueSet>;
  readonly open: Set<string>;
}

/**
 * Prepares a value set. Throws `notSupported` if an import does not exist or includes itself, if a filter is not
 * supported or a checked version differs; `tooCostly` for more than 1,000 imports. A code system without content is not
 * an error yet: see `Selection.obstacle`.
 */
export async function composeValueSet(
  resource: JsonObject,
  source: TerminologySource,
  rules: VersionRules = NO_VERSION_RULES,
): Promise<ComposedValueSet> {
  return compose(resource, { source, rules, done: new Map(), open: new Set() });
}

async function compose(resource: JsonObject, composition: Composition): Promise<ComposedValueSet> {
  const url = stringMember(resource, 'url');
  const version = stringMember(resource, 'version');
  const definition = objectMember(resource, 'compose');
  const named = { url, version };
  if (definition === undefined) {
    const expansion = objectMember(resource, 'expansion');
    if (expansion === undefined) {
      const reason = `The value set ${url ?? 'given'} has neither a compose nor an expansion`;
      throw fhirError('notSupported', { reason });
    }
    return { ...named, includes: toSelections(expansion), excludes: [], excludesInactive: false };
  }
  const key = url === undefined ? '' : toCanonical(url, version);
  if (composition.open.has(key)) {
    throw fhirError('notSupported', { reason: `The value set ${key} includes itself` });
  }
  if (composition.open.size >= MAX_DEPTH || composition.done.size >= MAX_VALUE_SETS) {
    throw fhirError('tooCostly', {
      reason: `The value set includes more than ${MAX_VALUE_SETS} others, or too deeply`,
    });
  }
  if (key !== '') composition.open.add(key);
  const includes: Selection[] = [];
  for (const include of objectsMember(definition, 'include')) {
    const { excluded } = composition.rules;
    if (isExcluded(excluded, stringMember(include, 'system'), undefined)) continue;
    const selection = await select(include, composition);
    if (!isExcluded(excluded, selection.system, selection.version)) includes.push(selection);
  }
  const excludes: Selection[] = [];
  for (const exclude of objectsMember(definition, 'exclude'))
    excludes.push(await select(exclude, composition));
  composition.open.delete(key);
  return { ...named, includes, excludes, excludesInactive: booleanMember(definition, 'inactive') === false };
}

async function select(include: JsonObject, composition: Composition): Promise<Selection> {
  const imports: ComposedValueSet[] = [];
  for (const canonical of stringsMember(include, 'valueSet')) {
    imports.push(await findImport(canonical, composition));
  }
  const system = stringMember(include, 'system');
  if (system === undefined) {
    return {
      ...NOTHING,
      imports,
      obstacle: imports.length === 0 ? 'An include names neither system nor value set' : undefined,
    };
  }
  const wanted = wantedVersion(system, stringMember(include, 'version'), composition.rules);
  const codeSystem = await composition.source.findCodeSystem(system, wanted);
  const version = codeSystem?.version ?? wanted;
  for (const rule of composition.rules.checked) {
    if (rule.url === system && rule.version !== undefined && rule.version !== version) {
      const reason = `The version ${version ?? '(none)'} of the code system ${system} is in use, not ${rule.version}`;
      throw fhirError('notSupported', { reason });
    }
  }
  const concepts = objectsMember(include, 'concept');
  const listed = concepts.length === 0 ? undefined : toListed(concepts);
  const obstacle = listed === undefined ? describeNotLoaded(system, wanted, codeSystem) : undefined;
  const filters =
    codeSystem === undefined || obstacle !== undefined
      ? []
      : objectsMember(include, 'filter').map((filter) => compileFilter(codeSystem, filter));
  return {
    system,
    version,
    isVersionNamed: wanted !== undefined,
    codeSystem,
    listed,
    filters,
    imports,
    obstacle,
  };
}

async function findImport(text: string, composition: Composition): Promise<ComposedValueSet> {
  const cached = composition.done.get(text);
  if (cached !== undefined) return cached;
  const { url, version } = parseCanonical(text);
  const resource = await composition.source.findValueSet(url, version);
  if (resource === undefined) {
    throw fhirError('notSupported', {
      reason: `The included value set ${text} does not exist`,
    });
  }
  const composed = await compose(resource, composition);
  composition.done.set(text, composed);
  return composed;
}

/** Converts a stored expansion into enumerated concepts, one selection for each run of codes of the same system. */
function toSelections(expansion: JsonObject): readonly Selection[] {
  const selections: Selection[] = [];
  let listed = new Map<string, JsonObject>();
  const addAll = (elements: readonly JsonObject[]): void => {
    for (const element of elements) {
      const system = stringMember(element, 'system');
      const code = stringMember(element, 'code');
      const version = stringMember(element, 'version');
      if (code !== undefined && system !== undefined) {
        const last = selections.at(-1);
        if (last?.system !== system || last.version !== version) {
          listed = new Map();
          selections.push({ ...NOTHING, system, version, isVersionNamed: version !== undefined, listed });
        }
        listed.set(code, element);
      }
      addAll(objectsMember(element, 'contains'));
    }
  };
  addAll(objectsMember(expansion, 'contains'));
  return selections;
}

const NOTHING: Selection = {
  system: undefined,
  version: undefined,
  isVersionNamed: false,
  codeSystem: undefined,
  listed: undefined,
  filters: [],
  imports: [],
  obstacle: undefined,
};

function toListed(concepts: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const listed = new Map<string, JsonObject>();
  for (const concept of concepts) {
    const code = stringMember(concept, 'code');
    if (code !== undefined) listed.set(code, concept);
  }
  return listed;
}

function wantedVersion(system: string, named: string | undefined, rules: VersionRules): string | undefined {
  const versionIn = (list: readonly Canonical[]): string | undefined =>
    list.find((rule) => rule.url === system)?.version;
  return versionIn(rules.forced) ?? named ?? versionIn(rules.defaults);
}

function isExcluded(
  excluded: readonly Canonical[],
  system: string | undefined,
  version: string | undefined,
): boolean {
  return excluded.some(
    (rule) => rule.url === system && (rule.version === undefined || rule.version === version),
  );
}
