/** Codes: of a simple type, a Coding, or a CodeableConcept with its words. */
import { Text, TextInput } from '@mantine/core';
import { isObject, objectsOf, textOf, type JsonObject } from '../../../api/json';
import { pruneIn, removeIn, setIn } from '../../../editor/json-edit';
import type { JsonPath } from '../../../fhir/compare/diff';
import { texts } from '../../../texts';
import { CodeSelect, type ChosenCode } from './code-select';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import classes from './form.module.css';
import { GroupInput } from './group-input';
import { PrimitiveInput } from './primitive-input';
import type { ValueProps } from './value-props';

const words = texts.form;

function hintOf({ field: { binding, short } }: ValueProps): string {
  const rule = binding?.strength === 'required' ? words.onlyThese : words.preferThese;
  return short === '' ? rule : `${short}. ${rule}`;
}

/** `code`, `uri` or `string` that is bound to a value set. */
export function CodeInput(props: ValueProps) {
  const { path, value, field, label } = props;
  const { edit, issues } = useFormDraft();
  const code = textOf(value);
  if (field.binding === undefined) return <PrimitiveInput {...props} />;
  const set = (next: string | undefined): void =>
    edit((text) =>
      next === undefined || next === ''
        ? pruneIn(pruneIn(setIn(text, path, ''), path), path.slice(0, -1))
        : setIn(text, path, next),
    );
  return (
    <CodeSelect
      id={fieldId(path)}
      label={label}
      description={field.short}
      error={findingAt(issues, path, true)}
      isRequired={field.isRequired}
      valueSet={field.binding.valueSet}
      chosen={code === undefined ? undefined : { system: '', code, display: '' }}
      onChoose={(chosen) => set(chosen?.code)}
      onType={set}
    />
  );
}

function chosenIn(coding: JsonObject | undefined): ChosenCode | undefined {
  const code = textOf(coding?.['code']);
  if (code === undefined) return undefined;
  return { system: textOf(coding?.['system']) ?? '', code, display: textOf(coding?.['display']) ?? '' };
}

/** Writes a code into a Coding. The version and the mark of another code would not be true of it. */
function writeCode(text: string, path: JsonPath, { system, code, display }: ChosenCode): string {
  let written = text;
  const pairs = { system, code, display };
  for (const [name, value] of Object.entries(pairs))
    written = value === '' ? removeIn(written, [...path, name]) : setIn(written, [...path, name], value);
  return ['version', 'userSelected'].reduce((rest, name) => removeIn(rest, [...path, name]), written);
}

function clearCode(text: string, path: JsonPath): string {
  const names = ['system', 'version', 'code', 'display', 'userSelected'];
  const cleared = names.reduce((rest, name) => removeIn(rest, [...path, name]), text);
  return pruneIn(cleared, path);
}

/** The code as it is typed. Its system stays: a code without one means nothing to other programs. */
function typeCode(text: string, path: JsonPath, code: string): string {
  const written = code === '' ? removeIn(text, [...path, 'code']) : setIn(text, [...path, 'code'], code);
  const rest = ['display', 'userSelected'].reduce((draft, name) => removeIn(draft, [...path, name]), written);
  return code === '' ? pruneIn(rest, path) : rest;
}

export function CodingInput(props: ValueProps) {
  const { path, value, field, label } = props;
  const { edit, issues } = useFormDraft();
  const coding = isObject(value) ? value : undefined;
  if (field.binding === undefined) return <GroupInput {...props} />;
  const choose = (chosen: ChosenCode | undefined): void =>
    edit((text) => (chosen === undefined ? clearCode(text, path) : writeCode(text, path, chosen)));
  return (
    <div>
      <CodeSelect
        id={fieldId(path)}
        label={label}
        description={hintOf(props)}
        error={findingAt(issues, path, true)}
        isRequired={field.isRequired}
        valueSet={field.binding.valueSet}
        chosen={chosenIn(coding)}
        onChoose={choose}
        onType={(code) => edit((text) => typeCode(text, path, code))}
      />
      <GroupInput {...props} isDetail />
    </div>
  );
}

/**
 * The words of a concept are kept as long as they are those of a person: those of the code before would contradict the new
 * one. `display`: what the new code is called; '': not known, or there is none.
 */
function followCode(text: string, path: JsonPath, concept: JsonObject, display: string): string {
  const words = textOf(concept['text']);
  const [first] = objectsOf(concept['coding']);
  if (words === undefined || first === undefined) return text;
  if (![textOf(first['display']), textOf(first['code'])].includes(words)) return text;
  return display === '' ? removeIn(text, [...path, 'text']) : setIn(text, [...path, 'text'], display);
}

export function ConceptInput(props: ValueProps) {
  const { path, value, field, label } = props;
  const { edit, issues } = useFormDraft();
  const concept: JsonObject = isObject(value) ? value : {};
  const [first, ...more] = objectsOf(concept['coding']);
  const coding = [...path, 'coding', 0];
  const choose = (chosen: ChosenCode | undefined): void =>
    edit((text) => {
      const followed = followCode(text, path, concept, chosen?.display ?? '');
      return chosen === undefined ? clearCode(followed, coding) : writeCode(followed, coding, chosen);
    });
  const error = findingAt(issues, path, true);
  return (
    <div role="group" aria-label={label}>
      <div className={classes['parts']}>
        {field.binding === undefined ? null : (
          <CodeSelect
            id={fieldId(path)}
            label={label}
            description={hintOf(props)}
            error={error}
            isRequired={field.isRequired}
            valueSet={field.binding.valueSet}
            chosen={chosenIn(first)}
            onChoose={choose}
            onType={(code) => edit((text) => typeCode(followCode(text, path, concept, ''), coding, code))}
          />
        )}
        <TextInput
          id={field.binding === undefined ? fieldId(path) : undefined}
          label={field.binding === undefined ? label : `${label}: ${words.text}`}
          description={field.binding === undefined ? field.short : ' '}
          error={field.binding === undefined ? error : undefined}
          value={textOf(concept['text']) ?? ''}
          autoComplete="off"
          onChange={({ currentTarget: { value: next } }) =>
            edit((text) =>
              next === '' ? removeIn(text, [...path, 'text']) : setIn(text, [...path, 'text'], next),
            )
          }
          onBlur={() => edit((text) => pruneIn(text, path))}
        />
      </div>
      {more.length === 0 ? null : (
        <Text size="xs" c="dimmed">
          {words.moreCodes(more.length)}
        </Text>
      )}
      <GroupInput {...props} isDetail />
    </div>
  );
}
