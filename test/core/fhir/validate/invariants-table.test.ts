import { loadDefinitions, readBaseResources } from '../../../../src/core/fhir/definitions';
import { isJsonObject, parseJson, type JsonObject } from '../../../../src/core/fhir/json';
import { PathAllowance, PathTypeError } from '../../../../src/core/fhir/path';
import { RELEASE_NAMES } from '../../../../src/core/fhir/release';
import { createValidator } from '../../../../src/core/fhir/validate';
import { compileInvariant, compileInvariants } from '../../../../src/core/fhir/validate/invariants';
import { ERRATA } from '../../../../src/core/fhir/validate/invariants/errata';
import { NATIVE_INVARIANTS } from '../../../../src/core/fhir/validate/invariants/native';
import { textOf } from '../path/examples';
import { objectAt } from './broken-by';

const organization = { resourceType: 'Organization', id: 'o', name: 'Good Health' };
const managed = { managingOrganization: { reference: '#o' } };

/** One Patient for each rule that is native. */
const NATIVELY_BROKEN: Readonly<Record<string, JsonObject>> = {
  'ele-1': { name: [{ id: 'a' }] },
  'ext-1': { extension: [{ url: 'urn:x' }] },
  'dom-2': {
    ...managed,
    contained: [{ ...organization, contained: [{ resourceType: 'Patient', id: 'b' }] }],
  },
  'dom-3': { contained: [organization] },
  'dom-4': { ...managed, contained: [{ ...organization, meta: { versionId: '1' } }] },
  'dom-5': { ...managed, contained: [{ ...organization, meta: { security: [{ code: 'R' }] } }] },
  'ref-1': managed,
  'txt-1': {
    text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"><form>x</form></div>' },
  },
  'txt-2': { text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"> </div>' } },
};

describe.each(RELEASE_NAMES)('the table of invariants of %s', (release) => {
  const definitions = loadDefinitions(release);

  it('has every constraint of the published types, native or compiled', () => {
    const missing: string[] = [];
    let count = 0;
    for (const { type, text } of readBaseResources(release)) {
      if (type !== 'StructureDefinition' || text.includes('"derivation":"constraint"')) continue;
      const snapshot = objectAt(parseJson(text).value, 'snapshot');
      const elements = Array.isArray(snapshot['element']) ? snapshot['element'] : [];
      for (const one of elements.filter(isJsonObject)) {
        const path = textOf(one['path']);
        const keys = keysAt(path);
        const constraints = Array.isArray(one['constraint']) ? one['constraint'] : [];
        for (const { key } of constraints.filter(isJsonObject)) {
          count++;
          if (!NATIVE_INVARIANTS.has(textOf(key)) && !keys.has(textOf(key)))
            missing.push(`${textOf(key)} ${path}`);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(count).toBeGreaterThan(8000);
  });

  function keysAt(path: string): Set<string> {
    const dot = path.indexOf('.');
    const typeName = dot < 0 ? path : path.slice(0, dot);
    if (dot < 0) return new Set(compileInvariants(definitions, typeName, '').map(({ key }) => key));
    const element = definitions.structure(typeName)?.element(path.slice(dot + 1));
    if (!element) return new Set();
    const { isChoice, types } = element;
    const own = (isChoice ? types.map(({ code }) => code) : [undefined]).flatMap((choice) =>
      compileInvariants(definitions, typeName, path.slice(dot + 1), choice),
    );
    const ofTypes = types.flatMap(({ code }) => compileInvariants(definitions, code, ''));
    return new Set([...own, ...ofTypes].map(({ key }) => key));
  }

  it('compiles none that is native, and lists every native one', () => {
    const keys = new Set<string>();
    for (const type of ['Patient', 'Extension', 'Reference', 'Narrative', 'string']) {
      const structure = definitions.structure(type);
      for (const { key } of structure?.constraints ?? []) keys.add(key);
      for (const one of structure?.elements ?? []) for (const { key } of one.constraints) keys.add(key);
      for (const { key } of compileInvariants(definitions, type, ''))
        expect(NATIVE_INVARIANTS.has(key)).toBe(false);
    }
    expect([...NATIVE_INVARIANTS.keys()].filter((key) => !keys.has(key))).toEqual([]);
    expect(Object.keys(NATIVELY_BROKEN).sort()).toEqual([...NATIVE_INVARIANTS.keys()].sort());
  });

  it.each(Object.entries(NATIVELY_BROKEN))('has %s held by the validator itself', (key, content) => {
    const { findings } = createValidator(definitions).validate(
      { resourceType: 'Patient', ...structuredClone(content) },
      { isFull: true },
    );
    expect(NATIVE_INVARIANTS.has(key)).toBe(true);
    const isNarrative = key.startsWith('txt');
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      isNarrative ? 'narrative error' : 'invariant error',
    ]);
    expect(isNarrative || findings[0]?.diagnostics.includes(key)).toBe(true);
  });

  it('gives the same objects each time', () => {
    expect(compileInvariants(definitions, 'Observation', '')).toBe(
      compileInvariants(definitions, 'Observation', ''),
    );
  });

  it('replaces no expression that is not there', () => {
    const published = new Set<string>();
    for (let number = 1; ; number++) {
      const structure = definitions.structure(definitions.typeName(number) ?? '');
      if (!structure) break;
      for (const { key, expression } of [
        ...structure.constraints,
        ...structure.elements.flatMap((one) => one.constraints),
      ])
        published.add(`${key} ${expression}`);
    }
    for (const { releases, keys, expression } of ERRATA) {
      if (!releases.includes(release)) continue;
      const wanted = keys?.map((key) => `${key} ${expression}`) ?? [];
      for (const one of wanted) expect(published).toContain(one);
      expect([...published].some((one) => one.endsWith(` ${expression}`))).toBe(true);
    }
  });

  it('refuses a constraint that means nothing on its type', () => {
    const constraint = { key: 'x-1', severity: 'error', human: 'x', expression: 'nam.exists()' } as const;
    const compiling = new PathAllowance(1000);
    expect(() => compileInvariant(definitions, constraint, { rootType: 'Patient' }, compiling)).toThrow(
      PathTypeError,
    );
  });
});

describe('the list of errata', () => {
  it('is short, and has a reason for each', () => {
    expect(ERRATA.length).toBeLessThanOrEqual(20);
    for (const { reason, expression, replacement } of ERRATA) {
      expect(reason.length).toBeGreaterThan(20);
      expect(replacement).not.toBe(expression);
    }
  });
});
