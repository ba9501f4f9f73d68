/** The jobs of bulk data at `{fhir_root}/_bulk`, imports and exports. */
import type { FastifyReply } from 'fastify';
import type { Exchange } from '../exchange';
import { cancelExport, exportFile, exportStatus } from './bulk-export';
import { cancelImport, importErrors, importStatus } from './import';

/** GET _bulk/{job}. Throws unknownJob. */
export async function bulkStatus(exchange: Exchange): Promise<FastifyReply> {
  const send = await importStatus(exchange, jobOf(exchange));
  return send === undefined ? exportStatus(exchange) : send();
}

/** DELETE _bulk/{job}. Throws unknownJob. */
export async function bulkCancel(exchange: Exchange): Promise<FastifyReply> {
  const send = await cancelImport(exchange, jobOf(exchange));
  return send === undefined ? cancelExport(exchange) : send();
}

/** GET _bulk/{job}/{file}. Throws unknownJob. */
export async function bulkFile(exchange: Exchange): Promise<FastifyReply> {
  const { file = '' } = exchange.request.params;
  const send = await importErrors(exchange, jobOf(exchange), file);
  return send === undefined ? exportFile(exchange) : send();
}

function jobOf({ request }: Exchange): string {
  return request.params.job ?? '';
}
