import { sql, type RawBuilder } from 'kysely';
import type { Predicate } from '../../search/predicate';
import { BinaryArray } from '../connection/binary-array';
import { comparisons, SPACE, type PredicateSql, type ValueReference } from './predicate-parts';
import { compilePosition, compileRange, compileSpan } from './range-sql';
import { keyText } from '../read/version-row';
import { EXTREMES } from '../write/version-write';

/**
 * Compiles a predicate on the rows of one index; criteria/ has the others. `prefix` makes the names of its values
 * unique.
 * @param type the number of the resource type, as SQL
 * @param sortDateParameter the parameter whose low bound is the clinical date of the type
 */
export function compilePredicate(
  predicate: Predicate,
  prefix: string,
  sortDateParameter: number | undefined,
  type: (value: ValueReference) => RawBuilder<unknown>,
): PredicateSql {
  const liveHead = (value: ValueReference): RawBuilder<unknown> =>
    sql`${SPACE} and t.resource_type = ${type(value)} and not t.deleted`;
  switch (predicate.index) {
    case 'token': {
      const { parameter, value, system } = predicate;
      return {
        table: 'andiron.token_index',
        repeats: value === undefined || system === undefined,
        dateColumn: value === undefined ? undefined : 'sort_date',
        ...comparisons('t', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'value_hash', type: 'bigint', value: value === undefined ? value : keyText(value) },
          { column: 'system_hash', type: 'int', value: system },
        ]),
      };
    }
    case 'otherCode':
      return compileOtherCode(predicate, prefix);
    case 'reference': {
      const { parameter, target, targetType } = predicate;
      return {
        table: 'andiron.reference_index',
        repeats: targetType === undefined,
        dateColumn: 'sort_date',
        ...comparisons('r', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'target_key', type: 'bigint', value: keyText(target) },
          { column: 'target_type', type: 'smallint', value: targetType },
        ]),
      };
    }
    case 'otherReference':
      return compileOtherReference(predicate, prefix);
    case 'string': {
      const { parameter, from, to, exact, isWhole = false } = predicate;
      const compared = comparisons(isWhole ? 'sw' : 's', prefix, [
        { column: 'parameter', type: 'int', value: parameter },
        { column: 'value', operator: to === undefined ? '=' : '>=', type: 'text', value: from },
        { column: 'value', operator: '<', type: 'text', value: to },
        { column: 'exact_hash', type: 'int', value: exact },
      ]);
      return {
        ...compared,
        table: 'andiron.string_index',
        repeats: true,
        dateColumn: undefined,
        condition: isWhole
          ? (value) => sql`${compared.condition(value)} and ${IS_WHOLE}`
          : (value) => compared.condition(value),
      };
    }
    case 'stringEnd': {
      const { parameter, text } = predicate;
      const compared = comparisons('se', prefix, [{ column: 'parameter', type: 'int', value: parameter }]);
      const end = (value: ValueReference): RawBuilder<unknown> => sql`${value(`${prefix}end`)}::text`;
      return {
        ...compared,
        table: 'andiron.string_index',
        repeats: true,
        dateColumn: undefined,
        condition: (value) =>
          sql`${compared.condition(value)} and ${IS_WHOLE} and right(t.value, length(${end(value)})) = ${end(value)}`,
        values: [...compared.values, { name: `${prefix}end`, type: 'text', value: text }],
      };
    }
    case 'uri': {
      const { parameter, value, version } = predicate;
      return {
        table: 'andiron.uri_index',
        repeats: true,
        dateColumn: undefined,
        ...comparisons('i', prefix, [
          { column: 'parameter', type: 'int', value: parameter },
          { column: 'value', operator: predicate.to === undefined ? '=' : '>=', type: 'text', value },
          { column: 'value', operator: '<', type: 'text', value: predicate.to },
          {
            column: 'version',
            operator: predicate.versionTo === undefined ? '=' : '>=',
            type: 'text',
            value: version,
          },
          { column: 'version', operator: '<', type: 'text', value: predicate.versionTo },
        ]),
      };
    }
    case 'range':
      return compileRange(predicate, prefix, sortDateParameter);
    case 'span':
      return compileSpan(predicate, prefix);
    case 'position':
      return compilePosition(predicate, prefix);
    case 'presence': {
      const headCondition = (value: ValueReference, head: string): RawBuilder<boolean> => sql`
        (${value(`${prefix}ordinal`)}::int / 8 < length(${sql.ref(`${head}.presence`)})
          and get_bit(${sql.ref(`${head}.presence`)}, ${value(`${prefix}ordinal`)}::int) = 1) = ${value(`${prefix}present`)}::boolean`;
      return {
        shape: 'p',
        table: 'andiron.resource',
        condition: (value) => sql`${liveHead(value)} and ${headCondition(value, 't')}`,
        repeats: false,
        dateColumn: undefined,
        headCondition,
        values: [
          { name: `${prefix}ordinal`, type: 'int', value: predicate.ordinal },
          { name: `${prefix}present`, type: 'boolean', value: predicate.isPresent },
        ],
      };
    }
    case 'updated': {
      const headCondition = (value: ValueReference, head: string): RawBuilder<boolean> =>
        sql`${sql.ref(`${head}.last_updated`)} >= ${value(`${prefix}low`)}::bigint
          and ${sql.ref(`${head}.last_updated`)} < ${value(`${prefix}high`)}::bigint`;
      return {
        shape: 'u',
        table: 'andiron.resource',
        condition: (value) => sql`${liveHead(value)} and ${headCondition(value, 't')}`,
        repeats: false,
        dateColumn: undefined,
        headCondition,
        values: [
          { name: `${prefix}low`, type: 'bigint', value: wholeText(predicate.low) },
          { name: `${prefix}high`, type: 'bigint', value: wholeText(predicate.high) },
        ],
      };
    }
    case 'uriSubstring': {
      const { parameter, text } = predicate;
      const compared = comparisons('is', prefix, [{ column: 'parameter', type: 'int', value: parameter }]);
      return {
        ...compared,
        table: 'andiron.uri_index',
        repeats: true,
        dateColumn: undefined,
        condition: (value) =>
          sql`${compared.condition(value)} and strpos(t.value, ${value(`${prefix}part`)}::text) > 0`,
        values: [...compared.values, { name: `${prefix}part`, type: 'text', value: text }],
      };
    }
    case 'canonical':
      throw new Error('A canonical by the id of a resource must be resolved before the search');
    case 'valueSet':
    case 'subsumption':
    case 'hierarchy':
    case 'currentList':
    case 'scan':
      throw new Error(`A predicate of the kind '${predicate.index}' must be resolved before the search`);
    case 'codes':
    case 'references':
    case 'substring':
    case 'target':
    case 'source':
    case 'all':
    case 'block':
    case 'inside':
      throw new Error(`A predicate of the kind '${predicate.index}' is not one of rows`);
    case 'key': {
      const keys = new BinaryArray('int8');
      for (const key of predicate.keys) keys.pushInt8(key.high, key.low);
      return {
        shape: 'k',
        table: 'andiron.resource',
        condition: (value) =>
          sql`${liveHead(value)} and t.resource_key = any(${value(`${prefix}keys`)}::bigint[])`,
        repeats: false,
        dateColumn: undefined,
        values: [{ name: `${prefix}keys`, type: 'bigint[]', value: keys.finish() }],
      };
    }
  }
}

/** Condition that the row is of a whole string, not of a further word of a family name. */
const IS_WHOLE = sql`t.extremes & ${sql.lit(EXTREMES.whole)} <> 0`;

function compileOtherCode(
  { parameter, codes }: Extract<Predicate, { index: 'otherCode' }>,
  prefix: string,
): PredicateSql {
  const compared = comparisons('x', prefix, [{ column: 'parameter', type: 'int', value: parameter }]);
  const compiledCodes = codes.map(({ value, system }, place) =>
    comparisons('t', `${prefix}_${place}_`, [
      { column: 'value_hash', type: 'bigint', value: value === undefined ? value : keyText(value) },
      { column: 'system_hash', type: 'int', value: system },
    ]),
  );
  return {
    shape: [compared, ...compiledCodes].map(({ shape }) => shape).join('/'),
    table: 'andiron.token_index',
    condition: (value) =>
      sql`${compared.condition(value)} and not (${sql.join(
        compiledCodes.map((code) => code.condition(value)),
        sql` or `,
      )})`,
    repeats: true,
    dateColumn: undefined,
    values: [compared, ...compiledCodes].flatMap(({ values }) => values),
  };
}

function compileOtherReference(
  { parameter, targets, targetType }: Extract<Predicate, { index: 'otherReference' }>,
  prefix: string,
): PredicateSql {
  const compared = comparisons('or', prefix, [
    { column: 'parameter', type: 'int', value: parameter },
    { column: 'target_type', type: 'smallint', value: targetType },
  ]);
  const keys = new BinaryArray('int8');
  for (const { high, low } of targets) keys.pushInt8(high, low);
  return {
    ...compared,
    table: 'andiron.reference_index',
    repeats: true,
    dateColumn: undefined,
    condition: (value) =>
      sql`${compared.condition(value)} and t.target_key <> all(${value(`${prefix}targets`)}::bigint[])`,
    values: [...compared.values, { name: `${prefix}targets`, type: 'bigint[]', value: keys.finish() }],
  };
}

/** Decimal form of an integer for a bigint; infinities become its limits. */
function wholeText(value: number): string {
  if (value === Infinity) return '9223372036854775807';
  if (value === -Infinity) return '-9223372036854775808';
  return String(value);
}
