import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readServer, type ServerProcess, type ServerState } from '../../api/administration';
import { texts } from '../../texts';

const REFRESH_MS = 15_000;
const words = texts.server.processes;

/** The state of the server, read again while the page is visible. */
export function useServer(): UseQueryResult<ServerState> {
  return useQuery({ queryKey: ['server'], queryFn: readServer, refetchInterval: REFRESH_MS });
}

export type Report = NonNullable<ServerProcess['report']>;

/** The processes that say something of themselves, with their names. */
export function reportsOf({ processes }: ServerState): readonly (Report & { readonly name: string })[] {
  return processes.flatMap(({ report }) =>
    report === undefined ? [] : [{ ...report, name: `${report.host} ${report.pid}` }],
  );
}

export function nameOf(report: Report): string {
  return words.at(report.host, report.port);
}
