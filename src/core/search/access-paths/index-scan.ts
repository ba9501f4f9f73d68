import { COST } from './cost';
import { canScanInOrder, hasAccessPath } from './indexed-access';
import type { AccessPathKind } from './situation';

/** Scans the index of one criterion, whose rows carry the clinical date. */
export const indexScan: AccessPathKind = (situation) =>
  situation.criteria.flatMap((criterion, index) =>
    hasAccessPath(criterion) && canScanInOrder(criterion, situation.sortDateParameter)
      ? {
          accessPath: { kind: 'indexScan', criterion: index },
          rows: situation.scannedRows(situation.rowsOf(index), [index]),
          costOfRow: COST.scannedRow,
          covers: [index],
        }
      : [],
  );
