/** Checks a QuestionnaireResponse against its Questionnaire (https://hl7.org/fhir/R4/questionnaireresponse.html). */
import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import { objectsMember, stringMember } from '../../terminology/members';
import { ProfileRun } from '../profile/profile-run';
import type { ValidationRun } from '../run';
import { checkAnswer } from './answer-check';
import { conditionHolds } from './compare-answers';
import {
  typedMember,
  type QuestionnaireItem,
  type ReadQuestionnaire,
  type TypedAnswer,
} from './questionnaire';

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

class ResponseCheck {
  /** All answers by linkId, wherever they are. */
  private readonly answers = new Map<string, TypedAnswer[]>();
  private readonly isFinished: boolean;

  constructor(
    response: JsonObject,
    private readonly questionnaire: ReadQuestionnaire,
    private readonly at: ProfileRun,
  ) {
    this.isFinished = FINISHED.has(stringMember(response, 'status') ?? '');
    this.collect(objectsMember(response, 'item'));
  }

  run(response: JsonObject): void {
    this.checkItems(response, this.questionnaire.items, undefined);
  }

  private collect(items: readonly JsonObject[]): void {
    for (const item of items) {
      const linkId = stringMember(item, 'linkId') ?? '';
      for (const answer of objectsMember(item, 'answer')) {
        const value = typedMember(answer, 'value');
        const list = this.answers.get(linkId);
        if (value !== undefined && list === undefined) this.answers.set(linkId, [value]);
        else if (value !== undefined) list?.push(value);
        this.collect(objectsMember(answer, 'item'));
      }
      this.collect(objectsMember(item, 'item'));
    }
  }

  private isEnabled({ conditions, isAnyEnough }: QuestionnaireItem): boolean {
    if (conditions.length === 0) return true;
    const holds = (condition: QuestionnaireItem['conditions'][number]): boolean =>
      conditionHolds(condition, this.answers.get(condition.question) ?? []);
    return isAnyEnough ? conditions.some(holds) : conditions.every(holds);
  }

  /** Checks the items of `source`, which is at the current place, and the absence of required ones. */
  private checkItems(
    source: JsonObject,
    definitions: readonly QuestionnaireItem[],
    parent: QuestionnaireItem | undefined,
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
        this.checkItem(item, definition);
      });
    });
    for (const definition of definitions) this.checkCount(definition, counts.get(definition.linkId) ?? 0);
  }

  private checkCount(definition: QuestionnaireItem, count: number): void {
    const { linkId, type, isRequired, repeats, limits } = definition;
    const name = `The item '${shorten(linkId)}'`;
    if (count > 1 && !(repeats && type === 'group'))
      this.report(
        `${name} occurs ${count} times; it may occur once${repeats ? ', with several answers' : ''}`,
        ['item'],
      );
    if (limits.maxOccurs !== undefined && type === 'group' && count > limits.maxOccurs)
      this.report(`${name} occurs ${count} times; at most ${limits.maxOccurs} are allowed`, ['item']);
    if (count === 0 && isRequired && type !== 'display' && this.isFinished && this.isEnabled(definition))
      this.report(`${name} is required and missing`, ['item']);
  }

  /** The current place is the item. */
  private checkItem(item: JsonObject, definition: QuestionnaireItem): void {
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
    if (!this.isEnabled(definition) && (answers.length > 0 || objectsMember(item, 'item').length > 0)) {
      this.report(`${name} is not enabled by the answers that it depends on, so it must be absent`);
      return;
    }
    if (type === 'group' || type === 'display') {
      if (answers.length > 0) this.report(`${name} is of type ${type}, which has no answers`, ['answer']);
      if (type === 'group') this.checkItems(item, definition.items, definition);
      return;
    }
    if (objectsMember(item, 'item').length > 0)
      this.report(`${name} is a question: its items must be in its answers`, ['item']);
    this.checkAnswers(answers, definition);
  }

  private checkAnswers(answers: readonly JsonObject[], definition: QuestionnaireItem): void {
    const { linkId, isRequired, repeats, limits } = definition;
    const name = `The question '${shorten(linkId)}'`;
    if (answers.length === 0 && isRequired && this.isFinished)
      this.report(`${name} must be answered`, ['answer']);
    if (answers.length > 1 && !repeats)
      this.report(`${name} has ${answers.length} answers; it takes one`, ['answer']);
    if (limits.maxOccurs !== undefined && answers.length > limits.maxOccurs)
      this.report(`${name} has ${answers.length} answers; at most ${limits.maxOccurs} are allowed`, [
        'answer',
      ]);
    if (limits.minOccurs !== undefined && answers.length < limits.minOccurs && this.isFinished)
      this.report(`${name} has ${answers.length} answers; at least ${limits.minOccurs} are needed`, [
        'answer',
      ]);
    answers.forEach((answer, index) => {
      if (!this.at.spend(1)) return;
      this.inElement('answer', index, () => {
        const value = typedMember(answer, 'value');
        if (value !== undefined) checkAnswer(value, definition, this.questionnaire, this.at);
        this.checkItems(answer, definition.items, definition);
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

  private report(
    sentence: string,
    below: readonly (string | number)[] = [],
    severity: 'error' | 'warning' = 'error',
  ): void {
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
