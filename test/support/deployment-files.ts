/** Reads compose.yaml and the manifests of deploy/kubernetes. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export const ROOT = path.resolve(__dirname, '../..');
export const KUBERNETES = path.join(ROOT, 'deploy', 'kubernetes');

/** An object of a YAML file. */
export type Fields = { readonly [name: string]: unknown };

export interface Manifest extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
}

/** YAML 1.1, as Kubernetes and Debian's docker-compose read it: `on` without quotes is no text there. */
export function readYaml(file: string): Fields {
  return parse(readFileSync(file, 'utf8'), { version: '1.1', merge: true }) as Fields;
}

/** The files of the folder, without the kustomization. */
export function manifestFiles(): readonly string[] {
  return readdirSync(KUBERNETES).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
}

export function readManifest(file: string): Manifest {
  return readYaml(path.join(KUBERNETES, file)) as Manifest;
}

/** The field at a path such as `spec.template.spec`; a number is an index. */
export function fieldAt(value: unknown, at: string): unknown {
  let found: unknown = value;
  for (const name of at.split('.')) found = (found as Fields | undefined)?.[name];
  return found;
}
