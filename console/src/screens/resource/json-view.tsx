/** The JSON of a record, to read: with folding, search, a copy and a file. */
import { Button, Group, Stack } from '@mantine/core';
import { IconDownload } from '../../layout/icons/icons';
import { lazy, Suspense, useCallback, useRef } from 'react';
import { jsonSteps, textOf, type JsonObject } from '../../api/json';
import type { EditorHandle } from '../../editor/code-editor';
import { download } from '../../editor/download';
import { FindField } from '../../editor/find-field';
import { CopyIcon } from '../../layout/copy';
import { Loading } from '../../layout/loaded';
import { useSliced } from '../../layout/use-sliced';
import { texts } from '../../texts';

const CodeEditor = lazy(() => import('../../editor/code-editor'));
const { editing } = texts;

export default function JsonView({ value }: { readonly value: JsonObject }) {
  const text = useSliced(useCallback(() => jsonSteps(value), [value]));
  const editor = useRef<EditorHandle>(null);
  if (text === undefined) return <Loading />;
  const name = ['resourceType', 'id'].flatMap((member) => textOf(value[member]) ?? []);
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <FindField editor={editor} />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => editor.current?.fold(true)}>
            {editing.foldAll}
          </Button>
          <Button size="xs" variant="default" onClick={() => editor.current?.fold(false)}>
            {editing.unfoldAll}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => download(`${name.join('-')}.json`, text)}
          >
            {editing.download}
          </Button>
          <CopyIcon value={text} what={editing.copyJson} />
        </Group>
      </Group>
      <Suspense fallback={<Loading />}>
        <CodeEditor ref={editor} text={text} label={editing.jsonOf(name.join('/'))} isReadOnly />
      </Suspense>
    </Stack>
  );
}
