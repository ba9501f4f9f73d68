/** Edits the JSON of a record. An unsaved text stays while other screens are shown. */
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { Link, useLocation } from 'react-router';
import { jsonSteps, type JsonObject } from '../../../api/json';
import { inSlices, type Steps } from '../../../api/slices';
import { draftOf, keepDraft } from '../../../editor/drafts';
import { withoutServerMeta } from '../../../fhir/compare/diff';
import { Loading } from '../../../layout/loaded';
import { useSliced } from '../../../layout/use-sliced';
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
const textSteps = (record: JsonObject): Steps<string> => jsonSteps(withoutServerMeta(record));

function isNewer(one: JsonObject, other: JsonObject): boolean {
  return Number(versionOf(one)) > Number(versionOf(other));
}

/** A version, and its text as a person edits it. */
interface Base {
  readonly record: JsonObject;
  readonly text: string;
}

export default function EditorTab(props: EditorTabProps) {
  const { space, type, id, record } = props;
  const [kept] = useState(() => draftOf(space, `${type}/${id}`));
  const [first] = useState(kept?.base ?? record);
  const text = useSliced(useCallback(() => textSteps(first), [first]));
  if (text === undefined) return <Loading />;
  return <Editor {...props} begun={{ record: first, text }} kept={kept?.text} />;
}

interface EditorProps extends EditorTabProps {
  /** What the text begins with. */
  readonly begun: Base;
  /** The text of a draft; undefined: there is none. */
  readonly kept: string | undefined;
}

/** The text with the version that it began with. */
function useText({ space, type, id, record, begun, kept }: EditorProps, form: RefObject<FormHandle | null>) {
  const { tenant, release } = space;
  const [base, setBase] = useState(begun);
  const [text, setText] = useState(kept ?? begun.text);
  const isChanged = text !== base.text;
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
    const draft = isChanged ? { text, base: base.record } : undefined;
    keepDraft({ tenant, release }, `${type}/${id}`, draft);
  }, [tenant, release, type, id, isChanged, text, base]);
  /** Begins anew with a version, and a text that is to replace it. */
  const begin = useCallback(
    (version: Base, next: string): void => {
      setBase(version);
      setText(next);
      form.current?.replace(next);
    },
    [form],
  );
  const load = async (shown: JsonObject): Promise<void> => {
    const next = await inSlices(textSteps(shown));
    begin({ record: shown, text: next }, next);
  };
  // Where nothing is changed, the editor follows the record.
  useEffect(() => {
    if (isChanged || !isNewer(record, base.record)) return undefined;
    const ending = new AbortController();
    inSlices(textSteps(record), ending.signal).then(
      (next) => begin({ record, text: next }, next),
      () => undefined,
    );
    return () => ending.abort();
  }, [isChanged, record, base, begin]);
  return {
    text,
    setText,
    base: base.record,
    isChanged,
    load,
    merge: async (merged: JsonObject, now: JsonObject): Promise<void> =>
      begin({ record: now, text: await inSlices(textSteps(now)) }, await inSlices(jsonSteps(merged))),
    /** What was written while the server saved stays, as a change of the new version. */
    follow: async (saved: JsonObject, sent: string): Promise<void> => {
      const next = await inSlices(textSteps(saved));
      if (latest.current === sent) begin({ record: saved, text: next }, next);
      else setBase({ record: saved, text: next });
    },
  };
}

function Editor(props: EditorProps) {
  const { space, type, id, record, kept } = props;
  const form = useRef<FormHandle>(null);
  const { text, setText, base, isChanged, load, merge, follow } = useText(props, form);
  const refresh = useRefresh(id);
  const place = useStart();
  const saver = useSaver(space, { type, id }, async (saved) => {
    await follow(saved, text);
    refresh();
  });
  const { outcome } = saver;
  const begunAnew = (): void => {
    saver.reset();
    refresh();
  };
  const discard = (now: JsonObject | undefined): void => void load(now ?? base).then(begunAnew);
  const version = versionOf(base);
  return (
    <Stack gap="sm">
      {kept !== undefined && isChanged && outcome.kind === 'idle' ? (
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
          onMerged={(merged, now) => void merge(merged, now).then(begunAnew)}
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
