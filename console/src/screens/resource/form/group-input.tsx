/** A value of several elements: its short text, and its fields when it is opened. */
import { Group, Stack, Text } from '@mantine/core';
import { useContext, useState } from 'react';
import { isObject } from '../../../api/json';
import { useStructure } from '../../../editor/snapshots';
import { formatValue } from '../../../fhir/format';
import { hasChildren, readForm, sameAs } from '../../../fhir/form/form-definition';
import type { FormPlace } from '../../../fhir/form/form-types';
import { Disclosure } from '../../../layout/disclosure';
import { Loading } from '../../../layout/loaded';
import { texts } from '../../../texts';
import { FieldsView } from './fields-view';
import classes from './form.module.css';
import { fieldId, findingAt, useFormDraft } from './form-draft';
import type { ValueProps } from './value-props';

const words = texts.form;

export interface GroupProps extends ValueProps {
  /** All parts of a value that has an input of its own for the usual ones. */
  readonly isDetail?: boolean;
  /** Members that the input has. */
  readonly without?: ReadonlySet<string>;
}

export function GroupInput(props: GroupProps) {
  const { path, value, type, label, isNew, isDetail = false } = props;
  const { issues } = useFormDraft();
  const [isOpen, setIsOpen] = useState(isNew && !isDetail);
  const summary = isDetail || isOpen ? '' : formatValue(value, type.code);
  const error = findingAt(issues, path, !isOpen && !isDetail);
  return (
    <div
      className={isDetail ? undefined : classes['group']}
      id={isDetail ? undefined : fieldId(path)}
      tabIndex={-1}
    >
      <Group gap="sm">
        <Disclosure
          label={isDetail ? words.allParts(label) : label}
          isOpen={isOpen}
          onToggle={() => setIsOpen(!isOpen)}
        />
        {summary === '' ? null : (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {summary}
          </Text>
        )}
      </Group>
      {error === undefined || isDetail ? null : (
        <Text size="xs" c="var(--mantine-color-error)" role="alert" style={{ whiteSpace: 'pre-line' }}>
          {error}
        </Text>
      )}
      {isOpen ? <Inside {...props} isNew={isNew || !isObject(value)} /> : null}
    </div>
  );
}

/** The fields: those of the definition itself, or of the type. */
function Inside(props: GroupProps) {
  const { type, place } = props;
  const { definition, id } = place;
  const same = sameAs(definition, id);
  const isHere = hasChildren(definition, id) || same !== undefined;
  const structure = useStructure(useFormDraft().space, isHere ? undefined : (type.profiles[0] ?? type.code));
  if (isHere)
    return <Fields {...props} at={{ definition, id: hasChildren(definition, id) ? id : (same ?? id) }} />;
  if (structure.isPending) return <Loading />;
  if (!structure.data) return <Text size="sm">{words.noDefinition(type.profiles[0] ?? type.code)}</Text>;
  const read = readForm(structure.data);
  return <Fields {...props} at={{ definition: read, id: read.root }} />;
}

function Fields({ path, value, isNew, without, at }: GroupProps & { readonly at: FormPlace }) {
  const FieldsIn = useContext(FieldsView);
  return (
    <Stack gap="sm" className={classes['inside']}>
      <FieldsIn place={at} path={path} value={isObject(value) ? value : {}} isNew={isNew} without={without} />
    </Stack>
  );
}
