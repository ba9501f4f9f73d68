/** The input of one value of a search parameter, by the type of the parameter. */
import { Group, TextInput } from '@mantine/core';
import { humanize } from '../../../fhir/humanize';
import { escapeValue, unescapeValue } from '../../../../../packages/fhir-values/search-value';
import { formatQuantityValue, fromTyped, parseQuantity, toTyped } from '../../../fhir/search/search-value';
import { texts } from '../../../texts';
import { CodeInput } from './code-input';
import { ReferenceInput } from './reference-input';
import type { ValueInputProps } from './value-input-props';

const { resources } = texts;

/** Modifiers of codes whose values are codes as well. */
const CODED = new Set(['', 'not', 'above', 'below']);

export function ValueInput(props: ValueInputProps) {
  const { parameter, modifier, value, onChange } = props;
  const { type } = parameter;
  const label = resources.value(humanize(parameter.code));
  if (type === 'token' && CODED.has(modifier) && parameter.code !== '_id') return <CodeInput {...props} />;
  if (type === 'reference' && modifier !== 'identifier') return <ReferenceInput {...props} />;
  if (type === 'quantity') return <QuantityInput {...props} />;
  const isPlain = type === 'string' || modifier === 'text';
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholderOf(type, modifier)}
      inputMode={type === 'number' ? 'decimal' : undefined}
      flex={1}
      miw={140}
      value={isPlain ? unescapeValue(value) : toTyped(value)}
      onChange={({ currentTarget }) =>
        onChange(isPlain ? escapeValue(currentTarget.value) : fromTyped(currentTarget.value.trim()))
      }
    />
  );
}

function placeholderOf(type: string, modifier: string): string {
  if (modifier === 'in' || modifier === 'not-in') return resources.valueSetPlaceholder;
  if (modifier === 'of-type') return resources.ofTypePlaceholder;
  if (type === 'date') return resources.datePlaceholder;
  if (type === 'number') return resources.numberPlaceholder;
  return type === 'token' && modifier !== 'text' ? resources.tokenPlaceholder : '';
}

function QuantityInput({ parameter, value, onChange }: ValueInputProps) {
  const label = humanize(parameter.code);
  const { number, unit, system } = parseQuantity(value);
  const change = (changed: Partial<ReturnType<typeof parseQuantity>>): void =>
    onChange(formatQuantityValue({ number, unit, system, ...changed }));
  return (
    <Group gap={6} flex={1} wrap="wrap">
      <TextInput
        aria-label={resources.number(label)}
        placeholder={resources.numberPlaceholder}
        inputMode="decimal"
        w={100}
        value={number}
        onChange={({ currentTarget }) => change({ number: currentTarget.value.trim() })}
      />
      <TextInput
        aria-label={resources.unit(label)}
        placeholder={resources.unitPlaceholder}
        w={140}
        value={unit}
        onChange={({ currentTarget }) => change({ unit: currentTarget.value })}
      />
      <TextInput
        aria-label={resources.system(label)}
        placeholder={resources.systemPlaceholder}
        flex={1}
        miw={140}
        value={system}
        onChange={({ currentTarget }) => change({ system: currentTarget.value.trim() })}
      />
    </Group>
  );
}
