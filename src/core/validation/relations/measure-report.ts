/** A MeasureReport, by its Measure (https://hl7.org/fhir/R4/measurereport.html). */
import { type JsonObject, parseStoredObject } from '../../fhir/json';
import { shorten } from '../../fhir/json/fault';
import { objectMember, objectsMember, stringMember } from '../../fhir/terminology/members';
import { parseCanonical } from '../../fhir/terminology/source';
import type { Finding } from '../../fhir/validate';
import { errorAt, type RelationSources } from './relation';

const SCORING = 'http://terminology.hl7.org/CodeSystem/measure-scoring';

export async function checkReportedGroups(
  { environment }: RelationSources,
  report: JsonObject,
): Promise<readonly Finding[]> {
  const canonical = stringMember(report, 'measure');
  if (canonical === undefined) return [];
  const { url, version } = parseCanonical(canonical);
  const stored = await environment.findCanonical('Measure', url, version);
  if (stored === undefined) return [];
  const measure = parseStoredObject(stored.text);
  const findings: Finding[] = [];
  const whole = { defined: measure, reported: report, place: 'MeasureReport' };
  for (const group of pairsIn(whole, 'group', findings)) {
    checkScore(measure, group, findings);
    pairsIn(group, 'population', findings);
    pairsIn(group, 'stratifier', findings);
  }
  return findings;
}

/** An element of the report, with the one of the measure that it reports. */
interface ReportedElement {
  readonly defined: JsonObject;
  readonly reported: JsonObject;
  readonly place: string;
}

/**
 * Pairs what the report has with what the measure defines, by code; one alone on both sides needs none. Reports what has
 * no partner.
 */
function pairsIn(
  above: ReportedElement,
  name: 'group' | 'population' | 'stratifier',
  findings: Finding[],
): readonly ReportedElement[] {
  const [defined, reported] = [objectsMember(above.defined, name), objectsMember(above.reported, name)];
  const pairs: ReportedElement[] = [];
  const missing = new Set(defined);
  const byKey = new Map(defined.flatMap((one) => keysOf(one).map((key) => [key, one] as const)));
  const isOnly = defined.length === 1 && reported.length === 1;
  for (const [index, each] of reported.entries()) {
    const place = `${above.place}.${name}[${index}]`;
    const keys = keysOf(each);
    const partner = keys.map((key) => byKey.get(key)).find((one) => one !== undefined);
    const [only] = defined;
    const isAlone = isOnly && only !== undefined && (keys.length === 0 || keysOf(only).length === 0);
    const found = partner ?? (isAlone ? only : undefined);
    if (found === undefined) {
      const sentence = `The ${name} has no code of a ${name} that the measure defines`;
      findings.push(errorAt(place, 'business', sentence));
      continue;
    }
    missing.delete(found);
    pairs.push({ defined: found, reported: each, place });
  }
  for (const one of missing) {
    const code = keysOf(one)[0] ?? stringMember(one, 'id') ?? 'without a code';
    const sentence = `The measure's ${name} '${shorten(code)}' is not reported`;
    findings.push(errorAt(above.place, 'business', sentence));
  }
  return pairs;
}

/** The codings of the code, each as one text. */
function keysOf(element: JsonObject): readonly string[] {
  const code = objectMember(element, 'code') ?? {};
  return objectsMember(code, 'coding').flatMap((coding) => {
    const text = stringMember(coding, 'code');
    return text === undefined ? [] : [`${stringMember(coding, 'system') ?? ''}|${text}`];
  });
}

/** A cohort is counted and has no score (https://hl7.org/fhir/R4/codesystem-measure-scoring.html). */
function checkScore(measure: JsonObject, { reported, place }: ReportedElement, findings: Finding[]): void {
  const scoring = objectsMember(objectMember(measure, 'scoring') ?? {}, 'coding');
  const isCohort = scoring.some(({ system, code }) => system === SCORING && code === 'cohort');
  if (isCohort && reported['measureScore'] !== undefined)
    findings.push(
      errorAt(`${place}.measureScore`, 'business', 'A measure that counts a cohort has no measureScore'),
    );
}
