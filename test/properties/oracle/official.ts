/** The official search parameters of a release, read straight from the definitions file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

export type Release = 'r4' | 'r4b';

export interface OfficialParameter {
  readonly type: string;
  readonly code: string;
  readonly kind: string;
  readonly expression?: string;
  readonly targets?: readonly string[];
  readonly components?: readonly {
    readonly code: string;
    readonly kind: string;
    readonly expression: string;
  }[];
}

interface Official {
  /** By `Type.code`. */
  readonly parameters: ReadonlyMap<string, OfficialParameter>;
  /** By the type that has the compartment: types in it and the codes of their parameters. */
  readonly compartments: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

const read = new Map<Release, Official>();

function official(release: Release): Official {
  const cached = read.get(release);
  if (cached !== undefined) return cached;
  const file = path.join(__dirname, '..', '..', '..', 'definitions', `${release}.json.gz`);
  const [core] = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as [
    {
      searchParameters: OfficialParameter[];
      compartments: { code: string; parameters: Record<string, string[]> }[];
    },
  ];
  const found: Official = {
    parameters: new Map(core.searchParameters.map((one) => [`${one.type}.${one.code}`, one])),
    compartments: new Map(
      core.compartments.map(({ code, parameters }) => [code, new Map(Object.entries(parameters))]),
    ),
  };
  read.set(release, found);
  return found;
}

/** The marker for a reference to every type. */
export const EVERY = ['Resource', 'Any'];

/** By `Type.code`. */
export const officialParameters = (release: Release): ReadonlyMap<string, OfficialParameter> =>
  official(release).parameters;

/** The kinds that a parameter of this name has among those of the types that have it. */
export const officialKinds = (release: Release, types: readonly string[], code: string): string[] => [
  ...new Set(types.flatMap((type) => officialParameters(release).get(`${type}.${code}`)?.kind ?? [])),
];

/** The types in a compartment and the codes of the parameters by which they are. */
export const officialCompartment = (
  release: Release,
  compartment: string,
): ReadonlyMap<string, readonly string[]> => official(release).compartments.get(compartment) ?? new Map();

export const officialTargets = (release: Release, type: string, code: string): readonly string[] =>
  officialParameters(release).get(`${type}.${code}`)?.targets ?? [];
