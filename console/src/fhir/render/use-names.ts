/** Titles of extensions and names of records, read once and kept. */
import { useQuery } from '@tanstack/react-query';
import type { Space } from '../../place';
import { readExtensionTitle } from '../definitions';
import { nameOfRecord } from '../reference-names';

/** The title of an extension; undefined until it is read, and where there is none. */
export function useExtensionTitle(space: Space, url: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['extension-title', space, url],
    queryFn: async () => (await readExtensionTitle(space, url)) ?? null,
    enabled: /^https?:/.test(url),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
  return data ?? undefined;
}

/** The name of the record `Type/id`; undefined until it is read, and where there is none. */
export function useRecordName(space: Space, key: string | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: ['record-name', space, key],
    queryFn: async () => (key === undefined ? null : ((await nameOfRecord(space, key)) ?? null)),
    enabled: key !== undefined,
    staleTime: 300_000,
    retry: false,
  });
  return data ?? undefined;
}
