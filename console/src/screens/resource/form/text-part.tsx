/** A text that is a part of a value, such as the unit of an amount. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { pruneIn, removeIn, setIn } from '../../../editor/json-edit';
import type { JsonPath } from '../../../fhir/compare/diff';
import { fieldId, useFormDraft } from './form-draft';

export interface TextPartProps {
  readonly path: JsonPath;
  readonly label: string;
  readonly value: string;
  readonly error?: ReactNode;
  /** Changes that follow from the new text. */
  readonly onChange?: (draft: string, next: string) => string;
}

export function TextPart({ path, label, value, error, onChange = (draft) => draft }: TextPartProps) {
  const { edit } = useFormDraft();
  return (
    <TextInput
      id={fieldId(path)}
      label={label}
      error={error}
      value={value}
      autoComplete="off"
      onChange={({ currentTarget: { value: next } }) =>
        edit((draft) => onChange(next === '' ? removeIn(draft, path) : setIn(draft, path, next), next))
      }
      onBlur={() => edit((draft) => pruneIn(draft, path.slice(0, -1)))}
    />
  );
}
