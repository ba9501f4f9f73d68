/** Apps and the people who sign in for them, in a tenant of an enforced server, for tests of SMART App Launch. */
import type { ClientChanges, Release } from '../../src/core';
import { makeClient, type MadeClient } from './access';
import type { Answer } from './http';
import type { TestServer } from './server';
import { APP, Browser, boxesOf, FORM, makeProof, toAuthorize, toReturned } from './sign-in';

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
    readonly server: TestServer,
    readonly tenant: string,
    readonly release: Release,
    readonly app: string,
    /** A program with all rights, also an administrator of the tenant. */
    readonly writer: MadeClient,
    /** With which the app proves itself; none for a public app. */
    private readonly proof: Record<string, string> = {},
  ) {}

  static async make(
    server: TestServer,
    tenant: string,
    release: Release,
    details: ClientChanges = {},
  ): Promise<SmartTenant> {
    const { core } = server.app;
    await core.tenants.create(tenant);
    const writer = await makeClient(core, tenant, { isAdministrator: true });
    const { id } = await core.clients.create(tenant, {
      ...{ name: 'Growth chart', isPublic: true, redirectUris: [APP] },
      scopes: [...IDENTITY, 'patient/*.cruds', 'user/*.cruds'],
      ...details,
    });
    return new SmartTenant(server, tenant, release, id, writer);
  }

  /** The same tenant with another app, which has a secret. */
  async confidential(scopes: readonly string[]): Promise<SmartTenant> {
    const details = { name: 'Chart', redirectUris: [APP], scopes };
    const { id, basic } = await makeClient(this.server.app.core, this.tenant, details);
    return new SmartTenant(this.server, this.tenant, this.release, id, this.writer, { authorization: basic });
  }

  get root(): string {
    return `/w/${this.tenant}/api/v1/fhir/${this.release}`;
  }

  async addPerson(name: string, fhirUser: string, patient?: string): Promise<void> {
    await this.server.app.core.users.create(this.tenant, {
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
        ...{ scope, aud: this.server.root(this.tenant, this.release) },
        ...more,
      },
    );
  }

  /** The page on which a person allows what the app asks for. */
  async consent({ scope, user = 'ann', more }: SmartOptions, challenge = makeProof().challenge) {
    const browser = new Browser(this.server);
    const page = await browser.signIn(this.authorizeAt(challenge, scope, more), user, PASSWORD);
    return { browser, page };
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
