/** A number with its unit. */
import { Group } from '@mantine/core';
import { isObject, textOf, type JsonObject } from '../../../api/json';
import { removeIn, setIn } from '../../../editor/json-edit';
import type { FormField } from '../../../fhir/form-definition';
import { texts } from '../../../texts';
import { CodeSelect } from './code-select';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import { GroupInput } from './group-input';
import { PrimitiveInput } from './primitive-input';
import { TextPart } from './text-part';
import type { ValueProps } from './value-props';

const words = texts.form;
const PARTS: ReadonlySet<string> = new Set(['value', 'unit', 'code']);
const UCUM = 'http://unitsofmeasure.org';

export function QuantityInput(props: ValueProps) {
  const { path, value, field, label } = props;
  const { edit, issues } = useFormDraft();
  const quantity: JsonObject = isObject(value) ? value : {};
  const [unit, code] = [textOf(quantity['unit']), textOf(quantity['code'])];
  const number: FormField = {
    ...field,
    name: 'value',
    short: field.short,
    binding: undefined,
    isList: false,
  };
  const error = findingAt(issues, path, true);
  return (
    <div role="group" aria-label={label} id={fieldId(path)}>
      <Group gap="sm" align="start" grow>
        <PrimitiveInput
          {...props}
          path={[...path, 'value']}
          value={quantity['value']}
          field={number}
          type={{ code: 'decimal', member: 'value', profiles: [], targets: [] }}
          label={`${label}: ${words.number}`}
        />
        {field.binding === undefined ? (
          <>
            <TextPart
              label={`${label}: ${words.unit}`}
              error={error}
              value={unit ?? ''}
              path={[...path, 'unit']}
              // The code of another unit would make another amount of it.
              onChange={(text) => removeIn(removeIn(text, [...path, 'code']), [...path, 'system'])}
            />
            <TextPart
              label={`${label}: ${words.unitCode}`}
              value={code ?? ''}
              path={[...path, 'code']}
              onChange={(text, next) => {
                if (next === '') return removeIn(text, [...path, 'system']);
                const written = setIn(text, [...path, 'system'], UCUM);
                return unit === undefined || unit === code
                  ? setIn(written, [...path, 'unit'], next)
                  : written;
              }}
            />
          </>
        ) : (
          <CodeSelect
            id={fieldId([...path, 'unit'])}
            label={`${label}: ${words.unit}`}
            description=""
            error={error}
            isRequired={false}
            valueSet={field.binding.valueSet}
            chosen={
              code === undefined
                ? undefined
                : { system: textOf(quantity['system']) ?? '', code, display: unit ?? '' }
            }
            onChoose={(chosen) =>
              edit((text) => {
                const names = { unit: chosen?.display, system: chosen?.system, code: chosen?.code };
                return Object.entries(names).reduce(
                  (rest, [name, next]) =>
                    next === undefined || next === ''
                      ? removeIn(rest, [...path, name])
                      : setIn(rest, [...path, name], next),
                  text,
                );
              })
            }
          />
        )}
      </Group>
      <GroupInput {...props} isDetail without={PARTS} />
    </div>
  );
}
