/** The parameters of an OperationDefinition, by its profiles of them (https://hl7.org/fhir/R4/operationdefinition.html). */
import { type JsonObject, parseStoredObject } from '../../fhir/json';
import { shorten } from '../../fhir/json/fault';
import { objectMember, objectsMember, stringMember } from '../../fhir/terminology/members';
import { parseCanonical } from '../../fhir/terminology/source';
import type { Finding } from '../../fhir/validate';
import { errorAt, type RelationSources } from './relation';

const USES = [
  ['in', 'inputProfile'],
  ['out', 'outputProfile'],
] as const;

export async function checkProfiledParameters(
  { environment }: RelationSources,
  operation: JsonObject,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [use, member] of USES) {
    const canonical = stringMember(operation, member);
    if (canonical === undefined) continue;
    const { url, version } = parseCanonical(canonical);
    const stored = await environment.findCanonical('StructureDefinition', url, version);
    if (stored === undefined) continue;
    const profiled = profiledParameters(parseStoredObject(stored.text));
    for (const [index, parameter] of objectsMember(operation, 'parameter').entries()) {
      const found = profiled.get(stringMember(parameter, 'name') ?? '');
      if (parameter['use'] !== use || found === undefined) continue;
      for (const difference of differencesOf(parameter, found)) {
        const place = `OperationDefinition.parameter[${index}].${difference}`;
        const sentence = `The profile ${shorten(canonical)} has another ${difference} of this parameter: ${found[difference] ?? ''}`;
        findings.push(errorAt(place, 'business', sentence));
      }
    }
  }
  return findings;
}

/** The rules of a profile of Parameters for one of them; undefined: it has none. */
interface ProfiledParameter {
  min?: string;
  max?: string;
  type?: string;
}

/** Returns the slices of `Parameters.parameter` by the name that they fix. */
function profiledParameters(profile: JsonObject): ReadonlyMap<string, ProfiledParameter> {
  const content = objectMember(profile, 'differential') ?? objectMember(profile, 'snapshot') ?? {};
  const byId = new Map<string, ProfiledParameter>();
  const byName = new Map<string, ProfiledParameter>();
  for (const element of objectsMember(content, 'element')) {
    const [, id, below] =
      /^(Parameters\.parameter:[^.]+)(?:\.(.+))?$/.exec(stringMember(element, 'id') ?? '') ?? [];
    if (id === undefined) continue;
    let found = byId.get(id);
    if (found === undefined) byId.set(id, (found = {}));
    if (below === undefined) {
      const [min, max] = [element['min'], stringMember(element, 'max')];
      if (typeof min === 'number') found.min = String(min);
      if (max !== undefined) found.max = max;
    } else if (below === 'name') {
      const name = stringMember(element, 'fixedString') ?? stringMember(element, 'patternString');
      if (name !== undefined) byName.set(name, found);
    } else if ((below === 'resource' || below.startsWith('value')) && element['max'] !== '0') {
      const [type, ...others] = objectsMember(element, 'type');
      const code = others.length === 0 && type !== undefined ? stringMember(type, 'code') : undefined;
      if (code !== undefined) found.type = code;
    }
  }
  return byName;
}

function differencesOf(
  parameter: JsonObject,
  profiled: ProfiledParameter,
): readonly (keyof ProfiledParameter)[] {
  const isOther = (name: keyof ProfiledParameter): boolean => {
    const [own, other] = [parameter[name], profiled[name]];
    // Any resource may be a narrower one in the profile.
    if (name === 'type' && (own === 'Resource' || own === 'Element' || own === 'Any')) return false;
    return other !== undefined && (typeof own === 'string' || typeof own === 'number') && `${own}` !== other;
  };
  return (['min', 'max', 'type'] as const).filter(isOther);
}
