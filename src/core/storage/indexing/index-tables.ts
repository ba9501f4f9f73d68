import type { IndexRows } from '../../search/rows/index-rows';
import { keyText } from '../read/version-row';
import { extremesOf, sortDateText, targetKeysOf } from '../write/version-write';

export const INDEX_TABLES = [
  'token_index',
  'reference_index',
  'range_index',
  'string_index',
  'uri_index',
] as const;
export type IndexTable = (typeof INDEX_TABLES)[number];

/** The columns of each table besides space, parameter and resource key. */
export const INDEX_COLUMNS: Readonly<Record<IndexTable, readonly (readonly [name: string, type: string])[]>> =
  {
    token_index: [
      ['value_hash', 'bigint'],
      ['system_hash', 'int'],
      ['sort_date', 'bigint'],
    ],
    reference_index: [
      ['target_key', 'bigint'],
      ['target_type', 'smallint'],
      ['sort_date', 'bigint'],
    ],
    range_index: [
      ['qualifier', 'bigint'],
      ['qualifier_system', 'int'],
      ['low', 'float8'],
      ['high', 'float8'],
      ['unit_system', 'int'],
      ['unit_code', 'int'],
      ['unit_name', 'int'],
      ['extremes', 'smallint'],
    ],
    string_index: [
      ['exact_hash', 'int'],
      ['extremes', 'smallint'],
      ['value', 'text'],
    ],
    uri_index: [
      ['version', 'text'],
      ['value', 'text'],
    ],
  };

/** An index row of a resource: its parameter, then the values of INDEX_COLUMNS; 64-bit integers in decimal form. */
export type IndexRow = readonly [parameter: number, ...values: (string | number)[]];

/** The index rows of one resource, in all tables. */
export type ResourceRows = Readonly<Record<IndexTable, readonly IndexRow[]>>;

export function noRows(): Record<IndexTable, IndexRow[]> {
  return { token_index: [], reference_index: [], range_index: [], string_index: [], uri_index: [] };
}

/** A string that is equal for two rows of one table exactly if they are equal: PostgreSQL texts hold no NUL. */
export function identityOf(row: IndexRow): string {
  return row.join('\0');
}

/** Converts the rows of a resource to the form in which they are stored. */
export function toResourceRows(rows: IndexRows): ResourceRows {
  const date = sortDateText(rows.sortDate);
  return {
    token_index: rows.tokens.map(({ parameter, valueHigh, valueLow, system }): IndexRow => {
      return [parameter, keyText({ high: valueHigh, low: valueLow }), system, date];
    }),
    reference_index: rows.references.map(({ parameter, targetHigh, targetLow, targetType }): IndexRow => {
      return [parameter, keyText({ high: targetHigh, low: targetLow }), targetType, date];
    }),
    range_index: rows.ranges.map((row): IndexRow => {
      const qualifier = keyText({ high: row.qualifierHigh, low: row.qualifierLow });
      const unit = [row.unitSystem, row.unitCode, row.unitName];
      return [row.parameter, qualifier, row.qualifierSystem, row.low, row.high, ...unit, extremesOf(row)];
    }),
    string_index: rows.strings.map((row): IndexRow => [row.parameter, row.exact, extremesOf(row), row.value]),
    uri_index: rows.uris.map(({ parameter, version, value }): IndexRow => [parameter, version, value]),
  };
}

/** `resource.target_keys` of a resource with these rows, in the text format of a PostgreSQL array. */
export function targetKeysText(rows: IndexRows): string {
  return `{${targetKeysOf(rows.references).map(keyText).join(',')}}`;
}
