/** The rules by which a value set is composed. */
import { isArray, isObject, objectsOf, textOf, type JsonObject } from '../api/json';

export interface RuleFilter {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}

/** Codes that a value set includes or excludes: those that meet all that is stated here. */
export interface Rule {
  readonly kind: 'include' | 'exclude';
  /** '' where only value sets are named. */
  readonly system: string;
  readonly version: string;
  /** Codes that are listed one by one, each with its display. */
  readonly codes: readonly { readonly code: string; readonly display: string }[];
  readonly filters: readonly RuleFilter[];
  readonly valueSets: readonly string[];
}

function toRule(part: JsonObject, kind: Rule['kind']): Rule {
  const valueSets = part['valueSet'];
  return {
    kind,
    system: textOf(part['system']) ?? '',
    version: textOf(part['version']) ?? '',
    codes: objectsOf(part['concept']).map((concept) => ({
      code: textOf(concept['code']) ?? '',
      display: textOf(concept['display']) ?? '',
    })),
    filters: objectsOf(part['filter']).map((filter) => ({
      property: textOf(filter['property']) ?? '',
      op: textOf(filter['op']) ?? '',
      value: textOf(filter['value']) ?? '',
    })),
    valueSets: isArray(valueSets) ? valueSets.flatMap((each) => textOf(each) ?? []) : [],
  };
}

/** The rules of a ValueSet: what it includes, then what it excludes of that. */
export function readRules(valueSet: JsonObject): readonly Rule[] {
  const compose = isObject(valueSet['compose']) ? valueSet['compose'] : {};
  return [
    ...objectsOf(compose['include']).map((part) => toRule(part, 'include')),
    ...objectsOf(compose['exclude']).map((part) => toRule(part, 'exclude')),
  ];
}
