import type { RequestContext } from '../context';
import { isJsonObject, parseStoredObject, type JsonObject, type JsonValue } from '../fhir/json';
import type { Release } from '../fhir/release';
import type { Services } from '../ports';
import { addressOf, readBase } from '../versions/resource-address';

const STANDARDS_STATUS = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status';

const trialUse = new Map<Release, ReadonlySet<string>>();

/**
 * The normative portion of a CapabilityStatement (http.html#capabilities, `mode=normative`): without the elements that
 * its StructureDefinition marks as trial use.
 */
export async function normativePortion(
  services: Pick<Services, 'definitions' | 'isConformanceType' | 'keys' | 'reader'>,
  context: RequestContext,
  text: string,
): Promise<string> {
  const { release } = context.space;
  const trial = trialUse.get(release) ?? (await readTrialUse(services, context, 'CapabilityStatement'));
  trialUse.set(release, trial);
  return JSON.stringify(without(JSON.parse(text) as JsonValue, 'CapabilityStatement', trial));
}

/** Paths of elements that are not normative in the specification's StructureDefinition. */
async function readTrialUse(
  services: Pick<Services, 'definitions' | 'isConformanceType' | 'keys' | 'reader'>,
  context: RequestContext,
  type: string,
): Promise<ReadonlySet<string>> {
  const address = addressOf(services, context, 'StructureDefinition', type);
  const row = await readBase(services, context, { type: 'StructureDefinition', address, id: type });
  if (row === undefined) throw new Error(`the base resources have no StructureDefinition of ${type}`);
  const { snapshot } = parseStoredObject(row.body);
  const elements = isJsonObject(snapshot) && Array.isArray(snapshot['element']) ? snapshot['element'] : [];
  return new Set(
    elements
      .filter(isJsonObject)
      .filter(isForTrial)
      .flatMap(({ path }) => (typeof path === 'string' ? [path] : [])),
  );
}

function isForTrial({ extension }: JsonObject): boolean {
  const extensions = Array.isArray(extension) ? extension.filter(isJsonObject) : [];
  return extensions.some(({ url, valueCode }) => url === STANDARDS_STATUS && valueCode !== 'normative');
}

function without(value: JsonValue, path: string, left: ReadonlySet<string>): JsonValue {
  if (Array.isArray(value)) return value.map((element) => without(element, path, left));
  if (!isJsonObject(value)) return value;
  const copied: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const place = `${path}.${name}`;
    if (!left.has(place)) copied[name] = without(member, place, left);
  }
  return copied;
}
