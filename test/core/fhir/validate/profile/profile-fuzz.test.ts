/** Tenants store any StructureDefinition, and resources come in any shape: nothing may make the checks throw. */
import type { JsonObject } from '../../../../../src/core';
import { loadDefinitions } from '../../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonValue } from '../../../../../src/core/fhir/json';
import { stringMember } from '../../../../../src/core/fhir/terminology/members';
import { checkClaim, collectClaims } from '../../../../../src/core/fhir/validate/profile/claims';
import { checkExtensions } from '../../../../../src/core/fhir/validate/profile/extensions';
import { ProfileSet } from '../../../../../src/core/fhir/validate/profile/profile-set';
import { ValidationRun } from '../../../../../src/core/fhir/validate/run';
import { readExamples } from '../../../../support/examples';
import { publishedStructures, specificationStructures } from './specification-structures';
import { rounds } from '../../../../support/rounds';

/** A small generator of its own, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ODD =
  '[null,"","x",0,-1,1e300,true,[],{},[null],[[]],[{}],"http://x|y","#a","*","Patient.name",{"url":"http://x"},"\\u00011.50"]';
const NAMES = [
  'extension',
  'slicing',
  'type',
  'fixedCode',
  'patternCoding',
  'min',
  'max',
  'sliceName',
  'resourceType',
];
const MORE_NAMES = [
  'reference',
  'coding',
  'contained',
  'minValueDate',
  'contentReference',
  'profile',
  '_value',
  'value',
];

class Vandal {
  constructor(private readonly next: () => number) {}

  pick<Value>(list: readonly Value[]): Value | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  /** A copy with some members removed, doubled, moved or replaced. */
  damage(value: JsonObject): JsonObject {
    const copy = structuredClone(value);
    for (let times = 1 + Math.floor(this.next() * 5); times > 0; times--) this.damageOnce(copy);
    return copy;
  }

  private damageOnce(root: JsonObject): void {
    let at: JsonObject | JsonValue[] = root;
    for (;;) {
      const key: string | undefined = this.pick(Object.keys(at));
      if (key === undefined) return;
      const child: JsonValue | undefined = Array.isArray(at) ? at[Number(key)] : at[key];
      if (typeof child === 'object' && child !== null && this.next() < 0.85) at = child;
      else return this.change(at, key, child ?? null);
    }
  }

  private change(at: JsonObject | JsonValue[], key: string, child: JsonValue): void {
    const chance = this.next();
    const odd = this.pick(JSON.parse(ODD) as JsonValue[]) ?? null;
    if (Array.isArray(at)) {
      if (chance < 0.3) at.splice(Number(key), 1);
      else if (chance < 0.6) at[Number(key)] = odd;
      else at.push(structuredClone(child));
    } else if (chance < 0.3) Reflect.deleteProperty(at, key);
    else if (chance < 0.6) at[key] = odd;
    else if (chance < 0.8) at[this.pick(Object.keys(at)) ?? key] = structuredClone(child);
    else at[this.pick([...NAMES, ...MORE_NAMES]) ?? key] = odd;
  }
}

it('Damaged profiles and damaged resources give findings, not failures', () => {
  const published = publishedStructures().filter(({ source }) => source === 'hl7.fhir.uv.ips');
  const known = new Map<string, JsonObject>([
    ...specificationStructures('r4'),
    ...published.map(({ url, structure, snapshot }) => [url, { ...structure, snapshot }] as const),
  ]);
  const urls = [...known].flatMap(([url, { derivation }]) => (derivation === 'constraint' ? [url] : []));
  const examples = readExamples('r4');
  const next = random(20);
  const vandal = new Vandal(next);
  const counts = { unusable: 0, checked: 0, faulty: 0 };
  for (let round = 0; round < rounds(150, 1_500); round++) {
    const url = vandal.pick(urls) ?? '';
    const damaged = vandal.damage(known.get(url) ?? {});
    const set = new ProfileSet({
      definitions: loadDefinitions('r4'),
      structureDefinition(canonical) {
        const name = canonical.replace(/\|.*/, '');
        return name === url ? damaged : known.get(name);
      },
    });
    const profile = set.profile(url);
    if (!profile) {
      expect(set.faultOf(url)).not.toBe('');
      counts.unusable++;
      continue;
    }
    const fitting = examples.filter(({ type }) => type === profile.type);
    const example = vandal.pick(fitting.length > 0 ? fitting : examples)?.resource ?? {};
    const resource = next() < 0.5 ? example : vandal.damage(example);
    const run = new ValidationRun(stringMember(resource, 'resourceType') ?? '', resource, true);
    run.wantsWarnings = true;
    profile.check(resource, run);
    for (const claim of collectClaims(resource, set.definitions)) checkClaim(claim, profile, run);
    checkExtensions(resource, run, set);
    counts.checked++;
    if (run.findings.length > 0) counts.faulty++;
    for (const { diagnostics } of run.findings) expect(diagnostics.length).toBeLessThanOrEqual(700);
  }
  expect(isJsonObject(vandal.damage({ a: 1 }))).toBe(true);
  expect(counts.checked).toBeGreaterThan(rounds(100, 1_000));
  expect(counts.unusable).toBeGreaterThan(rounds(5, 50));
  expect(counts.faulty).toBeGreaterThan(rounds(50, 500));
});
