/** Shows JSON with line numbers and folding, to read or to edit. Loaded when it is needed, because it is large. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  codeFolding,
  foldAll,
  foldEffect,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxTree,
  unfoldAll,
} from '@codemirror/language';
import { forceLinting, lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import { EditorState, StateEffect, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type Ref } from 'react';
import { appearance } from './appearance';
import { find, finding, type Found } from './find';

/** What a screen does with an editor. */
export interface EditorHandle {
  /** Selects a range, scrolls to it and puts the focus there. */
  readonly select: (from: number, to: number) => void;
  readonly find: (text: string, direction: 'next' | 'previous') => Found;
  readonly fold: (isFolded: boolean) => void;
  /** Replaces the whole text; it can be undone. */
  readonly replace: (text: string) => void;
  /** Asks for the diagnostics again. */
  readonly check: () => void;
}

export interface CodeEditorProps {
  /** The text at the beginning; a viewer follows its changes. */
  readonly text: string;
  /** What a screen reader calls it. */
  readonly label: string;
  readonly isReadOnly?: boolean;
  readonly onChange?: (text: string) => void;
  readonly onSave?: () => void;
  readonly complete?: CompletionSource;
  /** Faults that somebody else found, in this text. */
  readonly diagnose?: (text: string) => Promise<readonly Diagnostic[]>;
  readonly ref?: Ref<EditorHandle>;
}

const parseFaults = jsonParseLinter();
/** The diagnostics have changed, and the text has not. */
const recheck = StateEffect.define<null>();
const HEIGHT = EditorView.theme({
  '&': { maxHeight: 'max(20rem, calc(100dvh - 16rem))' },
  '.cm-scroller': { overflow: 'auto' },
});

type Latest = React.RefObject<CodeEditorProps>;

function reading(label: string): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    codeFolding(),
    json(),
    bracketMatching(),
    drawSelection(),
    finding,
    appearance,
    HEIGHT,
    keymap.of([...foldKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  ];
}

function editing(latest: Latest): Extension {
  const save = (): boolean => {
    latest.current.onSave?.();
    return true;
  };
  return [
    keymap.of([
      { key: 'Mod-s', run: save, preventDefault: true },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      // After Esc, CodeMirror leaves the next Tab to the browser.
      indentWithTab,
    ]),
    history(),
    indentOnInput(),
    indentUnit.of('  '),
    closeBrackets(),
    highlightActiveLine(),
    lintGutter(),
    linter(
      async (view) => {
        const faults = parseFaults(view);
        if (faults.length > 0) return faults;
        return (await latest.current.diagnose?.(view.state.doc.toString())) ?? [];
      },
      {
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(recheck))),
      },
    ),
    autocompletion({
      override: [(context) => latest.current.complete?.(context) ?? null],
      icons: false,
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
    }),
  ];
}

/** Lines; in a longer text only the members of the whole are folded. */
const MOST_FOLDED = 10_000;

function foldOutermost(view: EditorView): void {
  const { state } = view;
  const effects: StateEffect<unknown>[] = [];
  const root = syntaxTree(state).topNode.firstChild;
  for (let member = root?.firstChild ?? null; member !== null; member = member.nextSibling) {
    const value = member.lastChild;
    const isFoldable = value !== null && (value.name === 'Object' || value.name === 'Array');
    if (isFoldable && value.to - value.from > 2)
      effects.push(foldEffect.of({ from: value.from + 1, to: value.to - 1 }));
  }
  view.dispatch({ effects });
}

function handleOf(view: EditorView): EditorHandle {
  return {
    select: (from, to) => {
      const length = view.state.doc.length;
      view.dispatch({
        selection: { anchor: Math.min(from, length), head: Math.min(to, length) },
        effects: EditorView.scrollIntoView(Math.min(from, length), { y: 'center' }),
      });
      view.dom.scrollIntoView({ block: 'nearest' });
      view.focus();
    },
    find: (text, direction) => find(view, text, direction),
    fold: (isFolded) => {
      if (!isFolded) unfoldAll(view);
      else if (view.state.doc.lines > MOST_FOLDED) foldOutermost(view);
      else foldAll(view);
    },
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    check: () => {
      view.dispatch({ effects: recheck.of(null) });
      forceLinting(view);
    },
  };
}

export default function CodeEditor(props: CodeEditorProps) {
  const { text, label, isReadOnly = false, ref } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  // Before anything is shown, so that no click beside the editor comes before it.
  useLayoutEffect(() => {
    if (parent.current === null) return;
    const fixed = [
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
    ];
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [isReadOnly ? fixed : editing(latest), reading(label)],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [isReadOnly, label]);
  useEffect(() => {
    const shown = view.current;
    if (!isReadOnly || shown === null || shown.state.doc.toString() === text) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } });
  }, [isReadOnly, text]);
  useImperativeHandle(ref, () => {
    const act = (): EditorHandle | undefined => (view.current === null ? undefined : handleOf(view.current));
    return {
      select: (from, to) => act()?.select(from, to),
      find: (wanted, direction) => act()?.find(wanted, direction) ?? { index: 0, count: 0 },
      fold: (isFolded) => act()?.fold(isFolded),
      replace: (all) => act()?.replace(all),
      check: () => act()?.check(),
    };
  }, []);
  return <div ref={parent} />;
}
