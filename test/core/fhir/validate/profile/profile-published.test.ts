/** The profiles that HL7 publishes, on the examples that HL7 publishes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseJson, type JsonObject, type Release } from '../../../../../src/core';
import { loadDefinitions } from '../../../../../src/core/fhir/definitions';
import { isJsonObject } from '../../../../../src/core/fhir/json';
import { stringMember } from '../../../../../src/core/fhir/terminology/members';
import { checkClaim, collectClaims } from '../../../../../src/core/fhir/validate/profile/claims';
import { PROFILE_ERRATA } from '../../../../../src/core/fhir/validate/profile/errata';
import { checkExtensions } from '../../../../../src/core/fhir/validate/profile/extensions';
import { ProfileSet } from '../../../../../src/core/fhir/validate/profile/profile-set';
import { ValidationRun } from '../../../../../src/core/fhir/validate/run';
import { readExamples } from '../../../../support/examples';
import { publishedStructures, specificationStructures } from './specification-structures';
import { TESTED_RELEASES } from '../../../../support/releases';

const withoutVersion = (canonical: string): string => canonical.replace(/\|.*/, '');

function specificationSet(release: Release): ProfileSet {
  const known = specificationStructures(release);
  return new ProfileSet({
    definitions: loadDefinitions(release),
    structureDefinition: (canonical) => known.get(withoutVersion(canonical)),
  });
}

/** Returns the issues as lines, and the number of checked profiles. */
function judge(
  set: ProfileSet,
  resource: JsonObject,
): { lines: string[]; checked: number; unknown: string[] } {
  const run = new ValidationRun(stringMember(resource, 'resourceType') ?? '', resource, true);
  run.wantsWarnings = true;
  const unknown: string[] = [];
  let checked = 0;
  for (const claim of collectClaims(resource, set.definitions)) {
    for (const url of claim.profiles) {
      const profile = set.profile(url);
      if (!profile) unknown.push(url);
      else {
        checked++;
        checkClaim(claim, profile, run);
      }
    }
  }
  checkExtensions(resource, run, set);
  return {
    lines: run.findings.map(({ expression, diagnostics }) => `${expression}: ${diagnostics}`),
    checked,
    unknown,
  };
}

describe.each(TESTED_RELEASES)('Of the specification %s', (release) => {
  const set = specificationSet(release);

  it('all profiles and extensions compile, and one of them in part only', () => {
    const problems: string[] = [];
    let count = 0;
    for (const url of specificationStructures(release).keys()) {
      const profile = set.profile(url);
      if (!profile) throw new Error(`${url}: ${set.faultOf(url) ?? 'is not there'}`);
      count++;
      problems.push(...profile.problems);
    }
    expect(count).toBeGreaterThan(600);
    // The slices differ by the codes of a value set that takes a filter to know: the server asks its terminology.
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('DiagnosticReport.result');
  });

  it('all examples meet the profiles that they claim and the definitions of their extensions', () => {
    let claims = 0;
    const lines: string[] = [];
    for (const { resource, type, id } of readExamples(release)) {
      const judged = judge(set, resource);
      claims += judged.checked;
      lines.push(...judged.lines.map((line) => `${type}/${id} ${line}`));
    }
    // The published examples use these extensions where their definitions do not allow it.
    const misplaced = lines.filter((line) => line.includes(' is not for '));
    expect(lines).toEqual(misplaced);
    const extensions = misplaced.map((line) => /StructureDefinition\/([a-z-]+) is not/.exec(line)?.[1]);
    const ofR4 = release === 'r4' ? ['capabilitystatement-expectation'] : [];
    expect(new Set(extensions)).toEqual(new Set(['structuredefinition-fhir-type', ...ofR4]));
    expect(claims).toBeGreaterThan(15);
  });

  it('examples meet the profiles that are made for them, though they do not claim them', () => {
    const examples = new Map(readExamples(release).map((each) => [`${each.type}/${each.id}`, each.resource]));
    const meets = (name: string, profile: string): string[] => {
      const resource = examples.get(name);
      if (!resource) throw new Error(`there is no ${name}`);
      const meta = { profile: [`http://hl7.org/fhir/StructureDefinition/${profile}`] };
      return judge(set, { ...resource, meta }).lines;
    };
    for (const [id, profile] of [
      ['blood-pressure', 'bp'],
      ['body-height', 'bodyheight'],
      ['body-temperature', 'bodytemp'],
      ['bmi', 'bmi'],
      ['heart-rate', 'heartrate'],
      ['respiratory-rate', 'resprate'],
      ['head-circumference', 'headcircum'],
      ['example', 'bodyweight'],
      ['vitals-panel', 'vitalspanel'],
    ] as const)
      expect(meets(`Observation/${id}`, profile)).toEqual([]);
    expect(meets('Observation/heart-rate', 'bp').length).toBeGreaterThan(3);
  });

  it('profiles detect removed and added content', () => {
    const example = readExamples(release).find(
      ({ id, type }) => type === 'Observation' && id === 'blood-pressure',
    );
    const text = JSON.stringify({
      ...example?.resource,
      meta: { profile: ['http://hl7.org/fhir/StructureDefinition/bp'] },
    });
    const changed = (from: string, to: string): string[] => {
      expect(text).toContain(from);
      const { value } = parseJson(text.replace(from, to));
      return isJsonObject(value) ? judge(set, value).lines.map((line) => line.replace(/:.*/, '')) : [];
    };
    expect(changed('"subject"', '"focus"')).toContain('Observation.subject');
    expect(changed('"code":"mm[Hg]"', '"code":"mm"')).toEqual([
      'Observation.component[0].value.ofType(Quantity).code',
    ]);
    expect(changed('"code":"8462-4"', '"code":"8462-5"')).toContain('Observation.component');
    expect(changed('"code":"vital-signs"', '"code":"exam"')).toEqual(['Observation.category']);
    expect(changed('"effectiveDateTime":"2012-09-17"', '"effectiveDateTime":"2012-09"')).toEqual([
      'Observation.effective.ofType(dateTime)',
    ]);
    expect(changed('"effectiveDateTime":"2012-09-17"', '"effectivePeriod":{"start":"2012"}')).toEqual([]);
  });
});

describe('The errata of profiles', () => {
  it('are about expressions that are published, and say why', () => {
    const published = new Set(
      (['r4', 'r4b'] as const).flatMap((release) =>
        [...specificationStructures(release).values()].map((structure) => JSON.stringify(structure)),
      ),
    );
    for (const { guide, key, expression, reason } of PROFILE_ERRATA) {
      expect(reason.length).toBeGreaterThan(80);
      if (guide !== undefined) continue;
      const start = `{"key":"${key}","severity":"error"`;
      const text = JSON.stringify(expression);
      expect([...published].some((one) => one.includes(start) && one.includes(text))).toBe(true);
    }
  });
});

describe('Of the International Patient Summary', () => {
  const structures = publishedStructures().filter(({ source }) => source === 'hl7.fhir.uv.ips');
  const own = new Map(structures.map((each) => [each.url, each]));
  const base = specificationStructures('r4');
  const set = new ProfileSet({
    definitions: loadDefinitions('r4'),
    structureDefinition(canonical) {
      const published = own.get(withoutVersion(canonical));
      return published === undefined
        ? base.get(withoutVersion(canonical))
        : { ...published.structure, snapshot: published.snapshot };
    },
  });
  const examples = gunzipSync(readFileSync(path.join(__dirname, 'published-examples.ndjson.gz')))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { value } = parseJson(line);
      if (!isJsonObject(value)) throw new Error('no object');
      return value;
    });

  it('all examples meet the profiles that they claim', () => {
    let claims = 0;
    const lines: string[] = [];
    for (const example of examples) {
      const judged = judge(set, example);
      expect(judged.unknown).toEqual([]);
      claims += judged.checked;
      lines.push(...judged.lines);
    }
    expect(claims).toBeGreaterThan(40);
    // One extension is of a package that is not here.
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('allergyintolerance-abatement|5.3.0');
  });

  it('a document without a section, with an unexpected entry or with a patient without a name is refused', () => {
    const bundle = examples.find(({ id }) => id === 'bundle-minimal');
    if (!bundle) throw new Error('the example is not there');
    const text = JSON.stringify(bundle);
    const changed = (from: RegExp, to: string): string => {
      expect(text).toMatch(from);
      const { value } = parseJson(text.replace(from, to));
      return isJsonObject(value) ? judge(set, value).lines.join('\n') : '';
    };
    // The section of allergies gets the code of another.
    expect(changed(/48765-2/, '11369-6')).toContain(
      "The one at [0] does not fit: There is nothing in the slice 'sectionAllergies' of Composition.section",
    );
    expect(changed(/"type":"document"/, '"type":"collection"')).toContain(
      'Bundle.type: The value must be exactly "document"',
    );
    expect(changed(/"birthDate":"[^"]*"/, '"deceasedBoolean":false')).toContain(
      'Patient.birthDate is missing',
    );
  });
});
