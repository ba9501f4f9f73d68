/** A client as it is edited in a form. */
import type { Client, ClientChanges } from '../../../api/administration';
import { FIRST_SCOPES, isForPeople, kindOf, type Kind } from './kinds';
import { toWords } from './scopes';

export interface ClientDraft {
  readonly kind: Kind;
  readonly name: string;
  /** As text, separated by spaces. */
  readonly scopes: string;
  /** One a line. */
  readonly redirectUris: string;
  readonly policies: string[];
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
  readonly jwksUrl: string;
  /** JSON; empty: the client has no keys here. */
  readonly jwks: string;
  readonly algorithm: Client['idTokenAlgorithm'];
}

export function newDraft(kind: Kind): ClientDraft {
  return {
    kind,
    name: '',
    scopes: FIRST_SCOPES[kind].join(' '),
    redirectUris: '',
    policies: [],
    isAdministrator: false,
    isAuditor: false,
    jwksUrl: '',
    jwks: '',
    algorithm: 'RS256',
  };
}

/** The same draft for another kind; scopes that nobody has changed become those of the new one. */
export function withKind(draft: ClientDraft, kind: Kind): ClientDraft {
  const isUntouched = draft.scopes === FIRST_SCOPES[draft.kind].join(' ');
  return { ...draft, kind, scopes: isUntouched ? FIRST_SCOPES[kind].join(' ') : draft.scopes };
}

export function draftOf(client: Client): ClientDraft {
  return {
    kind: kindOf(client),
    name: client.name,
    scopes: client.scopes.join(' '),
    redirectUris: client.redirectUris.join('\n'),
    policies: client.policies,
    isAdministrator: client.administrator,
    isAuditor: client.auditor,
    jwksUrl: client.jwksUrl ?? '',
    jwks: client.jwks === null ? '' : JSON.stringify(client.jwks, null, 2),
    algorithm: client.idTokenAlgorithm,
  };
}

/** What the server stores of a draft. Throws `SyntaxError` for keys that are no JSON Web Key Set. */
export function changesOf(draft: ClientDraft): ClientChanges {
  const { kind, jwksUrl, jwks } = draft;
  const hasKeys = kind === 'keys';
  return {
    name: draft.name.trim(),
    scopes: toWords(draft.scopes),
    policies: draft.policies,
    administrator: draft.isAdministrator,
    auditor: draft.isAuditor,
    public: kind === 'app',
    redirectUris: isForPeople(kind) ? toWords(draft.redirectUris) : [],
    jwksUrl: hasKeys && jwksUrl.trim() !== '' ? jwksUrl.trim() : null,
    jwks: hasKeys && jwks.trim() !== '' ? readKeys(jwks) : null,
    idTokenAlgorithm: draft.algorithm,
  };
}

/** Whether the keys of a draft are sent and are no JSON Web Key Set. */
export function areKeysWrong({ kind, jwks }: Pick<ClientDraft, 'kind' | 'jwks'>): boolean {
  if (kind !== 'keys' || jwks.trim() === '') return false;
  try {
    readKeys(jwks);
    return false;
  } catch {
    return true;
  }
}

function readKeys(text: string): NonNullable<ClientChanges['jwks']> {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys))
    return { keys: value.keys as NonNullable<ClientChanges['jwks']>['keys'] };
  throw new SyntaxError('a JSON Web Key Set has the member "keys"');
}
