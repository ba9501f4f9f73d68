/** Executes an import: receives its files, then writes their lines in the name of the client that has sent it. */
import type { CoreAccess } from '../../api/core';
import type { ImportSource } from '../../api/imports';
import type { Interactions } from '../../api/interactions';
import type { Caller } from '../../api/access';
import type { CodeSystemRequest } from '../../api/terminology';
import { OPERATOR_ACTOR } from '../../audit/audit-trail';
import { EMPTY_REQUEST_STATE, type Log, type RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { Release } from '../../fhir/release';
import { withRelativeAddresses } from '../../fhir/relative-addresses';
import type { Outbound } from '../../outbound/outbound';
import type { Services } from '../../ports';
import { writePart } from '../../storage/jobs/import-chunks';
import { readFiles } from '../../storage/jobs/import-files';
import type { JobKey } from '../../storage/jobs/jobs';
import { receiveFiles } from './receive-files';
import { writeFiles } from './write-files';

export interface ImportTools {
  readonly services: Pick<Services, 'connections' | 'writes' | 'references' | 'preparer'>;
  readonly interactions: Pick<Interactions, 'bundle'>;
  readonly outbound: Outbound;
  /** Longest line in bytes. */
  readonly longestLine: number;
  readonly log: Log;
  findSpace: CoreAccess['findSpace'];
  renewCaller: CoreAccess['renewCaller'];
  /** Counts an outgoing request of a tenant. False: it has sent too many within a minute. */
  admitFetch(tenantNumber: number): Promise<boolean>;
}

/** An import as its request says. */
export interface ImportRequest {
  readonly tenant: string;
  readonly release: Release;
  /** Undefined: the operator, by a command. */
  readonly caller: Caller | undefined;
  readonly address: string | undefined;
  readonly requestId: string;
  readonly files: readonly ImportSource[];
  /** As `NewImport.source`. */
  readonly source: string | undefined;
  /** As `NewImport.codeSystem`. */
  readonly codeSystem: CodeSystemRequest | undefined;
}

export interface ImportRun extends JobKey {
  readonly request: ImportRequest;
  readonly signal: AbortSignal;
}

const OPERATOR: Caller = Object.freeze({ actor: OPERATOR_ACTOR });
/** Milliseconds for one transaction, with its waits for other writers. */
const PATIENCE_MS = 60_000;
/** As many as keep the connections for transactions busy while others are prepared; tenants take turns there. */
const AT_ONCE = 4;
/** OperationOutcomes of an import; further refused lines are only counted. */
export const MOST_LISTED = 100_000;

/** False: the files are not all there yet. Throws the errors of the import as a whole, and those of a busy server. */
export async function runImport(tools: ImportTools, run: ImportRun): Promise<boolean> {
  const { services, outbound, longestLine } = tools;
  const { connections: database } = services;
  const { request, signal } = run;
  const { files, source } = request;
  const { space } = await contextOf(tools, run);
  const hosts = space.settings.limits.notificationHosts;
  const admitFetch = (): Promise<boolean> => tools.admitFetch(space.tenantNumber);
  const receiving = { ...{ database, outbound, signal, longestLine, hosts }, admitFetch };
  if (!(await receiveFiles(receiving, run, files))) return false;
  const failed = (await readFiles(database, run)).reduce((sum, file) => sum + file.failed, 0);
  const references = services.references(space);
  const addresses = { source, below: (url: string) => references.below(url) };
  await writeFiles(
    {
      ...{ database, signal },
      // Lines that wait for each other's chunks would need another pass.
      atOnce: space.settings.referentialIntegrity === 'off' ? AT_ONCE : 1,
      room: { lines: Math.max(0, MOST_LISTED - failed) },
      toWrite: (text, type) => withRelativeAddresses(text, addresses, type === 'Bundle'),
      preparer: services.preparer,
      context: () => contextOf(tools, run),
      bundle: (context, of) => tools.interactions.bundle(context, of),
      store: (context, parts) =>
        services.writes.transaction(context.space.number, async (runStatement) => {
          for (const part of parts) await writePart(runStatement, context.space.number, part);
        }),
      local(reference) {
        const local = references.local(reference);
        return local && `${local.type}/${local.id}`;
      },
    },
    run,
    files,
  );
  return true;
}

/** Returns a context of the client with its rights of this moment. Throws unauthorized. */
export async function contextOf(
  { findSpace, renewCaller, log }: Pick<ImportTools, 'findSpace' | 'renewCaller' | 'log'>,
  { space: number, request }: ImportRun,
): Promise<RequestContext> {
  const { tenant, release, address, requestId } = request;
  const space = await findSpace(tenant, release);
  if (space?.number !== number) throw fhirError('unauthorized', { reason: 'The tenant is not active' });
  const { caller = OPERATOR } = request;
  const { actor, access } = caller === OPERATOR ? caller : await renewCaller(space, caller);
  return {
    ...{ space, actor, requestId, log },
    deadline: Date.now() + PATIENCE_MS,
    isJob: true,
    ...EMPTY_REQUEST_STATE,
    ...(access === undefined ? {} : { access }),
    ...(address === undefined ? {} : { address }),
  };
}
