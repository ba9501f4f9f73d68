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
  if (found?.status !== 'disabled') return noTenant(name);
  return new Error(
    `The tenant '${name}' is disabled: enable it first, by npx --no-install andiron tenant enable ${name}`,
  );
}

export function noTenant(name: string): Error {
  return new Error(`The tenant '${name}' does not exist`);
}
