/** The worker thread for introspections, each of which takes a second that the main thread cannot spare. */
import { gzipSync } from 'node:zlib';
import { parentPort } from 'node:worker_threads';
import { type GraphQLSchema, parse } from 'graphql';
import type { Release } from '../core/index';
import { printWithNullability } from '../schema/semantic-non-null';
import { subgraphText } from '../schema/subgraph';
import { compileOperation } from './execution/compile';
import { type IntrospectionTask, type Packed, WHOLE_SCHEMA } from './introspection';
import { schemaOf, schemaOfRelease, type SchemaSource } from './own-schema';

/** The last schemas: a tool sends several introspections of one schema in a row. */
let ofRelease: { readonly release: Release; readonly schema: GraphQLSchema } | undefined;
let last: { readonly key: string; readonly schema: GraphQLSchema } | undefined;

function schemaFor(source: SchemaSource): GraphQLSchema {
  if (last?.key === source.key) return last.schema;
  last = undefined;
  const { release } = source;
  if (ofRelease?.release !== release) {
    ofRelease = undefined;
    ofRelease = { release, schema: schemaOfRelease(release) };
  }
  last = { key: source.key, schema: schemaOf(source, ofRelease.schema) };
  return last.schema;
}

async function answer({ source: schemaSource, wanted }: IntrospectionTask): Promise<Packed> {
  const schema = schemaFor(schemaSource);
  if (wanted === 'graphql') return pack({ graphql: `${printWithNullability(schema)}\n` });
  if (typeof wanted === 'object' && 'isShareable' in wanted)
    return pack({ graphql: subgraphText(schema, wanted) });
  const { source, operationName } =
    wanted === 'json' ? { source: WHOLE_SCHEMA, operationName: undefined } : wanted;
  const compiled = compileOperation(schema, parse(source), operationName);
  if (!('run' in compiled)) throw new Error('an introspection without its operation');
  const { data, errors } = await compiled.run({ context: undefined, variables: undefined });
  if (errors || !data) throw new Error('an introspection failed');
  if (wanted === 'json') return pack({ json: JSON.stringify({ data }) });
  return pack(Object.fromEntries(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)])));
}

function pack(texts: Readonly<Record<string, string>>): Packed {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, gzipSync(text)]));
}

parentPort?.on('message', (task: IntrospectionTask) => {
  answer(task).then(
    (packed) => parentPort?.postMessage(packed),
    (error: unknown) => {
      // The error ends the thread; the waiting request fails.
      setImmediate(() => {
        throw error;
      });
    },
  );
});
