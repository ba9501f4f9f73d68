import type { Line, Measure } from './measures';
import { dayOf, toTimeTicks } from './time-axis';

/** In units of the picture, which has the width of its container. */
const SIZE = { width: 420, height: 190, left: 44, right: 28, top: 24, bottom: 26 };
const plot = {
  width: SIZE.width - SIZE.left - SIZE.right,
  height: SIZE.height - SIZE.top - SIZE.bottom,
};

interface Scale {
  x(time: number): number;
  y(value: number): number;
  readonly times: readonly [number, number];
  readonly values: readonly [number, number];
}

function toScale(lines: readonly Line[]): Scale {
  const points = lines.flatMap((line) => line.points);
  const all = points.map(({ value }) => value);
  const times = [
    Math.min(...points.map(({ time }) => time)),
    Math.max(...points.map(({ time }) => time)),
  ] as const;
  const margin = (Math.max(...all) - Math.min(...all)) * 0.1 || 1;
  const values = [Math.min(...all) - margin, Math.max(...all) + margin] as const;
  return {
    times,
    values,
    x: (time) => SIZE.left + ((time - times[0]) / (times[1] - times[0] || 1)) * plot.width,
    y: (value) => SIZE.top + (1 - (value - values[0]) / (values[1] - values[0])) * plot.height,
  };
}

/** Returns two to five round values between two values. */
function toTicks([least, most]: readonly [number, number]): number[] {
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks: number[] = [];
  for (let count = Math.ceil(least / step); count * step <= most; count += 1)
    ticks.push(Number((count * step).toPrecision(12)));
  return ticks;
}

export function MeasureChart({ measure: { name, unit, lines } }: { measure: Measure }) {
  const scale = toScale(lines);
  const ticks = toTicks(scale.values);
  return (
    <figure>
      <figcaption>
        <strong>{name}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        role="img"
        aria-label={`${name} over time, in ${unit}`}
      >
        {ticks.map((tick) => (
          <g key={tick} className="tick">
            <line x1={SIZE.left} x2={SIZE.width - SIZE.right} y1={scale.y(tick)} y2={scale.y(tick)} />
            <text x={SIZE.left - 6} y={scale.y(tick) + 4} textAnchor="end">
              {tick}
            </text>
          </g>
        ))}
        <text className="unit" x={SIZE.left} y={SIZE.top - 6}>
          {unit}
        </text>
        {toTimeTicks(...scale.times).map(({ time, label }) => (
          <g key={time} className="tick time">
            <line x1={scale.x(time)} x2={scale.x(time)} y1={SIZE.top} y2={SIZE.height - SIZE.bottom} />
            <text x={scale.x(time)} y={SIZE.height - 8} textAnchor="middle">
              {label}
            </text>
          </g>
        ))}
        {lines.map((line, index) => (
          <g key={line.name} className={`line line-${index % 4}`}>
            <polyline
              points={line.points.map(({ time, value }) => `${scale.x(time)},${scale.y(value)}`).join(' ')}
            />
            {line.points.map(({ time, value }, place) => (
              <circle key={place} cx={scale.x(time)} cy={scale.y(value)} r={3.5}>
                <title>{`${dayOf(time)}: ${value} ${unit}`}</title>
              </circle>
            ))}
          </g>
        ))}
      </svg>
      {lines.length > 1 && (
        <p className="legend">
          {lines.map((line, index) => (
            <span key={line.name} className={`line-${index % 4}`}>
              {line.name}
            </span>
          ))}
        </p>
      )}
    </figure>
  );
}
