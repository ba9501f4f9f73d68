/** Criteria in a transaction may name its other entries by fullUrl, as its resources may. */
import type { Criteria } from '../../api/version';
import type { Definitions } from '../../fhir/definitions';
import type { ReferenceResolver } from '../../fhir/reference';
import type { OutlinedEntry } from '../../preparation/bundle';
import { storedParameters } from '../../search/parameters/parameter';

/** Kinds of entries whose resources exist after the transaction. */
const LASTING: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

/** The fullUrls of a transaction's entries. */
export class EntryNames {
  private cachedIndexes: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly definitions: Definitions,
    private readonly resolver: Pick<ReferenceResolver, 'spellings'>,
    private readonly entries: readonly OutlinedEntry[],
  ) {}

  /** Computed on demand, because most transactions have no criteria. */
  private get indexes(): ReadonlyMap<string, number> {
    return (this.cachedIndexes ??= this.readIndexes());
  }

  private readIndexes(): ReadonlyMap<string, number> {
    const indexes = new Map<string, number>();
    for (const { index, fullUrl, request } of this.entries) {
      if (fullUrl === undefined || !LASTING.has(request.kind)) continue;
      for (const spelling of [fullUrl, ...this.resolver.spellings(fullUrl)])
        if (!indexes.has(spelling)) indexes.set(spelling, index);
    }
    return indexes;
  }

  /** Indexes of the entries that the criteria name, except `own`. */
  namedBy(type: string, criteria: Criteria, own?: number): readonly number[] {
    if (this.indexes.size === 0) return NO_ENTRIES;
    return criteria.flatMap(([name, value]) =>
      alternativesOf(value).flatMap((text) => {
        const index = this.indexes.get(text);
        return index === undefined || index === own || !this.isReference(type, name) ? [] : [index];
      }),
    );
  }

  /** The criteria with fullUrls replaced by the references of their entries. */
  resolve(type: string, criteria: Criteria, targets: ReadonlyMap<number, string>): Criteria {
    return criteria.map(([name, value]) => {
      if (!this.isReference(type, name)) return [name, value] as const;
      const alternatives = alternativesOf(value).map(
        (text) => targets.get(this.indexes.get(text) ?? -1) ?? text,
      );
      return [name, alternatives.join(',')] as const;
    });
  }

  /**
   * True if values of the parameter are references; for a chain, if any parameter with the last code has references.
   */
  private isReference(type: string, name: string): boolean {
    const isLink = name.includes('.') || name.startsWith('_has:');
    const last = name.slice(name.lastIndexOf('.') + 1);
    const parts = last.split(':');
    const [code = '', modifier] = last.startsWith('_has:') ? [parts.at(-1)] : parts;
    if (modifier !== undefined && !this.definitions.isResourceType(modifier)) return false;
    if (!isLink) return storedParameters(this.definitions, type).get(code)?.parameter.kind === 'reference';
    return this.definitions.allSearchParameters.some(
      (parameter) => parameter.code === code && parameter.kind === 'reference',
    );
  }
}

const NO_ENTRIES: readonly number[] = [];

function alternativesOf(value: string): readonly string[] {
  return value.split(',');
}
