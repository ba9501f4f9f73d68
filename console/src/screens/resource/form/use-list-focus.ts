/** The focus after a person has added a value to a list of a form, or removed one. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { JsonPath } from '../../../fhir/compare/diff';
import { fieldId } from './form-draft';

const INPUTS = 'input, textarea, select, button';

export interface ListFocus {
  /** For the element around the list. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** Place of the value that was added last; undefined: none was, or one was removed since. */
  readonly added: number | undefined;
  /** Says that a value is added at a place, or, with undefined, that one is removed. */
  readonly changed: (added: number | undefined) => void;
}

/** The focus goes to an added value, and after a removal to what adds one. Otherwise the keyboard would begin at the top again. */
export function useListFocus(list: JsonPath): ListFocus {
  const [change, setChange] = useState<{ readonly id: string | undefined; readonly added?: number }>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (change === undefined) return;
    const field = change.id === undefined ? null : document.getElementById(change.id);
    const first = field?.matches(INPUTS) ? field : field?.querySelector<HTMLElement>(INPUTS);
    const last = [...(box.current?.querySelectorAll<HTMLElement>(INPUTS) ?? [])].at(-1);
    (first ?? last)?.focus();
  }, [change]);
  return {
    box,
    added: change?.added,
    changed: (added) =>
      setChange(added === undefined ? { id: undefined } : { id: fieldId([...list, added]), added }),
  };
}
