/** Round marks on an axis of time. */
const DAY = 86_400_000;
const MOST = 7;
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' });

export interface TimeTick {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly label: string;
}

export function dayOf(time: number): string {
  return day.format(time);
}

/** A date or a moment of FHIR; a year or a month stays as it is. */
export function toDay(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  return text.length < 10 ? text : dayOf(Date.parse(text));
}

/** Returns up to seven round moments from `from` to `to`: days, first days of months, or of years. */
export function toTimeTicks(from: number, to: number): TimeTick[] {
  const days = (to - from) / DAY;
  if (days < 60) return everyDays(from, to, [1, 2, 7, 14].find((step) => days / step <= MOST) ?? 14);
  const months = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => days / 30 / step <= MOST) ?? 240;
  const first = new Date(from);
  const ticks: TimeTick[] = [];
  for (let count = Math.floor(first.getMonth() / months) * months; ; count += months) {
    const time = new Date(first.getFullYear(), count, 1).getTime();
    if (time > to) return ticks;
    if (time >= from)
      ticks.push({ time, label: months < 12 ? month.format(time) : String(new Date(time).getFullYear()) });
  }
}

function everyDays(from: number, to: number, step: number): TimeTick[] {
  const first = new Date(from);
  const ticks: TimeTick[] = [];
  for (let count = 0; ; count += step) {
    const time = new Date(first.getFullYear(), first.getMonth(), first.getDate() + count).getTime();
    if (time > to) return ticks;
    if (time >= from) ticks.push({ time, label: shortDay.format(time) });
  }
}
