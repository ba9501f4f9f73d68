/**
 * Andiron and HL7's validator agree that a resource has errors, on the cases of its manifest
 * (https://github.com/FHIR/fhir-test-cases, folder `validator`). hl7-manifest-differences.json lists the exceptions, and
 * why. Left out are cases in XML, of other releases, of formats and models besides FHIR's resources, with options of
 * HL7's tool or packages, and those whose errors come from the content of SNOMED CT or LOINC.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FhirError, parseJson, type JsonObject, type Release, type RequestContext } from '../../src/core';
import { isJsonObject } from '../../src/core/fhir/json';
import { openCore, type OpenedCore } from '../support/core';
import { hl7CasesFolder } from '../support/hl7-cases-folder';

interface Case {
  readonly name: string;
  readonly file: string;
  readonly version?: string;
  readonly module?: string;
  readonly supporting?: readonly string[];
  readonly profiles?: readonly string[];
  readonly profile?: {
    readonly source: string;
    readonly supporting?: readonly string[];
    readonly java: unknown;
  };
  readonly java: unknown;
}

interface Difference {
  readonly case: string;
  /** True: we find an error and HL7's validator none. */
  readonly weFind: boolean;
  readonly cause: string;
}

const folder = hl7CasesFolder('validator');
const readText = (name: string): string =>
  readFileSync(path.join(folder, name), 'utf8').replace(/^\uFEFF/, '');
const manifest = JSON.parse(readText('manifest.json')) as { readonly 'test-cases': readonly Case[] };
const differences = JSON.parse(
  readFileSync(path.join(__dirname, 'hl7-manifest-differences.json'), 'utf8'),
) as readonly Difference[];

/** Members of a case that are no options of HL7's tool. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['name', 'file', 'version', 'module', 'supporting', 'profiles', 'profile', 'java', 'tags', 'comment'],
  ...['description', 'documentation', 'explanation'],
  ...['firely-sdk-wip', 'firely-sdk-current', 'brianpos', 'dotnet-brianpos'],
]);
/** Other formats, logical models, signatures, and HL7's packages across releases. */
const OTHER_MODULES: ReadonlySet<string> = new Set(
  'matchetype cdshooks shc json5 dsig cda package-versioning xver tx-advanced scoring logical'.split(' '),
);
/** ECL is the language of SNOMED CT, which takes a terminology server that has it. */
const OTHER_CONTENT = /snomed|loinc|rxnorm|\bECL\b/i;

function releaseOf({ version = '5.0' }: Case): Release | undefined {
  if (version.startsWith('4.0')) return 'r4';
  return version.startsWith('4.3') ? 'r4b' : undefined;
}

function isUsable(one: Case): boolean {
  const files = [one.file, ...filesOf(one), ...ofProfile(one)];
  return (
    releaseOf(one) !== undefined &&
    !OTHER_MODULES.has(one.module ?? '') &&
    Object.keys(one).every((name) => PLAIN.has(name)) &&
    files.every((file) => file.endsWith('.json') && existsSync(path.join(folder, file))) &&
    readText(one.file).includes('"resourceType"')
  );
}

function filesOf({ supporting = [], profiles = [] }: Case): readonly string[] {
  return [...supporting, ...profiles];
}

function ofProfile({ profile }: Case): readonly string[] {
  return profile === undefined ? [] : [...(profile.supporting ?? []), profile.source];
}

/** The errors that HL7's validator reports; undefined if they are not recorded, or come from content that we lack. */
function theirErrors(java: unknown): readonly string[] | undefined {
  if (typeof java !== 'string') return undefined;
  const file = ['.', 'outcomes']
    .map((each) => path.join(each, java))
    .find((each) => existsSync(path.join(folder, each)));
  if (file === undefined) return undefined;
  const { issue = [] } = JSON.parse(readText(file)) as {
    readonly issue?: readonly { readonly severity: string; readonly details?: { readonly text?: string } }[];
  };
  const errors = issue.flatMap(({ severity, details }) =>
    severity === 'error' || severity === 'fatal' ? [details?.text ?? ''] : [],
  );
  return errors.some((error) => OTHER_CONTENT.test(error)) ? undefined : errors;
}

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

async function store(context: RequestContext, files: readonly string[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    const document = parseJson(readText(file));
    const { value } = document;
    if (!isJsonObject(value)) throw new Error(`${file} is no resource`);
    const id = typeof value['id'] === 'string' ? value['id'] : `supporting-${index}`;
    const resource: JsonObject = { ...value, id };
    const published = { ...context, space: { ...context.space, storesAsPublished: true as const } };
    const { resourceType } = value;
    if (typeof resourceType !== 'string') throw new Error(`${file} has no type`);
    await opened.core.interactions.update(published, {
      type: resourceType,
      id,
      input: { ...document, value: resource },
    });
  }
}

async function ourErrors(
  context: RequestContext,
  file: string,
  profile?: string,
): Promise<readonly string[]> {
  const ofProfile_ = profile === undefined ? '' : `,{"name":"profile","valueUri":${JSON.stringify(profile)}}`;
  const text = `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":${readText(file)}}${ofProfile_}]}`;
  try {
    const result = await opened.core.interactions.invoke(context, {
      level: 'system',
      code: 'validate',
      input: { text },
      safe: false,
    });
    if (!('text' in result)) throw new Error('$validate answers a text');
    const { issue } = JSON.parse(result.text) as {
      readonly issue: readonly { readonly severity: string; readonly diagnostics: string }[];
    };
    return issue.filter(({ severity }) => severity === 'error').map(({ diagnostics }) => diagnostics);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return error.issues.map(({ diagnostics }) => diagnostics);
  }
}

it('at least 93 % of the cases agree, and the others differ for a cause that is named', async () => {
  const found: { case: string; weFind: boolean }[] = [];
  let count = 0;
  const compare = (name: string, ours: readonly string[], theirs: readonly string[]): void => {
    count++;
    const weFind = ours.length > 0;
    if (weFind === theirs.length > 0) return;
    found.push({ case: name, weFind });
    if (process.env['SHOW_ERRORS'] !== undefined)
      process.stdout.write(`${name}\n  ours: ${ours.join('; ')}\n  theirs: ${theirs.join('; ')}\n`);
  };
  for (const [index, one] of manifest['test-cases'].filter(isUsable).entries()) {
    const release = releaseOf(one) ?? 'r4';
    const tenant = `case-${index}`;
    await opened.core.tenants.create(tenant, {});
    const contextOf = (): Promise<RequestContext> => opened.context(tenant, release);
    await store(await contextOf(), filesOf(one));
    const theirs = theirErrors(one.java);
    if (theirs !== undefined) compare(one.name, await ourErrors(await contextOf(), one.file), theirs);
    if (one.profile === undefined) continue;
    const ofProfileRun = theirErrors(one.profile.java);
    if (ofProfileRun === undefined) continue;
    await store(await contextOf(), ofProfile(one));
    const { url } = JSON.parse(readText(one.profile.source)) as { readonly url: string };
    compare(`${one.name}, with its profile`, await ourErrors(await contextOf(), one.file, url), ofProfileRun);
  }
  process.stdout.write(`${count - found.length} of ${count} cases agree\n`);
  expect(found).toEqual(differences.map(({ case: name, weFind }) => ({ case: name, weFind })));
  for (const { cause } of differences) expect(cause).toMatch(/.{20}\.$/);
  expect((count - found.length) / count).toBeGreaterThanOrEqual(0.93);
}, 600_000);
