import type { JsonObject, JsonValue } from '../../json';
import { shorten, type JsonPath } from '../../json/fault';
import type { ValidationRun } from '../run';
import { objectsOf } from './members';

/**
 * Checks that `enableWhen.question`, "the linkId for the question whose answer governs", names another item that exists
 * (https://hl7.org/fhir/R4/questionnaire.html).
 */
export function checkQuestionnaire({ item }: JsonObject, run: ValidationRun): void {
  const linkIds = new Set<string>();
  const conditions: {
    readonly question: string;
    readonly own: JsonValue | undefined;
    readonly place: JsonPath;
  }[] = [];
  const collect = (items: JsonValue | undefined, place: JsonPath): void => {
    for (const [index, each] of objectsOf(items)) {
      const { linkId } = each;
      if (typeof linkId === 'string') linkIds.add(linkId);
      for (const [at, { question }] of objectsOf(each['enableWhen']))
        if (typeof question === 'string')
          conditions.push({ question, own: linkId, place: [...place, index, 'enableWhen', at, 'question'] });
      collect(each['item'], [...place, index, 'item']);
    }
  };
  collect(item, ['item']);
  for (const { question, own, place } of conditions) {
    if (!linkIds.has(question))
      run.report('business', `No item has the linkId '${shorten(question)}'`, place);
    else if (question === own)
      run.report('business', `The item depends on its own answer ('${shorten(question)}')`, place);
  }
}
