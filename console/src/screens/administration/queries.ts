/** What the screens of the administration load, each once, and how a change makes them load it again. */
import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useParams } from 'react-router';
import {
  canMail,
  listClients,
  listIssuers,
  listPolicies,
  listTenants,
  listUsers,
  readTenant,
  type Client,
  type Issuer,
  type NamedPolicy,
  type Tenant,
  type TenantDetails,
  type User,
} from '../../api/administration';

const ROOT = 'administration';

/** The tenant that the address names. */
export function useTenant(): string {
  return useParams()['tenant'] ?? '';
}

export function useTenants(): UseQueryResult<readonly Tenant[]> {
  return useQuery({ queryKey: [ROOT], queryFn: listTenants });
}

export function useTenantDetails(tenant: string): UseQueryResult<TenantDetails> {
  return useQuery({ queryKey: [ROOT, tenant], queryFn: () => readTenant(tenant) });
}

export function useClients(tenant: string): UseQueryResult<readonly Client[]> {
  return useQuery({ queryKey: [ROOT, tenant, 'clients'], queryFn: () => listClients(tenant) });
}

export function useUsers(tenant: string): UseQueryResult<readonly User[]> {
  return useQuery({ queryKey: [ROOT, tenant, 'users'], queryFn: () => listUsers(tenant) });
}

/** True when the server can send invitations by mail; false until it is known. */
export function useCanMail(): boolean {
  return useQuery({ queryKey: ['can-mail'], queryFn: canMail, staleTime: Infinity }).data === true;
}

export function useIssuers(tenant: string): UseQueryResult<readonly Issuer[]> {
  return useQuery({ queryKey: [ROOT, tenant, 'issuers'], queryFn: () => listIssuers(tenant) });
}

export function usePolicies(tenant: string): UseQueryResult<readonly NamedPolicy[]> {
  return useQuery({ queryKey: [ROOT, tenant, 'policies'], queryFn: () => listPolicies(tenant) });
}

/** A question by a request that changes nothing. */
export function useAsk<Input, Result>(
  ask: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  return useMutation({ mutationFn: ask });
}

/** A change; after it everything of the administration is loaded again where it is shown. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: [ROOT] }),
  });
}

/** A function that forgets a tenant which does not exist any more. */
export function useForget(): (tenant: string) => void {
  const queries = useQueryClient();
  return (tenant) => {
    queries.removeQueries({ queryKey: [ROOT, tenant] });
    void queries.invalidateQueries({ queryKey: [ROOT], exact: true });
  };
}

/** The jobs of a tenant were changed by other ways than `useChange`. */
export function useJobsChanged(tenant: string): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: [ROOT, tenant, 'jobs'] });
}
