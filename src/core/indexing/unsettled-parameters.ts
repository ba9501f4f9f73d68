import type { Definitions } from '../fhir/definitions';
import { parameterOfRow } from '../search/rows/index-rows';
import { ordinalOf, type TenantParameter } from '../search/parameters/tenant-parameter';
import type { IndexRow } from '../storage/indexing/index-tables';

/**
 * A tenant's search parameters whose rows are being made or removed. Only some of the rows exist, so that none of
 * them counts as wrong or missing.
 */
export class UnsettledParameters {
  private readonly numbers: ReadonlySet<number>;
  private readonly ordinals = new Map<string, number[]>();
  private readonly referring = new Set<string>();

  /** `definitions`: those of the release. */
  constructor(definitions: Definitions, parameters: readonly TenantParameter[]) {
    this.numbers = new Set(parameters.map(({ number }) => number));
    for (const { type, slot, definition } of parameters) {
      const ordinals = this.ordinals.get(type) ?? [];
      ordinals.push(ordinalOf(definitions, type, slot));
      this.ordinals.set(type, ordinals);
      if (definition.kind === 'reference') this.referring.add(type);
    }
  }

  hasRow([number]: IndexRow): boolean {
    const parameter = this.numbers.size > 0 ? parameterOfRow(number) : undefined;
    return parameter !== undefined && this.numbers.has(parameter);
  }

  /** True if heads of the type may have target keys of these parameters. */
  canRefer(type: string): boolean {
    return this.referring.has(type);
  }

  /** The presence bits of all other parameters in hexadecimal, without zero bytes at the end. */
  presenceText(type: string, presence: Buffer): string {
    const bits = Buffer.from(presence);
    for (const ordinal of this.ordinals.get(type) ?? []) {
      const byte = bits[ordinal >> 3];
      if (byte !== undefined) bits[ordinal >> 3] = byte & ~(1 << (ordinal & 7));
    }
    return bits.toString('hex').replace(/(00)+$/, '');
  }
}
