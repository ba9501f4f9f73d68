/** Loads what the server defines about types and their search parameters, each once. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get } from '../../api/fhir';
import { Failure } from '../../api/failure';
import type { JsonObject } from '../../api/json';
import type { Space } from '../../place';
import {
  readCapabilities,
  readSystemOperations,
  type Capabilities,
  type ListedOperation,
} from '../capabilities';
import { readDefinition, type TypeDefinition } from '../definitions';
import { joinDefinitions, type SearchParameter } from './search-parameters';

/** A tenant's own search parameters are seen after this time at the latest. */
const FRESH_MS = 300_000;
const NONE: readonly SearchParameter[] = [];

/** What the console knows of a capability statement. */
interface Statement {
  readonly types: Capabilities;
  readonly systemOperations: readonly ListedOperation[];
}

/** Reads the statement once for all that use a part of it. */
function useStatement<Part>(space: Space, select: (statement: Statement) => Part): UseQueryResult<Part> {
  return useQuery({
    queryKey: ['capabilities', space],
    queryFn: async ({ signal }): Promise<Statement> => {
      const { value } = await get(space, 'metadata', signal);
      return { types: readCapabilities(value), systemOperations: readSystemOperations(value) };
    },
    select,
    staleTime: FRESH_MS,
  });
}

const typesOf = ({ types }: Statement): Capabilities => types;
const systemOperationsOf = ({ systemOperations }: Statement): readonly ListedOperation[] => systemOperations;

export function useCapabilities(space: Space): UseQueryResult<Capabilities> {
  return useStatement(space, typesOf);
}

/** The operations of the whole server. */
export function useSystemOperations(space: Space): UseQueryResult<readonly ListedOperation[]> {
  return useStatement(space, systemOperationsOf);
}

/** The SearchParameter resources of a type; undefined where the caller may not read them. */
async function readParameters(
  space: Space,
  type: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const bases = [type, 'Resource', 'DomainResource'].join(',');
  const elements = 'url,code,type,target,expression,description,comparator';
  try {
    const query = `SearchParameter?base=${bases}&_elements=${elements}&_count=500`;
    return (await get(space, query, signal)).value;
  } catch (error) {
    if (error instanceof Failure && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

/** The search parameters of a type; none for a type that the server does not have. */
export function useSearchParameters(
  space: Space,
  type: string,
): { readonly parameters: readonly SearchParameter[]; readonly isPending: boolean } {
  const capabilities = useCapabilities(space);
  const bundle = useQuery({
    queryKey: ['search-parameters', space, type],
    queryFn: async ({ signal }) => (await readParameters(space, type, signal)) ?? null,
    staleTime: FRESH_MS,
    enabled: type !== '',
  });
  const listed = capabilities.data?.get(type)?.parameters;
  const parameters = useMemo(
    () => (listed === undefined ? NONE : joinDefinitions(type, listed, bundle.data ?? undefined)),
    [type, listed, bundle.data],
  );
  return { parameters, isPending: capabilities.isPending || bundle.isPending };
}

/** The definition of a type; null where the caller may not read it or the server has none. */
export function useDefinition(space: Space, type: string): UseQueryResult<TypeDefinition | null> {
  return useQuery({
    queryKey: ['type-definition', space, type],
    queryFn: async () => (await readDefinition(space, type)) ?? null,
    staleTime: Infinity,
    enabled: type !== '',
  });
}
