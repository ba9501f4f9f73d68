/** `npm start`: the server against an existing PostgreSQL and Redis. */
import { loadEnvironmentFile } from './cli/environment-file';
import { fail } from './cli/failure';
import { runServer } from './cli/commands/serve';

async function run(): Promise<void> {
  loadEnvironmentFile();
  await runServer();
}

run().catch(fail);
