/** One element of a form with its values: to choose the type, to fill in, to add, remove and move. */
import { ActionIcon, Badge, Button, Group, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { isArray, textOf, type JsonObject, type JsonValue } from '../../../api/json';
import { moveItem, pruneIn, removeIn, removeItem, setIn } from '../../../editor/json-edit';
import type { JsonPath } from '../../../fhir/diff';
import { formatValue } from '../../../fhir/format';
import {
  fieldOf,
  markOf,
  sliceFor,
  templateOf,
  type FieldType,
  type FormField,
  type FormPlace,
  type FormSlice,
} from '../../../fhir/form-definition';
import { humanize } from '../../../fhir/humanize';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../../layout/icons/icons';
import { texts } from '../../../texts';
import classes from './form.module.css';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import { useListFocus } from './use-list-focus';
import { ValueInput } from './value-input';

const words = texts.form;

export interface FieldProps {
  readonly field: FormField;
  /** Where the element stands. */
  readonly place: FormPlace;
  /** Path and value of the object around it. */
  readonly path: JsonPath;
  readonly around: JsonObject;
}

/** The type whose member the object has. */
function typeIn({ types }: FormField, around: JsonObject): FieldType | undefined {
  return types.find(({ member }) => around[member] !== undefined || around[`_${member}`] !== undefined);
}

export function FieldView(props: FieldProps) {
  const { field, path, around } = props;
  const { edit, issues } = useFormDraft();
  const [chosen, setChosen] = useState<string>();
  const present = typeIn(field, around);
  const [first] = field.types;
  const type = present ?? field.types.find(({ code }) => code === chosen) ?? first;
  if (type === undefined) return null;
  const choose = (code: string): void => {
    setChosen(code);
    if (present === undefined || present.code === code) return;
    edit((text) => removeIn(removeIn(text, [...path, present.member]), [...path, `_${present.member}`]));
  };
  const general = field.types.length > 1 ? findingAt(issues, [...path, field.name], false) : undefined;
  return (
    <Stack gap={4}>
      {field.types.length < 2 ? null : (
        <NativeSelect
          id={fieldId([...path, field.name])}
          label={words.type(field.label)}
          error={general}
          data={field.types.map(({ code }) => code)}
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

/** The definition of a value: the slice of a choice (`value[x]:valueQuantity`), where there is one. */
function placeIn({ place, field }: FieldProps, type: FieldType): FormPlace {
  const { definition } = place;
  const ofType = `${field.id}:${type.member}`;
  return { definition, id: field.types.length > 1 && definition.elements.has(ofType) ? ofType : field.id };
}

function SingleView(props: TypedProps) {
  const { field, path, around, type } = props;
  const { edit } = useFormDraft();
  const place = placeIn(props, type);
  const at = [...path, type.member];
  const value = around[type.member];
  const template = value === undefined ? templateOf(place.definition, place.id) : undefined;
  const isGroup = /^[A-Z]/.test(type.code);
  return (
    <div className={classes['item']}>
      <ValueInput
        path={at}
        value={value}
        field={field}
        type={type}
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

function itemsIn(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function ListView(props: TypedProps) {
  const { field, place, path, around, type } = props;
  const { edit } = useFormDraft();
  const list = [...path, type.member];
  const items = itemsIn(around[type.member]);
  /** Places that a person sees, also where nothing stands yet. */
  const [wanted, setWanted] = useState(0);
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
    changed(items.length);
  };
  return (
    <Stack gap={6} role="group" aria-label={field.label} ref={box}>
      {Array.from({ length: count }, (_, index) => {
        const value = items[index];
        const slice = value === undefined ? undefined : sliceFor(place.definition, field, value);
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
              changed(undefined);
            }}
            onMove={(to) => edit((text) => moveItem(text, list, index, to))}
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

interface AddItemProps {
  readonly field: FormField;
  readonly slices: readonly FormSlice[];
  readonly isOnly: boolean;
  readonly onAdd: (slice: FormSlice | undefined) => void;
}

function AddItem({ field, slices, isOnly, onAdd }: AddItemProps) {
  if (slices.length > 0)
    return (
      <Select
        label={words.addSlice(field.label)}
        data={[
          ...slices.map(({ id, name, short }) => ({
            value: id,
            label: short === '' ? humanize(name) : `${humanize(name)}: ${short}`,
          })),
          ...(isOnly ? [] : [{ value: '', label: words.other }]),
        ]}
        value={null}
        searchable
        maw={360}
        size="xs"
        onChange={(id) => {
          if (id !== null) onAdd(slices.find((slice) => slice.id === id));
        }}
      />
    );
  if (isOnly) return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      style={{ alignSelf: 'start' }}
      leftSection={<IconPlus size={14} aria-hidden />}
      onClick={() => onAdd(undefined)}
    >
      {words.add(field.label)}
    </Button>
  );
}

interface ItemProps extends TypedProps {
  readonly slice: FormSlice | undefined;
  readonly index: number;
  readonly count: number;
  readonly isNew: boolean;
  readonly onRemove: () => void;
  readonly onMove: (to: number) => void;
}

function Item({ field, place, path, around, type, slice, index, count, isNew, onRemove, onMove }: ItemProps) {
  const items = itemsIn(around[type.member]);
  const id = slice?.id ?? field.id;
  const name = slice === undefined ? field.label : `${field.label}: ${humanize(slice.name)}`;
  const label = words.item(name, index, count);
  const sliceType = slice === undefined ? undefined : fieldTypeOf(place, slice, type);
  const isThere = index < items.length;
  return (
    <div className={classes['item']}>
      <ValueInput
        path={[...path, type.member, index]}
        value={items[index] ?? undefined}
        field={field}
        type={sliceType ?? type}
        place={{ definition: place.definition, id }}
        label={label}
        isNew={isNew}
      />
      <Group gap={2} wrap="nowrap" mt={4}>
        {count < 2 || !isThere ? null : (
          <>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={words.up(label)}
              disabled={index === 0}
              onClick={() => onMove(index - 1)}
            >
              <IconArrowUp size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={words.down(label)}
              disabled={index + 1 >= items.length}
              onClick={() => onMove(index + 1)}
            >
              <IconArrowDown size={14} aria-hidden />
            </ActionIcon>
          </>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={words.remove(label)}
          onClick={onRemove}
        >
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      </Group>
    </div>
  );
}

/** The type of a slice, whose profile can be another one. */
function fieldTypeOf({ definition }: FormPlace, slice: FormSlice, type: FieldType): FieldType | undefined {
  return fieldOf(definition, slice.id).types.find(({ code }) => code === type.code);
}
