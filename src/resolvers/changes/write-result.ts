import type { StoredVersion } from '../../core/index';
import type { WriteResult } from '../../schema/types/write';
import type { GatewayContext } from '../context';
import type { PerformedChange } from './run-alone';
import { showVersion } from './show-version';

/** Returns the result type of the mutations that are not specific to a type. */
export function toWriteResult(context: GatewayContext, { answer, isDryRun }: PerformedChange): WriteResult {
  switch (answer.kind) {
    case 'written': {
      const { version, created, warnings } = answer.result;
      return {
        ...placeOf(version),
        resource: showVersion(context, version, isDryRun),
        created,
        issues: [...warnings],
      };
    }
    case 'found': {
      const { version } = answer;
      return {
        ...placeOf(version),
        resource: showVersion(context, version, isDryRun),
        created: false,
        issues: [],
      };
    }
    case 'deleted': {
      const { versions } = answer;
      const [version, other] = versions;
      const place = version === undefined || other !== undefined ? {} : placeOf(version);
      return { ...place, created: false, deleted: versions.length, issues: [] };
    }
  }
}

function placeOf({ type, id, versionId }: StoredVersion): Pick<WriteResult, 'versionId' | 'location'> {
  return { versionId: String(versionId), location: `${type}/${id}/_history/${versionId}` };
}
