import type { ValueOrder } from '../sort/order';
import { COST } from './cost';
import { hasAccessPath, rangesUnderCodes } from './indexed-access';
import type { AccessPathKind } from './situation';

/** Scans the rows of a composite under each code of a criterion, in the order of their values. */
export function compositeScan({ rows: sorted }: ValueOrder): AccessPathKind {
  return (situation) =>
    situation.criteria.flatMap((criterion, index) => {
      const ranges = hasAccessPath(criterion) ? rangesUnderCodes(criterion, sorted) : undefined;
      if (ranges === undefined) return [];
      return {
        accessPath: { kind: 'compositeScan', criterion: index, ranges },
        rows: situation.scannedRows(situation.rowsOf(index), [index]),
        costOfRow: situation.criteria.length === 1 ? COST.scannedRow : COST.valueRow + COST.headOfRow,
        covers: [index],
      };
    });
}
