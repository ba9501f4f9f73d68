/** Why a client or a person may do something, or may not (docs/run/access-rules.md, Why). */
import type { Release } from '../fhir/release';
import type { Log } from '../context';
import type { Caller } from './access';

export const EXPLAINED = ['read', 'search', 'create', 'update', 'patch', 'delete'] as const;
export type ExplainedInteraction = (typeof EXPLAINED)[number];

export interface AccessQuestion {
  readonly tenant: string;
  readonly release: Release;
  /** Id or name of a client. Undefined: with a person the console; else one that only the tried policy restricts. */
  readonly client?: string | undefined;
  /** Id or name of an account: the person who has signed in for the client, and has allowed all that it may ask for. */
  readonly user?: string | undefined;
  /** Id of the Patient in context, where the person chooses one. */
  readonly patient?: string | undefined;
  readonly type: string;
  /** Undefined: of any resource of the type. */
  readonly id?: string | undefined;
  /** The text of a resource that is to be written, by which a create and an update are judged; it is not stored. */
  readonly content?: string | undefined;
  /** Undefined: all. */
  readonly interactions?: readonly ExplainedInteraction[] | undefined;
  /** A policy as if it were stored, and the client had it. Nothing is stored. */
  readonly policy?: { readonly name: string; readonly definition: unknown } | undefined;
  /** The administrator of the tenant who asks; undefined: the operator. */
  readonly caller?: Caller | undefined;
  readonly address?: string | undefined;
  readonly requestId: string;
  readonly log: Log;
}

/** A scope, or a rule of a policy, that is about an interaction. */
export interface ExplainedGrant {
  /** The scope as it is written, or the rule in words. */
  readonly grant: string;
  /** The name of the policy; undefined: it is a scope. */
  readonly policy?: string | undefined;
  /** The number of the rule in its policy, from 1. */
  readonly rule?: number | undefined;
  /** `all`: of the type, or the resource; `some`: those that meet conditions; `none`: nothing, for this resource or ever. */
  readonly allows: 'all' | 'some' | 'none';
}

export interface ExplainedAnswer {
  readonly interaction: ExplainedInteraction;
  /** `some`: it depends on the resource; only without an id. */
  readonly allowed: 'yes' | 'no' | 'some';
  readonly reason: string;
  readonly grants: readonly ExplainedGrant[];
}

export interface AccessExplanation {
  /** Who was asked about, in words. */
  readonly who: string;
  readonly answers: readonly ExplainedAnswer[];
  /** Hidden and protected elements of the type: paths. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
  /** Those of `hidden` that the resource has; undefined without one. */
  readonly hiddenHere?: readonly string[] | undefined;
  /** Ids of the Patients in whose compartments the resource is; undefined without one. */
  readonly patients?: readonly string[] | undefined;
  /** Ids of the Patients to whose records the caller is bound; undefined: to none. */
  readonly boundTo?: readonly string[] | undefined;
}

export interface AccessExplanations {
  /**
   * Answers from the permissions that requests have. Nothing is stored but, for a question about a resource, the record of its read:
   * what a policy allows says what is in it. Throws `unknownTenant`, and `invalidValue` for what does not
   * exist, and for a policy that could not be stored.
   */
  explain(question: AccessQuestion): Promise<AccessExplanation>;
}
