import { SEARCH_PARAMETER } from '../fhir/type-names';
import { registerParameters } from '../storage/write/write-statements';
import type { WriteAspect } from './write-aspect';

/** The tenant's search parameters that follow from a SearchParameter. */
export const searchParameters: WriteAspect = {
  plan(_services, _context, { type, id, prepared }, members) {
    const pairs = prepared === undefined && type === SEARCH_PARAMETER ? [] : prepared?.pairs;
    members.registration = pairs && { owner: id, pairs };
    return undefined;
  },
  async planTransaction(_services, { space }, versions) {
    const own = versions.filter(({ version }) => version.type === SEARCH_PARAMETER);
    if (own.length === 0) return undefined;
    return {
      async complete(run) {
        for (const { version, entry } of own) {
          if (entry?.changesNothing === true) continue;
          await registerParameters(run, space.number, { owner: version.id, pairs: entry?.pairs ?? [] });
        }
      },
    };
  },
};
