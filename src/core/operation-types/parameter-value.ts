/** Checks the value of a parameter against its declared type. */
import { type Definitions, type TypeStructure } from '../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { isNumberLiteral } from '../fhir/json/scan';
import { toJsonNumber } from '../fhir/path/number';
import { compilePrimitive } from '../fhir/validate/primitive';
import { choiceName } from '../../../packages/fhir-values/choice-name';

/** Types that stand for any resource; those in `ANYTHING` also stand for any data type. */
const ANYTHING: ReadonlySet<string> = new Set(['Any', '*']);
const ANY_RESOURCE: ReadonlySet<string> = new Set(['Resource', 'DomainResource', ...ANYTHING]);
const ANY_DATA_TYPE: ReadonlySet<string> = new Set(['Element', 'Type', ...ANYTHING]);

export function isResourceParameter(type: string, definitions: Definitions): boolean {
  return ANY_RESOURCE.has(type) || definitions.isResourceType(type);
}

export function acceptsResource(type: string, resourceType: string, definitions: Definitions): boolean {
  if (type === 'DomainResource') return definitions.conformsTo(resourceType, type);
  return ANY_RESOURCE.has(type) || type === resourceType;
}

export type CheckedValue =
  | { readonly member: string; readonly value: JsonValue }
  | { readonly fault: string; readonly member?: string };

/**
 * Returns the value of an element of `Parameters.parameter` (or `part`) and its member, or what is wrong with it. The
 * name of the member determines the type, so that `valueString` for a `uri` is wrong.
 */
export function checkValue(type: string, entry: JsonObject, definitions: Definitions): CheckedValue {
  const member = Object.keys(entry).find(
    (name) => name === 'resource' || name === 'part' || /^value[A-Z]/.test(name),
  );
  const value = member === undefined ? undefined : entry[member];
  if (member === undefined || value === undefined)
    return { fault: `it has no value, which must be a ${type}` };
  const wrong = { member, fault: `it must be given as ${expectedMember(type, definitions)}` };
  if (member === 'part') return wrong;
  if (member === 'resource') {
    const resourceType = isJsonObject(value) ? value['resourceType'] : undefined;
    if (typeof resourceType !== 'string')
      return { member, fault: 'it must be a resource with a resourceType' };
    return acceptsResource(type, resourceType, definitions) ? { member, value } : wrong;
  }
  const structure = dataTypeOf(member.slice('value'.length), definitions);
  if (structure === undefined || (!ANY_DATA_TYPE.has(type) && structure.name !== type)) return wrong;
  const fault = checkDataType(value, structure, definitions);
  return fault === undefined ? { member, value } : { member, fault };
}

/** Returns the value of a query parameter, or what is wrong with it. Only primitive types are allowed in a query. */
export function parseQueryValue(type: string, text: string, definitions: Definitions): CheckedValue {
  const structure = definitions.structure(type);
  if (structure?.kind !== 'primitive')
    return { fault: `a ${type} cannot be given in a query, only in a Parameters body` };
  const member = expectedMember(type, definitions);
  const value = toPrimitive(text, structure.systemType ?? '') ?? text;
  const fault = checkDataType(value, structure, definitions);
  return fault === undefined ? { member, value } : { member, fault };
}

function expectedMember(type: string, definitions: Definitions): string {
  if (ANYTHING.has(type)) return 'resource or value[x]';
  if (ANY_DATA_TYPE.has(type)) return 'value[x]';
  if (ANY_RESOURCE.has(type)) return 'resource';
  if (definitions.isResourceType(type)) return `a resource of type ${type}`;
  return choiceName('value', type);
}

function dataTypeOf(suffix: string, definitions: Definitions): TypeStructure | undefined {
  const primitive = definitions.structure(suffix.charAt(0).toLowerCase() + suffix.slice(1));
  const structure = primitive ?? definitions.structure(suffix);
  return structure?.kind === 'resource' ? undefined : structure;
}

function checkDataType(
  value: JsonValue,
  structure: TypeStructure,
  definitions: Definitions,
): string | undefined {
  const { name, kind } = structure;
  if (kind === 'primitive') return compilePrimitive(definitions, name)(value);
  return isJsonObject(value) && Object.keys(value).length > 0
    ? undefined
    : `a ${name} is an object with members`;
}

const NUMERIC: ReadonlySet<string> = new Set(['System.Integer', 'System.Decimal']);

function toPrimitive(text: string, systemType: string): JsonValue | undefined {
  if (systemType === 'System.Boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (!NUMERIC.has(systemType)) return text;
  return isNumberLiteral(text) ? toJsonNumber(text) : undefined;
}
