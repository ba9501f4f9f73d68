import type { AccessRecord } from '../storage/audit/access-line';

/** How the versions that an interaction writes are recorded, each by the statement that writes it. */
export interface WriteRecording {
  of(type: string, id: string): AccessRecord;
}
