/** A reference, whose record is looked for by name. */
import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { isObject, textOf, type JsonObject } from '../../../api/json';
import { pruneIn, removeIn, setIn } from '../../../editor/json-edit';
import { headlineOf } from '../../../fhir/headline';
import { parseReference } from '../../../fhir/reference';
import { useRecordName, wordsOf } from '../../../fhir/render/use-names';
import { useTargetTypes } from '../../../fhir/use-target-types';
import { useTargets } from '../../../fhir/use-targets';
import { texts } from '../../../texts';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import classes from './form.module.css';
import { GroupInput } from './group-input';
import type { ValueProps } from './value-props';

const words = texts.form;
const PAUSE_MS = 250;
/** The value of a reference that has no address; no address is like it. */
const UNADDRESSED = '#without-record';

const addressOf = (record: JsonObject): string =>
  `${textOf(record['resourceType']) ?? ''}/${textOf(record['id']) ?? ''}`;

export function ReferencePicker(props: ValueProps) {
  const { path, value, field, type, label } = props;
  const { space, edit, issues } = useFormDraft();
  const reference: JsonObject = isObject(value) ? value : {};
  const address = textOf(reference['reference']);
  const target = parseReference(address ?? '', '');
  const targets = useTargetTypes(space, type.targets);
  const [chosenType, setChosenType] = useState<string>();
  const [isUsed, setUsed] = useState(false);
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, PAUSE_MS);
  const written = target.kind === 'record' ? target.type : undefined;
  const sought = chosenType ?? written ?? targets.find((each) => each === 'Patient') ?? targets[0] ?? '';
  const name = useRecordName(space, target.kind === 'record' ? address : undefined);
  const identifier = isObject(reference['identifier']) ? textOf(reference['identifier']['value']) : undefined;
  const unaddressed = address === undefined ? (textOf(reference['display']) ?? identifier) : undefined;
  const shown =
    unaddressed === undefined
      ? (textOf(reference['display']) ?? wordsOf(name) ?? address ?? '')
      : words.withoutRecord(unaddressed);
  const records = useTargets(space, isUsed ? sought : '', text === shown ? '' : text);
  const found = new Map(
    records.map((record) => [addressOf(record), headlineOf(record) ?? addressOf(record)]),
  );
  // A reference may say who is meant without an address: that is shown, and stays until another is chosen.
  const chosen = address ?? (unaddressed === undefined ? undefined : UNADDRESSED);
  if (chosen !== undefined) found.set(chosen, shown);
  const choose = (next: string | null): void => {
    if (next === UNADDRESSED) return;
    const display = next === null ? undefined : found.get(next);
    edit((draft) => {
      // What describes another record would not be true of this one.
      const cleared = ['identifier', 'type', 'display'].reduce(
        (rest, member) => removeIn(rest, [...path, member]),
        draft,
      );
      if (next === null) return pruneIn(removeIn(cleared, [...path, 'reference']), path);
      const set = setIn(cleared, [...path, 'reference'], next);
      return display === undefined || display === next ? set : setIn(set, [...path, 'display'], display);
    });
  };
  return (
    <div role="group" aria-label={label}>
      <div className={classes['parts']}>
        {targets.length < 2 ? null : (
          <Select
            label={words.targetType(label)}
            description=" "
            data={[...targets]}
            value={sought}
            searchable
            allowDeselect={false}
            flex="0 1 190px"
            onChange={(next) => setChosenType(next ?? undefined)}
          />
        )}
        <Select
          id={fieldId(path)}
          label={label}
          description={field.short}
          error={findingAt(issues, path, true)}
          required={field.isRequired}
          searchable
          clearable
          placeholder={words.findRecord}
          data={[...found].map(([each, title]) => ({ value: each, label: title }))}
          value={chosen ?? null}
          filter={({ options }) => options}
          onFocus={({ currentTarget }) => {
            setUsed(true);
            currentTarget.select();
          }}
          onSearchChange={setTyped}
          onChange={choose}
          nothingFoundMessage={words.noRecord}
          renderOption={({ option }) => (
            <div>
              <Text size="sm">{option.label}</Text>
              <Text size="xs" c="dimmed">
                {option.value === UNADDRESSED ? '' : option.value}
              </Text>
            </div>
          )}
        />
      </div>
      <GroupInput {...props} isDetail />
    </div>
  );
}
