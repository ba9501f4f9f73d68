/** What an observation has found, in one line. */
import { isObject, objectsOf, type JsonObject } from '../api/json';
import { formatCodeableConcept, formatValue } from './format';

function valueText(holder: JsonObject): string {
  const name = Object.keys(holder).find((each) => /^value[A-Z]/.test(each));
  return name === undefined ? '' : formatValue(holder[name]);
}

/** The value, or those of the components with their names; '' for any other record. */
export function observedText(record: JsonObject): string {
  if (record['resourceType'] !== 'Observation') return '';
  const parts = objectsOf(record['component']).map((component) => {
    const name = isObject(component['code']) ? formatCodeableConcept(component['code']) : '';
    const text = valueText(component);
    return text === '' ? '' : `${name} ${text}`.trim();
  });
  return [valueText(record), ...parts].filter((text) => text !== '').join(', ');
}
