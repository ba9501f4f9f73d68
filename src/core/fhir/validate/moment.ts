/**
 * Checks that dates and times have the format of FHIR and exist. Each function returns the fault, or undefined for a
 * valid text. Cost: one pass over the character codes, about 30 ns. Nothing here throws.
 *
 * The regular expressions of the definitions accept days that do not exist, but "Dates SHALL be valid dates"
 * (https://hl7.org/fhir/R4/datatypes.html#date). Where they are narrower than a searched date (date.ts), so are these
 * functions: "Seconds must be provided", "If hours and minutes are specified, a time zone SHALL be populated".
 */
import { digits, monthLength } from '../../../../packages/fhir-values/date';

const DATE_LENGTH = 10;
const COLON = 58;
const DASH = 45;
const LARGEST_ZONE_MINUTES = 14 * 60;

/** YYYY, YYYY-MM or YYYY-MM-DD. */
export function dateFault(text: string): string | undefined {
  return dayFault(text) ?? (text.length > DATE_LENGTH ? 'more follows after the day' : undefined);
}

/** A date, or YYYY-MM-DDThh:mm:ss with a zone and perhaps a fraction of a second. */
export function dateTimeFault(text: string): string | undefined {
  return dayFault(text) ?? (text.length > DATE_LENGTH ? timeOfDayFault(text) : undefined);
}

/** YYYY-MM-DDThh:mm:ss with a zone and perhaps a fraction of a second. */
export function instantFault(text: string): string | undefined {
  return dayFault(text) ?? (text.length > DATE_LENGTH ? timeOfDayFault(text) : 'the time is missing');
}

/** hh:mm:ss with perhaps a fraction of a second. "A time zone SHALL NOT be present." */
export function timeFault(text: string): string | undefined {
  const end = endOfClock(text, 0);
  if (typeof end === 'string') return end;
  return end === text.length ? undefined : 'more follows after the seconds, and a time has no zone';
}

/** Checks the part before the `T`, or a whole text without one. */
function dayFault(text: string): string | undefined {
  const length = text.length;
  const year = digits(text, 0, 4);
  if (year < 0) return 'it does not begin with a year of four digits';
  if (year === 0) return 'the year 0000 does not exist';
  if (length === 4) return undefined;
  const month = text.charCodeAt(4) === DASH ? digits(text, 5, 2) : -1;
  if (month < 0) return 'after the year -MM is expected, two digits';
  if (month < 1 || month > 12) return `the month ${text.slice(5, 7)} does not exist`;
  if (length === 7) return undefined;
  const day = text.charCodeAt(7) === DASH ? digits(text, 8, 2) : -1;
  if (day < 0) return 'after the month -DD is expected, two digits';
  if (day < 1 || day > monthLength(year, month)) {
    return `${text.slice(0, 7)} has the days 01 to ${monthLength(year, month)}`;
  }
  return undefined;
}

/** Checks from the `T` after the day to the end. */
function timeOfDayFault(text: string): string | undefined {
  if (text.charCodeAt(DATE_LENGTH) !== 84) return 'after the day T and a time are expected';
  const end = endOfClock(text, DATE_LENGTH + 1);
  return typeof end === 'string' ? end : zoneFault(text, end);
}

/** Returns the index after `hh:mm:ss` and its fraction, or the fault. */
function endOfClock(text: string, at: number): number | string {
  const hours = digits(text, at, 2);
  if (hours < 0) return 'hours of two digits are expected';
  if (hours > 23) return `the hour ${hours} does not exist`;
  const minutes = text.charCodeAt(at + 2) === COLON ? digits(text, at + 3, 2) : -1;
  if (minutes < 0) return 'after the hours :mm is expected, two digits';
  if (minutes > 59) return `the minute ${minutes} does not exist`;
  const seconds = text.charCodeAt(at + 5) === COLON ? digits(text, at + 6, 2) : -1;
  if (seconds < 0) return 'the seconds are missing';
  // "Leap Seconds are allowed", and the definitions allow them at the end of any minute.
  if (seconds > 60) return `the second ${seconds} does not exist`;
  let end = at + 8;
  if (text.charCodeAt(end) !== 46) return end;
  do end++;
  while (isDigit(text.charCodeAt(end)));
  return end > at + 9 ? end : 'after the point a fraction of the second is expected';
}

/** Checks from `at` to the end: `Z`, or `+hh:mm` or `-hh:mm` of at most 14 hours. */
function zoneFault(text: string, at: number): string | undefined {
  const sign = text.charCodeAt(at);
  if (at === text.length) return 'the zone is missing';
  if (sign === 90) return at + 1 === text.length ? undefined : 'more follows after the Z';
  const hours = sign === 43 || sign === DASH ? digits(text, at + 1, 2) : -1;
  const minutes = text.charCodeAt(at + 3) === COLON ? digits(text, at + 4, 2) : -1;
  if (hours < 0 || minutes < 0 || text.length !== at + 6) return 'it does not end with a zone';
  if (minutes > 59) return `the minute ${minutes} of the zone does not exist`;
  return hours * 60 + minutes > LARGEST_ZONE_MINUTES ? 'a zone is at most 14:00 away' : undefined;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}
