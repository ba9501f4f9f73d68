/**
 * ValueSet.expansion (https://hl7.org/fhir/R4/valueset.html#expansion). Codes of a hierarchical code system are nested
 * under their nearest ancestor in the expansion; codes that the value set enumerates stay in its order.
 */
import { fhirError } from '../../errors';
import { type JsonObject, type JsonValue } from '../json';
import { type CodeSystem, findAbove, isFragment } from './code-system';
import { type ComposedValueSet, usedResources } from './compose';
import { designationsBeside, designationsOf, type DesignationToken, displayOf, isWanted } from './display';
import { declaredProperties, propertiesOf } from './expansion-properties';
import { type ConceptCriteria, type ConceptRow, type ConceptStorage, wordsOf } from './concept-set';
import { withConcepts } from './stored-code-system';
import { objectsMember, stringMember } from './members';
import {
  isAbstract,
  isInactive,
  listMembers,
  type Member,
  type TurnTaking,
  ValueSetEvaluation,
} from './membership';
import { toCanonical } from './source';

export interface ExpansionOptions {
  /** Every word must be in the code, the display or a designation, in any case. */
  readonly filter?: string;
  readonly offset?: number;
  readonly count?: number;
  readonly includeDesignations?: boolean;
  /** Designations to include; all if empty. */
  readonly designations?: readonly DesignationToken[];
  /** Codes of the properties to include. */
  readonly properties?: readonly string[];
  readonly displayLanguage?: string;
  readonly activeOnly?: boolean;
  /** Undefined: nested, unless a page is requested. */
  readonly excludeNested?: boolean;
  /** Omits abstract concepts. */
  readonly excludeNotForUI?: boolean;
  /** Maximum number of codes in one answer. */
  readonly maxCodes: number;
  readonly identifier: string;
  /** FHIR dateTime. */
  readonly timestamp: string;
  /** Undefined: it works in one turn. */
  readonly turns?: TurnTaking;
  /** The concepts of large code systems. */
  readonly storage?: ConceptStorage | undefined;
  /** Parameters to repeat in `expansion.parameter`. */
  readonly parameters: readonly JsonObject[];
}

interface Branch {
  readonly member: Member;
  readonly branches: Branch[];
}

/**
 * Returns the `expansion` element. A page is cut from the flat list. A nested answer is complete, as the specification
 * of $expand requires, so that a requested page is flat unless `excludeNested` is false.
 *
 * Throws `notSupported` for a code system without content, `tooCostly` above `maxCodes`. Cost: linear in the codes
 * examined, at most a million, in turns.
 */
export async function expandValueSet(
  valueSet: ComposedValueSet,
  options: ExpansionOptions,
): Promise<JsonObject> {
  const { turns, storage } = options;
  const stored = storage === undefined ? undefined : await pageOfStored(valueSet, storage, options);
  if (stored !== undefined) return stored;
  const evaluation = new ValueSetEvaluation({ turns, storage });
  const all = await listMembers(valueSet, evaluation);
  const words = options.filter?.toLowerCase().split(/\s+/) ?? [];
  const selected: Member[] = [];
  for (const member of all) {
    if (evaluation.needsYield) await evaluation.yield();
    if (isSelected(member, words, options)) selected.push(member);
  }
  const isPaged = options.offset !== undefined || options.count !== undefined;
  const mayNest = options.excludeNested === undefined ? !isPaged : !options.excludeNested;
  const tree = mayNest ? await nest(selected, evaluation) : undefined;
  const offset = options.offset ?? 0;
  const end = options.count === undefined ? undefined : offset + options.count;
  const branches = tree ?? selected.slice(offset, end).map((member) => ({ member, branches: [] }));
  const size = tree === undefined ? branches.length : selected.length;
  if (size > options.maxCodes) throw tooManyCodes(selected.length, options.maxCodes);
  const contains: JsonObject[] = [];
  for (const branch of options.count === 0 ? [] : branches) {
    if (evaluation.needsYield) await evaluation.yield();
    contains.push(toContains(branch, options));
  }
  const codeSystems = new Set(all.flatMap(({ codeSystem }) => codeSystem ?? []));
  const of = { isUnclosed: isUnclosed(all), total: selected.length, contains, codeSystems };
  return toExpansion(of, isPaged && tree === undefined, toParameters(valueSet, all, options), options);
}

/** @param of the total is undefined where it is not known */
function toExpansion(
  of: {
    readonly isUnclosed: boolean;
    readonly total: number | undefined;
    readonly contains: JsonObject[];
    readonly codeSystems: ReadonlySet<CodeSystem>;
  },
  hasOffset: boolean,
  parameters: { parameter?: JsonObject[] },
  { identifier, timestamp, offset = 0, properties = [] }: ExpansionOptions,
): JsonObject {
  const extension = [
    ...(of.isUnclosed ? [{ url: UNCLOSED, valueBoolean: true }] : []),
    ...declaredProperties(of.codeSystems, properties),
  ];
  return {
    ...(extension.length === 0 ? {} : { extension }),
    ...{ identifier, timestamp },
    ...(of.total === undefined ? {} : { total: of.total }),
    ...(hasOffset ? { offset } : {}),
    ...parameters,
    ...(of.contains.length === 0 ? {} : { contains: of.contains }),
  };
}

/** Concepts that are found to cut a page from them; beyond, the total is not known. */
const MAX_FOUND = 20_000;
/** A key that more concepts have is looked for in their order: a page of them is soon full. */
const MANY = 5_000;

/**
 * Returns the expansion of a value set that is a part of one large code system, as far as indexes find it; undefined for any other. It
 * is flat. Cost: two or three statements, and the concepts of the page.
 */
async function pageOfStored(
  valueSet: ComposedValueSet,
  storage: ConceptStorage,
  options: ExpansionOptions,
): Promise<JsonObject | undefined> {
  const [include, ...others] = valueSet.includes;
  const codeSystem = include?.codeSystem;
  if (include === undefined || codeSystem?.stored === undefined || others.length > 0) return undefined;
  const { filters, imports, listed, obstacle, system = '', version } = include;
  const found = filters.flatMap((filter) => filter.found ?? []);
  const isWhole = found.length === filters.length && imports.length === 0 && listed === undefined;
  if (!isWhole || obstacle !== undefined || valueSet.excludes.length > 0) return undefined;
  const { set, conceptOf } = codeSystem.stored;
  const keys = found.flatMap(({ key }) => (key === 'top' ? [] : key));
  const isTop = keys.length < found.length;
  const isActive = options.activeOnly === true || valueSet.excludesInactive;
  const criteria: ConceptCriteria = {
    keys,
    words: [...wordsOf(options.filter === undefined ? [] : [options.filter])],
    ...{ isActive, isSelectable: options.excludeNotForUI === true, isTop },
  };
  // Words and other keys are looked for in an index, which does not know the concepts without parents.
  if (isTop && (criteria.words.length > 0 || found.length > 1 || set.concepts <= MAX_FOUND)) return undefined;
  const { offset = 0, count = options.maxCodes + 1 } = options;
  const isPlain = !isActive && criteria.isSelectable !== true;
  const most =
    criteria.words.length === 0 && found.length < 2
      ? found.length === 0
        ? set.concepts
        : found[0]?.count
      : undefined;
  const excepted = found.flatMap(({ except }) => except ?? []);
  let total: number | undefined;
  let rows: readonly ConceptRow[];
  const isScanned = most !== undefined && most > (isPlain ? MANY : MAX_FOUND) && excepted.length === 0;
  if (isTop) {
    const first = await storage.scanConcepts(set.number, criteria, { after: 0, limit: offset + count });
    total = first.length < offset + count ? first.length : undefined;
    rows = first.slice(offset);
  } else if (isScanned && (isPlain || count > 0)) {
    total = isPlain ? most : undefined;
    // Without a key, the numbers of the set are its places.
    const isByPlace = isPlain && found.length === 0;
    const range = isByPlace ? { after: offset, limit: count } : { after: 0, offset, limit: count };
    rows = await storage.scanConcepts(set.number, criteria, range);
  } else {
    const limit = Math.max(MAX_FOUND, offset + count);
    const numbers = await storage.findConcepts(set.number, criteria, limit + 1);
    const ownNumbers = new Set(
      (
        await storage.readConcepts(
          set.number,
          excepted.map(({ code }) => codeSystem.stored?.fold(code) ?? code),
        )
      ).map(({ number }) => number),
    );
    const kept = numbers.filter((number) => !ownNumbers.has(number));
    total = numbers.length > limit ? undefined : kept.length;
    rows = await storage.listConcepts(set.number, kept.slice(offset, offset + count));
  }
  if (rows.length > options.maxCodes) throw tooManyCodes(total, options.maxCodes);
  const { contains, parameters } = await withConcepts(
    storage,
    () => {
      const members = rows.map((row): Member => {
        const concept = conceptOf(row);
        return { system, version, code: concept.code, codeSystem, concept, listed: undefined };
      });
      return {
        contains: members.map((member) => toContains({ member, branches: [] }, options)),
        parameters: toParameters(valueSet, members, options),
      };
    },
    { set: set.number, rows },
  );
  const isPaged = options.offset !== undefined || options.count !== undefined;
  const codeSystems = new Set([codeSystem]);
  const of = { isUnclosed: isFragment(codeSystem), total, contains, codeSystems };
  return toExpansion(of, isPaged, parameters, options);
}

function tooManyCodes(found: number | undefined, limit: number): Error {
  const reason = `The expansion has ${found ?? 'too many'} codes; at most ${limit} are returned at once: use count, offset or filter`;
  return fhirError('tooCostly', { reason });
}

const UNCLOSED = 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed';

function isSelected(member: Member, words: readonly string[], options: ExpansionOptions): boolean {
  if (options.activeOnly === true && isInactive(member)) return false;
  if (options.excludeNotForUI === true && isAbstract(member)) return false;
  if (words.length === 0) return true;
  const texts = [
    ...[member.code, displayOf(member), displayOf(member, options.displayLanguage)],
    ...designationsOf(member).map((designation) => stringMember(designation, 'value')),
  ];
  const text = texts.join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** True if some codes may be missing, because a whole code system is included of which only a part is stored. */
function isUnclosed(members: readonly Member[]): boolean {
  return members.some((member) => {
    const content = member.codeSystem?.content;
    return member.listed === undefined && (content === 'fragment' || content === 'example');
  });
}

/** Returns the members as a forest; undefined if none is below another. */
async function nest(
  members: readonly Member[],
  evaluation: ValueSetEvaluation,
): Promise<Branch[] | undefined> {
  const bySystem = new Map<CodeSystem, Map<string, Branch>>();
  const branches = members.map((member) => ({ member, branches: [] as Branch[] }));
  for (const branch of branches) {
    const { concept, listed, codeSystem } = branch.member;
    if (concept === undefined || listed !== undefined || codeSystem?.isHierarchical !== true) continue;
    if (codeSystem.stored !== undefined) continue;
    const ofSystem = bySystem.get(codeSystem) ?? new Map<string, Branch>();
    bySystem.set(codeSystem, ofSystem.set(concept.code, branch));
  }
  const above = new Map<Branch, Branch>();
  for (const byCode of bySystem.values()) {
    for (const [code, branch] of byCode) {
      if (evaluation.needsYield) await evaluation.yield();
      const { concept } = branch.member;
      const found = concept && findAbove(concept, (other) => other.code !== code && byCode.has(other.code));
      const parent = found && byCode.get(found.code);
      if (parent !== undefined && !leadsTo(parent, branch, above)) above.set(branch, parent);
    }
  }
  for (const [branch, parent] of above) parent.branches.push(branch);
  return above.size === 0 ? undefined : branches.filter((branch) => !above.has(branch));
}

/** Detects concepts that are each other's parents, which would otherwise all be missing from the forest. */
function leadsTo(from: Branch, to: Branch, above: ReadonlyMap<Branch, Branch>): boolean {
  for (let branch: Branch | undefined = from; branch !== undefined; branch = above.get(branch)) {
    if (branch === to) return true;
  }
  return false;
}

function toContains({ member, branches }: Branch, options: ExpansionOptions): JsonObject {
  const display = displayOf(member, options.displayLanguage);
  const extension = [...extensionsOf(member), ...propertiesOf(member, options.properties ?? [])];
  const showsDesignations = options.includeDesignations ?? (options.designations ?? []).length > 0;
  const designation = showsDesignations
    ? designationsBeside(member, display).filter((candidate) =>
        isWanted(candidate, options.designations ?? []),
      )
    : [];
  return {
    ...(extension.length === 0 ? {} : { extension }),
    system: member.system,
    ...(isAbstract(member) ? { abstract: true } : {}),
    ...(isInactive(member) ? { inactive: true } : {}),
    ...(member.version === undefined ? {} : { version: member.version }),
    code: member.code,
    ...(display === undefined ? {} : { display }),
    ...(designation.length === 0 ? {} : { designation: [...designation] }),
    ...(branches.length === 0 ? {} : { contains: branches.map((branch) => toContains(branch, options)) }),
  };
}

/** Returns the extensions of the concept in the code system and in the value set; the latter wins if both have one. */
function extensionsOf(member: Member): JsonValue[] {
  const own = member.concept === undefined ? [] : objectsMember(member.concept.element, 'extension');
  const listed = member.listed === undefined ? [] : objectsMember(member.listed, 'extension');
  if (own.length === 0 || listed.length === 0) return [...own, ...listed];
  const urls = new Set(listed.map((extension) => stringMember(extension, 'url')));
  return [...own.filter((extension) => !urls.has(stringMember(extension, 'url'))), ...listed];
}

/** A version may have blanks, and a uri may not. */
const canonicalParameter = (name: string, canonical: string): JsonObject => ({
  name,
  [/\s/.test(canonical) ? 'valueString' : 'valueUri']: canonical,
});

const toUsed = (name: string, canonicals: Iterable<string>): readonly JsonObject[] =>
  [...canonicals].map((canonical) => canonicalParameter(name, canonical));

/**
 * Returns the parameters of the request, the versions of the code systems (R4), the code systems themselves (R5), and what else HL7's
 * terminology ecosystem wants to know of an expansion.
 */
function toParameters(
  valueSet: ComposedValueSet,
  members: readonly Member[],
  options: ExpansionOptions,
): { parameter?: JsonObject[] } {
  const { codeSystems, fragments, supplements, valueSets } = usedResources(valueSet);
  const versions = new Set([...codeSystems].filter((canonical) => canonical.includes('|')));
  for (const { system, version } of members) {
    if (version !== undefined) versions.add(toCanonical(system, version));
  }
  const parameter = [
    ...options.parameters,
    ...toUsed('used-codesystem', codeSystems),
    ...toUsed('used-valueset', valueSets),
    ...toUsed('used-supplement', supplements),
    ...toUsed('used-fragment', fragments),
    ...toUsed('version', versions),
  ];
  return parameter.length === 0 ? {} : { parameter };
}
