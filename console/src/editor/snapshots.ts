/** Reads definitions and codes for the editor, each once per tenant and release. */
import { useQuery, useQueryClient, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Failure } from '../api/failure';
import { get } from '../api/fhir';
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';
import type { Space } from '../place';
import type { LoadDefinition } from './element-at';
import { readResourceTypes } from './resource-types';

/** A code of a value set. */
export interface Code {
  readonly system: string;
  readonly code: string;
  readonly display: string;
}

/** What the editor asks the server for. */
export interface Knowledge {
  readonly definition: LoadDefinition;
  /** The first codes of a value set; none where it cannot be expanded. */
  readonly codes: (valueSet: string) => Promise<readonly Code[]>;
  /** Names of the resource types of the release. */
  readonly types: () => Promise<readonly string[]>;
}

/** More are too many to choose from a list. */
const CODES = 250;

/** What the caller may not read, or the server does not have, is undefined. */
async function read(space: Space, rest: string): Promise<JsonObject | null> {
  try {
    return (await get(space, rest)).value;
  } catch (error) {
    if (error instanceof Failure && error.status >= 400 && error.status < 500) return null;
    throw error;
  }
}

function once(queries: QueryClient, space: Space, rest: string): Promise<JsonObject | null> {
  return queries.fetchQuery({
    queryKey: ['editor', space, rest],
    queryFn: () => read(space, rest),
    staleTime: Infinity,
    gcTime: Infinity,
  });
}

function codesIn(contains: readonly JsonObject[]): readonly Code[] {
  return contains.flatMap((each) => {
    const code = textOf(each['code']);
    const own: Code = {
      system: textOf(each['system']) ?? '',
      code: code ?? '',
      display: textOf(each['display']) ?? '',
    };
    const isChoosable = code !== undefined && each['abstract'] !== true;
    return [...(isChoosable ? [own] : []), ...codesIn(objectsOf(each['contains']))];
  });
}

function knowledgeOf(queries: QueryClient, space: Space): Knowledge {
  return {
    definition: async (type) =>
      (await once(queries, space, `StructureDefinition/${type}?_elements=snapshot`)) ?? undefined,
    codes: async (valueSet) => {
      const query = `url=${encodeURIComponent(valueSet)}&count=${CODES}`;
      const answer = await once(queries, space, `ValueSet/$expand?${query}`);
      const expansion = answer?.['expansion'];
      return isObject(expansion) ? codesIn(objectsOf(expansion['contains'])) : [];
    },
    types: () =>
      queries.fetchQuery({
        queryKey: ['editor', space, 'types'],
        queryFn: () => readResourceTypes(space),
        staleTime: Infinity,
        gcTime: Infinity,
      }),
  };
}

/** What the editor may know of a tenant and release. */
export function useKnowledge({ tenant, release }: Space): Knowledge {
  const queries = useQueryClient();
  return useMemo(() => knowledgeOf(queries, { tenant, release }), [queries, tenant, release]);
}

/** The StructureDefinition of a type, or of a canonical url; null where there is none, or the caller may not read it. */
export function useStructure(space: Space, name: string | undefined): UseQueryResult<JsonObject | null> {
  const [url = '', version] = (name ?? '').split('|');
  const isUrl = url.includes(':');
  const query = `StructureDefinition?url=${encodeURIComponent(url)}${version === undefined ? '' : `&version=${encodeURIComponent(version)}`}`;
  const rest = isUrl ? `${query}&_count=1` : `StructureDefinition/${url}?_elements=snapshot`;
  return useQuery({
    queryKey: ['editor', { tenant: space.tenant, release: space.release }, rest],
    queryFn: () => read(space, rest),
    select: (found) => (found !== null && isUrl ? resourceIn(found) : found),
    enabled: url !== '',
    staleTime: Infinity,
    gcTime: Infinity,
  });
}

/** The names of all resource types, if they are wanted; undefined until they are read. */
export function useResourceTypes(space: Space, isWanted: boolean): readonly string[] | undefined {
  return useQuery({
    queryKey: ['editor', { tenant: space.tenant, release: space.release }, 'types'],
    queryFn: () => readResourceTypes(space),
    enabled: isWanted,
    staleTime: Infinity,
    gcTime: Infinity,
  }).data;
}

function resourceIn(bundle: JsonObject): JsonObject | null {
  const [entry] = objectsOf(bundle['entry']);
  return isObject(entry?.['resource']) ? entry['resource'] : null;
}
