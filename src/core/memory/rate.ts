/** A rate limit as a token bucket: it holds at most `quota` tokens and refills completely in `windowMs`. */
export interface Rate {
  readonly quota: number;
  readonly windowMs: number;
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000 };
const UNITS = new Map(Object.entries(WINDOWS).map(([unit, windowMs]) => [windowMs, unit]));
const MAX_QUOTA = 1_000_000_000;

export const RATES_EXPECTED =
  'off, or a rate such as 50/s or 1000/m, or one of each with a comma between them';

/** Parses `50/s`, `1000/m` or `50/s,1000/m`; `off` and '' mean no limits. Undefined: the text is invalid. */
export function parseRates(text: string): readonly Rate[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'off') return [];
  const rates: Rate[] = [];
  for (const part of trimmed.split(',')) {
    const [, written, unit = ''] = /^\s*(\d{1,10})\s*\/\s*([sm])\s*$/.exec(part) ?? [];
    const quota = Number(written);
    const windowMs = WINDOWS[unit];
    const isTwice = rates.some((rate) => rate.windowMs === windowMs);
    if (windowMs === undefined || !(quota >= 1 && quota <= MAX_QUOTA) || isTwice) return undefined;
    rates.push({ quota, windowMs });
  }
  return rates;
}

export function printRates(rates: readonly Rate[]): string {
  if (rates.length === 0) return 'off';
  return rates.map(({ quota, windowMs }) => `${quota}/${UNITS.get(windowMs) ?? `${windowMs}ms`}`).join(',');
}
