/** Finds the enabled items of a response (https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.enableWhen). */
import type { JsonObject } from '../../json';
import { PathCache, type PathEnvironment } from '../../path';
import { objectsMember, stringMember } from '../../terminology/members';
import type { ProfileRun } from '../profile/profile-run';
import { areAllTrue, conditionHolds, isAnyTrue } from './compare-answers';
import { typedMember, type Condition, type QuestionnaireItem, type TypedAnswer } from './questionnaire';

/** An item of the response, with its place in document order. */
interface Occurrence {
  readonly order: number;
  readonly answers: readonly TypedAnswer[];
}

/** The orders of the items in an element of the response: [first, end). */
type Extent = readonly [first: number, end: number];

const NOTHING: readonly Occurrence[] = [];

export class Enablement {
  private readonly occurrences = new Map<string, Occurrence[]>();
  private readonly extents = new Map<JsonObject, Extent>();
  private readonly environment: PathEnvironment;
  private order = 0;

  constructor(
    response: JsonObject,
    private readonly at: ProfileRun,
  ) {
    this.collect(response);
    this.environment = {
      resource: response,
      rootResource: at.run.rootResource,
      allowance: at.formAllowance,
      cache: new PathCache(),
    };
  }

  /**
   * Returns true for an item that is enabled; undefined: the server cannot know. `item`: that of the response, if it has one.
   * `surrounding`: the response and the elements of it that are around the item, from the outermost.
   */
  isEnabled(
    { conditions, isAnyEnough, expressions }: QuestionnaireItem,
    item: JsonObject | undefined,
    surrounding: readonly JsonObject[],
  ): boolean | undefined {
    if (conditions.length === 0 && expressions.length === 0) return true;
    const holds = conditions.map((condition) => this.holds(condition, surrounding));
    const byAnswers = isAnyEnough && holds.length > 0 ? isAnyTrue(holds) : areAllTrue(holds);
    if (byAnswers === false) return false;
    return areAllTrue([byAnswers, ...expressions.map((expression) => expression(item, this.environment))]);
  }

  private collect(element: JsonObject): void {
    const first = this.order;
    for (const item of objectsMember(element, 'item')) {
      const linkId = stringMember(item, 'linkId') ?? '';
      const elements = objectsMember(item, 'answer');
      const answers = elements.flatMap((answer) => typedMember(answer, 'value') ?? []);
      const occurrence = { order: this.order++, answers };
      const list = this.occurrences.get(linkId);
      if (list === undefined) this.occurrences.set(linkId, [occurrence]);
      else list.push(occurrence);
      for (const answer of elements) this.collect(answer);
      this.collect(item);
      this.extents.set(item, [occurrence.order, this.order]);
    }
    this.extents.set(element, [first, this.order]);
  }

  /** Undefined too if the question occurs several times near the item, with answers that disagree. */
  private holds(condition: Condition, surrounding: readonly JsonObject[]): boolean | undefined {
    const nearest = this.nearest(condition.question, surrounding);
    if (nearest.length <= 1) return conditionHolds(condition, nearest[0]?.answers ?? []);
    if (!this.at.spend(nearest.length)) return undefined;
    const [first, ...others] = nearest.map(({ answers }) => conditionHolds(condition, answers));
    return others.every((each) => each === first) ? first : undefined;
  }

  /** Returns the items of a question in the innermost element around the item that has any. */
  private nearest(linkId: string, surrounding: readonly JsonObject[]): readonly Occurrence[] {
    const all = this.occurrences.get(linkId) ?? NOTHING;
    if (all.length <= 1) return all;
    for (let depth = surrounding.length - 1; depth >= 0; depth--) {
      const element = surrounding[depth];
      const [first, end] = (element && this.extents.get(element)) ?? [0, 0];
      const from = indexFrom(all, first);
      const inside = all.slice(from, indexFrom(all, end));
      if (inside.length > 0) return inside;
    }
    return all;
  }
}

/** Returns the index of the first occurrence that is not before `order`. */
function indexFrom(occurrences: readonly Occurrence[], order: number): number {
  let [low, high] = [0, occurrences.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((occurrences[middle]?.order ?? order) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
