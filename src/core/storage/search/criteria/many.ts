import { sql, type RawBuilder } from 'kysely';
import type { Predicate } from '../../../search/predicate';
import { splitRange } from '../../../search/values/split-range';
import type { PredicateSql, PredicateValue, ValueReference } from '../predicate-parts';
import { compilePredicate } from '../predicate-sql';
import { compileRange } from '../range-sql';
import type { Bound } from '../../connection/statement';
import { isAmong, type CompiledPredicate } from './compiled';
import type { Scope } from './scope';

/**
 * Up to so many alternatives are each compiled into the text. An index scan in order needs that, and it has fewer
 * alternatives (`MAX_MERGED` of search/indexed-access.ts).
 */
const FEW = 20;

/** A predicate on the rows of one index that does not use the head. */
type RowsPredicate = Extract<Predicate, { index: 'token' | 'reference' | 'string' | 'uri' | 'range' }>;

function isOfRows(predicate: Predicate): predicate is RowsPredicate {
  const { index } = predicate;
  return (
    index === 'token' || index === 'reference' || index === 'string' || index === 'uri' || index === 'range'
  );
}

/**
 * Splits the alternatives of a criterion into those that `compileMany` combines, and those that are few or of other
 * kinds.
 */
export function partMany(
  anyOf: readonly Predicate[],
  { contained }: Scope,
): { readonly many: readonly RowsPredicate[]; readonly others: readonly Predicate[] } {
  const many = contained === undefined ? anyOf.filter(isOfRows) : [];
  return many.length > FEW
    ? { many, others: anyOf.filter((predicate) => !isOfRows(predicate)) }
    : { many: [], others: anyOf };
}

/**
 * Compiles hundreds of alternatives: one text for each form of their conditions, and one index probe for each
 * alternative. PostgreSQL needed seconds to parse a thousand conditions one after the other.
 */
export function compileMany(predicates: readonly RowsPredicate[], scope: Scope): CompiledPredicate[] {
  const prefix = scope.names.next();
  /** By form, then by values, so that equal alternatives are looked up once. */
  const forms = new Map<string, Map<string, PredicateSql>>();
  for (const predicate of predicates) {
    for (const rows of rowsOf(predicate, prefix, scope)) {
      const form = `${rows.table} ${rows.shape}`;
      const alike = forms.get(form) ?? new Map<string, PredicateSql>();
      forms.set(form, alike.set(JSON.stringify(rows.values.map(({ value }) => value)), rows));
    }
  }
  return [...forms].map(([form, alike]) => compileForm(form, [...alike.values()], scope.names.next()));
}

/** Value names are the same for all alternatives, because they become columns. */
function rowsOf(predicate: RowsPredicate, prefix: string, { type }: Scope): PredicateSql[] {
  return predicate.index === 'range'
    ? splitRange(predicate).map((part) => compileRange(part, prefix, undefined))
    : [compilePredicate(predicate, prefix, undefined, type)];
}

function compileForm(form: string, alike: readonly PredicateSql[], prefix: string): CompiledPredicate {
  const [first] = alike;
  if (first === undefined) throw new Error('there are no alternatives');
  const columns = first.values.map(({ name, type }, place) => {
    const array: readonly (string | number | null)[] = alike.map(({ values }) => scalarOf(values[place]));
    return { name, column: `v${place}`, type, bound: `${prefix}v${place}`, array };
  });
  const column = (name: string): RawBuilder<unknown> => {
    const found = columns.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the condition has no value '${name}'`);
    return sql.ref(`q.${found.column}`);
  };
  const keys = (value: ValueReference): RawBuilder<unknown> => sql`
    select m.resource_key
    from unnest(${sql.join(columns.map(({ bound, type }) => sql`${value(bound)}::${sql.raw(type)}[]`))})
      as q (${sql.join(columns.map((one) => sql.id(one.column)))})
    cross join lateral (
      select t.resource_key from ${sql.table(first.table)} t where ${first.condition(column)} offset 0
    ) m`;
  return {
    shape: `many ${form}`,
    values: columns.map(({ bound, type, array }) => ({ name: bound, type: arrayOf(type), value: array })),
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}

function scalarOf(of: PredicateValue | undefined): string | number | null {
  const value: Bound | undefined = of?.value;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('only plain values can go together');
}

type Scalar = 'int' | 'smallint' | 'bigint' | 'float8' | 'text';

function arrayOf(type: PredicateValue['type']): `${Scalar}[]` {
  switch (type) {
    case 'int':
    case 'smallint':
    case 'bigint':
    case 'float8':
    case 'text':
      return `${type}[]`;
    default:
      throw new Error(`a value of the type ${type} is no plain one`);
  }
}
