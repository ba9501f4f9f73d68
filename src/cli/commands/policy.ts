import type { Command, CommandGroup } from '../command';
import { JSON_OPTION, print } from '../output';
import { readJsonFile } from '../option-values';
import { absent, TENANT_OPTION, withTenant } from '../with-tenant';

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List the policies of a tenant.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron policy list --tenant acme', does: 'Print each policy with its definition.' }],
  run: (given) =>
    withTenant(given, async ({ tenants: { policies } }, tenant) => {
      const all = Object.entries(await policies.list(tenant));
      print(
        given,
        { policies: all.map(([name, definition]) => ({ name, ...definition })) },
        all.map(([name, definition]) => `${name}  ${JSON.stringify(definition)}`),
      );
    }),
};

const put: Command = {
  name: 'put',
  usage: 'NAME FILE',
  summary: 'Store a policy from a file of JSON, or replace the one of this name.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [
    { line: 'andiron policy put ward ward.json --tenant acme', does: 'Store the policy ward of a file.' },
  ],
  run: async (given) => {
    const [name = '', file = ''] = given.words;
    const written = await readJsonFile(file, `policy ${name}`);
    await withTenant(given, async ({ tenants: { policies } }, tenant) => {
      const { definition } = await policies.put(tenant, name, written);
      print(given, { name, ...definition }, [`Stored policy ${name}`]);
    });
  },
};

const remove: Command = {
  name: 'delete',
  usage: 'NAME',
  summary: 'Delete a policy.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron policy delete ward --tenant acme', does: 'Delete the policy ward.' }],
  run: (given) =>
    withTenant(given, async ({ tenants: { policies } }, tenant) => {
      const [name = ''] = given.words;
      if (!(await policies.delete(tenant, name))) {
        const names = Object.keys(await policies.list(tenant));
        throw absent(
          'policy',
          name,
          names.map((id) => ({ id })),
        );
      }
      print(given, { removed: name }, [`Deleted policy ${name}`]);
    }),
};

export const policy: CommandGroup = {
  name: 'policy',
  summary: 'List, store or delete the policies of a tenant, which narrow the scopes of its clients.',
  commands: [list, put, remove],
};
