/** Reads definitions/<release>.descriptions.json.gz, which scripts/definitions/descriptions.mjs makes. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Release } from '../release';
import { findDefinitionsFile } from './file';

/** The short texts of a release's definitions, for people. Undefined where a definition has none. */
export interface Descriptions {
  /** `ElementDefinition.short`; of the type itself where the path is empty. */
  element(typeName: string, path: string): string | undefined;
  /** Describes a search parameter, as it applies to the type. */
  searchParameter(type: string, code: string): string | undefined;
  /** Describes an input parameter; parts are named `parameter.part`. */
  operationParameter(operation: string, name: string): string | undefined;
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface DescriptionsFile {
  readonly elements: Texts;
  readonly parameters: Texts;
  readonly operations: Texts;
}

const loaded = new Map<Release, Descriptions>();

/** Cost: some 10 ms and 2 MB the first time, then one look-up. */
export function loadDescriptions(release: Release): Descriptions {
  let descriptions = loaded.get(release);
  if (descriptions === undefined) loaded.set(release, (descriptions = readDescriptions(release)));
  return descriptions;
}

function readDescriptions(release: Release): Descriptions {
  const name = `${release}.descriptions.json.gz`;
  const parsed: unknown = JSON.parse(gunzipSync(readFileSync(findDefinitionsFile(name))).toString());
  if (!isDescriptionsFile(parsed)) throw new Error(`definitions/${name} has no descriptions`);
  const { elements, parameters, operations } = parsed;
  return {
    element: (typeName, path) => textOf(elements, typeName, path),
    searchParameter: (type, code) => textOf(parameters, type, code),
    operationParameter: (operation, parameter) => textOf(operations, operation, parameter),
  };
}

/** A tenant may name a search parameter `constructor`. */
function textOf(texts: Texts, of: string, name: string): string | undefined {
  const named = Object.hasOwn(texts, of) ? texts[of] : undefined;
  return named && Object.hasOwn(named, name) ? named[name] : undefined;
}

function isDescriptionsFile(parsed: unknown): parsed is DescriptionsFile {
  return typeof parsed === 'object' && parsed !== null && 'elements' in parsed && 'operations' in parsed;
}
