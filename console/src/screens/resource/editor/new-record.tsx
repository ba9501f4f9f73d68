/** Writes a new record of a type. */
import { Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { isObject, parseJson, textOf, toJson, type JsonObject } from '../../../api/json';
import { draftOf, keepDraft } from '../../../editor/drafts';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { EditorForm } from './editor-form';
import { useSaver } from './editor-save';

const { editing } = texts;

export interface NewRecordProps {
  readonly space: Space;
  readonly type: string;
}

function idIn(text: string): string {
  try {
    const value = parseJson(text);
    return (isObject(value) ? textOf(value['id']) : undefined) ?? '';
  } catch {
    return '';
  }
}

export default function NewRecord({ space, type }: NewRecordProps) {
  const { tenant, release } = space;
  const empty = toJson({ resourceType: type });
  const [text, setText] = useState(() => draftOf(space, type)?.text ?? empty);
  const saver = useSaver(space, { type }, () => keepDraft(space, type, undefined));
  const { outcome } = saver;
  const isSaved = outcome.kind === 'saved';
  const isChanged = text !== empty;
  useEffect(() => {
    const draft = isChanged && !isSaved ? { text, base: undefined } : undefined;
    keepDraft({ tenant, release }, type, draft);
  }, [tenant, release, type, text, isChanged, isSaved]);
  return (
    <Stack gap="sm">
      <div>
        <Title order={1} size="h2">
          {editing.newTitle(type)}
        </Title>
        <Text size="sm" c="dimmed">
          {editing.newHint}
        </Text>
      </div>
      {outcome.kind === 'exists' ? (
        <Alert color="orange" role="alert">
          <Anchor component={Link} to={resourcePath(space, type, idIn(text))}>
            {editing.exists(`${type}/${idIn(text)}`)}
          </Anchor>
        </Alert>
      ) : null}
      {isSaved ? (
        <Created space={space} record={outcome.record} />
      ) : (
        <EditorForm
          space={space}
          type={type}
          name={editing.newTitle(type)}
          text={text}
          isChanged={isChanged}
          isNew
          outcome={outcome}
          saveLabel={editing.create}
          onChange={setText}
          onValidate={() => void saver.validate(text)}
          onSave={(isDeliberate) => void saver.save(text, { version: undefined, isDeliberate })}
        />
      )}
    </Stack>
  );
}

function Created({ space, record }: { readonly space: Space; readonly record: JsonObject }) {
  const [type, id] = [textOf(record['resourceType']) ?? '', textOf(record['id']) ?? ''];
  return (
    <Alert color="teal" role="status">
      <Group gap="sm">
        <Text size="sm">{editing.created(`${type}/${id}`)}</Text>
        <Anchor component={Link} size="sm" to={resourcePath(space, type, id)}>
          {editing.show}
        </Anchor>
      </Group>
    </Alert>
  );
}
