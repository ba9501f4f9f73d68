/** The access paths that need no criterion: they go through all resources of the type in the order wanted. */
import { COST } from './cost';
import type { AccessPathKind } from './situation';

/** Scans the rows of the parameter that is sorted by. */
export const sortIndexScan: AccessPathKind = (situation) => [
  {
    accessPath: { kind: 'sortIndexScan' },
    rows: situation.scannedRows(situation.expected.total, []),
    costOfRow: COST.valueRow + (situation.criteria.length === 0 ? 0 : COST.headOfRow),
    covers: [],
  },
];

/** Scans the heads of the type. */
export const headScan: AccessPathKind = (situation) => [
  {
    accessPath: { kind: 'headScan' },
    rows: situation.scannedRows(situation.expected.total, []),
    costOfRow: COST.scannedRow * 2,
    covers: [],
  },
];

/** Scans the rows of the clinical date. */
export const dateScan: AccessPathKind = (situation) =>
  situation.sortDateParameter === undefined
    ? []
    : [
        {
          accessPath: { kind: 'dateScan', parameter: situation.sortDateParameter },
          rows: situation.scannedRows(situation.expected.total, []),
          costOfRow: COST.scannedRow,
          covers: [],
        },
      ];
