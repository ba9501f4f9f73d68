/** A number with its unit. */
import { isObject, textOf, type JsonObject, type JsonValue } from '../../../api/json';
import { removeIn, setIn } from '../../../editor/json-edit';
import { fieldsOf, hasChildren, readForm, templateOf } from '../../../fhir/form/form-definition';
import type { FormField, FormPlace } from '../../../fhir/form/form-types';
import { isSame } from '../../../fhir/compare/same';
import { useStructure } from '../../../editor/snapshots';
import { texts } from '../../../texts';
import { CodeSelect } from './code-select';
import { CodeInput } from './coded-input';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import classes from './form.module.css';
import { GroupInput } from './group-input';
import { PrimitiveInput } from './primitive-input';
import { TextPart } from './text-part';
import type { ValueProps } from './value-props';

const words = texts.form;
const PARTS: ReadonlySet<string> = new Set(['comparator', 'value', 'unit', 'code']);
const UCUM = 'http://unitsofmeasure.org';

/** Where the parts of an amount are defined: in the profile, or in the definition of its type. Undefined: not read yet. */
function usePlace({ place, type }: ValueProps): FormPlace | undefined {
  const isHere = hasChildren(place.definition, place.id);
  const structure = useStructure(useFormDraft().space, isHere ? undefined : (type.profiles[0] ?? type.code));
  if (isHere) return place;
  if (!structure.data) return undefined;
  const definition = readForm(structure.data);
  return { definition, id: definition.root };
}

/** The unit that the profile fixes, with what else it fixes, but for the number. */
function fixedParts({ place }: ValueProps, parts: FormPlace | undefined): JsonObject {
  const fixed: Record<string, JsonValue> = {};
  for (const each of [parts, place]) {
    const template = each && templateOf(each.definition, each.id);
    for (const [name, part] of Object.entries(isObject(template) ? template : {}))
      if (part !== undefined && name !== 'value') fixed[name] = part;
  }
  return fixed;
}

/** Writes what is fixed beside a number; takes it away again with the number. What says something else stays. */
function followNumber(text: string, { path, value }: ValueProps, fixed: JsonObject, next: string): string {
  const quantity: JsonObject = isObject(value) ? value : {};
  const names = Object.keys(fixed);
  const isOther = names.some((name) => quantity[name] !== undefined && !isSame(quantity[name], fixed[name]));
  if (isOther) return text;
  return names.reduce((rest, name) => {
    const part = fixed[name];
    return next === '' || part === undefined
      ? removeIn(rest, [...path, name])
      : setIn(rest, [...path, name], part);
  }, text);
}

export function QuantityInput(props: ValueProps) {
  const { path, value, field, label } = props;
  const { edit, issues } = useFormDraft();
  const parts = usePlace(props);
  const fixed = fixedParts(props, parts);
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
      <div className={classes['parts']}>
        <Comparator {...props} parts={parts} value={quantity['comparator']} />
        <PrimitiveInput
          {...props}
          path={[...path, 'value']}
          value={quantity['value']}
          field={number}
          type={{ code: 'decimal', member: 'value', profiles: [], targets: [] }}
          label={`${label}: ${words.number}`}
          onChange={(text, next) => followNumber(text, props, fixed, next)}
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
      </div>
      <GroupInput {...props} isDetail without={PARTS} />
    </div>
  );
}

/** "<" before a number makes another amount of it, so it stands beside it. A profile may allow none. */
function Comparator({ parts, ...props }: ValueProps & { readonly parts: FormPlace | undefined }) {
  const { path, value, label } = props;
  const field = parts && fieldsOf(parts).find(({ name }) => name === 'comparator');
  const [type] = field?.types ?? [];
  const at = { path: [...path, 'comparator'], label: `${label}: ${words.comparator}` };
  if (field !== undefined && type !== undefined)
    return <CodeInput {...props} {...at} field={{ ...field, short: '' }} type={type} />;
  const text = textOf(value);
  return text === undefined ? null : <TextPart {...at} value={text} />;
}
