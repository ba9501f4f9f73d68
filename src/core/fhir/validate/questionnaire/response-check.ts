/** Checks a QuestionnaireResponse against its Questionnaire (https://hl7.org/fhir/R4/questionnaireresponse.html). */
import type { JsonObject } from '../../json';
import { shorten, type JsonPath } from '../../json/fault';
import { objectsMember, stringMember } from '../../terminology/members';
import { ProfileRun } from '../profile/profile-run';
import type { ValidationRun } from '../run';
import { checkAnswer } from './answer-check';
import { Enablement } from './enablement';
import { typedMember, type QuestionnaireItem, type ReadQuestionnaire } from './questionnaire';

/** In these states nothing may be missing. */
const FINISHED: ReadonlySet<string> = new Set(['completed', 'amended']);

/**
 * Reports where a response does not fit its questionnaire. The current place of `run` is that of the response. Cost:
 * linear in the items of both, and in the options of the answers.
 */
export function checkResponse(
  response: JsonObject,
  questionnaire: ReadQuestionnaire,
  run: ValidationRun,
): void {
  new ResponseCheck(response, questionnaire, ProfileRun.of(run)).run(response);
}

/** A place in the response: what is around the items there. */
interface ItemContext {
  /** The response and the elements around the items, from the outermost. */
  readonly surrounding: readonly JsonObject[];
  /** True if all items around them are enabled, as far as the server can tell. Else nothing is required. */
  readonly isEnabled: boolean;
}

class ResponseCheck {
  private readonly enablement: Enablement;
  private readonly isFinished: boolean;

  constructor(
    response: JsonObject,
    private readonly questionnaire: ReadQuestionnaire,
    private readonly at: ProfileRun,
  ) {
    this.isFinished = FINISHED.has(stringMember(response, 'status') ?? '');
    this.enablement = new Enablement(response, at);
  }

  run(response: JsonObject): void {
    this.checkItems(response, this.questionnaire.items, undefined, {
      surrounding: [response],
      isEnabled: true,
    });
  }

  /** Checks the items of `source`, which is at the current place, and the absence of required ones. */
  private checkItems(
    source: JsonObject,
    definitions: readonly QuestionnaireItem[],
    parent: QuestionnaireItem | undefined,
    place: ItemContext,
  ): void {
    const items = objectsMember(source, 'item');
    if (!this.at.spend(items.length + definitions.length)) return;
    const positions = new Map(definitions.map((definition, position) => [definition.linkId, position]));
    const counts = new Map<string, number>();
    let last = 0;
    items.forEach((item, index) => {
      const linkId = stringMember(item, 'linkId') ?? '';
      const position = positions.get(linkId);
      const definition = position === undefined ? undefined : definitions[position];
      this.inElement('item', index, () => {
        if (position === undefined || definition === undefined) {
          this.reportForeign(linkId, parent);
          return;
        }
        if (position < last)
          this.report(
            `The item '${shorten(linkId)}' must come before those that follow it in the questionnaire`,
          );
        last = Math.max(last, position);
        counts.set(linkId, (counts.get(linkId) ?? 0) + 1);
        this.checkItem(item, definition, place);
      });
    });
    for (const definition of definitions)
      this.checkCount(definition, counts.get(definition.linkId) ?? 0, place);
  }

  private checkCount(definition: QuestionnaireItem, count: number, place: ItemContext): void {
    const { linkId, type, repeats, limits } = definition;
    const name = `The item '${shorten(linkId)}'`;
    if (count > 1 && !(repeats && type === 'group'))
      this.report(
        `${name} occurs ${count} times; it may occur once${repeats ? ', with several answers' : ''}`,
        ['item'],
      );
    if (limits.maxOccurs !== undefined && type === 'group' && count > limits.maxOccurs)
      this.report(`${name} occurs ${count} times; at most ${limits.maxOccurs} are allowed`, ['item']);
    if (count === 0 && this.isFinished && this.isMissing(definition, place))
      this.report(`${name} is required and missing`, ['item']);
  }

  /** True if an item that is not there must be. A group must be if one of its items could. */
  private isMissing(definition: QuestionnaireItem, { surrounding, isEnabled }: ItemContext): boolean {
    if (!isEnabled || !definition.isRequired) return false;
    return this.canBeThere(definition, surrounding);
  }

  private canBeThere(definition: QuestionnaireItem, surrounding: readonly JsonObject[]): boolean {
    const { type, isAsked, items } = definition;
    if (type === 'display' || !isAsked || !this.at.spend(1)) return false;
    if (this.enablement.isEnabled(definition, undefined, surrounding) !== true) return false;
    return type !== 'group' || items.some((item) => this.canBeThere(item, surrounding));
  }

  /** The current place is the item. */
  private checkItem(item: JsonObject, definition: QuestionnaireItem, around: ItemContext): void {
    const { linkId, type, text } = definition;
    const name = `The item '${shorten(linkId)}'`;
    const answers = objectsMember(item, 'answer');
    const given = stringMember(item, 'text');
    if (given !== undefined && text !== undefined && given !== text)
      this.report(
        `${name} has another text than in the questionnaire: '${shorten(text)}'`,
        ['text'],
        'warning',
      );
    const isEnabled = this.enablement.isEnabled(definition, item, around.surrounding);
    if (isEnabled === false) {
      // A form filler may keep the answers of disabled items until the response is finished.
      if (hasAnswers(item))
        this.report(
          `${name} is not enabled by the answers that it depends on, so it must be absent`,
          [],
          this.isFinished ? 'error' : 'warning',
        );
      return;
    }
    const place = {
      surrounding: [...around.surrounding, item],
      isEnabled: around.isEnabled && isEnabled === true,
    };
    if (type === 'group' || type === 'display') {
      if (answers.length > 0) this.report(`${name} is of type ${type}, which has no answers`, ['answer']);
      if (type === 'group') this.checkItems(item, definition.items, definition, place);
      return;
    }
    if (objectsMember(item, 'item').length > 0)
      this.report(`${name} is a question: its items must be in its answers`, ['item']);
    this.checkAnswers(answers, definition, place);
  }

  private checkAnswers(
    answers: readonly JsonObject[],
    definition: QuestionnaireItem,
    place: ItemContext,
  ): void {
    const { linkId, isRequired, isAsked, repeats, limits } = definition;
    const name = `The question '${shorten(linkId)}'`;
    const mustBeAnswered = this.isFinished && place.isEnabled;
    if (answers.length === 0 && isRequired && mustBeAnswered)
      this.report(`${name} must be answered`, ['answer']);
    if (answers.length > 1 && !repeats)
      this.report(`${name} has ${answers.length} answers; it takes one`, ['answer']);
    if (limits.maxOccurs !== undefined && answers.length > limits.maxOccurs)
      this.report(`${name} has ${answers.length} answers; at most ${limits.maxOccurs} are allowed`, [
        'answer',
      ]);
    if (limits.minOccurs !== undefined && answers.length < limits.minOccurs && mustBeAnswered && isAsked)
      this.report(`${name} has ${answers.length} answers; at least ${limits.minOccurs} are needed`, [
        'answer',
      ]);
    answers.forEach((answer, index) => {
      if (!this.at.spend(1)) return;
      this.inElement('answer', index, () => {
        const value = typedMember(answer, 'value');
        if (value !== undefined) checkAnswer(value, definition, this.questionnaire, this.at);
        const inside = { surrounding: [...place.surrounding, answer], isEnabled: place.isEnabled };
        this.checkItems(answer, definition.items, definition, inside);
      });
    });
  }

  private reportForeign(linkId: string, parent: QuestionnaireItem | undefined): void {
    const known = this.questionnaire.byLinkId.get(linkId);
    if (known === undefined) {
      this.report(`The questionnaire has no item '${shorten(linkId)}'`, ['linkId']);
      return;
    }
    const place = (name: string | undefined): string =>
      name === undefined ? 'the response itself' : `'${shorten(name)}'`;
    this.report(
      `The item '${shorten(linkId)}' is below ${place(parent?.linkId)}; it must be below ${place(known.parent)}`,
      ['linkId'],
    );
  }

  private report(sentence: string, below: JsonPath = [], severity: 'error' | 'warning' = 'error'): void {
    this.at.report('questionnaire', sentence, below, severity);
  }

  private inElement(name: 'item' | 'answer', index: number, check: () => void): void {
    this.at.push(name);
    this.at.push(index);
    check();
    this.at.pop();
    this.at.pop();
  }
}

/** True if there is an answer in an item of a response, at any depth. */
function hasAnswers(item: JsonObject): boolean {
  return (
    objectsMember(item, 'answer').some(
      (answer) =>
        typedMember(answer, 'value') !== undefined || objectsMember(answer, 'item').some(hasAnswers),
    ) || objectsMember(item, 'item').some(hasAnswers)
  );
}
