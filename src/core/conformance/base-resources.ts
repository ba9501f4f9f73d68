import { UTC } from '../../../packages/fhir-values/date';
import { definitionsDigest, loadDefinitions, readBaseResources } from '../fhir/definitions';
import { parseJson } from '../fhir/json';
import { createReferenceResolver } from '../fhir/reference';
import { toStoredText } from '../fhir/resource-text';
import { RELEASE_NAMES, RELEASES } from '../fhir/release';
import { OWN_OPERATIONS_DIGEST, ownOperationResources } from '../operation-types/own-definitions';
import { ROWS_VERSION } from '../search/parameters/row-rules';
import { createExtractor } from '../search/rows/extract';
import { readFoldTable } from '../search/rows/fold-table';
import { createHasher } from '../search/rows/hash';
import { keyOf } from '../search/rows/resource-key';
import type { BaseContent } from '../storage/schema/migrate';
import type { VersionWrite } from '../storage/write/version-write';

const MAX_ROWS = 1_000_000;

/** The base conformance resources of all releases, which `migrate` loads into their base spaces. */
export function baseContent(extensionBase: string): BaseContent {
  return {
    digest: `${ROWS_VERSION}.${readFoldTable().version}.${OWN_OPERATIONS_DIGEST} ${RELEASE_NAMES.map(definitionsDigest).join(' ')}`,
    *writes(hashKey, baseSpace) {
      const hasher = createHasher(hashKey);
      for (const release of RELEASE_NAMES.filter((each) => RELEASES[each].baseSpace === baseSpace)) {
        const definitions = loadDefinitions(release);
        const resolver = createReferenceResolver({
          ownAddresses: [],
          tenant: '',
          release,
          resourceTypes: new Set(definitions.resourceTypes),
        });
        const extract = createExtractor({
          definitions,
          hasher,
          localReference: (reference) => resolver.local(reference),
          zone: UTC,
          maxRows: MAX_ROWS,
        });
        for (const { type, id, text } of readBaseResources(release)) {
          const write = toWrite(type, id, text);
          if (write !== undefined) yield write;
        }
        for (const resource of ownOperationResources()) {
          const write = toWrite('OperationDefinition', resource.id, JSON.stringify(resource));
          if (write !== undefined) yield write;
        }

        function toWrite(type: string, id: string, text: string): VersionWrite | undefined {
          const typeNumber = definitions.typeNumber(type);
          const { value, marked } = parseJson(text, { maxDepth: 200 });
          if (
            typeNumber === undefined ||
            typeof value !== 'object' ||
            value === null ||
            Array.isArray(value)
          ) {
            return undefined;
          }
          const stored = toStoredText(value, marked, { id, extensionBase });
          const key = keyOf(hasher, type, id);
          return {
            type: typeNumber,
            key,
            id: key.high >= 0 ? null : id,
            expected: 0,
            change: 'create',
            body: stored.text,
            metaOffset: stored.metaOffset,
            author: null,
            rows: extract(type, value),
          };
        }
      }
    },
    types() {
      const types = new Set<string>();
      for (const release of RELEASE_NAMES) {
        const add = (type: string): unknown =>
          types.add(`${RELEASES[release].baseSpace} ${loadDefinitions(release).typeNumber(type)}`);
        for (const { type } of readBaseResources(release)) add(type);
        add('OperationDefinition');
      }
      return types;
    },
  };
}
