import type { AccessRecord } from '../storage/audit/access-line';

/**
 * Makes the audit records of the versions that an interaction writes. The statement of each write writes its record.
 */
export interface WriteRecording {
  of(type: string, id: string): AccessRecord;
}
