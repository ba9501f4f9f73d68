/** The output of `_explain=true`: shows operators how a search was executed. */
import { type Issue } from '../../errors';
import type { AccessPath } from '../../search/access-paths/access-path';
import type { Order } from '../../search/sort/order';
import type { Criterion, Predicate, TypeCriteria } from '../../search/predicate';
import { RecordedStatements } from '../../storage/connection/recorded-statements';
import type { Plan } from './plan';

/** Maximum number of plans in one answer. */
const MAX_PLANS = 50;
const LONGEST_NAME = 200;

/** Collects names of parameters, SQL and times of one search, but never a value that a client sent or stored. */
export class SearchExplanation {
  readonly statements = new RecordedStatements();
  private readonly started = performance.now();
  private readonly plans: string[] = [];

  /** @param own the tenant's space */
  constructor(
    private readonly own: number,
    private readonly typeName: (number: number) => string | undefined,
  ) {}

  /** @param counts of each criterion; empty if they were not needed */
  addPlan({ space, type, criteria, order, accessPath }: Plan, counts: readonly number[]): void {
    if (this.plans.length >= MAX_PLANS) return;
    const place = space === this.own ? "the tenant's own resources" : 'the base resources';
    const lines = criteria.map((criterion, index) => {
      const isDriver = 'criterion' in accessPath && accessPath.criterion === index;
      const tested =
        criterion.asSet === true ? 'is tested by the set of its matches' : 'is tested row by row';
      const role = isDriver ? 'drives' : tested;
      return `\n- ${describe(criterion)} ${role}, ${describeCount(counts[index])}`;
    });
    this.plans.push(
      `Plan for ${this.typeName(type) ?? ''} in ${place}: ${describeAccessPath(accessPath)}, ${describeOrder(order)}${lines.join('')}`,
    );
  }

  toIssues(): Issue[] {
    const total = performance.now() - this.started;
    const statements = this.statements.all.flatMap(({ text, runs, rows, milliseconds, plan }, index) => {
      const name = `Statement ${index + 1}`;
      const times = runs === 1 ? 'once' : `${runs} times`;
      const summary = `${name}, run ${times}, ${milliseconds.toFixed(2)} ms, ${rows} rows:\n${text}`;
      return plan === undefined
        ? [summary]
        : [summary, `Plan of PostgreSQL for statement ${index + 1}:\n${plan}`];
    });
    return [`Time: ${total.toFixed(2)} ms with the explanation`, ...this.plans, ...statements].map(
      (diagnostics) => ({
        severity: 'information',
        code: 'informational',
        diagnostics,
        isOwnText: true,
      }),
    );
  }
}

function describeAccessPath(accessPath: AccessPath): string {
  switch (accessPath.kind) {
    case 'indexScan':
      return 'an index of one parameter is scanned in order';
    case 'fetchAndSort':
      return 'all resources that match one parameter are fetched and sorted';
    case 'headScan':
      return 'the heads of the type are scanned by last update';
    case 'sortIndexScan':
      return 'the rows of the sort values are scanned in order, then the heads of resources without such a row';
    case 'compositeScan':
      return 'the rows of a composite under each code of one parameter are scanned in order, then the heads of resources without such a row';
    case 'dateScan':
      return 'all rows of the clinical date are scanned';
    case 'targetMerge':
      return 'the resources that refer to each target of a chain are merged in order';
  }
}

function describeOrder({ by, descending }: Order): string {
  const names = {
    sort_date: 'clinical date',
    last_updated: 'last update',
    key: 'key',
    low: 'beginning of the ranges',
    value: 'value of a parameter',
  };
  return `by ${names[by]}, ${descending ? 'descending' : 'ascending'}`;
}

function describeCount(count: number | undefined): string {
  if (count === undefined) return 'was not counted';
  return count === Infinity ? 'has too many index rows to count, or none' : `has about ${count} index rows`;
}

/** The name, the number of alternatives by index, and how each chain is resolved. */
function describe({ name, anyOf, isNegated }: Criterion): string {
  const kinds = new Map<string, number>();
  for (const predicate of anyOf) {
    const kind = describeKind(predicate);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const alternatives = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`));
  const meaning = alternatives.length === 0 ? 'nothing' : alternatives.join(' or ');
  return `'${name.slice(0, LONGEST_NAME)}' (${isNegated === true ? 'not ' : ''}${meaning})`;
}

function describeKind(predicate: Predicate): string {
  switch (predicate.index) {
    case 'target':
      return `chain ${describeInner(predicate.target)}`;
    case 'source':
      return `reverse chain ${describeInner(predicate.source)}`;
    case 'all':
      return `all of ${describeInner(predicate)}`;
    default:
      return predicate.index;
  }
}

function describeInner({ criteria, driver }: Pick<TypeCriteria, 'criteria' | 'driver'>): string {
  const driving = driver === undefined ? undefined : criteria[driver];
  const how =
    driving === undefined
      ? 'tested one by one'
      : `found from the inside by '${driving.name.slice(0, LONGEST_NAME)}'`;
  return `${how}: ${criteria.map(describe).join(' and ')}`;
}
