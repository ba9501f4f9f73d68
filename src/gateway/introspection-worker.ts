/** The thread that answers an introspection, which takes a second that the server's own thread does not have. */
import { gzipSync } from 'node:zlib';
import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'graphql';
import { releaseDefinitions } from '../core/index';
import { createSchema } from '../resolvers/index';
import { compileOperation } from './execution/compile';
import type { IntrospectionTask } from './introspection';

async function answer({
  release,
  source,
  operationName,
}: IntrospectionTask): Promise<Record<string, Uint8Array>> {
  const compiled = compileOperation(
    createSchema(releaseDefinitions(release), true),
    parse(source),
    operationName,
  );
  if (!('run' in compiled)) throw new Error('an introspection without its operation');
  const { data, errors } = await compiled.run({ context: undefined, variables: undefined });
  if (errors || !data) throw new Error('an introspection failed');
  const texts = Object.entries(data).map(([key, value]) => [key, gzipSync(JSON.stringify(value))] as const);
  return Object.fromEntries(texts);
}

answer(workerData as IntrospectionTask).then(
  (packed) => parentPort?.postMessage(packed),
  (error: unknown) => {
    throw error;
  },
);
