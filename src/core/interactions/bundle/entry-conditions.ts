import { permissionsOf } from '../../authorization/visibility';
import type { RequestContext } from '../../context';
import { FhirError, fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import { parseQueryText, type QueryParameter } from '../../fhir/query-text';
import type { BundleOutline, OutlinedEntry } from '../../preparation/bundle';
import type { SearchServices, Services } from '../../ports';
import { parseCondition, type Condition } from '../conditional/condition';
import { parseIfNoneExist } from '../conditional/if-none-exist';
import { findMatches, type ConditionMatch } from '../conditional/find-matches';
import { printable } from '../../versions/resource-address';
import type { EntryNames } from './entry-names';
import { findIdentified } from './find-identified';

/** The condition of an entry as the client sent it. */
interface SentCondition {
  readonly type: string;
  readonly criteria: readonly QueryParameter[];
  /** FHIRPath. */
  readonly place: string;
  /** Indexes of other entries that the criteria name. */
  readonly names: readonly number[];
}

/** The conditions of the entries that write: `ifNoneExist`, and criteria in the url. */
export class EntryConditions {
  private readonly given = new Map<number, SentCondition>();
  private readonly conditions = new Map<number, Condition>();

  /** Throws the errors of `parseCondition`, located at the entry. */
  constructor(
    private readonly services: Pick<
      Services,
      'createExtractor' | 'definitions' | 'keys' | 'references' | 'searchContext'
    >,
    private readonly context: RequestContext,
    private readonly names: EntryNames,
    entries: readonly OutlinedEntry[],
  ) {
    for (const { index, request } of entries) {
      if (request.kind === 'create' && request.ifNoneExist !== undefined) {
        const place = entryExpression(index, 'request.ifNoneExist');
        const { ifNoneExist } = request;
        const references = services.references(context.space);
        this.add(index, request.type, place, () => parseIfNoneExist(references, request.type, ifNoneExist));
      } else if ('target' in request && request.target.criteria !== undefined) {
        const place = entryExpression(index, 'request.url');
        const { type, criteria } = request.target;
        if (request.kind === 'delete')
          located(place, () => permissionsOf(services, context)?.require(type, 'd'));
        this.add(index, type, place, () => criteria);
      }
    }
  }

  private add(index: number, type: string, place: string, read: () => readonly QueryParameter[]): void {
    const criteria = located(place, read);
    const names = this.names.namedBy(type, criteria, index);
    const condition = located(place, () => parseCondition(this.services, this.context, type, criteria));
    this.given.set(index, { type, criteria, place, names });
    if (names.length === 0) this.conditions.set(index, condition);
  }

  /** The resolved conditions. Conditions that name other entries are among them after `resolve`. */
  get all(): readonly Condition[] {
    return [...this.conditions.values()];
  }

  of(index: number): Condition | undefined {
    return this.conditions.get(index);
  }

  /**
   * Resolves the condition of an entry; true if it is resolved or there is none. `targets`: references to other
   * entries' resources, by entry index. Throws the errors of `parseCondition`, located at the entry.
   */
  resolve(index: number, targets: ReadonlyMap<number, string>): boolean {
    const given = this.given.get(index);
    if (given === undefined || given.names.length === 0) return true;
    const { type, criteria, place, names } = given;
    if (!names.every((name) => targets.has(name))) return false;
    const resolved = this.names.resolve(type, criteria, targets);
    const condition = located(place, () => parseCondition(this.services, this.context, type, resolved));
    this.conditions.set(index, condition);
    return true;
  }

  /** FHIRPath of the criteria of an entry. */
  placeOf(index: number): string {
    return this.given.get(index)?.place ?? entryExpression(index);
  }
}

function located<T>(expression: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    throw new FhirError(
      error.key,
      error.issues.map((issue) => ({ ...issue, expression })),
    );
  }
}

/** The matches of conditions, by the names of the conditions. */
export class Matches {
  constructor(private readonly byName: ReadonlyMap<string, readonly ConditionMatch[]>) {}

  of({ name }: Condition): readonly ConditionMatch[] {
    return this.byName.get(name) ?? [];
  }

  has({ name }: Condition): boolean {
    return this.byName.has(name);
  }

  /** The union of both. */
  with(others: Matches): Matches {
    return this.byName.size === 0 ? others : new Matches(new Map([...this.byName, ...others.byName]));
  }

  /** True if `others` has the same versions of the same resources for each condition. */
  areSame(others: Matches): boolean {
    return [...this.byName].every(([name, matches]) => {
      const other = others.byName.get(name) ?? [];
      const names = new Set(other.map(nameOf));
      return matches.length === other.length && matches.every((match) => names.has(nameOf(match)));
    });
  }
}

function nameOf({ keyText, version, isBase }: ConditionMatch): string {
  return `${keyText} ${version} ${isBase}`;
}

/**
 * The matches of each condition, at most `most` resources, as the services see them. Conditions on one identifier or
 * other token are batched, in one statement for each thousand; each other condition is a search of
 * its own. Throws the errors of `findMatches`; `timeout` after the request's deadline.
 */
export async function findAllMatches(
  services: SearchServices,
  context: RequestContext,
  conditions: readonly Condition[],
  most: number,
): Promise<Matches> {
  const byName = new Map(conditions.map((condition) => [condition.name, condition]));
  const found = new Map(await findIdentified(services, context, [...byName.values()], most));
  for (const [name, condition] of byName) {
    if (found.has(name)) continue;
    if (Date.now() > context.deadline) throw fhirError('timeout');
    found.set(name, await findMatches(services, context, condition, most));
  }
  return new Matches(found);
}

/** The only match, or undefined. Throws multipleMatches at the entry. */
export function requireSingle(
  { type }: Condition,
  [match, other]: readonly ConditionMatch[],
  index: number,
): ConditionMatch | undefined {
  if (other === undefined) return match;
  throw fhirError(
    'multipleMatches',
    { reason: `More than one ${type} meets the criteria; nothing was changed` },
    entryExpression(index, 'request'),
  );
}

/** References by criteria in the resources of a transaction. */
export interface ConditionalReferences {
  /** By the text of the reference. */
  readonly conditions: ReadonlyMap<string, Condition>;
  /** The first FHIRPath of each text. */
  readonly places: ReadonlyMap<string, string>;
  /** True if some criteria name entries, so that `targets` are necessary. */
  readonly haveNames: boolean;
}

/**
 * `targets`: references to the entries that the criteria name. Throws the errors of `parseCondition` at the reference.
 */
export function readConditionalReferences(
  services: Pick<Services, 'createExtractor' | 'definitions' | 'keys' | 'searchContext'>,
  context: RequestContext,
  {
    conditionalReferences,
    names,
    targets = NO_TARGETS,
  }: {
    readonly conditionalReferences: BundleOutline['conditionalReferences'];
    readonly names: EntryNames;
    readonly targets?: ReadonlyMap<number, string>;
  },
): ConditionalReferences {
  const conditions = new Map<string, Condition>();
  const places = new Map<string, string>();
  let haveNames = false;
  for (const [text, { type, query, expression }] of conditionalReferences) {
    places.set(text, expression);
    const condition = located(expression, () => {
      const criteria = parseQueryText(query);
      haveNames ||= names.namedBy(type, criteria).length > 0;
      return parseCondition(services, context, type, names.resolve(type, criteria, targets));
    });
    conditions.set(text, condition);
  }
  return { conditions, places, haveNames };
}

const NO_TARGETS: ReadonlyMap<number, string> = new Map();

/**
 * The resolved reference for each text. Throws one error (preconditionFailed, multipleMatches) with an issue for each
 * reference that does not match exactly one resource, at most `MOST_UNRESOLVED`.
 */
export function resolveReferences(
  { conditions, places }: ConditionalReferences,
  matches: Matches,
): readonly (readonly [text: string, reference: string])[] {
  const resolved: (readonly [text: string, reference: string])[] = [];
  const refusals: FhirError[] = [];
  for (const [text, condition] of conditions) {
    const [match, other] = matches.of(condition);
    if (match !== undefined && other === undefined) resolved.push([text, `${condition.type}/${match.id}`]);
    else if (refusals.length < MOST_UNRESOLVED)
      refusals.push(unresolved(text, condition.type, match === undefined, places.get(text)));
  }
  const [first] = refusals;
  if (first !== undefined)
    throw new FhirError(
      first.key,
      refusals.flatMap(({ issues }) => issues),
    );
  return resolved;
}

const MOST_UNRESOLVED = 100;
/** Characters of criteria in an error text. */
const LONGEST_CRITERIA = 300;

function unresolved(text: string, type: string, isMissing: boolean, place: string | undefined): FhirError {
  const criteria = printable(text, LONGEST_CRITERIA);
  return isMissing
    ? fhirError(
        'preconditionFailed',
        { reason: `No ${type} meets the criteria of the reference '${criteria}', and one must` },
        place,
      )
    : fhirError(
        'multipleMatches',
        { reason: `More than one ${type} meets the criteria of the reference '${criteria}', and one must` },
        place,
      );
}
