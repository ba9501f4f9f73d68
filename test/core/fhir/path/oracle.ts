/** The FHIRPath engine of the Lister Hill Center, as it must be asked to answer as R4's definitions mean it. */
import fhirpath from 'fhirpath';
import r4Model from 'fhirpath/fhir-context/r4';
import type { Definitions } from '../../../../src/core/fhir/definitions';
import { decimalText, isJsonObject, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';

export type Oracle = (expression: string) => (value: JsonValue, resource: JsonValue) => JsonValue[];

const RESOLVE = /^(.*)\.where\(resolve\(\) is (\w+)\)$/;

/**
 * Evaluates expressions of search parameters. `as` is asked for as ofType, for the library refuses several values; its
 * resolve() is asynchronous, so that `where(resolve() is T)` is done here from the text of the reference.
 */
export function createOracle(definitions: Definitions): Oracle {
  const model = modelOf(definitions);
  return (expression) => {
    // Branch by branch: the library's own union refuses quantities with a comparator.
    const parts = splitUnion(expression);
    const branches = parts.map((branch) => {
      const filtered = RESOLVE.exec(branch);
      const target = filtered?.[2];
      const evaluate = fhirpath.compile(toOfType(filtered?.[1] ?? branch), model, { async: false });
      return (value: JsonValue, resource: JsonValue): JsonValue[] => {
        const found: JsonValue[] = evaluate(value, { resource });
        return target === undefined
          ? found
          : found.filter((reference) => targetOf(reference, resource) === target);
      };
    });
    // A union has each value once.
    if (branches.length === 1 && branches[0]) return branches[0];
    return (value, resource) => {
      const found = new Map<string, JsonValue>();
      for (const one of branches.flatMap((branch) => branch(value, resource)))
        found.set(JSON.stringify(one), one);
      return [...found.values()];
    };
  };
}

/** The branches of a union that is not within parentheses. */
function splitUnion(expression: string): string[] {
  const parts: string[] = [];
  for (const piece of expression.split(' | ')) {
    const last = parts.at(-1);
    const isOpen = last !== undefined && last.split('(').length > last.split(')').length;
    if (isOpen) parts[parts.length - 1] = `${last} | ${piece}`;
    else parts.push(piece);
  }
  return parts;
}

function toOfType(expression: string): string {
  return expression
    .replace(/\.as\((\w+)\)/g, '.ofType($1)')
    .replace(/\(([\w.]+) as (\w+)\)/g, '$1.ofType($2)')
    .replace(/^([\w.]+) as (\w+)$/, '$1.ofType($2)');
}

/** The type of the resource that a reference points to, as far as its text tells. */
export function targetOf(reference: JsonValue, resource: JsonValue): JsonValue | undefined {
  if (!isJsonObject(reference) || !isJsonObject(resource)) return undefined;
  const text = reference['reference'];
  if (typeof text === 'string' && text.startsWith('#')) {
    const contained = Array.isArray(resource['contained']) ? resource['contained'] : [];
    const found = contained.filter(isJsonObject).find(({ id }) => id === text.slice(1));
    return text === '#' ? resource['resourceType'] : found?.['resourceType'];
  }
  const parts = typeof text === 'string' ? text.replace(/\/_history\/.*$/, '').split('/') : [];
  const type = parts.at(-2);
  return type !== undefined && /^[A-Z]/.test(type) ? type : reference['type'];
}

export function modelOf(definitions: Definitions): typeof r4Model {
  return definitions.release === 'r4' ? r4Model : makeModel(definitions);
}

/** The library has no model of R4B: made from the definitions, in the form of its others. */
function makeModel(definitions: Definitions): typeof r4Model {
  const choiceTypePaths: Record<string, string[]> = {};
  const pathsDefinedElsewhere: Record<string, string> = {};
  const type2Parent: Record<string, string> = {};
  const path2Type: Record<string, string> = {};
  for (let number = 1; ; number++) {
    const structure = definitions.structure(definitions.typeName(number) ?? '');
    if (!structure) break;
    if (structure.base !== undefined) type2Parent[structure.name] = structure.base;
    for (const element of structure.elements) {
      const path = `${structure.name}.${element.path.replace(/\[x\]$/, '')}`;
      const codes = element.types.map(({ code }) => code);
      if (element.contentReference !== undefined) pathsDefinedElsewhere[path] = element.contentReference;
      else if (element.isChoice) {
        choiceTypePaths[path] = codes.map(capitalize);
        for (const code of codes) path2Type[path + capitalize(code)] = code;
      } else if (codes[0] !== undefined) path2Type[path] = codes[0];
    }
  }
  const path2TypeWithoutElements = Object.fromEntries(
    Object.entries(path2Type).filter(([, type]) => type !== 'Element' && type !== 'BackboneElement'),
  );
  const availableTypes = new Set([...Object.keys(type2Parent), ...Object.values(type2Parent)]);
  const derived = { path2TypeWithoutElements, path2RefType: {}, availableTypes };
  return { ...r4Model, choiceTypePaths, pathsDefinedElsewhere, type2Parent, path2Type, ...derived };
}

function capitalize(code: string): string {
  return code.charAt(0).toUpperCase() + code.slice(1);
}

/** Values as they compare: decimals as numbers, members in one order. */
export function toComparable(value: JsonValue): string {
  return JSON.stringify(value, (_name, member: JsonValue) => {
    const literal = decimalText(member);
    if (literal !== undefined) return Number(literal);
    if (!isJsonObject(member)) return member;
    const sorted: JsonObject = {};
    for (const name of Object.keys(member).sort()) sorted[name] = member[name] ?? null;
    return sorted;
  });
}

/** Decimals as the library wants them. */
export function withPlainNumbers(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (_name, member: JsonValue) => {
      const literal = decimalText(member);
      return literal === undefined ? member : Number(literal);
    }),
  ) as JsonValue;
}
