import {
  changesOf,
  draftOf,
  newDraft,
  withKind,
} from '../../console/src/screens/administration/clients/draft';
import { kindOf } from '../../console/src/screens/administration/clients/kinds';
import {
  codeCommand,
  quote,
  signInAddress,
  tokenCommand,
} from '../../console/src/screens/administration/clients/connection';
import {
  readScope,
  toScope,
  toWords,
  uselessScopes,
} from '../../console/src/screens/administration/clients/scopes';

const CLIENT = {
  id: 'a1',
  name: 'Growth chart',
  created: '2026-11-28T00:00:00Z',
  disabled: false,
  scopes: ['openid', 'patient/*.rs'],
  policies: ['ward'],
  administrator: false,
  auditor: true,
  jwks: null,
  jwksUrl: null,
  redirectUris: ['https://app.example/back'],
  public: true,
  idTokenAlgorithm: 'ES256' as const,
  secrets: [],
  warnings: [],
};
const ADDRESSES = {
  tenant: 'https://fhir.example/w/acme',
  fhir: 'https://fhir.example/w/acme/api/v1/fhir/r4',
};

describe('The scopes that a person chooses', () => {
  it('are written as SMART writes them, with the letters in order', () => {
    const scope = toScope({
      context: 'system',
      type: 'Observation',
      interactions: new Set(['s', 'r', 'c']),
      condition: '?category=laboratory ',
    });
    expect(scope).toBe('system/Observation.crs?category=laboratory');
  });

  it.each([
    ['patient/*.rs', 'patient', '*', 'rs', ''],
    ['user/Observation.cruds?status=final', 'user', 'Observation', 'cruds', 'status=final'],
    ['system/Patient.read', 'system', 'Patient', 'rs', ''],
    ['system/*.write', 'system', '*', 'cud', ''],
    ['user/*.*', 'user', '*', 'cruds', ''],
  ])('are read from %s', (text, context, type, letters, condition) => {
    const scope = readScope(text);
    expect(scope).toMatchObject({ context, type, condition });
    expect([...(scope?.interactions ?? [])].join('')).toBe(letters);
  });

  it('are other words where they do not name data', () => {
    expect(['openid', 'launch/patient', 'system/patient.rs', 'system/Patient.x'].map(readScope)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are told when they have no effect for the kind of client', () => {
    const scopes = ['openid', 'patient/*.rs', 'system/*.rs'];
    expect(uselessScopes(scopes, true)).toEqual(['system/*.rs']);
    expect(uselessScopes(scopes, false)).toEqual(['openid', 'patient/*.rs']);
  });

  it('are words of a text, each once', () => {
    expect(toWords(' openid\n patient/*.rs openid ')).toEqual(['openid', 'patient/*.rs']);
  });
});

describe('The form of a client', () => {
  it('stores what it shows', () => {
    const { id: _id, created: _created, secrets: _secrets, warnings: _warnings, ...rest } = CLIENT;
    const { disabled: _disabled, ...stored } = rest;
    expect(changesOf(draftOf(CLIENT))).toEqual(stored);
  });

  it('tells the kinds of clients apart', () => {
    expect(kindOf(CLIENT)).toBe('app');
    expect(kindOf({ ...CLIENT, public: false })).toBe('server-app');
    expect(kindOf({ ...CLIENT, public: false, redirectUris: [] })).toBe('service');
    expect(
      kindOf({ ...CLIENT, public: false, redirectUris: [], jwksUrl: 'https://dwh.example/jwks.json' }),
    ).toBe('keys');
  });

  it('suggests scopes for the kind, and keeps those that a person has written', () => {
    const app = newDraft('app');
    expect(withKind(app, 'service').scopes).toBe('system/*.rs');
    expect(withKind({ ...app, scopes: 'openid' }, 'service').scopes).toBe('openid');
  });

  it('leaves out redirect addresses of a program and keys of an app', () => {
    const draft = { ...newDraft('service'), redirectUris: 'https://app.example/back', jwks: '{"keys":[]}' };
    expect(changesOf(draft)).toMatchObject({ redirectUris: [], jwks: null, public: false });
    expect(changesOf({ ...draft, kind: 'keys' })).toMatchObject({ jwks: { keys: [] } });
  });

  it('refuses keys that are no key set', () => {
    expect(() => changesOf({ ...newDraft('keys'), jwks: '{"kty":"EC"}' })).toThrow(SyntaxError);
  });
});

describe('The commands for a developer', () => {
  it('quote what a shell would read otherwise', () => {
    expect(quote("it's $HOME")).toBe(`'it'\\''s $HOME'`);
    expect(tokenCommand(ADDRESSES, { id: 'a1', secret: 's' })).toBe(
      `curl -s -u 'a1:s' 'https://fhir.example/w/acme/oidc/token' -d grant_type=client_credentials`,
    );
  });

  it('open the page to sign in as an app does', () => {
    const address = new URL(
      signInAddress(ADDRESSES, {
        client: 'a1',
        redirectUri: 'https://app.example/back?a=b',
        scopes: ['openid', 'patient/*.rs'],
        challenge: 'abc',
      }),
    );
    expect(address.pathname).toBe('/w/acme/oidc/authorize');
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      aud: ADDRESSES.fhir,
      redirect_uri: 'https://app.example/back?a=b',
      scope: 'openid patient/*.rs',
      code_challenge_method: 'S256',
    });
  });

  it('exchange the code with the verifier of the request', () => {
    const command = codeCommand(ADDRESSES, {
      client: 'a1',
      redirectUri: 'https://app.example/back',
      verifier: 'v1',
    });
    expect(command).toContain('-d code_verifier=v1');
    expect(command).toContain(`--data-urlencode redirect_uri='https://app.example/back'`);
  });
});
