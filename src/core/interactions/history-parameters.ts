import type { HistoryRequest } from '../api/history';
import { fhirError } from '../errors';
import { dateRange, type DateRange } from '../../../packages/fhir-values/date';
import type { QueryParameter } from '../fhir/query-text';

const LARGEST_PAGE = 1000;

/** They select parts of the resources; see `HistoryRequest.parts`. */
const PARTS: readonly string[] = ['_summary', '_elements'];
const PARAMETERS: readonly string[] = [
  ...['_count', '_since', '_at', '_list', '_since-version', ...PARTS, '_cursor', '_'],
];

/**
 * Parses the parameters of a history (http.html#history). Throws `invalidValue` for a malformed, repeated or unknown
 * one.
 */
export function parseHistoryParameters(
  parameters: readonly QueryParameter[],
): Omit<HistoryRequest, 'type' | 'id'> {
  const given = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (!PARAMETERS.includes(name)) {
      throw fhirError('invalidValue', {
        reason: `'${name.slice(0, 40)}' is not a parameter of a history: _count, _since, _at, _list, _since-version, _summary, _elements`,
      });
    }
    if (value === '' || name === '_') continue;
    if (given.has(name)) throw fhirError('invalidValue', { reason: `${name} is given more than once` });
    given.set(name, value);
  }
  const count = readNumber(given, '_count');
  return {
    count: count === undefined ? undefined : Math.min(count, LARGEST_PAGE),
    since: readTime(given, '_since')?.low,
    at: readTime(given, '_at'),
    sinceSequence: readNumber(given, '_since-version'),
    list: given.get('_list'),
    parts: [...given].filter(([name]) => PARTS.includes(name)),
    cursor: given.get('_cursor'),
  };
}

function readNumber(given: ReadonlyMap<string, string>, name: string): number | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  if (/^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  throw fhirError('invalidValue', {
    reason: `'${value}' is not a value of ${name}: a whole number, 0 or larger`,
  });
}

/** The range of an instant, dateTime or date. Accepts a space for the plus sign, since URL decoding may replace it. */
function readTime(given: ReadonlyMap<string, string>, name: string): DateRange | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const range = dateRange(value.replace(' ', '+'));
  if (range !== undefined) return range;
  throw fhirError('invalidValue', {
    reason: `'${value}' is not a value of ${name}: an instant such as 2024-05-01T10:00:00Z, or a date`,
  });
}
