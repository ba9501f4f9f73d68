/** The types of the records that a reference may lead to; a profile stands for the type that it is of. */
import { useQueries } from '@tanstack/react-query';
import { useResourceTypes } from '../editor/snapshots';
import type { Space } from '../place';
import { get } from '../api/fhir';
import { Failure } from '../api/failure';
import { isObject, objectsOf, textOf } from '../api/json';
import { BASE } from './form/form-definition';

const ANY = 'Resource';

/** The type that a profile is of; null: the server does not have it, or the caller may not read it. */
async function typeOfProfile(space: Space, url: string, signal: AbortSignal): Promise<string | null> {
  const query = `url=${encodeURIComponent(url)}&_elements=url,type&_count=1`;
  try {
    const { value } = await get(space, `StructureDefinition?${query}`, signal);
    const [entry] = objectsOf(value['entry']);
    return isObject(entry?.['resource']) ? (textOf(entry['resource']['type']) ?? null) : null;
  } catch (error) {
    if (error instanceof Failure && error.status >= 400 && error.status < 500) return null;
    throw error;
  }
}

/** No targets, or `Resource`: all types. Names that are read already; a profile that the server does not have is left out. */
export function useTargetTypes({ tenant, release }: Space, targets: readonly string[]): readonly string[] {
  const space = { tenant, release };
  const types = useResourceTypes(space, true);
  const isAny = targets.length === 0 || targets.includes(ANY);
  const profiles = isAny || types === undefined ? [] : targets.filter((each) => !types.includes(each));
  const found = useQueries({
    queries: profiles.map((profile) => ({
      queryKey: ['type-of-profile', space, profile],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        typeOfProfile(space, profile.includes(':') ? profile : BASE + profile, signal),
      staleTime: Infinity,
      retry: false,
    })),
  });
  if (isAny) return types ?? [];
  if (types === undefined) return targets.filter((each) => !each.includes(':'));
  const typeOf = new Map(profiles.map((profile, index) => [profile, found[index]?.data ?? undefined]));
  return [...new Set(targets.flatMap((each) => (typeOf.has(each) ? (typeOf.get(each) ?? []) : [each])))];
}
