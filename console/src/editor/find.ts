/** Finds a text in an editor: marks all places and selects one after the other. */
import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

/** Which place is selected, of how many. */
export interface Found {
  /** From 1; 0: there is none. */
  readonly index: number;
  readonly count: number;
}

/** More are not counted: nobody goes through them one by one. */
const MOST = 1_000;

interface Places {
  readonly starts: readonly number[];
  readonly length: number;
  readonly current: number;
}

const setPlaces = StateEffect.define<Places>();
const FOUND = Decoration.mark({ class: 'json-found' });
const HERE = Decoration.mark({ class: 'json-found-here' });

const places = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setPlaces)) {
        const { starts, length, current } = effect.value;
        return Decoration.set(
          starts.map((from, index) => (index === current ? HERE : FOUND).range(from, from + length)),
        );
      }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** What an editor needs for `find`. */
export const finding: Extension = places;

/** Selects the next place after the selection, or the one before it; case does not matter. An empty text removes the marks. */
export function find(view: EditorView, text: string, direction: 'next' | 'previous'): Found {
  const starts = startsOf(view.state.doc.toString().toLowerCase(), text.toLowerCase());
  const { from, to } = view.state.selection.main;
  const after = starts.findIndex((start) => start >= to);
  const before = starts.findLastIndex((start) => start + text.length <= from);
  const last = starts.length - 1;
  const current = direction === 'next' ? (after === -1 ? 0 : after) : before === -1 ? last : before;
  const start = starts[current];
  view.dispatch({
    effects: [
      setPlaces.of({ starts, length: text.length, current }),
      ...(start === undefined ? [] : [EditorView.scrollIntoView(start, { y: 'center' })]),
    ],
    ...(start === undefined ? {} : { selection: { anchor: start, head: start + text.length } }),
  });
  return { index: start === undefined ? 0 : current + 1, count: starts.length };
}

function startsOf(haystack: string, needle: string): readonly number[] {
  const starts: number[] = [];
  if (needle === '') return starts;
  for (
    let at = haystack.indexOf(needle);
    at !== -1 && starts.length < MOST;
    at = haystack.indexOf(needle, at + needle.length)
  )
    starts.push(at);
  return starts;
}
