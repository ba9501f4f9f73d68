/** The table of string folding, definitions/fold-table.json. scripts/build-fold-table.mjs generates it from Unicode. */
import { readFileSync } from 'node:fs';
import { findDefinitionsFile } from '../../fhir/definitions';

export interface FoldTable {
  /** Raised with each change of the folding: rows of another version need a reindex. */
  readonly version: number;
  /** Characters that become one other: the first code point, how many, their step, the first target. */
  readonly runs: readonly (readonly [first: number, count: number, step: number, target: number])[];
  /** Characters that are dropped: the first code point, how many. */
  readonly vanishing: readonly (readonly [first: number, count: number])[];
  /** Characters that become several. */
  readonly expansions: readonly (readonly [code: number, text: string])[];
}

let table: FoldTable | undefined;

/** Cost: about a millisecond the first time. */
export function readFoldTable(): FoldTable {
  if (table !== undefined) return table;
  const parsed: unknown = JSON.parse(readFileSync(findDefinitionsFile('fold-table.json'), 'utf8'));
  if (!isFoldTable(parsed))
    throw new Error('definitions/fold-table.json is not what scripts/build-fold-table.mjs writes');
  return (table = parsed);
}

function isFoldTable(value: unknown): value is FoldTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    'runs' in value &&
    'expansions' in value
  );
}
