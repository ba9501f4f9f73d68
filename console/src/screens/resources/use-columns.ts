/** The columns that a person has chosen for the tables of a type; this browser remembers them. */
import { useState } from 'react';
import type { Column } from '../../fhir/search/search-columns';

const keyOf = (type: string): string => `andiron/columns/${type}`;

function readChosen(type: string): readonly string[] | undefined {
  const text = localStorage.getItem(keyOf(type));
  return text === null || text === '' ? undefined : text.split(' ');
}

export function useColumns(
  type: string,
  all: readonly Column[],
  usual: readonly string[],
): {
  readonly shown: readonly Column[];
  /** Undefined: the usual ones again. */
  readonly choose: (names: readonly string[] | undefined) => void;
} {
  const [chosen, setChosen] = useState(() => readChosen(type));
  const names = chosen ?? usual;
  return {
    shown: names.flatMap((name) => all.find((column) => column.name === name) ?? []),
    choose: (wanted) => {
      if (wanted === undefined) localStorage.removeItem(keyOf(type));
      else localStorage.setItem(keyOf(type), wanted.join(' '));
      setChosen(wanted);
    },
  };
}
