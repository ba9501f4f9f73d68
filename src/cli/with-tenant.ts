import { closestName } from '../../packages/fhir-values/closest-name';
import { FhirError, type Core } from '../core';
import type { Arguments, Options } from './command';
import { withApp } from './with-app';

export const TENANT_OPTION = {
  tenant: { type: 'string', value: 'NAME', help: 'name of the tenant', isRequired: true },
} as const satisfies Options;

/** Runs `work` with the core and the name of `--tenant`. */
export async function withTenant(
  { options }: Arguments,
  work: (core: Core, tenant: string) => Promise<void>,
): Promise<void> {
  const tenant = String(options['tenant']);
  await withApp(async ({ core }) => {
    try {
      await work(core, tenant);
    } catch (error) {
      // Over HTTP its message is that of an unknown address.
      if (error instanceof FhirError && error.key === 'unknownTenant') throw await absence(core, tenant);
      throw error;
    }
  });
}

/** A disabled tenant answers nobody, and yet it is there. */
export async function absence({ tenants }: Core, name: string): Promise<Error> {
  const found = await tenants.describe(name).catch(() => undefined);
  if (found?.status !== 'disabled') return noTenant(tenants, name);
  return new Error(
    `The tenant '${name}' is disabled: enable it first, by npx --no-install andiron tenant enable ${name}`,
  );
}

export async function noTenant(tenants: Core['tenants'], name: string): Promise<Error> {
  const all = await tenants.list();
  return absent(
    'tenant',
    name,
    all.map((each) => ({ id: each.name })),
  );
}

/** The error for an id that does not exist, with the one that was meant: by its letters, or by the name of what it is. */
export function absent(
  kind: string,
  id: string,
  known: readonly { readonly id: string; readonly name?: string }[],
): Error {
  const ids = known.map((each) => each.id);
  const names = known.flatMap(({ name }) => name ?? []);
  const [byId, byName] = [closestName(id, ids), closestName(id, names)];
  const named = known.find(({ name }) => name !== undefined && name === byName);
  const meant = byId ?? (named === undefined ? undefined : `${named.id} (${byName})`);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return new Error(`The ${kind} '${id}' does not exist${hint}`);
}
