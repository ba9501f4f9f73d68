/** The code editor of a record: with completion, marks of findings, and jumps to them. Loaded when it is needed. */
import { useEffect, useImperativeHandle, useMemo, useRef, type Ref, type RefObject } from 'react';
import type { Issue } from '../../../api/failure';
import CodeEditor, { type EditorHandle } from '../../../editor/code-editor';
import { completeRecord } from '../../../editor/completion';
import { diagnosticsOf, placesOfIssues } from '../../../editor/diagnostics';
import type { Knowledge } from '../../../editor/snapshots';

export interface EditorPaneProps {
  readonly editor: RefObject<EditorHandle | null>;
  readonly knowledge: Knowledge;
  readonly type: string;
  /** The text at the beginning. */
  readonly text: string;
  readonly label: string;
  readonly issues: readonly Issue[];
  /** The place to begin at. */
  readonly start: Issue | undefined;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  readonly ref?: Ref<{ readonly go: (issue: Issue) => void }>;
}

async function select(editor: RefObject<EditorHandle | null>, text: string, issue: Issue): Promise<void> {
  const { from, to } = (await placesOfIssues(text))(issue);
  editor.current?.select(from, to);
}

export default function EditorPane(props: EditorPaneProps) {
  const { editor, knowledge, type, text, label, issues, start, onChange, onSave, ref } = props;
  const current = useRef(text);
  const complete = useMemo(() => completeRecord(knowledge, type), [knowledge, type]);
  useImperativeHandle(ref, () => ({ go: (issue) => void select(editor, current.current, issue) }));
  useEffect(() => {
    if (start !== undefined) void select(editor, current.current, start);
  }, [start, editor]);
  return (
    <CodeEditor
      ref={editor}
      text={text}
      label={label}
      complete={complete}
      diagnose={(shown) => diagnosticsOf(shown, issues)}
      onChange={(changed) => {
        current.current = changed;
        onChange(changed);
      }}
      onSave={onSave}
    />
  );
}
