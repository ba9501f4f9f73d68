import type { CoreJobs, CoreStreams } from '../api/core';
import type { RequestContext } from '../context';
import type { Services } from '../ports';
import { ElementRedaction } from './element-redaction';
import type { Permissions } from './permissions';
import { permissionsOf } from './visibility';

/** The services that tell what a caller may do. */
export type PermissionServices = Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>;

/** The readers of changes, whose results are redacted. */
export function authorizeChanges(
  readers: Pick<CoreStreams, 'lastSequence' | 'changes'>,
  services: PermissionServices,
): Pick<CoreStreams, 'lastSequence' | 'changes'> {
  return {
    async lastSequence(context) {
      permissionsFor(services, context)?.requireSomething();
      return readers.lastSequence(context);
    },
    async changes(context, ...of) {
      const versions = await readers.changes(context, ...of);
      return redactionFor(services, context)?.versions(versions) ?? versions;
    },
  };
}

/** Asynchronous requests, which a client without any right cannot submit. */
export function authorizeRequests(
  requests: CoreJobs['requests'],
  services: PermissionServices,
): CoreJobs['requests'] {
  return {
    ...requests,
    async submit(context, request) {
      permissionsFor(services, context)?.requireAnything();
      return requests.submit(context, request);
    },
  };
}

function permissionsFor(services: PermissionServices, context: RequestContext): Permissions | undefined {
  return context.access === undefined ? undefined : permissionsOf(services, context);
}

/** Returns the redaction of results for the caller; undefined: nothing is hidden from it. */
export function redactionFor(
  services: PermissionServices,
  context: RequestContext,
): ElementRedaction | undefined {
  const elements = permissionsFor(services, context)?.elements;
  return elements?.hidesAny === true ? new ElementRedaction(elements) : undefined;
}
