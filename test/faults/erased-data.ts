/** Test data for erasure, and the searches for remains. */
import type { Client } from 'pg';
import type { Answer, TestServer } from '../support/server';

/** So that there are moments to be killed in: statements that erase or bring in take their time. */
export async function slowDown(owner: Client): Promise<void> {
  await owner.query(`
    create function public.take_time() returns trigger language plpgsql as
      $$ begin if current_user <> 'andiron_application' and current_setting('andiron.space', true) is null
         then perform pg_sleep(0.03); end if; return null; end $$`);
  for (const table of ['resource', 'resource_version', 'token_index', 'reference_index'])
    await owner.query(
      `create trigger take_time after insert or delete on andiron.${table} for each statement execute function public.take_time()`,
    );
}

/** A patient with Observations, `{patient}-0` and so on, two versions of each. */
export async function fillPatient(
  server: TestServer,
  tenant: string,
  patient: string,
  observations: number,
): Promise<void> {
  const root = server.path(tenant, 'r4');
  for (const status of ['preliminary', 'final']) {
    const put = (resource: { resourceType: string; id: string }): object => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    });
    const entry = [
      put({ resourceType: 'Patient', id: patient, ...{ active: status === 'final' } }),
      ...Array.from({ length: observations }, (_, index) =>
        put({
          resourceType: 'Observation',
          id: `${patient}-${index}`,
          ...{ status, code: { text: 'x' }, subject: { reference: `Patient/${patient}` } },
        }),
      ),
    ];
    const answer = await server.request('POST', root, { resourceType: 'Bundle', type: 'transaction', entry });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

/** Resources of which something is there and something is not: heads without versions, gaps among versions … */
export async function countHalves(owner: Client, tenant: string): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count
     from (select * from andiron.resource where space in (select s.number from andiron.space s
             join andiron.tenant t on t.number = s.tenant where t.name = $1)) r
     full join (select v.space, v.resource_type, v.resource_key, count(*) as versions, max(v.version) as last
                from andiron.resource_version v where v.space in (select s.number from andiron.space s
                  join andiron.tenant t on t.number = s.tenant where t.name = $1)
                group by v.space, v.resource_type, v.resource_key) v
       using (space, resource_type, resource_key)
     where r.version is null or v.last is null or r.version <> v.last or v.versions <> v.last`,
    [tenant],
  );
  return rows[0]?.count ?? -1;
}

/** Number of versions of the resources that `fillPatient` has made. */
export async function countVersions(owner: Client, patient: string): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count from andiron.resource_version where id = $1 or id like $1 || '-%'`,
    [patient],
  );
  return rows[0]?.count ?? -1;
}

/** True if the answer of a purge reports that nothing is left. */
export const isComplete = ({ json }: Answer): boolean =>
  (json.parameter as { name: string; valueBoolean?: boolean }[]).some(
    ({ name, valueBoolean }) => name === 'complete' && valueBoolean === true,
  );

/** Undefined: there is no such tenant. */
export async function statusOf(owner: Client, name: string): Promise<string | undefined> {
  const { rows } = await owner.query<{ status: string }>(
    'select status from andiron.tenant where name = $1',
    [name],
  );
  return rows[0]?.status;
}
