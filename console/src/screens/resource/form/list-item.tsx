/** One value of a list in a form, and the way to add another one. */
import { ActionIcon, Button, Group, Select } from '@mantine/core';
import { isArray, type JsonValue } from '../../../api/json';
import { fieldOf } from '../../../fhir/form/form-definition';
import type { FieldType, FormField, FormPlace, FormSlice } from '../../../fhir/form/form-types';
import { humanize } from '../../../fhir/humanize';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../../layout/icons/icons';
import { texts } from '../../../texts';
import type { FieldProps } from './field-props';
import classes from './form.module.css';
import { ValueInput } from './value-input';

const words = texts.form;

/** The values of a list. */
export function itemsIn(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

interface AddItemProps {
  readonly field: FormField;
  readonly slices: readonly FormSlice[];
  readonly isOnly: boolean;
  readonly onAdd: (slice: FormSlice | undefined) => void;
}

export function AddItem({ field, slices, isOnly, onAdd }: AddItemProps) {
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

interface ItemProps extends FieldProps {
  readonly type: FieldType;
  readonly slice: FormSlice | undefined;
  readonly index: number;
  readonly count: number;
  readonly isNew: boolean;
  readonly onRemove: () => void;
  readonly onMove: (to: number) => void;
}

export function Item({
  field,
  place,
  path,
  around,
  type,
  slice,
  index,
  count,
  isNew,
  onRemove,
  onMove,
}: ItemProps) {
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
