/** Executes an import of a code system (docs/use/import-terminology.md): receives its file, then stores its concepts. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CodeSystemImport, CodeSystemReader } from '../../api/terminology';
import { permissionsOf } from '../../authorization/visibility';
import type { RequestContext } from '../../context';
import { isJsonObject, parseJson, type JsonObject } from '../../fhir/json';
import { objectsMember, stringMember } from '../../fhir/terminology/members';
import type { Services } from '../../ports';
import { readChunk } from '../../storage/jobs/import-chunks';
import { readFiles, type ImportedFile } from '../../storage/jobs/import-files';
import type { JobEnd } from '../../storage/jobs/job-work';
import { findJob, type JobKey } from '../../storage/jobs/jobs';
import type { Database } from '../../storage/connection/database';
import { importCodeSystem, type CodeSystemImportTools } from '../code-system-import';
import { FileTaken, receiveFiles } from './receive-files';
import { contextOf, type ImportRun, type ImportTools } from './run-import';
import { splitPieces } from './split-lines';

/** Of the file, without its coding. */
const MOST_BYTES = 1024 ** 3;
/** A line is parsed at once, while others wait. */
const LONGEST_LINE = 1024 ** 2;
/** In memory, for the codes and their hierarchy: half a million concepts and more. */
const MOST_BYTES_OF_CODES = 128 * 1024 ** 2;
/** Bytes that a reader gets at once, while others wait. */
const PIECE_BYTES = 64 * 1024;
const decompress = promisify(gunzip);

export interface CodeSystemRun extends ImportRun {
  report(progress: JsonObject): void;
}

/** Throws forbidden for a caller that may not import code systems. */
export function requireCodeSystemRights(services: Services, context: RequestContext): void {
  const permissions = permissionsOf(services, context);
  permissions?.requireOperation('import');
  permissions?.require('CodeSystem', 'c');
  permissions?.require('CodeSystem', 'u');
  // What no CodeSystem names is removed, so that none may be hidden.
  for (const right of ['r', 's'] as const)
    permissions?.requireAll('CodeSystem', right, 'An import of a code system');
}

/** Returns the end of the job. Throws the errors of the import, and those of a busy server. */
export async function runCodeSystemImport(
  tools: ImportTools & { readonly services: Services; readonly codeSystems: CodeSystemImportTools },
  run: CodeSystemRun,
  reader: CodeSystemReader,
): Promise<JobEnd> {
  const { services, outbound, longestLine, codeSystems } = tools;
  const { connections: database } = services;
  const { request, signal } = run;
  const { codeSystem } = request;
  if (codeSystem === undefined) throw new TypeError('the import is none of a code system');
  const renew = async (): Promise<RequestContext> => {
    const context = await contextOf(tools, run);
    requireCodeSystemRights(services, context);
    return context;
  };
  const context = await renew();
  const { space } = context;
  run.report(totals({ received: 0, read: 0, stored: 0 }));
  await receiveFiles(
    {
      ...{ database, outbound, signal, split: splitPieces, mostBytes: MOST_BYTES },
      longestLine: Math.min(longestLine, LONGEST_LINE),
      hosts: space.settings.limits.notificationHosts,
      admitFetch: () => tools.admitFetch(space.tenantNumber),
    },
    run,
    request.files,
  );
  const [file] = await readFiles(database, run);
  if (file === undefined) throw new FileTaken();
  if (file.failure !== undefined) return unreadable(file.failure);
  const open = (): AsyncIterable<Buffer> => readStored(database, run, file);
  const source = await reader.open({ name: file.name, open }, codeSystem);
  const imported = await importCodeSystem(codeSystems, context, source, {
    ...{ signal, renew, isChecked: true, mostBytes: MOST_BYTES_OF_CODES },
    report: ({ read, stored }) => run.report(totals({ received: 1, read, stored })),
    async beforeShown() {
      // Its client may have removed the job, and this process not know it yet.
      if ((await findJob(database, run, ['import'])) === undefined) throw new FileTaken();
    },
  });
  const stored = imported.outcome === 'stored' ? imported.concepts : 0;
  return {
    state: 'done',
    result: totals({ received: 1, read: imported.concepts, stored }),
    answer: JSON.stringify(toParameters(imported)),
  };
}

/** As administrators see it, among other imports. */
function totals({
  received,
  read,
  stored,
}: {
  readonly received: number;
  readonly read: number;
  readonly stored: number;
}): JsonObject {
  return { files: 1, received, lines: read, written: stored, refused: 0 };
}

function toParameters({ outcome, id, concepts }: CodeSystemImport): JsonObject {
  return {
    resourceType: 'Parameters',
    parameter: [
      { name: 'outcome', valueCode: outcome },
      { name: 'codeSystem', valueReference: { reference: `CodeSystem/${id}` } },
      { name: 'concepts', valueInteger: concepts },
    ],
  };
}

/** @param outcome the OperationOutcome of the file as a whole */
function unreadable(outcome: string): JobEnd {
  const { value } = parseJson(outcome);
  const [issue] = isJsonObject(value) ? objectsMember(value, 'issue') : [];
  const failure = (issue && stringMember(issue, 'diagnostics')) ?? 'The file cannot be read';
  return { state: 'failed', failure, status: 400, answer: outcome };
}

/** Yields the bytes of the file; they stay until the job ends. */
async function* readStored(
  database: Database,
  job: JobKey,
  { file, pending }: ImportedFile,
): AsyncGenerator<Buffer, void> {
  for (let number = 0; number < pending; number++) {
    const chunk = await readChunk(database, job, { file, number });
    if (chunk === undefined) throw new FileTaken();
    const bytes = await decompress(chunk.content);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
