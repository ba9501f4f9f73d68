/** Multiplies the R4 data of the tenant `system` in the database of PGHOST, PGPORT …, as `npm run bench:search` does. */
import pg from 'pg';
import { multiply } from '../../bench/multiply.mjs';

const client = new pg.Client();
await client.connect();
const query = async (text) => (await client.query(text)).rows;
const [{ number: space }] = await query(
  "select s.number from andiron.space s join andiron.tenant t on t.number = s.tenant where t.name = 'system' and s.release = 'r4' and s.kind = 'data'",
);
await multiply(query, { space, copies: Number(process.argv[2]) });
await client.end();
