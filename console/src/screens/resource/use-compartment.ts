/** The compartments of the release, and the types that are in them. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { get } from '../../api/fhir';
import { isArray, isObject, objectsOf, textOf, type JsonObject } from '../../api/json';
import { dateElementsOf, type DateElement } from '../../fhir/date-elements';
import type { Space } from '../../place';

/** The types in each compartment, by its own type. */
type Compartments = ReadonlyMap<string, readonly string[]>;

const NONE: Compartments = new Map();

function parseCompartments(bundle: JsonObject): Compartments {
  const resources = objectsOf(bundle['entry']).flatMap(({ resource }) =>
    isObject(resource) ? [resource] : [],
  );
  return new Map(
    resources.map((definition) => [
      textOf(definition['code']) ?? '',
      objectsOf(definition['resource'])
        .filter(({ param }) => isArray(param) && param.length > 0)
        .flatMap(({ code }) => textOf(code) ?? []),
    ]),
  );
}

export function useCompartments(space: Space): UseQueryResult<Compartments> {
  return useQuery({
    queryKey: ['compartments', space],
    queryFn: async ({ signal }) =>
      parseCompartments((await get(space, 'CompartmentDefinition?_elements=code,resource', signal)).value),
    staleTime: Infinity,
    retry: false,
  });
}

/** The types that have a compartment; none until they are read and where the caller may not read them. */
export function useCompartmentTypes(space: Space): Compartments {
  return useCompartments(space).data ?? NONE;
}

/** The date elements of all types, by type. */
export function useDateElements(space: Space): UseQueryResult<ReadonlyMap<string, readonly DateElement[]>> {
  return useQuery({
    queryKey: ['date-elements', space],
    queryFn: async ({ signal }) => {
      const query = 'SearchParameter?type=date&_elements=code,base,expression&_count=500';
      return dateElementsOf((await get(space, query, signal)).value);
    },
    staleTime: Infinity,
    retry: false,
  });
}
