import { shownText } from '../../authorization/visibility';
import type { DocumentContent } from '../../api/operation';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { FhirError, fhirError, toIssue, type Issue, MAX_ISSUES_OF_RESOURCE } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import { shorten } from '../../fhir/json/fault';
import { collectReferences } from '../../fhir/reference';
import type { SearchServices } from '../../ports';
import { MAX_PAGE_BYTES } from '../../storage/read/version-read';
import { find, read } from '../../versions/read';
import { vread } from '../../versions/vread';

const COMPOSITION = 'Composition';
/** Maximum number of resources in a document. */
const MAX_RESOURCES = 1000;
/** Maximum number of characters of their texts. */
const MAX_BYTES = 8 * MAX_PAGE_BYTES;

/**
 * A Composition and every resource of the space that it refers to, each once, in the order of its references and in one
 * snapshot (https://hl7.org/fhir/R4/documents.html#content). A versioned reference gives that version. Contained
 * resources come with the Composition; external ones are left out. Throws notFound, gone; ruleViolated, with the
 * locations, for missing resources; tooCostly. Cost: two batched reads in a snapshot.
 */
export async function makeDocument(
  services: SearchServices,
  context: RequestContext,
  id: string,
): Promise<Pick<DocumentContent, 'versions'>> {
  return services.scope.inSnapshot(services, context, async (reading) => {
    const composition = await read(reading, context, COMPOSITION, id);
    const places = new Map<string, () => string>();
    // References in hidden elements are not followed.
    const shown = parseStoredObject(shownText(services, context, composition.text));
    for (const collected of collectReferences(shown)) {
      const { reference } = collected;
      if (services.references(context.space).local(reference) === undefined || places.has(reference))
        continue;
      if (places.size === MAX_RESOURCES) {
        throw fhirError('tooCostly', { reason: `A document may have at most ${MAX_RESOURCES} resources` });
      }
      places.set(reference, collected.expression);
    }
    const found = await Promise.all(
      [...places].map(async ([reference, expression]) => {
        return { reference, expression, version: await findTarget(reading, context, reference) };
      }),
    );
    const missing = found.filter(({ version }) => version === undefined).slice(0, MAX_ISSUES_OF_RESOURCE);
    if (missing.length > 0) throw new FhirError('ruleViolated', missing.map(toMissing));
    const versions = distinct([composition, ...found.flatMap(({ version }) => version ?? [])]);
    if (versions.reduce((bytes, { text }) => bytes + text.length, 0) > MAX_BYTES) {
      throw fhirError('tooCostly', { reason: `A document may have at most ${MAX_BYTES} characters` });
    }
    return { versions };
  });
}

function toMissing({ reference, expression }: { readonly reference: string; expression(): string }): Issue {
  const reason = `${shorten(reference)} is not here, but a document holds all that its Composition refers to`;
  return toIssue('ruleViolated', { reason }, expression());
}

async function findTarget(
  services: SearchServices,
  context: RequestContext,
  reference: string,
): Promise<StoredVersion | undefined> {
  const local = services.references(context.space).local(reference);
  if (local === undefined) return undefined;
  const { type, id, versionId } = local;
  if (versionId === undefined) return find(services, context, type, id);
  try {
    return await vread(services, context, { type, id, versionId });
  } catch (error) {
    if (error instanceof FhirError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

function distinct(versions: readonly StoredVersion[]): readonly StoredVersion[] {
  return [
    ...new Map(
      versions.map((version) => [`${version.type}/${version.id}/${version.versionId}`, version]),
    ).values(),
  ];
}
