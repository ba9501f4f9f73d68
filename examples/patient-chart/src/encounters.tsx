/** The encounters of a patient on one axis of time, the newest as a list. */
import { graphql } from './gql';
import type { EncountersFragment } from './gql/graphql';
import { nameOf } from './measures';
import { dayOf, toTimeTicks } from './time-axis';

graphql(`
  fragment Encounters on Patient {
    EncounterConnection(_reference: subject, _sort: "-date", first: 50) {
      count
      nodes {
        _key
        status
        class {
          code
          display
        }
        type {
          ...Concept
        }
        period {
          start
          end
        }
      }
    }
  }
`);

const SIZE = { width: 860, height: 64, side: 16, line: 24 };

export function Encounters({ patient }: { patient: EncountersFragment }) {
  const connection = patient.EncounterConnection;
  const encounters = (connection?.nodes ?? []).flatMap((one) => {
    const start = one?.period?.start ? Date.parse(one.period.start) : NaN;
    if (!one || Number.isNaN(start)) return [];
    const end = one.period?.end ? Date.parse(one.period.end) : start;
    return [
      {
        key: one._key,
        start,
        end,
        name: one.type?.[0] ? nameOf(one.type[0]) : 'Encounter',
        kind: one.class?.display ?? one.class?.code ?? '',
      },
    ];
  });
  if (encounters.length === 0) return null;
  const [from, to] = [
    Math.min(...encounters.map(({ start }) => start)),
    Math.max(...encounters.map(({ end }) => end)),
  ];
  const x = (time: number) => SIZE.side + ((time - from) / (to - from || 1)) * (SIZE.width - 2 * SIZE.side);
  return (
    <section className="encounters" aria-label="Encounters">
      <h3>
        Encounters <span className="quiet">{connection?.count}</span>
      </h3>
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label="Encounters over time">
        <line className="axis" x1={SIZE.side} x2={SIZE.width - SIZE.side} y1={SIZE.line} y2={SIZE.line} />
        {toTimeTicks(from, to).map(({ time, label }) => (
          <g key={time} className="tick">
            <line x1={x(time)} x2={x(time)} y1={SIZE.line - 6} y2={SIZE.line + 6} />
            <text x={x(time)} y={SIZE.height - 8} textAnchor="middle">
              {label}
            </text>
          </g>
        ))}
        {encounters.map(({ key, start, end, name }) => (
          <rect
            key={key}
            x={x(start) - 4}
            y={SIZE.line - 8}
            width={Math.max(8, x(end) - x(start))}
            height={16}
            rx={4}
          >
            <title>{`${dayOf(start)}: ${name}`}</title>
          </rect>
        ))}
      </svg>
      <ol>
        {encounters.slice(0, 5).map(({ key, start, name, kind }) => (
          <li key={key}>
            <time>{dayOf(start)}</time> {name} <span className="quiet">{kind}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
