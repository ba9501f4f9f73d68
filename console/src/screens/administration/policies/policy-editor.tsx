/** The code editor of a policy, with completion. Loaded when it is needed. */
import { useMemo, type Ref } from 'react';
import CodeEditor, { type EditorHandle } from '../../../editor/code-editor';
import type { Space } from '../../../place';
import { completePolicy } from './complete-policy';
import { usePolicyKnowledge } from './policy-knowledge';

export interface PolicyEditorProps {
  readonly space: Space;
  /** The text at the beginning. */
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly ref?: Ref<EditorHandle>;
}

export default function PolicyEditor({ space, ref, ...editor }: PolicyEditorProps) {
  const knowledge = usePolicyKnowledge(space);
  const complete = useMemo(() => completePolicy(knowledge), [knowledge]);
  return <CodeEditor {...editor} complete={complete} {...(ref === undefined ? {} : { ref })} />;
}
