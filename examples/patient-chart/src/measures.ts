/** The measurements of a patient over time, from observations. */
import type { ConceptFragment, PatientChartQuery, ValuesFragment } from './gql/graphql';

type Chart = NonNullable<PatientChartQuery['Patient']>;
type Edges = NonNullable<NonNullable<Chart['ObservationConnection']>['edges']>;
type Observation = NonNullable<NonNullable<Edges[number]>['resource']>;

export interface Point {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly value: number;
}

export interface Line {
  readonly name: string;
  /** In order of time. */
  readonly points: Point[];
}

export interface Measure {
  readonly name: string;
  readonly unit: string;
  /** One, or one for each component: systolic and diastolic. */
  readonly lines: Line[];
}

export interface Measures {
  /** With several values over time. */
  readonly charted: Measure[];
  /** With one value, as text. */
  readonly single: { readonly name: string; readonly text: string }[];
}

export function nameOf(concept: ConceptFragment | null | undefined): string {
  const coding = concept?.coding?.find((one) => one?.display || one?.code);
  return concept?.text ?? coding?.display ?? coding?.code ?? 'No name';
}

/** Returns the value of an observation with its unit: `128 / 82 mmHg`. */
export function toText({ valueQuantity, component }: ValuesFragment): string {
  const quantities = [valueQuantity, ...(component ?? []).map((part) => part?.valueQuantity)];
  const stated = quantities.filter((one) => typeof one?.value === 'number');
  return `${stated.map((one) => one?.value).join(' / ')} ${stated[0]?.unit ?? ''}`.trim();
}

function addPoint(lines: Line[], name: string, point: Point): void {
  const line = lines.find((one) => one.name === name);
  if (line === undefined) lines.push({ name, points: [point] });
  else line.points.push(point);
}

export function toMeasures(observations: readonly (Observation | null | undefined)[]): Measures {
  const measures = new Map<string, Measure>();
  for (const observation of observations) {
    if (!observation?.effectiveDateTime) continue;
    const time = Date.parse(observation.effectiveDateTime);
    const values = [observation, ...(observation.component ?? [])].flatMap((part) =>
      typeof part?.valueQuantity?.value === 'number'
        ? [{ name: nameOf(part.code), value: part.valueQuantity.value, unit: part.valueQuantity.unit ?? '' }]
        : [],
    );
    const [first] = values;
    if (first === undefined) continue;
    const name = nameOf(observation.code);
    const key = `${name}|${first.unit}`;
    const measure = measures.get(key) ?? { name, unit: first.unit, lines: [] };
    measures.set(key, measure);
    // A component in another unit would not fit on the same axis.
    for (const one of values)
      if (one.unit === first.unit) addPoint(measure.lines, one.name, { time, value: one.value });
  }
  return toMeasuresByKind([...measures.values()].sort((one, other) => one.name.localeCompare(other.name)));
}

function toMeasuresByKind(measures: readonly Measure[]): Measures {
  const charted: Measure[] = [];
  const single: { name: string; text: string }[] = [];
  for (const measure of measures) {
    for (const { points } of measure.lines) points.sort((one, other) => one.time - other.time);
    if (measure.lines.some(({ points }) => points.length > 1)) charted.push(measure);
    else {
      const values = measure.lines.map(({ points }) => points[0]?.value).join(' / ');
      single.push({ name: measure.name, text: `${values} ${measure.unit}` });
    }
  }
  return { charted, single };
}
