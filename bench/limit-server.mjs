/**
 * Measures the limit of this machine: a minimal Fastify and pg, and no other code.
 *
 * GET  /fhir/R4/:type/:id  the stored JSON text by primary key, unchanged
 * POST /fhir/R4/:type      JSON.parse and one INSERT round trip (version row and current row)
 * GET  /fhir/R4/metadata   static bytes of the file LIMIT_METADATA_FILE, which may be the response of another server
 *
 * Usage: node limit-server.mjs [port=8999]; LIMIT_DATABASE_URL names its database.
 * Statements, pool and round trips are those of the shared load tools; do not make it slower or faster.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import Fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString:
    process.env.LIMIT_DATABASE_URL ?? 'postgres://postgres:postgres@127.0.0.1:5432/limit_bench',
  max: 16,
});
await pool.query(`create table if not exists res (id uuid primary key, body text not null);
 create table if not exists hist (id uuid, ver int, body text not null, primary key (id, ver))`);
const metadata = process.env.LIMIT_METADATA_FILE
  ? fs.readFileSync(process.env.LIMIT_METADATA_FILE)
  : '{"resourceType":"CapabilityStatement"}';

const app = Fastify({ logger: false });
const fhirJson = 'application/fhir+json; charset=utf-8';
app.addContentTypeParser('application/fhir+json', { parseAs: 'string' }, (_request, body, done) => {
  try {
    done(null, JSON.parse(body));
  } catch (error) {
    done(error);
  }
});
app.get('/fhir/R4/metadata', (_request, reply) => {
  reply.header('content-type', fhirJson).send(metadata);
});
app.get('/fhir/R4/:type/:id', async (request, reply) => {
  const found = await pool.query({
    name: 'g',
    text: 'select body from res where id=$1',
    values: [request.params.id],
  });
  if (!found.rows.length) return reply.code(404).send();
  return reply.header('content-type', fhirJson).send(found.rows[0].body);
});
app.post('/fhir/R4/:type', async (request, reply) => {
  const id = randomUUID();
  const resource = request.body;
  resource.id = id;
  resource.meta = { versionId: '1', lastUpdated: new Date().toISOString() };
  const text = JSON.stringify(resource);
  await pool.query({
    name: 'i',
    text: 'with h as (insert into hist values ($1,1,$2)) insert into res values ($1,$2)',
    values: [id, text],
  });
  return reply
    .code(201)
    .header('content-type', fhirJson)
    .header('location', `http://127.0.0.1/fhir/R4/${request.params.type}/${id}/_history/1`)
    .send(text);
});
await app.listen({ port: +(process.argv[2] ?? 8999), host: '127.0.0.1' });
console.log('ready');
