import type { RequestContext } from '../../context';
import type { Services } from '../../ports';
import { lookUpTokens, type TokenQuery } from '../../storage/search/token-look-up';
import { keyOfText } from '../../storage/read/version-row';
import type { Condition } from '../conditional/condition';
import type { ConditionMatch } from '../conditional/find-matches';

/**
 * The matches, by name, of the conditions on one token with its system, such as an identifier; at most `most` resources
 * each. Other conditions are left out. Cost: one statement for each thousand.
 */
export async function findIdentified(
  services: Pick<Services, 'database' | 'isConformanceType' | 'keys'>,
  { space }: RequestContext,
  conditions: readonly Condition[],
  most: number,
): Promise<ReadonlyMap<string, readonly ConditionMatch[]>> {
  const names: string[] = [];
  const questions: TokenQuery[] = [];
  for (const condition of conditions) {
    const question = questionOf(condition);
    if (question === undefined || services.isConformanceType(space.release, condition.type)) continue;
    names.push(condition.name);
    questions.push(question);
  }
  if (questions.length === 0) return new Map();
  const answers = await lookUpTokens(services.database, space.number, questions, most);
  return new Map(
    names.map((name, place) => [
      name,
      (answers[place] ?? []).map(({ keyText, id, version }) => ({
        id: id ?? services.keys.idOf(keyOfText(keyText)),
        keyText,
        version,
        isBase: false,
      })),
    ]),
  );
}

/**
 * The token lookups of the conditions, in their order; undefined if one of them cannot be found by
 * `findIdentified`.
 */
export function questionsOf(
  services: Pick<Services, 'isConformanceType'>,
  { space }: RequestContext,
  conditions: readonly Condition[],
): readonly TokenQuery[] | undefined {
  const questions: TokenQuery[] = [];
  for (const condition of conditions) {
    const question = questionOf(condition);
    if (question === undefined || services.isConformanceType(space.release, condition.type)) return undefined;
    questions.push(question);
  }
  return questions;
}

function questionOf({ typeNumber, criteria }: Condition): TokenQuery | undefined {
  const [criterion, another] = criteria;
  if (criterion === undefined || another !== undefined || criterion.isNegated === true) return undefined;
  const [predicate, alternative] = criterion.anyOf;
  if (predicate?.index !== 'token' || alternative !== undefined) return undefined;
  const { parameter, value, system } = predicate;
  // A code without a system may be stored with several systems, once for each.
  return value === undefined || system === undefined
    ? undefined
    : { type: typeNumber, parameter, value, system };
}
