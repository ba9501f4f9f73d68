/** Apps and the people who sign in for them, in a tenant of an enforced server, for tests of SMART App Launch. */
import type { Release } from '../../src/core';
import { create, createClient, type Administered, type MadeClient } from './access';
import type { Answer } from './http';
import { APP, Browsers, boxesOf, FORM, makeProof, toAuthorize, toReturned } from './sign-in';

export const PASSWORD = 'correct horse battery';
const IDENTITY = [
  'openid',
  'fhirUser',
  'profile',
  'launch',
  'launch/patient',
  'offline_access',
  'online_access',
];

/** Members of a token answer that tests look at. */
export interface TokenJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly scope: string;
  readonly [member: string]: unknown;
}

export interface SmartOptions {
  readonly scope: string;
  readonly user?: string;
  /** More parameters of the request. */
  readonly more?: Readonly<Record<string, string>>;
  /** Scopes that the person withdraws on the page. */
  readonly withdrawn?: readonly string[];
  /** Parts of scopes that the person chooses on the page. */
  readonly chosen?: readonly string[];
  /** Changes the request to the token endpoint; '' leaves a parameter out. */
  readonly exchange?: Readonly<Record<string, string>>;
  readonly patient?: string;
}

type Resource = { readonly resourceType: string; readonly id: string };

/** A tenant with one public app; people sign in for it. */
export class SmartTenant {
  private constructor(
    readonly server: Administered,
    /** Its name on the server. */
    readonly tenant: string,
    readonly release: Release,
    readonly app: string,
    /** A program with all rights, also an administrator of the tenant. */
    readonly writer: MadeClient,
    private readonly browsers: Browsers,
    /** With which the app proves itself; none for a public app. */
    private readonly proof: Record<string, string> = {},
  ) {}

  /** `details`: of the app, over those that it has; `tenant` is the name in the file. */
  static async make(
    server: Administered,
    tenant: string,
    release: Release,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<SmartTenant> {
    const name = server.tenant(tenant);
    await create(server, '/tenants', { name });
    const writer = await createClient(server, tenant, { administrator: true });
    const { id } = await create(server, `/tenants/${name}/clients`, {
      ...{ name: 'Growth chart', public: true, redirectUris: [APP] },
      scopes: [...IDENTITY, 'patient/*.cruds', 'user/*.cruds'],
      ...details,
    });
    return new SmartTenant(server, name, release, id, writer, new Browsers(server));
  }

  /** The same tenant with another app, which has a secret. `tenant` is the name in the file. */
  async confidential(tenant: string, scopes: readonly string[]): Promise<SmartTenant> {
    const details = { name: 'Chart', redirectUris: [APP], scopes };
    const { id, basic } = await createClient(this.server, tenant, details);
    const proof = { authorization: basic };
    return new SmartTenant(this.server, this.tenant, this.release, id, this.writer, this.browsers, proof);
  }

  get root(): string {
    return `/w/${this.tenant}/api/v1/fhir/${this.release}`;
  }

  async addPerson(name: string, fhirUser: string, patient?: string): Promise<void> {
    await create(this.server, `/tenants/${this.tenant}/users`, {
      ...{ name, display: name, fhirUser, password: PASSWORD, release: this.release },
      ...(patient === undefined ? {} : { patient }),
    });
  }

  async put(...resources: readonly (Resource & Record<string, unknown>)[]): Promise<void> {
    for (const resource of resources) {
      const path = `${this.root}/${resource.resourceType}/${resource.id}`;
      const { status, text } = await this.server.request('PUT', path, resource, {
        authorization: this.writer.basic,
      });
      if (status !== 201 && status !== 200) throw new Error(text);
    }
  }

  get(path: string, token: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.server.request('GET', `${this.root}/${path}`, undefined, {
      ...headers,
      authorization: `Bearer ${token}`,
    });
  }

  /** Posts a form to an endpoint of the tenant. */
  post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams(form).toString();
    return this.server.request('POST', `/w/${this.tenant}/oidc/${path}`, body, {
      ...FORM,
      ...this.proof,
      ...headers,
    });
  }

  /** The address at which the app begins. */
  authorizeAt(challenge: string, scope: string, more: Readonly<Record<string, string>> = {}): string {
    return toAuthorize(
      this.server,
      this.tenant,
      this.app,
      { verifier: '', challenge },
      {
        ...{ scope, aud: this.server.base + this.root },
        ...more,
      },
    );
  }

  /** The page on which a person allows what the app asks for. */
  async consent({ scope, user = 'ann', more }: SmartOptions, challenge = makeProof().challenge) {
    return this.browsers.open(this.authorizeAt(challenge, scope, more), user, PASSWORD);
  }

  /** Signs in, allows, and redeems the code. */
  async launch(options: SmartOptions): Promise<Answer> {
    const { verifier, challenge } = makeProof();
    const { browser, page } = await this.consent(options, challenge);
    if (page.status !== 200) throw new Error(`${page.status} ${String(page.headers['location'])}`);
    const { withdrawn = [], chosen = [], patient = '', exchange } = options;
    const cleared = Object.entries(boxesOf(page)).filter(([, value]) =>
      value.split(' ').some((scope) => withdrawn.includes(scope)),
    );
    const fields = Object.fromEntries([
      ...cleared.map(([name]) => [name, '']),
      ...chosen.map((scope, index) => [`scopes-${100 + index}`, scope]),
    ]);
    const returned = toReturned(await browser.send(page, { ...fields, step: 'allow', patient }));
    const form = {
      ...{ grant_type: 'authorization_code', client_id: this.app, redirect_uri: APP },
      ...{ code_verifier: verifier, code: returned.answer['code'] ?? '' },
      ...exchange,
    };
    return this.post('token', Object.fromEntries(Object.entries(form).filter(([, value]) => value !== '')));
  }

  async token(options: SmartOptions): Promise<TokenJson> {
    const { status, json, text } = await this.launch(options);
    if (status !== 200) throw new Error(text);
    return json;
  }

  refresh(token: string, scope?: string): Promise<Answer> {
    return this.post('token', {
      ...{ grant_type: 'refresh_token', client_id: this.app, refresh_token: token },
      ...(scope === undefined ? {} : { scope }),
    });
  }
}
