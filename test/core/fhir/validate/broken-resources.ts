/** Resources that were broken by hand, one rule after the other: broken-resources/*.json, for people to read. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject, parseJson, stringifyJson } from '../../../../src/core/fhir/json';
import { objectsMember, stringMember, stringsMember } from '../../../../src/core/fhir/terminology/members';

export interface ExpectedError {
  /** One of FINDING_RULES, or `json` for what the parser refuses. */
  readonly rule: string;
  /** Undefined where the text is no JSON, so that there is no place. */
  readonly expression: string | undefined;
}

export interface BrokenResource {
  /** The file, and a sentence that says what is wrong. */
  readonly title: string;
  readonly releases: readonly string[];
  readonly type: string;
  /** As it is sent: literals such as 1.0 stay. */
  readonly text: string;
  readonly expected: readonly ExpectedError[];
}

const FOLDER = path.join(__dirname, 'broken-resources');

export function readBrokenResources(): readonly BrokenResource[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => readFile(name));
}

function readFile(name: string): BrokenResource[] {
  const { value, marked } = parseJson(readFileSync(path.join(FOLDER, name), 'utf8'));
  if (!Array.isArray(value)) throw new Error(`${name} is no list`);
  return value.filter(isJsonObject).map((entry) => {
    const { resource } = entry;
    const releases = stringsMember(entry, 'releases');
    return {
      title: `${path.basename(name, '.json')}: ${stringMember(entry, 'title')}`,
      releases: releases.length === 0 ? ['r4', 'r4b'] : releases,
      type: isJsonObject(resource) ? (stringMember(resource, 'resourceType') ?? '') : 'Patient',
      text: resource === undefined ? (stringMember(entry, 'text') ?? '') : stringifyJson(resource, marked),
      expected: objectsMember(entry, 'expected').map((error) => ({
        rule: stringMember(error, 'rule') ?? '',
        expression: stringMember(error, 'expression'),
      })),
    };
  });
}
