import { readFile } from 'node:fs/promises';
import type { Core } from '../core';
import { type Command, UsageError } from './command';
import { withApp } from './with-app';

async function listPolicies({ policies }: Core, tenant: string): Promise<void> {
  for (const [name, definition] of Object.entries(await policies.list(tenant)))
    process.stdout.write(`${name}  ${JSON.stringify(definition)}\n`);
}

async function putPolicy({ policies }: Core, tenant: string, name: string, file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  let definition: unknown;
  try {
    definition = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
  await policies.put(tenant, name, definition);
  process.stdout.write(`Stored policy ${name}\n`);
}

async function deletePolicy({ policies }: Core, tenant: string, name: string): Promise<void> {
  if (!(await policies.delete(tenant, name))) throw new UsageError(`There is no policy '${name}'`);
  process.stdout.write(`Deleted policy ${name}\n`);
}

export const policy: Command = {
  name: 'policy',
  usage: 'list | put NAME FILE | delete NAME, with --tenant NAME',
  summary: 'List, store or delete the policies of a tenant, which narrow the scopes of its clients.',
  options: { tenant: { type: 'string', help: 'name of the tenant' } },
  async run({ words, options: { tenant } }) {
    if (typeof tenant !== 'string') throw new UsageError('--tenant is missing');
    const [action, name, file, ...others] = words;
    const perform = (core: Core): Promise<void> => {
      if (others.length === 0) {
        if (action === 'list' && name === undefined) return listPolicies(core, tenant);
        if (action === 'put' && name !== undefined && file !== undefined)
          return putPolicy(core, tenant, name, file);
        if (action === 'delete' && name !== undefined && file === undefined)
          return deletePolicy(core, tenant, name);
      }
      throw new UsageError(`andiron policy ${policy.usage}`);
    };
    await withApp(({ core }) => perform(core));
  },
};
