/** The values of filters, by the type of their property (https://hl7.org/fhir/R4/codesystem.html#properties). */
import type { JsonObject } from '../../fhir/json';
import { shorten } from '../../fhir/json/fault';
import { hasConcepts, isFragment, type CodeSystem } from '../../fhir/terminology/code-system';
import { objectMember, objectsMember, stringMember } from '../../fhir/terminology/members';
import { withConcepts } from '../../fhir/terminology/stored-code-system';
import type { TerminologySource } from '../../fhir/terminology/source';
import type { Finding } from '../../fhir/validate';
import { errorAt, type RelationSources } from './relation';

/** Limit on the filters, because each may name another code system. */
const MAX_FILTERS = 500;

export async function checkFilterValues(
  { source }: RelationSources,
  valueSet: JsonObject,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let checked = 0;
  const compose = objectMember(valueSet, 'compose') ?? {};
  for (const list of ['include', 'exclude']) {
    for (const [index, selection] of objectsMember(compose, list).entries()) {
      const system = stringMember(selection, 'system');
      const filters = objectsMember(selection, 'filter');
      if (system === undefined || filters.length === 0) continue;
      if ((checked += filters.length) > MAX_FILTERS) return findings;
      const codeSystem = await source.findCodeSystem(system, stringMember(selection, 'version'));
      if (codeSystem === undefined) continue;
      for (const [at, filter] of filters.entries()) {
        const fault = await faultOf(filter, codeSystem, source);
        const place = `ValueSet.compose.${list}[${index}].filter[${at}].value`;
        if (fault !== undefined) findings.push(errorAt(place, 'business', fault));
      }
    }
  }
  return findings;
}

async function faultOf(
  filter: JsonObject,
  codeSystem: CodeSystem,
  source: TerminologySource,
): Promise<string | undefined> {
  const [property, value] = [stringMember(filter, 'property'), stringMember(filter, 'value')];
  // The other operators take lists, patterns and codes of the hierarchy.
  if (property === undefined || value === undefined || filter['op'] !== '=') return undefined;
  const declared = objectsMember(codeSystem.head, 'property').find(({ code }) => code === property);
  const name = `The property '${shorten(property)}'`;
  switch (declared?.['type']) {
    case 'code':
      return (await lacks(source, codeSystem, value))
        ? `${name} has codes of ${shorten(codeSystem.url)}, which has no code '${shorten(value)}'`
        : undefined;
    case 'Coding':
      return faultOfCoding(name, value, source);
    case 'boolean':
      return /^(?:true|false)$/.test(value) ? undefined : `${name} is true or false, not '${shorten(value)}'`;
    default:
      return undefined;
  }
}

async function faultOfCoding(
  name: string,
  value: string,
  source: TerminologySource,
): Promise<string | undefined> {
  const [, system, version, code] = /^([^#|]+)(?:\|([^#]+))?#(.+)$/.exec(value) ?? [];
  if (system === undefined || code === undefined)
    return `${name} has codings, which are written as system#code or system|version#code, not '${shorten(value)}'`;
  const codeSystem = await source.findCodeSystem(system, version);
  return codeSystem !== undefined && (await lacks(source, codeSystem, code))
    ? `${name} has codings, and ${shorten(system)} has no code '${shorten(code)}'`
    : undefined;
}

/** True if the code system is known not to have the code. */
async function lacks(
  { concepts }: TerminologySource,
  codeSystem: CodeSystem,
  code: string,
): Promise<boolean> {
  if (!hasConcepts(codeSystem) || isFragment(codeSystem)) return false;
  return withConcepts(concepts, () => codeSystem.find(code) === undefined);
}
