import type { Core } from '../core';
import { type Command, UsageError } from './command';
import { withApp } from './with-app';

async function listTenants({ tenants }: Core): Promise<void> {
  const all = await tenants.list();
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, status, created } of all) {
    process.stdout.write(`${name.padEnd(width)}  ${status.padEnd(8)}  ${new Date(created).toISOString()}\n`);
  }
}

async function createTenant({ tenants }: Core, name: string): Promise<void> {
  const tenant = await tenants.create(name);
  process.stdout.write(`Created tenant ${tenant.name}\n`);
}

async function disableTenant({ tenants }: Core, name: string): Promise<void> {
  if (!(await tenants.disable(name))) throw new UsageError(`There is no tenant '${name}'`);
  process.stdout.write(`Disabled tenant ${name}\n`);
}

export const tenant: Command = {
  name: 'tenant',
  usage: 'list | create NAME | disable NAME',
  summary: 'Show the tenants, make one, or stop one from being answered; its data stays.',
  async run({ words }) {
    const [action, name, ...more] = words;
    if (more.length > 0) throw new UsageError('One tenant at a time');
    if (action === 'list' && name === undefined) return withApp(({ core }) => listTenants(core));
    if (name !== undefined && action === 'create') return withApp(({ core }) => createTenant(core, name));
    if (name !== undefined && action === 'disable') return withApp(({ core }) => disableTenant(core, name));
    throw new UsageError(`andiron tenant ${tenant.usage}`);
  },
};
