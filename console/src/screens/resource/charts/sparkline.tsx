/** The course of values as a small line; the table beside it has the numbers. */
import type { UnitGroup } from '../../../fhir/measures';
import { linePoints } from '../../../fhir/line-points';

const [WIDTH, HEIGHT] = [120, 28];

export function Sparkline({ group }: { readonly group: UnitGroup }) {
  const lines = linePoints(group, WIDTH, HEIGHT);
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden focusable="false">
      {lines.map((points, index) => (
        <polyline
          key={index}
          points={points}
          fill="none"
          stroke="var(--mantine-primary-color-filled)"
          strokeWidth={1.5}
          strokeLinejoin="round"
        />
      ))}
    </svg>
  );
}
