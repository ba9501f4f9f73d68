/**
 * A simple value. What is typed goes into the draft as it is: a decimal keeps its digits, a date its precision, and what is
 * wrong is a text, with which the server takes no record. What was right before, such as the 1 of 1,5, is never saved for it.
 */
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { textOf, type JsonValue } from '../../../api/json';
import { pruneIn, removeIn, setIn, typedNumber } from '../../../editor/json-edit';
import { texts } from '../../../texts';
import { dateRange } from '../../../../../packages/fhir-values/date';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import type { ValueProps } from './value-props';

const words = texts.form;
const NUMBERS = new Set(['decimal', 'integer', 'unsignedInt', 'positiveInt', 'integer64']);
const LONG = new Set(['markdown', 'xhtml']);

interface Kind {
  readonly hint: string;
  /** The JSON of what is typed; undefined: it is no value of the type. */
  readonly read: (text: string) => JsonValue | undefined;
  readonly fault: string;
}

const PLAIN: Kind = { hint: '', read: (text) => text, fault: '' };
const dated = (pattern: RegExp, hint: string): Kind => ({
  hint,
  read: (text) => (pattern.test(text) && dateRange(text) !== undefined ? text : undefined),
  fault: words.wrongDate(hint),
});
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...[...NUMBERS].map((type): [string, Kind] => [
    type,
    {
      hint: '',
      read: (text) => (type === 'decimal' || /^-?\d+$/.test(text) ? typedNumber(text) : undefined),
      fault: type === 'decimal' ? words.wrongDecimal : words.wrongInteger,
    },
  ]),
  ['date', dated(/^\d{4}(?:-\d\d(?:-\d\d)?)?$/, '1970, 1970-01 or 1970-01-31')],
  ['dateTime', dated(/^\d{4}/, '1970, 1970-01, 1970-01-31 or 1970-01-31T09:30:00+01:00')],
  ['instant', dated(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)$/, '1970-01-31T09:30:00+01:00')],
  [
    'time',
    {
      hint: '09:30:00',
      read: (text) => (/^\d\d:\d\d:\d\d(?:\.\d+)?$/.test(text) ? text : undefined),
      fault: words.wrongDate('09:30:00'),
    },
  ],
]);

export interface PrimitiveProps extends ValueProps {
  /** Changes that follow from the new text. */
  readonly onChange?: (draft: string, next: string) => string;
}

export function PrimitiveInput(props: PrimitiveProps) {
  if (props.type.code === 'boolean') return <BooleanInput {...props} />;
  return <TypedInput {...props} />;
}

function BooleanInput({ path, value, label, field }: ValueProps) {
  const { edit, issues } = useFormDraft();
  return (
    <NativeSelect
      id={fieldId(path)}
      label={label}
      description={field.short}
      data={[
        { value: '', label: '' },
        { value: 'true', label: words.yes },
        { value: 'false', label: words.no },
      ]}
      value={textOf(value) ?? ''}
      error={findingAt(issues, path, true)}
      onChange={({ currentTarget: { value: chosen } }) =>
        edit((text) =>
          chosen === ''
            ? pruneIn(removeIn(text, path), path.slice(0, -1))
            : setIn(text, path, chosen === 'true'),
        )
      }
    />
  );
}

const asItIs = (draft: string): string => draft;

function TypedInput({ path, value, label, field, type, onChange = asItIs }: PrimitiveProps) {
  const { edit, issues } = useFormDraft();
  const [typed, setTyped] = useState<string>();
  const kind = KINDS.get(type.code) ?? PLAIN;
  const shown = typed ?? textOf(value) ?? '';
  const isWrong = shown !== '' && kind.read(shown) === undefined;
  const change = (text: string): void => {
    setTyped(text);
    // An empty place stays as long as the person is in it.
    edit((draft) => {
      const isRemoved = text === '' && typeof path.at(-1) !== 'number';
      return onChange(isRemoved ? removeIn(draft, path) : setIn(draft, path, kind.read(text) ?? text), text);
    });
  };
  const leave = (): void => {
    setTyped(undefined);
    if (typed === '') edit((draft) => pruneIn(pruneIn(draft, path), path.slice(0, -1)));
  };
  const shared = {
    id: fieldId(path),
    label,
    description: field.short,
    placeholder: kind.hint,
    value: shown,
    error: isWrong ? kind.fault : findingAt(issues, path, true),
    required: field.isRequired,
    autoComplete: 'off',
    onBlur: leave,
  };
  if (LONG.has(type.code) || shown.includes('\n'))
    return (
      <Textarea
        {...shared}
        autosize
        minRows={2}
        maxRows={12}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...shared}
      inputMode={NUMBERS.has(type.code) ? 'decimal' : undefined}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
