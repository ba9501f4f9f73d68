/** The numbers of observations, by what was measured and in which unit. */
import { isObject, numberOf, objectsOf, textOf, type JsonObject } from '../api/json';
import { formatCodeableConcept } from './format';
import { readReferenceLimits, type ReferenceLimits } from './reference-range';
import { dateRange } from '../../../packages/fhir-values/date';

/** One observation at its time, with the numbers of its series. */
export interface MeasureRow {
  /** Id of the observation. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** As it is written in the record. */
  readonly date: string;
  /** By the names of series. */
  readonly values: ReadonlyMap<string, MeasuredValue>;
}

export interface MeasuredValue extends ReferenceLimits {
  readonly number: number;
  /** `<`, `<=`, `>=` or `>`: the number is a bound of the value. Undefined: it is the value. */
  readonly comparator: string | undefined;
  /** With its comparator and all digits that it was written with. */
  readonly digits: string;
}

/** The values of one unit: what belongs on one pair of axes. */
export interface UnitGroup {
  readonly unit: string;
  /** The name of the measurement, or those of its components. */
  readonly series: readonly string[];
  /** Oldest first. */
  readonly rows: readonly MeasureRow[];
}

export interface Measure {
  readonly key: string;
  readonly name: string;
  /** All words and codes by which people may look for it. */
  readonly words: string;
  /** Observations. */
  readonly count: number;
  readonly units: readonly UnitGroup[];
}

/** On which side of its reference range a value is; undefined: inside, it has none, or a bound of the value does not tell. */
export function beyondRange({ number, comparator, low, high }: MeasuredValue): 'low' | 'high' | undefined {
  const [mayBeLower, mayBeHigher] = [
    comparator?.startsWith('<') === true,
    comparator?.startsWith('>') === true,
  ];
  if (!mayBeHigher && low !== undefined && (number < low || (comparator === '<' && number === low)))
    return 'low';
  if (!mayBeLower && high !== undefined && (number > high || (comparator === '>' && number === high)))
    return 'high';
  return undefined;
}

interface Found {
  readonly series: string;
  readonly unit: string;
  readonly value: MeasuredValue;
}

/** What tells measurements apart: system and code of the first coding, or else the text. */
export function measureKey(concept: JsonObject): string | undefined {
  const [coding] = objectsOf(concept['coding']).filter(({ code }) => textOf(code) !== undefined);
  if (coding === undefined) return textOf(concept['text']);
  return `${textOf(coding['system']) ?? ''}|${textOf(coding['code']) ?? ''}`;
}

/** When something was observed. */
function observedAt(observation: JsonObject): string | undefined {
  const period = isObject(observation['effectivePeriod']) ? observation['effectivePeriod'] : {};
  const dates = [
    observation['effectiveDateTime'],
    observation['effectiveInstant'],
    period['start'],
    period['end'],
    observation['issued'],
  ];
  return dates.map((date) => textOf(date)).find((date) => date !== undefined);
}

function numberIn(holder: JsonObject): Omit<Found, 'series'> | undefined {
  const quantity = isObject(holder['valueQuantity']) ? holder['valueQuantity'] : undefined;
  const raw = quantity === undefined ? holder['valueInteger'] : quantity['value'];
  const number = numberOf(raw);
  if (number === undefined) return undefined;
  const unit = textOf(quantity?.['unit']) ?? textOf(quantity?.['code']) ?? '';
  const comparator = textOf(quantity?.['comparator']);
  const digits = [comparator, textOf(raw)].filter((part) => part !== undefined).join(' ');
  return { unit, value: { number, comparator, digits, ...readReferenceLimits(holder, quantity) } };
}

function numbersOf(observation: JsonObject, name: string): readonly Found[] {
  const own = numberIn(observation);
  const parts = objectsOf(observation['component']).flatMap((component) => {
    const found = numberIn(component);
    const series = isObject(component['code']) ? formatCodeableConcept(component['code']) : '';
    return found === undefined ? [] : [{ ...found, series }];
  });
  return [...(own === undefined ? [] : [{ ...own, series: name }]), ...parts];
}

interface UnitDraft {
  readonly series: Set<string>;
  readonly rows: MeasureRow[];
}

interface Draft {
  readonly name: string;
  readonly words: Set<string>;
  readonly units: Map<string, UnitDraft>;
  readonly ids: Set<string>;
}

/** The measurements of observations that have numbers and dates, those with the most values first. */
export function measuresOf(observations: readonly JsonObject[]): readonly Measure[] {
  const drafts = new Map<string, Draft>();
  for (const observation of observations) addTo(drafts, observation);
  return [...drafts]
    .map(([key, { name, words, units, ids }]) => ({
      key,
      name,
      words: [...words].join(' ').toLowerCase(),
      count: ids.size,
      units: [...units].map(([unit, { series, rows }]) => ({
        unit,
        series: [...series],
        rows: rows.toSorted((one, other) => one.time - other.time),
      })),
    }))
    .toSorted((one, other) => other.count - one.count || one.name.localeCompare(other.name));
}

function addTo(drafts: Map<string, Draft>, observation: JsonObject): void {
  const concept = isObject(observation['code']) ? observation['code'] : {};
  const [key, date] = [measureKey(concept), observedAt(observation)];
  const time = date === undefined ? undefined : dateRange(date)?.low;
  if (key === undefined || date === undefined || time === undefined) return;
  const name = formatCodeableConcept(concept);
  const found = numbersOf(observation, name);
  if (found.length === 0) return;
  const draft: Draft = drafts.get(key) ?? { name, words: new Set([name]), units: new Map(), ids: new Set() };
  drafts.set(key, draft);
  const id = textOf(observation['id']) ?? '';
  draft.ids.add(id);
  for (const coding of objectsOf(concept['coding']))
    for (const word of [coding['display'], coding['code']]) draft.words.add(textOf(word) ?? '');
  for (const unit of new Set(found.map((each) => each.unit))) {
    const group: UnitDraft = draft.units.get(unit) ?? { series: new Set<string>(), rows: [] };
    draft.units.set(unit, group);
    const ofUnit = found.filter((each) => each.unit === unit);
    for (const { series } of ofUnit) {
      group.series.add(series);
      draft.words.add(series);
    }
    group.rows.push({
      id,
      time,
      date,
      values: new Map(ofUnit.map(({ series, value }) => [series, value])),
    });
  }
}

/** The measurements whose names or codes have all words of a text. */
export function findMeasures(measures: readonly Measure[], text: string): readonly Measure[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return measures.filter((measure) => words.every((word) => measure.words.includes(word)));
}

/** The newest row of all units. */
export function lastOf(measure: Measure): { readonly row: MeasureRow; readonly unit: string } | undefined {
  const lasts = measure.units.flatMap(({ rows, unit }) => {
    const row = rows.at(-1);
    return row === undefined ? [] : [{ row, unit }];
  });
  return lasts.toSorted((one, other) => other.row.time - one.row.time)[0];
}

/** Reference limits that all rows of a series share; undefined where they differ or are absent. */
export function limitsOf(
  { rows }: UnitGroup,
  series: string,
): { readonly low: number | undefined; readonly high: number | undefined } | undefined {
  const values = rows.flatMap(({ values: each }) => each.get(series) ?? []);
  const known = values.filter(({ low, high }) => low !== undefined || high !== undefined);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const isShared = known.every(({ low, high }) => low === last.low && high === last.high);
  return isShared ? { low: last.low, high: last.high } : undefined;
}
