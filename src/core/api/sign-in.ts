/** People: their accounts, and how they sign in for a client (RFC 6749, section 4.1; SMART App Launch 2). */
import type { SignInTrail } from '../audit/sign-in-trail';
import type { Log, TenantSpace } from '../context';
import type { StoredUser, UserDetails } from '../storage/accounts/user-accounts';
import type { LaunchContext } from '../storage/accounts/user-grants';

/** An account, as administrators see it. */
export type User = Omit<StoredUser, 'hash'>;

/** Undefined: as it is. */
export type UserChanges = { readonly [Name in keyof UserDetails]?: UserDetails[Name] | undefined } & {
  readonly password?: string | undefined;
};

/**
 * The accounts of tenants. All throw `unknownTenant`; what they change is in force in every process within 2 s. A new
 * password, and disabling, sign out everywhere.
 */
export interface Users {
  /** The first 10,000 by name. */
  list(tenant: string): Promise<readonly User[]>;
  find(tenant: string, id: string): Promise<User | undefined>;
  /** Throws `invalidValue`. */
  create(tenant: string, details: UserChanges): Promise<User>;
  /** Undefined when there is no such account. Throws `invalidValue`. */
  change(tenant: string, id: string, changes: UserChanges): Promise<User | undefined>;
  /** False when there is no such account. */
  remove(tenant: string, id: string): Promise<boolean>;
}

/** A browser at the authorization endpoint. */
export interface SignInVisit {
  readonly space: TenantSpace;
  /** `{base_url}`, under which the browser came. */
  readonly base: string;
  /** What stands after the `?` of the address, as it was sent. */
  readonly query: string;
  /** What was sent from one of our pages, each once; undefined: nothing was. */
  readonly form: ReadonlyMap<string, string> | undefined;
  /** Values of the two cookies. */
  readonly sessionCookie: string | undefined;
  readonly formCookie: string | undefined;
  /** As `RequestContext`. */
  readonly address: string;
  readonly requestId: string;
  readonly deadline: number;
  readonly log: Log;
  /** Core's own: who it is about, for the record. */
  readonly trail?: SignInTrail;
}

/** A Patient that may be chosen. */
export interface PatientChoice {
  readonly id: string;
  readonly name: string;
  readonly birthDate?: string;
}

/** What all pages of a sign-in show and carry. */
interface Page {
  /** What people call the client. */
  readonly client: string;
  /** Where the browser goes in the end: whose forms it may send there. */
  readonly redirectUri: string;
  /** To be sent back with the form. */
  readonly token: string;
  /** What went wrong, for the person. */
  readonly problem?: string | undefined;
}

/** What the browser gets next. */
export type SignInStep =
  /** Nobody knows where to send it: the request itself is not good, or the form is not of ours. */
  | { readonly kind: 'refused'; readonly status: 400 | 403; readonly reason: string }
  /** To an address of the client's, or to this same one. `session`: the new cookie; null: it goes. */
  | { readonly kind: 'redirect'; readonly to: string; readonly session?: string | null }
  | ({
      readonly kind: 'sign-in';
      readonly status: 200 | 403 | 429;
      readonly retryAfterSeconds?: number;
      /** Value of the cookie that goes with the form. */
      readonly formCookie: string;
    } & Page)
  | ({
      readonly kind: 'consent';
      /** What people call the person. */
      readonly user: string;
      readonly scopes: readonly string[];
      /** Whose record it is about, where that is certain; undefined: nobody's, or it is to be chosen. */
      readonly patient?: PatientChoice | undefined;
      /** To be chosen from; undefined: nothing is to be chosen. */
      readonly choices?: readonly PatientChoice[] | undefined;
      /** What was searched for. */
      readonly searched?: string | undefined;
    } & Page);

/** Where people sign in and allow something to a client. */
export interface SignIn {
  /** Throws FhirError for what is no fault of the request. */
  step(visit: SignInVisit): Promise<SignInStep>;
  /**
   * A token that an EHR starts an app with (`launch`), good for five minutes and once. Throws `invalidValue` where there is no
   * such client.
   */
  launch(
    space: TenantSpace,
    context: LaunchContext,
  ): Promise<{ readonly launch: string; readonly seconds: number }>;
}
