/** Two texts of JSON side by side, with what changed; on a narrow screen one below the other. */
import { json } from '@codemirror/lang-json';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { appearance } from './appearance';

export interface JsonDiffProps {
  readonly before: string;
  readonly after: string;
  /** What a screen reader calls the two texts. */
  readonly labels: readonly [before: string, after: string];
  readonly isUnified: boolean;
}

const COLLAPSED = { margin: 3, minSize: 6 };

function reading(label: string): Extension {
  return [
    lineNumbers(),
    json(),
    drawSelection(),
    appearance,
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
    EditorView.lineWrapping,
  ];
}

export default function JsonDiff({ before, after, labels, isUnified }: JsonDiffProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [labelBefore, labelAfter] = labels;
  useEffect(() => {
    if (parent.current === null) return;
    if (isUnified) {
      const unified = unifiedMergeView({
        original: before,
        mergeControls: false,
        collapseUnchanged: COLLAPSED,
      });
      const extensions = [reading(`${labelBefore} → ${labelAfter}`), unified];
      const view = new EditorView({ parent: parent.current, doc: after, extensions });
      return () => view.destroy();
    }
    const view = new MergeView({
      parent: parent.current,
      a: { doc: before, extensions: reading(labelBefore) },
      b: { doc: after, extensions: reading(labelAfter) },
      collapseUnchanged: COLLAPSED,
    });
    return () => view.destroy();
  }, [before, after, labelBefore, labelAfter, isUnified]);
  return <div ref={parent} style={{ maxHeight: '70dvh', overflow: 'auto' }} />;
}
