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

const read = new Map<Release, ReadonlyMap<string, OfficialParameter>>();

/** By `Type.code`. */
export function officialParameters(release: Release): ReadonlyMap<string, OfficialParameter> {
  const known = read.get(release);
  if (known !== undefined) return known;
  const file = path.join(__dirname, '..', '..', '..', 'definitions', `${release}.json.gz`);
  const [core] = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as [
    { searchParameters: OfficialParameter[] },
  ];
  const parameters = new Map(core.searchParameters.map((one) => [`${one.type}.${one.code}`, one]));
  read.set(release, parameters);
  return parameters;
}

export const officialTargets = (release: Release, type: string, code: string): readonly string[] =>
  officialParameters(release).get(`${type}.${code}`)?.targets ?? [];
