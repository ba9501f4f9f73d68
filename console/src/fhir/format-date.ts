/** FHIR dates and times as people of any locale read them without doubt: months are words, and times name their zone. */
import { dateRange } from '../../../packages/fhir-values/date';

/** What differs from the browser's own settings. */
export interface DateSettings {
  readonly locale?: string;
  readonly timeZone?: string;
}

const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;

/** True: the text is a FHIR date, dateTime or instant of at least a month. */
export function isDateText(text: string): boolean {
  return text.length > 4 && dateRange(text) !== undefined;
}

/** A date, dateTime or instant; a text that is none is returned as it is. */
export function formatDateTime(text: string, settings: DateSettings = {}): string {
  const date = DATE.exec(text);
  if (date !== null) return formatDate(date, settings) ?? text;
  const [, seconds, zone] = DATE_TIME.exec(text) ?? [];
  const instant = new Date(text);
  if (seconds === undefined && zone === undefined) return text;
  if (Number.isNaN(instant.getTime())) return text;
  return new Intl.DateTimeFormat(settings.locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds === undefined || seconds === '00' ? {} : { second: '2-digit' }),
    ...(zone === undefined ? {} : { timeZoneName: 'short' }),
    ...(settings.timeZone === undefined ? {} : { timeZone: settings.timeZone }),
  }).format(instant);
}

/** A date has no time zone: the browser's own must not move it by a day. */
function formatDate(
  [, year = '', month, day]: RegExpExecArray,
  { locale }: DateSettings,
): string | undefined {
  if (month === undefined) return year;
  const instant = new Date(`${year}-${month}-${day ?? '01'}T00:00:00Z`);
  if (Number.isNaN(instant.getTime())) return undefined;
  return new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    ...(day === undefined ? {} : { day: 'numeric' }),
    timeZone: 'UTC',
  }).format(instant);
}
