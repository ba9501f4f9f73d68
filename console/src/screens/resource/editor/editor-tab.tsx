/** Edits the JSON of a record. An unsaved text stays while other screens are shown. */
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { Link, useLocation } from 'react-router';
import { toJson, type JsonObject } from '../../../api/json';
import { draftOf, keepDraft } from '../../../editor/drafts';
import { withoutServerMeta } from '../../../fhir/diff';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { Conflict } from './editor-conflict';
import { EditorForm, type FormHandle } from './editor-form';
import { useSaver, type Outcome } from './editor-save';
import { useRefresh } from '../history/history-refresh';
import { versionOf } from '../../../fhir/server-meta';

const { editing } = texts;

export interface EditorTabProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly record: JsonObject;
}

/** What a person edits: without what the server writes anew into each version. */
const textOfRecord = (record: JsonObject): string => toJson(withoutServerMeta(record));

function isNewer(one: JsonObject, other: JsonObject): boolean {
  return Number(versionOf(one)) > Number(versionOf(other));
}

/** The text with the version that it began with. */
function useText({ space, type, id, record }: EditorTabProps, form: RefObject<FormHandle | null>) {
  const { tenant, release } = space;
  const [kept] = useState(() => draftOf(space, `${type}/${id}`));
  const [base, setBase] = useState<JsonObject>(kept?.base ?? record);
  const [text, setText] = useState(kept?.text ?? textOfRecord(base));
  const isChanged = text !== textOfRecord(base);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
    keepDraft({ tenant, release }, `${type}/${id}`, isChanged ? { text, base } : undefined);
  }, [tenant, release, type, id, isChanged, text, base]);
  /** Begins anew with a version, and a text that is to replace it. */
  const begin = useCallback(
    (version: JsonObject, next: string): void => {
      setBase(version);
      setText(next);
      form.current?.replace(next);
    },
    [form],
  );
  const load = useCallback((shown: JsonObject): void => begin(shown, textOfRecord(shown)), [begin]);
  // Where nothing is changed, the editor follows the record.
  useEffect(() => {
    if (!isChanged && isNewer(record, base)) load(record);
  }, [isChanged, record, base, load]);
  return {
    text,
    setText,
    base,
    isChanged,
    isKept: kept !== undefined,
    begin,
    load,
    /** What was written while the server saved stays, as a change of the new version. */
    follow: (saved: JsonObject, sent: string): void => {
      if (latest.current === sent) load(saved);
      else setBase(saved);
    },
  };
}

export default function EditorTab(props: EditorTabProps) {
  const { space, type, id, record } = props;
  const form = useRef<FormHandle>(null);
  const { text, setText, base, isChanged, isKept, begin, load, follow } = useText(props, form);
  const refresh = useRefresh(id);
  const place = useStart();
  const saver = useSaver(space, { type, id }, (saved) => {
    follow(saved, text);
    refresh();
  });
  const { outcome } = saver;
  const discard = (now: JsonObject | undefined): void => {
    load(now ?? base);
    saver.reset();
    refresh();
  };
  const version = versionOf(base);
  return (
    <Stack gap="sm">
      {isKept && isChanged && outcome.kind === 'idle' ? (
        <Text size="sm" role="status">
          {editing.restoredDraft}
        </Text>
      ) : null}
      {isChanged && isNewer(record, base) && outcome.kind !== 'conflict' ? (
        <Alert color="orange">{editing.draftIsOld(version, versionOf(record))}</Alert>
      ) : null}
      {isChanged ? null : <SavedNotice outcome={outcome} path={resourcePath(space, type, id)} />}
      {outcome.kind === 'conflict' ? (
        <Conflict
          space={space}
          address={{ type, id }}
          base={base}
          onMerged={(merged, now) => {
            begin(now, toJson(merged));
            saver.reset();
            refresh();
          }}
          text={text}
          onDiscard={discard}
          onOverwrite={(now) => void saver.save(text, { version: now, isDeliberate: true })}
        />
      ) : null}
      <EditorForm
        ref={form}
        space={space}
        type={type}
        name={`${type}/${id}`}
        text={text}
        isChanged={isChanged}
        outcome={outcome}
        saveLabel={texts.common.save}
        place={place}
        onChange={setText}
        onValidate={() => void saver.validate(text)}
        onSave={(isDeliberate) => void saver.save(text, { version, isDeliberate })}
      >
        {isChanged ? (
          <Button size="xs" variant="default" onClick={() => discard(undefined)}>
            {editing.discard}
          </Button>
        ) : null}
      </EditorForm>
    </Stack>
  );
}

function SavedNotice({ outcome, path }: { readonly outcome: Outcome; readonly path: string }) {
  if (outcome.kind !== 'saved') return null;
  return (
    <Alert color="teal" role="status">
      <Group gap="sm">
        <Text size="sm">{editing.saved(versionOf(outcome.record))}</Text>
        <Anchor component={Link} size="sm" to={path}>
          {editing.show}
        </Anchor>
      </Group>
    </Alert>
  );
}

/** The FHIRPath of the place to which a finding on another screen leads. */
function useStart(): string | undefined {
  const state: unknown = useLocation().state;
  if (typeof state !== 'object' || state === null || !('place' in state)) return undefined;
  return typeof state.place === 'string' ? state.place : undefined;
}
