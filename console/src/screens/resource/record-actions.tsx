/** What a person can do with a record: edit, validate, delete, and take its address elsewhere. */
import { Alert, Anchor, Button, Group, Menu, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconChecklist, IconChevronDown, IconPencil, IconTrash } from '../../layout/icons/icons';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useDraft } from '../../editor/drafts';
import { absolute, fhirPath, PREFIX, resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { DeleteDialog } from './record-delete';
import type { RecordProps } from './record-dialog';
import { ValidationDialog } from './validation-dialog';

const { editing, common } = texts;

export function RecordActions(props: RecordProps) {
  const { space, type, id } = props;
  const [open, setOpen] = useState<'validation' | 'deletion'>();
  const edit = { pathname: resourcePath(space, type, id), hash: '#edit' };
  return (
    <Stack gap="xs">
      <Group gap="xs" role="group" aria-label={editing.actions}>
        <Button
          size="xs"
          variant="default"
          component={Link}
          to={edit}
          leftSection={<IconPencil size={14} aria-hidden />}
        >
          {editing.edit}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconChecklist size={14} aria-hidden />}
          onClick={() => setOpen('validation')}
        >
          {editing.validate}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => setOpen('deletion')}
        >
          {editing.remove}
        </Button>
        <More space={space} type={type} id={id} />
      </Group>
      <UnsavedNotice space={space} address={`${type}/${id}`} />
      <ValidationDialog {...props} isOpen={open === 'validation'} onClose={() => setOpen(undefined)} />
      <DeleteDialog {...props} isOpen={open === 'deletion'} onClose={() => setOpen(undefined)} />
    </Stack>
  );
}

function More({ space, type, id }: Omit<RecordProps, 'record'>) {
  const clipboard = useClipboard();
  const path = fhirPath(space, `${type}/${id}`);
  const curl = `curl -H 'accept: application/fhir+json' '${absolute(path)}'`;
  return (
    <Menu>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          aria-label={editing.moreActions}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {clipboard.copied ? common.copied : editing.more}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {/* Over http browsers refuse to copy. */}
        {window.isSecureContext ? (
          <>
            <Menu.Item onClick={() => clipboard.copy(absolute(path))}>{editing.copyLink}</Menu.Item>
            <Menu.Item onClick={() => clipboard.copy(curl)}>{editing.copyCurl}</Menu.Item>
          </>
        ) : null}
        <Menu.Item component="a" href={`${PREFIX}${path}?_format=json`} target="_blank">
          {editing.openRaw}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Reminds of a text that is kept while other screens are shown. */
function UnsavedNotice({ space, address }: { readonly space: Space; readonly address: string }) {
  const draft = useDraft(space, address);
  const { hash } = useLocation();
  const isEditing = hash === '#edit';
  if (draft === undefined || isEditing) return null;
  return (
    <Alert color="orange" role="status" p="xs">
      {editing.unsaved}{' '}
      <Anchor
        component={Link}
        size="sm"
        underline="always"
        to={{ pathname: fhirPath(space, address), hash: '#edit' }}
      >
        {editing.continueEditing}
      </Anchor>
    </Alert>
  );
}
