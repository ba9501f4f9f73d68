import { permissionsOf } from '../../access/visibility';
import type { RequestContext } from '../../context';
import { FhirError, fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import { parseQueryText, type QueryParameter } from '../../fhir/query-text';
import type { BundleOutline, OutlinedEntry } from '../../preparation/bundle';
import type { Services } from '../../services';
import { parseCondition, type Condition } from '../conditional/condition';
import { findMatches, type ConditionMatch } from '../conditional/find-matches';
import { findIdentified } from './find-identified';

/** The conditions of the entries that write: `ifNoneExist`, and criteria in the url. */
export class EntryConditions {
  private readonly conditions = new Map<number, Condition>();
  private readonly entries = new Map<number, OutlinedEntry>();

  get all(): readonly Condition[] {
    return [...this.conditions.values()];
  }

  add(entry: OutlinedEntry, condition: Condition): void {
    this.conditions.set(entry.index, condition);
    this.entries.set(entry.index, entry);
  }

  of(index: number): Condition | undefined {
    return this.conditions.get(index);
  }

  entry(index: number): OutlinedEntry | undefined {
    return this.entries.get(index);
  }
}

/** Throws what `parseCondition` throws, at the entry. */
export function readConditions(
  services: Services,
  context: RequestContext,
  entries: readonly OutlinedEntry[],
): EntryConditions {
  const conditions = new EntryConditions();
  for (const entry of entries) {
    const { request, index } = entry;
    if (request.kind === 'create' && request.ifNoneExist !== undefined) {
      const place = entryExpression(index, 'request.ifNoneExist');
      const { ifNoneExist } = request;
      conditions.add(
        entry,
        located(place, () => parseCondition(services, context, request.type, queryOf(ifNoneExist))),
      );
    } else if ('target' in request && request.target.criteria !== undefined) {
      const place = entryExpression(index, 'request.url');
      const { type, criteria } = request.target;
      if (request.kind === 'delete')
        located(place, () => permissionsOf(services, context)?.require(type, 'd'));
      conditions.add(
        entry,
        located(place, () => parseCondition(services, context, type, criteria)),
      );
    }
  }
  return conditions;
}

/** Some clients send `Patient?identifier=…` or `?identifier=…` where R4 wants the parameters alone. */
function queryOf(ifNoneExist: string): readonly QueryParameter[] {
  return parseQueryText(ifNoneExist.replace(/^[A-Za-z]*\?/, ''));
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

/** What meets conditions, by their names. */
export class Matches {
  constructor(private readonly byName: ReadonlyMap<string, readonly ConditionMatch[]>) {}

  of({ name }: Condition): readonly ConditionMatch[] {
    return this.byName.get(name) ?? [];
  }

  /** Whether others of the same conditions are the same versions of the same resources. */
  areSame(others: Matches): boolean {
    return [...this.byName].every(([name, matches]) => {
      const other = others.byName.get(name) ?? [];
      const known = new Set(other.map(nameOf));
      return matches.length === other.length && matches.every((match) => known.has(nameOf(match)));
    });
  }
}

function nameOf({ keyText, version, isBase }: ConditionMatch): string {
  return `${keyText} ${version} ${isBase}`;
}

/**
 * What meets each of the conditions, at most `most` resources, at the moment of the services. Conditions that ask for an
 * identifier or another token are asked together, by one statement for a thousand of them; each other one by a search of
 * its own. Throws what `findMatches` throws; `timeout` after the request's deadline.
 */
export async function findAllMatches(
  services: Services,
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

/** The one match, or none. Throws multipleMatches at the entry. */
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

/** References by criteria, in the resources of a transaction. */
export interface ConditionalReferences {
  /** By the texts of the references. */
  readonly conditions: ReadonlyMap<string, Condition>;
  /** Where each text stands first. */
  readonly places: ReadonlyMap<string, string>;
}

/** Throws what `parseCondition` throws, at the reference. */
export function readConditionalReferences(
  services: Services,
  context: RequestContext,
  { conditionalReferences }: BundleOutline,
): ConditionalReferences {
  const conditions = new Map<string, Condition>();
  const places = new Map<string, string>();
  for (const [text, { type, query, expression }] of conditionalReferences) {
    places.set(text, expression);
    conditions.set(
      text,
      located(expression, () => parseCondition(services, context, type, parseQueryText(query))),
    );
  }
  return { conditions, places };
}

/**
 * What each reference means, by its text. Throws preconditionFailed or multipleMatches at the first that does not mean
 * exactly one resource.
 */
export function resolveReferences(
  { conditions, places }: ConditionalReferences,
  matches: Matches,
): readonly (readonly [text: string, reference: string])[] {
  return [...conditions].map(([text, condition]) => {
    const [match, other] = matches.of(condition);
    const place = places.get(text);
    const { type } = condition;
    if (match === undefined)
      throw fhirError(
        'preconditionFailed',
        { reason: `No ${type} meets the criteria of the reference, and one must` },
        place,
      );
    if (other !== undefined)
      throw fhirError(
        'multipleMatches',
        { reason: `More than one ${type} meets the criteria of the reference, and one must` },
        place,
      );
    return [text, `${type}/${match.id}`] as const;
  });
}
