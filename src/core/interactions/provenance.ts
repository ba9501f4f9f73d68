import { permissionsOf } from '../authorization/visibility';
import { requireWritable } from '../authorization/write-guard';
import type { RequestContext } from '../context';
import { FhirError, fhirError, type Issue } from '../errors';
import { isJsonObject, type JsonDocument } from '../fhir/json';
import type { WriteServices } from '../ports';
import type { VersionWrite } from '../storage/write/version-write';
import { writeAll } from '../storage/write/write-statements';
import { RaceLost } from './bundle/race-lost';
import { requireTargets } from './referential-integrity';
import type { WriteAspect, WrittenVersion } from './write-aspect';
import { addressOf, typeNumberOf } from '../versions/resource-address';
import { authorOf } from '../versions/stored-version';
import { PROVENANCE } from '../fhir/type-names';

/** The Provenance that a request sends with its changes. */
export const provenance: WriteAspect = {
  plan(services, context, { type, id, versionId }, members) {
    if (context.provenance === undefined) return undefined;
    return (async () => {
      const { companion, targets } = await provenanceWrite(services, context, [{ type, id, versionId }]);
      members.companion = companion;
      members.targets = targets;
    })();
  },
  // Stored after the versions, by `follow`.
  planTransaction: (_services, context) =>
    context.provenance === undefined ? undefined : Promise.resolve({}),
  async follow(services, run, context, written) {
    const { companion, targets } = await provenanceWrite(services, context, written);
    if (companion === undefined) return;
    const write = { ...companion, ...(targets === undefined ? {} : { targets }) };
    const [stored] = await writeAll(run, context.space.number, [write]);
    if (stored === undefined) throw new RaceLost();
  },
};

/**
 * The write of the Provenance that a request sends with its changes (https://hl7.org/fhir/R4/provenance.html#header),
 * and the targets that must be locked for it. Its own targets are the written versions. Empty if the request has no
 * Provenance or writes nothing.
 * Throws the errors of the Provenance, with the header's name in the text.
 */
async function provenanceWrite(
  services: WriteServices,
  context: RequestContext,
  written: readonly WrittenVersion[],
): Promise<Pick<VersionWrite, 'companion' | 'targets'>> {
  const { provenance: sent, space } = context;
  if (sent === undefined || written.length === 0) return {};
  const { id, high, low } = services.ids.next();
  try {
    permissionsOf(services, context)?.require(PROVENANCE, 'c');
    const { text, metaOffset, rows, targets } = await services.preparer.resource({
      space,
      type: PROVENANCE,
      id,
      idMode: 'assigned',
      input: withTargets(sent, written),
    });
    const targetsWritten = new Set(written.map((each) => `${each.type}/${each.id}`));
    const content = {
      ...{ type: PROVENANCE, key: { high, low }, text, rows },
      ...{ before: undefined, written: targetsWritten },
    };
    const unopened = await requireWritable(services, context, 'c', content);
    const companion: VersionWrite = {
      type: typeNumberOf(services, context, PROVENANCE),
      key: { high, low },
      id: null,
      expected: 0,
      change: 'create',
      body: text,
      metaOffset,
      author: authorOf(context),
      rows,
      unopened,
      ...(space.searchParameters === undefined ? {} : { parameterChange: space.searchParameters.change }),
    };
    // The write of the changes locks the Provenance's references too, so that all locks are taken in one order.
    const own = written.map(({ type, id }) => addressOf(services, context, type, id));
    return { companion, ...(await requireTargets(services, context, { own, named: targets })) };
  } catch (error) {
    throw error instanceof FhirError ? new FhirError(error.key, error.issues.map(nameHeader)) : error;
  }
}

/** Replaces the client's `target`, because the client cannot know the written version. */
function withTargets(provenance: JsonDocument, written: readonly WrittenVersion[]): JsonDocument {
  const { value, marked } = provenance;
  if (!isJsonObject(value)) throw fhirError('invalidResource', { reason: 'it is not a JSON object' });
  const target = written.map(({ type, id, versionId }) => ({
    reference: `${type}/${id}/_history/${versionId}`,
  }));
  return { value: { ...value, target }, marked };
}

function nameHeader(issue: Issue): Issue {
  return { ...issue, diagnostics: `X-Provenance: ${issue.diagnostics}` };
}
