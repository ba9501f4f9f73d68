/** The editor of a record with its findings; what happens with the text is up to the screen around it. */
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode, type Ref } from 'react';
import { useImperativeHandle } from 'react';
import { Failure, type Issue } from '../../../api/failure';
import type { EditorHandle } from '../../../editor/code-editor';
import { FindField } from '../../../editor/find-field';
import { useKnowledge } from '../../../editor/snapshots';
import { FailureView } from '../../../layout/failure-view';
import { Loading } from '../../../layout/loaded';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import type { Outcome } from './editor-save';
import { ValidationList } from './validation-list';

const LazyEditor = lazy(() => import('./editor-pane'));
const LazyForm = lazy(() => import('../form/record-form'));
const { editing, form: words } = texts;

/** What a screen does with the form. */
export interface FormHandle {
  /** Replaces the whole text. */
  readonly replace: (text: string) => void;
}

export interface EditorFormProps {
  readonly space: Space;
  readonly type: string;
  /** `Patient/example`, or the name of the type. */
  readonly name: string;
  /** The text at the beginning. */
  readonly text: string;
  readonly isChanged: boolean;
  /** The record is not stored yet. */
  readonly isNew?: boolean;
  readonly outcome: Outcome;
  readonly saveLabel: string;
  /** FHIRPath of the place to begin at. */
  readonly place?: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onValidate: () => void;
  readonly onSave: (isDeliberate: boolean) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
  readonly ref?: Ref<FormHandle>;
}

/** The findings that an outcome has. */
function issuesOf(outcome: Outcome): readonly Issue[] | undefined {
  if (outcome.kind === 'validated' || outcome.kind === 'refused') return outcome.issues;
  if (outcome.kind !== 'failed' || !(outcome.error instanceof Failure)) return undefined;
  return outcome.error.issues.some(({ expression }) => expression.length > 0)
    ? outcome.error.issues
    : undefined;
}

export function EditorForm(props: EditorFormProps) {
  const { space, type, name, text, outcome, place, isNew = false, onChange, onSave, ref } = props;
  const editor = useRef<EditorHandle>(null);
  const pane = useRef<{ readonly go: (issue: Issue) => void }>(null);
  const knowledge = useKnowledge(space);
  const issues = issuesOf(outcome);
  const start = useMemo(
    () => (place === undefined ? undefined : { severity: '', code: '', text: '', expression: [place] }),
    [place],
  );
  const [view, setView] = useView(isNew);
  useImperativeHandle(ref, () => ({ replace: (all) => editor.current?.replace(all) }), []);
  useEffect(() => editor.current?.check(), [issues]);
  const shared = { text, issues: issues ?? NONE, onChange, onSave: () => onSave(false) };
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        aria-label={words.view}
        style={{ alignSelf: 'start' }}
        value={view}
        data={[
          { value: 'form', label: words.form },
          { value: 'json', label: words.json },
        ]}
        onChange={(chosen) => setView(chosen === 'form' ? 'form' : 'json')}
      />
      <Buttons {...props} editor={view === 'json' ? editor : undefined} />
      <Findings outcome={outcome} issues={issues} onGo={(issue) => pane.current?.go(issue)} onSave={onSave} />
      <Suspense fallback={<Loading />}>
        {view === 'form' ? (
          <LazyForm ref={pane} space={space} type={type} {...shared} />
        ) : (
          <LazyEditor
            ref={pane}
            editor={editor}
            knowledge={knowledge}
            type={type}
            label={editing.editorOf(name)}
            start={start}
            {...shared}
          />
        )}
      </Suspense>
    </Stack>
  );
}

type View = 'form' | 'json';
const VIEW = 'andiron/edit-as';

/** How the person edits; this browser remembers it. Until it is chosen, a new record is a form: there is nothing to read yet. */
function useView(isNew: boolean): readonly [View, (view: View) => void] {
  const [view, setView] = useState<View>(() => {
    const kept = localStorage.getItem(VIEW);
    return kept === 'form' || (kept !== 'json' && isNew) ? 'form' : 'json';
  });
  return [
    view,
    (chosen) => {
      localStorage.setItem(VIEW, chosen);
      setView(chosen);
    },
  ];
}

const NONE: readonly Issue[] = [];

function Buttons({
  editor,
  isChanged,
  outcome,
  saveLabel,
  onValidate,
  onSave,
  children,
}: EditorFormProps & { readonly editor: React.RefObject<EditorHandle | null> | undefined }) {
  const isBusy = outcome.kind === 'busy';
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Button size="xs" loading={isBusy} disabled={!isChanged} onClick={() => onSave(false)}>
            {saveLabel}
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={onValidate}>
            {editing.validate}
          </Button>
          {children}
          <Text size="xs" c="dimmed" role="status">
            {isChanged ? editing.changed : editing.unchanged}
          </Text>
        </Group>
        {editor === undefined ? null : <FindField editor={editor} />}
      </Group>
      {editor === undefined ? null : (
        <Text size="xs" c="dimmed">
          {editing.keys}
        </Text>
      )}
    </>
  );
}

interface FindingsProps {
  readonly outcome: Outcome;
  readonly issues: readonly Issue[] | undefined;
  readonly onGo: (issue: Issue) => void;
  readonly onSave: EditorFormProps['onSave'];
}

function Findings({ outcome, issues, onGo, onSave }: FindingsProps) {
  return (
    <>
      {outcome.kind === 'failed' && issues === undefined ? <FailureView error={outcome.error} /> : null}
      {outcome.kind === 'failed' && issues !== undefined ? (
        <Text size="sm" fw={600} role="alert">
          {editing.refused}
        </Text>
      ) : null}
      {outcome.kind === 'refused' ? (
        <Group gap="sm" role="alert">
          <Text size="sm" flex={1} miw={240}>
            {editing.hasErrors}
          </Text>
          <Button size="xs" color="red" variant="light" onClick={() => onSave(true)}>
            {editing.saveAnyway}
          </Button>
        </Group>
      ) : null}
      {issues === undefined ? null : <ValidationList issues={issues} onGo={onGo} />}
    </>
  );
}
