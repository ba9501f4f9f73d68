import type { AccessTrail } from './audit/access-trail';
import type { WriteRecording } from './audit/write-recording';
import type { Policy } from './authorization/policy';
import type { JsonDocument } from './fhir/json';
import type { Release } from './fhir/release';
import type { HeldBytes } from './memory/byte-budget';
import type { TenantLimits } from './limits/tenant-limits';
import type { SpaceParameters } from './search/parameters/tenant-parameter';
import type { Usage } from './storage/connection/usage';
import type { Cancellation } from './concurrency/cancellation';

/** `RequestContext.actor` of requests without credentials. */
export const ANONYMOUS = 'anonymous';

/** The data of one tenant in one release; its number leads every key, index row, cache entry and cursor. */
export interface Space {
  readonly number: number;
  readonly release: Release;
  readonly tenant: string;
  readonly tenantNumber: number;
  /** Time zone of dates without one: an IANA name or `+hh:mm`, fixed when the tenant is created (fhir/time-zone.ts). */
  readonly timeZone: string;
  /** The tenant's own search parameters; undefined: the space has never had any. */
  readonly searchParameters?: SpaceParameters;
}

/** Settings of a tenant; their defaults are settings of the server. */
export interface TenantSettings {
  /**
   * full: structure, bindings, invariants, narrative and profiles; lenient: the same, but invariants, profiles and
   * rules of the text only warn; structure: only the structure.
   */
  readonly validation: 'full' | 'lenient' | 'structure';
  /** strict: an unknown search parameter is an error; lenient: it is ignored. */
  readonly searchUnknown: 'strict' | 'lenient';
  /** When references must have a target: never, when they are written, or as long as they are stored. */
  readonly referentialIntegrity: 'off' | 'on-write' | 'on-write-and-delete';
  /** single: a conditional delete deletes at most one resource; multiple: it deletes all matches. */
  readonly conditionalDelete: 'single' | 'multiple';
  /** Whether people may or must have a second factor to sign in. */
  readonly secondFactor: 'optional' | 'required';
  /** Types that references of a patient's record open beside those that they always open (authorization/referenced.ts). */
  readonly openedTypes: readonly string[];
  readonly limits: TenantLimits;
}

/** A space with the settings and policies of its tenant. */
export interface TenantSpace extends Space {
  readonly settings: TenantSettings;
  /** Name of the tenant for people; undefined: its name. */
  readonly display?: string;
  /** True: validation refuses nothing; its findings are warnings. For the packages of implementation guides. */
  readonly storesAsPublished?: true;
  /** Number of the space of its AuditEvents (authorization/audit-space.ts); undefined: this is such a space. */
  readonly auditSpace?: number;
  /** The tenant's access policies; undefined: there are none. */
  readonly policies?: readonly Policy[];
}

/** The part of a pino logger that core uses. Never log query values, ids or bodies. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Identifies a snapshot that several reads share. */
export interface SnapshotMark {
  /** The snapshot is not older than this moment of this process (performance.now()). */
  readonly begun: number;
}

/** Identifies reads that only the caches answer, all as of one moment (`Core.fromCache`). */
export interface CacheMark {
  /** The reads are as of a later moment than this one of this process (performance.now()). */
  readonly begun: number;
  /** Set after a cache miss (`unknown`) or a request that cannot be cached (`unfit`). */
  missed?: 'unknown' | 'unfit';
}

/** Properties of a context that core sets while a request runs. */
type RequestState = Pick<RequestContext, 'snapshot' | 'cacheMark' | 'trail' | 'recording'>;

/**
 * The properties that core sets later, all undefined; each new context includes them. Adding a missing property to a
 * copy creates a V8 hidden class each time (CONTRIBUTING.md, Hot paths).
 */
export const EMPTY_REQUEST_STATE: RequestState = {
  snapshot: undefined,
  cacheMark: undefined,
  trail: undefined,
  recording: undefined,
};

/** The caller, the space, the deadline and the state of a request; every interaction and operation receives it. */
export interface RequestContext {
  readonly space: TenantSpace;
  /** Id of the ClientApplication that changes are attributed to; ANONYMOUS in open mode. */
  readonly actor: string;
  /** The caller's access; undefined: unrestricted (open mode, the server's own work). */
  readonly access?: Access;
  /** The person for whom the server does work of its own, for the audit record; `access` names that of a request. */
  readonly person?: string | undefined;
  /** Milliseconds since 1970 after which the request is answered with `timeout`. */
  readonly deadline: number;
  /** Cancelled when the client disconnects; undefined: never. Reads of a disconnected client are cancelled. */
  readonly cancellation?: Cancellation;
  /**
   * Aborted, with the error, when the caller loses access. Long work that changes data checks it before each step.
   * Undefined: access is not checked again.
   */
  readonly revoked?: AbortSignal;
  /** True: nobody waits for the answer, and entries of a batch that a busy server did not execute are repeated. */
  readonly isJob?: boolean;
  /** Counts the memory of the request's body and answer; undefined: it is not counted. */
  readonly bytes?: HeldBytes;
  readonly requestId: string;
  /** The snapshot that reads share, made by `Core.inSnapshot`; undefined: each read has its own. */
  readonly snapshot?: SnapshotMark;
  /** Set by `Core.fromCache`; undefined: reads use the database. */
  readonly cacheMark?: CacheMark;
  /** True: the number of SQL statements of its searches is guaranteed (docs/use/graphql-reference.md, Statements). */
  readonly hasStatementBudget?: boolean;
  /** Counts the reads of this request. Its statements are then not shared with other requests. */
  readonly usage?: Usage;
  /** Network address of the client; undefined: not available. */
  readonly address?: string;
  /** Records several reads and searches as one access, such as those of a GraphQL request. */
  readonly trail?: AccessTrail;
  /** Set by core only: how writes are audited (audit/recorded-core.ts); undefined: they are not. */
  readonly recording?: WriteRecording;
  readonly log: Log;
  /** A Provenance, not yet validated, to store with the written version in one transaction. */
  readonly provenance?: JsonDocument;
}
/** The authenticated caller. Undefined in RequestContext: unrestricted (open mode, the server's own work). */
export interface Access {
  /** Id of the ClientApplication, also `RequestContext.actor`. */
  readonly client: string;
  /** The user of the client as a relative reference (`Practitioner/1`), where the token has a valid one. */
  readonly user?: string;
  /** Ids of the Patients whose records the user, a RelatedPerson or Person, may access now; undefined: none. */
  readonly userPatients?: readonly string[];
  /** Id of the Patient in context, to whose record `patient/` scopes apply. */
  readonly patient?: string;
  /** Name of the external issuer of the token; undefined: the tenant issued it. */
  readonly issuer?: string;
  /** Id of the user's grant to the client; access ends with it. Undefined: the client needs no grant. */
  readonly grant?: string;
  /** Id of the user's account; undefined: the client has no grant. */
  readonly account?: string;
  /** SMART scopes of the token (v1, v2) as text; scope.ts parses and caches them. */
  readonly scopes: readonly string[];
  /** Names of the tenant's policies that restrict the scopes further; empty: scopes alone decide. */
  readonly policies: readonly string[];
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
}
