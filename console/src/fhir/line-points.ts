/** Points of small lines in SVG. */
import type { UnitGroup } from './measures';

/** Distance to the border, so that a line is not cut. */
const BORDER = 2;

/** For each series the points of its line (`x,y x,y …`) in a box of this size. */
export function linePoints({ rows, series }: UnitGroup, width: number, height: number): readonly string[] {
  const numbers = rows.flatMap(({ values }) => [...values.values()].map(({ number }) => number));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const [begin, end] = [rows[0]?.time ?? 0, rows.at(-1)?.time ?? 0];
  const scale = (value: number, from: number, to: number, size: number): number =>
    from === to ? size / 2 : BORDER + ((value - from) / (to - from)) * (size - 2 * BORDER);
  return series.map((name) =>
    rows
      .flatMap(({ time, values }) => {
        const value = values.get(name);
        if (value === undefined) return [];
        const x = scale(time, begin, end, width);
        const y = height - scale(value.number, low, high, height);
        return [`${x.toFixed(1)},${y.toFixed(1)}`];
      })
      .join(' '),
  );
}
