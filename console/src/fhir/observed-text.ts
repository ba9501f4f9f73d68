/** What an observation has found, in one line. */
import { isObject, objectsOf, type JsonObject } from '../api/json';
import { choiceText } from './choice';
import { formatCodeableConcept } from './format';

/** The value, or those of the components with their names; '' for any other record. */
export function observedText(record: JsonObject): string {
  if (record['resourceType'] !== 'Observation') return '';
  const parts = objectsOf(record['component']).map((component) => {
    const name = isObject(component['code']) ? formatCodeableConcept(component['code']) : '';
    const text = choiceText(component, 'value');
    return text === '' ? '' : `${name} ${text}`.trim();
  });
  return [choiceText(record, 'value'), ...parts].filter((text) => text !== '').join(', ');
}
