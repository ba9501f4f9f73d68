/** Tables of records as files: CSV (RFC 4180) for spreadsheets, NDJSON for programs. */
import { toCsvField } from '../../../packages/fhir-values/csv-field';
import { textOf, toJson, type JsonObject } from '../api/json';
import { formatValue } from './format';
import { cellOf, type Column } from './search/search-columns';

/** Without it, spreadsheets read the letters of other languages wrongly. */
const BYTE_ORDER_MARK = '\ufeff';

const toLine = (fields: readonly string[]): string => `${fields.map(toCsvField).join(',')}\r\n`;

/** The id and the columns of records, as a list shows them. */
export function toCsv(columns: readonly Column[], records: readonly JsonObject[], id: string): string {
  const head = toLine([id, ...columns.map(({ label }) => label)]);
  const lines = records.map((record) => {
    const cells = columns.map((column) => {
      const { value, type } = cellOf(record, column);
      return formatValue(value, type);
    });
    return toLine([textOf(record['id']) ?? '', ...cells]);
  });
  return BYTE_ORDER_MARK + head + lines.join('');
}

/** A record on each line, with the digits that it was written with. */
export function toNdjson(records: readonly JsonObject[]): string {
  return records.map((record) => `${toJson(record, 0)}\n`).join('');
}
