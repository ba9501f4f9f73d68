/** Entries that a transaction rejects, because they need a transaction or space of their own. */
import { AUDIT_EVENT } from '../../fhir/type-names';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import { operationsOf } from '../../operations/invoke';
import type { OutlinedEntry } from '../../preparation/bundle';
import type { Services } from '../../ports';

/** Rejects an AuditEvent, which belongs to another space. Throws notSupported. */
export function requireNoAuditEvent({ index, request }: OutlinedEntry): void {
  const type =
    request.kind === 'create' ? request.type : 'target' in request ? request.target.type : undefined;
  if (type !== AUDIT_EVENT) return;
  const reason = 'An AuditEvent is recorded by itself or in a batch, and not in a transaction';
  throw fhirError('notSupported', { reason }, entryExpression(index, 'request.url'));
}

/** Throws `notSupported` for an operation that may change data, because it would use a transaction of its own. */
export function requireReading(
  services: Pick<Services, 'definitions'>,
  { space }: RequestContext,
  { index, request }: OutlinedEntry,
): void {
  if (request.kind !== 'invoke') return;
  const { code } = request.place;
  const found = operationsOf(services.definitions(space.release)).filter((each) => each.code === code);
  if (!found.some(({ affectsState }) => affectsState)) return;
  throw fhirError(
    'notSupported',
    { reason: `The operation $${code} may change data, which it does by itself and not in a transaction` },
    entryExpression(index, 'request.url'),
  );
}
