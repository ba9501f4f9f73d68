import type { Access } from './authorization/access';
import type { AccessTrail } from './audit/access-trail';
import type { WriteRecording } from './audit/write-recording';
import type { Policy } from './authorization/policy';
import type { JsonDocument } from './fhir/json';
import type { Release } from './fhir/release';
import type { HeldBytes } from './limits/byte-budget';
import type { TenantLimits } from './limits/tenant-limits';
import type { SpaceParameters } from './search/tenant-parameter';
import type { Usage } from './storage/connection/usage';
import type { Cancellation } from './concurrency/cancellation';

/** One tenant's data of one release: what every key, index row, cache entry and cursor begins with. */
export interface Space {
  readonly number: number;
  readonly release: Release;
  readonly tenant: string;
  readonly tenantNumber: number;
  /** Of dates that name none: an IANA name or `+hh:mm`, fixed when the tenant was made (fhir/time-zone.ts). */
  readonly timeZone: string;
  /** Search parameters of its own; undefined: it has never had any. */
  readonly searchParameters?: SpaceParameters;
}

/** What each tenant may set for itself; its defaults are settings of the server. */
export interface TenantSettings {
  /** full: structure, bindings, invariants, narrative and profiles; structure: that alone. */
  readonly validation: 'full' | 'structure';
  /** Whether an unknown search parameter is refused or ignored. */
  readonly searchUnknown: 'strict' | 'lenient';
  /** Whether references must point to something: never, when they are written, or as long as they stand. */
  readonly referentialIntegrity: 'off' | 'on-write' | 'on-write-and-delete';
  /** Whether a conditional delete takes one resource at most, or all that meet its criteria. */
  readonly conditionalDelete: 'single' | 'multiple';
  readonly limits: TenantLimits;
}

/** A space as requests see it. */
export interface TenantSpace extends Space {
  readonly settings: TenantSettings;
  /** Number of the space that its AuditEvents are in (audit/audit-space.ts); undefined: it is such a space itself. */
  readonly auditSpace?: number;
  /** The tenant's policies for what its clients may do; undefined: it has none. */
  readonly policies?: readonly Policy[];
}

/** The part of a pino logger that core uses. Never log query values, ids or bodies. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Stands for a moment that several reads see. */
export interface SnapshotMark {
  /** It was not before this moment of this process (performance.now()). */
  readonly begun: number;
}

/** Stands for reads that remembered answers serve, and nothing else, all of one moment (`Core.fromMemory`). */
export interface MemoryMark {
  /** The moment is later than this one of this process (performance.now()). */
  readonly begun: number;
  /** Set when something was asked that is not remembered, or cannot be. */
  missed?: 'unknown' | 'unfit';
}

/** What core puts into the context of a request on its way. */
type OnTheWay = Pick<RequestContext, 'snapshot' | 'memory' | 'trail' | 'recording'>;

/**
 * For those who make contexts: places for what is put into them later. A copy that gets a property that was not there costs a
 * hidden class of V8 each time (CONTRIBUTING.md, Hot paths).
 */
export const EMPTY_REQUEST_STATE: OnTheWay = {
  snapshot: undefined,
  memory: undefined,
  trail: undefined,
  recording: undefined,
};

/** Who asks for what, where and until when: passed explicitly to every interaction and operation. */
export interface RequestContext {
  readonly space: TenantSpace;
  /** Id of the ClientApplication that changes are attributed to; `anonymous` in open mode. */
  readonly actor: string;
  /** The caller's access; undefined: unrestricted (open mode, the server's own work). */
  readonly access?: Access;
  /** Milliseconds since 1970 after which the request is answered with `timeout`. */
  readonly deadline: number;
  /** Cancelled when the client disconnects; undefined: never. Reads of a disconnected client are cancelled. */
  readonly cancellation?: Cancellation;
  /**
   * Aborted, with the error, when the caller loses access. Long work that changes data checks it before each step.
   * Undefined: access is not checked again.
   */
  readonly revoked?: AbortSignal;
  /** What its body and answer hold of the memory for them; undefined: they are not counted. */
  readonly bytes?: HeldBytes;
  readonly requestId: string;
  /** The moment that reads see, made by `Core.inSnapshot`; undefined: each its own. */
  readonly snapshot?: SnapshotMark;
  /** Set by `Core.fromMemory`; undefined: the database is asked. */
  readonly memory?: MemoryMark;
  /** The number of statements that its searches take is promised (docs/graphql.md, Statements). */
  readonly hasStatementBudget?: boolean;
  /** Counts what this request reads, which shares no statement with others then. */
  readonly usage?: Usage;
  /** Network address of the client; undefined: not available. */
  readonly address?: string;
  /** Several reads and searches that are one access, such as those of a GraphQL request, are recorded by it. */
  readonly trail?: AccessTrail;
  /** Core's own: how what is written is recorded (audit/recorded-core.ts); undefined: it is not. */
  readonly recording?: WriteRecording;
  readonly log: Log;
  /** A Provenance, not yet checked, to be stored with the version that is written, in one transaction. */
  readonly provenance?: JsonDocument;
}
