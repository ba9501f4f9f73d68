/** Exports and imports as administrators see them: without filters, identities of Patients and results, which can be long. */
import { sql } from 'kysely';
import type { JsonObject } from '../../fhir/json';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { JOB_KIND, type StoredState } from './jobs';

export interface BulkJobFacts {
  readonly id: string;
  readonly kind: string;
  readonly state: StoredState;
  readonly isCancelled: boolean;
  /** Milliseconds since 1970, as the following ones. */
  readonly created: number;
  readonly started: number | undefined;
  readonly ended: number | undefined;
  /** Id of the client; undefined: the operator has begun it. */
  readonly client: string | undefined;
  /** The person of the client: a relative reference, or the id of an account. */
  readonly person: string | undefined;
  readonly request: JsonObject;
  readonly progress: JsonObject | undefined;
  readonly result: JsonObject | undefined;
  readonly failure: string | undefined;
}

/** Names of files that a job shows. */
const MOST_NAMES = 20;
const LONGEST_NAME = 200;

const CALLER = sql`(c.request ->> 'caller')::jsonb`;
const EXPORT = sql`c.request -> 'export'`;
const LENGTH = (value: ReturnType<typeof sql>) =>
  sql`case when jsonb_typeof(${value}) = 'array' then jsonb_array_length(${value}) end`;
const REQUEST = sql`
  jsonb_strip_nulls(case when ${JOB_KIND} = 'export' then jsonb_build_object(
    'level', ${EXPORT} -> 'level', 'group', ${EXPORT} -> 'group', 'types', ${EXPORT} -> 'types',
    'since', ${EXPORT} -> 'since', 'until', ${EXPORT} -> 'until',
    'filters', ${LENGTH(sql`${EXPORT} -> 'filters'`)}, 'patients', ${LENGTH(sql`${EXPORT} -> 'patients'`)})
  else jsonb_build_object(
    'files', ${LENGTH(sql`c.request -> 'files'`)}, 'codeSystem', c.request -> 'codeSystem' -> 'format',
    'names', (
      select jsonb_agg(left(regexp_replace(f.file ->> 'name', '[?#].*$', ''), ${sql.lit(LONGEST_NAME)}) order by f.place)
      from (
        select x.file, x.place from jsonb_array_elements(c.request -> 'files') with ordinality as x (file, place)
        order by x.place limit ${sql.lit(MOST_NAMES)}
      ) f))
  end)`;
const PROGRESS = sql`
  case when ${JOB_KIND} = 'export' and jsonb_typeof(c.progress -> 'done') = 'array' then jsonb_build_object(
    'types', c.progress -> 'types', 'typesDone', jsonb_array_length(c.progress -> 'done'),
    'resources', c.progress -> 'found')
  when ${JOB_KIND} = 'import' and jsonb_typeof(c.progress -> 'written') = 'number' then c.progress
  end`;
const RESULT = sql`
  case when c.result is null then null when ${JOB_KIND} = 'export' then (
    select jsonb_build_object('files', count(*), 'lines', coalesce(sum((f.file ->> 'count')::bigint), 0))
    from jsonb_array_elements(c.result -> 'files') as f (file))
  else c.result end`;

const JOBS = sql`
  select j.id, ${JOB_KIND}, j.state, j.cancelled, floor(extract(epoch from j.created) * 1000)::bigint,
         floor(extract(epoch from j.started) * 1000)::bigint, floor(extract(epoch from j.ended) * 1000)::bigint,
         ${CALLER} ->> 'actor', coalesce(${CALLER} -> 'access' ->> 'user', ${CALLER} -> 'access' ->> 'account'),
         ${REQUEST}, ${PROGRESS}, ${RESULT}, c.failure
  from (
    select * from andiron.job j
    where j.space = ${bind('space')}::int and ${JOB_KIND} = any (${bind('kinds')}::text[])
      and (j.expires is null or j.expires > now())
      and (${bind('id')}::text is null or j.id = ${bind('id')}::text)
    order by j.created desc, j.id limit ${bind('limit')}::int
  ) j
  join andiron.job_content c on c.space = ${bind('space')}::int and c.id = j.id
  order by j.created desc, j.id`;
const READ = defineStatement(template(JOBS));

/** The jobs of these kinds in a space, or the one with the id, the newest first. **Cost**: one statement. */
export async function readBulkJobs(
  database: Database,
  space: number,
  { kinds, id, limit }: { readonly kinds: readonly string[]; readonly id?: string; readonly limit: number },
): Promise<readonly BulkJobFacts[]> {
  const bound = { space, kinds, limit, id: id ?? null };
  const rows = await database.run({ lane: 'search', space }, READ, bound);
  return (rows as FactsRow[]).map(
    ([of, kind, state, isCancelled, created, started, ended, client, person, request, ...ends]) => {
      const [progress, result, failure] = ends;
      return {
        ...{ id: of, kind, state, isCancelled, created, request },
        ...{ started: started ?? undefined, ended: ended ?? undefined },
        ...{ client: client ?? undefined, person: person ?? undefined },
        ...{ progress: progress ?? undefined, result: result ?? undefined, failure: failure ?? undefined },
      };
    },
  );
}

type FactsRow = [
  id: string,
  kind: string,
  state: StoredState,
  isCancelled: boolean,
  created: number,
  started: number | null,
  ended: number | null,
  client: string | null,
  person: string | null,
  request: JsonObject,
  progress: JsonObject | null,
  result: JsonObject | null,
  failure: string | null,
];
