import { useState } from 'react';
import { textOf, type JsonObject } from '../../../api/json';

export interface Selection {
  /** Records of any page of the search, by their ids. */
  readonly records: ReadonlyMap<string, JsonObject>;
  readonly has: (record: JsonObject) => boolean;
  readonly toggle: (records: readonly JsonObject[], isSelected: boolean) => void;
  readonly clear: () => void;
}

export const idOf = (record: JsonObject): string => textOf(record['id']) ?? '';

/** The records that a person has selected. `search`: another search begins with none. */
export function useSelection(search: string): Selection {
  const [state, setState] = useState<{
    readonly search: string;
    readonly records: ReadonlyMap<string, JsonObject>;
  }>({
    search,
    records: new Map(),
  });
  const records = state.search === search ? state.records : new Map<string, JsonObject>();
  return {
    records,
    has: (record) => records.has(idOf(record)),
    toggle: (changed, isSelected) => {
      const next = new Map(records);
      for (const record of changed)
        if (isSelected) next.set(idOf(record), record);
        else next.delete(idOf(record));
      setState({ search, records: next });
    },
    clear: () => setState({ search, records: new Map() }),
  };
}
