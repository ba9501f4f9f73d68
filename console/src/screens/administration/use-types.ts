/** The resource types of a tenant, by its own statement. */
import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/fhir';
import { objectsOf, textOf } from '../../api/json';
import type { Space } from '../../place';

async function listTypes(space: Space): Promise<readonly string[]> {
  const { value } = await get(space, 'metadata');
  const [rest] = objectsOf(value['rest']);
  return objectsOf(rest?.['resource']).flatMap(({ type }) => textOf(type) ?? []);
}

/** Empty until they are known. */
export function useTypes(space: Space): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['types', space],
    queryFn: () => listTypes(space),
    staleTime: Infinity,
  });
  return data;
}
