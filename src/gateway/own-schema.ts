/** What a schema is made of: the definitions of its release, and the search parameters of one space. Plain values. */
import {
  type Release,
  type ReleaseDefinitions,
  releaseDefinitions,
  type Space,
  spaceDefinitions,
} from '../core/index';
import { toArgumentName } from '../schema/fhir/search-arguments';

/** From which a thread can make the same schema again. */
export interface SchemaSource {
  readonly release: Release;
  /** Number of the space whose own it is; undefined: the schema is that of the release. */
  readonly space?: number;
  /** Of that space. */
  readonly searchParameters?: Space['searchParameters'];
  /** The same for the same schema, and of one space. */
  readonly key: string;
}

/** Names of arguments and of members of `where` that are no search parameters. */
const RESERVED = ['where', 'asOf', 'and', 'or', 'not'];

/** A parameter of the space that would have the name of another argument is for `search` alone. */
export function definitionsOf({ release, searchParameters }: SchemaSource): ReleaseDefinitions {
  const ofRelease = releaseDefinitions(release);
  if (searchParameters === undefined) return ofRelease;
  const definitions = spaceDefinitions({ release, searchParameters });
  return {
    ...definitions,
    searchParameters(type) {
      const builtIn = new Set(ofRelease.searchParameters(type).map(({ code }) => code));
      const taken = new Set([...RESERVED, ...[...builtIn].map(toArgumentName)]);
      return definitions.searchParameters(type).filter(({ code }) => {
        if (builtIn.has(code)) return true;
        const name = toArgumentName(code);
        const isFree = !taken.has(name);
        taken.add(name);
        return isFree;
      });
    },
  };
}

/** That of spaces without search parameters of their own. */
export function sourceOfRelease(release: Release): SchemaSource {
  return { release, key: release };
}

/** Of a space as it is now. Cost: a look at its search parameters. */
export function sourceOf({ number, release, searchParameters }: Space): SchemaSource {
  const active = (searchParameters?.list ?? []).filter(({ state }) => state === 'active');
  if (searchParameters === undefined || active.length === 0) return sourceOfRelease(release);
  const names = active
    .map(({ type, code, definition: { kind, targets } }) => [type, code, kind, ...targets].join(' '))
    .sort();
  return {
    release,
    space: number,
    searchParameters: { ...searchParameters, list: active },
    key: [release, number, ...names].join('\n'),
  };
}
