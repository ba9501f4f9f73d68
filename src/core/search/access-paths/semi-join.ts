import { rowsOfSemiJoin, type SemiJoin } from './access-path';
import { COST, MIN_SHARE } from './cost';
import { canSemiJoin, hasAccessPath, mergedTargets } from './indexed-access';
import type { AccessPathKind, Candidate, SearchSituation } from './situation';

/** Scans the index of a criterion beside a chain, and looks its rows up among the referrers of the chain's targets. */
export const semiJoin: AccessPathKind = (situation) =>
  situation.criteria.flatMap((criterion, chain) => {
    const targets = hasAccessPath(criterion) ? mergedTargets(criterion) : undefined;
    if (targets === undefined) return [];
    return situation.criteria.flatMap((beside, scanned) =>
      scanned !== chain && canSemiJoin(beside) ? candidate(situation, { scanned, chain, targets }) : [],
    );
  });

function candidate(
  situation: SearchSituation,
  { scanned, chain, targets }: { readonly scanned: number; readonly chain: number; readonly targets: number },
): Candidate {
  const { limit } = situation.expected;
  const rows = situation.rowsOf(chain);
  const all = Math.max(1, situation.rowsOf(scanned));
  const share = Math.max(situation.shareOfOthers([scanned]), MIN_SHARE);
  const accessPath: SemiJoin = { kind: 'semiJoin', criterion: scanned, chain, share };
  const together = Math.min(all, rowsOfSemiJoin(accessPath, limit));
  const found = Math.min(all, limit / share);
  const covers = [scanned, chain];
  return {
    accessPath,
    rows: Math.min(found, limit / Math.max(situation.shareOfOthers(covers), MIN_SHARE)),
    costOfRow: 0,
    cost:
      together * COST.passedRow +
      (found + (rows * together) / all) * COST.probedRow +
      targets * COST.target +
      rows * COST.furtherRow,
    covers,
  };
}
