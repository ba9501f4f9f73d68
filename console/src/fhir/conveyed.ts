/** Which members of a value its short text has said. All others are shown beside it, so that nothing of a record vanishes. */
import type { JsonObject } from '../api/json';

const HUMAN_NAME = ['prefix', 'given', 'family', 'suffix'];
const ADDRESS = ['line', 'postalCode', 'city', 'state', 'country'];
const QUANTITY = ['comparator', 'value', 'unit', 'system', 'code'];

const CONVEYED: ReadonlyMap<string, readonly string[]> = new Map([
  ['Annotation', ['text', 'time', 'authorString', 'authorReference']],
  ['CodeableConcept', ['text', 'coding']],
  ['Coding', ['system', 'code', 'display', 'version', 'userSelected']],
  ['ContactPoint', ['system', 'value', 'use']],
  ['Identifier', ['system', 'value', 'type', 'use']],
  ['Money', ['value', 'currency']],
  ['Period', ['start', 'end']],
  ['Range', ['low', 'high']],
  ['Ratio', ['numerator', 'denominator']],
  ['Reference', ['reference', 'display', 'type']],
  ...['Age', 'Count', 'Distance', 'Duration', 'MoneyQuantity', 'Quantity', 'SimpleQuantity'].map(
    (type) => [type, QUANTITY] as const,
  ),
]);

/** The members that the short text of a value has; undefined: the type has no short text that says enough. */
export function conveyed(type: string, value: JsonObject): ReadonlySet<string> | undefined {
  if (type === 'HumanName') return new Set(value['text'] === undefined ? HUMAN_NAME : ['text']);
  if (type === 'Address') return new Set(value['text'] === undefined ? ADDRESS : ['text']);
  const names = CONVEYED.get(type);
  return names === undefined ? undefined : new Set(names);
}
