/** The input of one value, by its type. */
import type { ComponentType } from 'react';
import type { FieldType } from '../../../fhir/form/form-types';
import { AttachmentInput } from './attachment-input';
import { CodeInput, CodingInput, ConceptInput } from './coded-input';
import { GroupInput } from './group-input';
import { PrimitiveInput } from './primitive-input';
import { QuantityInput } from './quantity-input';
import { ReferencePicker } from './reference-picker';
import type { ValueProps } from './value-props';

const QUANTITIES = ['Quantity', 'SimpleQuantity', 'MoneyQuantity', 'Age', 'Count', 'Distance', 'Duration'];
const INPUTS: ReadonlyMap<string, ComponentType<ValueProps>> = new Map<string, ComponentType<ValueProps>>([
  ['Attachment', AttachmentInput],
  ['CodeableConcept', ConceptInput],
  ['Coding', CodingInput],
  ['Reference', ReferencePicker],
  ...['code', 'uri', 'string'].map((type) => [type, CodeInput] as const),
  ...QUANTITIES.map((type) => [type, QuantityInput] as const),
]);

export const isQuantity = ({ code }: FieldType): boolean => QUANTITIES.includes(code);

export function ValueInput(props: ValueProps) {
  const { code } = props.type;
  const Input = INPUTS.get(code) ?? (/^[a-z]/.test(code) ? PrimitiveInput : GroupInput);
  return <Input {...props} />;
}
