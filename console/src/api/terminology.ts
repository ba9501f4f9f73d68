/** Lists the definitions of codes, and asks the terminology operations. */
import { graphql } from '../__generated__/graphql';
import type { DefinitionsQuery, DefinitionsQueryVariables } from '../__generated__/graphql/graphql';
import { CONCEPT_SET } from '../fhir/concepts';
import type { Space } from '../place';
import { get } from './fhir';
import { runDocument } from './graphql';
import type { JsonObject } from './json';
import { SEQUENCE_EXTENSION } from '../../../packages/fhir-values/server-meta';

const DEFINITIONS = graphql(/* GraphQL */ `
  query Definitions($type: ResourceType!, $first: Int!, $after: String) {
    search(type: $type, first: $first, after: $after) {
      edges {
        node {
          id
          meta {
            extension {
              url
              valueInteger
            }
          }
          ... on CodeSystem {
            url
            name
            title
            version
            status
            content
            count
            identifier {
              system
            }
          }
          ... on ValueSet {
            url
            name
            title
            version
            status
          }
          ... on ConceptMap {
            url
            name
            title
            version
            status
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const KINDS = ['CodeSystem', 'ValueSet', 'ConceptMap'] as const;
export type Kind = (typeof KINDS)[number];

export function isKind(text: string | undefined): text is Kind {
  return KINDS.some((kind) => kind === text);
}

/** A code system, value set or concept map in a list. */
export interface Definition {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly version: string;
  readonly status: string;
  /** Stored by the tenant; false: FHIR's own. */
  readonly isOwn: boolean;
  /** Of a code system: how many concepts it says that it has; undefined: it does not say. */
  readonly concepts: number | undefined;
  /** Of a code system: where its concepts are. */
  readonly stored: Stored | undefined;
}

/** `nowhere`: the server knows of the code system, and not of its concepts. */
export type Stored = 'tables' | 'resource' | 'nowhere';

export interface DefinitionList {
  readonly definitions: readonly Definition[];
  /** Whether there are more than were loaded. */
  readonly isCut: boolean;
}

/** The server's greatest page. */
const PAGE = 1_000;
/** FHIR has two pages of each kind at most; the rest is for those of the tenant. */
const PAGES = 5;

interface Node {
  readonly id?: string | null;
  readonly meta?: {
    readonly extension?: readonly (Extension | null)[] | null;
  } | null;
  readonly url?: string | null;
  readonly name?: string | null;
  readonly title?: string | null;
  readonly version?: string | null;
  readonly status?: string | null;
  readonly content?: string | null;
  readonly count?: number | null;
  readonly identifier?: readonly ({ readonly system?: string | null } | null)[] | null;
}
interface Extension {
  readonly url?: string | null;
  readonly valueInteger?: number | null;
}

/** The definitions of FHIR were not written by a request of a tenant, so that they have the number 0. */
function isOwn({ meta }: Node): boolean {
  return (meta?.extension ?? []).some(
    (each) => each?.url?.endsWith(`/${SEQUENCE_EXTENSION}`) === true && each.valueInteger !== 0,
  );
}

function storedOf({ content, identifier }: Node): Stored | undefined {
  if (typeof content !== 'string') return undefined;
  if ((identifier ?? []).some((each) => each?.system === CONCEPT_SET)) return 'tables';
  return content === 'not-present' ? 'nowhere' : 'resource';
}

function toDefinition(node: Node): Definition {
  return {
    id: node.id ?? '',
    url: node.url ?? '',
    name: node.title ?? node.name ?? node.id ?? '',
    version: node.version ?? '',
    status: node.status ?? '',
    isOwn: isOwn(node),
    concepts: node.count ?? undefined,
    stored: storedOf(node),
  };
}

/** The definitions of a kind: those of the tenant, then those of FHIR, each by name. **Cost**: up to five requests. */
export async function listDefinitions(
  space: Space,
  kind: Kind,
  signal?: AbortSignal,
): Promise<DefinitionList> {
  const definitions: Definition[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const variables: DefinitionsQueryVariables = { type: kind, first: PAGE, after };
    const { search }: DefinitionsQuery = await runDocument(space, DEFINITIONS, variables, signal);
    definitions.push(...(search?.edges ?? []).map(({ node }) => toDefinition(node)));
    after = (search?.pageInfo.hasNextPage === true ? search.pageInfo.endCursor : undefined) ?? null;
    if (after === null) break;
  }
  definitions.sort(
    (one, other) => Number(other.isOwn) - Number(one.isOwn) || one.name.localeCompare(other.name),
  );
  return { definitions, isCut: after !== null };
}

/** The answer of a terminology operation that is asked by GET; parameters without a value are left out. */
export async function askOperation(
  space: Space,
  operation: string,
  parameters: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, value);
  return (await get(space, `${operation}?${query.toString()}`, signal)).value;
}
