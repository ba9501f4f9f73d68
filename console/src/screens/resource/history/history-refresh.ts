import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

/** Reads everything again that the screens know of one record. */
export function useRefresh(id: string): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes(id) });
  }, [queries, id]);
}
