#!/usr/bin/env node
/** `andiron`: finds the command and passes it the arguments. A command is one file in cli/commands/ and one line in cli/commands.ts. */
import { fail } from './cli/failure';
import { run } from './cli/run';

// `andiron config | head`: the reader may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
run(process.argv.slice(2)).catch(fail);
