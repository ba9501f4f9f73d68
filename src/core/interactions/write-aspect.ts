import type { RequestContext } from '../context';
import type { EntryVersion, PreparedEntry } from '../preparation/bundle';
import type { PreparedVersion } from '../preparation/prepare';
import type { WriteServices } from '../ports';
import type { Run } from '../storage/connection/database';
import type { SubscriptionChange } from '../storage/notifications/subscription-change';
import type { ResourceAddress } from '../storage/read/version-address';
import type { VersionWrite } from '../storage/write/version-write';

/** A version that is about to be written. */
export interface PlannedVersion {
  readonly type: string;
  readonly id: string;
  readonly own: ResourceAddress;
  readonly versionId: number;
  /** True: the resource did not exist, or was deleted. */
  readonly isNew: boolean;
  /** Undefined: the version is a deletion. */
  readonly prepared: PreparedVersion | undefined;
  /** The server's own change of a Subscription. */
  readonly status?: SubscriptionChange | undefined;
}

/** Members of a write that aspects set. */
export type AspectMembers = {
  -readonly [Name in 'targets' | 'registration' | 'subscription' | 'companion']:
    VersionWrite[Name] | undefined;
};

/** A resource that is being deleted. */
export interface DeletedResource extends ResourceAddress {
  readonly name: string;
  readonly id: string;
  /** FHIRPath of the entry that deletes it. */
  readonly expression?: string;
}

/** A version of a transaction. */
export interface TransactionVersion {
  readonly version: EntryVersion;
  /** Undefined for a deletion. */
  readonly entry: PreparedEntry | undefined;
}

/** What an aspect does in a transaction. */
export interface AspectSteps {
  /** Called before the first write. */
  hold?(run: Run): Promise<void>;
  /** Called after the last write. */
  complete?(run: Run): Promise<void>;
}

/** A version that a request has written. */
export interface WrittenVersion {
  readonly type: string;
  readonly id: string;
  readonly versionId: number;
}

/** What a kind of write does beside storing a version. */
export interface WriteAspect {
  /** Sets members of a write; undefined: there is nothing to wait for. Throws the refusals of the version. */
  plan(
    services: WriteServices,
    context: RequestContext,
    version: PlannedVersion,
    members: AspectMembers,
  ): Promise<void> | undefined;
  /** True: a deletion holds the head from before its checks to its commit. */
  holdsDeleted?(context: RequestContext): boolean;
  /** Throws the refusals of deletions, in the transaction that has locked the heads. */
  checkDeleted?(
    services: WriteServices,
    context: RequestContext,
    run: Run,
    deleted: readonly DeletedResource[],
  ): Promise<void>;
  /** Returns the steps for versions of a transaction; undefined: there is nothing to do. Throws their refusals. */
  planTransaction(
    services: WriteServices,
    context: RequestContext,
    versions: readonly TransactionVersion[],
  ): Promise<AspectSteps | undefined> | undefined;
  /** Writes what follows from all versions of a transaction; `services` read within it. */
  follow?(
    services: WriteServices,
    run: Run,
    context: RequestContext,
    written: readonly WrittenVersion[],
  ): Promise<void>;
}
