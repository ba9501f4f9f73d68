/** Reads the observations of a patient that can have numbers, newest first, up to a limit. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { searchAll } from '../../../api/many';
import type { JsonObject } from '../../../api/json';
import type { Space } from '../../../place';

/** More points than a person can tell apart, and less than a browser draws at once. */
export const MOST_OBSERVATIONS = 1_000;
const PAGE = 250;
const ELEMENTS = 'code,effective,issued,value,component,referenceRange,subject';

export interface ReadObservations {
  readonly observations: readonly JsonObject[];
  /** Older ones were not read. */
  readonly isBounded: boolean;
}

async function readObservations(
  space: Space,
  { patient, code }: ObservationsOf,
  signal: AbortSignal,
): Promise<ReadObservations> {
  const observations: JsonObject[] = [];
  const filter = code === undefined ? '' : `&code=${encodeURIComponent(code)}`;
  let after: string | undefined;
  do {
    const [page] = await searchAll(
      space,
      [
        {
          type: 'Observation',
          query: `_sort=-date&_elements=${ELEMENTS}${filter}`,
          compartment: { type: 'Patient', id: patient },
          first: PAGE,
          after,
        },
      ],
      signal,
    );
    observations.push(...(page?.records ?? []));
    after = page?.next;
  } while (after !== undefined && observations.length < MOST_OBSERVATIONS);
  return { observations, isBounded: after !== undefined };
}

export interface ObservationsOf {
  readonly patient: string;
  /** `system|code`; undefined: all. */
  readonly code?: string | undefined;
}

export function useObservations(
  space: Space,
  { patient, code }: ObservationsOf,
): UseQueryResult<ReadObservations> {
  return useQuery({
    queryKey: ['observations', space, patient, code ?? null],
    queryFn: ({ signal }) => readObservations(space, { patient, code }, signal),
  });
}
