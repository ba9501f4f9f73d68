import type { Command } from './command';
import { withApp } from './with-app';

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Migrate the database to the schema of this version; every start does this too.',
  run: () =>
    withApp(async () => {
      process.stdout.write('The database is up to date\n');
    }),
};
