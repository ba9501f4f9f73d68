import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { listDefinitions, type DefinitionList, type Kind } from '../../api/terminology';
import type { Space } from '../../place';

/** A definition that somebody else stores is seen after this time. */
const FRESH_MS = 60_000;

/** The definitions of a kind. `isWanted`: they are loaded now. */
export function useDefinitions(space: Space, kind: Kind, isWanted = true): UseQueryResult<DefinitionList> {
  return useQuery({
    queryKey: ['terminology', space, kind],
    queryFn: ({ signal }) => listDefinitions(space, kind, signal),
    staleTime: FRESH_MS,
    enabled: isWanted,
  });
}
