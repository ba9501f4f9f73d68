/** Sets of values with lookup by keys that agree with `areEqual`. */
import { decimalText, isJsonObject, type JsonValue } from '../json';
import type { Meter } from './allowance';
import { isNumber, isTemporal, momentOf, momentSteps } from './equality';
import { exactText, numberSteps, parseExact, trim } from './number';
import { keyOfQuantity, toQuantity, type QuantityKey } from './quantity';
import { keyOfTemporal } from './temporal';
import type { PathNode } from './value';

/**
 * `equal`: values for which `=` is true. `repetition`: the same, except that FHIR Quantities that are equal but written
 * differently (other unit or system) stay apart, because each can be searched for as it is written.
 */
export type EqualityRule = 'equal' | 'repetition';

/** A growing set of values. Cost of each method: a few lookups. */
export class NodeSet {
  /** Keys of strings, numbers, objects, booleans, moments, and primitives with extensions only. */
  private readonly keys = new Set<string>();
  /** Texts of dates and times: each equals the string with the same characters. */
  private readonly temporalTexts = new Set<string>();
  /** Dates and times that cannot be parsed: each equals only itself. */
  private readonly unreadable = new Set<PathNode>();
  /** Quantities, and numbers, which equal quantities of the unit '1'. */
  private readonly quantities: QuantitySet;

  constructor(equality: EqualityRule) {
    this.quantities = new QuantitySet(equality);
  }

  add(node: PathNode, meter: Meter): void {
    const { kind } = node.node;
    if (kind === 'Quantity') {
      this.quantities.add(node, meter);
      return;
    }
    const key = keyOf(node, meter);
    if (isTemporal(kind)) {
      this.temporalTexts.add(key);
      const moment = momentKeyOf(node, meter);
      if (moment === undefined) this.unreadable.add(node);
      else this.keys.add(moment);
      return;
    }
    this.keys.add(key);
    if (isNumber(kind)) this.quantities.add(node, meter);
  }

  has(node: PathNode, meter: Meter): boolean {
    const { kind } = node.node;
    if (kind === 'Quantity') return this.quantities.has(node, meter);
    const key = keyOf(node, meter);
    if (this.keys.has(key)) return true;
    if (isTemporal(kind)) {
      const moment = momentKeyOf(node, meter);
      return moment === undefined ? this.unreadable.has(node) : this.keys.has(moment);
    }
    return this.temporalTexts.has(key) || (isNumber(kind) && this.quantities.has(node, meter));
  }

  /** False when the set contains an equal value. */
  addNew(node: PathNode, meter: Meter): boolean {
    if (this.has(node, meter)) return false;
    this.add(node, meter);
    return true;
  }
}

/** Quantities and numbers. */
class QuantitySet {
  /** The units of each canonical value. */
  private readonly canonical = new Map<string, Set<string>>();
  /** Exact values, with their units. */
  private readonly exact = new Set<string>();
  /** Quantities as they are written: all of them, and those without a numeric value. */
  private readonly written = new Set<string>();
  private readonly unreadable = new Set<string>();
  /** Not indexed yet: most sets are never searched for quantities. */
  private pending: PathNode[] = [];
  private hasQuantities = false;
  /** FHIR Quantities, when they are the same only if they are written alike. */
  private readonly ofFhir: QuantitySet | undefined;

  constructor(equality: EqualityRule) {
    if (equality === 'repetition') this.ofFhir = new QuantitySet('equal');
  }

  add(node: PathNode, meter: Meter): void {
    if (this.ofFhir && isQuantityOfFhir(node)) {
      this.ofFhir.add(node, meter);
      return;
    }
    this.pending.push(node);
    if (node.node.kind !== 'Quantity') return;
    this.hasQuantities = true;
    this.written.add(textOf(node.value, meter));
  }

  has(node: PathNode, meter: Meter): boolean {
    const { ofFhir } = this;
    if (!ofFhir) return this.hasEqual(node, meter);
    if (!isQuantityOfFhir(node)) return this.hasEqual(node, meter) || ofFhir.hasEqual(node, meter);
    return ofFhir.written.has(textOf(node.value, meter)) || this.hasEqual(node, meter);
  }

  private hasEqual(node: PathNode, meter: Meter): boolean {
    const isQuantity = node.node.kind === 'Quantity';
    // Numbers have keys of their own.
    if (!this.hasQuantities && (!isQuantity || this.isEmpty)) return false;
    this.takeIn(meter);
    const quantity = toQuantity(node);
    if (!quantity) return isQuantity && this.written.has(textOf(node.value, meter));
    const { unit, exact, canonical } = keyOfQuantity(quantity, meter);
    if (this.exact.has(`${exact} ${unit}`)) return true;
    const units = canonical === undefined ? undefined : this.canonical.get(canonical);
    if (units && units.size > (units.has(unit) ? 1 : 0)) return true;
    return isQuantity && this.unreadable.size > 0 && this.unreadable.has(textOf(node.value, meter));
  }

  private get isEmpty(): boolean {
    return this.pending.length === 0 && this.exact.size === 0;
  }

  private takeIn(meter: Meter): void {
    const { pending } = this;
    if (pending.length === 0) return;
    this.pending = [];
    for (const node of pending) {
      const quantity = toQuantity(node);
      if (quantity) this.index(keyOfQuantity(quantity, meter));
      else if (node.node.kind === 'Quantity') this.unreadable.add(textOf(node.value, meter));
    }
  }

  private index({ unit, exact, canonical }: QuantityKey): void {
    this.exact.add(`${exact} ${unit}`);
    if (canonical === undefined) return;
    const units = this.canonical.get(canonical);
    if (units) units.add(unit);
    else this.canonical.set(canonical, new Set([unit]));
  }
}

export function isQuantityOfFhir({ node }: PathNode): boolean {
  return node.kind === 'Quantity' && node.namespace === 'FHIR';
}

/** Keys that are equal exactly when the values are; not for quantities, nor for two dates or times. */
function keyOf({ value, node, element }: PathNode, meter: Meter): string {
  const { kind } = node;
  if (kind === 'Object') return `object ${textOf(value, meter)}`;
  if (value === null) return `empty ${textOf(element ?? null, meter)}`;
  if (isNumber(kind)) {
    meter.spend(numberSteps(value));
    return `number ${numberText(value)}`;
  }
  if (typeof value !== 'string') return `other ${textOf(value, meter)}`;
  meter.spend(1 + (value.length >> 4));
  return `string ${value}`;
}

function momentKeyOf(node: PathNode, meter: Meter): string | undefined {
  meter.spend(momentSteps(node));
  const moment = momentOf(node);
  return moment && `${node.node.kind === 'Time' ? 'time' : 'moment'} ${keyOfTemporal(moment)}`;
}

/** Texts that are equal exactly when areEqualJson is true. */
function textOf(value: JsonValue, meter: Meter): string {
  meter.spend(1);
  let text = '';
  if (Array.isArray(value)) {
    for (const member of value) text += `${textOf(member, meter)},`;
    return `[${text}]`;
  }
  if (isJsonObject(value)) {
    for (const name of Object.keys(value).sort())
      text += `${JSON.stringify(name)}:${textOf(value[name] ?? null, meter)},`;
    return `{${text}}`;
  }
  if (decimalText(value) !== undefined) return numberText(value);
  if (typeof value === 'string') meter.spend(value.length >> 4);
  return JSON.stringify(value);
}

/** Decimals beyond the limits of parseExact are equal only when they are written alike. */
function numberText(value: JsonValue): string {
  const text = decimalText(value) ?? '';
  const exact = parseExact(text);
  return exact ? exactText(trim(exact)) : `'${text}'`;
}
