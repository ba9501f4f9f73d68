import type { ErasureWatch } from '../cache/erasure-watch';
import type { Log } from '../context';
import type { AccessParts } from './create-access';
import type { BaseServices } from './create-foundation';
import { OTHER_DEFINITIONS } from './health';

export interface ChangeListeners {
  readonly access: AccessParts;
  readonly erasures: ErasureWatch;
  readonly log: Log;
}

/** Evicts what other processes have changed from the caches of this one, and announces new definitions to them. */
export function listenForChanges(
  { cache, spaces, installation, baseDigest }: BaseServices,
  { access, erasures, log }: ChangeListeners,
): void {
  cache.listen(({ kind, subject }) => {
    if (kind === 'tenant-changed') {
      spaces.invalidate(subject);
      access.invalidate();
    } else if (kind === 'erased') erasures.poll();
    // Only a log entry: all cache entries about base resources name their digest.
    else if (subject !== baseDigest) log.warn({}, OTHER_DEFINITIONS);
  });
  if (installation.baseReplaced) cache.announce({ kind: 'definitions-changed', subject: baseDigest });
}
