/** The codes of a ConceptMap, by the value sets that it maps between (https://hl7.org/fhir/R4/conceptmap.html). */
import { turns } from '../../concurrency/turns';
import type { JsonObject } from '../../fhir/json';
import { shorten } from '../../fhir/json/fault';
import { composeValueSet, type ComposedValueSet } from '../../fhir/terminology/compose';
import { objectsMember, stringMember } from '../../fhir/terminology/members';
import { findMember, ValueSetEvaluation } from '../../fhir/terminology/membership';
import { parseCanonical, type TerminologySource } from '../../fhir/terminology/source';
import { MAX_FINDINGS, type Finding } from '../../fhir/validate';
import { errorAt, type RelationSources } from './relation';

/** The value set of one side of a map. */
interface MapSide {
  readonly canonical: string;
  readonly valueSet: ComposedValueSet;
}

export async function checkMappedCodes(
  { source }: RelationSources,
  map: JsonObject,
): Promise<readonly Finding[]> {
  const from = await findSide(map, 'source', source);
  const to = await findSide(map, 'target', source);
  const findings: Finding[] = [];
  if (from === undefined && to === undefined) return findings;
  const evaluation = new ValueSetEvaluation({ turns });
  const check = (
    side: MapSide | undefined,
    system: string | undefined,
    code: JsonObject,
    place: string,
  ): void => {
    const text = stringMember(code, 'code');
    if (side === undefined || system === undefined || text === undefined) return;
    if (findMember(side.valueSet, system, text, evaluation) !== undefined || evaluation.obstacles.size > 0)
      return;
    const sentence = `'${shorten(text)}' is not in the value set ${shorten(side.canonical)} of the map`;
    findings.push(errorAt(`${place}.code`, 'binding', sentence));
  };
  for (const [index, group] of objectsMember(map, 'group').entries()) {
    const [system, targetSystem] = [stringMember(group, 'source'), stringMember(group, 'target')];
    for (const [at, element] of objectsMember(group, 'element').entries()) {
      if (findings.length >= MAX_FINDINGS) return findings;
      if (evaluation.needsYield) await evaluation.yield();
      const place = `ConceptMap.group[${index}].element[${at}]`;
      check(from, system, element, place);
      objectsMember(element, 'target').forEach((target, inner) =>
        check(to, targetSystem, target, `${place}.target[${inner}]`),
      );
    }
  }
  return findings;
}

/** Undefined if the map names no value set that the space has. Throws `notSupported`, `tooCostly`. */
async function findSide(
  map: JsonObject,
  name: 'source' | 'target',
  source: TerminologySource,
): Promise<MapSide | undefined> {
  const canonical = stringMember(map, `${name}Canonical`) ?? stringMember(map, `${name}Uri`);
  if (canonical === undefined) return undefined;
  const { url, version } = parseCanonical(canonical);
  const resource = await source.findValueSet(url, version);
  if (resource === undefined) return undefined;
  return { canonical, valueSet: await composeValueSet(resource, source) };
}
