/** What the editor of a policy may know of a tenant and release, each thing loaded once. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get } from '../../../api/fhir';
import { useKnowledge } from '../../../editor/snapshots';
import { readCapabilities } from '../../../fhir/capabilities';
import type { Space } from '../../../place';
import type { PolicyKnowledge } from './complete-policy';

export function usePolicyKnowledge({ tenant, release }: Space): PolicyKnowledge {
  const queries = useQueryClient();
  const { types, definition } = useKnowledge({ tenant, release });
  return useMemo(() => {
    const space = { tenant, release };
    const capabilities = () =>
      queries.fetchQuery({
        queryKey: ['capabilities', space],
        queryFn: async () => readCapabilities((await get(space, 'metadata')).value),
        staleTime: Infinity,
      });
    return {
      ...{ types, definition },
      parameters: async (type) =>
        ((await capabilities()).get(type)?.parameters ?? []).map(({ code }) => code),
    };
  }, [queries, tenant, release, types, definition]);
}
