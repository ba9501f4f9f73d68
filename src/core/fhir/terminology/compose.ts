/**
 * A ValueSet prepared for expansion and for checks of single codes: imports resolved, code systems loaded, filters
 * compiled (https://hl7.org/fhir/R4/valueset.html#compositions). Later steps read nothing from the source.
 */
import { fhirError } from '../../errors';
import { type JsonObject } from '../json';
import { satisfiesVersion } from './business-version';
import { isFragment, type CodeSystem } from './code-system';
import { describeNotLoaded, describeNoValueSet } from './not-loaded';
import { type ConceptFilter, compileFilter } from './filters';
import { booleanMember, objectMember, objectsMember, stringMember, stringsMember } from './members';
import { type Canonical, parseCanonical, type TerminologySource, toCanonical } from './source';
import { withConcepts } from './stored-code-system';
import { readSupplements, supplementsOf, withSupplements } from './supplements';

/**
 * Versions of code systems to use, each a version or a pattern (`1.x`), from the parameters system-version, check-system-version,
 * force-system-version and exclude-system.
 */
export interface VersionRules {
  /** Those of the codes that are checked, where they exist. */
  readonly ofCodes: readonly Canonical[];
  /** Used if the value set specifies no version. */
  readonly defaults: readonly Canonical[];
  /** Must be the version in use. */
  readonly checked: readonly Canonical[];
  /** Used regardless of the value set. */
  readonly forced: readonly Canonical[];
  /** Excluded from the expansion. */
  readonly excluded: readonly Canonical[];
  /** Versions of imported value sets that are named without one (default-valueset-version). */
  readonly valueSets: readonly Canonical[];
  /** Supplements to use beside those that a value set requires (useSupplement). */
  readonly supplements: readonly Canonical[];
}

/** The version of a code system that a value set and a request ask for, apart from that of a code. */
export interface AskedVersion {
  /** That of the include, as it is written. */
  readonly named: string | undefined;
  /** That of the include, or that of the request in its place; it may be a pattern. */
  readonly wanted: string | undefined;
  /** What check-system-version asks for, where this is the only obstacle. */
  readonly violated: string | undefined;
}

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
  /** What $validate-code says of versions and of what is missing; undefined for stored expansions. */
  readonly asked?: AskedVersion;
  /** The canonical of the value set that does not exist, where this is the obstacle. */
  readonly missingValueSet?: string;
}

export interface ComposedValueSet {
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly includes: readonly Selection[];
  readonly excludes: readonly Selection[];
  /** True if `compose.inactive` is false. */
  readonly excludesInactive: boolean;
  /** True for one that another value set contains: its url, if it has one, names no resource that is stored. */
  readonly isContained?: true;
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
 * Prepares a value set. Throws `notSupported` if an import includes itself or a filter is not supported; `tooCostly` for more
 * than 1,000 imports. A value set that does not exist, a code system without content, and a checked version that differs are no
 * errors yet: see `Selection.obstacle`.
 */
export async function composeValueSet(
  resource: JsonObject,
  source: TerminologySource,
  rules: Partial<VersionRules> = {},
): Promise<ComposedValueSet> {
  const all = {
    ofCodes: [],
    defaults: [],
    checked: [],
    forced: [],
    excluded: [],
    valueSets: [],
    supplements: [],
    ...rules,
  };
  return compose(resource, { source, rules: all, done: new Map(), open: new Set() });
}

/** `holder`: the resource whose contained ones `#id` names. */
async function compose(
  resource: JsonObject,
  composition: Composition,
  holder = resource,
): Promise<ComposedValueSet> {
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
  const key = holder === resource ? keyOf(resource) : containedKey(holder, stringMember(resource, 'id'));
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
    const selection = await select(include, composition, holder);
    if (!isExcluded(excluded, selection.system, selection.version)) includes.push(selection);
  }
  const excludes: Selection[] = [];
  for (const exclude of objectsMember(definition, 'exclude'))
    excludes.push(await select(exclude, composition, holder));
  composition.open.delete(key);
  return {
    ...{ ...named, includes, excludes },
    excludesInactive: booleanMember(definition, 'inactive') === false,
    ...(holder === resource ? {} : { isContained: true }),
  };
}

const keyOf = (resource: JsonObject): string => {
  const url = stringMember(resource, 'url');
  return url === undefined ? '' : toCanonical(url, stringMember(resource, 'version'));
};
const containedKey = (holder: JsonObject, id = ''): string => `${keyOf(holder)}#${id}`;

async function select(include: JsonObject, composition: Composition, holder: JsonObject): Promise<Selection> {
  const imports: ComposedValueSet[] = [];
  for (const canonical of stringsMember(include, 'valueSet')) {
    imports.push(await findImport(canonical, composition, holder));
  }
  const system = stringMember(include, 'system');
  if (system === undefined) {
    return {
      ...NOTHING,
      imports,
      obstacle: imports.length === 0 ? 'An include names neither system nor value set' : undefined,
    };
  }
  const named = stringMember(include, 'version');
  const asked = askedVersion(system, named, composition.rules);
  const wanted = withVersionOfCode(system, { named, asked }, composition.rules);
  const supplements = await readSupplements(composition.source, [
    ...composition.rules.supplements,
    ...supplementsOf(holder),
  ]);
  const plain = await composition.source.findCodeSystem(system, wanted);
  const codeSystem = plain && withSupplements(plain, supplements.found);
  const version = codeSystem?.version ?? wanted;
  const concepts = objectsMember(include, 'concept');
  const listed = concepts.length === 0 ? undefined : toListed(concepts);
  const missing =
    supplements.missing ?? (listed === undefined ? describeNotLoaded(system, wanted, codeSystem) : undefined);
  const violated = missing === undefined ? violatedCheck(system, version, composition.rules) : undefined;
  const filters =
    codeSystem === undefined || missing !== undefined
      ? []
      : await withConcepts(composition.source.concepts, () =>
          objectsMember(include, 'filter').map((filter) => compileFilter(codeSystem, filter)),
        );
  return {
    system,
    version,
    isVersionNamed: wanted !== undefined,
    codeSystem,
    listed,
    filters,
    imports,
    obstacle: missing ?? (violated && describeOtherVersion(system, version, violated)),
    asked: { named, wanted: asked, violated },
  };
}

/** The version that check-system-version asks for, if another one is in use. */
function violatedCheck(
  system: string,
  version: string | undefined,
  { checked }: VersionRules,
): string | undefined {
  const other = checked.find(
    (rule) => rule.url === system && rule.version !== undefined && !satisfiesVersion(version, rule.version),
  );
  return other?.version;
}

function describeOtherVersion(system: string, version: string | undefined, violated: string): string {
  return `The version ${version ?? '(none)'} of the code system ${system} is in use, not ${violated}`;
}

/** A value set that cannot be found has no codes that are known: an obstacle says so. */
async function findImport(
  text: string,
  composition: Composition,
  holder: JsonObject,
): Promise<ComposedValueSet> {
  const isContained = text.startsWith('#');
  const key = isContained ? containedKey(holder, text.slice(1)) : text;
  const cached = composition.done.get(key);
  if (cached !== undefined) return cached;
  const resource = isContained
    ? objectsMember(holder, 'contained').find(
        (each) => each['resourceType'] === 'ValueSet' && `#${stringMember(each, 'id') ?? ''}` === text,
      )
    : await findByUrl(text, composition);
  const composed =
    resource === undefined
      ? toUnknown(isContained ? text : pinned(text, composition.rules))
      : await compose(resource, composition, isContained ? holder : resource);
  composition.done.set(key, composed);
  return composed;
}

async function findByUrl(text: string, { source, rules }: Composition): Promise<JsonObject | undefined> {
  const { url, version } = parseCanonical(pinned(text, rules));
  return source.findValueSet(url, version);
}

/** The canonical of an import, with the version of default-valueset-version if it has none. */
function pinned(text: string, { valueSets }: VersionRules): string {
  const { url, version } = parseCanonical(text);
  return toCanonical(url, version ?? valueSets.find((rule) => rule.url === url)?.version);
}

function toUnknown(text: string): ComposedValueSet {
  const obstacle = describeNoValueSet(text);
  const named = { url: undefined, version: undefined };
  return {
    ...named,
    includes: [{ ...NOTHING, obstacle, missingValueSet: text }],
    excludes: [],
    excludesInactive: false,
  };
}

/** What a value set and its imports use, as canonicals with the versions in use, each once. */
export interface UsedResources {
  readonly codeSystems: ReadonlySet<string>;
  /** Those of the code systems of which only some concepts are here. */
  readonly fragments: ReadonlySet<string>;
  readonly supplements: ReadonlySet<string>;
  /** Those that it imports, and not itself. */
  readonly valueSets: ReadonlySet<string>;
}

/** Returns what a value set uses. Cost: each import is visited once. */
export function usedResources(valueSet: ComposedValueSet): UsedResources {
  const codeSystems = new Set<string>();
  const fragments = new Set<string>();
  const supplements = new Set<string>();
  const valueSets = new Set<string>();
  const seen = new Set<ComposedValueSet>();
  const addFrom = (composed: ComposedValueSet): void => {
    if (seen.has(composed)) return;
    seen.add(composed);
    for (const { codeSystem, imports } of [...composed.includes, ...composed.excludes]) {
      if (codeSystem !== undefined) {
        const canonical = toCanonical(codeSystem.url, codeSystem.version);
        codeSystems.add(canonical);
        if (isFragment(codeSystem)) fragments.add(canonical);
        codeSystem.supplements?.forEach((each) => supplements.add(each));
      }
      for (const each of imports) {
        if (each.url !== undefined && each.isContained !== true)
          valueSets.add(toCanonical(each.url, each.version));
        addFrom(each);
      }
    }
  };
  addFrom(valueSet);
  return { codeSystems, fragments, supplements, valueSets };
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

const versionIn = (list: readonly Canonical[], system: string): string | undefined =>
  list.find((rule) => rule.url === system)?.version;

/** The version of a system: the forced one, or that of the value set, or else a default. */
function askedVersion(system: string, named: string | undefined, rules: VersionRules): string | undefined {
  const { forced, defaults, checked } = rules;
  return versionIn(forced, system) ?? named ?? versionIn(defaults, system) ?? versionIn(checked, system);
}

/**
 * The version of a code that is checked is taken where the value set names none and none is forced, and where it fits a pattern that
 * one of them is.
 */
function withVersionOfCode(
  system: string,
  { named, asked }: { readonly named: string | undefined; readonly asked: string | undefined },
  rules: VersionRules,
): string | undefined {
  const ofCode = versionIn(rules.ofCodes, system);
  if (ofCode === undefined) return asked;
  const pin = versionIn(rules.forced, system) ?? named;
  return pin === undefined || satisfiesVersion(ofCode, pin) ? ofCode : asked;
}

function isExcluded(
  excluded: readonly Canonical[],
  system: string | undefined,
  version: string | undefined,
): boolean {
  return excluded.some(
    (rule) => rule.url === system && (rule.version === undefined || satisfiesVersion(version, rule.version)),
  );
}
