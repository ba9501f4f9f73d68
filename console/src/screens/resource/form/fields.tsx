/** The fields of a value: those that matter, and a way to the others. */
import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { JsonObject } from '../../../api/json';
import { fieldsOf } from '../../../fhir/form/form-definition';
import type { FormField } from '../../../fhir/form/form-types';
import { texts } from '../../../texts';
import { FieldView } from './field-view';
import type { FieldsProps } from './fields-view';

const words = texts.form;

function isPresent({ types, forbidden }: FormField, value: JsonObject): boolean {
  return [...types, ...forbidden].some(
    ({ member }) => value[member] !== undefined || value[`_${member}`] !== undefined,
  );
}

export function Fields({ place: { definition, id }, path, value, without }: FieldsProps) {
  const place = useMemo(() => ({ definition, id }), [definition, id]);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const fields = useMemo(
    () => fieldsOf(place).filter(({ name }) => without?.has(name) !== true),
    [place, without],
  );
  const isProfiled = fields.some(({ isMustSupport }) => isMustSupport);
  // Of the whole a summary is shown at first; the parts of a value are few.
  const isWhole = path.length === 0;
  const isShown = (field: FormField): boolean =>
    chosen.includes(field.id) ||
    isPresent(field, value) ||
    field.isRequired ||
    field.isMustSupport ||
    (isWhole ? field.isSummary && !isProfiled : fields.length <= FEW);
  const others = fields.filter((field) => !isShown(field));
  return (
    <>
      {fields.filter(isShown).map((field) => (
        <FieldView key={field.id} field={field} place={place} path={path} around={value} />
      ))}
      {others.length === 0 ? null : (
        <Select
          label={words.addElement}
          description={words.addElementHint}
          data={others.map(({ id, label, short }) => ({
            value: id,
            label: short === '' || short === label ? label : `${label}: ${short}`,
          }))}
          value={null}
          searchable
          maw={480}
          size="xs"
          onChange={(id) => {
            if (id !== null) setChosen([...chosen, id]);
          }}
        />
      )}
    </>
  );
}

const FEW = 12;
