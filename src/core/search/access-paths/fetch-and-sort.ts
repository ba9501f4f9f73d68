import { MAX_SORTED } from '../sort/order';
import { COST, listingCost } from './cost';
import { hasAccessPath } from './indexed-access';
import type { AccessPathKind } from './situation';

/** Fetches all resources that meet one criterion, and sorts those that meet the others. */
export const fetchAndSort: AccessPathKind = (situation) =>
  situation.criteria.flatMap((criterion, index) => {
    if (!hasAccessPath(criterion)) return [];
    // A criterion that could not be counted to its end is fetched only where there is no other access path.
    const penalty = Number.isFinite(situation.countOf(index)) ? 1 : 1000;
    return {
      accessPath: { kind: 'fetchAndSort', criterion: index },
      rows: situation.rowsOf(index),
      costOfRow: (listingCost(criterion) + COST.fetchedHead) * penalty,
      covers: [index],
    };
  });

/** The same for an order by values, which are in the texts of the resources: all matches are read. */
export const fetchAndSortByValue: AccessPathKind = (situation) =>
  situation.criteria.flatMap((criterion, index) => {
    const rows = situation.rowsOf(index);
    // Counts are some seconds old, so there may be twice as many matches by now.
    const areFew = Number.isFinite(situation.countOf(index)) && rows <= MAX_SORTED / 2;
    if (!areFew || !hasAccessPath(criterion)) return [];
    return {
      accessPath: { kind: 'fetchAndSort', criterion: index },
      rows,
      costOfRow: COST.fetchedHead,
      cost: rows * situation.shareOfOthers([index]) * COST.text,
      covers: [index],
    };
  });
