/** One element of a form with its values: to choose the type, to fill in, to add, remove and move. */
import { ActionIcon, Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { textOf, type JsonObject, type JsonValue } from '../../../api/json';
import { moveItem, pruneIn, removeIn, removeItem, setIn } from '../../../editor/json-edit';
import { formatValue } from '../../../fhir/format';
import { fieldOf, placeOfType, templateOf } from '../../../fhir/form/form-definition';
import type { FieldType, FormField, FormPlace, FormSlice } from '../../../fhir/form/form-types';
import { markOf, sliceFor } from '../../../fhir/form/form-slices';
import { IconTrash } from '../../../layout/icons/icons';
import { texts } from '../../../texts';
import classes from './form.module.css';
import type { FieldProps } from './field-props';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import { AddItem, Item, itemsIn } from './list-item';
import { useListFocus } from './use-list-focus';
import { isQuantity, ValueInput } from './value-input';

const words = texts.form;

/** The type whose member the object has. */
function typeIn({ types, forbidden }: FormField, around: JsonObject): FieldType | undefined {
  return [...types, ...forbidden].find(
    ({ member }) => around[member] !== undefined || around[`_${member}`] !== undefined,
  );
}

export function FieldView(props: FieldProps) {
  const { field, path, around } = props;
  const { edit, issues } = useFormDraft();
  const [chosen, setChosen] = useState<string>();
  const present = typeIn(field, around);
  const [first] = field.types;
  const type = present ?? field.types.find(({ code }) => code === chosen) ?? first;
  if (type === undefined) return null;
  // A value of a type that the profile forbids is shown, and can be replaced.
  const types = field.types.includes(type) ? field.types : [...field.types, type];
  const choose = (code: string): void => {
    setChosen(code);
    if (present === undefined || present.code === code) return;
    edit((text) => removeIn(removeIn(text, [...path, present.member]), [...path, `_${present.member}`]));
  };
  const general = types.length > 1 ? findingAt(issues, [...path, field.name], false) : undefined;
  return (
    <Stack gap={4}>
      {types.length < 2 ? null : (
        <NativeSelect
          id={fieldId([...path, field.name])}
          label={words.type(field.label)}
          error={general}
          data={types.map(({ code }) => code)}
          value={type.code}
          maw={260}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      )}
      <Marks field={field} />
      {field.isList ? (
        <ListView {...props} type={type} key={type.code} />
      ) : (
        <SingleView {...props} type={type} key={type.code} />
      )}
      {around[`_${type.member}`] === undefined ? null : (
        <Text size="xs" c="dimmed">
          {words.beside}
        </Text>
      )}
    </Stack>
  );
}

function Marks({ field: { isMustSupport, isRequired } }: { readonly field: FormField }) {
  const marks = [isRequired ? words.must : '', isMustSupport ? words.mustSupport : ''].filter(
    (mark) => mark !== '',
  );
  if (marks.length === 0) return null;
  return (
    <Group gap={4}>
      {marks.map((mark) => (
        <Badge key={mark} size="xs" variant="light" color="gray" tt="none">
          {mark}
        </Badge>
      ))}
    </Group>
  );
}

type TypedProps = FieldProps & { readonly type: FieldType };

function SingleView(props: TypedProps) {
  const { field, path, around, type } = props;
  const { edit } = useFormDraft();
  const place = placeOfType({ definition: props.place.definition, id: field.id }, type);
  const own = fieldOf(place.definition, place.id);
  const at = [...path, type.member];
  const value = around[type.member];
  // A unit without a number says nothing: it is written with the number.
  const isOffered = value === undefined && !isQuantity(type);
  const template = isOffered ? templateOf(place.definition, place.id) : undefined;
  const isGroup = /^[A-Z]/.test(type.code);
  return (
    <div className={classes['item']}>
      <ValueInput
        path={at}
        value={value}
        field={{ ...field, binding: own.binding ?? field.binding }}
        type={own.types.find(({ code }) => code === type.code) ?? type}
        place={place}
        label={field.label}
        isNew={false}
      />
      {template === undefined ? null : (
        <Button variant="light" size="compact-xs" onClick={() => edit((text) => setIn(text, at, template))}>
          {words.fixed(textOf(template) ?? formatValue(template, type.code))}
        </Button>
      )}
      {value === undefined || !isGroup ? null : (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.remove(field.label)}
          onClick={() => edit((text) => pruneIn(removeIn(text, at), path))}
        >
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      )}
    </div>
  );
}

const NO_SLICES: ReadonlyMap<number, FormSlice> = new Map();

function ListView(props: TypedProps) {
  const { field, place, path, around, type } = props;
  const { edit } = useFormDraft();
  const list = [...path, type.member];
  const items = itemsIn(around[type.member]);
  /** Places that a person sees, also where nothing stands yet. */
  const [wanted, setWanted] = useState(0);
  /** Slices that were added, by place: what they are shows only in what is filled in, or in a record elsewhere. */
  const [chosen, setChosen] = useState<ReadonlyMap<number, FormSlice>>(NO_SLICES);
  const { box, added, changed } = useListFocus(list);
  const isOnly = field.name.endsWith('xtension');
  const count = Math.max(items.length, wanted);
  const slices = field.slices.filter((slice) => !isFull(place, field, slice, items));
  const add = (slice: FormSlice | undefined): void => {
    const id = slice?.id ?? field.id;
    const given = slice === undefined ? undefined : markOf(place.definition, id);
    const template = given ?? templateOf(place.definition, id);
    if (template !== undefined) edit((text) => setIn(text, [...list, items.length], template));
    setWanted(items.length + 1);
    if (slice !== undefined) setChosen(new Map([...chosen, [items.length, slice]]));
    changed(items.length);
  };
  return (
    <Stack gap={6} role="group" aria-label={field.label} ref={box}>
      {Array.from({ length: count }, (_, index) => {
        const value = items[index];
        const slice =
          (value === undefined ? undefined : sliceFor(place.definition, field, value)) ?? chosen.get(index);
        // Extensions that no profile names stay as they are.
        if (isOnly && slice === undefined) return null;
        return (
          <Item
            key={index}
            {...props}
            slice={slice}
            index={index}
            count={count}
            isNew={added === index}
            onRemove={() => {
              if (index < items.length) edit((text) => pruneIn(removeItem(text, list, index), path));
              setWanted(Math.max(0, Math.max(wanted, items.length) - 1));
              setChosen(NO_SLICES);
              changed(undefined);
            }}
            onMove={(to) => {
              edit((text) => moveItem(text, list, index, to));
              setChosen(NO_SLICES);
            }}
          />
        );
      })}
      {count > items.length || items.length >= field.most ? null : (
        <AddItem field={field} slices={slices} isOnly={isOnly} onAdd={add} />
      )}
    </Stack>
  );
}

/** Whether a slice has as many values as it may. */
function isFull(
  { definition }: FormPlace,
  field: FormField,
  slice: FormSlice,
  items: readonly JsonValue[],
): boolean {
  const most = textOf(definition.elements.get(slice.id)?.['max']) ?? '*';
  const own = items.filter((item) => sliceFor(definition, field, item)?.id === slice.id);
  return most !== '*' && own.length >= Number(most);
}
