/** A source of StructureDefinitions over those of the specification and what a test adds, which counts what it is asked. */
import type { JsonObject } from '../../../src/core';
import { stringifyJson } from '../../../src/core/fhir/json';
import { stringMember } from '../../../src/core/fhir/terminology/members';
import { parseCanonical } from '../../../src/core/fhir/terminology/source';
import type { ListedCodes, StructureSource } from '../../../src/core/validation/structure-source';
import { specificationStructures } from '../fhir/validate/profile/specification-structures';

export class Structures implements StructureSource {
  finds = 0;
  versions = 0;
  readonly codes = new Map<string, ListedCodes>();
  private changes = 0;
  private changesOfCodes = 0;
  private readonly own = new Map<string, { readonly key: string; readonly structure: JsonObject }>();

  put(...structures: readonly JsonObject[]): void {
    for (const structure of structures) {
      this.changes++;
      this.own.set(stringMember(structure, 'url') ?? '', { key: `own ${this.changes}`, structure });
    }
  }

  putCodes(valueSet: string, codes: ListedCodes): void {
    this.changesOfCodes++;
    this.codes.set(valueSet, codes);
  }

  version(_space: unknown, of: 'structures' | 'terminology'): Promise<string> {
    this.versions++;
    return Promise.resolve(String(of === 'structures' ? this.changes : this.changesOfCodes));
  }

  findQuestionnaire(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  find(_space: unknown, canonical: string): Promise<{ key: string; text: string } | undefined> {
    this.finds++;
    const { url, version } = parseCanonical(canonical);
    const own = this.own.get(url);
    const structure = own?.structure ?? specificationStructures('r4').get(url);
    if (structure === undefined) return Promise.resolve(undefined);
    if (version !== undefined && structure['version'] !== version) return Promise.resolve(undefined);
    return Promise.resolve({ key: own?.key ?? `base ${url}`, text: stringifyJson(structure, true) });
  }

  listCodes(_space: unknown, valueSet: string): Promise<ListedCodes | undefined> {
    return Promise.resolve(this.codes.get(valueSet));
  }
}
