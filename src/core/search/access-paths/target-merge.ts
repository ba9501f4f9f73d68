import { rowsOfTarget, type TargetsMerge } from './access-path';
import { CAUTIOUS_SHARE, COST, MIN_SHARE } from './cost';
import { hasAccessPath, mergedTargets } from './indexed-access';
import type { AccessPathKind } from './situation';

/** Merges the resources that refer to each target of a chain. */
export const targetMerge: AccessPathKind = (situation) =>
  situation.criteria.flatMap((criterion, index) => {
    const targets = hasAccessPath(criterion) ? mergedTargets(criterion) : undefined;
    if (targets === undefined) return [];
    const { limit } = situation.expected;
    const share = Math.max(situation.shareOfOthers([index], CAUTIOUS_SHARE), MIN_SHARE);
    const accessPath: TargetsMerge = { kind: 'targetMerge', criterion: index, targets, share };
    return {
      accessPath,
      rows: Math.min(situation.rowsOf(index), targets * rowsOfTarget(accessPath, limit) + limit / share),
      costOfRow: COST.mergedRow,
      cost: targets * COST.target,
      covers: [index],
    };
  });
