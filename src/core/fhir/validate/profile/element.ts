/** The parts of an ElementDefinition that validation uses. Source: https://hl7.org/fhir/R4/elementdefinition.html */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { shorten } from '../../json/fault';
import { ProfileError } from './error';

export interface ProfileElement {
  /** As written: `Observation.value[x]`. */
  readonly path: string;
  readonly id: string | undefined;
  readonly sliceName: string | undefined;
  readonly slicing: ProfileSlicing | undefined;
  readonly min: number | undefined;
  /** Infinity for `*`. */
  readonly max: number | undefined;
  readonly types: readonly ProfileType[];
  readonly contentReference: string | undefined;
  readonly fixed: DefinedValue | undefined;
  readonly pattern: DefinedValue | undefined;
  readonly minValue: DefinedValue | undefined;
  readonly maxValue: DefinedValue | undefined;
  readonly maxLength: number | undefined;
  readonly binding: ProfileBinding | undefined;
  readonly constraints: readonly ProfileConstraint[];
  readonly isModifier: boolean;
}

export interface ProfileType {
  readonly code: string;
  /** Canonical urls of profiles; a value must meet one of them. */
  readonly profiles: readonly string[];
  readonly targetProfiles: readonly string[];
  /** `contained`, `referenced`, `bundled`; empty: any. */
  readonly aggregation: readonly string[];
}

export interface ProfileSlicing {
  readonly discriminators: readonly ProfileDiscriminator[];
  readonly rules: SlicingRules;
  readonly isOrdered: boolean;
}

export type SlicingRules = 'open' | 'closed' | 'openAtEnd';

export interface ProfileDiscriminator {
  /** `value`, `exists`, `pattern`, `type`, `profile` */
  readonly type: string;
  readonly path: string;
}

/** `fixed[x]`, `pattern[x]`, `minValue[x]`, `maxValue[x]` */
export interface DefinedValue {
  /** The text in place of `[x]`: `CodeableConcept`, `Code`. */
  readonly suffix: string;
  readonly value: JsonValue | undefined;
  /** For a primitive: the object with its `id` and `extension`. */
  readonly companion: JsonObject | undefined;
}

export interface ProfileBinding {
  readonly strength: string;
  readonly valueSet: string;
  readonly maxValueSet: string | undefined;
}

export interface ProfileConstraint {
  readonly key: string;
  readonly severity: 'error' | 'warning';
  readonly human: string;
  readonly expression: string | undefined;
}

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';

/** Throws ProfileError for an element without a path. */
export function readElement(json: JsonObject): ProfileElement {
  const path = textOf(json['path']);
  if (path === undefined) throw new ProfileError('an element of its snapshot has no path');
  const max = textOf(json['max']);
  return {
    path,
    id: textOf(json['id']),
    sliceName: textOf(json['sliceName']),
    slicing: readSlicing(json['slicing']),
    min: numberOf(json['min']),
    max: max === undefined ? undefined : max === '*' ? Infinity : Number(max),
    types: objectsOf(json['type']).map(readType),
    contentReference: textOf(json['contentReference']),
    fixed: readGiven(json, 'fixed'),
    pattern: readGiven(json, 'pattern'),
    minValue: readGiven(json, 'minValue'),
    maxValue: readGiven(json, 'maxValue'),
    maxLength: numberOf(json['maxLength']),
    binding: readBinding(json['binding']),
    constraints: objectsOf(json['constraint']).flatMap(readConstraint),
    isModifier: json['isModifier'] === true,
  };
}

function readType(json: JsonObject): ProfileType {
  return {
    code: textOf(json['code']) ?? '',
    profiles: textsOf(json['profile']),
    targetProfiles: textsOf(json['targetProfile']),
    aggregation: textsOf(json['aggregation']),
  };
}

function readSlicing(json: JsonValue | undefined): ProfileSlicing | undefined {
  if (!isJsonObject(json)) return undefined;
  const rules = json['rules'];
  return {
    discriminators: objectsOf(json['discriminator']).map((discriminator) => ({
      type: textOf(discriminator['type']) ?? '',
      path: textOf(discriminator['path']) ?? '$this',
    })),
    rules: rules === 'closed' || rules === 'openAtEnd' ? rules : 'open',
    isOrdered: json['ordered'] === true,
  };
}

function readGiven(json: JsonObject, prefix: string): DefinedValue | undefined {
  for (const name in json) {
    const start = name.startsWith('_') ? 1 : 0;
    if (!name.startsWith(prefix, start)) continue;
    const suffix = name.slice(start + prefix.length);
    const first = suffix.charAt(0);
    if (first < 'A' || first > 'Z') continue;
    const companion = json[`_${prefix}${suffix}`];
    return {
      suffix,
      value: json[prefix + suffix],
      companion: isJsonObject(companion) ? companion : undefined,
    };
  }
  return undefined;
}

function readBinding(json: JsonValue | undefined): ProfileBinding | undefined {
  if (!isJsonObject(json)) return undefined;
  const strength = textOf(json['strength']);
  const valueSet = textOf(json['valueSet']);
  if (strength === undefined || valueSet === undefined) return undefined;
  const maximum = objectsOf(json['extension']).find((extension) => extension['url'] === MAX_VALUE_SET);
  return { strength, valueSet, maxValueSet: textOf(maximum?.['valueCanonical'] ?? maximum?.['valueUri']) };
}

function readConstraint(json: JsonObject): ProfileConstraint[] {
  const key = textOf(json['key']);
  if (key === undefined) return [];
  return [
    {
      key,
      severity: json['severity'] === 'warning' ? 'warning' : 'error',
      human: textOf(json['human']) ?? '',
      expression: textOf(json['expression']),
    },
  ];
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The path with the names of its slices (`Observation.component:systolic.code`), shortened for a sentence. */
export function pathOf({ path, id }: ProfileElement): string {
  const isOfPath = id?.replace(/:[^.]*/g, '') === path;
  return shorten(isOfPath ? id : path);
}
