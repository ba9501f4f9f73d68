/** How JSON looks in viewers, editors and comparisons: the colors of the console, in light and dark. */
import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { signOf } from '../layout/control-signs';

/** Names of nodes of the grammar of JSON, and the classes of their text. */
const MARKS: ReadonlyMap<string, Decoration> = new Map(
  [
    ['PropertyName', 'json-name'],
    ['String', 'json-string'],
    ['Number', 'json-number'],
    ['True', 'json-word'],
    ['False', 'json-word'],
    ['Null', 'json-word'],
  ].map(([node = '', name = '']) => [node, Decoration.mark({ class: name })]),
);

/** Only what can be seen is marked, so that a long record costs no more than a short one. */
function marksOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const tree = syntaxTree(view.state);
  for (const { from, to } of view.visibleRanges)
    tree.iterate({
      from,
      to,
      enter: (node) => {
        const mark = MARKS.get(node.name);
        if (mark !== undefined && node.to > node.from) builder.add(node.from, node.to, mark);
      },
    });
  return builder.finish();
}

class Coloring {
  marks: DecorationSet;
  constructor(view: EditorView) {
    this.marks = marksOf(view);
  }
  update({ docChanged, viewportChanged, view, state, startState }: ViewUpdate): void {
    if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
      this.marks = marksOf(view);
  }
}

const coloring = ViewPlugin.fromClass(Coloring, { decorations: ({ marks }) => marks });

const theme = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-sm)',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
  },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))',
    color: 'light-dark(var(--mantine-color-gray-7), var(--mantine-color-dark-1))',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': {
    backgroundColor: 'light-dark(rgba(0, 0, 0, 0.035), rgba(255, 255, 255, 0.05))',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'light-dark(#cfe3ff, #264f78)' },
  '.json-name': { color: 'light-dark(#7a3e00, #ffb877)' },
  '.json-string': { color: 'light-dark(#15561f, #8fd694)' },
  '.json-number': { color: 'light-dark(#0b56b3, #8dc2ff)' },
  '.json-word': { color: 'light-dark(#8a1f96, #e3a0f0)' },
  '.json-found': { backgroundColor: 'light-dark(#ffe8a1, #6b5300)' },
  '.json-found-here': { backgroundColor: 'light-dark(#ffc53d, #a67c00)', outline: '1px solid currentcolor' },
  '.json-sign': { color: 'light-dark(#b02020, #ff8787)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-5))',
    borderColor: 'var(--mantine-color-default-border)',
    color: 'var(--mantine-color-text)',
    padding: '0 4px',
  },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', padding: '0 4px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    maxWidth: 'min(32rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-primary-color-contrast)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85' },
  '.cm-diagnosticText': { whiteSpace: 'pre-wrap' },
  '.cm-changedLine, .cm-insertedLine, .cm-inlineChangedLine': {
    backgroundColor: 'light-dark(#eefaf1, #0f2b17) !important',
  },
  '.cm-deletedLine, .cm-deletedChunk': { backgroundColor: 'light-dark(#fdf0f0, #331517) !important' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'light-dark(#fdf0f0, #331517) !important' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'light-dark(#fbd3d3, #5c1f24) !important',
  },
  '&.cm-merge-b .cm-changedText': { background: 'light-dark(#c4ecce, #174a26) !important' },
  '.cm-collapsedLines': {
    background: 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))',
    color: 'var(--mantine-color-text)',
  },
});

/** Characters that cannot be seen, as on all screens. CodeMirror's own list lacks these few. */
const signs = highlightSpecialChars({
  addSpecialChars: /[\u202a-\u202c\u2068]/g,
  render: (code, description) => {
    const sign = document.createElement('span');
    sign.className = 'json-sign';
    sign.title = description ?? '';
    sign.textContent = signOf(code);
    return sign;
  },
});

/** Colors, signs and theme; light or dark follows the console. */
export const appearance: Extension = [coloring, signs, theme];
