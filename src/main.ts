/** `npm start`: the server against an existing PostgreSQL and Redis. */
import { loadEnvironmentFile } from './cli/environment-file';
import { fail } from './cli/failure';
import { runServer } from './cli/serve';

loadEnvironmentFile();
runServer().catch(fail);
