/** User accounts, and sign-in for a client (RFC 6749, section 4.1; SMART App Launch 2). */

import type { Log, TenantSpace } from '../context';
import type { Release } from '../fhir/release';
import type { StoredUser, UserDetails } from '../storage/accounts/user-accounts';
import type { LaunchContext } from '../storage/accounts/user-grants';

/** An account, as administrators see it. */
export type User = Omit<StoredUser, 'hash'>;

/** An undefined property stays unchanged. */
export type UserChanges = { readonly [Name in keyof UserDetails]?: UserDetails[Name] | undefined } & {
  readonly password?: string | undefined;
};

/** A link by which a person sets the password of an account, once. */
export interface Invitation {
  /** It contains the secret, which no other answer has. Undefined: the person has got it by mail. */
  readonly link?: string;
  /** Why the mail was not sent. */
  readonly problem?: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/**
 * The accounts of tenants. All functions throw `unknownTenant`; changes take effect in every process within 2 s, also for
 * tokens issued before. A new password, and disabling, sign the user out everywhere.
 */
export interface Users {
  /** Returns the first 10,000 accounts by name. */
  list(tenant: string): Promise<readonly User[]>;
  find(tenant: string, id: string): Promise<User | undefined>;
  /** Without a password, nobody signs in until an invitation is used. Throws `invalidValue`. */
  create(tenant: string, details: UserChanges): Promise<User>;
  /** Undefined: there is no such account. Throws `invalidValue`. */
  change(tenant: string, id: string, changes: UserChanges): Promise<User | undefined>;
  /** False: there is no such account. */
  remove(tenant: string, id: string): Promise<boolean>;
  /** True: invitations can be sent by mail, because a mail server is set. */
  readonly canMail: boolean;
  /** Leaves the account its password. False: there is no such account, or it has no second factor. */
  removeSecondFactor(tenant: string, id: string): Promise<boolean>;
  /**
   * Makes an invitation in place of an earlier one, valid for a day. `base`: the `{base_url}` of its link; `email`: where it is sent
   * to. The present password is valid until the invitation is used. Undefined: there is no such account. Throws `invalidValue` for a
   * disabled one, for what is no address, and without a mail server; `tooManyRequests` after too many mails.
   */
  invite(
    tenant: string,
    account: { readonly id: string; readonly base: string; readonly email?: string | undefined },
  ): Promise<Invitation | undefined>;
}

/** A browser at the authorization endpoint. */
export interface SignInVisit {
  readonly space: TenantSpace;
  /** The `{base_url}` that the browser used. */
  readonly base: string;
  /** The client's request, as it was sent: the part of the address after the `?`, or the body of a POST. */
  readonly query: string;
  /** True: the request came in a body. A valid one is redirected to the address that contains it. */
  readonly isPosted: boolean;
  /** True: a page of this server or the person has made the request, as the browser says (`Sec-Fetch-Site`). */
  readonly isOwnRequest: boolean;
  /** The submitted form of one of our pages, each field once; undefined: no form was submitted. */
  readonly form: ReadonlyMap<string, string> | undefined;
  /** Values of the two cookies. */
  readonly sessionCookie: string | undefined;
  readonly formCookie: string | undefined;
  /** As `RequestContext`. */
  readonly address: string;
  readonly requestId: string;
  readonly deadline: number;
  readonly log: Log;
  /** Internal to core: the subject for the audit record. */
  readonly trail?: SignInTrail;
}

/** A browser at the logout endpoint. */
export type SignOutVisit = Pick<
  SignInVisit,
  'space' | 'base' | 'query' | 'isPosted' | 'sessionCookie' | 'address' | 'requestId' | 'trail'
>;

/** A browser at a page that belongs to no client. */
export type PageVisit = Pick<
  SignInVisit,
  'space' | 'base' | 'form' | 'sessionCookie' | 'formCookie' | 'address' | 'requestId' | 'trail'
>;

/** A Patient that the user may select. */
export interface PatientChoice {
  readonly id: string;
  readonly name: string;
  readonly birthDate?: string;
}

/** Properties that all pages of a sign-in have. */
interface Page {
  /** Display name of the client. */
  readonly client: string;
  /** The final target of the browser; a form may redirect to its origin. Undefined: a page of our own. */
  readonly redirectUri?: string | undefined;
  /** Must be sent back with the form. */
  readonly token: string;
  /** Error message for the user. */
  readonly problem?: string | undefined;
}

/** A page between the password and the end of a sign-in. */
export type SecondStep = Omit<Page, 'client'> & {
  readonly status: 200 | 403 | 429;
  readonly retryAfterSeconds?: number;
  readonly formCookie: string;
  /** What was proved before; it must be sent back with the form. */
  readonly proof: string;
  /** Display names of the user and the tenant. */
  readonly user: string;
  readonly tenant: string;
} & (
    | {
        readonly kind: 'code';
        /** What the code is for. */
        readonly purpose: 'sign-in' | 'replace' | 'replace-or-remove';
      }
    /** Asks for the first code of a new second factor. */
    | {
        readonly kind: 'enrolment';
        /** The secret in base32, and the address in its QR code. */
        readonly text: string;
        readonly uri: string;
      }
  );

/** The next answer to the browser. */
export type SignInStep =
  /** There is no safe redirect target: the request is invalid, or the form is not ours. */
  | { readonly kind: 'refused'; readonly status: 400 | 403; readonly reason: string }
  /** A redirect to the client or to this same address. `session`: the new cookie; null: delete it. */
  | { readonly kind: 'redirect'; readonly to: string; readonly session?: string | null }
  /** `session`: null deletes the cookie. */
  | { readonly kind: 'signed-out'; readonly session?: null }
  | ({
      readonly kind: 'sign-in';
      readonly status: 200 | 403 | 429;
      readonly retryAfterSeconds?: number;
      /** Value of the cookie that accompanies the form. */
      readonly formCookie: string;
      /** Name of the tenant for people. */
      readonly tenant: string;
      /** The user name that was sent before. */
      readonly user?: string | undefined;
    } & Page)
  | SecondStep
  /** The second factor is set. `session`: the new cookie. */
  | {
      readonly kind: 'recovery-codes';
      readonly codes: readonly string[];
      /** Address of the link that goes on. */
      readonly next: string;
      readonly session?: string;
    }
  /** The second factor is removed. `next`: address of the link that goes on. */
  | { readonly kind: 'second-factor-removed'; readonly next: string }
  /** The page of an invitation, on which a person sets the password. */
  | {
      readonly kind: 'invitation';
      readonly status: 200 | 400 | 403 | 429;
      readonly retryAfterSeconds?: number;
      readonly formCookie: string;
      readonly token: string;
      /** The secret of the link, if the browser has sent it before. */
      readonly secret?: string | undefined;
      readonly problem?: string | undefined;
    }
  /** The password is set. */
  | {
      readonly kind: 'password-set';
      /** Name to sign in with. */
      readonly user: string;
      /** Name of the tenant for people. */
      readonly tenant: string;
    }
  | ({
      readonly kind: 'continue';
      /** Display name of the user. */
      readonly user: string;
    } & Page)
  | ({
      readonly kind: 'consent';
      /** Display name of the user. */
      readonly user: string;
      /** The scopes of which the user may withdraw any. */
      readonly scopes: readonly string[];
      /** The scopes that say what the launch is about. */
      readonly about: readonly string[];
      /** Parts of `scopes` that the user may allow in their place. */
      readonly parts: readonly string[];
      /** Those of `scopes` and `parts` that are chosen so far. */
      readonly chosen: readonly string[];
      /** The Patient in context where it is certain; undefined: none, or the user must select one. */
      readonly patient?: PatientChoice | undefined;
      /** The Patients to select from; undefined: there is no selection. */
      readonly choices?: readonly PatientChoice[] | undefined;
      /** The text that the user searched for. */
      readonly searched?: string | undefined;
    } & Page);

/** Sign-in of users, and their consent to clients. */
export interface SignIn {
  /** Throws FhirError for failures that the request did not cause. */
  step(visit: SignInVisit): Promise<SignInStep>;
  /** Shows the page of an invitation, or sets the password of its account. Throws as `step`. */
  invitation(visit: PageVisit): Promise<SignInStep>;
  /** Shows the page on which a person sets up, replaces or removes a second factor, and takes its forms. Throws as `step`. */
  secondFactor(visit: PageVisit): Promise<SignInStep>;
  /** Ends the session of a browser for a client that names its user. Throws as `step`. */
  signOut(visit: SignOutVisit): Promise<SignInStep>;
  /**
   * Creates a token with which an EHR launches an app (`launch`), valid once within five minutes. Throws
   * `invalidValue` where there is no such client.
   */
  launch(
    space: TenantSpace,
    context: LaunchContext,
  ): Promise<{ readonly launch: string; readonly seconds: number }>;
}

/**
 * The subject of a sign-in. The code that identifies the client or person fills it in, so that failed sign-ins are
 * recorded with it too (recorded-sign-ins.ts).
 */
export interface SignInTrail {
  /** Id of an existing ClientApplication. */
  client?: string;
  /** Relative reference to the person, or the id of an account without a resource in FHIR. */
  person?: string;
  /** The release of the person's data; undefined: both. */
  release?: Release;
  /** The step of a sign-in in several steps. */
  proof?: 'password' | 'code' | 'recovery-code' | 'enrolment' | 'removal' | undefined;
}
