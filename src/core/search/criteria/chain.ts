/** Criteria on resources that the searched ones refer to, or that refer to them (search.html#chaining, #has). */
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import { FhirError, fhirError } from '../../errors';
import { allowedCanonicalTypes, isCanonicalValued } from '../parameters/canonical-targets';
import { isEmbedded, storedParameters, type StoredParameter } from '../parameters/parameter';
import type { Criterion, Predicate, TypeCriteria } from '../predicate';
import { allowedTypes } from '../types/reference-targets';
import type { SearchTypeContext } from '../types/search-type';
import { unmetInside } from './embedded';
import type { SearchName } from '../../../../packages/fhir-values/search-name';

const MAX_DEPTH = 10;
/** Limit on the types of a chain without type names, multiplied over its links. */
const MAX_PATHS = 100;
/** Limit on the types that are tried for the rest of the chain. */
const MAX_TRIED = 3_000;

/** Depth of a parameter in a chain, with the counts of the types that the chain branches into. */
export class Nesting {
  private constructor(
    private readonly depth: number,
    private readonly paths: { count: number; tried: number },
  ) {}

  static outside(): Nesting {
    return new Nesting(0, { count: 0, tried: 0 });
  }

  /**
   * Returns the nesting one link deeper. Throws tooCostly where the chain is too long or may lead to too many types.
   */
  inside(name: string): Nesting {
    if (this.depth >= MAX_DEPTH)
      throw fhirError('tooCostly', { reason: `A chain may have at most ${MAX_DEPTH} links` });
    if (++this.paths.tried > MAX_TRIED) throw tooWide(name);
    return new Nesting(this.depth + 1, this.paths);
  }

  /** Counts a type at an end of the chain. Throws tooCostly where there are too many. */
  take(name: string): void {
    if (++this.paths.count > MAX_PATHS) throw tooWide(name);
  }
}

function tooWide(name: string): Error {
  const reason = `The chain '${name.slice(0, 80)}' can refer to too many resource types; name them, as in subject:Patient.name`;
  return fhirError('tooCostly', { reason });
}

/** A parameter on resources of `type` as written, and its position in chains. */
export interface NestedParameter {
  readonly type: string;
  /** With its modifier, a chain or `_has`. */
  readonly name: string;
  readonly value: string;
  readonly nesting: Nesting;
}

/** Parses the rest of a name for another type; undefined: that type has no such parameter. */
export type ParseInner = (parameter: NestedParameter) => Criterion | undefined;

/**
 * Parses `reference.parameter` and `reference:Type.parameter`, where the rest of the name may be a chain again. Without
 * a type the chain stands for every possible type of the reference that has the parameter.
 * Undefined: no such parameter.
 */
export function parseChain(
  context: SearchTypeContext,
  { type, name, value, nesting }: NestedParameter,
  { code, target: targetType, rest }: Extract<SearchName, { kind: 'chain' }>,
  parse: ParseInner,
): Criterion | undefined {
  return chainCriterion(context, {
    type,
    chainLink: { code, type: targetType, name },
    nesting,
    criteriaOf: (target, inside) => {
      const inner = parse({ type: target, name: rest, value, nesting: inside });
      return inner && [inner];
    },
  });
}

/** One link of a chain: a reference parameter, the required target type if one is named, and the chain as written. */
export interface ChainLink {
  readonly code: string;
  readonly type: string | undefined;
  readonly name: string;
}

/**
 * Returns the criterion of a link to resources that meet criteria. `criteriaOf` gives them for each type; undefined:
 * that type has no such parameter. Undefined: there is no such reference parameter, or no type has the parameter.
 */
export function chainCriterion(
  context: SearchTypeContext,
  {
    type,
    chainLink: { code, type: targetType, name },
    nesting,
    criteriaOf,
  }: {
    readonly type: string;
    readonly chainLink: ChainLink;
    readonly nesting: Nesting;
    readonly criteriaOf: (target: string, inside: Nesting) => readonly Criterion[] | undefined;
  },
): Criterion | undefined {
  const stored = storedParameters(context.definitions, type).get(code);
  if (stored?.parameter.kind !== 'reference') return undefined;
  const { referred, canonicals } = targetTypes(context, stored);
  const allowed = [...new Set([...referred, ...canonicals])];
  if (targetType !== undefined && !allowed.includes(targetType)) {
    const explanation = `; in a chain it is the type of a resource: ${allowed.join(', ')}`;
    throw fhirError('unsupportedModifier', {
      modifier: targetType.slice(0, 80),
      parameter: code,
      explanation,
    });
  }
  const isInside = isEmbedded(context.definitions, stored);
  const anyOf: Predicate[] = [];
  const refusals: FhirError[] = [];
  let hasTarget = false;
  for (const target of targetType === undefined ? allowed : [targetType]) {
    const parameters = rowsTowards(stored, target);
    if (parameters.length === 0) continue;
    const urls = canonicals.includes(target) ? urlRows(context, target) : [];
    try {
      const inner = criteriaOf(target, nesting.inside(name));
      if (inner === undefined) continue;
      const unmet = isInside ? unmetInside(context.definitions, target, inner) : undefined;
      if (unmet !== undefined) {
        const explanation = `; no ${code} has it, because it is inside the ${type}`;
        throw fhirError('unknownParameter', {
          parameter: `${code}.${unmet.slice(0, 80)}`,
          type,
          explanation,
        });
      }
      const criteria = typeCriteria(context, target, inner);
      hasTarget = true;
      if (!inner.some(isLink)) nesting.take(name);
      if (referred.includes(target))
        anyOf.push({
          index: 'target',
          parameters,
          target: criteria,
          ...(isInside ? { part: 'entries' } : {}),
        });
      if (urls.length > 0) anyOf.push({ index: 'target', parameters, urls, target: criteria });
    } catch (error) {
      // Another type may accept what one type rejects.
      if (!(error instanceof FhirError) || error.key === 'tooCostly') throw error;
      refusals.push(error);
    }
  }
  const refusal = refusals.find(({ key }) => key !== 'unknownParameter') ?? refusals[0];
  if (!hasTarget && refusal !== undefined) throw refusal;
  return hasTarget ? { name, anyOf } : undefined;
}

/** Parses `_has:Type:reference:parameter`, where the rest of the name may be a chain or `_has` again. */
export function parseHas(
  context: SearchTypeContext,
  { type, name, value, nesting }: NestedParameter,
  { source, code, rest }: Extract<SearchName, { kind: 'has' }>,
  parse: ParseInner,
): Criterion | undefined {
  const link = { source, code, name, value };
  if (rest === undefined) throw refusedHas(link, 'it is written _has:Type:reference:parameter=value');
  return hasCriterion(context, {
    type,
    link,
    nesting,
    criteriaOf: (from, inside) => {
      const inner = parse({ type: from, name: rest, value, nesting: inside });
      return inner && [inner];
    },
  });
}

/** A reverse link: resources of the type `source` refer by their parameter `code`; `name` and `value` as written. */
export interface HasLink {
  readonly source: string;
  readonly code: string;
  readonly name: string;
  readonly value: string;
}

function refusedHas({ name, value }: HasLink, reason: string): Error {
  const shown = { parameter: name.slice(0, 80), value: value.slice(0, 80) };
  return fhirError('invalidParameterValue', { ...shown, reason });
}

/**
 * Returns the criterion that a resource which meets all inner criteria refers to it. Undefined: `source` has no such
 * inner parameter. Throws invalidParameterValue where no reference parameter `code` of `source` can refer to the type.
 */
export function hasCriterion(
  context: SearchTypeContext,
  {
    type,
    link,
    nesting,
    criteriaOf,
  }: {
    readonly type: string;
    readonly link: HasLink;
    readonly nesting: Nesting;
    readonly criteriaOf: (source: string, inside: Nesting) => readonly Criterion[] | undefined;
  },
): Criterion | undefined {
  const { source, code, name } = link;
  const { definitions } = context;
  if (!definitions.isResourceType(source))
    throw refusedHas(
      link,
      `'${source.slice(0, 40)}' is not a resource type${didYouMean(source, definitions.resourceTypes)}`,
    );
  const all = storedParameters(definitions, source);
  const stored = all.get(code);
  const parameters = stored?.parameter.kind === 'reference' ? rowsTowards(stored, type) : [];
  const { referred, canonicals } = stored === undefined ? NO_TARGETS : targetTypes(context, stored);
  if (parameters.length === 0 || !(referred.includes(type) || canonicals.includes(type))) {
    const hint = stored === undefined ? didYouMean(code, all.keys()) : '';
    const reason = `${source} has no reference parameter '${code.slice(0, 40)}' that can refer to ${type}${hint}`;
    throw refusedHas(link, reason);
  }
  const inner = criteriaOf(source, nesting.inside(name));
  if (inner === undefined) return undefined;
  const criteria = typeCriteria(context, source, inner);
  const urls = canonicals.includes(type) ? urlRows(context, type) : [];
  const anyOf: Predicate[] = [];
  if (referred.includes(type)) anyOf.push({ index: 'source', parameters, source: criteria });
  if (urls.length > 0) anyOf.push({ index: 'source', parameters, urls, source: criteria });
  return { name, anyOf };
}

/** True where the definition of the parameter allows resources of `type`, but its expression never refers to them. */
export function neverRefers(context: SearchTypeContext, source: string, code: string, type: string): boolean {
  const stored = storedParameters(context.definitions, source).get(code);
  return (
    stored?.parameter.kind === 'reference' &&
    stored.parameter.targets.includes(type) &&
    rowsTowards(stored, type).length === 0
  );
}

function isLink({ anyOf }: Criterion): boolean {
  return anyOf.some(({ index }) => index === 'target' || index === 'source');
}

interface TargetTypes {
  /** Types that a literal reference may refer to. */
  readonly referred: readonly string[];
  /** Types that a canonical may refer to. */
  readonly canonicals: readonly string[];
}
const NO_TARGETS: TargetTypes = { referred: [], canonicals: [] };

function targetTypes(context: SearchTypeContext, stored: StoredParameter): TargetTypes {
  const canonicals = isCanonicalValued(stored) ? allowedCanonicalTypes(context.definitions, stored) : [];
  // A canonical may also be a literal reference to its target.
  const isCanonicalOnly = canonicals.length > 0 && !stored.valueTypes.includes('Reference');
  return {
    canonicals,
    referred: isCanonicalOnly ? canonicals : allowedTypes(context, { stored, name: '', modifier: undefined }),
  };
}

/** Returns the parameter numbers of the rows with the urls of resources of this type. */
function urlRows({ definitions }: SearchTypeContext, type: string): number[] {
  return (storedParameters(definitions, type).get('url')?.rowsOf ?? []).map(({ number }) => number);
}

/** Returns the parameter numbers of the rows with references to this type. */
function rowsTowards({ rowsOf }: StoredParameter, target: string): number[] {
  const numbers = rowsOf
    .filter(({ targetType }) => targetType === undefined || targetType === target)
    .map(({ number }) => number);
  return [...new Set(numbers)];
}

/** Resources along a chain match only where the caller may find them (`SearchTypeContext.restriction`). */
export function typeCriteria(
  { definitions, restriction }: SearchTypeContext,
  type: string,
  criteria: readonly Criterion[],
): TypeCriteria {
  const number = definitions.typeNumber(type);
  if (number === undefined) throw new Error(`The type ${type} has no number`);
  return {
    type: number,
    sortDateParameter: definitions.sortDateParameter(type)?.number,
    criteria: restriction === undefined ? criteria : [...criteria, ...restriction(type)],
  };
}
