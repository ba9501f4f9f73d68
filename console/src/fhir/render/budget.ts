/** How many values of a record are drawn at once. What goes beyond it is drawn when a person asks for it. */
import { createContext, useContext } from 'react';

export interface Budget {
  /** Values that may be drawn here. */
  readonly values: number;
  /** Objects around this place. */
  readonly depth: number;
}

/** What is drawn at first, and at each wish for more: some screens full. */
export const PART = 1_200;
/** Deeper objects are closed at first: boxes in boxes leave no room for words. */
export const DEEPEST = 8;
/** Smaller objects are not worth a button. */
export const SMALL = 12;

export const RenderBudget = createContext<Budget>({ values: PART, depth: 0 });

export function useBudget(): Budget {
  return useContext(RenderBudget);
}
