/** Chooses a code of a value set of the server, looked for by its words. */
import { Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import type { ListedCode } from '../../../fhir/terminology';
import { useCodes } from '../../../fhir/use-codes';
import { texts } from '../../../texts';
import { useFormDraft } from './form-draft';

const words = texts.form;
const PAUSE_MS = 200;

/** A code as it stands in the draft. */
export interface ChosenCode {
  readonly system: string;
  readonly code: string;
  readonly display: string;
}

export interface CodeSelectProps {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly error: ReactNode;
  readonly isRequired: boolean;
  readonly valueSet: string;
  readonly chosen: ChosenCode | undefined;
  /** Undefined: none. */
  readonly onChoose: (code: ChosenCode | undefined) => void;
  /** Where the codes cannot be listed, or other codes are allowed: a code that is typed. */
  readonly onType?: (code: string) => void;
}

const keyOf = ({ system, code }: Pick<ListedCode, 'system' | 'code'>): string => `${system}|${code}`;
const wordsOf = ({ display, code }: Pick<ListedCode, 'display' | 'code'>): string =>
  display === '' ? code : `${display} (${code})`;

export function CodeSelect(props: CodeSelectProps) {
  const { id, label, description, error, isRequired, valueSet, chosen, onChoose, onType } = props;
  const { space } = useFormDraft();
  const [isUsed, setUsed] = useState(false);
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, PAUSE_MS);
  const filter = chosen !== undefined && text === wordsOf(chosen) ? '' : text;
  const codes = useCodes(space, isUsed ? valueSet : undefined, filter);
  if (codes === null && onType !== undefined)
    return (
      <TextInput
        id={id}
        label={label}
        description={`${description} ${words.cannotList}`.trim()}
        error={error}
        required={isRequired}
        value={chosen?.code ?? ''}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
      />
    );
  const listed = (codes ?? []).filter(({ isAbstract }) => !isAbstract);
  const known = new Map<string, ChosenCode>(listed.map((each) => [keyOf(each), each]));
  const key = chosen === undefined ? null : keyOf(chosen);
  // The system of a simple code is in its value set alone.
  const same = chosen?.system === '' ? listed.find(({ code }) => code === chosen.code) : undefined;
  const value = same === undefined ? key : keyOf(same);
  if (chosen !== undefined && value !== null && !known.has(value)) known.set(value, chosen);
  return (
    <Select
      id={id}
      label={label}
      description={description}
      error={error}
      required={isRequired}
      searchable
      clearable
      placeholder={words.chooseCode}
      data={[...known].map(([each, code]) => ({ value: each, label: wordsOf(code) }))}
      value={value}
      filter={({ options }) => options}
      onFocus={({ currentTarget }) => {
        setUsed(true);
        // What is typed takes the place of what stands there.
        currentTarget.select();
      }}
      onSearchChange={setTyped}
      onChange={(next) => onChoose(next === null ? undefined : known.get(next))}
      nothingFoundMessage={codes === undefined ? texts.common.loading : words.noCode}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {known.get(option.value)?.system ?? ''}
          </Text>
        </div>
      )}
    />
  );
}
